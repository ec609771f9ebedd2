package asm

import "testing"

func TestExpandRuns(t *testing.T) {
	t.Run("1", testExpandRuns[uint8])
	t.Run("4", testExpandRuns[float32])
	t.Run("8", testExpandRuns[int64])
	t.Run("16", testExpandRuns[[2]uint64])
	t.Run("32", testExpandRuns[[4]uint64])
}

func testExpandRuns[T comparable](t *testing.T) {
	eachTier(t, func(h *harness, n int) {
		for _, longest := range []int{1, 4, 9, 100, 3 * maxCallRows} {
			for _, slack := range []int{0, 3, 64} {
				h.used = 0
				var ends []int32
				for at := 0; at < n; {
					at = min(n, at+random.IntN(longest+1)) // some runs are empty
					ends = append(ends, int32(at))
				}
				if max(len(ends), n+slack)*width[T]() > 1<<20 { // an arena
					continue
				}
				values := make([]T, len(ends))
				for i := range rawBytes(values) {
					rawBytes(values)[i] = byte(random.Uint32())
				}
				ends, values = lay(h, ends), lay(h, values)
				dst := room[T](h, n+slack)
				ExpandRuns(dst, values, ends)
				want := make([]T, 0, n)
				for r, end := range ends {
					for len(want) < int(end) {
						want = append(want, values[r])
					}
				}
				if !sameBits(dst[:n], want) {
					h.Fatalf("runs of up to %d, slack %d: %s", longest, slack, diff(dst[:n], want))
				}
				if slack == 64 && n > 0 && !sameBits(dst[n+64/width[T]():], spoil(make([]T, slack-64/width[T]()))) {
					h.Fatalf("runs of up to %d: more than 64 bytes past the end are written", longest)
				}
			}
		}
	})
}

func TestExpandRunsFalling(t *testing.T) {
	for _, tier := range Tiers() {
		restore, err := Use(tier)
		if err != nil {
			t.Fatal(err)
		}
		for _, ends := range [][]int32{{5, 3, 10}, {-1, 10}, {11, 10}, {1 << 30, 10}} {
			mustPanic(t, "asm.ExpandRuns: the ends of runs fall", func() { ExpandRuns(make([]int64, 100), make([]int64, 3), ends) })
		}
		restore()
	}
	mustPanic(t, "asm.ExpandRuns: dst has length 9", func() { ExpandRuns(make([]int64, 9), make([]int64, 1), []int32{10}) })
	mustPanic(t, "asm.ExpandRuns: values", func() { ExpandRuns(make([]int64, 10), nil, []int32{10}) })
}

package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"reflect"
	"testing"

	"github.com/lacunadb/lacuna/types"
)

// packBits writes values side by side with width bits each, least significant bit first, padded to whole groups of eight.
func packBits(values []uint64, width int) []byte {
	groups := (len(values) + 7) / 8
	dst := make([]byte, groups*width)
	for i, v := range values {
		for b := range width {
			if v>>b&1 == 1 {
				at := i*width + b
				dst[at/8] |= 1 << (at % 8)
			}
		}
	}
	return dst
}

// encodeHybrid writes values in runs of random kinds and lengths. Only the last packed run has a group that is not full.
func encodeHybrid(random *rand.Rand, values []uint64, width int) []byte {
	var dst []byte
	for len(values) > 0 {
		if run := repeats(values); run > 1 && random.Intn(4) > 0 {
			run = 1 + random.Intn(run)
			dst = binary.AppendUvarint(dst, uint64(run)<<1)
			for i := range (width + 7) / 8 {
				dst = append(dst, byte(values[0]>>(8*i)))
			}
			values = values[run:]
			continue
		}
		n := min(len(values), 8*(1+random.Intn(9)))
		dst = binary.AppendUvarint(dst, uint64((n+7)/8)<<1|1)
		dst = append(dst, packBits(values[:n], width)...)
		values = values[n:]
	}
	return dst
}

func repeats(values []uint64) int {
	n := 1
	for n < len(values) && values[n] == values[0] {
		n++
	}
	return n
}

// TestHybrid reads and skips values of every width in random steps.
func TestHybrid(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for width := 0; width <= 32; width++ {
		for range 20 {
			values := make([]uint64, random.Intn(600))
			for i := range values {
				if i > 0 && random.Intn(3) > 0 {
					values[i] = values[i-1]
				} else {
					values[i] = random.Uint64() & (1<<width - 1)
				}
			}
			h := newHybrid(encodeHybrid(random, values, width), width)
			for at := 0; at < len(values); {
				n := 1 + random.Intn(len(values)-at)
				if random.Intn(3) == 0 {
					if err := h.skip(n); err != nil {
						t.Fatal(err)
					}
					at += n
					continue
				}
				if v, ok := h.constant(n); ok && repeats(values[at:]) < n {
					t.Fatalf("width %d: %d is not repeated %d times", width, v, n)
				}
				got := make([]uint32, n)
				if err := h.read(got); err != nil {
					t.Fatal(err)
				}
				for i, v := range got {
					if uint64(v) != values[at+i] {
						t.Fatalf("width %d, value %d: %d instead of %d", width, at+i, v, values[at+i])
					}
				}
				at += n
			}
		}
	}
}

// TestHybridBits reads and skips bits in random steps.
func TestHybridBits(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	for range 200 {
		values := make([]uint64, 1+random.Intn(9000))
		for i := range values {
			if i > 0 && random.Intn(5) > 0 {
				values[i] = values[i-1]
			} else {
				values[i] = random.Uint64() & 1
			}
		}
		h := newHybrid(encodeHybrid(random, values, 1), 1)
		dst := types.Bitmap(make([]uint64, types.BitmapWords(len(values))))
		for at := 0; at < len(values); {
			n := 1 + random.Intn(len(values)-at)
			want := 0
			for _, v := range values[at : at+n] {
				want += int(v)
			}
			skip := random.Intn(3) == 0
			var got int
			var err error
			if skip {
				got, err = h.skipBits(n)
			} else {
				got, err = h.readBits(dst, at, n)
			}
			if err != nil || got != want {
				t.Fatalf("%d ones instead of %d (%v)", got, want, err)
			}
			for i := at; i < at+n; i++ {
				if !skip && dst.Get(i) != (values[i] == 1) || skip && dst.Get(i) {
					t.Fatalf("bit %d is wrong", i)
				}
			}
			at += n
		}
	}
}

// encodeDeltas writes integers in blocks of 128 in four miniblocks.
func encodeDeltas(values []int64) []byte {
	dst := binary.AppendUvarint(nil, 128)
	dst = binary.AppendUvarint(dst, 4)
	dst = binary.AppendUvarint(dst, uint64(len(values)))
	first := int64(0)
	if len(values) > 0 {
		first = values[0]
	}
	dst = binary.AppendVarint(dst, first)
	for at := 1; at < len(values); at += 128 {
		block := values[at:min(len(values), at+128)]
		deltas := make([]int64, len(block))
		least := block[0] - values[at-1]
		for i := range block {
			deltas[i] = block[i] - values[at+i-1]
			least = min(least, deltas[i])
		}
		dst = binary.AppendVarint(dst, least)
		var widths, packed []byte
		for m := range 4 {
			mini := make([]uint64, 32)
			most := uint64(0)
			for i := range mini {
				if m*32+i < len(deltas) {
					mini[i] = uint64(deltas[m*32+i] - least)
					most = max(most, mini[i])
				}
			}
			width := 0
			for width < 64 && most>>width > 0 {
				width++
			}
			widths = append(widths, byte(width))
			if m*32 < len(deltas) {
				packed = append(packed, packBits(mini, width)...)
			}
		}
		dst = append(append(dst, widths...), packed...)
	}
	return dst
}

// TestDeltas reads and skips numbers of every range, wrapping differences included.
func TestDeltas(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	for bits := 0; bits <= 64; bits++ {
		for range 10 {
			values := make([]int64, random.Intn(700))
			for i := range values {
				values[i] = int64(random.Uint64() >> (64 - bits))
			}
			behind := []byte("behind")
			d, err := newDeltas(append(encodeDeltas(values), behind...))
			if err != nil {
				t.Fatal(err)
			}
			walk := d
			if rest, err := walk.rest(); err != nil || !bytes.Equal(rest, behind) {
				t.Fatalf("%d bits: %q is behind the values (%v)", bits, rest, err)
			}
			for at := 0; at < len(values); {
				n := 1 + random.Intn(len(values)-at)
				got := make([]int64, n)
				if random.Intn(3) == 0 {
					err, got = d.skip(n), values[at:at+n]
				} else {
					err = d.read(got)
				}
				if err != nil || !reflect.DeepEqual(got, values[at:at+n]) {
					t.Fatalf("%d bits, values %d to %d: %v instead of %v (%v)", bits, at, at+n, got, values[at:at+n], err)
				}
				at += n
			}
			if err := d.skip(1); err == nil {
				t.Fatal("there is a value too many")
			}
		}
	}
}

// TestByteReaders reads and skips strings in each encoding of them.
func TestByteReaders(t *testing.T) {
	random := rand.New(rand.NewSource(4))
	for round := range 50 {
		words := make([]string, 1+random.Intn(300))
		last := ""
		var plain, suffixes, all []byte
		var prefixLengths, suffixLengths, lengths []int64
		for i := range words {
			shared := random.Intn(len(last) + 1)
			words[i] = last[:shared] + fmt.Sprintf("%0*d", random.Intn(20), random.Intn(1000))[:random.Intn(3)]
			plain = binary.LittleEndian.AppendUint32(plain, uint32(len(words[i])))
			plain = append(plain, words[i]...)
			all = append(all, words[i]...)
			suffixes = append(suffixes, words[i][shared:]...)
			prefixLengths = append(prefixLengths, int64(shared))
			suffixLengths = append(suffixLengths, int64(len(words[i])-shared))
			lengths = append(lengths, int64(len(words[i])))
			last = words[i]
		}
		byLength, err := newDeltaLengths(append(encodeDeltas(lengths), all...))
		if err != nil {
			t.Fatal(err)
		}
		byPrefix, err := newDeltaBytes(append(append(encodeDeltas(prefixLengths), encodeDeltas(suffixLengths)...), suffixes...))
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]bytesReader{"plain": &plainBytes{plain}, "by length": byLength, "by prefix": byPrefix} {
			for at := 0; at < len(words); {
				n := 1 + random.Intn(len(words)-at)
				if random.Intn(3) == 0 {
					if err := r.skip(n); err != nil {
						t.Fatal(err)
					}
					at += n
					continue
				}
				views := make([]types.View, n)
				body, err := r.next(views, 0)
				if err != nil {
					t.Fatal(name, err)
				}
				for i := range views {
					if got := string(views[i].Bytes([]types.Buffer{{Bytes: body}})); got != words[at+i] {
						t.Fatalf("%s, round %d, string %d: %q instead of %q", name, round, at+i, got, words[at+i])
					}
				}
				at += n
			}
			if r.skip(1) == nil {
				t.Fatalf("%s: there is a string too many", name)
			}
		}
	}
}

// TestBigEndian converts two's complement numbers of every length.
func TestBigEndian(t *testing.T) {
	for width := 1; width <= 40; width++ {
		for _, x := range []int64{0, 1, -1, 100, -128} {
			b := make([]byte, width)
			for i := range b {
				b[i] = byte(x >> 63)
			}
			b[width-1] = byte(x)
			got, ok := bigEndian(b)
			if !ok || int64(got[0]) != x || !fitsInt64(got) {
				t.Errorf("%d in %d bytes: %v, %v", x, width, got, ok)
			}
			if width <= 8 {
				var out [1]int64
				shortDecimals(out[:], b, width)
				if out[0] != x {
					t.Errorf("%d in %d bytes: %d", x, width, out[0])
				}
			}
		}
	}
	if _, ok := bigEndian(append([]byte{1}, make([]byte, 32)...)); ok {
		t.Error("257 bits fit")
	}
	if x, ok := bigEndian(append([]byte{1}, make([]byte, 16)...)); !ok || fitsInt128(x) || fitsInt64(x) {
		t.Error("129 bits fit into 128")
	}
}

// TestNarrow checks that small integers outside their range are noticed.
func TestNarrow(t *testing.T) {
	src := binary.LittleEndian.AppendUint32(nil, 200)
	dst := make([]byte, 1)
	if err := narrow[uint8](dst, src, 1); err != nil || dst[0] != 200 {
		t.Errorf("UTINYINT 200: %d, %v", dst[0], err)
	}
	wantError(t, narrow[int8](dst, src, 1), types.CodeDataCorrupted, "outside the range")
}

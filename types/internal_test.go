package types

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func TestPoolReleasesInRegions(t *testing.T) {
	p := NewPool()
	a := p.Bytes(100)
	mark := p.Mark()
	b, c := p.Bytes(100), p.Bytes(5)
	if uintptr(unsafe.Pointer(&b[0]))%poolAlign != 0 || uintptr(unsafe.Pointer(&c[0]))%poolAlign != 0 {
		t.Error("buffers are not aligned")
	}
	for i := range a {
		a[i] = 1
	}
	first := &b[0]
	held := p.Held()
	p.Release(mark)
	if poisonEnabled && b[0] != 0xA5 {
		t.Error("released memory is not poisoned")
	}
	d := p.Bytes(128)
	if &d[0] != first {
		t.Error("a released buffer of the same class is not used again")
	}
	if p.Held() != held {
		t.Errorf("pool holds %d bytes, want %d", p.Held(), held)
	}
	if slices.Contains(a, 0xA5) {
		t.Error("a buffer from before the mark was released")
	}
	large := p.Bytes(poolAlign << poolClasses)
	if len(large) != poolAlign<<poolClasses {
		t.Error("a large buffer is short")
	}
	p.Release(0)
	if p.Held() >= poolAlign<<poolClasses {
		t.Error("the pool keeps a large buffer")
	}
}

func TestPoolAdopt(t *testing.T) {
	p := NewPool()
	values := Alloc[int64](p, 100)
	valid := p.ZeroBitmap(100)
	other := Alloc[int64](p, 100)
	for i := range values {
		values[i], other[i] = int64(i), int64(i)
		if i%2 == 0 {
			valid.Set(i)
		}
	}
	v := NewStruct(StructOf(Field{Name: "a", Type: BigInt, Nullable: true}), 100, []*Vector{NewFixed(BigInt, values, valid)}, nil)
	v = v.Slice(p, 64, 100) // inside the buffers, not at their start
	p.Adopt(v)
	p.Release(0)
	for range 10 { // would hand out the same memory
		b := p.Bytes(800)
		for i := range b {
			b[i] = 0xEE
		}
	}
	for i := range v.Len() {
		want := any([]FieldValue{{"a", int64(64 + i)}})
		if i%2 == 1 {
			want = []FieldValue{{"a", nil}}
		}
		if got := Value(v, i); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("row %d of an adopted vector is %v, want %v", i, got, want)
		}
	}
	if poisonEnabled && other[0] == 0 {
		t.Error("memory that was not adopted still has its values")
	}
}

func TestNilPool(t *testing.T) {
	var p *Pool
	if b := p.Bytes(10); len(b) != 10 || p.Mark() != 0 || p.Held() != 0 {
		t.Error("the nil pool does not allocate from the heap")
	}
	p.Release(0)
	p.Adopt(NewFixed(BigInt, []int64{1}, nil))
}

func TestBitmaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		n := rng.IntN(200)
		bits := make([]bool, n)
		b := make(Bitmap, BitmapWords(n))
		for i := range bits {
			if bits[i] = rng.IntN(3) > 0; bits[i] {
				b.Set(i)
			}
		}
		from := rng.IntN(n + 1)
		to := from + rng.IntN(n-from+1)
		cut := sliceBitmap(nil, b, from, to)
		want := 0
		for i := from; i < to; i++ {
			if cut.Get(i-from) != bits[i] {
				t.Fatalf("bit %d of %d:%d of %d", i, from, to, n)
			}
			if bits[i] {
				want++
			}
		}
		if cut.Count(to-from) != want || len(cut) > 0 && cut[len(cut)-1]&^LastWordMask(to-from) != 0 {
			t.Fatalf("bits after the last row of %d:%d", from, to)
		}
		next := from
		for next < n && !bits[next] {
			next++
		}
		if got := b.NextSet(from, n); got != next {
			t.Fatalf("NextSet(%d) is %d, want %d", from, got, next)
		}
		ranged := make(Bitmap, BitmapWords(n))
		setRange(ranged, from, to)
		if ranged.Count(n) != to-from || to > from && (!ranged.Get(from) || !ranged.Get(to-1)) {
			t.Fatalf("setRange(%d, %d)", from, to)
		}
	}
}

// TestLargeStringsAreCut imports with a small limit in place of the 4 GiB that a view can reach.
func TestLargeStringsAreCut(t *testing.T) {
	var body []byte
	offsets := []int64{0}
	var want []string
	for i := range 100 {
		s := fmt.Sprintf("%d %s", i, bytes.Repeat([]byte{'x'}, i%30))
		want = append(want, s)
		body = append(body, s...)
		offsets = append(offsets, int64(len(body)))
	}
	data := array.NewData(arrow.BinaryTypes.LargeString, 100, []*memory.Buffer{nil, memory.NewBufferBytes(Bytes(offsets)), memory.NewBufferBytes(body)}, nil, 0, 0)
	fixed := array.NewData(&arrow.FixedSizeBinaryType{ByteWidth: 15}, 50, []*memory.Buffer{nil, memory.NewBufferBytes(body)}, nil, 0, 0)
	im := importer{viewSpan: 100}
	v, err := im.vector(data, Varchar, 0, 100, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := im.vector(fixed, Blob, 0, 50, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.buffers) < 5 || len(w.buffers) < 5 {
		t.Fatalf("%d and %d data buffers", len(v.buffers), len(w.buffers))
	}
	for i := range want {
		view := ValuesOf[View](v)[i]
		if got := string(view.Bytes(v.buffers)); got != want[i] || !view.IsInline() && view.Offset() > 100 {
			t.Errorf("row %d is %q at %d, want %q", i, got, view.Offset(), want[i])
		}
	}
	for i := range 50 {
		if got := string(ValuesOf[View](w)[i].Bytes(w.buffers)); got != string(body[i*15:i*15+15]) {
			t.Errorf("row %d is %q", i, got)
		}
	}
	// And out again through buffers cut for signed offsets.
	views := slices.Clone(ValuesOf[View](v))
	cut := cutBuffers(views, v.buffers, 16)
	for i := range want {
		if got := string(views[i].Bytes(cut)); got != want[i] || !views[i].IsInline() && views[i].Offset() >= 16 {
			t.Errorf("cut row %d is %q, want %q", i, got, want[i])
		}
	}
}

func TestInt256(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		x := Int256{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64()}
		for i := rng.IntN(4); i < 3; i++ { // shorter numbers too
			x[i+1] = uint64(int64(x[i]) >> 63)
		}
		b := x.Big()
		if back, ok := Int256FromBig(b); !ok || back != x {
			t.Fatalf("%v becomes %v", x, back)
		}
		if got := string(AppendDecimal(nil, x, 80, 0)); got != b.String() {
			t.Fatalf("text %s, want %s", got, b)
		}
		limit := pow10[rng.IntN(77)]
		if x.below(limit) != (new(big.Int).Abs(b).Cmp(limit.Big()) < 0) {
			t.Fatalf("%v below %v", b, limit.Big())
		}
		if got := anyBeyond([]Int256{x}, limit); got == x.below(limit) {
			t.Fatalf("%v beyond %v: %t", b, limit.Big(), got)
		}
		short := Int128{Lo: x[0], Hi: int64(x[1])}
		if got := anyBeyond([]Int128{short}, limit); got == int256Of128(short).below(limit) {
			t.Fatalf("%v beyond %v: %t", short, limit.Big(), got)
		}
		if got := anyBeyond([]int64{int64(x[0])}, limit); got == int256Of(int64(x[0])).below(limit) {
			t.Fatalf("%d beyond %v: %t", int64(x[0]), limit.Big(), got)
		}
		if got := anyBeyond([]int32{int32(x[0])}, limit); got == int256Of(int64(int32(x[0]))).below(limit) {
			t.Fatalf("%d beyond %v: %t", int32(x[0]), limit.Big(), got)
		}
		digits := rng.IntN(40)
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
		quotient, rest := new(big.Int).QuoRem(b, power, new(big.Int))
		if got, exact := x.scaledDown(digits); got.Big().Cmp(quotient) != 0 || exact != (rest.Sign() == 0) {
			t.Fatalf("%v / 10^%d = %v", b, digits, got.Big())
		}
		if x.below(pow10[30]) {
			if got := x.scaledUp(digits).Big(); got.Cmp(new(big.Int).Mul(b, power)) != 0 {
				t.Fatalf("%v * 10^%d = %v", b, digits, got)
			}
		}
	}
	if _, ok := Int256FromBig(new(big.Int).Lsh(big.NewInt(1), 255)); ok {
		t.Error("2^255 is an Int256")
	}
	if least, ok := Int256FromBig(new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 255))); !ok || least != (Int256{3: 1 << 63}) {
		t.Error("-2^255 is no Int256")
	}
}

func TestHalf(t *testing.T) {
	for h := range 1 << 16 {
		f := HalfToFloat(uint16(h))
		back := HalfFromFloat(float64(f))
		if f != f {
			if HalfToFloat(back) == HalfToFloat(back) {
				t.Fatalf("NaN %x becomes %x", h, back)
			}
		} else if back != uint16(h) {
			t.Fatalf("%x is %v becomes %x", h, f, back)
		}
		// Halfway to the next number rounds to the even one.
		if next := HalfToFloat(uint16(h) + 1); h&0x7fff < 0x7bff && HalfFromFloat(float64((f+next)/2)) != uint16(h+h&1) {
			t.Fatalf("between %x and the next rounds to %x", h, HalfFromFloat(float64((f+next)/2)))
		}
	}
}

func TestCivilOfDays(t *testing.T) {
	year, month, day := int64(-4001), 1, 1
	leap := func(y int64) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }
	// 1970-01-01 is day 0; -4001-01-01 is this many days before.
	start := int64(0)
	for y := int64(-4001); y < 1970; y++ {
		start -= 365
		if leap(y) {
			start--
		}
	}
	length := []int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	for days := start; days < start+3_000_000; days++ {
		if y, m, d := CivilOfDays(days); y != year || m != month || d != day {
			t.Fatalf("day %d is %d-%d-%d, want %d-%d-%d", days, y, m, d, year, month, day)
		}
		last := length[month-1]
		if month == 2 && leap(year) {
			last++
		}
		if day++; day > last {
			day = 1
			if month++; month > 12 {
				month, year = 1, year+1
			}
		}
	}
}

func TestParseMembers(t *testing.T) {
	for _, members := range [][]string{{}, {""}, {"a"}, {"it's", "b, 'c'", "''", ")"}} {
		typ := EnumOf(members)
		text := typ.String()
		got, ok := parseMembers(text[len("ENUM"):])
		if !ok || !slices.Equal(got, members) {
			t.Errorf("%s reads back as %q, %t", text, got, ok)
		}
		for i := range text { // every proper prefix is refused
			if len("ENUM") <= i {
				if got, ok := parseMembers(text[len("ENUM"):i]); ok && i < len(text) && len(got) == len(members) {
					t.Errorf("%q is read as %q", text[:i], got)
				}
			}
		}
	}
}

func TestFlattenOfNothing(t *testing.T) {
	for _, typ := range []Type{Integer, Null, Varchar, ListOf(Integer), StructOf(Field{Name: "a", Type: Integer}), ArrayOfField(Field{Name: "item", Type: Integer, Nullable: true}, 3), UnionOf(Field{Name: "a", Type: Integer}), UnionOf(), EnumOf([]string{"a"}), TimestampOffset} {
		for _, n := range []int{0, 3, 70} {
			v := Flatten(nil, NewNull(typ, n))
			if v.Len() != n || v.Encoding() != Plain || NullCount(nil, v) != n {
				t.Errorf("%s: %d rows, %d nulls, want %d", typ, v.Len(), NullCount(nil, v), n)
			}
			for i := range n {
				if Value(v, i) != nil || Text(v, i) != "NULL" {
					t.Errorf("%s: row %d is %v", typ, i, Value(v, i))
				}
			}
		}
	}
}

func TestViews(t *testing.T) {
	texts := []string{"", "a", "a\x00", "a\x00b", "ab", "abcd", "abcde", "exactly12byt", "exactly12byz", "exactly12bytes", "exactly12bytes and more", "\xff", "abc\xff and a long tail"}
	var body []byte
	views := make([]View, len(texts))
	for i, s := range texts {
		views[i] = MakeView([]byte(s), 0, len(body))
		body = append(body, s...)
	}
	buffers := []Buffer{{Bytes: body}}
	at := 0
	for i, s := range texts {
		if got := string(views[i].Bytes(buffers)); got != s || views[i].Len() != len(s) || views[i].IsInline() != (len(s) <= 12) {
			t.Errorf("view of %q gives %q", s, got)
		}
		if viewOf(body, at, at+len(s), 0, at) != views[i] {
			t.Errorf("viewOf %q differs from MakeView", s)
		}
		at += len(s)
		for j, other := range texts {
			if got, want := EqualViews(&views[i], &views[j], buffers, buffers), s == other; got != want {
				t.Errorf("%q = %q is %t", s, other, got)
			}
			if got, want := CompareViews(&views[i], &views[j], buffers, buffers), bytes.Compare([]byte(s), []byte(other)); (got < 0) != (want < 0) || (got > 0) != (want > 0) {
				t.Errorf("compare %q, %q is %d, want %d", s, other, got, want)
			}
		}
	}
}

// TestHalfRoundsOnce has a value just above the middle of two halves: by way of a float it would fall on the middle and be rounded down.
func TestHalfRoundsOnce(t *testing.T) {
	v, err := NewValue(Half, 1+0x1p-11+0x1p-30)
	if err != nil {
		t.Fatal(err)
	}
	if h := ValuesOf[uint16](v)[0]; h != 0x3c01 {
		t.Errorf("got %#x, want 0x3c01", h)
	}
}

package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/types"
)

// layout is one way of holding given rows.
type layout struct {
	name   string
	vector *types.Vector
}

// mustValues makes a plain vector from Go values.
func mustValues(t testing.TB, typ types.Type, values []any) *types.Vector {
	t.Helper()
	v, err := types.FromValues(nil, typ, values)
	if err != nil {
		t.Fatalf("%s from %v: %v", typ, values, err)
	}
	return v
}

// layouts gives the same rows in every encoding, sliced, and with garbage wherever a null hides it.
func layouts(t testing.TB, typ types.Type, values []any) []layout {
	t.Helper()
	n := len(values)
	plain := mustValues(t, typ, values)
	out := []layout{{"plain", plain}}
	if plain.Validity() == nil && typ.Kind() != types.KindNull {
		valid := make(types.Bitmap, types.BitmapWords(n))
		types.FillBitmap(valid, n)
		out = append(out, layout{"full bitmap", plain.WithValidity(valid)})
	}
	out = append(out, layout{"garbage", withGarbage(plain)})

	padded := append(append(append([]any{}, values...), values...), values...)
	wide := mustValues(t, typ, append(padded, padded...))
	out = append(out, layout{"sliced", wide.Slice(nil, n, 2*n)})

	// A dictionary in another order, with an entry more than is used, and with nulls in both places where they can be.
	entries := append(append([]any{}, values...), nil)
	for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
		entries[i], entries[j] = entries[j], entries[i]
	}
	keys := make([]uint32, n)
	keyValid := make(types.Bitmap, types.BitmapWords(n))
	for i, x := range values {
		keys[i] = uint32(n - 1 - i)
		switch {
		case x != nil:
			keyValid.Set(i)
		case i%2 == 0:
			keyValid.Set(i) // null by its entry
		default:
			keys[i] = 0 // null by its key
		}
	}
	out = append(out, layout{"dictionary", types.NewDictionary(keys, mustValues(t, typ, entries), keyValid)})
	if n > 1 {
		// More rows than entries, so that kernels work by entry.
		double := mustValues(t, typ, values)
		twice := make([]uint32, 2*n)
		for i := range twice {
			twice[i] = uint32(i % n)
		}
		out = append(out, layout{"small dictionary", types.NewDictionary(twice, double, nil).Slice(nil, n, 2*n)})
	}
	ends := make([]int32, n)
	for i := range ends {
		ends[i] = int32(i + 1)
	}
	out = append(out, layout{"runs of one", types.NewRunEnd(ends, plain)})
	out = append(out, layout{"runs", runsOf(t, typ, values)})
	if n > 0 && allSame(values) {
		out = append(out, layout{"constant", types.NewConstant(plain, n)})
	}
	return out
}

func allSame(values []any) bool {
	for _, x := range values {
		if fmt.Sprint(x) != fmt.Sprint(values[0]) {
			return false
		}
	}
	return true
}

// runsOf makes a run-end vector of maximal runs, cut out of a longer one.
func runsOf(t testing.TB, typ types.Type, values []any) *types.Vector {
	rows := []any{nil, nil, nil}
	rows = append(rows, values...)
	rows = append(rows, nil)
	var ends []int32
	var runs []any
	for i, x := range rows {
		if i == 0 || i == 3 || i == 3+len(values) || fmt.Sprint(x) != fmt.Sprint(rows[i-1]) {
			runs = append(runs, x)
			ends = append(ends, int32(i+1))
		} else {
			ends[len(ends)-1] = int32(i + 1)
		}
	}
	return types.NewRunEnd(ends, mustValues(t, typ, runs)).Slice(nil, 3, 3+len(values))
}

// withGarbage fills fixed-width values under nulls with bits that fault where they are used: wild views, smallest integers.
func withGarbage(v *types.Vector) *types.Vector {
	valid := v.Validity()
	s := v.Type().Storage()
	if valid == nil || s.Width() == 0 || s == types.StorageList || v.Type().Kind() == types.KindEnum {
		return v
	}
	data := append(make([]byte, 0, len(v.Data().Bytes)+8), v.Data().Bytes...)
	width := s.Width()
	for i := range v.Len() {
		if valid.Get(i) {
			continue
		}
		slot := data[i*width : (i+1)*width]
		for j := range slot {
			slot[j] = 0xff
			if i%2 == 0 && s != types.StorageView {
				slot[j] = 0
			}
		}
		if i%2 == 0 && s != types.StorageView {
			slot[width-1] = 0x80
		}
	}
	switch width {
	case 1:
		return withRows(v, types.Values[uint8](data), valid)
	case 2:
		return withRows(v, types.Values[uint16](data), valid)
	case 4:
		return withRows(v, types.Values[uint32](data), valid)
	case 8:
		return withRows(v, types.Values[uint64](data), valid)
	case 16:
		return withRows(v, types.Values[types.Int128](data), valid)
	}
	return withRows(v, types.Values[types.Int256](data), valid)
}

// rowsOf reads a vector row by row.
func rowsOf(v *types.Vector) []any {
	out := make([]any, v.Len())
	for i := range out {
		out[i] = types.Value(v, i)
	}
	return out
}

// sameText compares values by how they print, NaN equal to itself.
func sameText(a, b any) bool { return fmt.Sprintf("%T %v", a, a) == fmt.Sprintf("%T %v", b, b) }

// checkRows fails unless the vector holds exactly the wanted rows and its bitmaps keep their contract.
func checkRows(t testing.TB, what string, got *types.Vector, want []any) {
	t.Helper()
	if got.Len() != len(want) {
		t.Fatalf("%s: %d rows, want %d", what, got.Len(), len(want))
	}
	checkBitmaps(t, what, got)
	for i, w := range want {
		if g := types.Value(got, i); !sameText(g, w) {
			t.Fatalf("%s: row %d is %v, want %v\n got %v\nwant %v", what, i, g, w, rowsOf(got), want)
		}
	}
}

// checkBitmaps fails when a plain vector's bitmap has the wrong length or bits past its last row.
func checkBitmaps(t testing.TB, what string, v *types.Vector) {
	t.Helper()
	if v.Encoding() == types.Plain {
		bitmaps := []types.Bitmap{v.Validity()}
		if v.Type().Kind() == types.KindBoolean {
			bitmaps = append(bitmaps, v.Bools())
		}
		for _, b := range bitmaps {
			if b == nil {
				continue
			}
			if len(b) != types.BitmapWords(v.Len()) {
				t.Fatalf("%s: bitmap of %d words for %d rows", what, len(b), v.Len())
			}
			if len(b) > 0 && b[len(b)-1]&^types.LastWordMask(v.Len()) != 0 {
				t.Fatalf("%s: bits past the last of %d rows", what, v.Len())
			}
		}
	}
	for _, c := range v.Children() {
		checkBitmaps(t, what+" child", c)
	}
}

func day(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

// sample is a type with values to draw rows from.
type sample struct {
	typ    types.Type
	values []any
}

// samples gives every storage class and the types whose order or equality is their own.
func samples() []sample {
	long := "a string of more than twelve bytes"
	point := types.StructOf(types.Field{Name: "x", Type: types.Integer, Nullable: true}, types.Field{Name: "s", Type: types.Varchar, Nullable: true})
	variants := []types.Field{{Name: "i", Type: types.Integer, Nullable: true}, {Name: "s", Type: types.Varchar, Nullable: true}}
	union, tagged := types.UnionOf(variants...), types.UnionOfCodes(variants, []int8{9, 5}, true)
	return []sample{
		{types.Boolean, []any{true, false}},
		{types.TinyInt, []any{int8(-128), int8(-1), int8(0), int8(5), int8(127)}},
		{types.SmallInt, []any{int16(-32768), int16(3), int16(32767)}},
		{types.Integer, []any{int32(math.MinInt32), int32(-7), int32(0), int32(12), int32(math.MaxInt32)}},
		{types.BigInt, []any{int64(math.MinInt64), int64(-7), int64(0), int64(12), int64(math.MaxInt64)}},
		{types.UTinyInt, []any{uint8(0), uint8(255), uint8(9)}},
		{types.USmallInt, []any{uint16(0), uint16(65535)}},
		{types.UInteger, []any{uint32(0), uint32(math.MaxUint32), uint32(4)}},
		{types.UBigInt, []any{uint64(0), uint64(math.MaxUint64), uint64(3)}},
		{types.Half, []any{float32(0), float32(1.5), float32(-2), float32(math.Inf(1)), float32(math.NaN())}},
		{types.Float, []any{float32(0), float32(math.Copysign(0, -1)), float32(1.5), float32(-2), float32(math.Inf(-1)), float32(math.NaN())}},
		{types.Double, []any{0.0, math.Copysign(0, -1), 1.5, -2.0, math.Inf(1), math.Inf(-1), math.NaN()}},
		{types.HugeInt, []any{int64(-1), int64(0), uint64(math.MaxUint64)}},
		{types.Decimal(9, 2), []any{"1.25", "-3.00", "0.01"}},
		{types.Decimal(30, 3), []any{"1.250", "-123456789012345678901234.5", "0.001"}},
		{types.Decimal(60, 4), []any{"1.2500", "-12345678901234567890123456789012345678901234567890.5", "7"}},
		{types.Varchar, []any{"", "a", "ab", "twelve bytes", long, long + "!", "b"}},
		{types.Blob, []any{[]byte{}, []byte{0}, []byte{0, 1}, []byte(long)}},
		{types.Date, []any{day(1969, 12, 31), day(2020, 2, 29), day(1, 1, 1)}},
		{types.Timestamp, []any{day(2020, 1, 1).Add(10 * time.Hour), day(1970, 1, 1).Add(-time.Microsecond)}},
		{types.Time, []any{time.Duration(0), 10*time.Hour + time.Microsecond}},
		{types.TimestampOffset, []any{day(2020, 1, 1), day(2020, 1, 1).In(time.FixedZone("", 3600)), day(2021, 1, 1)}},
		{types.Interval, []any{types.MonthDayNano{Months: 1}, types.MonthDayNano{Days: 30}, types.MonthDayNano{Days: 29, Nanos: 1}, types.MonthDayNano{}}},
		{types.UUID, []any{"00000000-0000-0000-0000-000000000001", "ffffffff-0000-0000-0000-000000000001"}},
		{types.EnumOf([]string{"sad", "ok", "happy"}), []any{"sad", "ok", "happy"}},
		{types.ListOf(types.Integer), []any{[]any{}, []any{int32(1)}, []any{int32(1), nil}, []any{int32(1), int32(2)}, []any{nil}}},
		{types.ArrayOfField(types.Field{Name: "item", Type: types.Varchar, Nullable: true}, 2), []any{[]any{"a", long}, []any{"a", nil}, []any{"", "b"}}},
		{point, []any{
			[]types.FieldValue{{Name: "x", Value: int32(1)}, {Name: "s", Value: long}},
			[]types.FieldValue{{Name: "x", Value: nil}, {Name: "s", Value: "q"}},
			[]types.FieldValue{{Name: "x", Value: int32(1)}, {Name: "s", Value: nil}},
		}},
		{types.MapOf(types.Varchar, types.Integer), []any{
			[]types.MapEntry{}, []types.MapEntry{{Key: "a", Value: int32(1)}}, []types.MapEntry{{Key: "a", Value: nil}, {Key: long, Value: int32(2)}},
		}},
		{union, []any{types.UnionValue{Tag: "i", Value: int32(7)}, types.UnionValue{Tag: "s", Value: long}, types.UnionValue{Tag: "i"}, types.UnionValue{Tag: "s", Value: ""}}},
		{tagged, []any{types.UnionValue{Tag: "i", Value: int32(7)}, types.UnionValue{Tag: "s", Value: long}, types.UnionValue{Tag: "i"}, types.UnionValue{Tag: "s"}}},
		{types.ListOf(point), []any{[]any{}, []any{[]types.FieldValue{{Name: "x", Value: int32(3)}, {Name: "s", Value: "z"}}, nil}}},
		{types.Null, []any{nil}},
	}
}

// draw gives n rows of a sample: nulls, single values and runs.
func (s sample) draw(r *rand.Rand, n int) []any {
	out := make([]any, 0, n)
	nulls := r.IntN(3) // none, some, many
	for len(out) < n {
		var x any
		if nulls == 0 || r.IntN(4) >= nulls {
			x = s.values[r.IntN(len(s.values))]
		}
		run := 1
		if r.IntN(4) == 0 {
			run += r.IntN(5)
		}
		for range min(run, n-len(out)) {
			out = append(out, x)
		}
	}
	return out
}

// normal reads values as the vector gives them back, so that references compare like with like.
func normal(t testing.TB, typ types.Type, values []any) []any {
	return rowsOf(mustValues(t, typ, values))
}

// sizes are row counts around the words of bitmaps.
var sizes = []int{0, 1, 2, 7, 63, 64, 65, 130, 200}

// eachLayout runs a test on random rows of every sample in every layout.
func eachLayout(t *testing.T, test func(t *testing.T, s sample, rows []any, l layout, r *rand.Rand)) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range samples() {
		t.Run(s.typ.Kind().String()+"/"+s.typ.String(), func(t *testing.T) {
			for _, n := range sizes {
				rows := s.draw(r, n)
				if n == 7 { // constants need equal rows
					for i := range rows {
						rows[i] = rows[0]
					}
				}
				for _, l := range layouts(t, s.typ, rows) {
					t.Run(fmt.Sprintf("%d/%s", n, l.name), func(t *testing.T) {
						test(t, s, normal(t, s.typ, rows), l, r)
					})
				}
			}
		})
	}
}

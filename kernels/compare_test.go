package kernels

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/types"
)

// referenceOrder compares two values of a flat type that are not null, or nested ones in the order of sorting.
func referenceOrder(typ types.Type, a, b any) int {
	switch x := a.(type) {
	case bool:
		return cmp.Compare(boolNumber(x), boolNumber(b.(bool)))
	case int8:
		return cmp.Compare(x, b.(int8))
	case int16:
		return cmp.Compare(x, b.(int16))
	case int32:
		return cmp.Compare(x, b.(int32))
	case int64:
		return cmp.Compare(x, b.(int64))
	case uint8:
		return cmp.Compare(x, b.(uint8))
	case uint16:
		return cmp.Compare(x, b.(uint16))
	case uint32:
		return cmp.Compare(x, b.(uint32))
	case uint64:
		return cmp.Compare(x, b.(uint64))
	case float32:
		return floatOrder(float64(x), float64(b.(float32)))
	case float64:
		return floatOrder(x, b.(float64))
	case *big.Int:
		return x.Cmp(b.(*big.Int))
	case types.DecimalValue:
		return x.Unscaled.Cmp(b.(types.DecimalValue).Unscaled)
	case string:
		if typ.Kind() == types.KindEnum {
			return cmp.Compare(slices.Index(typ.Members(), x), slices.Index(typ.Members(), b.(string)))
		}
		return cmp.Compare(x, b.(string))
	case []byte:
		return bytes.Compare(x, b.([]byte))
	case time.Time:
		return x.Compare(b.(time.Time))
	case time.Duration:
		return cmp.Compare(x, b.(time.Duration))
	case types.UUIDValue:
		y := b.(types.UUIDValue)
		return bytes.Compare(x[:], y[:])
	case types.MonthDayNano:
		return intervalNumber(x).Cmp(intervalNumber(b.(types.MonthDayNano)))
	case []any:
		return sequenceOrder(x, b.([]any), func(int) types.Type { return typ.Elem().Type })
	case []types.FieldValue:
		return sequenceOrder(fieldValues(x), fieldValues(b.([]types.FieldValue)), func(i int) types.Type { return typ.Fields()[i].Type })
	case []types.MapEntry:
		return sequenceOrder(entryValues(x), entryValues(b.([]types.MapEntry)), func(i int) types.Type { return typ.Fields()[i%2].Type })
	case types.UnionValue:
		y := b.(types.UnionValue)
		p, q := variantNumber(typ, x.Tag), variantNumber(typ, y.Tag)
		if p != q {
			return cmp.Compare(p, q)
		}
		return totalOrder(typ.Fields()[p].Type, x.Value, y.Value)
	}
	panic(fmt.Sprintf("no order for %T", a))
}

// totalOrder puts nulls last.
func totalOrder(typ types.Type, a, b any) int {
	if a == nil || b == nil {
		return cmp.Compare(boolNumber(a == nil), boolNumber(b == nil))
	}
	return referenceOrder(typ, a, b)
}

func sequenceOrder(a, b []any, typ func(int) types.Type) int {
	for i := range min(len(a), len(b)) {
		if c := totalOrder(typ(i), a[i], b[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

func fieldValues(fields []types.FieldValue) (out []any) {
	for _, f := range fields {
		out = append(out, f.Value)
	}
	return out
}

func entryValues(entries []types.MapEntry) (out []any) {
	for _, e := range entries {
		out = append(out, e.Key, e.Value)
	}
	return out
}

func variantNumber(typ types.Type, tag string) int {
	return slices.IndexFunc(typ.Fields(), func(f types.Field) bool { return f.Name == tag })
}

func boolNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}

func floatOrder(x, y float64) int {
	if math.IsNaN(x) || math.IsNaN(y) {
		return cmp.Compare(boolNumber(math.IsNaN(x)), boolNumber(math.IsNaN(y)))
	}
	return cmp.Compare(x, y)
}

func intervalNumber(x types.MonthDayNano) *big.Int {
	days := new(big.Int).SetInt64(int64(x.Months)*30 + int64(x.Days))
	return days.Add(days.Mul(days, big.NewInt(86400e9)), big.NewInt(x.Nanos))
}

var allOps = []CompareOp{Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual}

// hasInnerNull reports a null below the value itself, which can leave a comparison open.
func hasInnerNull(x any) bool {
	switch x := x.(type) {
	case []any:
		return slices.ContainsFunc(x, func(e any) bool { return e == nil || hasInnerNull(e) })
	case []types.FieldValue:
		return hasInnerNull(fieldValues(x))
	case []types.MapEntry:
		return hasInnerNull(entryValues(x))
	case types.UnionValue:
		return x.Value == nil
	}
	return false
}

func TestCompareAndDistinct(t *testing.T) {
	eachLayout(t, func(t *testing.T, s sample, rows []any, l layout, r *rand.Rand) {
		n := len(rows)
		other := normal(t, s.typ, s.draw(r, n))
		if n == 7 {
			for i := range other {
				other[i] = other[0]
			}
		}
		for _, o := range layouts(t, s.typ, other) {
			if l.name == "garbage" && o.name == "sliced" && n > 64 {
				continue // enough
			}
			for _, op := range allOps {
				got, err := Compare(nil, op, l.vector, o.vector)
				if err != nil {
					t.Fatal(err)
				}
				if e := got.Encoding(); e == types.Dictionary || e == types.RunEnd && longRuns*len(got.RunEnds()) > n {
					t.Fatalf("result is %s", e)
				}
				checkBitmaps(t, "compare", got)
				for i := range n {
					g := types.Value(got, i)
					switch {
					case rows[i] == nil || other[i] == nil:
						if g != nil {
							t.Fatalf("row %d: %v %s %v is %v", i, rows[i], op, other[i], g)
						}
					case hasInnerNull(rows[i]) || hasInnerNull(other[i]): // cases in testdata/compare.test
					case g != holds(op, referenceOrder(s.typ, rows[i], other[i])):
						t.Fatalf("row %d (%s): %v %s %v is %v", i, o.name, rows[i], op, other[i], g)
					}
				}
			}
			want, not := make([]any, n), make([]any, n)
			for i := range want {
				differ := totalOrder(s.typ, rows[i], other[i]) != 0
				want[i], not[i] = differ, !differ
			}
			got, err := IsDistinct(nil, l.vector, o.vector)
			if err != nil {
				t.Fatal(err)
			}
			checkRows(t, "distinct "+o.name, got, want)
			if got, err = IsNotDistinct(nil, l.vector, o.vector); err != nil {
				t.Fatal(err)
			}
			checkRows(t, "not distinct "+o.name, got, not)
		}
	})
}

// TestHash checks that all layouts hash alike, that rows which are not distinct do, and that distinct ones hardly ever do.
func TestHash(t *testing.T) {
	eachLayout(t, func(t *testing.T, s sample, rows []any, l layout, _ *rand.Rand) {
		n := len(rows)
		got, want := make([]uint64, n), make([]uint64, n)
		Hash(nil, l.vector, got)
		Hash(nil, mustValues(t, s.typ, rows), want)
		if !slices.Equal(got, want) {
			t.Fatalf("hashes of %v\n got %x\nwant %x", rows, got, want)
		}
		for i := range n {
			for j := range i {
				if same := totalOrder(s.typ, rows[i], rows[j]) == 0; same != (got[i] == got[j]) {
					t.Fatalf("%v and %v: same %v, hashes %x and %x", rows[i], rows[j], same, got[i], got[j])
				}
			}
		}
		combined := slices.Clone(got)
		HashCombine(nil, l.vector, combined)
		HashCombine(nil, l.vector, want)
		if !slices.Equal(combined, want) {
			t.Fatal("combined hashes differ")
		}
	})
}

func TestSort(t *testing.T) {
	eachLayout(t, func(t *testing.T, s sample, rows []any, l layout, r *rand.Rand) {
		n := len(rows)
		second := make([]any, n)
		for i := range second {
			second[i] = int32(r.IntN(3))
		}
		secondKey := SortKey{Vector: mustValues(t, types.Integer, second), Descending: true}
		for _, descending := range []bool{false, true} {
			for _, nullsFirst := range []bool{false, true} {
				key := SortKey{Vector: l.vector, Descending: descending, NullsFirst: nullsFirst}
				order := func(i, j int) int {
					a, b := rows[i], rows[j]
					switch {
					case (a == nil) != (b == nil):
						if (a == nil) == nullsFirst {
							return -1
						}
						return 1
					case a == nil:
						return 0
					case descending:
						return -referenceOrder(s.typ, a, b)
					}
					return referenceOrder(s.typ, a, b)
				}
				for _, keys := range [][]SortKey{{key}, {key, secondKey}, {secondKey, key}} {
					want := make([]uint32, n)
					for i := range want {
						want[i] = uint32(i)
					}
					compare := func(i, j int) int {
						c := order(i, j)
						byNumber := cmp.Compare(second[j].(int32), second[i].(int32))
						switch {
						case len(keys) == 1:
							return c
						case keys[0].Vector == l.vector:
							return cmp.Or(c, byNumber)
						}
						return cmp.Or(byNumber, c)
					}
					slices.SortStableFunc(want, func(i, j uint32) int { return compare(int(i), int(j)) })
					if got := SortIndices(nil, keys, n); !slices.Equal(got, want) {
						t.Fatalf("order of %v\n got %v\nwant %v", rows, got, want)
					}
					encoded := EncodeSortKeys(nil, keys, n)
					for range min(n, 20) {
						i, j := r.IntN(n), r.IntN(n)
						if c := encoded.Compare(i, &encoded, j); c != compare(i, j) {
							t.Fatalf("%v and %v compare as %d", rows[i], rows[j], c)
						}
						if c := CompareRows(keys, i, keys, j); sameSign(c) != sameSign(compare(i, j)) {
							t.Fatalf("rows %v and %v compare as %d", rows[i], rows[j], c)
						}
					}
				}
			}
		}
	})
}

func sameSign(c int) int { return cmp.Compare(c, 0) }

// TestSortManyRows reaches the radix sort and the comparison sort with many rows.
func TestSortManyRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n = 5000
	numbers, texts := make([]any, n), make([]any, n)
	for i := range numbers {
		if r.IntN(20) > 0 {
			numbers[i] = int64(r.IntN(1000) - 500)
		}
		texts[i] = fmt.Sprintf("key with a long prefix %d", r.IntN(300))
	}
	a, b := mustValues(t, types.BigInt, numbers), mustValues(t, types.Varchar, texts)
	small := make([]any, n)
	for i := range small {
		small[i] = int16(r.IntN(7) - 3)
	}
	c := mustValues(t, types.SmallInt, small)
	for _, keys := range [][]SortKey{{{Vector: a}}, {{Vector: c}}, {{Vector: c, Descending: true}, {Vector: a}}, {{Vector: b}, {Vector: b}}, {{Vector: a, Descending: true, NullsFirst: true}}, {{Vector: b}, {Vector: a}}, {{Vector: a}, {Vector: b, Descending: true}}} {
		want := make([]uint32, n)
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortStableFunc(want, func(i, j uint32) int { return CompareRows(keys, int(i), keys, int(j)) })
		if got := SortIndices(nil, keys, n); !slices.Equal(got, want) {
			t.Errorf("%d keys: wrong order", len(keys))
		}
	}
	// Runs of two batches merge by their encoded keys.
	first, second := EncodeSortKeys(nil, []SortKey{{Vector: b}}, n), EncodeSortKeys(nil, []SortKey{{Vector: b.Slice(nil, n/2, n)}}, n-n/2)
	for i := range 100 {
		x, y := types.Value(b, i), types.Value(b, n/2+i)
		if first.Less(i, &second, i) != (x.(string) < y.(string)) {
			t.Fatalf("%v and %v in different batches", x, y)
		}
	}
}

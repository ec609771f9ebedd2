package arrays

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// This file is the slow reference of the verbs: Go values row by row.

// values gives the rows of a column as types.Value does; of unions a null in a variant is the row's null unless the column is of types.NullableUnionOf.
func values(t testing.TB, c Column) (types.Type, []any) {
	t.Helper()
	a, err := load(c, types.UnionAuto)
	if err != nil {
		t.Fatalf("%s: %v", c.Field, err)
	}
	rows := make([]any, a.Len())
	for i := range rows {
		rows[i] = types.Value(a.vector, i)
	}
	return a.vector.Type(), rows
}

// open is the outcome of a comparison that a null leaves undecided. The others are negative, zero and positive.
const open = 99

// order compares values in the order of sorting, where null is like null and above everything.
func order(typ types.Type, a, b any) int {
	if a == nil || b == nil {
		nulls := map[bool]int{true: 1}
		return nulls[a == nil] - nulls[b == nil]
	}
	return inside(typ, a, b, order, false)
}

// ordering compares values as SQL's < does, which the first pair with a null leaves open.
func ordering(typ types.Type, a, b any) int {
	if a == nil || b == nil {
		return open
	}
	return inside(typ, a, b, ordering, false)
}

// equality gives 0 for values that are equal in SQL; a difference anywhere decides, else a null leaves it open.
func equality(typ types.Type, a, b any) int {
	if a == nil || b == nil {
		return open
	}
	return inside(typ, a, b, equality, true)
}

// inside compares values that are not null with a comparison of what is below them. Where lengths decide, lists of other lengths differ whatever they hold.
func inside(typ types.Type, a, b any, compare func(types.Type, any, any) int, whole bool) int {
	if x, ok := a.(types.UnionValue); ok {
		variant := func(tag string) int {
			return slices.IndexFunc(typ.Fields(), func(f types.Field) bool { return f.Name == tag })
		}
		y, k := b.(types.UnionValue), variant(x.Tag)
		if x.Tag != y.Tag {
			return cmp.Compare(k, variant(y.Tag))
		}
		return compare(typ.Fields()[k].Type, x.Value, y.Value)
	}
	x, nested := parts(a)
	if !nested {
		return orderFlat(a, b)
	}
	y, _ := parts(b)
	if whole && len(x) != len(y) {
		return cmp.Compare(len(x), len(y))
	}
	undecided := false
	for i := range min(len(x), len(y)) {
		fields := typ.Fields()
		c := compare(fields[i%len(fields)].Type, x[i], y[i]) // of structs the field, of maps key or value, of lists the element
		if c == open && whole {
			undecided = true
		} else if c != 0 {
			return c
		}
	}
	if undecided {
		return open
	}
	return cmp.Compare(len(x), len(y))
}

// parts gives the values below a list, struct or map.
func parts(a any) (out []any, ok bool) {
	switch x := a.(type) {
	case []any:
		return x, true
	case []types.FieldValue:
		for _, f := range x {
			out = append(out, f.Value)
		}
		return out, true
	case []types.MapEntry:
		for _, e := range x {
			out = append(out, e.Key, e.Value)
		}
		return out, true
	}
	return nil, false
}

func orderFlat(a, b any) int {
	switch x := a.(type) {
	case bool:
		truth := map[bool]int{true: 1}
		return truth[x] - truth[b.(bool)]
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
		return orderFloats(float64(x), float64(b.(float32)))
	case float64:
		return orderFloats(x, b.(float64))
	case *big.Int:
		return x.Cmp(b.(*big.Int))
	case types.DecimalValue:
		return x.Unscaled.Cmp(b.(types.DecimalValue).Unscaled)
	case string:
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
		length := func(x types.MonthDayNano) *big.Int {
			n := big.NewInt(int64(x.Months)*30 + int64(x.Days))
			return n.Mul(n, big.NewInt(86400e9)).Add(n, big.NewInt(x.Nanos))
		}
		return length(x).Cmp(length(b.(types.MonthDayNano)))
	}
	panic(fmt.Sprintf("no order for %T", a))
}

// referenceFloats is how the reference compares floats.
var referenceFloats kernels.FloatMode

// incomparable is the outcome of a comparison with NaN as IEEE 754 has it: a difference that is neither below nor above.
const incomparable = 98

func orderFloats(x, y float64) int {
	switch {
	case referenceFloats == kernels.FloatsTotalOrder:
		a, b := math.Float64bits(x), math.Float64bits(y)
		if negative := a>>63 == 1; negative != (b>>63 == 1) {
			return map[bool]int{true: -1, false: 1}[negative]
		} else if negative {
			a, b = b, a
		}
		return cmp.Compare(a, b)
	case referenceFloats == kernels.FloatsIEEE && (x != x || y != y):
		return incomparable
	}
	nan := map[bool]int{true: 1}
	if x != x || y != y {
		return nan[x != x] - nan[y != y]
	}
	switch { // not cmp.Compare, which has NaN first
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// text makes rows comparable: floats by what they print, so that -0 and 0 differ.
func text(rows []any) []string {
	out := make([]string, len(rows))
	for i, x := range rows {
		out[i] = fmt.Sprint(x)
	}
	return out
}

// pick gives rows by number, -1 for a null.
func pick(rows []any, which []int) []any {
	out := make([]any, len(which))
	for i, k := range which {
		if k >= 0 {
			out[i] = rows[k]
		}
	}
	return out
}

// declaredNullable gives N of a column (null-semantics 2.3).
func declaredNullable(f arrow.Field) bool {
	d, err := types.ImportField(f)
	return err != nil || d.Nullable
}

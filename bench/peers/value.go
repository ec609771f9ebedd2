package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// floatTolerance is the relative difference up to which two floats count as equal: engines add in different orders.
const floatTolerance = 1e-9

// Decimal is an exact number, Unscaled / 10^Scale.
type Decimal struct {
	Unscaled *big.Int
	Scale    int
}

func integer(n int64) Decimal { return Decimal{Unscaled: big.NewInt(n)} }

// parseDecimal parses a numeral without exponent.
func parseDecimal(text string) (Decimal, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	unscaled, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return Decimal{}, fmt.Errorf("%q is not a decimal number", text)
	}
	return Decimal{Unscaled: unscaled, Scale: len(fraction)}, nil
}

func (d Decimal) rat() *big.Rat {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(d.Scale, -d.Scale))), nil)
	r := new(big.Rat).SetInt(d.Unscaled)
	if d.Scale < 0 {
		return r.Mul(r, new(big.Rat).SetInt(power))
	}
	return r.Quo(r, new(big.Rat).SetInt(power))
}

// String returns the number with all digits of its scale.
func (d Decimal) String() string { return d.rat().FloatString(max(d.Scale, 0)) }

// equalValues tells whether two values are the same: decimals exactly, whatever their scale; floats, and a float and a decimal,
// within floatTolerance.
func equalValues(a, b any) bool {
	x, xIsDecimal := a.(Decimal)
	y, yIsDecimal := b.(Decimal)
	if xIsDecimal && yIsDecimal {
		return x.rat().Cmp(y.rat()) == 0
	}
	f, fIsNumber := asFloat(a)
	g, gIsNumber := asFloat(b)
	if fIsNumber && gIsNumber {
		return equalFloats(f, g)
	}
	return a == b
}

func asFloat(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case Decimal:
		f, _ := v.rat().Float64()
		return f, true
	}
	return 0, false
}

func equalFloats(f, g float64) bool {
	if f == g || math.IsNaN(f) && math.IsNaN(g) {
		return true
	}
	return math.Abs(f-g) <= floatTolerance*max(math.Abs(f), math.Abs(g)) && !math.IsInf(f, 0) && !math.IsInf(g, 0)
}

// compareValues orders values for sorting: by kind (NULL first), then by value.
func compareValues(a, b any) int {
	if order := cmp.Compare(kind(a), kind(b)); order != 0 {
		return order
	}
	switch x := a.(type) {
	case bool:
		return cmp.Compare(fmt.Sprint(x), fmt.Sprint(b))
	case string:
		return cmp.Compare(x, b.(string))
	case Decimal:
		if y, ok := b.(Decimal); ok {
			return x.rat().Cmp(y.rat())
		}
	}
	f, _ := asFloat(a)
	g, _ := asFloat(b)
	return cmp.Compare(f, g)
}

func kind(value any) int {
	switch value.(type) {
	case nil:
		return 0
	case bool:
		return 1
	case Decimal, float64:
		return 2
	}
	return 3
}

// compareRows returns an error that says how two results differ; nil if they hold the same rows, and in the same order if
// ordered.
func compareRows(a, b Rows, ordered bool) error {
	if len(a.Columns) != len(b.Columns) {
		return fmt.Errorf("%d columns against %d", len(a.Columns), len(b.Columns))
	}
	if len(a.Values) != len(b.Values) {
		return fmt.Errorf("%d rows against %d", len(a.Values), len(b.Values))
	}
	left, right := a.Values, b.Values
	if !ordered {
		order := rowOrder(a, b)
		left, right = slices.Clone(left), slices.Clone(right)
		slices.SortFunc(left, order)
		slices.SortFunc(right, order)
	}
	const maxShown = 5
	var differences []error
	for i := range left {
		for c := range left[i] {
			if equalValues(left[i][c], right[i][c]) {
				continue
			}
			if len(differences) == maxShown {
				return errors.Join(append(differences, errors.New("and more"))...)
			}
			differences = append(differences, fmt.Errorf("row %d, column %s: %s against %s",
				i, a.Columns[c], show(left[i][c]), show(right[i][c])))
		}
	}
	return errors.Join(differences...)
}

// rowOrder returns an order of rows that compares columns with floats last. Floats that differ in their last digits only then
// decide nothing unless rows are equal in all else.
func rowOrder(a, b Rows) func(x, y []any) int {
	var exact, inexact []int
	for c := range a.Columns {
		hasFloat := func(row []any) bool {
			_, ok := row[c].(float64)
			return ok
		}
		if slices.ContainsFunc(a.Values, hasFloat) || slices.ContainsFunc(b.Values, hasFloat) {
			inexact = append(inexact, c)
		} else {
			exact = append(exact, c)
		}
	}
	columns := append(exact, inexact...)
	return func(x, y []any) int {
		for _, c := range columns {
			if order := compareValues(x[c], y[c]); order != 0 {
				return order
			}
		}
		return 0
	}
}

func show(value any) string {
	switch v := value.(type) {
	case nil:
		return "NULL"
	case string:
		return quoteText(v)
	}
	return fmt.Sprint(value)
}

// hasOrder tells whether a query orders its result: it has an ORDER BY outside of parentheses.
func hasOrder(sql string) bool {
	depth := 0
	var outside strings.Builder // the words outside of parentheses, quotes and comments
	for i := 0; i < len(sql); i++ {
		switch char := sql[i]; {
		case char == '\'' || char == '"':
			if end := strings.IndexByte(sql[i+1:], char); end >= 0 {
				i += end + 1
			}
		case strings.HasPrefix(sql[i:], "--"):
			if end := strings.IndexByte(sql[i:], '\n'); end >= 0 {
				i += end
			} else {
				i = len(sql)
			}
			outside.WriteByte(' ')
		case char == '(':
			depth++
		case char == ')':
			depth--
			outside.WriteByte(' ')
		case depth == 0:
			outside.WriteByte(char)
		}
	}
	words := strings.Fields(strings.ToUpper(outside.String()))
	for i := range len(words) - 1 {
		if words[i] == "ORDER" && words[i+1] == "BY" {
			return true
		}
	}
	return false
}

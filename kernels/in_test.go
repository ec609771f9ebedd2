package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lacunadb/lacuna/types"
)

// TestInSet asks for every row in every layout whether it is in lists of several lengths, with and without a NULL: short ones are compared
// value by value, longer ones looked up.
func TestInSet(t *testing.T) {
	eachLayout(t, func(t *testing.T, s sample, rows []any, l layout, r *rand.Rand) {
		for _, k := range []int{0, 1, 3, 20} {
			list := normal(t, s.typ, s.draw(r, k))
			want := make([]any, len(rows))
			var open []int // rows that a null inside a value may leave undecided
			for i, x := range rows {
				if want[i] = inReference(s.typ, x, list); want[i] == false && hasInnerNull(append([]any{x}, list...)) {
					open = append(open, i)
				}
			}
			got, err := NewInSet(mustValues(t, s.typ, list)).Contains(nil, l.vector)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range open {
				if want[i] = types.Value(got, i); want[i] == true {
					t.Fatalf("%v is in %v", rows[i], list)
				}
			}
			checkRows(t, fmt.Sprint("in ", list), got, want)
		}
	})
}

// inReference gives x IN (list) by three-valued logic; nulls inside nested values are equal.
func inReference(typ types.Type, x any, list []any) any {
	if len(list) == 0 {
		return false
	}
	var unknown bool
	for _, y := range list {
		switch {
		case x == nil || y == nil:
			unknown = true
		case hasInnerNull(x) || hasInnerNull(y): // equal only without nulls
		case referenceOrder(typ, x, y) == 0:
			return true
		}
	}
	if unknown {
		return nil
	}
	return false
}

// TestInSetOfMany looks numbers and texts up in lists that fill tables.
func TestInSetOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, step := range []int64{1, 7, 100_003} {
		const n = 1000
		numbers, texts, in, probes := make([]any, n), make([]any, n), map[int64]bool{}, make([]any, n)
		probeTexts, want := make([]any, n), make([]any, n)
		text := func(x int64) string { return fmt.Sprintf("%0*d", x%23, x) }
		for i := range n {
			x := int64(i) * step
			numbers[i], texts[i], in[x] = x, text(x), true
		}
		for i := range n {
			x := r.Int64N(2*n) * step
			if r.IntN(2) == 0 {
				x++
			}
			probes[i], probeTexts[i], want[i] = x, text(x), in[x]
		}
		got, err := NewInSet(mustValues(t, types.BigInt, numbers)).Contains(nil, mustValues(t, types.BigInt, probes))
		if err != nil {
			t.Fatal(err)
		}
		checkRows(t, "numbers", got, want)
		if got, err = NewInSet(mustValues(t, types.Varchar, texts)).Contains(nil, mustValues(t, types.Varchar, probeTexts)); err != nil {
			t.Fatal(err)
		}
		checkRows(t, "texts", got, want)
	}
}

func BenchmarkIn(b *testing.B) {
	const rows = 4096
	for _, n := range []int{2, 6, 8, 100, 10000} {
		numbers, texts := make([]any, n), make([]any, n)
		for i := range n {
			numbers[i], texts[i] = int64(i*7000), fmt.Sprintf("customer number %d", i*7)
		}
		for _, c := range []struct {
			name string
			list *types.Vector
			v    *types.Vector
		}{
			{"BIGINT", mustValues(b, types.BigInt, numbers), benchVector[int64](types.BigInt, rows, true)},
			{"VARCHAR", mustValues(b, types.Varchar, texts), benchTexts(rows)},
		} {
			set := NewInSet(c.list)
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				benchBinary(b, rows, func(env *Env) (*types.Vector, error) { return set.Contains(env, c.v) })
			})
		}
	}
}

package kernels

import (
	"math/rand/v2"
	"testing"

	"github.com/lacunadb/lacuna/types"
)

func TestLogic(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	s := samples()[0]
	kleeneAnd := func(a, b any) any {
		switch {
		case a == false || b == false:
			return false
		case a == nil || b == nil:
			return nil
		}
		return true
	}
	not := func(a any) any {
		if a == nil {
			return nil
		}
		return !a.(bool)
	}
	for _, n := range sizes {
		left, right := s.draw(r, n), s.draw(r, n)
		if n == 7 {
			for i := range right {
				right[i] = right[0]
			}
		}
		if n == 2 {
			left[1], right[1] = left[0], right[0]
		}
		and, or, xor, nots := make([]any, n), make([]any, n), make([]any, n), make([]any, n)
		for i := range n {
			a, b := left[i], right[i]
			and[i], or[i], nots[i] = kleeneAnd(a, b), not(kleeneAnd(not(a), not(b))), not(a)
			if a != nil && b != nil {
				xor[i] = a != b
			}
		}
		for _, a := range layouts(t, types.Boolean, left) {
			for _, b := range layouts(t, types.Boolean, right) {
				for _, c := range []struct {
					name   string
					kernel func(*Env, *types.Vector, *types.Vector) (*types.Vector, error)
					want   []any
				}{{"and", And, and}, {"or", Or, or}, {"xor", Xor, xor}} {
					got, err := c.kernel(nil, a.vector, b.vector)
					if err != nil {
						t.Fatal(err)
					}
					checkRows(t, c.name+" "+a.name+", "+b.name, got, c.want)
				}
			}
			got, err := Not(nil, a.vector)
			if err != nil {
				t.Fatal(err)
			}
			checkRows(t, "not "+a.name, got, nots)
		}
	}
}

func TestOperators(t *testing.T) {
	for _, op := range allOps {
		for sign := -1; sign <= 1; sign++ {
			if holds(op, sign) != holds(op.Swap(), -sign) || holds(op, sign) == holds(op.Negate(), sign) {
				t.Errorf("%s: swapped %s, negated %s", op, op.Swap(), op.Negate())
			}
		}
	}
}

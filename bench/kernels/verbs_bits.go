package main

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// logicWorkloads has three-valued logic and masks.
func logicWorkloads(in *inputs, nulls int) []workload {
	boolean := arrow.FixedWidthTypes.Boolean
	a, b := in.values(boolean, nulls, 0), in.values(boolean, nulls, 1)
	bitmaps := 2 // of each column: values and validity
	if nulls == 0 {
		bitmaps = 1
	}
	binary := workload{typ: "bool", nulls: nulls, selectivity: -1, bytes: 3 * bitmaps * in.rows / 8, probe: probeRead, goal: goalLogic}
	and, or, not := binary, binary, binary
	and.kernel, or.kernel, not.kernel = "and (Kleene)", "or (Kleene)", "not"
	not.bytes, not.probe = 2*bitmaps*in.rows/8, probeCopy
	all := []workload{
		and.onVectors(func(env *kernels.Env) (*types.Vector, error) { return kernels.And(env, a.vector, b.vector) },
			call("and_kleene", nil, a.array, b.array)),
		or.onVectors(func(env *kernels.Env) (*types.Vector, error) { return kernels.Or(env, a.vector, b.vector) },
			call("or_kleene", nil, a.array, b.array)),
		not.onVectors(func(env *kernels.Env) (*types.Vector, error) { return kernels.Not(env, a.vector) }, call("not", nil, a.array)),
	}

	v, condition := in.values(arrow.PrimitiveTypes.Int64, nulls, 0), in.values(boolean, nulls, 1)
	mask := workload{kernel: "mask", typ: "int64", nulls: nulls, selectivity: 50, bytes: (bitmaps*2 + 1) * in.rows / 8, probe: probeRead}
	mask.run = func(env *kernels.Env) error {
		_, err := kernels.Mask(env, v.vector, condition.vector)
		return err
	}
	mask.verify = func(env *kernels.Env) error {
		got, err := kernels.Mask(env, v.vector, condition.vector)
		if err != nil {
			return err
		}
		valid, hides := types.LogicalValidity(nil, got), condition.array.(*array.Boolean)
		for i := range in.rows {
			keep := v.vector.Validity().Has(i) && !(condition.vector.Validity().Has(i) && hides.Value(i))
			if valid.Has(i) != keep {
				return fmt.Errorf("row %d is valid: %v, want %v", i, valid.Has(i), keep)
			}
		}
		return nil
	}
	return append(all, mask)
}

// bitmapWorkloads has bitmap algebra, at byte boundaries and not. Their inputs are as dense as a column with that share of nulls.
func bitmapWorkloads(in *inputs, nulls int) []workload {
	n := in.rows
	a, b := in.selection(100-nulls), in.selection(99-nulls)
	aWords, bWords := a.vector.Bools(), b.vector.Bools()
	aBytes, bBytes := types.Bytes(aWords), types.Bytes(bWords)
	size := (n + 7) / 8
	out := make([]byte, size)
	words, other, want := make(types.Bitmap, asm.Words(n)), make(types.Bitmap, asm.Words(n)), make([]byte, size)

	aligned := workload{kernel: "bitmap and", typ: "bitmap", nulls: nulls, selectivity: -1, bytes: 3 * n / 8, probe: probeRead, goal: goalBitmapAligned}
	aligned.run = func(*kernels.Env) error { asm.And(words, aWords, bWords); return nil }
	aligned.peer = func() error { bitutil.BitmapAnd(aBytes, bBytes, 0, 0, out, 0, int64(n)); return nil }
	aligned.verify = func(env *kernels.Env) error {
		aligned.run(env)
		aligned.peer()
		return sameBits(words, out, n)
	}

	// The last rows are left out, so that both bitmaps have bits for the others at their offsets.
	const aOffset, bOffset = 3, 5
	rows := n - 8
	offset := aligned
	offset.kernel, offset.goal = "bitmap and at bit offsets", goalBitmapOffset
	offset.run = func(*kernels.Env) error {
		asm.LoadBits(words, aBytes, aOffset, rows)
		asm.LoadBits(other, bBytes, bOffset, rows)
		asm.And(words[:asm.Words(rows)], words[:asm.Words(rows)], other[:asm.Words(rows)])
		return nil
	}
	offset.peer = func() error { bitutil.BitmapAnd(aBytes, bBytes, aOffset, bOffset, out, 0, int64(rows)); return nil }
	offset.verify = func(env *kernels.Env) error {
		offset.run(env)
		for i := range rows {
			bitutil.SetBitTo(want, i, bitutil.BitIsSet(aBytes, i+aOffset) && bitutil.BitIsSet(bBytes, i+bOffset))
		}
		return sameBits(words, want, rows)
	}

	count := workload{kernel: "bitmap count", typ: "bitmap", nulls: nulls, selectivity: -1, bytes: n / 8, probe: probeRead, goal: goalPopCount}
	count.run = func(*kernels.Env) error { sink += uint64(asm.PopCount(aWords)); return nil }
	count.peer = func() error { sink += uint64(bitutil.CountSetBits(aBytes, 0, n)); return nil }
	count.verify = func(*kernels.Env) error {
		if got, want := asm.PopCount(aWords), bitutil.CountSetBits(aBytes, 0, n); got != want {
			return fmt.Errorf("%d bits, in arrow-go %d", got, want)
		}
		return nil
	}
	return []workload{aligned, offset, count}
}

func sameBits(got types.Bitmap, want []byte, n int) error {
	for i := range n {
		if got.Get(i) != bitutil.BitIsSet(want, i) {
			return fmt.Errorf("bit %d is %v", i, got.Get(i))
		}
	}
	return nil
}

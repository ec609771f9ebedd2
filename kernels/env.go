package kernels

import (
	"time"

	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// Env is what a kernel call has beside its arguments. A nil *Env is the zero Env.
type Env struct {
	Pool   *types.Pool    // results and scratch are allocated here; nil = heap
	Active types.Bitmap   // rows that count: only on them may a kernel raise an error; nil = all
	Try    bool           // rows that fail become null instead of raising
	Wrap   bool           // a cast of an integer to an integer type that has no room for it takes its low bits
	Floats FloatMode      // how floats compare, hash and sort
	Rows   int            // rows of the result, for kernels without arguments; the others take it from their arguments
	Zone   *time.Location // the session's time zone, for TIMESTAMPTZ; nil = UTC
}

func (e *Env) pool() *types.Pool {
	if e == nil {
		return nil
	}
	return e.Pool
}

func (e *Env) active() types.Bitmap {
	if e == nil {
		return nil
	}
	return e.Active
}

func (e *Env) try() bool { return e != nil && e.Try }

func (e *Env) wrap() bool { return e != nil && e.Wrap }

func (e *Env) floats() FloatMode {
	if e == nil {
		return FloatsSQL
	}
	return e.Floats
}

func (e *Env) zone() *time.Location {
	if e == nil || e.Zone == nil {
		return time.UTC
	}
	return e.Zone
}

// withActive gives the same environment with other rows that count; not to be changed.
func (e *Env) withActive(active types.Bitmap) *Env {
	switch {
	case e == nil:
		return &Env{Active: active}
	case e.Active == nil && active == nil:
		return e
	}
	c := *e
	c.Active = active
	return &c
}

// settle decides about the rows of a result of n rows that failed; it is the slow path behind every checked loop. Only valid rows
// are asked. It gives the validity of the result, which in Try mode lacks the rows that fail, or the error of the first active
// row that fails.
func (e *Env) settle(n int, valid types.Bitmap, fails func(row int) bool, describe func(row int) *types.Error) (types.Bitmap, error) {
	if e.try() {
		var kept types.Bitmap
		for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
			if !fails(i) {
				continue
			}
			if kept == nil {
				kept = copyValidity(e.pool(), valid, n)
			}
			kept.Clear(i)
		}
		if kept == nil {
			return valid, nil
		}
		return kept, nil
	}
	active := types.AndBitmaps(e.pool(), valid, e.active(), n)
	for i := active.NextSet(0, n); i < n; i = active.NextSet(i+1, n) {
		if fails(i) {
			return nil, describe(i).WithRow("", int64(i))
		}
	}
	return valid, nil
}

// settleBad is settle for a bitmap of the rows that failed, which it changes: a word of rows a step, as rows under a null fail often.
func (e *Env) settleBad(n int, valid, bad types.Bitmap, describe func(row int) *types.Error) (types.Bitmap, error) {
	if valid != nil {
		asm.And(bad, bad, valid[:len(bad)])
	}
	if active := e.active(); active != nil && !e.try() {
		asm.And(bad, bad, active[:len(bad)])
	}
	row := asm.FindFirst(bad)
	switch {
	case row < 0:
		return valid, nil
	case e.try():
		return types.AndNotBitmaps(e.pool(), valid, bad, n), nil
	}
	return nil, describe(row).WithRow("", int64(row))
}

// copyValidity gives a validity of n rows that the caller may change.
func copyValidity(pool *types.Pool, valid types.Bitmap, n int) types.Bitmap {
	dst := pool.Bitmap(n)
	if valid == nil {
		types.FillBitmap(dst, n)
	} else {
		copy(dst, valid)
	}
	return dst
}

// bothValid gives the rows in which neither vector is null; nil when none can be.
func bothValid(env *Env, a, b *types.Vector) types.Bitmap {
	pool := env.pool()
	return types.AndBitmaps(pool, types.LogicalValidity(pool, a), types.LogicalValidity(pool, b), a.Len())
}

// isNullConstant reports a vector whose rows are all null by its shape: a NULL-typed one or a null constant.
func isNullConstant(v *types.Vector) bool {
	return v.Type().Kind() == types.KindNull || v.Encoding() == types.Constant && !v.Validity().Has(0)
}

// sameLength gives an error when the vectors differ in length.
func sameLength(vectors ...*types.Vector) error {
	for _, v := range vectors[1:] {
		if v.Len() != vectors[0].Len() {
			return types.KindErrorf(types.ErrLengthMismatch, "vectors of %d and %d rows", vectors[0].Len(), v.Len())
		}
	}
	return nil
}

// integer is the set of integer element types up to 64 bits.
type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// float is the set of floating-point element types with arithmetic of their own.
type float interface{ float32 | float64 }

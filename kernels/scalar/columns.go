package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// This file is how kernels read arguments of any encoding: a column gives the value of each row, whether the vector is plain or
// constant; other encodings are decoded.

// column is a fixed-width argument. Row i is values[i*step].
type column[T types.Fixed] struct {
	values []T
	step   int
}

func columnOf[T types.Fixed](env *kernels.Env, v *types.Vector) column[T] {
	v, step := plainOrConstant(env, v)
	return column[T]{types.ValuesOf[T](v), step}
}

func (c column[T]) at(i int) T { return c.values[i*c.step] }

// textColumn is a string or byte argument.
type textColumn struct {
	views   []types.View
	buffers []types.Buffer
	step    int
}

func textOf(env *kernels.Env, v *types.Vector) textColumn {
	v, step := plainOrConstant(env, v)
	return textColumn{types.ValuesOf[types.View](v), v.DataBuffers(), step}
}

// at gives the bytes of row i, borrowed.
func (c *textColumn) at(i int) []byte { return c.views[i*c.step].Bytes(c.buffers) }

func plainOrConstant(env *kernels.Env, v *types.Vector) (*types.Vector, int) {
	if v.Encoding() == types.Constant {
		return v, 0
	}
	return kernels.Decode(env, v), 1
}

// validRows gives the rows in which no argument is null; nil for all.
func validRows(env *kernels.Env, args ...*types.Vector) types.Bitmap {
	var valid types.Bitmap
	for _, v := range args {
		valid = types.AndBitmaps(env.Pool, valid, types.LogicalValidity(env.Pool, v), v.Len())
	}
	return valid
}

// mapRows computes f for every row in which no argument is null.
func mapRows[T types.Fixed](env *kernels.Env, out types.Type, args []*types.Vector, f func(i int) T) *types.Vector {
	n := args[0].Len()
	valid := validRows(env, args...)
	dst := types.Alloc[T](env.Pool, n)
	if valid == nil {
		for i := range dst {
			dst[i] = f(i)
		}
		return types.NewFixed(out, dst, nil)
	}
	clear(dst)
	for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
		dst[i] = f(i)
	}
	return types.NewFixed(out, dst, valid)
}

// tryRows is mapRows for functions that fail on some values or give null: f says with ok = false that row i has no result, and
// with an error that this is an error.
func tryRows[T types.Fixed](env *kernels.Env, out types.Type, args []*types.Vector, f func(i int) (x T, ok bool, err *types.Error)) (*types.Vector, error) {
	n := args[0].Len()
	dst := types.Alloc[T](env.Pool, n)
	clear(dst)
	valid, err := eachValid(env, n, validRows(env, args...), func(i int) (ok bool, err *types.Error) {
		dst[i], ok, err = f(i)
		return ok, err
	})
	if err != nil {
		return nil, err
	}
	return types.NewFixed(out, dst, valid), nil
}

// eachValid calls f for every valid row of n and gives the rows that stay valid. An error counts only on an active row, and never
// in Try mode: there the row becomes null.
func eachValid(env *kernels.Env, n int, valid types.Bitmap, f func(i int) (ok bool, err *types.Error)) (types.Bitmap, error) {
	kept := valid
	for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
		ok, err := f(i)
		if err != nil && !env.Try && env.Active.Has(i) {
			return nil, err.WithRow("", int64(i))
		}
		if !ok || err != nil {
			kept = clearRow(env, valid, kept, i, n)
		}
	}
	return kept, nil
}

// clearRow gives kept without row i, copied first if it is still the original.
func clearRow(env *kernels.Env, original, kept types.Bitmap, i, n int) types.Bitmap {
	if kept == nil || len(original) > 0 && &kept[0] == &original[0] {
		copied := env.Pool.Bitmap(n)
		if original == nil {
			types.FillBitmap(copied, n)
		} else {
			copy(copied, original)
		}
		kept = copied
	}
	kept.Clear(i)
	return kept
}

// mapBools computes a condition for every row in which no argument is null.
func mapBools(env *kernels.Env, args []*types.Vector, f func(i int) bool) *types.Vector {
	n := args[0].Len()
	valid := validRows(env, args...)
	dst := env.Pool.ZeroBitmap(n)
	for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
		if f(i) {
			dst.Set(i)
		}
	}
	return types.NewBool(dst, n, valid)
}

// mapText computes a text for every row in which no argument is null: f adds one row to the builder.
func mapText(env *kernels.Env, out types.Type, args []*types.Vector, f func(i int, b *kernels.ViewBuilder)) *types.Vector {
	n := args[0].Len()
	valid := validRows(env, args...)
	b := kernels.NewViewBuilder(env, out, n)
	for i := range n {
		if valid.Has(i) {
			f(i, b)
		} else {
			b.AppendEmpty()
		}
	}
	return b.Finish(valid)
}

// fixed gives a Bind for functions that take one list of types: arguments that are NULL, string literals, or numbers where
// numbers are wanted are cast to them.
func fixed(name string, result types.Type, nulls expr.NullPolicy, canFail bool, kernel expr.Kernel, want ...types.Type) func([]expr.Arg) (*expr.Function, error) {
	return func(args []expr.Arg) (*expr.Function, error) {
		if len(args) != len(want) {
			return nil, nil
		}
		for i, a := range args {
			if !casts(a, want[i]) {
				return nil, nil
			}
		}
		return &expr.Function{Name: name, Args: want, Result: result, Nulls: nulls, CanFail: canFail, Kernel: kernel}, nil
	}
}

// anyOf tries several Binds.
func anyOf(binds ...func([]expr.Arg) (*expr.Function, error)) func([]expr.Arg) (*expr.Function, error) {
	return func(args []expr.Arg) (*expr.Function, error) {
		for _, bind := range binds {
			if f, err := bind(args); f != nil || err != nil {
				return f, err
			}
		}
		return nil, nil
	}
}

// casts reports whether an argument is cast to a parameter's type without being asked: the same type, NULL, a string literal, an
// integer to a wider integer, any number to DOUBLE, and what is stored as text to VARCHAR.
func casts(a expr.Arg, to types.Type) bool {
	from := a.Type
	switch k := from.Kind(); {
	case k == to.Kind(), k == types.KindNull, k == types.KindVarchar && a.Literal:
		return true
	case to.Kind() == types.KindDouble:
		return from.IsNumeric()
	case to.IsInteger() && from.IsInteger():
		t, err := expr.CommonType(a, expr.Arg{Type: to})
		return err == nil && t.Equal(to)
	case to.Kind() == types.KindVarchar:
		return k == types.KindEnum || k == types.KindJSON
	}
	return false
}

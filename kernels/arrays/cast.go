package arrays

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// Cast converts a column to the type, encoding and nullability of a field, whose name and metadata the result has (null-semantics 2.9). What cannot be
// converted is an error with its row, or a null with Options.Mode. A null that is seen where the field or one below it is required is ErrNullInRequired.
//
// Options: Mode, Unions, KeepRunEnds (always as if set), WidenKeys.
func Cast(values Column, to arrow.Field, o Options) (Column, error) {
	target, err := types.ImportField(to)
	if err != nil {
		return Column{}, err
	}
	nulls := types.UnionAuto
	if holdsUnion(values.Field.Type) && holdsUnion(to.Type) {
		nulls = o.nullsOfUnions()
	}
	v, err := load(values, nulls)
	if err != nil {
		return Column{}, err
	}
	out := v.vector
	if !sameButNulls(out.Type(), target.Type) || o.Mode == CastTryBubble {
		verb := kernels.Cast
		if o.Mode == CastTryBubble {
			verb = kernels.CastBubble
		}
		if out, err = verb(&kernels.Env{Rows: v.Len(), Try: o.Mode == CastTry, Wrap: o.Mode == CastWrap}, out, target.Type); err != nil {
			return Column{}, named(err, values.Field.Name)
		}
	}
	out = out.WithType(target.Type)
	if fitted := fitWidths(out, values.Field.Type, to.Type); fitted != out {
		for i := range out.Len() {
			if (o.Mode == CastStrict || o.Mode == CastWrap) && !types.SameBits(out, i, fitted, i) {
				return Column{}, types.KindErrorf(types.ErrCastOverflow, "value cannot be written as %s: other width", to.Type).WithRow(to.Name, int64(i))
			}
		}
		out = fitted
		if o.Mode == CastTryBubble {
			if out, err = kernels.CastBubble(nil, out, target.Type); err != nil {
				return Column{}, named(err, values.Field.Name)
			}
		}
	}
	if err := types.CheckRequired(nil, out, target); err != nil {
		return Column{}, err
	}
	o.KeepRunEnds = true
	if holdsUnion(to.Type) {
		if out, to.Type, err = o.hostNulls(out, to.Type, target.Nullable, to.Name); err != nil {
			return Column{}, err
		}
	}
	return o.export(to, out, target.Nullable)
}

// fitWidths gives a vector in which values that do not have the width of the fixed-size binary type that they are to become are null: types.Export takes empty
// ones for placeholders. v itself when nothing has to change.
func fitWidths(v *types.Vector, from, to arrow.DataType) *types.Vector {
	from, to = valueType(from), valueType(to)
	if arrow.TypeEqual(from, to) || v.Type().Kind() == types.KindUUID || v.Encoding() == types.Plain && v.Len() == 0 {
		return v
	}
	fixed, ok := to.(*arrow.FixedSizeBinaryType)
	if ok && v.Encoding() == types.Plain {
		var valid types.Bitmap
		for i, x := range types.ValuesOf[types.View](v)[:v.Len()] {
			if x.Len() == fixed.ByteWidth || !v.Validity().Has(i) {
				continue
			}
			if valid == nil {
				valid = newBitmap(v.Len())
				types.FillBitmap(valid, v.Len())
			}
			valid.Clear(i)
		}
		if valid == nil {
			return v
		}
		return v.WithValidity(types.AndBitmaps(nil, v.Validity(), valid, v.Len()))
	}
	if v.Encoding() == types.Constant {
		one := v.First()
		if fitted := fitWidths(one, from, to); fitted != one {
			return types.NewConstant(fitted, v.Len())
		}
		return v
	}
	below := slices.Repeat([]arrow.DataType{to}, len(v.Children())) // of dictionaries and runs
	if v.Encoding() == types.Plain {
		nested, ok := to.(arrow.NestedType)
		if !ok || nested.NumFields() != len(v.Children()) {
			return v
		}
		for i, f := range nested.Fields() {
			below[i] = f.Type
		}
	}
	children, changed := slices.Clone(v.Children()), false
	for i, c := range children {
		children[i] = fitWidths(c, nil, below[i])
		changed = changed || children[i] != c
	}
	if !changed {
		return v
	}
	return v.WithChildren(v.Type(), children)
}

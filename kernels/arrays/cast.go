package arrays

import (
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
	if err := checkWidths(out, values.Field.Type, to); err != nil {
		return Column{}, err
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

// checkWidths finds a value that does not have the width of the fixed-size binary type that it is to become: types.Export takes empty ones for placeholders.
func checkWidths(v *types.Vector, from arrow.DataType, to arrow.Field) error {
	wanted, from := valueType(to.Type), valueType(from)
	if arrow.TypeEqual(wanted, from) || v.Type().Kind() == types.KindUUID {
		return nil
	}
	fixed, ok := wanted.(*arrow.FixedSizeBinaryType)
	if !ok {
		if hasFixedBinary(wanted) && !arrow.TypeEqual(wanted, from) {
			return types.KindErrorf(types.ErrUnsupported, "cast to %s, in which fixed-size binary values are nested", wanted)
		}
		return nil
	}
	for i := range v.Len() {
		if at, row, ok := v.Locate(i); ok && types.ValuesOf[types.View](at)[row].Len() != fixed.ByteWidth {
			return types.KindErrorf(types.ErrCastOverflow, "value of %d bytes cannot be written as %s", types.ValuesOf[types.View](at)[row].Len(), fixed).WithRow(to.Name, int64(i))
		}
	}
	return nil
}

// hasFixedBinary reports whether a nested type has fixed-size binary values in it, but for UUIDs.
func hasFixedBinary(dt arrow.DataType) bool {
	if nested, ok := dt.(arrow.NestedType); ok {
		for _, f := range nested.Fields() {
			if f.Type.ID() == arrow.FIXED_SIZE_BINARY || hasFixedBinary(f.Type) {
				return true
			}
		}
	}
	return false
}

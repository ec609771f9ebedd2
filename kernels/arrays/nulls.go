package arrays

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// IsNull gives for each row whether it is null, as a required bool column (null-semantics 2.5). Of structs and lists only the level itself counts, of unions
// also a null in the variant, unless the column is one of types.NullableUnionOf.
//
// Options: NaNIsNull.
func IsNull(values Column, o Options) (Column, error) {
	a, err := load(values, types.UnionAuto)
	if err != nil {
		return Column{}, err
	}
	v := kernels.IsNull(nil, a.vector)
	if o.NaNIsNull {
		if nan := nanRows(a.vector); nan != nil {
			v, err = kernels.Or(nil, v, types.NewBool(nan, a.vector.Len(), nil))
		}
	}
	if err != nil {
		return Column{}, err
	}
	return o.export(boolField(values.Field), v, false)
}

// IsNotNull gives the complement of IsNull.
//
// Options: NaNIsNull.
func IsNotNull(values Column, o Options) (Column, error) {
	null, err := IsNull(values, o)
	if err != nil {
		return Column{}, err
	}
	defer null.Release()
	return Not(null, o)
}

// UnionValueIsNull gives for each row of a column of unions whether the row is not null but its variant holds null, as a required bool column (null-semantics
// 2.5). Only columns that keep the two apart have such rows: those of types.NullableUnionOf, and unions whose metadata say so.
func UnionValueIsNull(unions Column, o Options) (Column, error) {
	return askUnion(unions, o, kernels.UnionValueIsNull)
}

// IsNullDeep gives for each row of a column of unions whether the row is null or its variant holds null, as a required bool column (null-semantics 2.5).
func IsNullDeep(unions Column, o Options) (Column, error) {
	return askUnion(unions, o, kernels.IsNullDeep)
}

func askUnion(unions Column, o Options, question func(*kernels.Env, *types.Vector) *types.Vector) (Column, error) {
	a, err := load(unions, types.UnionAuto)
	if err != nil {
		return Column{}, err
	}
	if a.vector.Type().Kind() != types.KindUnion {
		return Column{}, types.Errorf(types.CodeDatatypeMismatch, "%s is not a union", unions.Field.Type)
	}
	return o.export(boolField(unions.Field), question(nil, a.vector), false)
}

func boolField(f arrow.Field) arrow.Field {
	return arrow.Field{Name: f.Name, Type: arrow.FixedWidthTypes.Boolean}
}

// nanRows gives the rows whose value is NaN, nil for a type that has none.
func nanRows(v *types.Vector) types.Bitmap {
	isNaN := func(v *types.Vector, i int) bool { return false }
	switch v.Type().Storage() {
	case types.StorageFloat16:
		isNaN = func(v *types.Vector, i int) bool {
			return math.IsNaN(float64(types.HalfToFloat(types.ValuesOf[uint16](v)[i])))
		}
	case types.StorageFloat32:
		isNaN = func(v *types.Vector, i int) bool { return math.IsNaN(float64(types.ValuesOf[float32](v)[i])) }
	case types.StorageFloat64:
		isNaN = func(v *types.Vector, i int) bool { return math.IsNaN(types.ValuesOf[float64](v)[i]) }
	case types.StorageUnion:
		plain := kernels.Decode(nil, v)
		rows := newBitmap(v.Len())
		children := make([]types.Bitmap, len(plain.Children()))
		for k, c := range plain.Children() {
			children[k] = nanRows(c)
		}
		for i := range v.Len() {
			k := variantIndex(v.Type(), plain.TypeCodes()[i])
			at := i
			if offsets := plain.UnionOffsets(); offsets != nil {
				at = int(offsets[i])
			}
			if children[k] != nil && children[k].Get(at) {
				rows.Set(i)
			}
		}
		return rows
	default:
		return nil
	}
	rows := newBitmap(v.Len())
	for i := range v.Len() {
		if at, row, ok := v.Locate(i); ok && isNaN(at, row) {
			rows.Set(i)
		}
	}
	return rows
}

func variantIndex(t types.Type, code int8) int {
	for i, c := range t.Codes() {
		if c == code {
			return i
		}
	}
	return 0
}

// Mask makes null the rows in which a condition is true: a true nulls the row, a false keeps it (null-semantics 2.6). What a null does Options.Conditions says.
// The result is nullable. Values, children and dictionaries are shared.
//
// Options: Conditions, Unions, KeepType, Runs, KeepRunEnds.
func Mask(values, condition Column, o Options) (Column, error) {
	return mask(values, condition, false, o)
}

// WithValidity keeps the rows in which a condition is true: a true keeps the row, a false or a null makes it null. It is Mask of the complement.
//
// Options: Unions, KeepType, Runs, KeepRunEnds.
func WithValidity(values, keep Column, o Options) (Column, error) {
	o.Conditions = ConditionNull
	return mask(values, keep, true, o)
}

func mask(values, condition Column, keep bool, o Options) (Column, error) {
	v, err := load(values, o.nullsOfUnions())
	if err != nil {
		return Column{}, err
	}
	c, err := load(condition, types.UnionAuto)
	if err != nil {
		return Column{}, err
	}
	if err := boolean(c); err != nil {
		return Column{}, err
	}
	if err := sameLength(v, c); err != nil {
		return Column{}, err
	}
	if constant, ok := constantBool(c); ok && constant == keep {
		return o.result(values.Field, v.vector, v.nullable, false)
	}
	steer := c.vector
	if keep {
		if steer, err = kernels.Not(nil, steer); err != nil {
			return Column{}, err
		}
	}
	if row := firstNull(steer); row >= 0 {
		switch o.Conditions {
		case ConditionError:
			return Column{}, types.KindErrorf(types.ErrNullCondition, "null in the condition").WithRow(condition.Field.Name, int64(row))
		case ConditionNull:
			steer = kernels.IsNotFalse(nil, steer)
		}
	}
	masked, err := kernels.Mask(nil, v.vector, steer)
	if err != nil {
		return Column{}, err
	}
	return o.result(values.Field, masked, true, true)
}

// StructField gives a field of a column of structs, null where the struct is (null-semantics 2.6). It is nullable if the field is or the structs are.
//
// Options: Unions, Runs, KeepRunEnds.
func StructField(parent Column, name string, o Options) (Column, error) {
	structs, ok := valueType(parent.Field.Type).(*arrow.StructType)
	if !ok {
		return Column{}, types.Errorf(types.CodeDatatypeMismatch, "%s has no fields", parent.Field.Type)
	}
	k, ok := structs.FieldIdx(name)
	if !ok {
		return Column{}, types.KindErrorf(types.ErrNoMember, "%s has no field %s", structs, types.QuoteIdent(name))
	}
	return structField(parent, structs, k, o)
}

// structField is StructField by the field's number.
func structField(parent Column, structs *arrow.StructType, k int, o Options) (Column, error) {
	a, err := load(parent, types.UnionAuto)
	if err != nil {
		return Column{}, err
	}
	v := a.vector
	if o.Unions != UnionPromote { // nulls stay in their variants
		if v, err = types.Import(parent.Array, types.ImportOptions{Unions: types.UnionTagged}); err != nil {
			return Column{}, err
		}
		if parent.Repeat > 0 {
			v = types.NewConstant(kernels.Decode(nil, v), parent.Repeat)
		}
	}
	f, plain := structs.Field(k), kernels.Decode(nil, v)
	v = plain.Children()[k]
	if !a.nullable {
		return o.result(f, v, holdsNull(f), false)
	}
	if v, err = kernels.Mask(nil, v, kernels.IsNull(nil, plain)); err != nil {
		return Column{}, err
	}
	return o.result(f, v, true, true)
}

// constantBool gives the value of a condition that is a constant.
func constantBool(c argument) (value, ok bool) {
	if c.Repeat == 0 || c.vector.Type().Kind() != types.KindBoolean || firstNull(c.vector) >= 0 {
		return false, false
	}
	return c.vector.First().Bools().Get(0), true
}

// FillNull puts a value, mostly a constant, into the rows that are null: Coalesce of two columns.
//
// Options: those of Coalesce.
func FillNull(values, fill Column, o Options) (Column, error) { return Coalesce(o, values, fill) }

// FillForward gives each null row the nearest value before it, at most limit rows away (0: any number). Rows without one stay as they are; nulls in the
// variants of a column of types.NullableUnionOf are values.
//
// Options: Runs, KeepRunEnds.
func FillForward(values Column, limit int, o Options) (Column, error) {
	return fill(values, limit, false, o)
}

// FillBackward is FillForward from the nearest value behind.
func FillBackward(values Column, limit int, o Options) (Column, error) {
	return fill(values, limit, true, o)
}

func fill(values Column, limit int, backward bool, o Options) (Column, error) {
	if limit < 0 {
		return Column{}, types.Errorf(types.CodeInvalidParameter, "a limit of %d rows", limit)
	}
	a, err := load(values, types.UnionAuto)
	if err != nil {
		return Column{}, err
	}
	valid := types.LogicalValidity(nil, a.vector)
	tagged, err := load(values, types.UnionTagged) // so that remaining nulls keep their variant
	if err != nil {
		return Column{}, err
	}
	if valid == nil {
		return o.result(values.Field, tagged.vector, a.nullable, false)
	}
	n := a.Len()
	indices := types.Alloc[uint32](nil, n)
	nearest := -1
	for k := range n {
		i := k
		if backward {
			i = n - 1 - k
		}
		if valid.Get(i) {
			nearest = i
		}
		indices[i] = uint32(i)
		if nearest >= 0 && (limit == 0 || max(i-nearest, nearest-i) <= limit) {
			indices[i] = uint32(nearest)
		}
	}
	return o.result(values.Field, kernels.Take(nil, tagged.vector, indices, nil), a.nullable, false)
}

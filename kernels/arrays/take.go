package arrays

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// Take gives row indices[i] of the values as row i, and a null for a null index (null-semantics 2.7). Indices are integers of any type and encoding; what lies
// under their nulls is not looked at. An index that is not null and outside the values is ErrIndexOutOfBounds. The result is nullable if either column is.
//
// Options: Unions, KeepType, Runs, KeepRunEnds, CompactEntries.
func Take(values, indices Column, o Options) (Column, error) {
	v, err := load(values, o.nullsOfUnions())
	if err != nil {
		return Column{}, err
	}
	x, err := load(indices, types.UnionAuto)
	if err != nil {
		return Column{}, err
	}
	rows, valid, err := rowNumbers(x, v.Len())
	if err != nil {
		return Column{}, err
	}
	return o.result(values.Field, o.compact(kernels.Take(nil, v.vector, rows, valid)), v.nullable || x.nullable, x.nullable)
}

// compact leaves out dictionary entries that no row names, if the options ask for it.
func (o Options) compact(v *types.Vector) *types.Vector {
	if o.CompactEntries {
		return kernels.CompactDictionary(nil, v)
	}
	return v
}

// rowNumbers gives indices as kernels take them, after checking that they are below n.
func rowNumbers(x argument, n int) ([]uint32, types.Bitmap, error) {
	if k := x.vector.Type(); !k.IsInteger() && k.Kind() != types.KindNull {
		return nil, nil, types.Errorf(types.CodeDatatypeMismatch, "indices must be integers, not %s", x.Field.Type)
	}
	valid := types.LogicalValidity(nil, x.vector)
	plain := kernels.Decode(nil, x.vector)
	rows := types.Alloc[uint32](nil, x.Len())
	number := integers(plain)
	for i := range rows {
		rows[i] = 0
		if !valid.Has(i) {
			continue
		}
		at, ok := number(i)
		if !ok || at < 0 || at >= int64(n) {
			return nil, nil, types.KindErrorf(types.ErrIndexOutOfBounds, "index %s is out of bounds for %d rows", types.Text(plain, i), n).WithRow(x.Field.Name, int64(i))
		}
		rows[i] = uint32(at)
	}
	return rows, valid, nil
}

// integers gives the rows of a plain integer vector as int64; false for what does not fit.
func integers(v *types.Vector) func(i int) (int64, bool) {
	switch v.Type().Kind() {
	case types.KindTinyInt:
		return signed(types.ValuesOf[int8](v))
	case types.KindSmallInt:
		return signed(types.ValuesOf[int16](v))
	case types.KindInteger:
		return signed(types.ValuesOf[int32](v))
	case types.KindBigInt:
		return signed(types.ValuesOf[int64](v))
	case types.KindUTinyInt:
		return signed(types.ValuesOf[uint8](v))
	case types.KindUSmallInt:
		return signed(types.ValuesOf[uint16](v))
	case types.KindUInteger:
		return signed(types.ValuesOf[uint32](v))
	case types.KindUBigInt:
		values := types.ValuesOf[uint64](v)
		return func(i int) (int64, bool) { return int64(values[i]), values[i] <= math.MaxInt64 }
	}
	return func(int) (int64, bool) { return 0, false }
}

func signed[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](values []T) func(i int) (int64, bool) {
	return func(i int) (int64, bool) { return int64(values[i]), true }
}

// NullSelection says what a null in the selection of Filter does.
type NullSelection uint8

const (
	// SelectionDrop leaves the row out, as WHERE does.
	SelectionDrop NullSelection = iota
	// SelectionEmit gives a null row.
	SelectionEmit
)

// Filter gives the rows in which a selection is true, in their order (null-semantics 2.8). The selection is bool in any encoding. With SelectionEmit the result
// is nullable if the selection is.
//
// Options: Unions (UnionInPlace keeps the variant of the row that is not selected), KeepType, Runs, KeepRunEnds, CompactEntries.
func Filter(values, selection Column, nulls NullSelection, o Options) (Column, error) {
	v, err := load(values, o.nullsOfUnions())
	if err != nil {
		return Column{}, err
	}
	s, err := load(selection, types.UnionAuto)
	if err != nil {
		return Column{}, err
	}
	if err := boolean(s); err != nil {
		return Column{}, err
	}
	if err := sameLength(v, s); err != nil {
		return Column{}, err
	}
	if nulls == SelectionDrop {
		kept, err := kernels.FilterTrue(nil, v.vector, s.vector)
		if err != nil {
			return Column{}, err
		}
		return o.result(values.Field, o.compact(kept), v.nullable, false)
	}
	// The rows that are not selected for sure become null first, in their own variant if it has to be.
	masked, err := kernels.Mask(nil, v.vector, kernels.IsNull(nil, s.vector))
	if err != nil {
		return Column{}, err
	}
	rows := kernels.TrueRows(nil, kernels.IsNotFalse(nil, s.vector))
	return o.result(values.Field, o.compact(kernels.Filter(nil, masked, rows, rows.Count(v.Len()))), v.nullable || s.nullable, s.nullable)
}

// FilterBatch is Filter for all columns of a record batch, with the schema that the results have. The caller releases it.
//
// Options: those of Filter.
func FilterBatch(batch arrow.RecordBatch, selection Column, nulls NullSelection, o Options) (arrow.RecordBatch, error) {
	return eachColumn(batch, func(c Column) (Column, error) { return Filter(c, selection, nulls, o) })
}

// TakeBatch is Take for all columns of a record batch, with the schema that the results have. The caller releases it.
//
// Options: those of Take.
func TakeBatch(batch arrow.RecordBatch, indices Column, o Options) (arrow.RecordBatch, error) {
	return eachColumn(batch, func(c Column) (Column, error) { return Take(c, indices, o) })
}

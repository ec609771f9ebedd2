package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// nullWorkloads has the question which rows are null, for every way to hold nulls. Arrow-go's side is a loop over IsNull, which is wrong for all but plain columns:
// it looks at the column's own bitmap and never at dictionaries, runs and variants. What Lacuna answers is checked row by row.
//
// "nulls" asks a vector; "nulls of an array" starts from the Arrow array, with the checks of its import.
func nullWorkloads(in *inputs, nulls int) []workload {
	dt := arrow.PrimitiveTypes.Int64
	var all []workload
	for _, c := range []struct {
		name  string
		array arrow.Array
	}{
		{"int64", withoutBitmap(in.values(dt, nulls, 0).array)},
		{"dictionary with null entries", in.nullableDictionary(dt, nulls)},
		{"runs of 4", in.runs(dt, 4, nulls).array},
		{"runs of 100", in.runs(dt, 100, nulls).array},
		{"sparse union", in.union(arrow.SparseMode, nulls)},
		{"dense union", in.union(arrow.DenseMode, nulls)},
		{"struct of a sparse union", in.structOfUnion(nulls)},
	} {
		all = append(all, nullWorkload(c.name, c.array, nulls, false), nullWorkload(c.name, c.array, nulls, true))
	}
	return all
}

// withoutBitmap leaves out a bitmap in which no row is null, which builders make too.
func withoutBitmap(arr arrow.Array) arrow.Array {
	if arr.NullN() > 0 {
		return arr
	}
	d := arr.Data()
	return array.MakeFromData(array.NewData(d.DataType(), d.Len(), []*memory.Buffer{nil, d.Buffers()[1]}, nil, 0, d.Offset()))
}

// nullWorkload asks for the nulls of a column, of a struct for those of its field.
func nullWorkload(name string, arr arrow.Array, nulls int, fromArray bool) workload {
	w := workload{kernel: "nulls", typ: name, nulls: nulls, selectivity: -1}
	n := arr.Len()
	imported, err := types.Import(arr, types.ImportOptions{Unions: types.UnionTagged})
	if err != nil {
		panic(err)
	}
	ours := func(env *kernels.Env) (types.Bitmap, error) { return visibleRows(env.Pool, imported), nil }
	if fromArray {
		w.kernel = "nulls of an array"
		ours = func(env *kernels.Env) (types.Bitmap, error) {
			v, err := types.Import(arr, types.ImportOptions{Unions: types.UnionTagged, Pool: env.Pool})
			if err != nil {
				return nil, err
			}
			return visibleRows(env.Pool, v), nil
		}
	}
	w.run = func(env *kernels.Env) error {
		valid, err := ours(env)
		if valid != nil {
			sink += valid[0]
		}
		return err
	}
	w.peer = func() error {
		for i := range n {
			if arr.IsNull(i) {
				sink++
			}
		}
		return nil
	}
	w.verify = func(env *kernels.Env) error {
		valid, err := ours(env)
		if err != nil {
			return err
		}
		for i := range n {
			if want := !nullByRow(arr, i); valid.Has(i) != want {
				return fmt.Errorf("row %d is valid: %v, want %v", i, valid.Has(i), want)
			}
		}
		return nil
	}
	return w
}

// visibleRows gives the rows that are not null: of a union those whose variant holds a value, of a struct those of its union.
func visibleRows(pool *types.Pool, v *types.Vector) types.Bitmap {
	switch v.Type().Kind() {
	case types.KindUnion:
		return types.InnerValidity(pool, v)
	case types.KindStruct:
		return types.AndBitmaps(pool, v.Validity(), visibleRows(pool, v.Children()[0]), v.Len())
	}
	return types.LogicalValidity(pool, v)
}

// nullByRow is the slow answer.
func nullByRow(arr arrow.Array, i int) bool {
	switch a := arr.(type) {
	case *array.Dictionary:
		return a.IsNull(i) || a.Dictionary().IsNull(a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return a.Values().IsNull(a.GetPhysicalIndex(i))
	case *array.SparseUnion:
		return a.Field(a.ChildID(i)).IsNull(i)
	case *array.DenseUnion:
		return a.Field(a.ChildID(i)).IsNull(int(a.ValueOffset(i)))
	case *array.Struct:
		return a.IsNull(i) || nullByRow(a.Field(0), i)
	}
	return arr.IsNull(i)
}

// nullableDictionary gives a dictionary column whose nulls are half keys, half entries.
func (in *inputs) nullableDictionary(dt arrow.DataType, nulls int) arrow.Array {
	return in.once(fmt.Sprint("nullable dictionary ", dt, " ", nulls), func(r *rand.Rand) arrow.Array {
		entries := randomArray(r, dt, 100, nulls/2)
		b := array.NewUint32Builder(memory.DefaultAllocator)
		defer b.Release()
		b.Reserve(in.rows)
		for range in.rows {
			if key := uint32(r.IntN(100)); r.IntN(200) < nulls {
				b.AppendNull()
			} else {
				b.Append(key)
			}
		}
		return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: dt}, b.NewArray(), entries)
	}).array
}

// union gives a union of two kinds of numbers in random order.
func (in *inputs) union(mode arrow.UnionMode, nulls int) arrow.Array {
	return in.once(fmt.Sprint("union ", mode, " ", nulls), func(r *rand.Rand) arrow.Array {
		codes := make([]int8, in.rows)
		offsets := make([]int32, in.rows)
		var used [2]int32
		for i := range codes {
			codes[i] = int8(r.IntN(2))
			offsets[i] = used[codes[i]]
			used[codes[i]]++
		}
		lengths := [2]int{in.rows, in.rows}
		if mode == arrow.DenseMode {
			lengths = [2]int{int(used[0]), int(used[1])}
		}
		children := []arrow.Array{randomArray(r, arrow.PrimitiveTypes.Int64, lengths[0], nulls), randomArray(r, arrow.PrimitiveTypes.Float64, lengths[1], nulls)}
		fields := []arrow.Field{
			{Name: "number", Type: arrow.PrimitiveTypes.Int64, Nullable: nulls > 0}, {Name: "share", Type: arrow.PrimitiveTypes.Float64, Nullable: nulls > 0},
		}
		typeCodes := memory.NewBufferBytes(types.Bytes(codes))
		if mode == arrow.DenseMode {
			return array.NewDenseUnion(arrow.DenseUnionOf(fields, []int8{0, 1}), in.rows, children, typeCodes, memory.NewBufferBytes(types.Bytes(offsets)), 0)
		}
		return array.NewSparseUnion(arrow.SparseUnionOf(fields, []int8{0, 1}), in.rows, children, typeCodes, 0)
	}).array
}

// structOfUnion gives a struct, null in a share of rows, of such a union.
func (in *inputs) structOfUnion(nulls int) arrow.Array {
	return in.once(fmt.Sprint("struct of union ", nulls), func(r *rand.Rand) arrow.Array {
		union := in.union(arrow.SparseMode, nulls)
		flags := randomArray(r, arrow.FixedWidthTypes.Boolean, in.rows, nulls)
		dt := arrow.StructOf(arrow.Field{Name: "u", Type: union.DataType(), Nullable: nulls > 0})
		data := array.NewData(dt, in.rows, flags.Data().Buffers()[:1], []arrow.ArrayData{union.Data()}, flags.NullN(), 0)
		return array.MakeFromData(data)
	}).array
}

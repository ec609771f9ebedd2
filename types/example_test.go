package types_test

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
)

// readings is a sparse union of a nullable number and a required text: [5, null, "off", 7].
func readings() (arrow.Field, arrow.Array) {
	dt := arrow.SparseUnionOf([]arrow.Field{
		{Name: "number", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.String},
	}, []arrow.UnionTypeCode{0, 1})
	b := array.NewSparseUnionBuilder(memory.DefaultAllocator, dt)
	defer b.Release()
	numbers, texts := b.Child(0).(*array.Int64Builder), b.Child(1).(*array.StringBuilder)
	for _, x := range []any{int64(5), nil, "off", int64(7)} {
		switch x := x.(type) {
		case int64:
			b.Append(0)
			numbers.Append(x)
			texts.Append("")
		case string:
			b.Append(1)
			numbers.Append(0)
			texts.Append(x)
		default:
			b.Append(0)
			numbers.AppendNull()
			texts.Append("")
		}
	}
	return arrow.Field{Name: "reading", Type: dt, Nullable: true}, b.NewArray()
}

// A union has no bitmap; whether a row is null depends on the variant that it selects. Arrow's own IsNull says that none is.
func ExampleImport_union() {
	_, arr := readings()
	defer arr.Release()
	v, err := types.Import(arr, types.ImportOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	valid := types.LogicalValidity(nil, v)
	for row := range v.Len() {
		fmt.Println(row, !valid.Has(row), arr.IsNull(row))
	}
	fmt.Println("nulls:", types.NullCount(nil, v), "not", arr.NullN())
	// Output:
	// 0 false false
	// 1 true false
	// 2 false false
	// 3 false false
	// nulls: 1 not 0
}

// A UNION that may be NULL becomes one of several Arrow types. Here a NULL comes to the row of a text, as after an outer join.
func ExampleExportField_unionPolicies() {
	_, arr := readings()
	defer arr.Release()
	v, err := types.Import(arr, types.ImportOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	v = v.WithValidity(types.Bitmap{0b1001}) // rows 1 and 2 are NULL
	column := types.Field{Name: "reading", Type: v.Type(), Nullable: true}
	for _, policy := range []types.UnionPolicy{
		types.UnionKeep, types.UnionNullVariant, types.UnionValidityStruct, types.UnionVariant, types.UnionWidenAll, types.UnionInPlace, types.UnionForbid,
	} {
		opts := types.ExportOptions{Unions: policy, UnionCode: 0}
		f := types.ExportField(column, opts)
		batch, err := types.ExportBatch(types.NewBatch([]*types.Vector{v}, v.Len(), 0), arrow.NewSchema([]arrow.Field{f}, nil), opts)
		if err != nil {
			fmt.Printf("%-14s %v\n", policy, err)
			continue
		}
		fmt.Printf("%-14s %s\n", policy, batch.Column(0))
		batch.Release()
	}
	// Output:
	// Keep           [{number=5} {number=<nil>} {number=<nil>} {number=7}]
	// NullVariant    [{number=5} {__null=<nil>} {__null=<nil>} {number=7}]
	// ValidityStruct [[0,5] (null) (null) [0,7]]
	// Variant        [{number=5} {number=<nil>} {number=<nil>} {number=7}]
	// WidenAll       [{number=5} {number=<nil>} {text=<nil>} {number=7}]
	// InPlace        no variant of UNION(number BIGINT, text VARCHAR) can hold the null (column reading, row 2)
	// Forbid         no variant of UNION(number BIGINT, text VARCHAR) can hold the null (column reading, row 1)
}

// Whether a run-end-encoded column may hold nulls is said twice, of the column and of its values. Both change, and no value is copied.
func ExampleRequired() {
	b := array.NewRunEndEncodedBuilder(memory.DefaultAllocator, arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String)
	defer b.Release()
	b.Append(2)
	b.ValueBuilder().AppendNull()
	b.Append(3)
	b.ValueBuilder().(*array.StringBuilder).Append("b")
	arr := b.NewArray()
	defer arr.Release()
	f := arrow.Field{Name: "state", Type: arr.DataType(), Nullable: true}

	_, _, err := types.Required(f, arr)
	fmt.Println(err)

	window := array.NewSlice(arr, 2, 5) // past the null
	defer window.Release()
	g, required, err := types.Required(f, window)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer required.Release()
	fmt.Println(g.Nullable, g.Type.(*arrow.RunEndEncodedType).ValueNullable, required)

	h, optional, err := types.Optional(g, required, types.OptionalOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer optional.Release()
	fmt.Println(h.Nullable, h.Type.(*arrow.RunEndEncodedType).ValueNullable)
	// Output:
	// null in a required field (column state, row 0) and in 2 rows altogether
	// false false [{3 -> b}]
	// true true
}

// Validate finds what Arrow lets pass: a null that shows under a required field, with its path, row and how many there are.
func ExampleValidateBatch() {
	list := arrow.ListOfField(arrow.Field{Name: "item", Type: arrow.PrimitiveTypes.Int64}) // required elements
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "tags", Type: list, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, nil)
	tags := b.Field(1).(*array.ListBuilder)
	tags.Append(true)
	tags.ValueBuilder().(*array.Int64Builder).AppendValues([]int64{7, 8}, nil)
	tags.AppendNull()
	tags.Append(true)
	tags.ValueBuilder().AppendNull()
	batch := b.NewRecordBatch()
	defer batch.Release()

	for _, level := range []types.ValidateLevel{types.ValidateContents, types.ValidateNulls} {
		fmt.Println(level, types.ValidateBatch(batch, level))
	}
	// Output:
	// contents <nil>
	// nulls null in a required field (column tags[], row 2)
}

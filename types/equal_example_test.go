package types_test

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
)

func fromJSON(dt arrow.DataType, text string) arrow.Array {
	arr, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	return arr
}

// Equal is strict about types and nulls, and does not look at what nulls hide or how rows are cut into chunks.
func ExampleEqualArrays() {
	text := fromJSON(arrow.BinaryTypes.String, `["x", null, "y"]`)
	view := fromJSON(arrow.BinaryTypes.StringView, `["x", null, "y"]`)
	fmt.Println(types.EqualArrays(text, view, types.EqualOptions{}))
	fmt.Println(types.EqualArrays(text, view, types.EqualOptions{IgnoreEncoding: true}))

	x, y := array.NewSlice(text, 0, 1), array.NewSlice(text, 1, 3)
	parts := arrow.NewChunked(text.DataType(), []arrow.Array{x, y})
	whole := arrow.NewChunked(text.DataType(), []arrow.Array{text})
	fmt.Println(types.EqualChunked(parts, whole, types.EqualOptions{}))
	fmt.Println(types.EqualChunked(parts, whole, types.EqualOptions{Layout: true}))
	// Output:
	// false
	// true
	// true
	// false
}

// Arrays that are equal may still lie in memory in another way: here one says that no row is null by leaving out the bitmap.
func ExampleIdentical() {
	a := fromJSON(arrow.PrimitiveTypes.Int64, `[7, 8, 9]`)
	b := array.MakeFromData(array.NewData(a.DataType(), 3, []*memory.Buffer{nil, a.Data().Buffers()[1]}, nil, 0, 0))
	fmt.Println(types.EqualArrays(a, b, types.EqualOptions{}), types.Identical(a, b))

	// Where a slice starts is no part of the layout.
	c := fromJSON(arrow.PrimitiveTypes.Int64, `[8, 9]`)
	fmt.Println(types.Identical(array.NewSlice(a, 1, 3), c))
	// Output:
	// true false
	// true
}

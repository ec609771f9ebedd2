package arrays_test

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/arrays"
)

func fromJSON(dt arrow.DataType, values string) arrow.Array {
	a, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(values))
	if err != nil {
		panic(err)
	}
	return a
}

// A null index gives a null row, whatever the type of the values.
func ExampleTake() {
	values := fromJSON(arrow.ListOf(arrow.BinaryTypes.String), `[["a"], null, ["b", null]]`)
	indices := fromJSON(arrow.PrimitiveTypes.Int16, `[2, null, 0]`)
	taken, err := arrays.Take(arrays.Of(values), arrays.Of(indices), arrays.Options{})
	if err != nil {
		panic(err)
	}
	defer taken.Release()
	fmt.Println(taken.Array)
	// Output: [["b" (null)] (null) ["a"]]
}

// Nulls of a dictionary's values count, and a constant is one row that stands for many.
func ExampleCompare() {
	keys := fromJSON(arrow.PrimitiveTypes.Int8, `[0, 1, null, 0]`)
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	colours := array.NewDictionaryArray(dt, keys, fromJSON(arrow.BinaryTypes.String, `["red", null]`))
	red := arrays.Of(fromJSON(arrow.BinaryTypes.String, `["red"]`))
	red.Repeat = colours.Len()
	equal, err := arrays.Compare(kernels.Equal, arrays.Of(colours), red, arrays.Options{})
	if err != nil {
		panic(err)
	}
	defer equal.Release()
	fmt.Println(equal.Array)
	// Output: [true (null) (null) true]
}

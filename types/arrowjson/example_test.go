package arrowjson_test

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowjson"
)

// A union column goes to JSON and comes back with its variants, also those that hold null.
func Example() {
	union := arrow.DenseUnionOf([]arrow.Field{
		{Name: "number", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
	}, []arrow.UnionTypeCode{5, 9})
	field := arrow.Field{Name: "value", Type: union, Nullable: true}

	arr, err := arrowjson.Unmarshal([]byte(`[[5, 9007199254740993], [9, "x"], [9, null], [5, null]]`), field, arrowjson.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer arr.Release()
	for row, code := range arr.(*array.DenseUnion).RawTypeCodes() {
		fmt.Println("row", row, "is of variant", code)
	}
	text, err := arrowjson.Marshal(field, arr.Data(), arrowjson.WriteOptions{})
	fmt.Println(string(text), err)

	// A null that no variant takes is an error with its place.
	_, err = arrowjson.Unmarshal([]byte(`[[5, 1], null]`), arrow.Field{Name: "value", Type: types.NullableUnionOf(union, true)}, arrowjson.ReadOptions{})
	fmt.Println(err)

	// Output:
	// row 0 is of variant 5
	// row 1 is of variant 9
	// row 2 is of variant 9
	// row 3 is of variant 5
	// [[5,9007199254740993],[9,"x"],[9,null],[5,null]] <nil>
	// null in a required field (column value, row 1) at line 1, column 10
}

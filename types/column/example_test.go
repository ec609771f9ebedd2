package column_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types/column"
)

// A column is read as Go values, its nulls as a Go type of their own.
func Example() {
	id := column.Describe("id", column.Int64)
	city := column.Describe("city", column.Dictionary(arrow.PrimitiveTypes.Int32, column.String)).Optional()

	ids, _ := id.Make([]int64{1, 2, 3})
	cities, _ := city.Make([]column.Optional[string]{column.Some("Kyiv"), column.Null[string](), column.Some("Kyiv")})
	batch, _ := column.Batch(ids, cities)
	defer batch.Release()

	read, err := city.From(batch)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer read.Release()
	for row, name := range read.All() {
		fmt.Println(row, name.Or("unknown"))
	}
	_, err = city.Required().From(batch)
	fmt.Println(err)
	// Output:
	// 0 Kyiv
	// 1 unknown
	// 2 Kyiv
	// null in a required field (column city, row 1)
}

// Structs are Go structs, lists slices.
func ExampleStruct() {
	type trip struct {
		From  string
		Stops []string
		Price column.Optional[float64]
	}
	trips := column.Describe("trip", column.Struct(
		column.Field("from", column.String, func(t *trip) *string { return &t.From }),
		column.Field("stops", column.List(column.String), func(t *trip) *[]string { return &t.Stops }),
		column.OptionalField("price", column.Float64, func(t *trip) *column.Optional[float64] { return &t.Price }),
	))
	made, err := trips.Make([]trip{{"Oslo", []string{"Hamar", "Lillehammer"}, column.Some(39.5)}, {From: "Bergen"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer made.Release()
	fmt.Println(made.Array())
	for _, t := range made.All() {
		fmt.Println(t.From, len(t.Stops), t.Price)
	}
	// Output:
	// {["Oslo" "Bergen"] [["Hamar" "Lillehammer"] []] [39.5 (null)]}
	// Oslo 2 {39.5 true}
	// Bergen 0 {0 false}
}

// Runs gives each value once.
func ExampleColumn_Runs() {
	status := column.Describe("status", column.RunEnd(arrow.PrimitiveTypes.Int32, column.String))
	made, err := status.Make([]string{"open", "open", "open", "closed", "closed"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer made.Release()
	for run, value := range made.Runs() {
		fmt.Println(run.End-run.Start, value)
	}
	// Output:
	// 3 open
	// 2 closed
}

// TestReadme finds the first example in the README.
func TestReadme(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(source), "func Example() {\n")
	body, _, found := strings.Cut(body, "\t// Output:")
	if !found {
		t.Fatal("there is no example")
	}
	var want strings.Builder
	for line := range strings.Lines(body) {
		want.WriteString(strings.TrimPrefix(line, "\t"))
	}
	if !strings.Contains(string(readme), "```go\n"+want.String()+"```\n") {
		t.Errorf("the README has another example than\n%s", want.String())
	}
}

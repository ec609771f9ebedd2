package arrays

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
)

// Types of the cases.
var (
	i8, i16, i32, i64 = arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64
	f64, utf8, view   = arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String, arrow.BinaryTypes.StringView
	boolean8          = arrow.FixedWidthTypes.Boolean
)

// flat makes an array of JSON values.
func flat(dt arrow.DataType, values string) arrow.Array {
	a, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(values))
	if err != nil {
		panic(err)
	}
	return a
}

// ints makes a column of int32, which is required without a null in the values.
func ints(values string) Column { return column(i32, values) }

func texts(values string) Column { return column(utf8, values) }

func bools(values string) Column { return column(boolean8, values) }

func column(dt arrow.DataType, values string) Column {
	c := Of(flat(dt, values))
	if !strings.Contains(values, "null") {
		return c.Required()
	}
	return c
}

// nullable declares a column as nullable.
func nullable(c Column) Column {
	c.Field.Nullable = true
	if runs, ok := c.Field.Type.(*arrow.RunEndEncodedType); ok {
		c.Field.Type = withRuns(runs, runs.RunEnds(), runs.Encoded(), true)
	}
	return c
}

func slice(c Column, from, to int64) Column {
	c.Array = array.NewSlice(c.Array, from, to)
	return c
}

func repeat(c Column, n int) Column {
	c.Repeat = n
	return c
}

func noNulls(a arrow.Array) bool {
	n, err := Of(a).NullCount()
	return err == nil && n == 0
}

// dict makes a dictionary of int8 keys.
func dict(keys string, entries arrow.Array) Column { return dictOf(i8, keys, entries) }

func dictOf(keyType arrow.DataType, keys string, entries arrow.Array) Column {
	dt := &arrow.DictionaryType{IndexType: keyType, ValueType: entries.DataType()}
	c := Of(array.NewDictionaryArray(dt, flat(keyType, keys), entries))
	if !strings.Contains(keys, "null") && noNulls(entries) {
		c.Field.Nullable = false
	}
	return c
}

// runs makes runs with run ends of int32.
func runs(ends string, values arrow.Array) Column {
	required := values.DataType().ID() != arrow.NULL && noNulls(values)
	return runsOf(i32, ends, values, !required)
}

func runsOf(endType arrow.DataType, ends string, values arrow.Array, null bool) Column {
	e := flat(endType, ends)
	dt := arrow.RunEndEncodedOf(endType, values.DataType())
	dt.ValueNullable = null
	n := 0
	switch x := e.(type) {
	case *array.Int32:
		if x.Len() > 0 {
			n = int(x.Value(x.Len() - 1))
		}
	case *array.Int16:
		n = int(x.Value(x.Len() - 1))
	}
	data := array.NewData(dt, n, []*memory.Buffer{nil}, []arrow.ArrayData{e.Data(), values.Data()}, 0, 0)
	return Column{Field: arrow.Field{Type: dt, Nullable: null}, Array: array.MakeFromData(data)}
}

// variant is a variant of a union with its children. A name that ends with ! is required.
type variant struct {
	code   arrow.UnionTypeCode
	name   string
	values arrow.Array
}

func fieldsOf(variants []variant) (fields []arrow.Field, codes []arrow.UnionTypeCode, children []arrow.ArrayData) {
	for _, v := range variants {
		name, required := strings.CutSuffix(v.name, "!")
		fields = append(fields, arrow.Field{Name: name, Type: v.values.DataType(), Nullable: !required})
		codes = append(codes, v.code)
		children = append(children, v.values.Data())
	}
	return fields, codes, children
}

// sparse makes a sparse union; the children are as long as the codes.
func sparse(codes []int8, variants ...variant) Column {
	fields, ids, children := fieldsOf(variants)
	dt := arrow.SparseUnionOf(fields, ids)
	data := array.NewData(dt, len(codes), []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int8Traits.CastToBytes(codes))}, children, 0, 0)
	return Column{Field: arrow.Field{Type: dt, Nullable: unionNullable(dt)}, Array: array.MakeFromData(data)}
}

func dense(codes []int8, offsets []int32, variants ...variant) Column {
	fields, ids, children := fieldsOf(variants)
	dt := arrow.DenseUnionOf(fields, ids)
	data := array.NewData(dt, len(codes), []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int8Traits.CastToBytes(codes)), memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets))}, children, 0, 0)
	return Column{Field: arrow.Field{Type: dt, Nullable: unionNullable(dt)}, Array: array.MakeFromData(data)}
}

// super makes a column of types.NullableUnionOf over a union; valid says which rows are not NULL, as 1 and 0.
func super(union Column, valid string) Column { return superOf(union, valid, true) }

// superOf is super of a tagged type or a lifted one.
func superOf(union Column, valid string, tagged bool) Column {
	bits := make([]byte, bitutil.BytesForBits(int64(len(valid))))
	nulls := 0
	for i, c := range valid {
		if c == '1' {
			bitutil.SetBit(bits, i)
		} else {
			nulls++
		}
	}
	dt := types.NullableUnionOf(union.Field.Type, tagged)
	buffer := memory.NewBufferBytes(bits)
	if nulls == 0 {
		buffer = nil
	}
	data := array.NewData(dt, len(valid), []*memory.Buffer{buffer}, []arrow.ArrayData{union.Array.Data()}, nulls, 0)
	return Column{Field: arrow.Field{Type: dt, Nullable: nulls > 0}, Array: array.MakeFromData(data)}
}

// structs makes structs; names that end with ! are required. valid is as for super, "" for no bitmap.
func structs(valid string, fields map[string]arrow.Array, names ...string) Column {
	var declared []arrow.Field
	var children []arrow.ArrayData
	n := 0
	for _, name := range names {
		plain, required := strings.CutSuffix(name, "!")
		a := fields[name]
		declared = append(declared, arrow.Field{Name: plain, Type: a.DataType(), Nullable: !required})
		children = append(children, a.Data())
		n = a.Len()
	}
	var buffer *memory.Buffer
	if valid != "" {
		bits := make([]byte, bitutil.BytesForBits(int64(n)))
		for i, c := range valid {
			if c == '1' {
				bitutil.SetBit(bits, i)
			}
		}
		buffer = memory.NewBufferBytes(bits)
	}
	dt := arrow.StructOf(declared...)
	data := array.NewData(dt, n, []*memory.Buffer{buffer}, children, strings.Count(valid, "0"), 0)
	return Column{Field: arrow.Field{Type: dt, Nullable: valid != ""}, Array: array.MakeFromData(data)}
}

// same reports how a result differs from what is wanted, "" for not at all: field type and nullability, values by types.Equal, and ValidateStrict.
func same(got, want Column) string {
	if !arrow.TypeEqual(got.Field.Type, want.Field.Type) {
		return "type " + got.Field.Type.String() + ", want " + want.Field.Type.String()
	}
	if !arrow.TypeEqual(got.Field.Type, got.Array.DataType()) {
		return "the array is of type " + got.Array.DataType().String()
	}
	if got.Field.Nullable != want.Field.Nullable && want.Field.Type.ID() != arrow.NULL {
		return "nullability"
	}
	if err := types.Validate(got.Field, got.Array.Data(), types.ValidateStrict); err != nil {
		return err.Error()
	}
	a, err := load(got, types.UnionTagged)
	if err != nil {
		return err.Error()
	}
	b, err := load(want, types.UnionTagged)
	if err != nil {
		return "want: " + err.Error()
	}
	if !types.EqualWith(a.vector, b.vector, types.EqualOptions{BitwiseFloats: true}) {
		return "got " + got.Array.String() + ", want " + want.Array.String()
	}
	return ""
}

// outcome is what a case is to give: a column or an error of a kind, at a row if that is not -1.
type outcome struct {
	column Column
	kind   error
	row    int64
}

func gives(c Column) outcome              { return outcome{column: c} }
func fails(kind error, row int64) outcome { return outcome{kind: kind, row: row} }

type testCase struct {
	id   string
	run  func() (Column, error)
	want outcome
}

func runCases(t *testing.T, cases []testCase) {
	for _, c := range cases {
		t.Run(c.id, func(t *testing.T) {
			got, err := c.run()
			if c.want.kind != nil {
				var e *types.Error
				if !errors.Is(err, c.want.kind) || !errors.As(err, &e) || c.want.row >= 0 && e.Row != c.want.row {
					t.Fatalf("got %v (%v), want %v at row %d", err, got.Array, c.want.kind, c.want.row)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer got.Release()
			if difference := same(got, c.want.column); difference != "" {
				t.Error(difference)
			}
		})
	}
}

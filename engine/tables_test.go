package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/engine"
)

// The tables that every .slt file finds, in memory. They come in several record batches, so that scans cross their borders.
//
//	t(i INTEGER, d DECIMAL(10,2), s VARCHAR, b BOOLEAN, day DATE, x DOUBLE): 8 rows with nulls in every column
//	encoded(id BIGINT NOT NULL, dict VARCHAR as dictionary, runs INTEGER as runs): 8 rows
//	n(n BIGINT NOT NULL, m INTEGER, s VARCHAR, x DOUBLE): 10000 rows: n counts from 0, m is n % 7 or NULL where n % 11 = 0, s is 's' and n % 13
//	    or NULL where n % 5 = 0, x is n / 4
//	nothing(i INTEGER, s VARCHAR): no rows
func loadSLT(t testing.TB, db *engine.DB, alloc memory.Allocator) {
	t.Helper()
	nullable := func(name string, dt arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: dt, Nullable: true}
	}
	small := arrow.NewSchema([]arrow.Field{
		nullable("i", arrow.PrimitiveTypes.Int32), nullable("d", &arrow.Decimal128Type{Precision: 10, Scale: 2}),
		nullable("s", arrow.BinaryTypes.String), nullable("b", arrow.FixedWidthTypes.Boolean), nullable("day", arrow.FixedWidthTypes.Date32),
		nullable("x", arrow.PrimitiveTypes.Float64),
	}, nil)
	registerJSON(t, db, alloc, "t", small, `[
		{"i": 1, "d": "1.50", "s": "one", "b": true, "day": "2024-01-31", "x": 0.5},
		{"i": 2, "d": "-2.25", "s": "two", "b": false, "day": "2024-02-29", "x": -1.5},
		{"i": null, "d": "0.00", "s": "", "b": null, "day": "1969-12-31", "x": 1e10}]`, `[
		{"i": 3, "d": null, "s": null, "b": true, "day": null, "x": null},
		{"i": -4, "d": "99999999.99", "s": "NULL", "b": false, "day": "2024-01-31", "x": 0.0}]`, `[
		{"i": 2, "d": "-2.25", "s": "naïve 日本", "b": true, "day": "0001-01-01", "x": 2.5},
		{"i": null, "d": null, "s": null, "b": null, "day": null, "x": null},
		{"i": 2147483647, "d": "7.00", "s": "a longer text, beyond twelve bytes", "b": false, "day": "9999-12-31", "x": -0.0}]`)

	encoded := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		nullable("dict", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}),
		nullable("runs", arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int32)),
	}, nil)
	registerJSON(t, db, alloc, "encoded", encoded, `[
		{"id": 1, "dict": "x", "runs": 10}, {"id": 2, "dict": null, "runs": 10}, {"id": 3, "dict": "y", "runs": 10},
		{"id": 4, "dict": "x", "runs": null}, {"id": 5, "dict": "x", "runs": null}]`, `[
		{"id": 6, "dict": "y", "runs": 20}, {"id": 7, "dict": "z", "runs": 20}, {"id": 8, "dict": null, "runs": 20}]`)

	registerJSON(t, db, alloc, "nothing", arrow.NewSchema([]arrow.Field{
		nullable("i", arrow.PrimitiveTypes.Int32), nullable("s", arrow.BinaryTypes.String)}, nil), `[]`)
	registerNumbers(t, db, alloc, "n", 10000)
}

// registerJSON makes a table of record batches that are written as JSON.
func registerJSON(t testing.TB, db *engine.DB, alloc memory.Allocator, name string, schema *arrow.Schema, batches ...string) {
	t.Helper()
	var records []arrow.RecordBatch
	for _, text := range batches {
		record, _, err := array.RecordFromJSON(alloc, schema, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		defer record.Release()
		records = append(records, record)
	}
	if err := db.RegisterRecords(name, schema, records); err != nil {
		t.Fatal(err)
	}
}

// registerNumbers makes a table like n of rows rows.
func registerNumbers(t testing.TB, db *engine.DB, alloc memory.Allocator, name string, rows int) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64},
		{Name: "m", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(alloc, schema)
	defer b.Release()
	var records []arrow.RecordBatch
	for i := range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if i%11 == 0 {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.Int32Builder).Append(int32(i % 7))
		}
		if i%5 == 0 {
			b.Field(2).AppendNull()
		} else {
			b.Field(2).(*array.StringBuilder).Append(fmt.Sprintf("s%d", i%13))
		}
		b.Field(3).(*array.Float64Builder).Append(float64(i) / 4)
		if i%3000 == 2999 || i == rows-1 {
			records = append(records, b.NewRecordBatch())
		}
	}
	err := db.RegisterRecords(name, schema, records)
	for _, r := range records {
		r.Release()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// registerEndless makes a table without columns of more rows than anybody waits for.
func registerEndless(t testing.TB, db *engine.DB) {
	t.Helper()
	schema := arrow.NewSchema(nil, nil)
	record := array.NewRecordBatch(schema, nil, 1<<50)
	defer record.Release()
	if err := db.RegisterRecords("endless", schema, []arrow.RecordBatch{record}); err != nil {
		t.Fatal(err)
	}
}

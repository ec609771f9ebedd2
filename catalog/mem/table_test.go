package mem_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/catalog/mem"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// chunkedTable makes a table of one column whose rows are cut into chunks of the given lengths, as slices of one array.
func chunkedTable(field arrow.Field, arr arrow.Array, lengths ...int) arrow.Table {
	var chunks []arrow.Array
	start := int64(0)
	for _, n := range lengths {
		chunks = append(chunks, array.NewSlice(arr, start, start+int64(n)))
		start += int64(n)
	}
	column := arrow.NewColumnFromArr(field, arr)
	if len(chunks) > 0 {
		chunked := arrow.NewChunked(field.Type, chunks)
		column.Release()
		column = *arrow.NewColumn(field, chunked)
		chunked.Release()
	}
	for _, c := range chunks {
		c.Release()
	}
	defer column.Release()
	return array.NewTable(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Column{column}, int64(arr.Len()))
}

// scanAll reads columns of a table with two interleaved readers of morsels and gives the batches in source order, copied.
func scanAll(t *testing.T, table catalog.Table, batchRows int, columns ...int) []*types.Batch {
	t.Helper()
	ctx := context.Background()
	request := catalog.ScanRequest{BatchRows: batchRows, Limit: -1}
	for _, c := range columns {
		request.Columns = append(request.Columns, catalog.ColumnPath{Column: c})
	}
	scan, err := table.Scan(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	defer scan.Close()
	var batches []*types.Batch
	var last types.Sequence = -1
	pool := types.NewPool()
	for want := 0; ; want++ {
		m, err := scan.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if m == nil {
			break
		}
		if m.Number() != want {
			t.Errorf("morsel %d has number %d", want, m.Number())
		}
		for {
			mark := pool.Mark()
			b, err := m.Next(ctx, pool)
			if err != nil {
				t.Fatal(err)
			}
			if b == nil {
				break
			}
			if b.Rows == 0 || b.Rows > batchRows || len(b.Columns) != len(columns) || b.Selection != nil || b.Sequence <= last {
				t.Fatalf("batch of %d rows, %d columns, sequence %d after %d", b.Rows, len(b.Columns), b.Sequence, last)
			}
			last = b.Sequence
			for _, v := range b.Columns {
				if v.Len() != b.Rows {
					t.Fatalf("vector of %d rows in a batch of %d", v.Len(), b.Rows)
				}
				pool.Adopt(v)
			}
			batches = append(batches, b)
			pool.Release(mark)
		}
	}
	return batches
}

// TestTypes scans random arrays of every type, in chunks, and compares each row with the array's.
func TestTypes(t *testing.T) {
	alloc := arrowtest.NewAllocator(t)
	rng := rand.New(rand.NewPCG(1, 2))
	kinds := arrowtest.FlatTypes()
	for range 40 {
		kinds = append(kinds, arrowtest.RandomType(rng, 2))
	}
	for i, dt := range kinds {
		t.Run(fmt.Sprintf("%d %s", i, dt), func(t *testing.T) {
			field := arrow.Field{Name: "c", Type: dt, Nullable: true}
			arr := arrowtest.RandomArray(rng, alloc, dt, 300, arrowtest.Options{})
			defer arr.Release()
			want, err := types.Import(arr, types.ImportOptions{})
			if err != nil {
				t.Skip(err) // a type without an SQL counterpart
			}
			source := chunkedTable(field, arr, 0, 130, 0, 1, 64, 105, 0)
			defer source.Release()
			table, err := mem.NewTable(source)
			if err != nil {
				t.Fatal(err)
			}
			defer table.Release()
			if rows := table.Statistics(); rows.Rows != 300 || rows.RowsConfidence != catalog.Exact {
				t.Errorf("statistics: %+v", rows)
			}
			for _, batchRows := range []int{1, 7, 64, 1000} {
				row := 0
				for _, b := range scanAll(t, table, batchRows, 0) {
					v := b.Columns[0]
					if !v.Type().Equal(table.Schema()[0].Type) {
						t.Fatalf("batch of type %s in a column of type %s", v.Type(), table.Schema()[0].Type)
					}
					if got := want.Slice(nil, row, row+b.Rows); !types.EqualWith(got, v, types.EqualOptions{IgnoreEncoding: true, BitwiseFloats: true}) {
						t.Fatalf("batch rows %d: rows %d to %d differ", batchRows, row, row+b.Rows)
					}
					row += b.Rows
				}
				if row != 300 {
					t.Errorf("batch rows %d: %d rows", batchRows, row)
				}
			}
		})
	}
}

// TestChunksDiffer scans columns that are cut at different rows.
func TestChunksDiffer(t *testing.T) {
	alloc := arrowtest.NewAllocator(t)
	rng := rand.New(rand.NewPCG(3, 4))
	fields := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}}
	cuts := [][]int{{100, 50, 50}, {30, 30, 30, 110}}
	columns := make([]arrow.Column, 2)
	var want []*types.Vector
	for i, f := range fields {
		arr := arrowtest.RandomArray(rng, alloc, f.Type, 200, arrowtest.Options{})
		defer arr.Release()
		v, err := types.Import(arr, types.ImportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, v)
		one := chunkedTable(f, arr, cuts[i]...)
		defer one.Release()
		columns[i] = *one.Column(0)
	}
	source := array.NewTable(arrow.NewSchema(fields, nil), columns, 200)
	defer source.Release()
	table, err := mem.NewTable(source)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	row := 0
	for _, b := range scanAll(t, table, 64, 1, 0) {
		for i, v := range b.Columns {
			if !types.EqualWith(want[1-i].Slice(nil, row, row+b.Rows), v, types.EqualOptions{}) {
				t.Errorf("column %d: rows %d to %d differ", i, row, row+b.Rows)
			}
		}
		row += b.Rows
	}
	if row != 200 {
		t.Errorf("%d rows", row)
	}
}

// TestNoColumns checks that rows are counted where there are no columns, in the table or in the scan.
func TestNoColumns(t *testing.T) {
	empty := arrow.NewSchema(nil, nil)
	record := array.NewRecordBatch(empty, nil, 100)
	defer record.Release()
	table, err := mem.FromRecords(empty, []arrow.RecordBatch{record, record})
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	rows := 0
	for _, b := range scanAll(t, table, 3) {
		rows += b.Rows
	}
	if rows != 200 || table.Statistics().Rows != 200 {
		t.Errorf("%d rows scanned, %d in the statistics", rows, table.Statistics().Rows)
	}
}

// TestBorrows checks that what Arrow stores as Lacuna does is read in place, and that dictionaries are read once.
func TestBorrows(t *testing.T) {
	alloc := arrowtest.NewAllocator(t)
	rng := rand.New(rand.NewPCG(5, 6))
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	for _, dt := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.StringView, dictionary} {
		arr := arrowtest.RandomArray(rng, alloc, dt, 256, arrowtest.Options{})
		source := chunkedTable(arrow.Field{Name: "c", Type: dt, Nullable: true}, arr, 256)
		arr.Release()
		table, err := mem.NewTable(source)
		source.Release()
		if err != nil {
			t.Fatal(err)
		}
		first, second := scanAll(t, table, 64, 0), scanAll(t, table, 64, 0)
		a, b := first[1].Columns[0], second[1].Columns[0]
		if dt == arrow.DataType(dictionary) {
			if a.Encoding() != types.Dictionary || a.Entries() != b.Entries() {
				t.Errorf("%s: batches do not share their entries", dt)
			}
		} else if &a.Data().Bytes[0] != &b.Data().Bytes[0] {
			t.Errorf("%s: values are copied", dt)
		}
		table.Release()
	}
}

// required is a field that may not be null.
func required(dt arrow.DataType) arrow.Field { return arrow.Field{Name: "c", Type: dt} }

// TestErrors checks what is refused when a table is made, with column and row.
func TestErrors(t *testing.T) {
	alloc := arrowtest.NewAllocator(t)
	build := func(dt arrow.DataType, json string) arrow.Array {
		arr, _, err := array.FromJSON(alloc, dt, strings.NewReader(json))
		if err != nil {
			t.Fatal(err)
		}
		return arr
	}
	invalidUTF8 := func() arrow.Array {
		b := array.NewStringBuilder(alloc)
		defer b.Release()
		for range 5 {
			b.Append("fine")
		}
		b.Append("\xff")
		return b.NewStringArray()
	}
	tooManyDigits := func() arrow.Array {
		b := array.NewDecimal128Builder(alloc, &arrow.Decimal128Type{Precision: 3})
		defer b.Release()
		for _, x := range []int64{1, -999, 999, 0, 1000, 1} {
			b.Append(decimal128.FromI64(x))
		}
		return b.NewArray()
	}
	tests := []struct {
		name string
		arr  arrow.Array
		kind error
		code types.Code
		row  int64
	}{
		{"null in a required column", build(arrow.PrimitiveTypes.Int64, `[1, 2, 3, 4, null, 6]`), types.ErrNullInRequired, types.CodeNotNullViolation, 4},
		{"null in a required string", build(arrow.BinaryTypes.String, `["a", "b", "c", "d", "e", null]`), types.ErrNullInRequired, types.CodeNotNullViolation, 5},
		{"UTF-8", invalidUTF8(), nil, types.CodeInvalidUTF8, 5},
		{"digits", tooManyDigits(), types.ErrCastOverflow, types.CodeNumericOutOfRange, 4},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			defer test.arr.Release()
			source := chunkedTable(required(test.arr.DataType()), test.arr, 3, 3)
			defer source.Release()
			_, err := mem.NewTable(source)
			var e *types.Error
			if !errors.As(err, &e) || e.Code != test.code || e.Row != test.row || e.Path != "c" || test.kind != nil && !errors.Is(err, test.kind) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestMismatch checks tables that contradict themselves.
func TestMismatch(t *testing.T) {
	alloc := arrowtest.NewAllocator(t)
	rng := rand.New(rand.NewPCG(7, 8))
	arr := arrowtest.RandomArray(rng, alloc, arrow.PrimitiveTypes.Int32, 10, arrowtest.Options{})
	defer arr.Release()
	other := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	record := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "c", Type: arr.DataType(), Nullable: true}}, nil), []arrow.Array{arr}, 10)
	defer record.Release()
	if _, err := mem.FromRecords(other, []arrow.RecordBatch{record}); !errors.Is(err, types.ErrUnsupported) {
		t.Errorf("another type: %v", err)
	}
	if _, err := mem.FromRecords(arrow.NewSchema(nil, nil), []arrow.RecordBatch{record}); !errors.Is(err, types.ErrLengthMismatch) {
		t.Errorf("another number of columns: %v", err)
	}
	tooWide := arrow.NewSchema([]arrow.Field{{Name: "c", Type: &arrow.Decimal256Type{Precision: 70, Scale: -70}}}, nil)
	if _, err := mem.FromRecords(tooWide, nil); !errors.Is(err, types.ErrUnsupported) {
		t.Errorf("a type without a counterpart: %v", err)
	}
}

// TestReader checks that all of a reader is read, and that its error is passed on.
func TestReader(t *testing.T) {
	alloc := arrowtest.NewAllocator(t)
	rng := rand.New(rand.NewPCG(9, 10))
	schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, nil)
	arr := arrowtest.RandomArray(rng, alloc, arrow.PrimitiveTypes.Int32, 10, arrowtest.Options{})
	record := array.NewRecordBatch(schema, []arrow.Array{arr}, 10)
	arr.Release()
	reader, err := array.NewRecordReader(schema, []arrow.RecordBatch{record, record, record})
	record.Release()
	if err != nil {
		t.Fatal(err)
	}
	table, err := mem.FromReader(reader)
	reader.Release()
	if err != nil {
		t.Fatal(err)
	}
	if table.Statistics().Rows != 30 {
		t.Errorf("%d rows", table.Statistics().Rows)
	}
	table.Release()

	failing := array.ReaderFromIter(schema, func(yield func(arrow.RecordBatch, error) bool) {
		yield(nil, errors.New("the line went dead"))
	})
	defer failing.Release()
	if _, err := mem.FromReader(failing); err == nil || err.(*types.Error).Code != types.CodeIO {
		t.Errorf("got %v", err)
	}
}

// TestUsers checks that data live as long as the last user, and that nobody can come back after it.
func TestUsers(t *testing.T) {
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	rng := rand.New(rand.NewPCG(11, 12))
	arr := arrowtest.RandomArray(rng, alloc, arrow.PrimitiveTypes.Int64, 10, arrowtest.Options{})
	source := chunkedTable(arrow.Field{Name: "c", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, arr)
	arr.Release()
	table, err := mem.NewTable(source)
	source.Release()
	if err != nil {
		t.Fatal(err)
	}
	if !table.Acquire() {
		t.Fatal("the table is gone before its first Release")
	}
	table.Release()
	if alloc.CurrentAlloc() == 0 {
		t.Error("data were released with a user left")
	}
	table.Release()
	if n := alloc.CurrentAlloc(); n != 0 {
		t.Errorf("%d bytes are left after the last Release", n)
	}
	if table.Acquire() {
		t.Error("a released table was acquired")
	}
}

// TestCanceled checks that a scan looks at its context.
func TestCanceled(t *testing.T) {
	record := array.NewRecordBatch(arrow.NewSchema(nil, nil), nil, 100)
	defer record.Release()
	table, err := mem.FromRecords(record.Schema(), []arrow.RecordBatch{record})
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	ctx, cancel := context.WithCancel(context.Background())
	scan, err := table.Scan(ctx, catalog.ScanRequest{BatchRows: 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := scan.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := m.Next(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("batch: %v", err)
	}
	if _, err := scan.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("morsel: %v", err)
	}
	if _, err := table.Scan(ctx, catalog.ScanRequest{}); !errors.Is(err, context.Canceled) {
		t.Errorf("scan: %v", err)
	}
}

// TestRequiredFields has nulls under a required field of a struct: those that a row shows are an error, those below a null row are not, and
// the vectors that a scan gives do not have them.
func TestRequiredFields(t *testing.T) {
	column := func(valid byte) arrow.Array {
		x := array.NewData(arrow.PrimitiveTypes.Int32, 3, []*memory.Buffer{memory.NewBufferBytes([]byte{0b101}), memory.NewBufferBytes(make([]byte, 12))}, nil, 1, 0)
		dt := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32})
		return array.MakeFromData(array.NewData(dt, 3, []*memory.Buffer{memory.NewBufferBytes([]byte{valid})}, []arrow.ArrayData{x}, -1, 0))
	}
	load := func(c arrow.Array) (*mem.Table, error) {
		schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: c.DataType(), Nullable: true}}, nil)
		return mem.FromRecords(schema, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{c}, 3)})
	}
	_, err := load(column(0b111))
	var e *types.Error
	if !errors.As(err, &e) || !errors.Is(err, types.ErrNullInRequired) || e.Path != "s.x" || e.Row != 1 {
		t.Errorf("a null that a row shows: %v", err)
	}
	table, err := load(column(0b101))
	if err != nil {
		t.Fatalf("a null below a null: %v", err)
	}
	defer table.Release()
	for _, b := range scanAll(t, table, 2, 0) {
		if x := b.Columns[0].Children()[0]; x.MayHaveNulls() {
			t.Error("the scan gives a hidden null under a required field")
		}
	}
}

package parquet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/kernels/scalar"
	"github.com/lacunadb/lacuna/types"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var _ catalog.Format = Format{}

var functions = func() *expr.Set {
	set := expr.NewSet()
	scalar.Register(set)
	return set
}()

// call binds a function of the built-in set.
func call(t testing.TB, name string, args ...*expr.Expr) *expr.Expr {
	t.Helper()
	bound := make([]expr.Arg, len(args))
	for i, a := range args {
		bound[i] = expr.Arg{Type: a.Type, Constant: a.Value}
	}
	f, err := functions.Lookup(name).Bind(bound)
	if err != nil || f == nil {
		t.Fatalf("%s: %v", name, err)
	}
	return expr.NewCall(f, args...)
}

// constant makes a constant of a type.
func constant(t testing.TB, typ types.Type, x any) *expr.Expr {
	t.Helper()
	v, err := types.NewValue(typ, x)
	if err != nil {
		t.Fatal(err)
	}
	return expr.NewConstant(v)
}

// columnAt reads column i of a request for all columns.
func columnAt(t catalog.Table, name string) *expr.Expr {
	i := t.Schema().Index(name)
	f := t.Schema()[i]
	return expr.NewColumn(i, f.Name, f.Type, f.Nullable)
}

// TestFilters applies conditions in the scan and compares with applying them to all rows.
func TestFilters(t *testing.T) {
	for _, file := range []string{"nulls_v1_gzip_dictionary", "nulls_v2_none_plain", "nulls_v2_snappy_delta", "flat_v2_zstd_dictionary"} {
		table := openTable(t, "testdata/"+file+".parquet")
		all, err := readRows(table, allColumns(table))
		if err != nil {
			t.Fatal(err)
		}
		i64, str, u8 := columnAt(table, "i64"), columnAt(table, "str"), columnAt(table, "u8")
		for name, filters := range map[string][]*expr.Expr{
			"none":     {call(t, "eq", str, constant(t, types.Varchar, "nothing"))},
			"number":   {call(t, "gt", i64, constant(t, types.BigInt, int64(5e18)))},
			"text":     {call(t, "eq", str, constant(t, types.Varchar, "twelve bytestwelve bytes"))},
			"both":     {call(t, "le", i64, constant(t, types.BigInt, int64(0))), call(t, "ne", str, constant(t, types.Varchar, ""))},
			"few":      {call(t, "eq", u8, constant(t, types.UTinyInt, 96))},
			"null":     {call(t, "is_null", i64)},
			"or":       {expr.NewOr(call(t, "eq", u8, constant(t, types.UTinyInt, 3)), call(t, "eq", u8, constant(t, types.UTinyInt, 90)))},
			"constant": {expr.NewBool(true)},
			"unknown":  {expr.NewOr(call(t, "is_null", str), call(t, "eq", str, constant(t, types.Varchar, "ab")))},
			"same":     {call(t, "gt", str, constant(t, types.Varchar, "a")), call(t, "lt", str, constant(t, types.Varchar, "u"))},
			"all":      {call(t, "ge", str, constant(t, types.Varchar, ""))},
		} {
			// The same conditions on the whole table.
			env := &kernels.Env{}
			kept := make([][]any, len(all))
			err := eachBatch(table, allColumns(table), func(b *types.Batch) error {
				selected, err := expr.NewEvaluator(expr.Compile(expr.NewAnd(filters...)), env.Pool).Select(b)
				for row := selected.NextSet(0, b.Rows); row < b.Rows; row = selected.NextSet(row+1, b.Rows) {
					for c, v := range b.Columns {
						kept[c] = append(kept[c], types.Value(v, row))
					}
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if empty := name == "none" || name == "null" && file == "flat_v2_zstd_dictionary"; (len(kept[0]) == 0) != empty {
				t.Errorf("%s, %s: %d rows pass", file, name, len(kept[0]))
			}
			for _, batch := range []int{3, 50, 4096} {
				request := allColumns(table)
				request.Filters, request.BatchRows = filters, batch
				got, err := readRows(table, request)
				if err != nil {
					t.Fatal(err)
				}
				for c := range got {
					if fmt.Sprint(got[c]) != fmt.Sprint(kept[c]) {
						t.Fatalf("%s, %s, batches of %d: column %d has\n%v\ninstead of\n%v", file, name, batch, c, got[c], kept[c])
					}
				}
			}
		}
	}
}

// TestFilterThatMayFail checks that such a filter is not applied.
func TestFilterThatMayFail(t *testing.T) {
	table := openTable(t, "testdata/flat_v1_snappy_plain.parquet")
	i32 := columnAt(table, "i32")
	one := constant(t, types.Integer, int32(1))
	risky := call(t, "gt", call(t, "add", i32, one), one)
	if !risky.CanFail() {
		t.Fatal("the sum cannot fail")
	}
	if table.Applies(risky) || !table.Applies(call(t, "gt", i32, one)) {
		t.Fatal("the wrong condition is applied")
	}
	request := allColumns(table)
	request.Filters = []*expr.Expr{risky}
	_, every := scanned(t, table, allColumns(table))
	if _, rows := scanned(t, table, request); rows != every {
		t.Fatalf("%d of %d rows: a condition that may fail was evaluated", rows, every)
	}
}

// scanned gives the morsels of a scan and the rows of its batches.
func scanned(t *testing.T, table catalog.Table, request catalog.ScanRequest) (morsels, rows int) {
	t.Helper()
	last := -1
	err := eachBatch(table, request, func(b *types.Batch) error {
		if m := b.Sequence.Morsel(); m != last {
			morsels, last = morsels+1, m
		}
		rows += b.Rows
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return morsels, rows
}

// TestRowGroupSkipping counts the row groups that are read of ten with the ids 0 to 99, 100 to 199 and so on.
func TestRowGroupSkipping(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ids.parquet")
	writeIDs(t, path, 10, 100)
	table := openTable(t, path)
	id := columnAt(table, "id")
	at := func(x int64) *expr.Expr { return constant(t, types.BigInt, x) }
	for name, c := range map[string]struct {
		filter  *expr.Expr
		morsels int
	}{
		"=":          {call(t, "eq", id, at(250)), 1},
		"=, outside": {call(t, "eq", id, at(1000)), 0},
		"<":          {call(t, "lt", id, at(300)), 3},
		"<=":         {call(t, "le", id, at(300)), 4},
		"> swapped":  {call(t, "gt", at(100), id), 1},
		">=":         {call(t, "ge", id, at(999)), 1},
		"and":        {expr.NewAnd(call(t, "ge", id, at(200)), call(t, "lt", id, at(400))), 2},
		"or":         {expr.NewOr(call(t, "eq", id, at(5)), call(t, "eq", id, at(905))), 2},
		"null":       {call(t, "is_null", id), 0},
		"not null":   {call(t, "is_not_null", id), 10},
	} {
		request := allColumns(table)
		request.Filters = []*expr.Expr{c.filter}
		if morsels, _ := scanned(t, table, request); morsels != c.morsels {
			t.Errorf("%s: %d row groups are read instead of %d", name, morsels, c.morsels)
		}
	}
	request := allColumns(table)
	request.Limit = 150
	if morsels, rows := scanned(t, table, request); morsels != 2 || rows != 200 {
		t.Errorf("LIMIT 150 reads %d row groups, %d rows", morsels, rows)
	}
	request = catalog.ScanRequest{Limit: -1, BatchRows: 64}
	if morsels, rows := scanned(t, table, request); morsels != 10 || rows != 1000 {
		t.Errorf("without columns: %d row groups, %d rows", morsels, rows)
	}
}

func value(t *testing.T, typ types.Type, x any) *types.Vector {
	t.Helper()
	v, err := types.NewValue(typ, x)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestDynamicFilters narrows a scan while it runs.
func TestDynamicFilters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ids.parquet")
	writeIDs(t, path, 10, 100)
	table := openTable(t, path)
	request := allColumns(table)
	filter := &catalog.DynamicFilter{Column: table.Schema().Index("id")}
	request.Dynamic = []*catalog.DynamicFilter{filter}

	if morsels, rows := scanned(t, table, request); morsels != 10 || rows != 1000 {
		t.Errorf("without a state: %d row groups, %d rows", morsels, rows)
	}
	filter.Publish(&catalog.DynamicState{Min: value(t, types.BigInt, 350), Max: value(t, types.BigInt, 449)})
	columns, err := readRows(table, request)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(columns[0]); n != 100 || columns[0][0] != int64(350) || columns[0][n-1] != int64(449) {
		t.Errorf("bounds give %d rows, from %v", n, columns[0][:1])
	}
	if morsels, _ := scanned(t, table, request); morsels != 2 {
		t.Errorf("bounds read %d row groups", morsels)
	}
	filter.Publish(&catalog.DynamicState{Contains: func(_ *types.Pool, v *types.Vector, rows types.Bitmap) {
		for i := rows.NextSet(0, v.Len()); i < v.Len(); i = rows.NextSet(i+1, v.Len()) {
			if types.Value(v, i).(int64)%10 != 7 {
				rows.Clear(i)
			}
		}
	}})
	if columns, err = readRows(table, request); err != nil || len(columns[0]) != 100 || columns[0][1] != int64(17) {
		t.Errorf("Contains gives %d rows (%v)", len(columns[0]), err)
	}
	filter.Publish(&catalog.DynamicState{Empty: true})
	if morsels, rows := scanned(t, table, request); morsels != 0 || rows != 0 {
		t.Errorf("an empty filter reads %d row groups, %d rows", morsels, rows)
	}
}

// countingFiles counts the bytes that are read of files.
type countingFiles struct {
	catalog.LocalFiles
	bytes atomic.Int64
}

type countingFile struct {
	catalog.File
	bytes *atomic.Int64
}

func (f *countingFiles) Open(ctx context.Context, path string) (catalog.File, error) {
	file, err := f.LocalFiles.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return countingFile{file, &f.bytes}, nil
}

func (f countingFile) ReadAt(ctx context.Context, p []byte, offset int64) (int, error) {
	f.bytes.Add(int64(len(p)))
	return f.File.ReadAt(ctx, p, offset)
}

// TestColumnsOfNoRowsAreNotRead filters by one column so that no row is left, and looks at how much of the file is read.
func TestColumnsOfNoRowsAreNotRead(t *testing.T) {
	files := &countingFiles{}
	opened, err := Format{}.Open(context.Background(), catalog.OpenRequest{Files: files, Path: tpch("lineitem")})
	if err != nil {
		t.Fatal(err)
	}
	request := allColumns(opened)
	// Between the least and the greatest, but in no row.
	request.Filters = []*expr.Expr{call(t, "eq", columnAt(opened, "l_shipinstruct"), constant(t, types.Varchar, "DELIVER TO MOON"))}
	files.bytes.Store(0)
	if _, rows := scanned(t, opened, request); rows != 0 {
		t.Fatalf("%d rows", rows)
	}
	l := opened.(*table)
	var chunk int64
	for _, g := range l.meta.groups {
		chunk += g.columns[l.schema.Index("l_shipinstruct")].compressed
	}
	if read := files.bytes.Load(); read > chunk+1000 {
		t.Errorf("%d bytes are read, the filter's column has %d", read, chunk)
	}
}

// TestSkipping filters so that stretches of rows are skipped inside pages and across them, in every encoding.
func TestSkipping(t *testing.T) {
	for _, g := range generated {
		table := openTable(t, "testdata/"+g.file+".parquet")
		all, err := readRows(table, allColumns(table))
		if err != nil {
			t.Fatal(err)
		}
		for _, batch := range []int{1, 5, 33} {
			request := allColumns(table)
			request.BatchRows = batch
			// A dynamic filter that lets a row in 40 pass, counted over the rows that it is asked about.
			row := 0
			filter := &catalog.DynamicFilter{Column: 0}
			filter.Publish(&catalog.DynamicState{Contains: func(_ *types.Pool, v *types.Vector, rows types.Bitmap) {
				for i := range v.Len() {
					if (row+i)%40 != 39 {
						rows.Clear(i)
					}
				}
				row += v.Len()
			}})
			request.Dynamic = []*catalog.DynamicFilter{filter}
			got, err := readRows(table, request)
			if err != nil {
				t.Fatal(g.file, err)
			}
			for c := range all {
				var want []any
				for i := 39; i < len(all[c]); i += 40 {
					if all[0][i] != nil { // null rows never pass
						want = append(want, all[c][i])
					}
				}
				if fmt.Sprint(got[c]) != fmt.Sprint(want) {
					t.Fatalf("%s, batches of %d, column %d: %v instead of %v", g.file, batch, c, got[c], want)
				}
			}
		}
	}
}

// TestSmokeConcurrentScan reads with several workers at once and checks that each row comes once.
func TestSmokeConcurrentScan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ids.parquet")
	writeIDs(t, path, 20, 500)
	table := openTable(t, path)
	s, err := table.Scan(context.Background(), allColumns(table))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var wait sync.WaitGroup
	var sum, rows atomic.Int64
	for range 4 {
		wait.Go(func() {
			pool := types.NewPool()
			for {
				m, err := s.Next(context.Background())
				if err != nil || m == nil {
					return
				}
				for {
					mark := pool.Mark()
					b, err := m.Next(context.Background(), pool)
					if err != nil {
						t.Error(err)
					}
					if b == nil {
						break
					}
					for i := range b.Rows {
						sum.Add(types.Value(b.Columns[0], i).(int64))
					}
					rows.Add(int64(b.Rows))
					pool.Release(mark)
				}
			}
		})
	}
	wait.Wait()
	if rows.Load() != 10000 || sum.Load() != 9999*5000 {
		t.Errorf("%d rows, sum %d", rows.Load(), sum.Load())
	}
}

// TestStringsOutliveThePage keeps strings after the pool has taken its memory back: they are the garbage collector's.
func TestStringsOutliveThePage(t *testing.T) {
	table := openTable(t, tpch("orders"))
	request := allColumns(table)
	request.Columns = request.Columns[table.Schema().Index("o_comment"):][:1]
	pool := types.NewPool()
	s, err := table.Scan(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	var kept []*types.Vector
	for {
		m, err := s.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if m == nil {
			break
		}
		for {
			b, err := m.Next(context.Background(), pool)
			if err != nil {
				t.Fatal(err)
			}
			if b == nil {
				break
			}
			pool.Adopt(b.Columns[0])
			pool.Release(0)
			kept = append(kept, b.Columns[0])
		}
	}
	s.Close()
	want, err := readRows(table, request)
	if err != nil {
		t.Fatal(err)
	}
	row := 0
	for _, v := range kept {
		for i := range v.Len() {
			if types.Value(v, i) != want[0][row] {
				t.Fatalf("row %d: %q instead of %q", row, types.Value(v, i), want[0][row])
			}
			row++
		}
	}
}

// TestCancel checks that a scan looks at its context.
func TestCancel(t *testing.T) {
	table := openTable(t, tpch("lineitem"))
	ctx, cancel := context.WithCancel(context.Background())
	s, err := table.Scan(ctx, allColumns(table))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m, err := s.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Next(ctx, nil); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := m.Next(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("morsel: %v", err)
	}
	if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("scan: %v", err)
	}
}

// TestNoRows reads files without row groups and with empty ones.
func TestNoRows(t *testing.T) {
	for _, groups := range []int{0, 2} {
		path := filepath.Join(t.TempDir(), "t.parquet")
		writeIDs(t, path, groups, 0)
		table := openTable(t, path)
		if morsels, _ := scanned(t, table, allColumns(table)); morsels != 0 || table.Statistics().Rows != 0 || len(table.Schema()) != 2 {
			t.Errorf("%d row groups: %d morsels", groups, morsels)
		}
	}
}

// TestChangedFile checks that a scan notices that the file is another one.
func TestChangedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	writeIDs(t, path, 2, 10)
	table := openTable(t, path)
	writeIDs(t, path, 3, 10)
	_, err := table.Scan(context.Background(), allColumns(table))
	wantError(t, err, types.CodeDataCorrupted, "has changed")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, err = table.Scan(context.Background(), allColumns(table))
	wantError(t, err, types.CodeUndefinedFile, "does not exist")
}

package catalog_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/kernels/scalar"
	"github.com/lacunadb/lacuna/types"
)

// countedFormat reads a file as one column n: its size and the next number, each in a morsel of its own. It counts scans.
type countedFormat struct{ scans, open, most *atomic.Int64 }

func (countedFormat) Name() string                  { return "counted" }
func (countedFormat) Extensions() []string          { return []string{".n"} }
func (countedFormat) ReadOptions() []catalog.Option { return nil }

func (f countedFormat) Open(ctx context.Context, request catalog.OpenRequest) (catalog.Table, error) {
	file, err := request.Files.Open(ctx, request.Path)
	if err != nil {
		return nil, err
	}
	return &countedTable{f, file.Size()}, file.Close()
}

type countedTable struct {
	countedFormat
	size int64
}

func (*countedTable) Schema() types.Schema { return types.Schema{{Name: "n", Type: types.BigInt}} }
func (t *countedTable) Statistics() catalog.Statistics {
	low, _ := types.NewValue(types.BigInt, t.size)
	high, _ := types.NewValue(types.BigInt, t.size+1)
	return catalog.Statistics{Rows: 2, RowsConfidence: catalog.Exact, Columns: []catalog.ColumnStatistics{{Min: low, Max: high, BoundsConfidence: catalog.Exact, NullsConfidence: catalog.Exact}}}
}
func (*countedTable) Applies(*expr.Expr) bool { return false }
func (t *countedTable) Scan(_ context.Context, request catalog.ScanRequest) (catalog.Scan, error) {
	t.scans.Add(1)
	if n := t.open.Add(1); n > t.most.Load() {
		t.most.Store(n)
	}
	return &countedScan{countedTable: t, columns: len(request.Columns)}, nil
}

type countedScan struct {
	*countedTable
	columns int
	next    int
}

func (*countedScan) Ordered() bool { return false }
func (s *countedScan) Close() error {
	s.open.Add(-1)
	return nil
}
func (s *countedScan) Next(context.Context) (catalog.Morsel, error) {
	if s.next == 2 {
		return nil, nil
	}
	s.next++
	return &countedMorsel{scan: s, number: s.next - 1}, nil
}

type countedMorsel struct {
	scan   *countedScan
	number int
	done   bool
}

func (m *countedMorsel) Number() int { return m.number }
func (m *countedMorsel) Next(context.Context, *types.Pool) (*types.Batch, error) {
	if m.done {
		return nil, nil
	}
	m.done = true
	columns := make([]*types.Vector, m.scan.columns)
	for i := range columns {
		columns[i] = types.NewFixed(types.BigInt, []int64{m.scan.size + int64(m.number)}, nil)
	}
	return types.NewBatch(columns, 1, types.MakeSequence(m.number, 0)), nil
}

// readList reads a table with two readers of morsels side by side, and gives its rows in source order.
func readList(t *testing.T, table catalog.Table, request catalog.ScanRequest) []string {
	t.Helper()
	for i := range table.Schema() {
		request.Columns = append(request.Columns, catalog.ColumnPath{Column: i})
	}
	scan, err := table.Scan(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	defer scan.Close()
	var rows []string
	var morsels []catalog.Morsel
	read := func(m catalog.Morsel) {
		for {
			b, err := m.Next(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			if b == nil {
				return
			}
			if b.Sequence.Morsel() != m.Number() {
				t.Errorf("sequence %d in morsel %d", b.Sequence.Morsel(), m.Number())
			}
			for row := range b.Rows {
				var values []string
				for _, v := range b.Columns {
					values = append(values, fmt.Sprint(types.Value(v, row)))
				}
				rows = append(rows, strings.Join(values, " "))
			}
		}
	}
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
		if morsels = append(morsels, m); len(morsels) == 2 {
			read(morsels[0])
			morsels = morsels[1:]
		}
	}
	for _, m := range morsels {
		read(m)
	}
	return rows
}

// TestFileList reads directories that are columns: rows come in order, files that cannot match are not opened, and few are open at a time.
func TestFileList(t *testing.T) {
	dir := t.TempDir()
	for year := range 10 {
		write(t, filepath.Join(dir, fmt.Sprintf("year=%d/part=a%%20b/x.n", 2000+year)), strings.Repeat("x", 10*year))
	}
	format := countedFormat{new(atomic.Int64), new(atomic.Int64), new(atomic.Int64)}
	c := catalog.New(files, expr.NewSet(), format)
	table, err := c.OpenFile(ctx, filepath.Join(dir, "**", "*.n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(table.Schema()), "[n BIGINT NOT NULL part VARCHAR NOT NULL year BIGINT NOT NULL]"; got != want {
		t.Errorf("schema %s, want %s", got, want)
	}
	s := table.Statistics()
	if s.Rows != 20 || types.Value(s.Columns[0].Max, 0) != int64(91) || types.Value(s.Columns[2].Min, 0) != int64(2000) {
		t.Errorf("statistics %+v", s)
	}
	rows := readList(t, table, catalog.ScanRequest{Limit: -1})
	if len(rows) != 20 || rows[0] != "0 a b 2000" || rows[19] != "91 a b 2009" || !slices.IsSortedFunc(rows, func(a, b string) int { return strings.Compare(a[len(a)-4:], b[len(b)-4:]) }) {
		t.Errorf("rows %q", rows)
	}
	if format.open.Load() != 0 || format.most.Load() > 3 {
		t.Errorf("%d scans are open, %d were at a time", format.open.Load(), format.most.Load())
	}
	set := expr.NewSet()
	scalar.Register(set)
	year := expr.NewColumn(2, "year", types.BigInt, false)
	limit, err := types.NewValue(types.BigInt, int64(2008))
	if err != nil {
		t.Fatal(err)
	}
	function, err := set.Lookup("ge").Bind([]expr.Arg{{Type: types.BigInt}, {Type: types.BigInt}})
	if err != nil {
		t.Fatal(err)
	}
	condition := expr.NewCall(function, year, expr.NewConstant(limit))
	format.scans.Store(0)
	if rows = readList(t, table, catalog.ScanRequest{Limit: -1, Filters: []*expr.Expr{condition}}); len(rows) != 4 || format.scans.Load() != 2 {
		t.Errorf("with a condition on the directories %d files were read: %q", format.scans.Load(), rows)
	}
	dynamic := &catalog.DynamicFilter{Column: 2}
	dynamic.Publish(&catalog.DynamicState{Min: types.NewConstant(limit, 1), Max: types.NewConstant(limit, 1)})
	format.scans.Store(0)
	if rows = readList(t, table, catalog.ScanRequest{Limit: -1, Dynamic: []*catalog.DynamicFilter{dynamic}}); len(rows) != 2 || format.scans.Load() != 1 {
		t.Errorf("with a dynamic filter on the directories %d files were read: %q", format.scans.Load(), rows)
	}
	// A scan that is given up.
	scan, err := table.Scan(ctx, catalog.ScanRequest{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scan.Next(ctx); err != nil {
		t.Fatal(err)
	}
	if err := scan.Close(); err != nil || format.open.Load() != 0 {
		t.Errorf("%d scans are open (%v)", format.open.Load(), err)
	}
}

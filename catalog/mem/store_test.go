package mem_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/catalog/mem"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/kernels/scalar"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/arrowtest"
)

// budget counts what a store reserves, up to a limit.
type budget struct{ used, limit atomic.Int64 }

func newBudget() *budget {
	b := &budget{}
	b.limit.Store(1 << 40)
	return b
}

func (b *budget) Grow(n int64) error {
	if used := b.used.Add(n); n > 0 && used > b.limit.Load() {
		b.used.Add(-n)
		return types.KindErrorf(types.ErrOutOfMemory, "short")
	}
	return nil
}

var numbersSchema = types.Schema{{Name: "n", Type: types.BigInt, Nullable: true}}

// numbers makes a column of n numbers from first on.
func numbers(first int64, n int) []*types.Vector {
	values := make([]int64, n)
	for i := range values {
		values[i] = first + int64(i)
	}
	return []*types.Vector{types.NewFixed(types.BigInt, values, nil)}
}

func add(t testing.TB, s *mem.Store, columns []*types.Vector) {
	t.Helper()
	w := s.Write()
	defer w.Close()
	if err := errors.Join(w.Add(0, columns, columns[0].Len()), w.Commit()); err != nil {
		t.Fatal(err)
	}
}

// selectedNumbers gives the numbers that a scan selects, in order, and how many rows it skipped.
func selectedNumbers(t testing.TB, table catalog.Table, request catalog.ScanRequest) (all []int64, skipped int64) {
	t.Helper()
	ctx := context.Background()
	if request.Columns == nil {
		request.Columns = []catalog.ColumnPath{{Column: 0}}
	}
	scan, err := table.Scan(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	defer scan.Close()
	pool := types.NewPool()
	for {
		m, err := scan.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if m == nil {
			return all, scan.(catalog.Skipper).Skipped()
		}
		for {
			b, err := m.Next(ctx, pool)
			if err != nil {
				t.Fatal(err)
			}
			if b == nil {
				break
			}
			for row, value := range types.ValuesOf[int64](b.Columns[0])[:b.Rows] {
				if b.Selection.Has(row) {
					all = append(all, value)
				}
			}
		}
	}
}

// TestStoreTypes stores random rows of every type in every layout and reads them again. What they were made of is overwritten before.
func TestStoreTypes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	kinds := arrowtest.FlatTypes()
	for range 30 {
		kinds = append(kinds, arrowtest.RandomType(rng, 2))
	}
	for i, dt := range kinds {
		t.Run(fmt.Sprintf("%d %s", i, dt), func(t *testing.T) {
			arr := arrowtest.RandomArray(rng, memory.DefaultAllocator, dt, 150, arrowtest.Options{})
			defer arr.Release()
			imported, err := types.Import(arr, types.ImportOptions{})
			if errors.Is(err, types.ErrUnsupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			want := types.Flatten(nil, imported)
			for _, variant := range arrowtest.Variants(rng, want) {
				b := newBudget()
				s := mem.NewStore(types.Schema{{Name: "c", Type: want.Type(), Nullable: true}}, catalog.Definition{}, b)
				pool := types.NewPool() // its memory is overwritten by what it gives next
				v := types.Flatten(pool, variant.Vector)
				if variant.Vector.Encoding() != types.Plain {
					v = variant.Vector
				}
				add(t, s, []*types.Vector{v})
				pool.Release(0)
				for range 10 {
					for size := 1; size < 1<<14; size *= 2 {
						clear(pool.Bytes(size))
					}
				}
				read := scanAll(t, s, 64, 0)
				row := 0
				for _, batch := range read {
					part := want.Slice(nil, row, row+batch.Rows)
					if !types.EqualWith(batch.Columns[0], part, types.EqualOptions{IgnoreEncoding: true, NaNEqual: true}) {
						t.Fatalf("%s: rows from %d on differ", variant.Name, row)
					}
					row += batch.Rows
				}
				if row != want.Len() || b.used.Load() != s.MemorySize() {
					t.Errorf("%s: %d rows, %d bytes reserved for %d", variant.Name, row, b.used.Load(), s.MemorySize())
				}
				s.Release()
				if n := b.used.Load(); n != 0 {
					t.Errorf("%s: %d bytes are still reserved", variant.Name, n)
				}
			}
		})
	}
}

// TestStoreVersions keeps a version as it was, and its memory, as long as somebody reads it.
func TestStoreVersions(t *testing.T) {
	b := newBudget()
	s := mem.NewStore(numbersSchema, catalog.Definition{}, b)
	add(t, s, numbers(0, 1000))
	first := s.Current().(*mem.Version)
	if !first.Acquire() {
		t.Fatal("the present version must be there")
	}
	w := s.Write()
	w.Remove([]int64{1, 2, 2, 999})
	if err := errors.Join(w.Add(7, numbers(5000, 10), 10), w.Add(3, numbers(4000, 10), 10), w.Commit()); err != nil {
		t.Fatal(err)
	}
	w.Close()
	now, _ := selectedNumbers(t, s, catalog.ScanRequest{})
	if len(now) != 1017 || now[1] != 3 || now[997] != 4000 || now[1007] != 5000 {
		t.Errorf("%d rows: %v", len(now), now)
	}
	if stats := s.Statistics(); stats.Rows != 1017 || stats.RowsConfidence != catalog.Exact {
		t.Errorf("%+v", stats)
	}
	if before, _ := selectedNumbers(t, first, catalog.ScanRequest{}); len(before) != 1000 {
		t.Errorf("the first version has %d rows", len(before))
	}

	// Row numbers count removed rows.
	numbered, _ := selectedNumbers(t, s, catalog.ScanRequest{Columns: []catalog.ColumnPath{{Column: 1}}, BatchRows: 7})
	if len(numbered) != 1017 || numbered[1] != 3 || numbered[1016] != 1019 {
		t.Errorf("row numbers %v", numbered)
	}

	w = s.Write()
	w.Remove(numbered)
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if s.Statistics().Rows != 0 || s.MemorySize() != 0 || b.used.Load() == 0 {
		t.Errorf("%d rows, %d bytes now, %d reserved for the reader", s.Statistics().Rows, s.MemorySize(), b.used.Load())
	}
	first.Release()
	if first.Acquire() || b.used.Load() != 0 {
		t.Errorf("%d bytes are reserved after the last reader", b.used.Load())
	}

	// Changes that are not committed, or come too late, leave nothing.
	w = s.Write()
	if err := w.Add(0, numbers(0, 100), 100); err != nil {
		t.Fatal(err)
	}
	w.Close()
	late := s.Write()
	if err := late.Add(0, numbers(0, 100), 100); err != nil {
		t.Fatal(err)
	}
	s.Release()
	s.Release()
	var e *types.Error
	if err := late.Commit(); !errors.As(err, &e) || e.Code != types.CodeSerialization {
		t.Errorf("got %v", err)
	}
	late.Close()
	if n := b.used.Load(); n != 0 {
		t.Errorf("%d bytes are still reserved", n)
	}
}

// TestStoreMerges adds rows one by one: segments become few, and nothing is merged while rows are to be removed.
func TestStoreMerges(t *testing.T) {
	b := newBudget()
	s := mem.NewStore(numbersSchema, catalog.Definition{}, b)
	defer s.Release()
	for i := range int64(1000) {
		add(t, s, numbers(i, 1))
	}
	if n := s.MemorySize(); n > 3*8*1000 || b.used.Load() != n {
		t.Errorf("%d bytes, %d reserved", n, b.used.Load())
	}
	unlock, err := s.Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := selectedNumbers(t, s, catalog.ScanRequest{Columns: []catalog.ColumnPath{{Column: 1}}})
	for i := range int64(50) {
		add(t, s, numbers(2000+i, 1))
	}
	w := s.Write()
	w.Remove(rows[500:])
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Lock(ctx); err != context.Canceled {
		t.Errorf("a second lock: %v", err)
	}
	unlock()
	unlock()
	left, _ := selectedNumbers(t, s, catalog.ScanRequest{})
	if len(left) != 550 || left[499] != 499 || left[549] != 2049 {
		t.Errorf("%d rows are left: %v", len(left), left)
	}

	b.limit.Store(b.used.Load())
	w = s.Write()
	if err := w.Add(0, numbers(0, 10), 10); !errors.Is(err, types.ErrOutOfMemory) {
		t.Errorf("got %v", err)
	}
	w.Close()
}

// comparison makes n <op> value over the scan's first column.
func comparison(t testing.TB, op string, value int64) *expr.Expr {
	t.Helper()
	set := expr.NewSet()
	scalar.Register(set)
	f, err := set.Lookup(op).Bind([]expr.Arg{{Type: types.BigInt}, {Type: types.BigInt}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := types.NewValue(types.BigInt, value)
	if err != nil {
		t.Fatal(err)
	}
	return expr.NewCall(f, expr.NewColumn(0, "n", types.BigInt, true), expr.NewConstant(v))
}

// TestSkipping leaves out segments of a store, and zones of an Arrow table, by bounds: for static filters and dynamic ones, which also select rows.
func TestSkipping(t *testing.T) {
	const rows = 3*catalog.MaxPiece + 1000
	s := mem.NewStore(numbersSchema, catalog.Definition{}, newBudget())
	defer s.Release()
	for from := 0; from < rows; from += catalog.MaxPiece {
		add(t, s, numbers(int64(from), min(catalog.MaxPiece, rows-from)))
	}
	builder := array.NewInt64Builder(memory.DefaultAllocator)
	defer builder.Release()
	for i := range int64(rows) {
		builder.Append(i)
	}
	arr := builder.NewInt64Array()
	defer arr.Release()
	arrowTable := chunkedTable(arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, arr, rows-10, 10)
	defer arrowTable.Release()
	table, err := mem.NewTable(arrowTable)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()

	constant := func(x int64) *types.Vector {
		v, err := types.NewValue(types.BigInt, x)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	dynamic := func(state *catalog.DynamicState) []*catalog.DynamicFilter {
		d := &catalog.DynamicFilter{}
		if state != nil {
			d.Publish(state)
		}
		return []*catalog.DynamicFilter{d}
	}
	even := func(_ *types.Pool, v *types.Vector, rows types.Bitmap) {
		for i, x := range types.ValuesOf[int64](v) {
			if x%2 != 0 {
				rows.Clear(i)
			}
		}
	}
	for _, test := range []struct {
		name          string
		request       catalog.ScanRequest
		rows, skipped int64 // of the store; an Arrow table does not know the bounds of its last, short zone, which lies in two chunks
		arrow         int64 // skipped of the Arrow table
	}{
		{"all", catalog.ScanRequest{}, rows, 0, 0},
		{"below", catalog.ScanRequest{Filters: []*expr.Expr{comparison(t, "lt", 5)}}, catalog.MaxPiece, rows - catalog.MaxPiece, 2 * catalog.MaxPiece},
		{"none", catalog.ScanRequest{Filters: []*expr.Expr{comparison(t, "lt", -1)}}, 0, rows, 3 * catalog.MaxPiece},
		{"unknown", catalog.ScanRequest{Dynamic: dynamic(nil)}, rows, 0, 0},
		{"empty", catalog.ScanRequest{Dynamic: dynamic(&catalog.DynamicState{Empty: true})}, 0, rows, 0},
		{"range", catalog.ScanRequest{Dynamic: dynamic(&catalog.DynamicState{Min: constant(70000), Max: constant(70009)})}, 10, rows - catalog.MaxPiece, 2 * catalog.MaxPiece},
		{"set", catalog.ScanRequest{Dynamic: dynamic(&catalog.DynamicState{Min: constant(10), Max: constant(19), Contains: even})}, 5, rows - catalog.MaxPiece, 2 * catalog.MaxPiece},
	} {
		for range 2 { // the second time with bounds that are known
			got, skipped := selectedNumbers(t, s, test.request)
			if int64(len(got)) != test.rows || skipped != test.skipped {
				t.Errorf("%s: a store gives %d rows, skips %d", test.name, len(got), skipped)
			}
			fromArrow, skipped := selectedNumbers(t, table, test.request)
			if skipped != test.arrow || test.request.Filters == nil && !slices.Equal(fromArrow, got) {
				t.Errorf("%s: an Arrow table gives %d rows, skips %d", test.name, len(fromArrow), skipped)
			}
		}
	}
	stats := s.Statistics().Columns[0]
	if types.ValuesOf[int64](stats.Min)[0] != 0 || types.ValuesOf[int64](stats.Max)[0] != rows-1 || stats.BoundsConfidence != catalog.Exact || stats.Nulls != 0 {
		t.Errorf("%+v", stats)
	}
}

// TestStoreConcurrent adds, removes and reads at once. Each reader sees whole changes.
func TestStoreConcurrent(t *testing.T) {
	b := newBudget()
	s := mem.NewStore(numbersSchema, catalog.Definition{}, b)
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			for i := range int64(200) {
				add(t, s, numbers(i*10, 10))
			}
		})
		wait.Go(func() {
			for range 200 {
				v := s.Current().(*mem.Version)
				if !v.Acquire() {
					continue
				}
				if rows, _ := selectedNumbers(t, v, catalog.ScanRequest{}); len(rows)%10 != 0 {
					t.Errorf("%d rows", len(rows))
				}
				v.Release()
			}
		})
	}
	wait.Go(func() {
		for range 50 {
			unlock, err := s.Lock(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			rows, _ := selectedNumbers(t, s.Current(), catalog.ScanRequest{Columns: []catalog.ColumnPath{{Column: 1}}})
			w := s.Write()
			w.Remove(rows[:len(rows)/20*10])
			if err := w.Commit(); err != nil {
				t.Error(err)
			}
			w.Close()
			unlock()
		}
	})
	wait.Wait()
	s.Release()
	if n := b.used.Load(); n != 0 {
		t.Errorf("%d bytes are still reserved", n)
	}
}

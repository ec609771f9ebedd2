package exec

import (
	"context"
	"errors"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/catalog/mem"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// writeOf writes the rows of an operator to a table.
func writeOf(input plan.Physical, target catalog.Writable) plan.Physical {
	return plan.NewWrite(planOf(input), plan.WriteRows{Verb: "Insert into", Name: "w", Target: target, Columns: target.Schema()}).Root
}

func storeOf(schema types.Schema) (*mem.Store, *Budget) {
	budget := NewBudget(1 << 30)
	return mem.NewStore(schema, catalog.Definition{}, budget.Reserve()), budget
}

// storedRows gives the rows of a store as text.
func storedRows(t *testing.T, s *mem.Store) [][]string {
	t.Helper()
	scan := &plan.TableScan{Table: s, Request: catalog.ScanRequest{Limit: -1}}
	for i := range s.Schema() {
		scan.Request.Columns = append(scan.Request.Columns, catalog.ColumnPath{Column: i})
	}
	scan.Output = s.Schema()
	rows, err := newRun(1, 100).rows(t, scan)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestWriteOrder keeps the rows of a table in the order of the source: those of many small morsels, of large ones that fill pieces, of a mixture, and of
// batches longer than a piece.
func TestWriteOrder(t *testing.T) {
	for _, test := range []struct {
		name                             string
		rows, morselRows, batch, threads int
	}{
		{"small", 3000, 50, 7, 4}, {"one batch", 10, 50, 100, 2}, {"large", 150_000, 70_000, 4096, 4}, {"long batches", 150_000, 140_000, 100_000, 2},
		{"none", 0, 50, 100, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			schema := types.Schema{{Name: "id", Type: types.BigInt}}
			rows := make([][]any, test.rows)
			for i := range rows {
				rows[i] = []any{int64(i)}
			}
			table := newTable(t, schema, rows)
			table.morselRows = test.morselRows
			s, budget := storeOf(schema)
			r := newRun(test.threads, test.batch)
			got, err := r.rows(t, writeOf(scanOf(table), s))
			if want := [][]string{{types.Text(integer64(int64(test.rows)), 0)}}; err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%v, %v", got, err)
			}
			for i, row := range storedRows(t, s) {
				if row[0] != types.Text(integer64(int64(i)), 0) {
					t.Fatalf("row %d is %s", i, row[0])
				}
			}
			if budget.Used() != s.MemorySize() {
				t.Errorf("%d bytes are reserved for %d", budget.Used(), s.MemorySize())
			}
			s.Release()
			if n := budget.Used(); n != 0 {
				t.Errorf("%d bytes are still reserved", n)
			}
		})
	}
}

func integer64(x int64) *types.Vector { return types.NewFixed(types.BigInt, []int64{x}, nil) }

// TestWriteFaults fails, panics and cancels while rows are written: nothing of them is seen, and their memory is given back.
func TestWriteFaults(t *testing.T) {
	rows := somePeople(1500, 3)
	for _, threads := range []int{1, 4} {
		for operator := range 2 {
			for _, nth := range []int64{1, 20} {
				for _, kind := range []string{"error", "panic", "cancel"} {
					s, budget := storeOf(people)
					ctx, cancel := context.WithCancel(t.Context())
					r := newRun(threads, 16)
					var calls atomic.Int64
					r.options.fault = func(at int) error {
						if at != operator || calls.Add(1) != nth {
							return nil
						}
						switch kind {
						case "error":
							return errBroken
						case "panic":
							panic("a bug")
						}
						cancel()
						return nil
					}
					root := writeOf(scanOf(newTable(t, people, rows)), s)
					q, err := Run(ctx, planOf(root), r.options)
					if err != nil {
						t.Fatal(err)
					}
					_, err = drainRows(t, q, root.Schema())
					r.close(t, q)
					cancel()
					if err == nil {
						t.Errorf("operator %d, batch %d, %s: no error", operator, nth, kind)
					}
					if s.Statistics().Rows != 0 || budget.Used() != 0 {
						t.Errorf("operator %d, batch %d, %s: %d rows, %d bytes", operator, nth, kind, s.Statistics().Rows, budget.Used())
					}
				}
			}
		}
	}
	// A budget that is short, of the query or of the table.
	for _, limit := range []int64{1 << 10, 100 << 10} {
		s, budget := storeOf(people)
		r := newRun(2, 16)
		r.budget.SetLimit(limit)
		if _, err := r.rows(t, writeOf(scanOf(newTable(t, people, rows)), s)); !errors.Is(err, types.ErrOutOfMemory) {
			t.Errorf("a query of %d bytes: %v", limit, err)
		}
		budget.SetLimit(limit)
		if _, err := newRun(2, 16).rows(t, writeOf(scanOf(newTable(t, people, rows)), s)); !errors.Is(err, types.ErrOutOfMemory) || budget.Used() != 0 {
			t.Errorf("a table of %d bytes: %v, %d reserved", limit, err, budget.Used())
		}
	}
}

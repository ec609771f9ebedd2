package exec

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// fakeTable is a table over vectors in memory that gives its rows in the shapes a real source could, counts what is read, and fails or waits
// when it is told to.
type fakeTable struct {
	schema  types.Schema
	columns []*types.Vector // plain, all rows
	rows    int

	// Shape.
	morselRows int
	encode     func(env *kernels.Env, v *types.Vector) *types.Vector // of a batch's column; nil = as it is
	pooled     bool                                                  // batches are copies in the worker's pool
	selected   func(row int) bool                                    // which rows a batch's selection holds; nil = no selection

	// Faults.
	failAt  int           // morsel that gives an error; 0 = none
	panicAt int           // morsel that panics; 0 = none
	delay   time.Duration // before each batch

	morsels, batches, opened, closed atomic.Int64
}

var errBroken = errors.New("the disk is broken")

func newTable(t testing.TB, schema types.Schema, rows [][]any) *fakeTable {
	t.Helper()
	table := &fakeTable{schema: schema, rows: len(rows), morselRows: 50}
	for c, f := range schema {
		values := make([]any, len(rows))
		for r := range rows {
			values[r] = rows[r][c]
		}
		v, err := types.FromValues(nil, f.Type, values)
		if err != nil {
			t.Fatal(err)
		}
		table.columns = append(table.columns, v)
	}
	return table
}

func (f *fakeTable) Schema() types.Schema { return f.schema }

func (*fakeTable) Applies(*expr.Expr) bool { return false }

func (f *fakeTable) Statistics() catalog.Statistics { return catalog.Statistics{} }

func (f *fakeTable) Scan(_ context.Context, request catalog.ScanRequest) (catalog.Scan, error) {
	f.opened.Add(1)
	return &fakeScan{table: f, request: request}, nil
}

type fakeScan struct {
	table   *fakeTable
	request catalog.ScanRequest
	next    atomic.Int64
}

func (s *fakeScan) Ordered() bool { return false }
func (s *fakeScan) Close() error  { s.table.closed.Add(1); return nil }

func (s *fakeScan) Next(ctx context.Context) (catalog.Morsel, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	number := int(s.next.Add(1) - 1)
	from := number * s.table.morselRows
	if from >= s.table.rows {
		return nil, nil
	}
	s.table.morsels.Add(1)
	return &fakeMorsel{scan: s, number: number, row: from, end: min(from+s.table.morselRows, s.table.rows)}, nil
}

type fakeMorsel struct {
	scan             *fakeScan
	number, row, end int
}

func (m *fakeMorsel) Number() int { return m.number }

func (m *fakeMorsel) Next(ctx context.Context, pool *types.Pool) (*types.Batch, error) {
	t := m.scan.table
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case m.row == m.end:
		return nil, nil
	case t.failAt > 0 && m.number == t.failAt:
		return nil, errBroken
	case t.panicAt > 0 && m.number == t.panicAt:
		panic("the table is on fire")
	}
	if t.delay > 0 {
		select {
		case <-time.After(t.delay):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	t.batches.Add(1)
	from, to := m.row, min(m.row+m.scan.request.BatchRows, m.end)
	m.row = to
	env := &kernels.Env{Pool: pool}
	var columns []*types.Vector
	for _, path := range m.scan.request.Columns {
		v := t.columns[path.Column].Slice(pool, from, to)
		if t.pooled {
			v = copied(env, v)
		}
		if t.encode != nil {
			v = t.encode(env, v)
		}
		columns = append(columns, v)
	}
	b := types.NewBatch(columns, to-from, types.MakeSequence(m.number, 0))
	if t.selected != nil {
		selection := pool.ZeroBitmap(to - from)
		for i := range to - from {
			if t.selected(from + i) {
				selection.Set(i)
			}
		}
		b = b.Select(selection)
	}
	return b, nil
}

// copied gives a copy of a plain vector in the pool.
func copied(env *kernels.Env, v *types.Vector) *types.Vector {
	indices := types.Alloc[uint32](env.Pool, v.Len())
	for i := range indices {
		indices[i] = uint32(i)
	}
	return kernels.Take(env, v, indices, nil)
}

// dictionaryOf encodes a plain vector with an entry per run of equal rows, so that entries repeat, and with the nulls in the keys of even and in the
// entries of odd runs.
func dictionaryOf(env *kernels.Env, v *types.Vector) *types.Vector {
	keys := types.Alloc[uint32](env.Pool, v.Len())
	valid := env.Pool.Bitmap(v.Len())
	types.FillBitmap(valid, v.Len())
	var firsts []uint32
	for i := range keys {
		if i == 0 || types.Text(v, i) != types.Text(v, i-1) || v.Validity().Has(i) != v.Validity().Has(i-1) {
			firsts = append(firsts, uint32(i))
		}
		keys[i] = uint32(len(firsts) - 1)
		if !v.Validity().Has(i) && len(firsts)%2 == 0 {
			valid.Clear(i)
		}
	}
	return types.NewDictionary(keys, kernels.Take(env, v, firsts, nil), valid)
}

// runsOf encodes a plain vector with runs of at most three rows.
func runsOf(env *kernels.Env, v *types.Vector) *types.Vector {
	var ends []int32
	var firsts []uint32
	for i := range v.Len() {
		if i == 0 || i-int(firsts[len(firsts)-1]) == 3 || types.Text(v, i) != types.Text(v, i-1) || v.Validity().Has(i) != v.Validity().Has(i-1) {
			firsts, ends = append(firsts, uint32(i)), append(ends, 0)
		}
		ends[len(ends)-1] = int32(i + 1)
	}
	return types.NewRunEnd(ends, kernels.Take(env, v, firsts, nil))
}

// variant is a shape in which a table gives its rows.
type variant struct {
	name  string
	apply func(*fakeTable)
}

var variants = []variant{
	{"plain", func(*fakeTable) {}},
	{"pooled", func(t *fakeTable) { t.pooled = true }},
	{"dictionary", func(t *fakeTable) { t.encode = dictionaryOf }},
	{"runs", func(t *fakeTable) { t.encode = runsOf }},
	{"one morsel", func(t *fakeTable) { t.morselRows = 1 << 30 }},
	{"selected", func(t *fakeTable) { t.pooled, t.selected = true, func(row int) bool { return row%3 != 0 } }},
	{"few selected", func(t *fakeTable) { t.selected = func(row int) bool { return row%17 == 5 } }},
	{"none selected", func(t *fakeTable) { t.selected = func(int) bool { return false } }},
}

// people is a table with every kind of key: small and large domains, nulls, long and short strings, and the floats that compare unlike their
// bits.
var people = types.Schema{
	{Name: "id", Type: types.BigInt},
	{Name: "color", Type: types.Varchar, Nullable: true},
	{Name: "town", Type: types.Varchar, Nullable: true},
	{Name: "weight", Type: types.Double, Nullable: true},
	{Name: "age", Type: types.Integer, Nullable: true},
	{Name: "adult", Type: types.Boolean, Nullable: true},
}

// Places of people's columns.
const (
	idColumn = iota
	colorColumn
	townColumn
	weightColumn
	ageColumn
	adultColumn
)

// somePeople gives n rows, the same for the same seed.
func somePeople(n int, seed uint64) [][]any {
	r := rand.New(rand.NewPCG(seed, 1))
	colors := []any{"red", "green", "blue", nil}
	weights := []any{0.0, negativeZero, nan, otherNaN, 1.5, -2.25, nil}
	rows := make([][]any, n)
	for i := range rows {
		row := []any{int64(i), colors[r.IntN(4)], nil, weights[r.IntN(len(weights))], nil, nil}
		if r.IntN(5) > 0 {
			row[townColumn] = fmt.Sprintf("a town with the quite long name %d", r.IntN(40))
		} else if r.IntN(2) == 0 {
			row[townColumn] = ""
		}
		if r.IntN(10) > 0 {
			row[ageColumn] = int32(r.IntN(100)) - 10
		}
		if r.IntN(3) > 0 {
			row[adultColumn] = r.IntN(2) == 0
		}
		rows[i] = row
	}
	return rows
}

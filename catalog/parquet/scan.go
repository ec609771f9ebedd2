package parquet

import (
	"context"
	"slices"
	"sync"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// defaultBatchRows is for requests that name no number.
const defaultBatchRows = 4096

// scan is one reading of a file: a list of row groups that workers claim in order.
type scan struct {
	table     *table
	file      catalog.File
	columns   []column
	filters   []rowFilter
	advice    []*expr.Expr // all conditions of the query: what they rule out is not read
	dynamic   []*catalog.DynamicFilter
	groups    []int // those that the statistics leave
	batchRows int
	ordered   bool

	mu         sync.Mutex
	next       int // into groups
	morsels    int // claimed
	workspaces []*workspace
	skipped    int64 // rows of row groups and pages that were not read
}

// column is a column of the request.
type column struct {
	node *node
	name string // for messages: its path
}

// Scan starts reading. Filters that cannot fail are applied exactly; all of them and the dynamic ones choose among the row groups.
func (t *table) Scan(ctx context.Context, request catalog.ScanRequest) (catalog.Scan, error) {
	s := &scan{
		table: t, advice: request.Filters, dynamic: request.Dynamic, batchRows: request.BatchRows, ordered: len(request.Order) == 0,
	}
	if s.batchRows <= 0 {
		s.batchRows = defaultBatchRows
	}
	for _, path := range request.Columns {
		n, name, err := t.resolve(path)
		if err != nil {
			return nil, err
		}
		s.columns = append(s.columns, column{node: n, name: name})
	}
	var conditions []*expr.Expr
	for _, f := range request.Filters {
		if t.Applies(f) {
			conditions = append(conditions, f)
		}
	}
	s.filters = rowFilters(conditions)
	s.groups = s.keptGroups(request)
	file, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	s.file = file
	return s, nil
}

// keptGroups gives the row groups that may have rows that the query wants.
func (s *scan) keptGroups(request catalog.ScanRequest) []int {
	limit := request.Limit
	if len(request.Filters) > 0 || len(request.Dynamic) > 0 {
		limit = -1
	}
	var kept []int
	for i := range s.table.meta.groups {
		g := &s.table.meta.groups[i]
		if limit == 0 {
			break
		}
		if g.rows == 0 || !s.mayMatch(g, request.Filters) {
			s.skipped += g.rows
			continue
		}
		kept = append(kept, i)
		if limit > 0 {
			limit -= min(limit, g.rows)
		}
	}
	return kept
}

// mayMatch asks the statistics of a row group.
func (s *scan) mayMatch(g *rowGroup, filters []*expr.Expr) bool {
	bounds := func(column int) (catalog.Bounds, bool) { return s.bounds(g, column) }
	for _, f := range filters {
		if !catalog.MayMatch(f, bounds) {
			return false
		}
	}
	return true
}

// bounds gives what is known about a column of the request in a row group.
func (s *scan) bounds(g *rowGroup, column int) (catalog.Bounds, bool) {
	l := s.columns[column].node.leaf
	if l == nil {
		return catalog.Bounds{}, false
	}
	return pruningBounds(l, &g.columns[l.index], g.rows), true
}

// Ordered says whether the rows come in the requested order: only when none was asked for.
func (s *scan) Ordered() bool { return s.ordered }

// Next claims the next row group that the dynamic filters leave.
func (s *scan) Next(ctx context.Context) (catalog.Morsel, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.next < len(s.groups) {
		group := s.groups[s.next]
		s.next++
		if !s.dynamicMayMatch(&s.table.meta.groups[group]) {
			s.skipped += s.table.meta.groups[group].rows
			continue
		}
		m := &morsel{scan: s, number: s.morsels, group: group, rows: s.table.meta.groups[group].rows}
		s.morsels++
		return m, nil
	}
	return nil, nil
}

// skip counts rows that are not read.
func (s *scan) skip(rows int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skipped += rows
}

// Skipped gives the rows of the row groups and pages that were not read.
func (s *scan) Skipped() int64 { return s.skipped }

// Close closes the file.
func (s *scan) Close() error {
	s.workspaces = nil
	return s.file.Close()
}

// takeWorkspace gives memory that a morsel before is done with, or new.
func (s *scan) takeWorkspace() *workspace {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.workspaces)
	if n == 0 {
		return &workspace{}
	}
	w := s.workspaces[n-1]
	s.workspaces = s.workspaces[:n-1]
	w.used = 0
	return w
}

func (s *scan) giveWorkspace(w *workspace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.workspaces = append(s.workspaces, w)
}

// morsel is a row group being read.
type morsel struct {
	scan   *scan
	number int
	group  int // in the file
	rows   int64

	opened    bool
	wanted    []rowRange // that are left to read; none is empty
	done      int64      // rows read or skipped
	batches   int        // begun
	readers   []reader
	workspace *workspace
	filters   []filterState // one per row filter, for pool
	pool      *types.Pool
	failed    error // of an earlier Next
}

// Number counts the morsels of the scan.
func (m *morsel) Number() int { return m.number }

// Next gives the next batch that has rows. Columns are dictionary vectors where the file has dictionary pages, constants where a run
// of one value or of nulls covers the batch, and plain else.
func (m *morsel) Next(ctx context.Context, pool *types.Pool) (*types.Batch, error) {
	if m.failed != nil {
		return nil, m.failed
	}
	var batch *types.Batch
	if m.failed = m.open(ctx, pool); m.failed == nil {
		batch, m.failed = m.next(ctx, pool)
	}
	return batch, m.failed
}

func (m *morsel) next(ctx context.Context, pool *types.Pool) (*types.Batch, error) {
	for len(m.wanted) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		mark := pool.Mark()
		batch, err := m.batch(ctx, pool)
		if batch != nil || err != nil {
			return batch, err
		}
		pool.Release(mark)
	}
	m.close()
	return nil, nil
}

// open makes the readers before the first batch, unless the dynamic filters have become so narrow that there is nothing to read.
func (m *morsel) open(ctx context.Context, pool *types.Pool) error {
	s := m.scan
	if m.filters == nil || m.pool != pool {
		m.pool = pool
		m.filters = make([]filterState, len(s.filters))
		for i, f := range s.filters {
			m.filters[i].evaluator = expr.NewEvaluator(f.program, pool)
		}
	}
	if m.opened {
		return nil
	}
	m.opened = true
	group := &s.table.meta.groups[m.group]
	if !s.dynamicMayMatch(group) {
		s.skip(m.rows)
		return nil
	}
	m.wanted = []rowRange{{0, m.rows}}
	if slices.ContainsFunc(s.advice, func(f *expr.Expr) bool { return s.hasIndexes(group, f) }) {
		var err error
		if m.wanted, err = s.wantedRows(ctx, group); err != nil {
			return within(err, "file %q: row group %d: an index", s.table.path, m.group)
		}
	}
	if len(m.wanted) == 0 {
		s.skip(m.rows)
		return nil
	}
	m.workspace = s.takeWorkspace()
	for i := range s.columns {
		r, err := newReader(s.file, s.columns[i].node, group, m.workspace)
		if err != nil {
			return m.locate(err, i)
		}
		m.readers = append(m.readers, r)
	}
	return nil
}

// close gives the memory for reading to the next morsel.
func (m *morsel) close() {
	if m.workspace != nil {
		m.scan.giveWorkspace(m.workspace)
	}
	m.workspace, m.readers = nil, nil
}

// locate says where an error was met.
func (m *morsel) locate(err error, column int) error {
	return within(err, "file %q: row group %d, column %s", m.scan.table.path, m.group, m.scan.columns[column].name)
}

// batch reads the next rows: first the columns of the filters, then, if any row is left, the others. It gives nil when none is.
func (m *morsel) batch(ctx context.Context, pool *types.Pool) (*types.Batch, error) {
	if gap := m.wanted[0].from - m.done; gap > 0 {
		for _, r := range m.readers {
			r.skip(int(gap))
		}
		m.scan.skip(gap)
		m.done += gap
	}
	rows := int(min(int64(m.scan.batchRows), m.wanted[0].to-m.done))
	if m.wanted[0].from = m.done + int64(rows); m.wanted[0].from == m.wanted[0].to {
		if m.wanted = m.wanted[1:]; len(m.wanted) == 0 {
			m.scan.skip(m.rows - m.done - int64(rows))
		}
	}
	batch := types.NewBatch(make([]*types.Vector, len(m.readers)), rows, types.MakeSequence(m.number, m.batches))
	m.done += int64(rows)
	m.batches++
	read := func(column int) error {
		if batch.Columns[column] != nil {
			return nil
		}
		v, err := m.readers[column].read(ctx, pool, rows)
		if err != nil {
			return m.locate(err, column)
		}
		batch.Columns[column] = v
		return nil
	}
	if err := m.filter(pool, batch, read); err != nil {
		return nil, err
	}
	if batch.Selected == 0 {
		for i, r := range m.readers {
			if batch.Columns[i] == nil {
				r.skip(rows)
			}
		}
		return nil, nil
	}
	for i := range m.readers {
		if err := read(i); err != nil {
			return nil, err
		}
	}
	return batch, nil
}

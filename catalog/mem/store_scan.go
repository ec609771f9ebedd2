package mem

import (
	"context"
	"slices"
	"sort"
	"sync"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// Scan reads the version in morsels of morselBatches batches, none across segments. Filters, static and dynamic, choose among the segments; the dynamic
// ones also among the rows. The version must stay acquired until the scan and all its batches are done with.
func (v *Version) Scan(ctx context.Context, request catalog.ScanRequest) (catalog.Scan, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &storeScan{version: v, request: request, batchRows: request.BatchRows}
	if s.batchRows <= 0 {
		s.batchRows = defaultBatchRows
	}
	// The planner asks for whole columns only. The one behind the last is the row's number.
	for _, path := range request.Columns {
		if path.Column < 0 || path.Column > len(v.store.schema) || len(path.Fields) > 0 {
			return nil, types.Errorf(types.CodeInternal, "scan of column %d, fields %v, of a table of %d columns", path.Column, path.Fields, len(v.store.schema))
		}
	}
	return s, nil
}

// storeScan hands out ranges of segments.
type storeScan struct {
	version   *Version
	request   catalog.ScanRequest
	batchRows int

	lock    sync.Mutex
	segment int // the next range's
	row     int // in the segment
	morsels int
	skipped int64
}

// Ordered says that no order is known.
func (s *storeScan) Ordered() bool { return false }

// Next claims the next range of rows of a segment that may have some that matter.
func (s *storeScan) Next(ctx context.Context) (catalog.Morsel, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	for s.segment < len(s.version.parts) {
		p := s.version.parts[s.segment]
		if s.row < p.rows && !s.mayMatch(p.segment) {
			s.skipped += int64(p.rows - s.row)
			s.row = p.rows
		}
		if s.row == p.rows {
			s.segment, s.row = s.segment+1, 0
			continue
		}
		m := &storeMorsel{scan: s, part: p, number: s.morsels, row: s.row, first: s.version.starts[s.segment]}
		m.end = min(s.row+s.batchRows*morselBatches, p.rows)
		s.row = m.end
		s.morsels++
		return m, nil
	}
	return nil, nil
}

// mayMatch asks the bounds of a segment about the filters, the dynamic ones as they are now.
func (s *storeScan) mayMatch(segment *segment) bool {
	bounds := func(column int) (catalog.Bounds, bool) {
		if i := s.request.Columns[column].Column; i < len(segment.bounds) {
			return segment.bounds[i], true
		}
		return catalog.Bounds{}, false
	}
	return mayMatch(s.request, bounds)
}

// Skipped gives the rows of the segments that the filters have left out.
func (s *storeScan) Skipped() int64 {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.skipped
}

// Close has nothing to give back: the segments are the version's.
func (s *storeScan) Close() error { return nil }

// storeMorsel is a range of rows of a segment.
type storeMorsel struct {
	scan     *storeScan
	part     part
	number   int
	batches  int
	first    int64 // number of the segment's first row
	row, end int
}

// Number gives the morsel's place in the table.
func (m *storeMorsel) Number() int { return m.number }

// Next gives the next batch with rows that matter. Its vectors borrow the segment's memory.
func (m *storeMorsel) Next(ctx context.Context, pool *types.Pool) (*types.Batch, error) {
	for m.row < m.end {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from, to := m.row, min(m.row+m.scan.batchRows, m.end)
		m.row = to
		vectors := make([]*types.Vector, len(m.scan.request.Columns))
		for i, path := range m.scan.request.Columns {
			if path.Column == len(m.part.columns) {
				vectors[i] = rowNumbers(pool, m.first+int64(from), to-from)
			} else {
				vectors[i] = m.part.columns[path.Column].Slice(pool, from, to)
			}
		}
		batch := types.NewBatch(vectors, to-from, types.MakeSequence(m.number, m.batches))
		if m.part.deleted != nil {
			batch = batch.Select(m.part.notDeleted(pool, from, to))
		}
		if batch = narrowed(pool, batch, m.scan.request.Dynamic); batch.Selected > 0 {
			m.batches++
			return batch, nil
		}
	}
	return nil, nil
}

// rowNumbers gives n numbers from first on.
func rowNumbers(pool *types.Pool, first int64, n int) *types.Vector {
	numbers := types.Alloc[int64](pool, n)
	for i := range numbers {
		numbers[i] = first + int64(i)
	}
	return types.NewFixed(types.BigInt, numbers, nil)
}

// notDeleted gives the rows of a range of the part that are left, as bits counted from its start.
func (p *part) notDeleted(pool *types.Pool, from, to int) types.Bitmap {
	deleted := types.NewBool(p.deleted, p.rows, nil).Slice(pool, from, to).Bools()
	return types.AndNotBitmaps(pool, nil, deleted, to-from)
}

// find gives the part of a version that holds a row number.
func (v *Version) find(row int64) int {
	return sort.Search(len(v.starts), func(i int) bool { return v.starts[i] > row }) - 1
}

// mayMatch asks the bounds of some rows about a request's filters, the dynamic ones as they are now.
func mayMatch(request catalog.ScanRequest, bounds func(column int) (catalog.Bounds, bool)) bool {
	for _, f := range request.Filters {
		if !catalog.MayMatch(f, bounds) {
			return false
		}
	}
	if nothingMatters(request.Dynamic) {
		return false
	}
	for _, d := range request.Dynamic {
		if state := d.State(); state != nil {
			if b, ok := bounds(d.Column); ok && !state.MayMatch(b) {
				return false
			}
		}
	}
	return true
}

// nothingMatters reports whether a dynamic filter has found out that no row does.
func nothingMatters(filters []*catalog.DynamicFilter) bool {
	return slices.ContainsFunc(filters, func(d *catalog.DynamicFilter) bool {
		state := d.State()
		return state != nil && state.Empty
	})
}

// narrowed gives a batch with only the rows selected that the dynamic filters leave.
func narrowed(pool *types.Pool, batch *types.Batch, filters []*catalog.DynamicFilter) *types.Batch {
	for _, d := range filters {
		if state := d.State(); state != nil && batch.Selected > 0 {
			batch = batch.Select(state.Rows(pool, batch, d.Column))
		}
	}
	return batch
}

package mem

import (
	"cmp"
	"slices"
	"sync"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// Write starts a change.
func (s *Store) Write() catalog.Writer { return &writer{store: s} }

// writer is a change under way.
type writer struct {
	store   *Store
	lock    sync.Mutex
	added   []piece
	removed []int64
}

// piece is a new segment and its place among the others.
type piece struct {
	*segment
	place types.Sequence
}

// Add copies rows into a segment.
func (w *writer) Add(place types.Sequence, columns []*types.Vector, rows int) error {
	if rows > catalog.MaxPiece || len(columns) != len(w.store.schema) {
		return types.Errorf(types.CodeInternal, "a piece of %d rows and %d columns for a table of %d columns", rows, len(columns), len(w.store.schema))
	}
	s := newSegment(columns, rows)
	if err := w.store.memory.Grow(s.size); err != nil {
		return err
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	w.added = append(w.added, piece{s, place})
	return nil
}

// Remove notes rows to take out.
func (w *writer) Remove(rows []int64) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.removed = append(w.removed, rows...)
}

// Commit publishes the next version of the table: the present one without the removed rows and with the new segments at its end. A key that this
// version would have twice is an error with CodeUniqueViolation.
func (w *writer) Commit() error {
	s := w.store
	s.publish.Lock()
	defer s.publish.Unlock()
	if s.dropped {
		return types.Errorf(types.CodeSerialization, "the table was dropped while rows were written to it")
	}
	present := s.version.Load()
	slices.SortStableFunc(w.added, func(a, b piece) int { return cmp.Compare(a.place, b.place) })
	var undo []func()
	for _, k := range s.keys {
		f, err := k.change(present, w.removed, w.added, s.memory)
		if err != nil {
			for _, f := range undo {
				f()
			}
			return err
		}
		undo = append(undo, f)
	}
	parts := present.without(w.removed)
	for _, p := range w.added {
		parts = append(parts, part{segment: p.segment, live: p.rows})
	}
	next := newVersion(s, w.merged(parts))
	w.end()
	s.version.Store(next)
	present.Release()
	return nil
}

// Close gives back what was not committed.
func (w *writer) Close() { w.end() }

// end gives up the writer's own share in its segments.
func (w *writer) end() {
	for _, p := range w.added {
		p.release(w.store.memory)
	}
	w.added = nil
}

// without gives the parts of a version without some rows. Versions that came after the one in which the rows have these numbers have more parts, but
// begin with the same: see Store.removing. Segments of which no row is left go.
func (v *Version) without(rows []int64) []part {
	parts := slices.Clone(v.parts)
	copied := make([]bool, len(parts))
	for _, row := range rows {
		i := v.find(row)
		p := &parts[i]
		if !copied[i] {
			deleted := make(types.Bitmap, types.BitmapWords(p.rows))
			copy(deleted, p.deleted)
			p.deleted, copied[i] = deleted, true
		}
		if at := int(row - v.starts[i]); !p.deleted.Get(at) {
			p.deleted.Set(at)
			p.live--
		}
	}
	return slices.DeleteFunc(parts, func(p part) bool { return p.live == 0 })
}

// merged puts small segments at the end together, so that many small INSERTs make few segments: two neighbours become one when they fit into one piece
// and the later is at least half as long as the earlier, so a row is copied about log2(MaxPiece) times at most. Not while a statement is about to
// remove rows: their numbers would change.
func (w *writer) merged(parts []part) []part {
	s := w.store
	select {
	case s.removing <- struct{}{}:
		defer func() { <-s.removing }()
	default:
		return parts
	}
	for n := len(parts); n >= 2; n = len(parts) {
		a, b := parts[n-2], parts[n-1]
		if b.rows*2 < a.rows || a.rows+b.rows > catalog.MaxPiece || a.deleted != nil || b.deleted != nil {
			break
		}
		columns := make([]*types.Vector, len(a.columns))
		for c := range columns {
			columns[c] = kernels.Concat(&kernels.Env{}, []*types.Vector{a.columns[c], b.columns[c]})
		}
		m := newSegment(columns, a.rows+b.rows)
		if s.memory.Grow(m.size) != nil {
			break // unmerged they are just as right
		}
		w.added = append(w.added, piece{segment: m})
		parts = append(parts[:n-2], part{segment: m, live: m.rows})
	}
	return parts
}

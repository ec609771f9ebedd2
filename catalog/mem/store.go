package mem

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// Store is a table that statements write. Its rows are immutable segments; a version is a list of them, published by one atomic pointer. Readers never
// wait: they read the version that was the present one when they began. A segment's memory is given back when the last version with it is gone: one
// that is neither the present one nor acquired by a reader.
type Store struct {
	schema     types.Schema
	definition catalog.Definition
	memory     catalog.Memory

	// removing is held by a statement that removes rows, from before it reads until it has committed: segments are not merged meanwhile, so that the
	// numbers of their rows stay.
	removing chan struct{}
	publish  sync.Mutex  // of who makes the next version
	keys     []*keyIndex // under publish
	dropped  bool        // under publish
	version  atomic.Pointer[Version]
}

var _ catalog.Writable = (*Store)(nil)

// NewStore makes an empty table. Whoever made it drops it by Release.
func NewStore(schema types.Schema, definition catalog.Definition, memory catalog.Memory) *Store {
	s := &Store{schema: schema, definition: definition, memory: memory, removing: make(chan struct{}, 1)}
	for _, k := range definition.Keys {
		s.keys = append(s.keys, &keyIndex{Key: k})
	}
	s.version.Store(newVersion(s, nil))
	return s
}

// Schema gives the columns.
func (s *Store) Schema() types.Schema { return s.schema }

// Definition gives defaults and checks.
func (s *Store) Definition() *catalog.Definition { return &s.definition }

// Current gives the present version. It has to be acquired before it is read.
func (s *Store) Current() catalog.Table { return s.version.Load() }

// Statistics gives those of the present version.
func (s *Store) Statistics() catalog.Statistics { return s.version.Load().Statistics() }

// Applies accepts no filter: they only choose among the segments.
func (s *Store) Applies(*expr.Expr) bool { return false }

// Scan reads the present version.
func (s *Store) Scan(ctx context.Context, request catalog.ScanRequest) (catalog.Scan, error) {
	return s.version.Load().Scan(ctx, request)
}

// MemorySize gives the bytes that the rows of the present version take, without its keys.
func (s *Store) MemorySize() int64 {
	size := int64(0)
	for _, p := range s.version.Load().parts {
		size += p.size
	}
	return size
}

// Lock waits for the statement that removes rows at present, if there is one.
func (s *Store) Lock(ctx context.Context) (unlock func(), err error) {
	select {
	case s.removing <- struct{}{}:
		return sync.OnceFunc(func() { <-s.removing }), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Release drops the table. Versions that are being read live on until they are released; changes that are not committed yet will fail.
func (s *Store) Release() {
	s.publish.Lock()
	defer s.publish.Unlock()
	if !s.dropped {
		s.dropped = true
		s.version.Load().Release()
		for _, k := range s.keys {
			_ = s.memory.Grow(-k.reserved) // giving back does not fail
		}
		s.keys = nil
	}
}

// Version is one state of a Store. It counts its users: the store, while it is the present one, and whoever acquires it.
type Version struct {
	store   *Store
	parts   []part
	starts  []int64 // number of each part's first row: deleted rows count
	rows    int64   // without deleted ones
	sampled sync.Once
	columns []catalog.ColumnStatistics // once sampled
	users   atomic.Int64
}

var _ catalog.Table = (*Version)(nil)

// part is a segment as a version shows it.
type part struct {
	*segment
	deleted types.Bitmap // nil: none
	live    int          // rows that are not deleted
}

// newVersion makes a version of one user. It takes a share in every segment.
func newVersion(s *Store, parts []part) *Version {
	v := &Version{store: s, parts: parts, starts: make([]int64, len(parts))}
	start := int64(0)
	for i, p := range parts {
		p.users.Add(1)
		v.starts[i] = start
		start += int64(p.rows)
		v.rows += int64(p.live)
	}
	v.users.Store(1)
	return v
}

// Schema gives the columns.
func (v *Version) Schema() types.Schema { return v.store.schema }

// Applies accepts no filter: they only choose among the segments.
func (v *Version) Applies(*expr.Expr) bool { return false }

// Statistics gives the number of rows and, for each column, bounds and nulls, and how many distinct values there are by a sample, which is read when
// they are first asked for.
func (v *Version) Statistics() catalog.Statistics {
	v.sampled.Do(func() {
		v.columns = make([]catalog.ColumnStatistics, len(v.store.schema))
		rows := sampledRows(v.physicalRows())
		for c, f := range v.store.schema {
			v.columns[c] = mergeStatistics(v.parts, c)
			if len(rows) > 0 && !f.Type.IsNested() && f.Type.Kind() != types.KindNull {
				sample := estimated(v.sample(rows, c), len(rows), v.rows)
				v.columns[c].Distinct, v.columns[c].DistinctConfidence = sample.Distinct, sample.DistinctConfidence
			}
		}
		for _, k := range v.store.definition.Keys {
			if c := &v.columns[k.Columns[0]]; len(k.Columns) == 1 && c.NullsConfidence == catalog.Exact {
				c.Distinct, c.DistinctConfidence = v.rows-c.Nulls, catalog.Exact
			}
		}
	})
	return catalog.Statistics{Rows: v.rows, RowsConfidence: catalog.Exact, Source: "memory", Columns: v.columns}
}

// physicalRows gives the number of rows with the deleted ones.
func (v *Version) physicalRows() int64 {
	if n := len(v.parts); n > 0 {
		return v.starts[n-1] + int64(v.parts[n-1].rows)
	}
	return 0
}

// sample gives a column's values in some rows, which are in order. Deleted rows are as good a sample as others.
func (v *Version) sample(rows []int64, column int) []*types.Vector {
	var vectors []*types.Vector
	for next := 0; next < len(rows); {
		at := v.find(rows[next])
		var indices []uint32
		for ; next < len(rows) && rows[next] < v.starts[at]+int64(v.parts[at].rows); next++ {
			indices = append(indices, uint32(rows[next]-v.starts[at]))
		}
		vectors = append(vectors, kernels.Take(&kernels.Env{}, v.parts[at].columns[column], indices, nil))
	}
	return vectors
}

// Acquire adds a user, who calls Release when done. It reports false, and adds none, when the last user has gone already.
func (v *Version) Acquire() bool { return acquire(&v.users) }

// Release ends one use; with the last one the segments that no other version has are given back.
func (v *Version) Release() {
	switch n := v.users.Add(-1); {
	case n == 0:
		for _, p := range v.parts {
			p.release(v.store.memory)
		}
	case n < 0:
		panic(fmt.Sprintf("mem: version released %d times too often", -n))
	}
}

// acquire adds a user to a count that has not come down to none.
func acquire(users *atomic.Int64) bool {
	for {
		n := users.Load()
		if n == 0 {
			return false
		}
		if users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

package parquet

import (
	"context"
	"slices"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
)

// The page index (parquet.thrift, ColumnIndex and OffsetIndex) has the bounds of each page of a column chunk and the row that it starts with. Of a row group that
// its statistics do not rule out it tells the rows that need to be read at all; pages outside of them are not decompressed. An index that contradicts itself or
// the footer is as good as none: what it says of the data can no more be checked than other statistics.

// maxIndexBytes bounds an index. A page needs some tens of bytes.
const maxIndexBytes = 64 << 20

// rowRange is rows from from to to, the latter not included.
type rowRange struct{ from, to int64 }

// pageBounds is what is known about the pages of a column chunk.
type pageBounds struct {
	starts []int64 // the first row of each page
	bounds []catalog.Bounds
}

// at gives the bounds of the page that has a row.
func (x *pageBounds) at(row int64) catalog.Bounds {
	i, found := slices.BinarySearch(x.starts, row)
	if !found {
		i--
	}
	return x.bounds[i]
}

// columnIndex and offsetIndex are the structures of the format.
type columnIndex struct {
	nullPages []bool
	min, max  [][]byte
	nulls     []int64
}

func readColumnIndex(data []byte) (x columnIndex, ok bool) {
	r := &compact{data: data}
	r.fields(func(id int64, wire byte) {
		switch id {
		case 1:
			x.nullPages = booleans(r, wire)
		case 2:
			x.min = binaries(r, wire)
		case 3:
			x.max = binaries(r, wire)
		case 5:
			x.nulls = integers(r, wire)
		default:
			r.skip(wire)
		}
	})
	return x, !r.bad
}

// readOffsetIndex gives the first row of each page.
func readOffsetIndex(data []byte) (starts []int64, ok bool) {
	r := &compact{data: data}
	r.fields(func(id int64, wire byte) {
		if id != 1 {
			r.skip(wire)
			return
		}
		starts = structs(r, wire, func(start *int64) {
			*start = -1
			r.fields(func(id int64, wire byte) {
				if id == 3 {
					r.integer(start, wire)
				} else {
					r.skip(wire)
				}
			})
			if *start < 0 {
				r.fail()
			}
		})
	})
	return starts, !r.bad
}

// readPageIndex reads the index of a chunk; nil when there is none, or one that is not believed.
func readPageIndex(ctx context.Context, file catalog.File, l *leaf, c *columnChunk, rows int64) (*pageBounds, error) {
	if c.encrypted || !c.known || c.physical != l.physical || l.maxRepetition > 0 || !l.byType && !isSignedInteger(l) {
		return nil, nil
	}
	columns, err := readIndex(ctx, file, c.columnIndexOffset, c.columnIndexLength)
	if columns == nil || err != nil {
		return nil, err
	}
	offsets, err := readIndex(ctx, file, c.offsetIndexOffset, c.offsetIndexLength)
	if offsets == nil || err != nil {
		return nil, err
	}
	index, ok := readColumnIndex(columns)
	starts, ok2 := readOffsetIndex(offsets)
	n := len(starts)
	if !ok || !ok2 || n == 0 || len(index.nullPages) != n || len(index.min) != n || len(index.max) != n || len(index.nulls) != 0 && len(index.nulls) != n || starts[0] != 0 {
		return nil, nil
	}
	x := &pageBounds{starts: starts, bounds: make([]catalog.Bounds, n)}
	for i := range starts {
		end := rows
		if i+1 < n {
			end = starts[i+1]
		}
		b := catalog.Bounds{Rows: end - starts[i], Nulls: -1}
		switch {
		case b.Rows <= 0:
			return nil, nil
		case index.nullPages[i]:
			b.Nulls = b.Rows
		case l.maxDefinition == 0:
			b.Nulls = 0
		case len(index.nulls) > 0 && index.nulls[i] >= 0 && index.nulls[i] <= b.Rows:
			b.Nulls = index.nulls[i]
		}
		if !index.nullPages[i] {
			setBounds(&b, l, index.min[i], index.max[i])
			admitNaN(&b, l)
		}
		x.bounds[i] = b
	}
	return x, nil
}

// readIndex reads a structure of the index; nil when the footer names none inside of the file.
func readIndex(ctx context.Context, file catalog.File, offset, length int64) ([]byte, error) {
	if offset <= 0 || length <= 0 || length > maxIndexBytes || offset > file.Size()-length {
		return nil, nil
	}
	data := make([]byte, length)
	return data, readAt(ctx, file, data, offset)
}

// wantedRows gives the rows of a row group that the page indexes do not rule out: ascending, none beside another. A bloom filter may rule out all.
func (s *scan) wantedRows(ctx context.Context, g *rowGroup) ([]rowRange, error) {
	all := []rowRange{{0, g.rows}}
	for _, f := range s.advice {
		columns := columnsOf(f)
		indexes := map[int]*pageBounds{}
		starts := []int64{0}
		var failed error
		bounds := func(row int64) func(int) (catalog.Bounds, bool) {
			return func(column int) (catalog.Bounds, bool) {
				if x := indexes[column]; x != nil && row >= 0 {
					return x.at(row), true
				}
				b, ok := s.bounds(g, column)
				if l := s.columns[column].node.leaf; ok && row < 0 {
					b.Absent = s.absence(ctx, l, &g.columns[l.index], &failed)
				}
				return b, ok
			}
		}
		// The whole row group once more, now that bloom filters may be read.
		if !catalog.MayMatch(f, bounds(-1)) || failed != nil {
			return nil, failed
		}
		for _, c := range columns {
			l := s.columns[c].node.leaf
			if l == nil {
				continue
			}
			x, err := readPageIndex(ctx, s.file, l, &g.columns[l.index], g.rows)
			if err != nil {
				return nil, err
			}
			if x != nil {
				indexes[c] = x
				starts = append(starts, x.starts...)
			}
		}
		if len(indexes) == 0 {
			continue
		}
		slices.Sort(starts)
		starts = slices.Compact(starts)
		var kept []rowRange
		for i, from := range starts {
			to := g.rows
			if i+1 < len(starts) {
				to = starts[i+1]
			}
			if !catalog.MayMatch(f, bounds(from)) {
				continue
			}
			if n := len(kept); n > 0 && kept[n-1].to == from {
				kept[n-1].to = to
			} else {
				kept = append(kept, rowRange{from, to})
			}
		}
		all = intersect(all, kept)
	}
	return all, nil
}

// intersect gives the rows that are in both lists of ascending ranges.
func intersect(a, b []rowRange) []rowRange {
	var both []rowRange
	for len(a) > 0 && len(b) > 0 {
		if from, to := max(a[0].from, b[0].from), min(a[0].to, b[0].to); from < to {
			both = append(both, rowRange{from, to})
		}
		if a[0].to < b[0].to {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}

// hasIndexes reports whether a condition reads a column that has a page index or a bloom filter in a row group.
func (s *scan) hasIndexes(g *rowGroup, f *expr.Expr) bool {
	return slices.ContainsFunc(columnsOf(f), func(column int) bool {
		l := s.columns[column].node.leaf
		return l != nil && (g.columns[l.index].columnIndexOffset > 0 || g.columns[l.index].bloomOffset > 0)
	})
}

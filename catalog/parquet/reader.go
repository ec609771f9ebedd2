package parquet

import (
	"context"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// reader reads one wanted column of a row group from front to back.
type reader interface {
	// skip passes over rows, at a cost that may come with the next read only.
	skip(rows int)
	// read gives the next rows, at least one.
	read(ctx context.Context, pool *types.Pool, rows int) (*types.Vector, error)
}

// newReader makes the reader of a node.
func newReader(file catalog.File, n *node, group *rowGroup, w *workspace) (reader, error) {
	if n.shape == rowNumberShape {
		return &rowNumberReader{group.first}, nil
	}
	if n.shape == restoredShape {
		inner, err := newReader(file, n.children[0], group, w)
		return restoringReader{inner, n.field.Type}, err
	}
	if n.leaf != nil && n.field.Type.Kind() == types.KindNull {
		return nullReader{n.field.Type}, nil
	}
	var leaves []*columnReader
	var err error
	n.eachLeaf(func(l *leaf) {
		chunk := &group.columns[l.index]
		if err == nil {
			err = checkChunk(chunk, l, group.rows)
		}
		leaves = append(leaves, newColumnReader(file, l, chunk, group.rows, w.next()))
	})
	if err != nil {
		return nil, err
	}
	if n.leaf != nil && n.leaf.maxDefinition <= 1 && n.leaf.maxRepetition == 0 {
		return leaves[0], nil
	}
	return &nestedReader{node: n, leaves: leaves}, nil
}

// restoringReader makes what another reader reads into the type that the file's Arrow schema says.
type restoringReader struct {
	reader
	typ types.Type
}

func (r restoringReader) read(ctx context.Context, pool *types.Pool, rows int) (*types.Vector, error) {
	v, err := r.reader.read(ctx, pool, rows)
	if err != nil {
		return nil, err
	}
	return fromWritten(pool, v, r.typ, false)
}

// rowNumberReader counts rows.
type rowNumberReader struct{ next int64 }

func (r *rowNumberReader) skip(rows int) { r.next += int64(rows) }

func (r *rowNumberReader) read(_ context.Context, pool *types.Pool, rows int) (*types.Vector, error) {
	numbers := types.Alloc[int64](pool, rows)
	for i := range numbers {
		numbers[i] = r.next + int64(i)
	}
	r.next += int64(rows)
	return types.NewFixed(types.BigInt, numbers, nil), nil
}

// nullReader reads a column that is always null by its type.
type nullReader struct{ typ types.Type }

func (nullReader) skip(int) {}

func (r nullReader) read(_ context.Context, _ *types.Pool, rows int) (*types.Vector, error) {
	return types.NewNull(r.typ, rows), nil
}

// workspace is the memory that the readers of one morsel use, kept for the next one.
type workspace struct {
	buffers []*columnBuffers
	used    int
}

// next gives the buffers of one leaf's reader. A leaf that two columns are made of has two readers.
func (w *workspace) next() *columnBuffers {
	if w.used == len(w.buffers) {
		w.buffers = append(w.buffers, &columnBuffers{})
	}
	w.used++
	return w.buffers[w.used-1]
}

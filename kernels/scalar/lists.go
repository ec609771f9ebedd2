package scalar

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// listColumn is a LIST or MAP argument: row i is rows of the child.
type listColumn struct {
	entries []types.ListEntry
	child   *types.Vector
	step    int
}

func listOf(env *kernels.Env, v *types.Vector) listColumn {
	if v.Type().Kind() == types.KindNull { // no row has elements
		return listColumn{entries: make([]types.ListEntry, 1), child: types.NewNull(types.Null, 0)}
	}
	v, step := plainOrConstant(env, v)
	return listColumn{types.ValuesOf[types.ListEntry](v), v.Children()[0], step}
}

// at gives the rows of the child that row i is: from offset on, as many as length.
func (c listColumn) at(i int) (offset, length int) {
	e := c.entries[i*c.step]
	return int(e.Offset), int(e.Length)
}

// flatten gives the row and the place in the child of every element of n rows, of which valid (nil = all) have a list.
func (c listColumn) flatten(env *kernels.Env, n int, valid types.Bitmap) (rows, elements []uint32) {
	total := 0
	for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
		_, length := c.at(i)
		total += length
	}
	rows = types.Alloc[uint32](env.Pool, total)[:0]
	elements = types.Alloc[uint32](env.Pool, total)[:0]
	for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
		offset, length := c.at(i)
		for k := range length {
			rows, elements = append(rows, uint32(i)), append(elements, uint32(offset+k))
		}
	}
	return rows, elements
}

// elementEnv is the environment for a kernel that runs on n elements instead of rows: none of them may raise.
func elementEnv(env *kernels.Env, n int) *kernels.Env {
	inner := *env
	inner.Active, inner.Rows, inner.Try = nil, n, true
	return &inner
}

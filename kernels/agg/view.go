package agg

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// viewExtremes holds the smallest or greatest string of each group as a view; the bytes of those that are not inline lie in an
// arena of its own.
type viewExtremes struct {
	typ  types.Type
	max  bool
	best []types.View
	met  []bool
	arena
}

// arena holds the bytes of views. Bytes of replaced views stay behind until half of it is such waste, when those in use are
// moved to a new one; so its size is within a small factor of what is in use.
type arena struct {
	chunks []types.Buffer
	last   []byte // the chunk being filled, also the last of chunks
	live   int    // bytes of views in use
	size   int    // bytes in all chunks
}

const minChunk, maxChunk = 4 << 10, 1 << 20

// put copies bytes of more than an inline view's length and gives their view.
func (a *arena) put(b []byte) types.View {
	if len(b) <= types.MaxInlineView {
		return types.InlineView(b)
	}
	if len(b) > cap(a.last)-len(a.last) {
		chunk := max(len(b), min(maxChunk, max(minChunk, a.size)))
		a.last = make([]byte, 0, chunk)
		a.chunks = append(a.chunks, types.Buffer{})
	}
	offset := len(a.last)
	a.last = append(a.last, b...)
	a.chunks[len(a.chunks)-1].Bytes = a.last
	a.size += len(b)
	a.live += len(b)
	return types.MakeView(b, len(a.chunks)-1, offset)
}

// drop says that a view is not used any more.
func (a *arena) drop(v types.View) {
	if !v.IsInline() {
		a.live -= v.Len()
	}
}

// wasteful reports whether moving the views in use pays.
func (a *arena) wasteful() bool { return a.size > 2*a.live && a.size > maxChunk }

func (e *viewExtremes) Resize(n int) error {
	e.best, e.met = grow(e.best, n), grow(e.met, n)
	return nil
}

func (e *viewExtremes) Size() int64 { return sizeOf(e.best) + sizeOf(e.met) + int64(e.arena.size) }

func (e *viewExtremes) Update(env *kernels.Env, groups []uint32, args []*types.Vector, _ int) error {
	return update(env, e, groups, args[0])
}

func (e *viewExtremes) offer(group uint32, x *types.View, buffers []types.Buffer) {
	best := &e.best[group]
	if e.met[group] {
		if order := types.CompareViews(x, best, buffers, e.chunks); order == 0 || (order > 0) != e.max {
			return
		}
		e.drop(*best)
	}
	*best, e.met[group] = e.put(x.Bytes(buffers)), true
	if e.wasteful() {
		e.compact()
	}
}

// compact moves the bytes in use to a new arena.
func (e *viewExtremes) compact() {
	old := e.chunks
	e.arena = arena{}
	for g := range e.best {
		if b := &e.best[g]; !b.IsInline() {
			*b = e.put(b.Bytes(old))
		}
	}
}

func (e *viewExtremes) add(env *kernels.Env, groups []uint32, v *types.Vector, rows types.Bitmap) error {
	buffers := v.DataBuffers()
	withRows(env, types.ValuesOf[types.View](v)[:v.Len()], groups, rows, func(values []types.View, groups []uint32) {
		for i := range values {
			g := uint32(0)
			if groups != nil {
				g = groups[i]
			}
			e.offer(g, &values[i], buffers)
		}
	})
	return nil
}

func (e *viewExtremes) addWeighted(_ *kernels.Env, v *types.Vector, weights []int64) error {
	values := types.ValuesOf[types.View](v)
	for i, w := range weights {
		if w != 0 {
			e.offer(0, &values[i], v.DataBuffers())
		}
	}
	return nil
}

func (e *viewExtremes) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	return update(env, e, groups, columns[0])
}

func (e *viewExtremes) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	v, err := e.Finish(env, from, to)
	return []*types.Vector{v}, err
}

// Finish copies the bytes of the groups' strings, so that the result does not hang on the accumulator.
func (e *viewExtremes) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	out := kernels.NewViewBuilder(env, e.typ, to-from)
	for i := range e.best[from:to] {
		out.Append(e.best[from+i].Bytes(e.chunks))
	}
	return out.Finish(validGroups(poolOf(env), from, to, func(g int) bool { return e.met[g] })), nil
}

package kernels

import "github.com/lacunadb/lacuna/types"

// ViewBuilder makes a plain string or byte vector row by row. Long texts are copied into data buffers that grow by doubling and
// never move.
type ViewBuilder struct {
	pool    *types.Pool
	typ     types.Type
	views   []types.View
	buffers []types.Buffer
	open    []byte // the last buffer, as far as it is filled
}

const (
	minViewBuffer = 4 << 10
	maxViewBuffer = 1 << 20
)

// NewViewBuilder makes a builder with room for n rows.
func NewViewBuilder(env *Env, typ types.Type, n int) *ViewBuilder {
	return &ViewBuilder{pool: env.pool(), typ: typ, views: types.Alloc[types.View](env.pool(), n)[:0]}
}

// Append adds a row with a copy of b.
func (b *ViewBuilder) Append(text []byte) {
	if len(text) <= types.MaxInlineView {
		b.views = append(b.views, types.InlineView(text))
		return
	}
	room := b.Reserve(len(text))
	copy(room, text)
	b.AppendReserved(room)
}

// AppendEmpty adds a row with the empty text, as stands under nulls too.
func (b *ViewBuilder) AppendEmpty() { b.views = append(b.views, types.View{}) }

// Reserve gives n bytes of a data buffer to write a text into that AppendReserved then adds. They are lost with the next Append,
// Reserve or Finish if it does not.
func (b *ViewBuilder) Reserve(n int) []byte {
	if len(b.open)+n > cap(b.open) {
		size := max(n, min(maxViewBuffer, max(minViewBuffer, 2*cap(b.open))))
		b.open = b.pool.Bytes(size)[:0]
		b.buffers = append(b.buffers, types.Buffer{})
	}
	at := len(b.open)
	return b.open[at : at+n : cap(b.open)]
}

// AppendReserved adds a row with a text that was written to the start of what Reserve gave.
func (b *ViewBuilder) AppendReserved(text []byte) {
	if len(text) <= types.MaxInlineView {
		b.views = append(b.views, types.InlineView(text))
		return
	}
	at := len(b.open)
	b.open = b.open[:at+len(text)]
	b.buffers[len(b.buffers)-1].Bytes = b.open
	b.views = append(b.views, types.MakeView(text, len(b.buffers)-1, at))
}

// Finish gives the vector; the builder is used up. Null rows need to have been appended, too.
func (b *ViewBuilder) Finish(validity types.Bitmap) *types.Vector {
	if n := len(b.buffers); n > 0 && b.buffers[n-1].Bytes == nil {
		b.buffers = b.buffers[:n-1]
	}
	return types.NewViews(b.typ, b.views, b.buffers, validity)
}

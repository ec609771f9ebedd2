package parquet

import (
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// output collects the present values of one batch of a leaf, side by side, from as many pages as the batch meets, and makes the vector
// of them. Pages with dictionary indices give a dictionary vector; when another page joins them the batch becomes plain.
type output struct {
	pool *types.Pool
	leaf *leaf
	room int // values that there is memory for
	n    int // values that are there

	dictionary *types.Vector
	keys       []uint32 // while all values are in the dictionary
	fixed      []byte
	bits       types.Bitmap
	views      []types.View
	buffers    []types.Buffer
}

// newOutput makes an output with room for n values, in memory of the pool or, without one, of the garbage collector.
func newOutput(pool *types.Pool, l *leaf, n int) *output {
	return &output{pool: pool, leaf: l, room: n}
}

// add takes the next n values of c's present page.
func (o *output) add(c *columnReader, n int) error {
	if n == 0 {
		return nil
	}
	o.reserve(n)
	var err error
	switch {
	case !c.keyed || c.dictionary == nil: // without a dictionary: the dictionary itself is being read
		o.decodeKeys()
		err = o.addValues(c, n)
	case o.n == 0 || o.keys != nil:
		if o.keys == nil {
			o.keys, o.dictionary = types.Alloc[uint32](o.pool, o.room), c.dictionary
		}
		err = readKeys(c, o.keys[o.n:o.n+n])
	default:
		keys := types.Alloc[uint32](o.pool, n)
		if err = readKeys(c, keys); err == nil {
			o.append(keys, c.dictionary)
		}
	}
	o.n += n
	return err
}

// readKeys reads dictionary indices and checks them.
func readKeys(c *columnReader, keys []uint32) error {
	if err := c.keys.read(keys); err != nil {
		return err
	}
	if most := asm.GreatestIndex(keys); int64(most) >= int64(c.dictionary.Len()) {
		return corrupt("index %d in a dictionary of %d", most, c.dictionary.Len())
	}
	return nil
}

// addValues takes values that are not in the dictionary.
func (o *output) addValues(c *columnReader, n int) error {
	o.allocate()
	l := o.leaf
	switch {
	case c.bools != nil:
		return c.bools.next(o.bits, o.n, n)
	case c.fixed != nil:
		src, err := c.fixed.next(n)
		if err != nil {
			return err
		}
		width := l.typ.Storage().Width()
		return l.convert(o.fixed[o.n*width:(o.n+n)*width], src, n)
	case l.convertViews != nil:
		if cap(c.views) < n {
			c.views = make([]types.View, n)
		}
		views := c.views[:n]
		body, err := c.text.next(views, 0)
		if err != nil {
			return err
		}
		width := l.typ.Storage().Width()
		return l.convertViews(o.fixed[o.n*width:(o.n+n)*width], views, []types.Buffer{{Bytes: body}})
	}
	views := o.views[o.n : o.n+n]
	body, err := c.text.next(views, len(o.buffers))
	if err != nil {
		return err
	}
	o.buffers = append(o.buffers, types.Buffer{Bytes: body})
	if l.physical == physicalFixed {
		return checkWidth(views, l.width)
	}
	if kind := l.typ.Kind(); kind == types.KindVarchar || kind == types.KindJSON {
		return checkText(body, views, o.buffers)
	}
	return nil
}

// allocate makes memory for plain values, unless it is there.
func (o *output) allocate() {
	switch s := o.leaf.typ.Storage(); {
	case s == types.StorageBool && o.bits == nil:
		o.bits = o.pool.ZeroBitmap(o.room)
	case s == types.StorageView && o.views == nil:
		o.views = types.Alloc[types.View](o.pool, o.room)
	case s != types.StorageBool && s != types.StorageView && o.fixed == nil:
		o.fixed = o.pool.Bytes(o.room * s.Width())
	}
}

// reserve makes room for n more values. Columns without nesting have it from the start.
func (o *output) reserve(n int) {
	if o.n+n <= o.room {
		return
	}
	grown := output{pool: o.pool, leaf: o.leaf, room: max(o.n+n, 2*o.room)}
	if o.keys != nil {
		grown.keys = types.Alloc[uint32](o.pool, grown.room)
		copy(grown.keys, o.keys[:o.n])
	}
	if o.bits != nil || o.views != nil || o.fixed != nil {
		grown.allocate()
		copy(grown.bits, o.bits)
		copy(grown.views, o.views)
		copy(grown.fixed, o.fixed)
	}
	o.room, o.keys, o.bits, o.views, o.fixed = grown.room, grown.keys, grown.bits, grown.views, grown.fixed
}

// decodeKeys turns what has been collected as keys into plain values.
func (o *output) decodeKeys() {
	if o.keys == nil {
		return
	}
	keys, n := o.keys[:o.n], o.n
	o.keys, o.n = nil, 0
	o.append(keys, o.dictionary)
	o.n = n
}

// append adds the entries of a dictionary that keys name as plain values. The caller counts them.
func (o *output) append(keys []uint32, dictionary *types.Vector) {
	o.allocate()
	values := kernels.Take(&kernels.Env{Pool: o.pool}, dictionary, keys, nil)
	if o.views == nil {
		copy(o.fixed[o.n*o.leaf.typ.Storage().Width():], values.Data().Bytes)
		return
	}
	first := uint64(len(o.buffers))
	for i, v := range types.ValuesOf[types.View](values) {
		if !v.IsInline() {
			v.Tail += first
		}
		o.views[o.n+i] = v
	}
	o.buffers = append(o.buffers, values.DataBuffers()...)
}

// finish gives the vector of n rows whose present rows validity (nil = all) marks: as many as have been added.
func (o *output) finish(n int, validity types.Bitmap) *types.Vector {
	typ := o.leaf.typ
	if o.n == 0 && n > 0 {
		return types.NewNull(typ, n)
	}
	if o.n == n {
		validity = nil
	} else {
		o.reserve(n - o.n)
	}
	if o.keys != nil {
		keys := o.keys[:n]
		if validity != nil {
			spread(keys, o.n, validity)
		}
		v := types.NewDictionary(keys, o.dictionary, validity)
		if typ.Storage() != types.StorageView && o.dictionary.Len() > n {
			// No operator gains by so many entries, and each would look them up again.
			return kernels.Decode(&kernels.Env{Pool: o.pool}, v)
		}
		return v
	}
	o.allocate()
	switch s := typ.Storage(); s {
	case types.StorageBool:
		bits := o.bits[:types.BitmapWords(n)]
		if validity != nil {
			bits = spreadBits(o.pool, bits, n, validity)
		}
		return types.NewBool(bits, n, validity)
	case types.StorageView:
		views := o.views[:n]
		if validity != nil {
			spread(views, o.n, validity)
		}
		return types.NewViews(typ, views, o.buffers, validity)
	default:
		values := o.fixed[:n*s.Width()]
		if validity != nil {
			spreadFixed(values, s.Width(), o.n, validity)
		}
		return fixedVector(typ, values, validity)
	}
}

func spreadFixed(values []byte, width, k int, validity types.Bitmap) {
	switch width {
	case 1:
		spread(types.Values[uint8](values), k, validity)
	case 2:
		spread(types.Values[uint16](values), k, validity)
	case 4:
		spread(types.Values[uint32](values), k, validity)
	case 8:
		spread(types.Values[uint64](values), k, validity)
	case 16:
		spread(types.Values[types.Int128](values), k, validity)
	default:
		spread(types.Values[types.Int256](values), k, validity)
	}
}

// spread moves the first k values to the rows that are valid, k of them, from the last to the first. Null rows repeat a neighbour or
// the zero value, so that keys and views under nulls are in bounds, too.
func spread[T types.Fixed](values []T, k int, validity types.Bitmap) {
	n := len(values)
	if k < n {
		var zero T
		values[k] = zero
	}
	for w := types.BitmapWords(n) - 1; w >= 0; w-- {
		from, to := w*64, min(n, w*64+64)
		if k == to {
			return // no nulls are left, so the rest is in its place
		}
		word := validity[w]
		if word == types.LastWordMask(to-from) {
			k -= to - from
			copy(values[from:to], values[k:])
			continue
		}
		rows := values[from:to]
		for i := len(rows) - 1; i >= 0; i-- {
			k -= int(word >> (uint(i) & 63) & 1)
			rows[i] = values[k]
		}
	}
}

// spreadBits is spread for bits; null rows are 0.
func spreadBits(pool *types.Pool, bits types.Bitmap, n int, validity types.Bitmap) types.Bitmap {
	dst := pool.ZeroBitmap(n)
	next := 0
	for i := validity.NextSet(0, n); i < n; i = validity.NextSet(i+1, n) {
		if bits.Get(next) {
			dst.Set(i)
		}
		next++
	}
	return dst
}

// fixedVector makes a plain vector of values that lie in memory as the type's storage wants.
func fixedVector(typ types.Type, values []byte, validity types.Bitmap) *types.Vector {
	switch typ.Storage() {
	case types.StorageInt8:
		return types.NewFixed(typ, types.Values[int8](values), validity)
	case types.StorageInt16:
		return types.NewFixed(typ, types.Values[int16](values), validity)
	case types.StorageInt32:
		return types.NewFixed(typ, types.Values[int32](values), validity)
	case types.StorageUint8:
		return types.NewFixed(typ, types.Values[uint8](values), validity)
	case types.StorageUint16, types.StorageFloat16:
		return types.NewFixed(typ, types.Values[uint16](values), validity)
	case types.StorageUint32:
		return types.NewFixed(typ, types.Values[uint32](values), validity)
	case types.StorageUint64:
		return types.NewFixed(typ, types.Values[uint64](values), validity)
	case types.StorageFloat32:
		return types.NewFixed(typ, types.Values[float32](values), validity)
	case types.StorageFloat64:
		return types.NewFixed(typ, types.Values[float64](values), validity)
	case types.StorageInt128:
		return types.NewFixed(typ, types.Values[types.Int128](values), validity)
	case types.StorageInt256:
		return types.NewFixed(typ, types.Values[types.Int256](values), validity)
	case types.StorageInterval:
		return types.NewFixed(typ, types.Values[types.MonthDayNano](values), validity)
	default:
		return types.NewFixed(typ, types.Values[int64](values), validity)
	}
}

package ipc

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/catalog"
)

// A record batch is flat: the nodes (length, null count) and the buffers of all columns in the order of the fields, depth first. To find those of one
// column, the types of the columns before it are walked.

// span is a buffer in a body.
type span struct{ offset, length int64 }

// part is one array of a column, before its buffers are read.
type part struct {
	dt         arrow.DataType
	rows       int
	nulls      int
	buffers    []span
	children   []*part
	dictionary int64 // id of the dictionary
}

// walker takes the nodes and buffers of a block one after the other.
type walker struct {
	block    *block
	bad      *bool
	nodes    cursor
	buffers  cursor
	variadic cursor
	ids      []int64 // of the dictionaries that come
}

// cursor goes through the elements of a vector.
type cursor struct {
	at, left, size int
}

func (c *cursor) next() (int, bool) {
	if c.left == 0 {
		return 0, false
	}
	at := c.at
	c.at, c.left = c.at+c.size, c.left-1
	return at, true
}

func newWalker(b *block, ids []int64) *walker {
	own := *b // a dictionary's header is read by many workers at a time; each notes for itself what is bad
	bad := b.header.Bad()
	own.header = b.header.WithBad(&bad)
	w := &walker{block: &own, bad: &bad, ids: ids}
	for i, c := range []*cursor{&w.nodes, &w.buffers, &w.variadic} {
		c.size = []int{16, 16, 8}[i]
		c.at, c.left = own.header.Vector([]int{1, 2, 4}[i], c.size)
	}
	return w
}

// part walks one array; with wanted false it only passes by.
func (w *walker) part(dt arrow.DataType, wanted bool, depth int) (*part, error) {
	if depth > maxDepth {
		return nil, corrupt("types are nested deeper than %d", maxDepth)
	}
	at, ok := w.nodes.next()
	if !ok {
		return nil, corrupt("the batch has fewer arrays than its schema")
	}
	rows, nulls := w.block.header.Long(at), w.block.header.Long(at+8)
	if rows < 0 || rows > math.MaxInt32*64 || nulls < 0 || nulls > rows {
		return nil, corrupt("an array of %d rows, %d of them null", rows, nulls)
	}
	p := &part{dt: dt, rows: int(rows), nulls: int(nulls), dictionary: -1}
	storage := dt
	if ext, ok := dt.(arrow.ExtensionType); ok {
		storage = ext.StorageType()
	}
	if err := w.bufferSpans(p, storage); err != nil {
		return nil, err
	}
	if d, ok := storage.(*arrow.DictionaryType); ok {
		// Of the dictionaries inside of the values' type a record batch has nothing.
		inside := countDictionaries(d.ValueType)
		if inside >= len(w.ids) {
			return nil, corrupt("the schema has fewer dictionaries than fields that need one")
		}
		p.dictionary, w.ids = w.ids[inside], w.ids[inside+1:]
	}
	for _, child := range childTypes(storage) { // a dictionary has none
		c, err := w.part(child, wanted, depth+1)
		if err != nil {
			return nil, err
		}
		p.children = append(p.children, c)
	}
	if !wanted {
		return nil, nil
	}
	return p, nil
}

// bufferSpans takes the buffers of an array itself.
func (w *walker) bufferSpans(p *part, storage arrow.DataType) error {
	count := 2 // validity and values
	switch storage.ID() {
	case arrow.NULL, arrow.RUN_END_ENCODED:
		count = 0
	case arrow.STRUCT, arrow.FIXED_SIZE_LIST:
		count = 1
	case arrow.STRING, arrow.LARGE_STRING, arrow.BINARY, arrow.LARGE_BINARY, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW:
		count = 3
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		at, ok := w.variadic.next()
		if !ok {
			return corrupt("the batch does not say how many buffers its views have")
		}
		more := w.block.header.Long(at)
		if more < 0 || more > int64(w.buffers.left) {
			return corrupt("views in %d buffers, of which the batch has %d", more, w.buffers.left)
		}
		count += int(more)
	case arrow.SPARSE_UNION, arrow.DENSE_UNION:
		p.buffers = []span{{}} // Arrow's arrays of unions keep the place of a validity bitmap
		defer func() { p.nulls = 0 }()
		count = 1
		if storage.ID() == arrow.DENSE_UNION {
			count = 2
		}
		if w.block.v4 {
			if _, ok := w.buffers.next(); !ok {
				return corrupt("the batch has fewer buffers than its schema")
			}
			if p.nulls > 0 {
				return unsupported("a union with nulls of its own, as Arrow metadata of version V4 has them, is not supported")
			}
		}
	}
	for range count {
		at, ok := w.buffers.next()
		if !ok {
			return corrupt("the batch has fewer buffers than its schema")
		}
		s := span{w.block.header.Long(at), w.block.header.Long(at + 8)}
		if s.offset < 0 || s.length < 0 || s.offset > w.block.size-s.length {
			return corrupt("a buffer of %d bytes at offset %d of a body of %d", s.length, s.offset, w.block.size)
		}
		p.buffers = append(p.buffers, s)
	}
	if count == 0 {
		p.buffers = []span{{}}
		if storage.ID() == arrow.RUN_END_ENCODED {
			p.nulls = 0
		}
	}
	return nil
}

// childTypes gives the types of an array's children, as a record batch has them.
func childTypes(dt arrow.DataType) []arrow.DataType {
	switch d := dt.(type) {
	case *arrow.RunEndEncodedType:
		return []arrow.DataType{d.RunEnds(), d.Encoded()}
	case *arrow.MapType:
		return []arrow.DataType{d.Elem()}
	case arrow.NestedType:
		var all []arrow.DataType
		for _, f := range d.Fields() {
			all = append(all, f.Type)
		}
		return all
	}
	return nil
}

// countDictionaries gives the number of dictionaries of a type, those inside of each other's values included.
func countDictionaries(dt arrow.DataType) int {
	switch d := dt.(type) {
	case arrow.ExtensionType:
		return countDictionaries(d.StorageType())
	case *arrow.DictionaryType:
		return 1 + countDictionaries(d.ValueType)
	}
	n := 0
	for _, c := range childTypes(dt) {
		n += countDictionaries(c)
	}
	return n
}

// gap is how many bytes that nobody wants are read rather than starting anew behind them.
const gap = 32 << 10

// body is the part of a body that has been read.
type body struct {
	pieces []piece // in order
	codec  int
}

type piece struct {
	offset int64
	bytes  []byte
}

// read reads the buffers of some arrays.
func (b *block) read(ctx context.Context, file catalog.File, parts []*part) (*body, error) {
	var spans []span
	var collect func(p *part)
	collect = func(p *part) {
		for _, s := range p.buffers {
			if s.length > 0 {
				spans = append(spans, s)
			}
		}
		for _, c := range p.children {
			collect(c)
		}
	}
	for _, p := range parts {
		collect(p)
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.offset, b.offset) })
	out := &body{codec: codecNone}
	bad := false
	header := b.header.WithBad(&bad) // others may read the same header
	if c, ok := header.Table(3); ok {
		out.codec = int(c.Integer(0, 1, 0))
		if out.codec != codecLZ4 && out.codec != codecZstd {
			return nil, unsupported("compression codec number %d is not supported", out.codec)
		}
	}
	if bad {
		return nil, corrupt("the header contradicts itself")
	}
	for len(spans) > 0 {
		start, end, n := spans[0].offset, spans[0].offset+spans[0].length, 1
		for ; n < len(spans) && spans[n].offset <= end+gap; n++ {
			end = max(end, spans[n].offset+spans[n].length)
		}
		p, err := readAt(ctx, file, b.body+start, end-start)
		if err != nil {
			return nil, err
		}
		out.pieces, spans = append(out.pieces, piece{start, p}), spans[n:]
	}
	return out, nil
}

// memory gives the bytes that the arrays of some parts will take: those that were read, and what compressed ones claim to become. Compressed buffers that
// overlap are corrupt: few bytes could become any number.
func (b *body) memory(parts []*part) (int64, error) {
	total, compressed := int64(0), int64(0)
	for _, p := range b.pieces {
		total += int64(len(p.bytes))
	}
	var count func(p *part) error
	count = func(p *part) error {
		for _, s := range p.buffers {
			if s.length == 0 {
				continue
			}
			n, err := decompressedSize(b.codec, b.raw(s))
			if err != nil {
				return err
			}
			total += n
			compressed += s.length
		}
		for _, c := range p.children {
			if err := count(c); err != nil {
				return err
			}
		}
		return nil
	}
	if b.codec == codecNone {
		return total, nil
	}
	read := total
	for _, p := range parts {
		if err := count(p); err != nil {
			return 0, err
		}
	}
	if compressed > read {
		return 0, corrupt("compressed buffers overlap")
	}
	return total, nil
}

// raw gives the bytes of a buffer as they were read.
func (b *body) raw(s span) []byte {
	i, found := slices.BinarySearchFunc(b.pieces, s.offset, func(p piece, offset int64) int { return cmp.Compare(p.offset, offset) })
	if !found {
		i--
	}
	return b.pieces[i].bytes[s.offset-b.pieces[i].offset:][:s.length]
}

// buffer gives a buffer, decompressed.
func (b *body) buffer(s span) (*memory.Buffer, error) {
	if s.length == 0 {
		return nil, nil
	}
	raw := b.raw(s)
	if b.codec != codecNone {
		var err error
		if raw, err = decompress(b.codec, raw); err != nil {
			return nil, err
		}
	}
	return memory.NewBufferBytes(raw), nil
}

// data makes array data of a part whose buffers have been read. The dictionaries are those that hold for the block.
func (b *body) data(p *part, dictionary func(id int64) (arrow.ArrayData, error)) (*array.Data, error) {
	buffers := make([]*memory.Buffer, len(p.buffers))
	for i, s := range p.buffers {
		var err error
		if buffers[i], err = b.buffer(s); err != nil {
			return nil, err
		}
	}
	if p.nulls == 0 && len(buffers) > 0 {
		buffers[0] = nil // the bitmap may be there all the same, and hold anything
	}
	children := make([]arrow.ArrayData, len(p.children))
	for i, c := range p.children {
		var err error
		if children[i], err = b.data(c, dictionary); err != nil {
			return nil, err
		}
	}
	if p.dictionary < 0 {
		return array.NewData(p.dt, p.rows, buffers, children, p.nulls, 0), nil
	}
	values, err := dictionary(p.dictionary)
	if err != nil {
		return nil, err
	}
	return array.NewDataWithDictionary(p.dt, p.rows, buffers, p.nulls, 0, values.(*array.Data)), nil
}

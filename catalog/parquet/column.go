package parquet

import (
	"context"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// columnReader reads a leaf's chunk of one row group from front to back. Nothing is read or decompressed before rows are wanted: skip
// only counts, and pages whose rows are all skipped are passed over as they are.
type columnReader struct {
	file    catalog.File
	leaf    *leaf
	chunk   *columnChunk
	buffers *columnBuffers

	pages   pageReader
	opened  bool
	unseen  int64 // entries of the chunk whose pages have not been reached; an entry is a row where nothing is repeated
	skipped int   // rows to pass over before the next read

	dictionary *types.Vector // plain, on the garbage-collected heap: batches share it

	page       dataPage
	unread     bool // only the header of the present page has been looked at
	left       int  // entries left in the present page
	definition hybrid
	repetition hybrid
	// One of these reads the present page's values.
	keyed bool
	keys  hybrid
	fixed fixedReader
	text  bytesReader
	bools boolReader

	levels levelQueue // of a nested column
	views  []types.View
}

// columnBuffers is memory that a column's readers reuse from row group to row group. No batch points into it.
type columnBuffers struct {
	file []byte // as it lies in the file
	page []byte // decompressed
}

func newColumnReader(file catalog.File, l *leaf, chunk *columnChunk, rows int64, buffers *columnBuffers) *columnReader {
	c := &columnReader{file: file, leaf: l, chunk: chunk, buffers: buffers, unseen: rows}
	if l.maxRepetition > 0 {
		c.unseen = chunk.values
	}
	return c
}

// checkChunk looks at the metadata of a chunk.
func checkChunk(c *columnChunk, l *leaf, rows int64) error {
	switch {
	case c.encrypted:
		return unsupported("it is encrypted, which is not supported")
	case c.elsewhere:
		return unsupported("it is in another file, which is not supported")
	case !c.known:
		return corrupt("it has no metadata")
	case c.physical != l.physical:
		return corrupt("it has physical type %d, the schema says %d", c.physical, l.physical)
	case c.values < 0 || l.maxRepetition == 0 && c.values != rows:
		return corrupt("it claims %d values for %d rows", c.values, rows)
	}
	return nil
}

// skip passes over rows, at the next read.
func (c *columnReader) skip(rows int) { c.skipped += rows }

// turn moves to the next page with entries, whose header it reads, unless the present one has some left.
func (c *columnReader) turn(ctx context.Context) error {
	if !c.opened {
		pages, err := openChunk(c.file, c.chunk, c.buffers.file)
		if err != nil {
			return err
		}
		c.pages, c.opened = pages, true
	}
	for c.left == 0 {
		if c.unread {
			c.pages.pass(c.page.compressed)
			c.unread = false
		}
		page, ok, err := c.pages.next(ctx)
		c.buffers.file = c.pages.buffer
		switch {
		case err != nil:
			return err
		case !ok:
			return corrupt("the column chunk ends %d values early", c.unseen)
		case page.kind == pageDictionary:
			if err := c.readDictionary(ctx, &page); err != nil {
				return within(err, "dictionary page at offset %d", page.offset)
			}
			continue
		case page.values > c.unseen:
			return corrupt("the page at offset %d claims %d values, the column chunk has %d left", page.offset, page.values, c.unseen)
		}
		c.page, c.unread, c.left = page, true, int(page.values)
		c.unseen -= page.values
	}
	return nil
}

// open makes the present page's values ready to be read.
func (c *columnReader) open(ctx context.Context) error {
	if err := c.turn(ctx); err != nil || !c.unread {
		return err
	}
	c.unread = false
	keyed := c.page.encoding == encodingPlainDictionary || c.page.encoding == encodingRLEDictionary
	buffer := &c.buffers.page
	if c.leaf.convert == nil && c.leaf.convertViews == nil && !keyed && c.page.encoding != encodingDeltaBytes && c.leaf.physical != physicalBoolean {
		buffer = nil // batches will point into the page
	}
	parts, err := c.pages.read(ctx, &c.page, c.leaf, buffer)
	c.buffers.file = c.pages.buffer
	if err != nil {
		return err
	}
	c.definition = newHybrid(parts.definition, bitWidth(c.leaf.maxDefinition))
	c.repetition = newHybrid(parts.repetition, bitWidth(c.leaf.maxRepetition))
	if c.keyed = keyed; keyed {
		return c.openKeys(parts.values)
	}
	return c.openValues(c.page.encoding, parts.values)
}

func (c *columnReader) openKeys(values []byte) error {
	if c.dictionary == nil {
		return corrupt("a page has dictionary indices, but there is no dictionary")
	}
	if len(values) == 0 { // all null
		c.keys = hybrid{}
		return nil
	}
	if values[0] > 32 {
		return corrupt("dictionary indices of %d bits", values[0])
	}
	c.keys = newHybrid(values[1:], int(values[0]))
	return nil
}

// openValues makes the reader of values that are not in the dictionary.
func (c *columnReader) openValues(encoding int64, values []byte) (err error) {
	c.fixed, c.text, c.bools = nil, nil, nil
	l := c.leaf
	if len(values) == 0 && encoding != encodingPlain { // all null, so not even headers are needed
		encoding = encodingPlain
	}
	switch {
	case l.physical == physicalBoolean && encoding == encodingPlain:
		c.bools = &plainBools{src: values}
	case l.physical == physicalBoolean && encoding == encodingRLE:
		c.bools, err = newRunBools(values)
	case l.physical == physicalByteArray && encoding == encodingPlain:
		c.text = &plainBytes{src: values}
	case l.physical == physicalByteArray && encoding == encodingDeltaLength:
		c.text, err = newDeltaLengths(values)
	case l.physical == physicalByteArray && encoding == encodingDeltaBytes:
		c.text, err = newDeltaBytes(values)
	case l.width > 0 && l.convert == nil: // byte strings of a fixed length
		return c.openFixedBytes(encoding, values)
	case l.width > 0 && encoding == encodingPlain:
		c.fixed = &plainFixed{src: values, width: l.width}
	case l.width > 0 && l.physical != physicalInt96 && encoding == encodingSplit:
		c.fixed = newSplitReader(values, l.width)
	case l.physical == physicalFixed && encoding == encodingDeltaBytes:
		var text *deltaBytes
		text, err = newDeltaBytes(values)
		c.fixed = &fixedFromBytes{bytesReader: text, width: l.width}
	case (l.physical == physicalInt32 || l.physical == physicalInt64) && encoding == encodingDelta:
		var d deltas
		d, err = newDeltas(values)
		c.fixed = &deltaFixed{deltas: d, width: l.width}
	default:
		return unsupported("the page at offset %d has the encoding %s, which is not supported for this type", c.page.offset, encodingName(encoding))
	}
	return err
}

func (c *columnReader) openFixedBytes(encoding int64, values []byte) error {
	width := c.leaf.width
	switch encoding {
	case encodingPlain:
		c.text = &plainFixedBytes{plainFixed{src: values, width: width}}
		return nil
	case encodingSplit:
		split := newSplitReader(values, width)
		joined, err := split.next(split.values)
		c.text = &plainFixedBytes{plainFixed{src: joined, width: width}}
		return err
	case encodingDeltaBytes:
		text, err := newDeltaBytes(values)
		c.text = text
		return err
	}
	return unsupported("the page at offset %d has the encoding %s, which is not supported for this type", c.page.offset, encodingName(encoding))
}

// readDictionary decodes the dictionary of the chunk into a vector of its own memory.
func (c *columnReader) readDictionary(ctx context.Context, p *dataPage) error {
	switch {
	case c.dictionary != nil:
		return corrupt("there is a second dictionary")
	case c.leaf.physical == physicalBoolean:
		return corrupt("booleans have no dictionary")
	case p.encoding != encodingPlain && p.encoding != encodingPlainDictionary:
		return unsupported("the encoding %s is not supported for dictionaries", encodingName(p.encoding))
	}
	parts, err := c.pages.read(ctx, p, c.leaf, nil)
	if err != nil {
		return err
	}
	least := max(c.leaf.width, 1)
	if c.leaf.physical == physicalByteArray {
		least = 4
	}
	if p.values > int64(len(parts.values)/least) {
		return corrupt("%d values are claimed in %d bytes", p.values, len(parts.values))
	}
	if err := c.openValues(encodingPlain, parts.values); err != nil {
		return err
	}
	n := int(p.values)
	out := newOutput(nil, c.leaf, n)
	if err := out.add(c, n); err != nil {
		return err
	}
	c.dictionary = out.finish(n, nil)
	return nil
}

// settle passes over the rows that were skipped.
func (c *columnReader) settle(ctx context.Context) error {
	for c.skipped > 0 {
		if err := c.turn(ctx); err != nil {
			return err
		}
		k := min(c.skipped, c.left)
		if k < c.left {
			if err := c.open(ctx); err != nil {
				return err
			}
		}
		c.skipped -= k
		c.left -= k
		if c.left == 0 {
			continue // the whole page, or its rest
		}
		present := k
		if c.leaf.maxDefinition > 0 {
			var err error
			if present, err = c.definition.skipBits(k); err != nil {
				return err
			}
		}
		if err := c.skipValues(present); err != nil {
			return err
		}
	}
	return nil
}

// skipValues passes over present values of the present page.
func (c *columnReader) skipValues(n int) error {
	switch {
	case n == 0:
		return nil
	case c.keyed:
		return c.keys.skip(n)
	case c.bools != nil:
		return c.bools.skip(n)
	case c.text != nil:
		return c.text.skip(n)
	}
	return c.fixed.skip(n)
}

// read gives the next n rows of a column without nesting, n > 0. Its memory is the pool's, the column's dictionary or a page's that no
// other page takes the place of.
func (c *columnReader) read(ctx context.Context, pool *types.Pool, n int) (*types.Vector, error) {
	if err := c.settle(ctx); err != nil {
		return nil, err
	}
	out := newOutput(pool, c.leaf, n)
	var validity types.Bitmap
	if c.leaf.maxDefinition > 0 {
		validity = pool.ZeroBitmap(n)
	}
	for done := 0; done < n; {
		if err := c.open(ctx); err != nil {
			return nil, err
		}
		k := min(n-done, c.left)
		present := k
		if validity != nil {
			var err error
			if present, err = c.definition.readBits(validity, done, k); err != nil {
				return nil, err
			}
		}
		c.left -= k
		done += k
		if present == n && c.keyed {
			if key, ok := c.keys.constant(n); ok && int(key) < c.dictionary.Len() {
				return types.NewConstant(c.dictionary.Slice(nil, int(key), int(key)+1), n), c.keys.skip(n)
			}
		}
		if err := out.add(c, present); err != nil {
			return nil, err
		}
	}
	return out.finish(n, validity), nil
}

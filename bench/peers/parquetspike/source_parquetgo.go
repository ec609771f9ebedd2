package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// parquetGo is option A: parquet-go reads, decompresses and decodes the pages;
// we turn its levels into a bitmap and its offsets into views.
type parquetGo struct{ file *parquet.File }

func openParquetGo(r io.ReaderAt, size int64) (source, error) {
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(1<<20))
	return parquetGo{file}, err
}

func (s parquetGo) close() {}

func (s parquetGo) rowGroups() int { return len(s.file.RowGroups()) }

func (s parquetGo) read(c *column, group, index int) (err error) {
	rowGroup := s.file.RowGroups()[group]
	c.reset(int(rowGroup.NumRows()))
	pages := rowGroup.ColumnChunks()[index].Pages()
	defer pages.Close()
	var held []parquet.Page // string pages, whose memory the views borrow
	defer func() {
		for _, p := range held {
			parquet.Release(p)
		}
	}()
	var dictionary parquet.Dictionary
	for {
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		held = append(held, p)
		if d := p.Dictionary(); d != nil && d != dictionary {
			dictionary = d
			if err := c.adoptDictionary(d.Page().Data()); err != nil {
				return err
			}
		}
		if err := c.adoptPage(p); err != nil {
			return err
		}
		if c.kind != kindString {
			held = held[:0]
			parquet.Release(p)
		}
	}
}

// adoptDictionary takes over parquet-go's decoded dictionary.
func (c *column) adoptDictionary(values encoding.Values) error {
	if c.kind == kindString {
		data, offsets := values.ByteArray()
		c.buffers = append(c.buffers, data)
		c.dictViews = grow(c.dictViews, len(offsets)-1)
		offsetViews(c.dictViews, data, offsets, len(c.buffers)-1)
		return nil
	}
	c.dictWords = append(c.dictWords[:0], values.Int64()...)
	return nil
}

// adoptPage takes over parquet-go's decoded page.
func (c *column) adoptPage(p parquet.Page) error {
	at, rows, present := c.rows, int(p.NumValues()), int(p.NumValues()-p.NumNulls())
	if rows > len(c.indices)-at {
		return errCorrupt
	}
	if levels := p.DefinitionLevels(); len(levels) == rows && present < rows {
		levelBits(c.valid, at, levels)
	} else {
		setBits(c.valid, at, rows)
	}
	c.rows += rows
	c.nulls += rows - present
	values := p.Data()
	switch {
	case p.Dictionary() != nil && c.kind == kindString:
		c.isDict = true
		indices := values.Int32()
		if present == rows {
			copy(c.indices[at:at+rows], indices)
			return nil
		}
		c.scratch = append(append(c.scratch[:0], indices...), 0)
		spread(c.indices[at:at+rows], c.scratch, c.valid, at)
		return nil
	case c.kind == kindString:
		data, offsets := values.ByteArray()
		c.buffers = append(c.buffers, data)
		views := c.views[at : at+rows]
		dst := views[rows-present:]
		offsetViews(dst, data, offsets, len(c.buffers)-1)
		if present < rows {
			spreadViews(views, dst, c.valid, at)
		}
		return nil
	}
	slots := c.words[at : at+rows]
	dst := slots
	if present < rows {
		c.compact = grow(c.compact, present+1)
		dst = c.compact[:present]
	}
	switch {
	case p.Dictionary() != nil:
		for i, index := range values.Int32()[:present] {
			dst[i] = c.dictWords[index]
		}
	case c.fixedLen > 0:
		data, width := values.FixedLenByteArray()
		if err := plainDecimals(dst, data, width); err != nil {
			return err
		}
	case c.kind == kindInt64:
		copy(dst, values.Int64())
	case c.kind == kindFloat64:
		data, _ := values.Data()
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint64(data[8*i:]))
		}
	default:
		return fmt.Errorf("kind %d", c.kind)
	}
	if present < rows {
		spread(slots, c.compact, c.valid, at)
	}
	return nil
}

// offsetViews makes views of strings that lie end to end in data.
func offsetViews(dst []view, data []byte, offsets []uint32, buffer int) {
	for i := range dst {
		dst[i] = makeView(data, int(offsets[i]), int(offsets[i+1]-offsets[i]), buffer)
	}
}

// levelBits packs one-byte definition levels (0 or 1) into the bitmap.
func levelBits(valid []uint64, at int, levels []byte) {
	var packed [8]byte
	for len(levels) > 0 {
		take := min(len(levels), 64)
		if take == 64 {
			for i := range packed {
				// The multiplication gathers the low bit of each byte in the top byte.
				packed[i] = byte(binary.LittleEndian.Uint64(levels[8*i:]) * 0x0102040810204080 >> 56)
			}
		} else {
			packed = [8]byte{}
			for i, level := range levels[:take] {
				packed[i>>3] |= level & 1 << (i & 7)
			}
		}
		orBits(valid, at, take, packed[:])
		levels = levels[take:]
		at += take
	}
}

package parquet

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/lacunadb/lacuna/catalog"
)

const (
	// readAhead is how much of a column chunk is read at once.
	readAhead = 1 << 20
	// maxHeaderBytes bounds a page header, which may hold two values as statistics.
	maxHeaderBytes = 16 << 20
)

// pageReader walks the pages of one column chunk. It reads ahead, but never past the chunk.
type pageReader struct {
	file   catalog.File
	codec  int64
	at     int64 // in the file: where the window starts
	end    int64 // in the file: where the chunk ends
	window []byte
	buffer []byte // behind window; reused
}

// dataPage is a page whose header has been read. Its body lies behind the header in the chunk.
type dataPage struct {
	pageHeader
	offset int64 // of the header in the file
}

// openChunk starts reading a chunk after checking that it lies in the file. buffer is reused for reading.
func openChunk(file catalog.File, c *columnChunk, buffer []byte) (pageReader, error) {
	start := c.dataOffset
	if d := c.dictionaryOffset; d > 0 && d < start {
		start = d
	}
	size := file.Size()
	if start < 4 || start > size || c.compressed < 0 || c.compressed > size-start {
		return pageReader{}, corrupt("%d bytes at offset %d are outside the file of %d bytes", c.compressed, start, size)
	}
	if err := checkCodec(c.codec); err != nil {
		return pageReader{}, err
	}
	return pageReader{file: file, codec: c.codec, at: start, end: start + c.compressed, buffer: buffer}, nil
}

// peek gives the next n bytes, or what is left of the chunk. They are valid until the next peek.
func (r *pageReader) peek(ctx context.Context, n int) ([]byte, error) {
	left := r.end - r.at
	n = int(min(int64(n), left))
	if len(r.window) >= n {
		return r.window, nil
	}
	want := int(min(left, int64(max(n, readAhead))))
	buffer := r.buffer
	if cap(buffer) < want {
		buffer = make([]byte, want)
	}
	buffer = buffer[:want]
	kept := copy(buffer, r.window)
	got, err := r.file.ReadAt(ctx, buffer[kept:], r.at+int64(kept))
	if got < want-kept {
		if err == nil || errors.Is(err, io.EOF) {
			return nil, corrupt("the file ends at offset %d, inside the column chunk", r.at+int64(kept+got))
		}
		return nil, err
	}
	r.buffer, r.window = buffer, buffer
	return r.window, nil
}

// pass moves on by n bytes of the chunk.
func (r *pageReader) pass(n int64) {
	r.at += n
	r.window = r.window[min(n, int64(len(r.window))):]
}

// next reads the next page header that matters and stands before the page's body. It gives false at the end of the chunk.
func (r *pageReader) next(ctx context.Context) (dataPage, bool, error) {
	for r.at < r.end {
		p := dataPage{offset: r.at}
		length, ok := 0, false
		for want := 1; !ok; want = 4 * len(r.window) {
			data, err := r.peek(ctx, want)
			if err != nil {
				return p, false, err
			}
			data = data[:min(len(data), maxHeaderBytes)]
			p.pageHeader, length, ok = readPageHeader(data)
			if !ok && (int64(len(data)) == r.end-r.at || len(data) == maxHeaderBytes) {
				return p, false, corrupt("bad page header at offset %d", p.offset)
			}
		}
		r.pass(int64(length))
		if err := r.check(&p); err != nil {
			return p, false, err
		}
		switch p.kind {
		case pageData, pageDataV2, pageDictionary:
			return p, true, nil
		}
		r.pass(p.compressed) // an index page, or one of a kind that readers are to ignore
	}
	return dataPage{}, false, nil
}

// check looks at what a page header claims before anything is allocated for it.
func (r *pageReader) check(p *dataPage) error {
	known := p.kind == pageData || p.kind == pageDataV2 || p.kind == pageDictionary
	levels := p.definitionBytes + p.repetitionBytes
	switch {
	case p.compressed < 0 || p.compressed > r.end-r.at:
		return corrupt("the page at offset %d claims %d bytes, the chunk has %d left", p.offset, p.compressed, r.end-r.at)
	case !known:
		return nil
	case p.kind != p.body || p.values < 0:
		return corrupt("the page header at offset %d is incomplete", p.offset)
	case p.definitionBytes < 0 || p.repetitionBytes < 0 || p.definitionBytes > p.compressed || p.repetitionBytes > p.compressed ||
		levels > p.compressed || levels > p.uncompressed:
		return corrupt("the page at offset %d has levels of %d bytes in %d", p.offset, levels, p.compressed)
	case p.uncompressed < 0 || p.uncompressed-levels > mostBytes(p.bodyCodec(r.codec), p.compressed-levels):
		return corrupt("the page at offset %d claims %d bytes from %d compressed ones", p.offset, p.uncompressed, p.compressed)
	}
	return nil
}

// bodyCodec gives the codec of a page in a chunk with a codec.
func (p *dataPage) bodyCodec(chunk int64) int64 {
	if p.kind == pageDataV2 && !p.compressedBody {
		return codecNone
	}
	return chunk
}

// levelsAndValues are the parts of a page, decompressed.
type levelsAndValues struct {
	repetition []byte
	definition []byte
	values     []byte
}

// read decompresses the page whose header was read last and moves past it. The levels of a version 2 page are borrowed from the reader
// until its next call. So is, or from buffer, which may be grown, everything else; without a buffer that is garbage-collected
// memory of its own.
func (r *pageReader) read(ctx context.Context, p *dataPage, l *leaf, buffer *[]byte) (parts levelsAndValues, err error) {
	window, err := r.peek(ctx, int(p.compressed))
	if err != nil {
		return parts, err
	}
	src := window[:p.compressed:p.compressed]
	if p.hasCRC && crc32.ChecksumIEEE(src) != uint32(p.crc) {
		return parts, corrupt("the page at offset %d has a wrong checksum", p.offset)
	}
	r.pass(p.compressed)
	codec := p.bodyCodec(r.codec)
	if p.kind == pageDataV2 {
		parts.repetition = src[:p.repetitionBytes]
		parts.definition = src[p.repetitionBytes : p.repetitionBytes+p.definitionBytes]
		levels := p.repetitionBytes + p.definitionBytes
		parts.values, err = body(codec, src[levels:], p.uncompressed-levels, buffer)
		return parts, err
	}
	parts.values, err = body(codec, src, p.uncompressed, buffer)
	if err != nil || p.kind == pageDictionary {
		return parts, err
	}
	if l.maxRepetition > 0 {
		if parts.repetition, parts.values, err = cutLevels(parts.values, p.repetitionEncoding); err != nil {
			return parts, err
		}
	}
	if l.maxDefinition > 0 {
		parts.definition, parts.values, err = cutLevels(parts.values, p.definitionEncoding)
	}
	return parts, err
}

// body decompresses src to size bytes.
func body(codec int64, src []byte, size int64, buffer *[]byte) ([]byte, error) {
	if size == 0 {
		return nil, nil // whatever a codec writes for nothing
	}
	if buffer != nil && codec == codecNone {
		if int64(len(src)) != size {
			return nil, corrupt("an uncompressed page of %d bytes claims %d", len(src), size)
		}
		return src, nil
	}
	var dst []byte
	if buffer != nil {
		if int64(cap(*buffer)) < size {
			*buffer = make([]byte, size)
		}
		dst = (*buffer)[:size]
	} else {
		dst = make([]byte, size)
	}
	return dst, decompress(codec, dst, src)
}

// cutLevels takes the levels, which begin with their length, off a version 1 page.
func cutLevels(data []byte, encoding int64) (levels, rest []byte, err error) {
	if encoding != encodingRLE {
		return nil, nil, unsupported("levels in the encoding %s are not supported", encodingName(encoding))
	}
	if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
		return nil, nil, corrupt("levels reach past the page")
	}
	n := binary.LittleEndian.Uint32(data)
	return data[4 : 4+n], data[4+n:], nil
}

func encodingName(encoding int64) string {
	if name, ok := encodingNames[encoding]; ok {
		return name
	}
	return fmt.Sprintf("number %d", encoding)
}

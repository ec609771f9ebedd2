package main

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// ownPages is option C: reading the footer and the chunk, walking its pages,
// decompression and decoding are ours; only the codecs come from a library.
// Decompressed pages live in an arena that lasts as long as the row group.
type ownPages struct {
	reader   io.ReaderAt
	size     int64
	footer   footer
	zstd     *zstd.Decoder
	chunk    []byte
	arena    []byte
	pageOnly bool // stop after decompression: the floor of any scan
}

// Parquet's codec numbers.
const (
	codecNone   = 0
	codecSnappy = 1
	codecZstd   = 6
)

// Parquet's page types.
const (
	pageData       = 0
	pageDictionary = 2
	pageDataV2     = 3
)

func openOwn(r io.ReaderAt, size int64) (source, error) {
	var tail [8]byte
	if size < 12 {
		return nil, fmt.Errorf("not a Parquet file")
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if string(tail[4:]) != "PAR1" || length > size-12 {
		return nil, fmt.Errorf("not a Parquet file")
	}
	data := make([]byte, length)
	if _, err := r.ReadAt(data, size-8-length); err != nil {
		return nil, err
	}
	footer, err := parseFooter(data)
	return &ownPages{reader: r, size: size, footer: footer}, err
}

func openPagesOnly(r io.ReaderAt, size int64) (source, error) {
	s, err := openOwn(r, size)
	if err == nil {
		s.(*ownPages).pageOnly = true
	}
	return s, err
}

func (s *ownPages) close() {
	if s.zstd != nil {
		s.zstd.Close()
	}
}

func (s *ownPages) rowGroups() int { return len(s.footer.rowGroups) }

func (s *ownPages) read(c *column, group, index int) error {
	rowGroup := &s.footer.rowGroups[group]
	if index >= len(rowGroup.columns) || rowGroup.rows < 0 {
		return errCorrupt
	}
	chunk := &rowGroup.columns[index]
	start := chunk.dataOffset
	if d := chunk.dictionaryOffset; d > 0 && d < start {
		start = d
	}
	if start < 4 || chunk.compressed < 0 || start > s.size || chunk.compressed > s.size-start {
		return errCorrupt
	}
	s.chunk = grow(s.chunk, int(chunk.compressed))
	if _, err := s.reader.ReadAt(s.chunk, start); err != nil {
		return err
	}
	// A first walk over the headers finds what the pages really hold, so that
	// no count in the footer has to be believed.
	var rows, bytes int64
	for rest := s.chunk; len(rest) > 0; {
		header, behind, err := parsePageHeader(rest)
		if err != nil {
			return err
		}
		if header.compressed < 0 || header.compressed > int64(len(behind)) || header.uncompressed < 0 ||
			header.uncompressed > maxExpansion*header.compressed+1024 || header.values < 0 || header.values > rowGroup.rows {
			return errCorrupt
		}
		if header.kind != pageDictionary {
			rows += header.values
		}
		bytes += header.uncompressed
		rest = behind[header.compressed:]
	}
	if rows != rowGroup.rows || bytes > maxChunk {
		return errCorrupt
	}
	c.reset(int(rows))
	s.arena = grow(s.arena, int(bytes))
	arena := s.arena
	for rest := s.chunk; len(rest) > 0; {
		header, behind, err := parsePageHeader(rest)
		if err != nil {
			return err
		}
		full := int(header.uncompressed)
		p, err := s.page(c, &header, chunk.codec, behind[:header.compressed], arena[:full:full])
		if err != nil {
			return err
		}
		rest, arena = behind[header.compressed:], arena[full:]
		if s.pageOnly {
			continue
		}
		if err := c.decode(p); err != nil {
			return err
		}
	}
	return nil
}

// Bounds on what a page header may claim: codecs reach 1:30000 on constant
// data, and a column chunk beyond 2 GB is not worth believing.
const (
	maxExpansion = 1 << 15
	maxChunk     = 1 << 31
)

// page decompresses one page into dst.
func (s *ownPages) page(c *column, header *pageHeader, codec int64, src, dst []byte) (p page, err error) {
	p.stable = true
	p.values, p.encoding = int(header.values), int(header.encoding)
	switch {
	case header.kind == pageDictionary && header.hasDict:
		p.dictionary = true
		p.body, err = s.decompress(codec, dst, src)
	case header.kind == pageData && header.hasData:
		if p.body, err = s.decompress(codec, dst, src); err == nil && !s.pageOnly {
			p.levels, p.body, err = splitV1(p.body, c.maxDef)
		}
	case header.kind == pageDataV2 && header.hasData2:
		skip, cut := header.repeatLen, header.repeatLen+header.definitionLen
		if skip < 0 || cut < skip || cut > int64(len(src)) || cut > int64(len(dst)) {
			return p, errCorrupt
		}
		if c.maxDef > 0 {
			p.levels = src[skip:cut]
		}
		if header.valuesAreNotCompressed {
			codec = codecNone
		}
		p.body, err = s.decompress(codec, dst[cut:], src[cut:])
	default:
		err = errCorrupt
	}
	return p, err
}

// decompress fills dst from src; a page that has another size is corrupt.
func (s *ownPages) decompress(codec int64, dst, src []byte) (out []byte, err error) {
	if len(dst) == 0 {
		return dst, nil
	}
	switch codec {
	case codecNone:
		out = dst[:copy(dst, src)]
	case codecSnappy:
		var n int
		if n, err = s2.DecodedLen(src); err == nil && n == len(dst) {
			out, err = s2.Decode(dst, src)
		}
	case codecZstd:
		if s.zstd == nil {
			s.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxChunk))
			if err != nil {
				return nil, err
			}
		}
		out, err = s.zstd.DecodeAll(src, dst[:0:len(dst)])
	default:
		err = fmt.Errorf("codec %d", codec)
	}
	if err == nil && len(out) != len(dst) {
		err = errCorrupt
	}
	return out, err
}

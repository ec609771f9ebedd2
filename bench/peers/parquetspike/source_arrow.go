package main

import (
	"io"

	"github.com/apache/arrow-go/v18/parquet/file"
)

// arrowPages is option B: arrow-go's parquet/file reads the footer and hands
// out decompressed pages, the decoders are ours. A page's memory is reused by
// the next page, so strings have to be copied out of it.
type arrowPages struct{ file *file.Reader }

func openArrow(r io.ReaderAt, size int64) (source, error) {
	reader, err := file.NewParquetReader(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, err
	}
	return arrowPages{reader}, nil
}

func (s arrowPages) close() { s.file.Close() }

func (s arrowPages) rowGroups() int { return s.file.NumRowGroups() }

func (s arrowPages) read(c *column, group, index int) error {
	rowGroup := s.file.RowGroup(group)
	c.reset(int(rowGroup.NumRows()))
	pages, err := rowGroup.GetColumnPageReader(index)
	if err != nil {
		return err
	}
	defer pages.Close()
	for pages.Next() {
		p := page{values: int(pages.Page().NumValues()), encoding: int(pages.Page().Encoding())}
		data := pages.Page().Data()
		switch header := pages.Page().(type) {
		case *file.DictionaryPage:
			p.dictionary, p.body = true, data
		case *file.DataPageV1:
			if p.levels, p.body, err = splitV1(data, c.maxDef); err != nil {
				return err
			}
		case *file.DataPageV2:
			skip := int(header.RepetitionLevelByteLen())
			cut := skip + int(header.DefinitionLevelByteLen())
			if skip < 0 || cut < skip || cut > len(data) {
				return errCorrupt
			}
			p.body = data[cut:]
			if c.maxDef > 0 {
				p.levels = data[skip:cut]
			}
		}
		if err := c.decode(p); err != nil {
			return err
		}
	}
	return pages.Err()
}

package csv

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/types"
)

// defaultBatchRows is the size of batches when a request does not say.
const defaultBatchRows = 4096

func lower(s string) string { return strings.ToLower(s) }

// Scan reads the file in chunks, one a morsel.
func (t *table) Scan(ctx context.Context, request catalog.ScanRequest) (catalog.Scan, error) {
	for _, c := range request.Columns {
		// The planner asks for whole columns only.
		if c.Column < 0 || c.Column >= len(t.schema) || len(c.Fields) > 0 {
			return nil, types.Errorf(types.CodeInternal, "scan of column %d, fields %v, of a table of %d columns", c.Column, c.Fields, len(t.schema))
		}
	}
	file, err := t.files.Open(ctx, t.path)
	if err != nil {
		return nil, err
	}
	if file.Size() != t.size {
		file.Close()
		return nil, corrupt("file %q: the file has changed since it was opened", t.path)
	}
	reader, err := catalog.NewReader(ctx, file, t.settings.compression)
	if err != nil {
		file.Close()
		return nil, within(err, "file %q", t.path)
	}
	s := &scan{table: t, file: file, reader: reader, request: request, batchRows: request.BatchRows}
	if s.batchRows <= 0 {
		s.batchRows = defaultBatchRows
	}
	if t.rejects != nil {
		s.rejectsFile = t.rejects.File(t.rejectsAs())
	}
	s.chunks = chunker{dialect: t.settings.dialect, size: t.chunkBytes, maxLine: t.settings.maxLine, reader: reader}
	return s, nil
}

type scan struct {
	table     *table
	file      catalog.File
	reader    io.Closer
	request   catalog.ScanRequest
	batchRows int
	// rejectsFile is the file's number where faults are noted.
	rejectsFile int64

	lock   sync.Mutex // of what follows
	chunks chunker
	number int
	skip   int // records that are still to be skipped, the header among them
	err    error
}

// Ordered says that no order is known.
func (s *scan) Ordered() bool { return false }

// Next cuts off the next chunk.
func (s *scan) Next(ctx context.Context) (catalog.Morsel, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	c, err := s.chunks.next()
	if err != nil {
		s.err = within(err, "file %q", s.table.path)
		return nil, s.err
	}
	if c == nil {
		return nil, nil
	}
	m := &morsel{scan: s, number: s.number, chunk: c}
	if s.number == 0 {
		s.skip = s.table.settings.skip
		if s.table.settings.header {
			s.skip++
		}
	}
	s.number++
	if s.skip > 0 {
		m.at, s.skip = skipped(s.table.settings.dialect, c.bytes, s.skip)
	}
	return m, nil
}

// skipped passes by records; it gives the place behind them and how many are still to come in the next chunk.
func skipped(d dialect, text []byte, n int) (at, left int) {
	split := splitter{dialect: d, columns: -1}
	for at < len(text) && n > 0 {
		if next, empty := emptyLine(text, at); empty {
			at = next
			continue
		}
		if d.comment != 0 && text[at] == d.comment {
			at = lineEnd(text, at)
			continue
		}
		at, _, _ = split.record(text, at)
		n--
	}
	return at, n
}

// Close closes the file.
func (s *scan) Close() error {
	s.reader.Close()
	return s.file.Close()
}

// morsel is a chunk on its way.
type morsel struct {
	scan    *scan
	number  int
	chunk   *chunk
	at      int // of the next record
	batches int
	checked bool
	split   *splitter
	gaps    []gap // of lines that were taken out, in their order
}

// Number gives the chunk's number.
func (m *morsel) Number() int { return m.number }

// Next splits the next records and makes vectors of their columns, in the pool's memory and the chunk's.
func (m *morsel) Next(ctx context.Context, pool *types.Pool) (*types.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b, err := m.next(pool)
	if err != nil {
		return nil, within(err, "file %q", m.scan.table.path)
	}
	return b, nil
}

func (m *morsel) next(pool *types.Pool) (*types.Batch, error) {
	t := m.scan.table
	if !m.checked {
		m.checked = true
		if err := m.checkUTF8(); err != nil {
			return nil, err
		}
		m.split = &splitter{dialect: t.settings.dialect, columns: len(t.schema), fields: make([][]field, len(t.schema))}
		for _, c := range m.scan.request.Columns {
			m.split.fields[c.Column] = make([]field, 0, m.scan.batchRows)
		}
	}
	s := m.split
	for i, f := range s.fields {
		if f != nil {
			s.fields[i] = f[:0]
		}
	}
	s.starts = s.starts[:0]
	rows := 0
	for rows < m.scan.batchRows && m.at < len(m.chunk.bytes) {
		start := m.at
		if next, empty := emptyLine(m.chunk.bytes, start); empty {
			if len(t.schema) > 1 || t.settings.padding { // a line of one empty value is a record
				m.at = next
				continue
			}
		}
		if s.comment != 0 && m.chunk.bytes[start] == s.comment {
			m.at = lineEnd(m.chunk.bytes, start)
			continue
		}
		next, fields, wrong := s.record(m.chunk.bytes, start)
		m.at = next
		if wrong == tooFew && t.settings.padding {
			s.pad(rows + 1)
			wrong = noProblem
		}
		if wrong == tooMany && fields == len(t.schema)+1 && m.endsWithDelimiter(start, next) {
			wrong = noProblem // a,b, has two values
		}
		if wrong != noProblem {
			if t.settings.ignore {
				s.trim(rows)
				if err := m.reject(start, next, fields, wrong); err != nil {
					return nil, err
				}
				continue
			}
			return nil, m.recordError(start, fields, wrong)
		}
		s.starts = append(s.starts, uint32(start))
		rows++
	}
	if rows == 0 {
		return nil, nil
	}
	columns := make([]*types.Vector, len(m.scan.request.Columns))
	var bad types.Bitmap
	for i, c := range m.scan.request.Columns {
		d := decoder{morsel: m, pool: pool, settings: t.settings, column: t.settings.columns[c.Column], text: m.chunk.bytes, rows: rows}
		v, err := d.vector(s.fields[c.Column])
		if err != nil {
			return nil, err
		}
		columns[i] = v
		if d.bad != nil {
			if err := m.rejectValues(&d, c.Column); err != nil {
				return nil, err
			}
			if bad == nil {
				bad = pool.ZeroBitmap(rows)
			}
			for w := range bad {
				bad[w] |= d.bad[w]
			}
		}
	}
	b := types.NewBatch(columns, rows, types.MakeSequence(m.number, m.batches))
	m.batches++
	if bad != nil {
		b = b.Select(types.AndNotBitmaps(pool, nil, bad, rows))
		if b.Selected == 0 {
			return m.next(pool)
		}
	}
	return b, nil
}

// endsWithDelimiter reports whether a record ends with a delimiter, so that its last field is empty.
func (m *morsel) endsWithDelimiter(start, end int) bool {
	line := bytes.TrimRight(m.chunk.bytes[start:end], "\r\n")
	return len(line) > 0 && line[len(line)-1] == m.split.delimiter
}

// line gives the number of the line, counted from 1, that a place of the chunk is in.
func (m *morsel) line(at int) int64 {
	line := m.chunk.lines + int64(bytes.Count(m.chunk.bytes[:at], []byte{'\n'})) + 1
	for _, g := range m.gaps {
		if g.at <= at {
			line++
		}
	}
	return line
}

// offset gives the place in the text, counted from 1, of a place of the chunk.
func (m *morsel) offset(at int) int64 {
	offset := m.chunk.offset + int64(at) + 1
	for _, g := range m.gaps {
		if g.at <= at {
			offset += int64(g.bytes)
		}
	}
	return offset
}

func (m *morsel) recordError(start, fields int, wrong problem) error {
	line := m.line(start)
	switch wrong {
	case openQuote:
		return corrupt("line %d: a quote is not closed", line)
	case badQuote:
		return corrupt("line %d: text follows a closing quote", line).WithHint("A quote inside of quotes is written twice, or set quote and escape.")
	}
	hint := "With ignore_errors = true such records are left out"
	if wrong == tooFew {
		hint += ", with null_padding = true filled with NULL"
	}
	return corrupt("line %d has %d values instead of %d", line, fields, len(m.scan.table.schema)).WithHint("%s.", hint)
}

// checkUTF8 looks at the whole chunk at once. Where errors are ignored, records with such bytes are left out.
func (m *morsel) checkUTF8() error {
	if utf8.Valid(m.chunk.bytes) {
		return nil
	}
	if m.scan.table.settings.ignore {
		if err := m.rejectInvalid(); err != nil {
			return err
		}
		m.chunk.bytes, m.gaps = withoutInvalid(m.chunk.bytes)
		m.at = min(m.at, len(m.chunk.bytes))
		return nil
	}
	line, column := invalidUTF8(m.chunk.bytes)
	return types.Errorf(types.CodeInvalidUTF8, "line %d is not valid UTF-8 at byte %d", m.chunk.lines+int64(line), column).
		WithHint("With ignore_errors = true such lines are left out.")
}

// gap is a line that was taken out of a chunk: where it stood, and its bytes.
type gap struct{ at, bytes int }

// withoutInvalid takes out the lines that are not UTF-8.
func withoutInvalid(text []byte) ([]byte, []gap) {
	out := make([]byte, 0, len(text))
	var gaps []gap
	for line := range bytes.Lines(text) {
		if utf8.Valid(line) {
			out = append(out, line...)
		} else {
			gaps = append(gaps, gap{len(out), len(line)})
		}
	}
	return out, gaps
}

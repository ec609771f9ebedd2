package json

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/jsontext"
)

// defaultBatchRows is the size of batches when a request does not say.
const defaultBatchRows = 4096

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
	reader, err := catalog.NewReader(ctx, file, t.compression)
	if err != nil {
		file.Close()
		return nil, within(err, "file %q", t.path)
	}
	s := &scan{table: t, file: file, reader: reader, request: request, batchRows: request.BatchRows}
	if s.batchRows <= 0 {
		s.batchRows = defaultBatchRows
	}
	s.chunks = chunker{form: t.form, size: t.chunkBytes, maxObject: t.maxObject, reader: reader}
	return s, nil
}

type scan struct {
	table     *table
	file      catalog.File
	reader    io.Closer
	request   catalog.ScanRequest
	batchRows int

	lock   sync.Mutex // of what follows
	chunks chunker
	number int
	err    error
	spare  []*builder // roots that nobody uses now
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
	k, err := s.chunks.next()
	if err != nil {
		s.err = within(err, "file %q", s.table.path)
		return nil, s.err
	}
	if k == nil {
		return nil, nil
	}
	s.number++
	return &morsel{scan: s, number: s.number - 1, chunk: k, scanner: jsontext.Scanner{Text: k.bytes}}, nil
}

// root gives a builder of the wanted columns: a struct of them, or the one value.
func (s *scan) root() *builder {
	s.lock.Lock()
	defer s.lock.Unlock()
	if n := len(s.spare); n > 0 {
		b := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return b
	}
	t := s.table
	if !t.records {
		return newBuilder(t.schema[0].Type)
	}
	var fields []types.Field
	seen := map[int]bool{}
	for _, c := range s.request.Columns {
		if !seen[c.Column] {
			seen[c.Column] = true
			fields = append(fields, types.Field{Name: t.names[c.Column], Type: t.schema[c.Column].Type, Nullable: true})
		}
	}
	return newBuilder(types.StructOf(fields...))
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
	scanner jsontext.Scanner
	batches int
	checked bool
	root    *builder
}

// Number gives the chunk's number.
func (m *morsel) Number() int { return m.number }

// Next parses the next values.
func (m *morsel) Next(ctx context.Context, pool *types.Pool) (*types.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b, err := m.next(pool)
	if err != nil {
		return nil, within(err, "file %q", m.scan.table.path)
	}
	if b == nil && m.root != nil {
		m.scan.lock.Lock()
		m.scan.spare = append(m.scan.spare, m.root)
		m.scan.lock.Unlock()
		m.root = nil
	}
	return b, nil
}

func (m *morsel) next(pool *types.Pool) (*types.Batch, error) {
	t := m.scan.table
	if !m.checked {
		m.checked = true
		if line := validUTF8(m.chunk.bytes); line > 0 {
			if !t.ignore || t.form != formLines {
				return nil, types.Errorf(types.CodeInvalidUTF8, "line %d is not valid UTF-8", m.chunk.start.lines+int64(line))
			}
			m.chunk.bytes = bytes.ToValidUTF8(m.chunk.bytes, []byte{0}) // no JSON has a zero: the record is left out
			m.scanner.Text = m.chunk.bytes
		}
		m.root = m.scan.root()
	}
	if m.root == nil {
		return nil, nil
	}
	root := m.root
	root.reset()
	starts := make([]int, 0, m.scan.batchRows)
	for root.rows < m.scan.batchRows && m.chunk.more(&m.scanner, t.form) {
		s := &m.scanner
		start := s.At
		ok := root.value(s, 0)
		if ok && s.Err == "" && t.form == formLines {
			// A value ends with its line.
			for s.At < len(s.Text) && (s.Text[s.At] == ' ' || s.Text[s.At] == '\t' || s.Text[s.At] == '\r') {
				s.At++
			}
			if s.At < len(s.Text) && s.Text[s.At] != '\n' {
				s.Fail("text follows the value in its line")
			}
		}
		if ok && s.Err == "" {
			starts = append(starts, start)
			continue
		}
		if t.ignore && (t.form == formLines || s.Err == "") {
			root.truncate(len(starts))
			if t.form == formLines {
				s.Err, s.At = "", nextLine(m.chunk.bytes, start)
			} else {
				s.At = start
				s.Skip(0)
			}
			continue
		}
		if s.Err != "" {
			return nil, m.chunk.fault(s)
		}
		return nil, m.mismatch(start)
	}
	if m.scanner.Err != "" {
		return nil, m.chunk.fault(&m.scanner)
	}
	if root.rows == 0 {
		return nil, nil
	}
	return m.batch(pool, root, starts)
}

// mismatch names the place of a value that is not of its column's type.
func (m *morsel) mismatch(start int) error {
	at := m.scanner.At
	line := m.chunk.place(at).lines + 1
	s := jsontext.Scanner{Text: m.chunk.bytes, At: at}
	text := s.Skip(0)
	if s.Err != "" {
		return m.chunk.fault(&s) // it is no value at all
	}
	const shown = 60
	if len(text) > shown {
		text = append(bytes.ToValidUTF8(text[:shown], nil), "..."...)
	}
	path := pathTo(m.chunk.bytes[start:at])
	return types.Errorf(types.CodeInvalidText, "line %d, %s: %s is not of the column's type", line, path, text).
		WithHint("The types were found out from a sample: read all with sample_size = -1, give them with columns = {...}, or leave such values out with ignore_errors = true.")
}

// pathTo gives the way to the end of the beginning of a value, such as $.a.b[3].
func pathTo(text []byte) string {
	type level struct {
		list  bool
		index int
		key   string
	}
	var levels []level
	s := jsontext.Scanner{Text: text}
	for s.At < len(text) && s.Err == "" {
		switch c := s.Peek(); c {
		case '{':
			levels = append(levels, level{})
			s.At++
		case '[':
			levels = append(levels, level{list: true})
			s.At++
		case '}', ']':
			if len(levels) > 0 {
				levels = levels[:len(levels)-1]
			}
			s.At++
		case ',':
			if n := len(levels); n > 0 {
				levels[n-1].index++
			}
			s.At++
		case '"':
			inside, _ := s.Quoted()
			if n := len(levels); n > 0 && !levels[n-1].list && s.Accept(':') {
				levels[n-1].key = string(inside)
			}
		case 0:
			s.At = len(text)
		default:
			s.At++
		}
	}
	path := "$"
	for _, l := range levels {
		if l.list {
			path += "[" + strconv.Itoa(l.index) + "]"
		} else {
			path += "." + l.key
		}
	}
	return path
}

// batch makes vectors of what has been parsed.
func (m *morsel) batch(pool *types.Pool, root *builder, starts []int) (*types.Batch, error) {
	t := m.scan.table
	env := &kernels.Env{Pool: pool, Rows: root.rows, Try: t.ignore}
	v, err := root.finish(env, m.chunk.bytes)
	if err != nil {
		var e *types.Error
		if errors.As(err, &e) && e.Row >= 0 && int(e.Row) < len(starts) && t.records {
			line := m.chunk.place(starts[e.Row]).lines + 1
			return nil, within(err, "line %d", line)
		}
		return nil, err
	}
	columns := make([]*types.Vector, len(m.scan.request.Columns))
	if !t.records {
		for i := range columns {
			columns[i] = v
		}
	} else {
		place := map[int]int{}
		for i, c := range m.scan.request.Columns {
			at, known := place[c.Column]
			if !known {
				at = len(place)
				place[c.Column] = at
			}
			columns[i] = v.Children()[at] // null where a value is null instead of an object
		}
	}
	b := types.NewBatch(columns, root.rows, types.MakeSequence(m.number, m.batches))
	m.batches++
	return b, nil
}

package csv

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/catalog"
)

// What is left out because errors are ignored is noted where somebody asks for it (store_rejects): with its place, and what is wrong, as DuckDB words it. Lines
// and places are those of the text, after decompression.

// rejectsAs says how the file is read.
func (t *table) rejectsAs() catalog.RejectsFile {
	s := t.settings
	character := func(c byte) string {
		if c == 0 {
			return "(empty)"
		}
		return string(c)
	}
	columns := make([]string, len(s.columns))
	for i, c := range s.columns {
		columns[i] = fmt.Sprintf("'%s': '%s'", c.name, c.typ)
	}
	escape := s.escape
	if escape == 0 {
		escape = s.quote
	}
	return catalog.RejectsFile{
		Path: t.path, Delimiter: character(s.delimiter), Quote: character(s.quote), Escape: character(escape), Newline: `\n`, Skip: int64(s.skip), Header: s.header,
		Columns: "{" + strings.Join(columns, ",") + "}", DateFormat: s.dateFormat.String(), TimestampFormat: s.timestampFormat.String(),
	}
}

// fault begins a fault of the record that starts at a place of the chunk.
func (m *morsel) fault(start, end int, kind string) catalog.Reject {
	return catalog.Reject{
		Line: m.line(start), LineByte: m.offset(start), Kind: kind,
		Text: strings.ToValidUTF8(string(bytes.TrimRight(m.chunk.bytes[start:end], "\r\n")), "\uFFFD"),
	}
}

// column names a column in a fault.
func (m *morsel) column(f *catalog.Reject, i int) {
	if names := m.scan.table.settings.columns; i < len(names) {
		f.ColumnName, f.OfColumnName = names[i].name, true
	}
}

// reject notes a record that has the wrong number of values, or quotes that are wrong.
func (m *morsel) reject(start, end, fields int, wrong problem) error {
	t := m.scan.table
	if t.rejects == nil {
		return nil
	}
	f := m.fault(start, end, "UNQUOTED VALUE")
	switch wrong {
	case tooFew:
		f.Kind, f.Column = "MISSING COLUMNS", fields
		m.column(&f, fields)
		f.Byte = m.offset(start + len(bytes.TrimRight(m.chunk.bytes[start:end], "\r\n")))
		f.Message = fmt.Sprintf("Expected Number of Columns: %d Found: %d", len(t.schema), fields)
	case tooMany:
		f.Kind, f.Column = "TOO MANY COLUMNS", len(t.schema)+1
		f.Byte = m.offset(m.delimiterAt(start, len(t.schema)))
		f.Message = fmt.Sprintf("Expected Number of Columns: %d Found: %d", len(t.schema), fields)
	case openQuote:
		f.Message = "Value with unterminated quote found."
		f.Column = fields
		m.column(&f, fields-1)
	default:
		f.Message = "Text follows a closing quote."
		f.Column = fields
	}
	return t.rejects.Add(m.scan.rejectsFile, f)
}

// delimiterAt gives the place of the delimiter behind so many values of a record.
func (m *morsel) delimiterAt(start, values int) int {
	split := splitter{dialect: m.split.dialect, columns: -1, fields: make([][]field, values)}
	split.fields[values-1] = []field{}
	split.record(m.chunk.bytes, start)
	last := split.fields[values-1][0]
	at := int(last.start) + int(last.length&lengthMask)
	for at < len(m.chunk.bytes) && m.chunk.bytes[at] != m.split.delimiter {
		at++ // behind the quote
	}
	return at
}

// rejectValues notes the values of a column that are not of its type.
func (m *morsel) rejectValues(d *decoder, column int) error {
	t := m.scan.table
	if t.rejects == nil {
		return nil
	}
	for i := d.bad.NextSet(0, d.rows); i < d.rows; i = d.bad.NextSet(i+1, d.rows) {
		start := int(m.split.starts[i])
		end, _, _ := (&splitter{dialect: m.split.dialect, columns: -1}).record(m.chunk.bytes, start)
		f := m.fault(start, end, "CAST")
		value := m.split.fields[column][i]
		text := value.bytes(m.chunk.bytes)
		if value.length&escapedField != 0 {
			text = t.settings.unescape(nil, text)
		}
		f.Column, f.Byte = column+1, m.offset(int(value.start))
		m.column(&f, column)
		f.Message = fmt.Sprintf("Error when converting column %q. Could not convert string %q to '%s'", d.column.name, text, d.column.typ)
		if err := t.rejects.Add(m.scan.rejectsFile, f); err != nil {
			return err
		}
	}
	return nil
}

// rejectInvalid notes the lines of the chunk that are not UTF-8.
func (m *morsel) rejectInvalid() error {
	if m.scan.table.rejects == nil {
		return nil
	}
	at := 0
	for line := range bytes.Lines(m.chunk.bytes) {
		if !utf8.Valid(line) {
			f := m.fault(at, at+len(line), "INVALID ENCODING")
			_, column := invalidUTF8(line)
			f.Byte, f.Message = f.LineByte+int64(column)-1, "Invalid unicode (byte sequence mismatch) detected."
			if err := m.scan.table.rejects.Add(m.scan.rejectsFile, f); err != nil {
				return err
			}
		}
		at += len(line)
	}
	return nil
}

package json

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/jsontext"
)

// Format is the format of JSON.
type Format struct{}

var _ catalog.WritableFormat = Format{}

// Name gives "json".
func (Format) Name() string { return "json" }

// Extensions gives the endings of JSON files. Which form a file has, its text says.
func (Format) Extensions() []string { return []string{".json", ".jsonl", ".ndjson"} }

// ReadOptions are DuckDB's options of read_json, and union_types: a place whose values are of several kinds (numbers, texts, lists ...) is a UNION of their
// types, each variant called as its type, instead of JSON.
func (Format) ReadOptions() []catalog.Option {
	return []catalog.Option{
		{Name: "auto_detect", Type: types.Boolean},
		{Name: "columns", Type: types.Null},
		{Name: "compression", Type: types.Varchar},
		{Name: "format", Type: types.Varchar},
		{Name: "ignore_errors", Type: types.Boolean},
		{Name: "maximum_depth", Type: types.BigInt},
		{Name: "maximum_object_size", Type: types.BigInt},
		{Name: "records", Type: types.Varchar},
		{Name: "sample_size", Type: types.BigInt},
		{Name: "union_types", Type: types.Boolean},
	}
}

const (
	defaultSampleRows = 20480
	defaultMaxObject  = 16 << 20
	// maxSampleBytes bounds what is read to look at, unless the statement asks for the whole file.
	maxSampleBytes = 8 << 20
)

// table is a file that was looked at.
type table struct {
	files       catalog.FileSystem
	path        string
	size        int64
	compression string
	form        form
	records     bool // values are objects whose keys are columns; else there is one column
	ignore      bool
	inference   inference
	maxObject   int
	schema      types.Schema
	names       []string // keys of the columns, where the columns are called something else
	rows        int64    // estimated
	chunkBytes  int      // chunkBytes but in tests
}

// Open finds out the form of the file and, unless they are given, its columns.
func (Format) Open(ctx context.Context, request catalog.OpenRequest) (catalog.Table, error) {
	o := request.Options
	t := &table{files: request.Files, path: request.Path, ignore: catalog.OptionOr(o, "ignore_errors", false), chunkBytes: chunkBytes}
	var err error
	if t.compression, err = catalog.CompressionOf(t.path, catalog.OptionOr(o, "compression", "auto")); err != nil {
		return nil, err
	}
	most := catalog.OptionOr(o, "maximum_object_size", int64(defaultMaxObject))
	if most < 1 || most > 1<<30 {
		return nil, invalid("maximum_object_size must be between 1 and %d: %d", 1<<30, most)
	}
	t.maxObject = int(most)
	t.inference = inference{unions: catalog.OptionOr(o, "union_types", false), depth: jsontext.MaxDepth + 1}
	switch depth := catalog.OptionOr(o, "maximum_depth", int64(-1)); {
	case depth < -1:
		return nil, invalid("maximum_depth must be -1, for any, or a number of levels: %d", depth)
	case depth >= 0:
		t.inference.depth = int(min(depth, jsontext.MaxDepth+1))
	}
	file, err := t.files.Open(ctx, t.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t.size = file.Size()
	if err := t.look(ctx, file, request); err != nil {
		return nil, within(err, "file %q", t.path)
	}
	return t, nil
}

// look reads the sample.
func (t *table) look(ctx context.Context, file catalog.File, request catalog.OpenRequest) error {
	o := request.Options
	sampleRows := catalog.OptionOr(o, "sample_size", int64(defaultSampleRows))
	limit := int64(maxSampleBytes)
	if sampleRows < 0 {
		limit = 1 << 40
	}
	reader, err := catalog.NewReader(ctx, file, t.compression)
	if err != nil {
		return err
	}
	defer reader.Close()
	text, err := io.ReadAll(io.LimitReader(reader, limit))
	if err != nil {
		return err
	}
	whole := int64(len(text)) < limit
	if err := t.findForm(bytes.TrimPrefix(text, []byte{0xEF, 0xBB, 0xBF}), catalog.OptionOr(o, "format", "auto"), whole); err != nil {
		return err
	}
	var columns *shape
	like, _ := request.Like.(*table)
	given, isGiven := o["columns"]
	switch {
	case isGiven:
		if err := t.givenColumns(given, request.Type); err != nil {
			return err
		}
		switch records := strings.ToLower(catalog.OptionOr(o, "records", "auto")); records {
		case "auto", "true":
			t.records = true
		case "false":
		default:
			return invalid("records must be auto, true or false, not %q", records)
		}
		return nil
	case like != nil:
		// The columns of the first file of a list are those of all.
		t.schema, t.names, t.records = like.schema, like.names, like.records
		return nil
	}
	if columns, err = t.sample(text, sampleRows, whole); err != nil {
		return err
	}
	records := strings.ToLower(catalog.OptionOr(o, "records", "auto"))
	switch objects := t.inference.depth > 0 && columns.objects > 0 && len(columns.fields) > 0 && columns.bools+columns.strings+columns.lists+columns.whole+columns.wide+columns.fractions == 0; records {
	case "auto":
		t.records = objects
	case "true":
		if t.records = true; !objects {
			return corrupt("the values are not objects")
		}
	case "false":
	default:
		return invalid("records must be auto, true or false, not %q", records)
	}
	if !t.records {
		t.schema = types.Schema{{Name: "json", Type: columns.sqlType(t.inference), Nullable: true}}
		return nil
	}
	t.nameColumns(columns)
	return nil
}

// findForm tells lines of values from values and from an array.
func (t *table) findForm(text []byte, option string, whole bool) error {
	switch strings.ToLower(option) {
	case "auto":
	case "newline_delimited", "nd":
		t.form = formLines
		return nil
	case "array":
		t.form = formElements
		return nil
	case "unstructured":
		t.form = formValues
		return nil
	default:
		return invalid("format must be auto, newline_delimited, array or unstructured, not %q", option)
	}
	text = bytes.TrimLeft(text, " \t\r\n")
	line, _, lines := bytes.Cut(text, []byte{'\n'})
	s := jsontext.Scanner{Text: line}
	s.Skip(0)
	s.Space()
	complete := s.Err == "" && s.At == len(line)
	switch {
	case len(text) > 0 && text[0] == '[' && !(complete && lines && moreLists(text[len(line):])):
		t.form = formElements
	case !complete && len(text) > 0:
		t.form = formValues
	}
	return nil
}

// moreLists reports whether the text behind the first line is another list: the lists are then values on lines of their own.
func moreLists(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && text[0] == '['
}

// sample looks at the first values.
func (t *table) sample(text []byte, rows int64, whole bool) (*shape, error) {
	columns := &shape{}
	c := chunker{form: t.form, size: t.chunkBytes, maxObject: t.maxObject, reader: bytes.NewReader(text)}
	seen := int64(0)
	for rows < 0 || seen < rows {
		k, err := c.next()
		if err != nil || k == nil {
			if !whole || t.ignore {
				err = nil // the sample ends within a value
			}
			if seen > 0 {
				t.rows = t.size * seen / int64(max(1, len(text)))
			}
			return columns, err
		}
		s := jsontext.Scanner{Text: k.bytes}
		for (rows < 0 || seen < rows) && k.more(&s, t.form) {
			start := s.At
			if columns.look(&s, 0); s.Err != "" {
				if !whole && c.ended {
					return columns, nil
				}
				if t.ignore && t.form == formLines {
					s.Err, s.At = "", nextLine(k.bytes, start)
					continue
				}
				return nil, k.fault(&s)
			}
			seen++
		}
		if s.Err != "" && whole {
			return nil, k.fault(&s)
		}
	}
	t.rows = t.size * seen / int64(max(1, len(text)))
	return columns, nil
}

// more passes by what stands between values and reports whether another one begins. Values of an array have one comma between them.
func (k *chunk) more(s *jsontext.Scanner, f form) bool {
	begins := s.At == 0 && k.first
	if s.Space(); s.At == len(s.Text) {
		return false
	}
	switch {
	case f != formElements:
		return true
	case begins:
		if s.Text[s.At] == ',' {
			s.Unexpected()
		}
	case !s.Accept(','):
		s.Unexpected()
	case s.Peek() == 0 && s.At == len(s.Text):
		s.Fail("no value follows a comma")
	}
	return s.Err == ""
}

// nextLine gives where the line behind a place starts.
func nextLine(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// fault gives what a scanner has found wrong as an error with its place.
func (k *chunk) fault(s *jsontext.Scanner) error {
	at := k.place(min(s.At, len(k.bytes)))
	return corrupt("line %d, byte %d: %s", at.lines+1, at.bytes+1, s.Err)
}

// nameColumns makes a column of each key. Keys that differ in case only get a number.
func (t *table) nameColumns(columns *shape) {
	taken := map[string]bool{}
	for i, f := range columns.fields {
		name := f.name
		if name == "" {
			name = fmt.Sprintf("column%d", i)
		}
		unique := name
		for n := 1; taken[strings.ToLower(unique)]; n++ {
			unique = fmt.Sprintf("%s_%d", name, n)
		}
		taken[strings.ToLower(unique)] = true
		t.schema = append(t.schema, types.Field{Name: unique, Type: f.sqlType(t.inference.deeper()), Nullable: true})
		t.names = append(t.names, f.name)
	}
}

// givenColumns reads the option columns.
func (t *table) givenColumns(given any, typeOf func(string) (types.Type, error)) error {
	fields, ok := given.([]types.FieldValue)
	if !ok || len(fields) == 0 || typeOf == nil {
		return invalid("columns must be a struct of names and types").WithHint("columns = {a: 'INTEGER', b: 'VARCHAR[]'}")
	}
	for _, f := range fields {
		name, ok := f.Value.(string)
		if !ok {
			return invalid("a type must be given by its name, such as 'INTEGER'")
		}
		typ, err := typeOf(name)
		if err != nil {
			return err
		}
		t.schema = append(t.schema, types.Field{Name: f.Name, Type: typ, Nullable: true})
		t.names = append(t.names, f.Name)
	}
	return nil
}

// Schema gives the columns, which may all be NULL.
func (t *table) Schema() types.Schema { return t.schema }

// Statistics gives a guess of the number of rows.
func (t *table) Statistics() catalog.Statistics {
	return catalog.Statistics{Rows: max(1, t.rows), RowsConfidence: catalog.Estimated, Source: "sample"}
}

// Applies accepts no filter.
func (t *table) Applies(*expr.Expr) bool { return false }

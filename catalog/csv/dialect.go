package csv

import (
	"slices"
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/scalar"
	"github.com/lacunadb/lacuna/types"
)

// dialect is how a file writes records.
type dialect struct {
	delimiter byte
	quote     byte // 0: none
	escape    byte // 0: a quote is written twice
	comment   byte // begins a line that is none; 0: none
}

// settings are the options of a file, and after sniffing what was found out.
type settings struct {
	dialect
	skip        int  // records (lines) before the header
	header      bool // the first record has names
	nulls       []string
	quotedNulls bool // a value in quotes may be NULL
	padding     bool // records that are too short are filled with NULL
	ignore      bool // records that cannot be read are left out
	maxLine     int
	compression string
	sampleRows  int64
	// Forms of values; nil: those of CAST, and of dates what the sniffer knows.
	dateFormat, timestampFormat *scalar.TimeFormat
	decimalComma                bool // numbers have a comma for a point

	columns []column
	// What the statement says, which is not sniffed.
	known struct{ delimiter, quote, escape, header, skip, columns bool }
	// names and types that the statement gives to columns that are sniffed.
	names      []string
	types      map[string]types.Type // by lower-case name
	positioned []types.Type          // by position
	allText    bool
	notNull    map[string]bool // columns, by lower-case name, in which nullstr is a value
}

// column is a column of the file.
type column struct {
	name  string
	typ   types.Type
	order dateOrder // of a DATE
	text  bool      // nullstr is a value
}

const (
	defaultSampleRows = 20480
	defaultMaxLine    = 2 << 20
)

// readOptions are the options of read_csv.
func readOptions() []catalog.Option {
	texts := types.ListOf(types.Varchar)
	return []catalog.Option{
		{Name: "all_varchar", Type: types.Boolean},
		{Name: "allow_quoted_nulls", Type: types.Boolean},
		{Name: "auto_detect", Type: types.Boolean},
		{Name: "columns", Type: types.Null},
		{Name: "comment", Type: types.Varchar},
		{Name: "compression", Type: types.Varchar},
		{Name: "dateformat", Type: types.Varchar, Aliases: []string{"date_format"}},
		{Name: "decimal_separator", Type: types.Varchar},
		{Name: "delim", Type: types.Varchar, Aliases: []string{"sep", "delimiter"}},
		{Name: "encoding", Type: types.Varchar},
		{Name: "escape", Type: types.Varchar},
		{Name: "force_not_null", Type: texts},
		{Name: "header", Type: types.Boolean},
		{Name: "ignore_errors", Type: types.Boolean},
		{Name: "max_line_size", Type: types.BigInt, Aliases: []string{"maximum_line_size"}},
		{Name: "names", Type: texts, Aliases: []string{"column_names"}},
		{Name: "null_padding", Type: types.Boolean},
		{Name: "nullstr", Type: texts, Aliases: []string{"null"}},
		{Name: "parallel", Type: types.Boolean}, // results are the same
		{Name: "quote", Type: types.Varchar},
		{Name: "rejects_limit", Type: types.BigInt},
		{Name: "rejects_scan", Type: types.Varchar},
		{Name: "rejects_table", Type: types.Varchar},
		{Name: "sample_size", Type: types.BigInt},
		{Name: "skip", Type: types.BigInt},
		{Name: "store_rejects", Type: types.Boolean},
		{Name: "timestampformat", Type: types.Varchar, Aliases: []string{"timestamp_format"}},
		{Name: "types", Type: types.Null, Aliases: []string{"dtypes", "column_types"}},
	}
}

// newSettings reads the options.
func newSettings(request catalog.OpenRequest) (*settings, error) {
	path, o := request.Path, request.Options
	s := &settings{
		nulls: []string{""}, quotedNulls: catalog.OptionOr(o, "allow_quoted_nulls", true), padding: catalog.OptionOr(o, "null_padding", false),
		ignore: catalog.OptionOr(o, "ignore_errors", request.Rejects != nil), allText: catalog.OptionOr(o, "all_varchar", false),
		sampleRows: catalog.OptionOr(o, "sample_size", int64(defaultSampleRows)),
	}
	var err error
	if s.compression, err = catalog.CompressionOf(path, catalog.OptionOr(o, "compression", "auto")); err != nil {
		return nil, err
	}
	s.dialect = dialect{delimiter: ',', quote: '"'}
	for _, b := range []struct {
		name  string
		into  *byte
		known *bool
		empty bool // "" means none
	}{
		{"delim", &s.delimiter, &s.known.delimiter, false}, {"quote", &s.quote, &s.known.quote, true},
		{"escape", &s.escape, &s.known.escape, true}, {"comment", &s.comment, new(bool), true},
	} {
		text, given := o[b.name].(string)
		if !given {
			continue
		}
		if text == `\t` {
			text = "\t"
		}
		switch {
		case len(text) == 1 && text[0] != '\n' && text[0] != '\r':
			*b.into = text[0]
		case text == "" && b.empty:
			*b.into = 0
		case len(text) > 1:
			return nil, types.Errorf(types.CodeFeatureNotSupported, "option %s of more than one byte is not supported: %q", b.name, text)
		default:
			return nil, invalid("option %s must be one character, not %q", b.name, text)
		}
		*b.known = true
	}
	if s.escape == s.quote {
		s.escape = 0
	}
	if s.delimiter == s.quote || s.delimiter == s.comment {
		return nil, invalid("delimiter, quote and comment must differ")
	}
	if encoding := catalog.OptionOr(o, "encoding", "utf-8"); !slices.Contains([]string{"utf-8", "utf8"}, strings.ToLower(encoding)) {
		return nil, types.Errorf(types.CodeFeatureNotSupported, "encoding %q is not supported", encoding)
	}
	s.header, s.known.header = o["header"].(bool)
	if n, ok := o["skip"].(int64); ok {
		if n < 0 || n > 1<<40 {
			return nil, invalid("skip must not be negative: %d", n)
		}
		s.skip, s.known.skip = int(n), true
	}
	maxLine := catalog.OptionOr(o, "max_line_size", int64(defaultMaxLine))
	if maxLine < 1 || maxLine > 1<<30 {
		return nil, invalid("max_line_size must be between 1 and %d: %d", 1<<30, maxLine)
	}
	s.maxLine = int(maxLine)
	if list, ok := o["nullstr"].([]any); ok {
		s.nulls = nil
		for _, x := range list {
			text, _ := x.(string)
			s.nulls = append(s.nulls, text)
		}
	}
	if s.dateFormat, err = timeFormat(o, "dateformat"); err != nil {
		return nil, err
	}
	if s.timestampFormat, err = timeFormat(o, "timestampformat"); err != nil {
		return nil, err
	}
	switch separator := catalog.OptionOr(o, "decimal_separator", "."); separator {
	case ".", ",":
		s.decimalComma = separator == ","
	default:
		return nil, invalid("decimal_separator must be '.' or ',', not %q", separator)
	}
	if err := s.columnOptions(o, request.Type); err != nil {
		return nil, err
	}
	if !catalog.OptionOr(o, "auto_detect", true) {
		s.known.delimiter, s.known.quote, s.known.escape, s.known.skip, s.allText = true, true, true, true, true
		s.known.header = true
		if !s.known.columns {
			return nil, invalid("without auto_detect the columns must be given").WithHint("columns = {'a': 'INTEGER', 'b': 'VARCHAR'}")
		}
	}
	return s, nil
}

// timeFormat reads an option that is a format of strptime; nil when it is not given, or 'auto'.
func timeFormat(o catalog.Options, name string) (*scalar.TimeFormat, error) {
	text, given := o[name].(string)
	if !given || text == "auto" {
		return nil, nil
	}
	f, err := scalar.NewTimeFormat(text)
	if err != nil {
		return nil, within(err, "option %s", name)
	}
	return f, nil
}

// format gives the form that the statement says values of a type have, or nil.
func (s *settings) format(typ types.Type) *scalar.TimeFormat {
	switch typ.Kind() {
	case types.KindDate:
		return s.dateFormat
	case types.KindTimestamp, types.KindTimestampTZ:
		return s.timestampFormat
	}
	return nil
}

// swapsPoint reports whether texts of numbers of a type have to be read with commas and points exchanged.
func (s *settings) swapsPoint(typ types.Type) bool {
	return s.decimalComma && (typ.IsFloat() || typ.Kind() == types.KindDecimal)
}

// swapPoint appends a text with its commas as points, and its points as commas, which no number has.
func swapPoint(dst, text []byte) []byte {
	for _, c := range text {
		switch c {
		case ',':
			c = '.'
		case '.':
			c = ','
		}
		dst = append(dst, c)
	}
	return dst
}

// columnOptions reads what is said of columns.
func (s *settings) columnOptions(o catalog.Options, typeOf func(string) (types.Type, error)) error {
	if given, ok := o["columns"]; ok {
		fields, ok := given.([]types.FieldValue)
		if !ok || len(fields) == 0 {
			return invalid("columns must be a struct of names and types").WithHint("columns = {'a': 'INTEGER', 'b': 'VARCHAR'}")
		}
		for _, f := range fields {
			typ, err := typeOption(f.Value, typeOf)
			if err != nil {
				return err
			}
			s.columns = append(s.columns, column{name: f.Name, typ: typ})
		}
		s.known.columns = true
	}
	switch given := o["types"].(type) {
	case nil:
	case []types.FieldValue:
		s.types = map[string]types.Type{}
		for _, f := range given {
			typ, err := typeOption(f.Value, typeOf)
			if err != nil {
				return err
			}
			s.types[strings.ToLower(f.Name)] = typ
		}
	case []any:
		for _, x := range given {
			typ, err := typeOption(x, typeOf)
			if err != nil {
				return err
			}
			s.positioned = append(s.positioned, typ)
		}
	default:
		return invalid("types must be a struct of names and types, or a list of types")
	}
	for _, x := range catalog.OptionOr(o, "names", []any(nil)) {
		name, _ := x.(string)
		s.names = append(s.names, name)
	}
	for _, x := range catalog.OptionOr(o, "force_not_null", []any(nil)) {
		if s.notNull == nil {
			s.notNull = map[string]bool{}
		}
		name, _ := x.(string)
		s.notNull[strings.ToLower(name)] = true
	}
	return nil
}

// typeOption reads the name of a type.
func typeOption(x any, typeOf func(string) (types.Type, error)) (types.Type, error) {
	text, ok := x.(string)
	if !ok || typeOf == nil {
		return types.Null, invalid("a type must be given by its name, such as 'INTEGER', not by %v", x)
	}
	return typeOf(text)
}

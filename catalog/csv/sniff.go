package csv

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// sample is the records at the start of a file.
type sample struct {
	text  []byte
	whole bool // it is the whole file
}

// maxSampleBytes bounds what is read to look at, unless the statement asks for the whole file.
const maxSampleBytes = 8 << 20

// readSample reads the start of a file: whole records of it.
func readSample(ctx context.Context, file catalog.File, s *settings) (*sample, error) {
	reader, err := catalog.NewReader(ctx, file, s.compression)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	limit := int64(maxSampleBytes)
	if s.sampleRows < 0 {
		limit = 1 << 40
	}
	text, err := io.ReadAll(io.LimitReader(reader, limit))
	if err != nil {
		return nil, err
	}
	out := &sample{text: text, whole: int64(len(text)) < limit}
	c := chunker{rest: text}
	if err := c.checkStart(); err != nil {
		return nil, err
	}
	out.text = c.rest
	if !utf8.Valid(out.text) && out.whole {
		line, column := invalidUTF8(out.text)
		if !s.ignore {
			return nil, types.Errorf(types.CodeInvalidUTF8, "line %d is not valid UTF-8 at byte %d", line, column)
		}
	}
	return out, nil
}

// invalidUTF8 gives the line, counted from 1, and the byte of it where a text is not UTF-8 any more.
func invalidUTF8(text []byte) (line, column int) {
	at := 0
	for at < len(text) {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	return bytes.Count(text[:at], []byte{'\n'}) + 1, at - start + 1
}

// records splits the sample by a dialect, up to a number of records: all fields as texts.
func (s *sample) records(d dialect, most int64) (records [][]string, quoted bool) {
	split := splitter{dialect: d, columns: -1}
	const maxColumns = 1 << 14
	for at := 0; at < len(s.text) && (most < 0 || int64(len(records)) < most); {
		if next, empty := emptyLine(s.text, at); empty {
			at = next
			continue
		}
		if d.comment != 0 && s.text[at] == d.comment {
			at = lineEnd(s.text, at)
			continue
		}
		split.fields = split.fields[:0]
		for range 64 {
			split.fields = append(split.fields, make([]field, 0, 1))
		}
		next, n, wrong := split.record(s.text, at)
		for n > len(split.fields) && len(split.fields) < maxColumns { // more than were expected: once more
			split.fields = split.fields[:0]
			for range min(n, maxColumns) {
				split.fields = append(split.fields, make([]field, 0, 1))
			}
			next, n, wrong = split.record(s.text, at)
		}
		if next == len(s.text) && !s.whole {
			break // cut off
		}
		record := make([]string, min(n, len(split.fields)))
		for i := range record {
			f := split.fields[i][0]
			value := f.bytes(s.text)
			if f.length&escapedField != 0 {
				value = d.unescape(nil, value)
			}
			quoted = quoted || f.quoted()
			record[i] = string(value)
		}
		if wrong == openQuote || wrong == badQuote {
			record = append(record, "") // unlike all others
		}
		records = append(records, record)
		at = next
	}
	return records, quoted
}

// sniffRecords is how many records the choice of a dialect looks at.
const sniffRecords = 1000

// sniff finds out what the settings do not say.
func (s *settings) sniff(sample *sample) error {
	if !s.known.delimiter || !s.known.quote || !s.known.skip {
		s.sniffDialect(sample)
	}
	most := s.sampleRows
	if most >= 0 {
		most += int64(s.skip) + 1
	}
	records, _ := sample.records(s.dialect, most)
	records = records[min(s.skip, len(records)):]
	if s.known.columns {
		if !s.known.header && len(records) > 0 {
			s.header = s.looksLikeNames(records[0])
		}
		return nil
	}
	if len(records) == 0 {
		s.header = false
		s.columns = []column{{name: "column0", typ: types.Varchar}}
		return s.override()
	}
	width := len(records[0])
	for _, r := range records {
		if s.padding {
			width = max(width, len(r))
		}
	}
	rows := records
	if len(records) > 1 || s.known.header && s.header {
		rows = records[1:]
	}
	columns := make([]column, width)
	for i := range columns {
		columns[i].typ, columns[i].order = types.Varchar, yearMonthDay
		if !s.allText {
			columns[i].typ, columns[i].order = s.columnType(rows, i)
		}
	}
	if !s.known.header {
		// A first record of which a value does not have the type of its column has names; so has one of texts alone.
		texts := true
		s.header = false
		for i, c := range columns {
			texts = texts && (c.typ.Kind() == types.KindVarchar || allNull(s, rows, i))
			if i < len(records[0]) && c.typ.Kind() != types.KindVarchar && !s.isNull(records[0][i]) {
				if typ, _ := s.columnType(records[:1], i); !widens(typ, c.typ) {
					s.header = true
				}
			}
		}
		s.header = s.header || texts && (len(records) > 1 || width > 1 || s.allText || !looksLikeValue(s, records[0][0]))
	}
	if !s.header {
		for i := range columns {
			if !s.allText {
				columns[i].typ, columns[i].order = s.columnType(records, i)
			}
		}
	}
	s.nameColumns(columns, records[0])
	s.columns = columns
	return s.override()
}

// allNull reports whether no row has a value in a column.
func allNull(s *settings, rows [][]string, column int) bool {
	for _, r := range rows {
		if column < len(r) && !s.isNull(r[column]) {
			return false
		}
	}
	return true
}

func looksLikeValue(s *settings, text string) bool {
	typ, _ := s.columnType([][]string{{text}}, 0)
	return typ.Kind() != types.KindVarchar
}

// widens reports whether values of a type are ones of another too.
func widens(from, to types.Type) bool {
	return from.Equal(to) || from.Kind() == types.KindBigInt && to.Kind() == types.KindDouble || from.Kind() == types.KindDate && to.Kind() == types.KindTimestamp
}

// looksLikeNames reports whether a record has the names of the columns that the statement gives, in any case, or a text in a column that is none.
func (s *settings) looksLikeNames(record []string) bool {
	same := len(record) == len(s.columns)
	for i, c := range s.columns {
		if i >= len(record) {
			break
		}
		same = same && strings.EqualFold(strings.TrimSpace(record[i]), c.name)
		if c.typ.Kind() == types.KindVarchar || s.isNull(record[i]) {
			continue
		}
		text := strings.Trim(record[i], " ")
		if format := s.format(c.typ); format != nil {
			if _, ok := format.Parse(text, nil); !ok {
				return true
			}
			continue
		}
		if s.swapsPoint(c.typ) {
			text = string(swapPoint(nil, []byte(text)))
		}
		v, err := types.NewValue(types.Varchar, text)
		if err != nil {
			continue
		}
		if v, err = kernels.Cast(&kernels.Env{Rows: 1, Try: true}, v, c.typ); err == nil && types.NullCount(nil, v) > 0 {
			return true
		}
	}
	return same
}

// nameColumns takes the names of the header, or column0, column1 ... Names that are empty or there already get a number.
func (s *settings) nameColumns(columns []column, header []string) {
	taken := map[string]bool{}
	for i := range columns {
		name := fmt.Sprintf("column%d", i)
		if s.header && i < len(header) {
			if text := strings.TrimSpace(header[i]); text != "" {
				name = text
			}
		}
		unique := name
		for n := 1; taken[strings.ToLower(unique)]; n++ {
			unique = fmt.Sprintf("%s_%d", name, n)
		}
		taken[strings.ToLower(unique)] = true
		columns[i].name = unique
	}
}

// override gives columns the names and types that the statement says.
func (s *settings) override() error {
	if len(s.names) > len(s.columns) {
		return invalid("%d names for %d columns", len(s.names), len(s.columns))
	}
	for i, name := range s.names {
		s.columns[i].name = name
	}
	if len(s.positioned) > len(s.columns) {
		return invalid("%d types for %d columns", len(s.positioned), len(s.columns))
	}
	for i, typ := range s.positioned {
		s.columns[i].typ = typ
	}
	for i, c := range s.columns {
		key := strings.ToLower(c.name)
		if typ, ok := s.types[key]; ok {
			s.columns[i].typ = typ
			delete(s.types, key)
		}
	}
	for name := range s.types {
		return types.Errorf(types.CodeUndefinedColumn, "types names the column %q, which the file does not have", name)
	}
	return nil
}

// sniffDialect chooses delimiter, quote, and how many lines before the records to skip: what makes the most records have the same number of fields, more
// than one where that can be.
func (s *settings) sniffDialect(sample *sample) {
	delimiters := []byte{',', '|', ';', '\t'}
	if s.known.delimiter {
		delimiters = []byte{s.delimiter}
	}
	quotes := []byte{'"', '\''}
	if s.known.quote {
		quotes = []byte{s.quote}
	}
	comments := []byte{s.comment}
	if s.comment == 0 && !s.known.skip && bytes.HasPrefix(sample.text, []byte{'#'}) {
		comments = []byte{'#', 0}
	}
	var best *candidate
	for _, comment := range comments {
		for _, delimiter := range delimiters {
			for _, quote := range quotes {
				d := s.dialect
				d.delimiter, d.quote, d.comment = delimiter, quote, comment
				records, quoted := sample.records(d, sniffRecords)
				if len(records) == 0 || quote == '\'' && !quoted {
					continue
				}
				c := candidate{dialect: d, skip: s.skip, wanted: len(s.columns)}
				if c.fit(records, !s.known.skip, s.padding); best == nil || c.better(best) {
					best = &c
				}
			}
		}
	}
	if best != nil {
		s.dialect, s.skip = best.dialect, best.skip
	}
}

// candidate is a dialect and how well it fits.
type candidate struct {
	dialect
	skip   int
	wanted int // number of columns that the statement gives; 0: not known
	width  int
	share  float64 // of the records that have this width
}

// better prefers dialects that make the wanted number of columns, then those that make more than one column of (nearly) all records, then those that make more records alike, then
// those that skip fewer, then more columns.
func (c *candidate) better(o *candidate) bool {
	const nearlyAll = 0.9
	if a, b := c.width == c.wanted, o.width == o.wanted; a != b {
		return a
	}
	if a, b := c.width > 1 && c.share >= nearlyAll, o.width > 1 && o.share >= nearlyAll; a != b {
		return a
	}
	if c.share != o.share {
		return c.share > o.share
	}
	if c.skip != o.skip { // a dialect that explains every line beats one that drops some
		return c.skip < o.skip
	}
	return c.width > o.width
}

// fit finds the number of fields that most records have, and which share of them has it. Records before the first such one may be lines about the
// file, to be skipped, when they have fewer fields and all after them are alike.
func (c *candidate) fit(records [][]string, maySkip, padded bool) {
	records = records[min(c.skip, len(records)):]
	counts := map[int]int{}
	for _, r := range records {
		counts[len(r)]++
	}
	most := 0
	for width, n := range counts {
		if n > most || n == most && width > c.width {
			c.width, most = width, n
		}
	}
	first := 0
	for first < len(records) && len(records[first]) != c.width {
		first++
	}
	alike, rest := 0, records[first:]
	for _, r := range rest {
		if len(r) == c.width || padded && len(r) < c.width {
			alike++
		}
	}
	if maySkip && alike == len(rest) && alike > 1 && c.width > 1 {
		c.skip += first
		c.share = 1
		return
	}
	c.share = float64(alike) / float64(max(1, len(records)))
}

// columnType gives the type of a column: the first one that takes all values of some rows.
func (s *settings) columnType(rows [][]string, column int) (types.Type, dateOrder) {
	var values []any
	for _, r := range rows {
		if column < len(r) && !s.isNull(r[column]) {
			values = append(values, r[column])
		}
	}
	if len(values) == 0 {
		return types.Varchar, yearMonthDay
	}
	every := func(f func(string) bool) bool {
		for _, v := range values {
			if !f(strings.Trim(v.(string), " ")) {
				return false
			}
		}
		return true
	}
	// Forms that the statement says come first: 20200201 is a date in one of them.
	if s.dateFormat != nil && every(func(text string) bool { _, ok := s.dateFormat.Parse(text, nil); return ok }) {
		return types.Date, yearMonthDay
	}
	if s.timestampFormat != nil && every(func(text string) bool { _, ok := s.timestampFormat.Parse(text, nil); return ok }) {
		if s.timestampFormat.Zoned() {
			return types.TimestampTZ, yearMonthDay
		}
		return types.Timestamp, yearMonthDay
	}
	if every(isBooleanText) {
		return types.Boolean, yearMonthDay
	}
	if every(isIntegerText) {
		return types.BigInt, yearMonthDay
	}
	if every(func(text string) bool {
		if s.decimalComma {
			text = string(swapPoint(nil, []byte(text)))
		}
		return isNumberText(text)
	}) && !every(isInfinityText) { // infinities alone may be dates, or names

		return types.Double, yearMonthDay
	}
	for _, order := range []dateOrder{yearMonthDay, dayMonthYear, monthDayYear} {
		if s.dateFormat == nil && every(func(text string) bool { _, ok := order.parse([]byte(text)); return ok }) {
			return types.Date, order
		}
	}
	texts, err := types.FromValues(nil, types.Varchar, values)
	if err != nil {
		return types.Varchar, yearMonthDay
	}
	for _, candidate := range []struct {
		typ types.Type
		may func(string) bool
	}{
		{types.Time, func(t string) bool {
			return len(t) >= 4 && strings.IndexByte(t, ':') > 0 && !strings.ContainsAny(t, "-/ T")
		}},
		{types.Timestamp, func(t string) bool { return isTimestampText(t) && !hasZone(t) }},
		{types.TimestampTZ, func(t string) bool { return isTimestampText(t) }},
	} {
		if s.format(candidate.typ) != nil || !every(candidate.may) {
			continue
		}
		cast, err := kernels.Cast(&kernels.Env{Rows: len(values), Try: true}, texts, candidate.typ)
		if err == nil && types.NullCount(nil, cast) == 0 {
			return candidate.typ, yearMonthDay
		}
	}
	return types.Varchar, yearMonthDay
}

func (s *settings) isNull(text string) bool {
	for _, n := range s.nulls {
		if text == n {
			return true
		}
	}
	return false
}

func isBooleanText(t string) bool {
	switch len(t) {
	case 1:
		return t[0]|0x20 == 't' || t[0]|0x20 == 'f'
	case 4, 5:
		return strings.EqualFold(t, "true") || strings.EqualFold(t, "false")
	}
	return false
}

// isIntegerText accepts a BIGINT that is written in one way: no plus, no zeros in front.
func isIntegerText(t string) bool {
	digits := strings.TrimPrefix(t, "-")
	if digits == "" || len(digits) > 19 || digits[0] == '0' && len(digits) > 1 {
		return false
	}
	_, ok := parseInt([]byte(t))
	return ok
}

// isNumberText accepts what isIntegerText does, with a fraction, an exponent, or too large for it, NaN and the infinities.
func isNumberText(t string) bool {
	if strings.EqualFold(t, "nan") || isInfinityText(t) {
		return true
	}
	digits := strings.TrimPrefix(t, "-")
	if digits == "" || digits[0] != '.' && (digits[0] < '0' || digits[0] > '9') || len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return false
	}
	_, ok := parseFloat([]byte(t))
	return ok
}

func isInfinityText(t string) bool {
	name := strings.TrimPrefix(t, "-")
	return strings.EqualFold(name, "inf") || strings.EqualFold(name, "infinity")
}

// isTimestampText accepts a date, a blank or T, and a time.
func isTimestampText(t string) bool {
	i := strings.IndexAny(t, " T")
	return i >= 8 && strings.IndexByte(t[i:], ':') > 0 && t[0] >= '0' && t[0] <= '9' && strings.ContainsAny(t[:i], "-/") && len(t[:strings.IndexAny(t, "-/")]) >= 4
}

// hasZone reports whether a timestamp has a zone behind its time.
func hasZone(t string) bool {
	i := strings.LastIndexByte(t, ':')
	for i > 0 && t[i-1] >= '0' && t[i-1] <= '9' {
		i--
	}
	rest := t[strings.IndexAny(t, " T")+1:]
	return strings.ContainsAny(rest, "Z+-zuUtT") || strings.Count(rest, ":") > 2
}

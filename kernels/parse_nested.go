package kernels

import (
	"bytes"

	"github.com/lacunadb/lacuna/types"
)

// Texts of nested values, as DuckDB reads them: [1, 2], {a: 1, b: x}, (1, x) for a struct by position, {key=value} for a map. A text is cut into the texts of its parts, which
// are cast in their turn. Outside of quotes blanks around a part do not count and NULL is null; quotes go, with a backslash for the next character inside of them;
// brackets below the outer ones belong to a part as they are.

// castTextToNested parses a plain VARCHAR vector as lists, arrays, structs or maps: into their parts as texts, which castNested converts.
func castTextToNested(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	var fields []types.Field
	text := types.Field{Type: types.Varchar, Nullable: true}
	switch to.Kind() {
	case types.KindStruct:
		for _, f := range to.Fields() {
			fields = append(fields, types.Field{Name: f.Name, Type: types.Varchar, Nullable: true})
		}
	case types.KindMap:
		fields = []types.Field{{Name: "key", Type: types.Varchar}, {Name: "value", Type: types.Varchar, Nullable: true}}
	default:
		fields = []types.Field{text}
	}
	n := v.Len()
	views, buffers, valid := types.ValuesOf[types.View](v), v.DataBuffers(), v.Validity()
	columns := make([]partColumn, len(fields))
	for k := range columns {
		columns[k].texts = NewViewBuilder(env, types.Varchar, n)
	}
	entries := types.Alloc[types.ListEntry](env.pool(), n)
	bad := env.pool().ZeroBitmap(n)
	failed := false
	var s partScanner
	for i := range n {
		ok := valid.Has(i)
		if ok {
			if ok = s.scan(views[i].Bytes(buffers), to); !ok {
				bad.Set(i)
				failed = true
			}
		}
		if to.Kind() == types.KindStruct {
			for k := range columns {
				columns[k].add(s.field(k, ok))
			}
			continue
		}
		entries[i] = types.ListEntry{}
		if ok {
			entries[i].Offset = int64(columns[0].n)
			for k, p := range s.parts {
				columns[k%len(columns)].add(s.text(p), p.null)
			}
			entries[i].Length = int64(columns[0].n) - entries[i].Offset
		}
	}
	if failed {
		var err error
		valid, err = env.settle(n, valid, bad.Get, func(i int) *types.Error { return textError(views[i].Bytes(buffers), to, malformed) })
		if err != nil {
			return nil, err
		}
	}
	children := make([]*types.Vector, len(columns))
	for k := range columns {
		children[k] = columns[k].finish()
	}
	switch to.Kind() {
	case types.KindStruct:
		return castStruct(env, types.NewStruct(types.StructOf(fields...), n, children, valid), to)
	case types.KindMap:
		pairs := types.NewStruct(types.StructOf(fields...), children[0].Len(), children, nil)
		out, err := castList(env, types.NewList(types.MapOfFields(fields[0], fields[1]), entries, pairs, valid), to)
		if err != nil {
			return nil, err
		}
		return uniqueKeys(env, v, out)
	}
	return castList(env, types.NewList(types.ListOfField(text), entries, children[0], valid), to)
}

// uniqueKeys gives maps whose keys, made of texts, differ within each map: two that do not are an error, or a null with Try.
func uniqueKeys(env *Env, texts, maps *types.Vector) (*types.Vector, error) {
	keys := Decode(env, maps.Children()[0]).Children()[0]
	entries := types.ValuesOf[types.ListEntry](maps)
	seen := map[uint64][]int64{}
	hashes := types.Alloc[uint64](env.pool(), keys.Len())
	Hash(env, keys, hashes)
	twice := func(i int) bool {
		clear(seen)
		for at := entries[i].Offset; at < entries[i].Offset+entries[i].Length; at++ {
			for _, other := range seen[hashes[at]] {
				if compareRows(total, keys, int(at), keys, int(other)) == 0 {
					return true
				}
			}
			seen[hashes[at]] = append(seen[hashes[at]], at)
		}
		return false
	}
	valid, err := env.settle(maps.Len(), maps.Validity(), twice, func(i int) *types.Error {
		return types.KindErrorf(types.ErrCastInvalid, "a map cannot have a key twice: %q", types.Text(texts, i))
	})
	if err != nil {
		return nil, err
	}
	return maps.WithValidity(valid), nil
}

// partColumn collects parts of one field.
type partColumn struct {
	texts *ViewBuilder
	valid types.Bitmap
	n     int
}

func (c *partColumn) add(text []byte, null bool) {
	if c.n&63 == 0 {
		c.valid = append(c.valid, 0)
	}
	if !null {
		c.valid.Set(c.n)
	}
	c.texts.Append(text)
	c.n++
}

func (c *partColumn) finish() *types.Vector {
	if allSet(c.valid, c.n) {
		c.valid = nil
	}
	return c.texts.Finish(c.valid)
}

// part is a part of a text, as a range of partScanner.out.
type part struct {
	from, to int
	null     bool
}

// partScanner cuts texts into parts. It is reused from text to text.
type partScanner struct {
	in     []byte
	at     int
	out    []byte // the texts of the parts
	parts  []part // elements, or keys and values in turn
	fields []int  // of a struct: the place in parts of each field, -1 for one that is missing
	nested []byte // the closing brackets that are awaited
}

func (s *partScanner) text(p part) []byte { return s.out[p.from:p.to] }

// field gives the text of a field of the struct that was scanned; null if it is missing or no struct was.
func (s *partScanner) field(k int, ok bool) (text []byte, null bool) {
	if !ok || s.fields[k] < 0 {
		return nil, true
	}
	p := s.parts[s.fields[k]]
	return s.text(p), p.null
}

// scan cuts a text that is to be a value of a nested type; false if it is none.
func (s *partScanner) scan(text []byte, to types.Type) bool {
	s.in, s.at, s.out, s.parts = text, 0, s.out[:0], s.parts[:0]
	s.blanks()
	ok := false
	switch to.Kind() {
	case types.KindStruct:
		s.fields = s.fields[:0]
		for range to.Fields() {
			s.fields = append(s.fields, -1)
		}
		if s.take('(') {
			ok = s.elements(')') && len(s.parts) <= len(s.fields)
			for k := range s.parts {
				if ok {
					s.fields[k] = k
				}
			}
		} else if ok = s.take('{') && s.pairs(':'); ok {
			for k := 0; k < len(s.parts) && ok; k += 2 {
				i := fieldIndex(to, string(s.text(s.parts[k])))
				if ok = i >= 0; ok {
					s.fields[i] = k + 1
				}
			}
		}
	case types.KindMap:
		ok = s.take('{') && s.pairs('=')
		for k := 0; k < len(s.parts); k += 2 {
			ok = ok && !s.parts[k].null
		}
	default:
		ok = s.take('[') && s.elements(']')
	}
	s.blanks()
	return ok && s.at == len(s.in)
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func (s *partScanner) blanks() {
	for s.at < len(s.in) && isBlank(s.in[s.at]) {
		s.at++
	}
}

// take goes past a character if it is the next one.
func (s *partScanner) take(c byte) bool {
	if s.at == len(s.in) || s.in[s.at] != c {
		return false
	}
	s.at++
	return true
}

// elements scans parts up to and with a closing bracket.
func (s *partScanner) elements(closing byte) bool {
	if s.blanks(); s.take(closing) {
		return true
	}
	for {
		stop, ok := s.part(closing, ',')
		if !ok || stop == closing {
			return ok
		}
	}
}

// pairs scans keys and values up to and with the closing brace.
func (s *partScanner) pairs(separator byte) bool {
	if s.blanks(); s.take('}') {
		return true
	}
	for {
		if _, ok := s.part(separator, separator); !ok {
			return false
		}
		stop, ok := s.part('}', ',')
		if !ok || stop == '}' {
			return ok
		}
	}
}

// part scans one part up to and with one of two characters, which stand outside of quotes and brackets; it gives the one.
func (s *partScanner) part(a, b byte) (stop byte, ok bool) {
	s.blanks()
	from := len(s.out)
	end, quoted := from, false // without the blanks behind
	for s.at < len(s.in) {
		c := s.in[s.at]
		s.at++
		switch {
		case c == a || c == b:
			s.out = s.out[:end]
			s.parts = append(s.parts, part{from, end, !quoted && bytes.EqualFold(s.out[from:end], []byte("NULL"))})
			return c, true
		case c == '\'' || c == '"':
			if !s.quotes(c) {
				return 0, false
			}
			quoted, end = true, len(s.out)
		case c == '[' || c == '{' || c == '(':
			if !s.brackets(c) {
				return 0, false
			}
			end = len(s.out)
		default:
			s.out = append(s.out, c)
			if !isBlank(c) {
				end = len(s.out)
			}
		}
	}
	return 0, false
}

// quotes copies what stands up to the closing quote, without the backslashes.
func (s *partScanner) quotes(quote byte) bool {
	for s.at < len(s.in) {
		c := s.in[s.at]
		s.at++
		if c == quote {
			return true
		}
		if c == '\\' && s.at < len(s.in) {
			c = s.in[s.at]
			s.at++
		}
		s.out = append(s.out, c)
	}
	return false
}

// brackets copies what stands up to the bracket that closes one, as it is. Brackets in quotes and after a backslash do not count.
func (s *partScanner) brackets(opening byte) bool {
	from := s.at - 1
	s.nested = append(s.nested[:0], closingBracket(opening))
	quote := byte(0)
	for s.at < len(s.in) && len(s.nested) > 0 {
		c := s.in[s.at]
		s.at++
		switch {
		case c == '\\':
			s.at = min(s.at+1, len(s.in))
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '[' || c == '{' || c == '(':
			s.nested = append(s.nested, closingBracket(c))
		case c == s.nested[len(s.nested)-1]:
			s.nested = s.nested[:len(s.nested)-1]
		}
	}
	s.out = append(s.out, s.in[from:s.at]...)
	return len(s.nested) == 0
}

func closingBracket(c byte) byte {
	switch c {
	case '[':
		return ']'
	case '{':
		return '}'
	}
	return ')'
}

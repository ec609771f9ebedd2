package json

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/jsontext"
)

// builder collects the values of a column, or of a field below one, row by row. Its buffers are used again for the next batch.
type builder struct {
	typ  types.Type
	kind buildKind
	rows int
	// valid has a bit for each row; nulls counts those that are not set.
	valid []uint64
	nulls int

	bools    []uint64
	ints     []int64
	floats   []float64
	texts    []types.View // texts of the type, or of values to be cast to it
	own      []byte       // bytes of texts that are not in the chunk
	entries  []types.ListEntry
	children []*builder
	names    map[string]int // of a struct's fields
	guess    int            // the field that is expected next
	codes    []int8         // of a union: the position of each row's variant, and the row of its child
	offsets  []int32
}

// buildKind is how values are collected.
type buildKind uint8

const (
	buildTexts buildKind = iota // and cast at the end
	buildVarchar
	buildJSON // the value's own text
	buildBool
	buildInt
	buildFloat
	buildList
	buildStruct
	buildMap
	buildUnion
)

func newBuilder(typ types.Type) *builder {
	b := &builder{typ: typ}
	switch typ.Kind() {
	case types.KindVarchar:
		b.kind = buildVarchar
	case types.KindJSON:
		b.kind = buildJSON
	case types.KindBoolean:
		b.kind = buildBool
	case types.KindBigInt:
		b.kind = buildInt
	case types.KindDouble:
		b.kind = buildFloat
	case types.KindList, types.KindArray: // a list of the array's width is cast
		b.kind, b.children = buildList, []*builder{newBuilder(typ.Elem().Type)}
	case types.KindStruct:
		b.kind, b.names = buildStruct, map[string]int{}
		for i, f := range typ.Fields() {
			b.children = append(b.children, newBuilder(f.Type))
			b.names[f.Name] = i
		}
	case types.KindMap:
		b.kind, b.children = buildMap, []*builder{newBuilder(typ.Fields()[0].Type), newBuilder(typ.Fields()[1].Type)}
	case types.KindUnion:
		b.kind = buildUnion
		for _, f := range typ.Fields() {
			b.children = append(b.children, newBuilder(f.Type))
		}
	}
	return b
}

// reset forgets the rows.
func (b *builder) reset() {
	b.rows, b.nulls = 0, 0
	b.valid, b.bools = b.valid[:0], b.bools[:0]
	b.ints, b.floats, b.texts, b.entries = b.ints[:0], b.floats[:0], b.texts[:0], b.entries[:0]
	b.codes, b.offsets = b.codes[:0], b.offsets[:0]
	b.own = nil // views of an earlier batch may point into it
	for _, c := range b.children {
		c.reset()
	}
}

// truncate takes back all rows but the first so many.
func (b *builder) truncate(rows int) {
	if b.rows == rows && len(b.children) == 0 {
		return // below others there may be the start of a value
	}
	for i := rows; i < b.rows; i++ {
		if b.valid[i>>6]>>(i&63)&1 == 0 {
			b.nulls--
		}
	}
	b.rows = rows
	words := types.BitmapWords(rows)
	b.valid = b.valid[:words]
	if words > 0 {
		b.valid[words-1] &= types.LastWordMask(rows)
	}
	switch b.kind {
	case buildBool:
		b.bools = b.bools[:words]
		if words > 0 {
			b.bools[words-1] &= types.LastWordMask(rows)
		}
	case buildInt:
		b.ints = b.ints[:rows]
	case buildFloat:
		b.floats = b.floats[:rows]
	case buildList, buildMap:
		b.entries = b.entries[:rows]
		end := 0
		if rows > 0 {
			end = int(b.entries[rows-1].Offset + b.entries[rows-1].Length)
		}
		for _, c := range b.children {
			c.truncate(end)
		}
	case buildStruct:
		for _, c := range b.children {
			c.truncate(min(rows, c.rows))
		}
	case buildUnion:
		b.codes, b.offsets = b.codes[:rows], b.offsets[:rows]
		ends := make([]int, len(b.children))
		for i, code := range b.codes {
			if b.valid[i>>6]>>(i&63)&1 != 0 {
				ends[code] = int(b.offsets[i]) + 1
			}
		}
		for k, c := range b.children {
			c.truncate(ends[k])
		}
	default:
		b.texts = b.texts[:rows]
	}
}

// next begins a row.
func (b *builder) next(valid bool) {
	if b.rows&63 == 0 {
		b.valid = append(b.valid, 0)
		if b.kind == buildBool {
			b.bools = append(b.bools, 0)
		}
	}
	if valid {
		b.valid[b.rows>>6] |= 1 << (b.rows & 63)
	} else {
		b.nulls++
	}
	b.rows++
}

// null adds a row that is NULL.
func (b *builder) null() {
	b.next(false)
	switch b.kind {
	case buildBool:
	case buildInt:
		b.ints = append(b.ints, 0)
	case buildFloat:
		b.floats = append(b.floats, 0)
	case buildList, buildMap:
		b.entries = append(b.entries, types.ListEntry{Offset: int64(b.children[0].rows)})
	case buildStruct:
		for _, c := range b.children {
			c.null()
		}
	case buildUnion:
		b.codes, b.offsets = append(b.codes, 0), append(b.offsets, 0)
	default:
		b.texts = append(b.texts, types.View{})
	}
}

// value parses a value into the next row. False says that it is JSON but not one of the column's type; of what is no JSON the scanner knows.
func (b *builder) value(s *jsontext.Scanner, depth int) bool {
	c := s.Peek()
	if depth > jsontext.MaxDepth {
		s.Fail("values are nested too deeply")
		return false
	}
	if c == 'n' && b.kind != buildJSON {
		if s.Word("null") {
			b.null()
		}
		return true
	}
	start := s.At
	switch b.kind {
	case buildJSON:
		if c == 'n' { // null at the top of a value is NULL
			if s.Word("null") {
				b.null()
			}
			return true
		}
		s.Strict = true
		text := s.Skip(depth)
		s.Strict = false
		if s.Err == "" {
			b.text(s, text, start)
		}
		return true
	case buildVarchar:
		if c != '"' {
			text := s.Skip(depth)
			if s.Err == "" {
				b.text(s, text, start)
			}
			return true
		}
		return b.quoted(s)
	case buildTexts:
		switch {
		case c == '"':
			return b.quoted(s)
		case jsontext.StartsNumber(c):
			if text, _ := s.Number(); s.Err == "" {
				b.text(s, text, start)
			}
			return true
		case c == 't' || c == 'f':
			text := s.Skip(depth)
			if s.Err == "" {
				b.text(s, text, start)
			}
			return true
		}
	case buildBool:
		if c == 't' && s.Word("true") || c == 'f' && s.Word("false") {
			b.next(true)
			if c == 't' {
				b.bools[(b.rows-1)>>6] |= 1 << ((b.rows - 1) & 63)
			}
			return true
		}
	case buildInt:
		if jsontext.StartsNumber(c) {
			text, whole := s.Number()
			if s.Err != "" {
				return false
			}
			if x, ok := parseInt(text); ok && whole {
				b.next(true)
				b.ints = append(b.ints, x)
				return true
			}
			s.At = start
		}
	case buildFloat:
		if c == '"' { // as AppendValue writes what JSON has no number for
			inside, _ := s.Quoted()
			x, ok := namedFloats[string(inside)]
			if s.Err != "" || !ok {
				s.At = start
				return false
			}
			b.next(true)
			b.floats = append(b.floats, x)
			return true
		}
		if jsontext.StartsNumber(c) {
			text, _ := s.Number()
			if s.Err != "" {
				return false
			}
			x, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
			if err == nil {
				b.next(true)
				b.floats = append(b.floats, x)
				return true
			}
			s.At = start
		}
	case buildList:
		if c == '[' {
			return b.list(s, depth)
		}
	case buildStruct:
		if c == '{' {
			return b.object(s, depth)
		}
	case buildMap:
		if c == '{' {
			return b.mapping(s, depth)
		}
	case buildUnion:
		k := b.variant(s, c)
		if k < 0 {
			return false
		}
		row := b.children[k].rows
		if !b.children[k].value(s, depth+1) || s.Err != "" {
			return false
		}
		b.next(true)
		b.codes, b.offsets = append(b.codes, int8(k)), append(b.offsets, int32(row))
		return true
	}
	return false
}

// variant chooses the variant of a union for a value that begins with a character; -1 for none. Whole numbers prefer integers, others do not; texts prefer
// VARCHAR.
func (b *builder) variant(s *jsontext.Scanner, c byte) int {
	whole := true
	if jsontext.StartsNumber(c) {
		start := s.At
		_, whole = s.Number()
		s.At = start
	}
	best, rank := -1, 0
	for k, f := range b.typ.Fields() {
		t, fits := f.Type, 0 // how well the variant fits; 0: not at all
		switch {
		case t.Kind() == types.KindJSON:
			fits = 1
		case jsontext.StartsNumber(c) && t.IsNumeric():
			fits = 2
			if whole == t.IsInteger() {
				fits = 3
			}
		case c == 't' || c == 'f':
			if t.Kind() == types.KindBoolean {
				fits = 3
			}
		case c == '[' && (t.Kind() == types.KindList || t.Kind() == types.KindArray), c == '{' && (t.Kind() == types.KindStruct || t.Kind() == types.KindMap):
			fits = 3
		case c == '"' && !t.IsNested() && !t.IsNumeric() && t.Kind() != types.KindBoolean:
			fits = 2
			if t.Kind() == types.KindVarchar {
				fits = 3
			}
		}
		if fits > rank {
			best, rank = k, fits
		}
	}
	return best
}

var namedFloats = map[string]float64{"nan": math.NaN(), "NaN": math.NaN(), "inf": math.Inf(1), "-inf": math.Inf(-1), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}

// parseInt reads the digits of a number.
func parseInt(text []byte) (int64, bool) {
	digits := text
	if text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) > 18 {
		x, err := strconv.ParseInt(unsafe.String(unsafe.SliceData(text), len(text)), 10, 64)
		return x, err == nil
	}
	x := int64(0)
	for _, c := range digits {
		c -= '0'
		if c > 9 {
			return 0, false
		}
		x = x*10 + int64(c)
	}
	if len(digits) < len(text) {
		x = -x
	}
	return x, true
}

// text adds a text that stands in the chunk.
func (b *builder) text(s *jsontext.Scanner, text []byte, start int) {
	b.next(true)
	b.texts = append(b.texts, types.MakeView(text, 0, start))
}

// quoted adds a string.
func (b *builder) quoted(s *jsontext.Scanner) bool {
	start := s.At
	inside, escaped := s.Quoted()
	if s.Err != "" {
		return false
	}
	if !escaped {
		b.text(s, inside, start+1)
		return true
	}
	from := len(b.own)
	var ok bool
	if b.own, ok = jsontext.Unescape(b.own, inside); !ok {
		b.own = b.own[:from]
		s.At = start
		s.Fail("a string has an escape that is none")
		return false
	}
	b.next(true)
	b.texts = append(b.texts, types.MakeView(b.own[from:], 1, from))
	return true
}

func (b *builder) list(s *jsontext.Scanner, depth int) bool {
	element := b.children[0]
	first := element.rows
	s.At++
	if !s.Accept(']') {
		for {
			if !element.value(s, depth+1) {
				return false
			}
			if s.Err != "" {
				return false
			}
			if s.Accept(',') {
				continue
			}
			if !s.Expect(']') {
				return false
			}
			break
		}
	}
	b.next(true)
	b.entries = append(b.entries, types.ListEntry{Offset: int64(first), Length: int64(element.rows - first)})
	return true
}

// object parses an object into the fields of a struct. Fields that it does not have are NULL.
func (b *builder) object(s *jsontext.Scanner, depth int) bool {
	row := b.rows
	s.At++
	if !s.Accept('}') {
		for {
			name, ok := s.Key()
			if !ok {
				return false
			}
			if field := b.field(name); field >= 0 {
				c := b.children[field]
				if c.rows > row {
					s.Fail("key \"" + string(name) + "\" stands twice in an object")
					return false
				}
				if !c.value(s, depth+1) {
					return false
				}
			} else {
				s.Skip(depth + 1)
			}
			if s.Err != "" {
				return false
			}
			if s.Accept(',') {
				continue
			}
			if !s.Expect('}') {
				return false
			}
			break
		}
	}
	b.next(true)
	for _, c := range b.children {
		if c.rows == row {
			c.null()
		}
	}
	return true
}

// field gives the field of a name, or -1. Objects mostly have their keys in the same order.
func (b *builder) field(name []byte) int {
	fields := b.typ.Fields()
	if b.guess < len(fields) && fields[b.guess].Name == string(name) {
		b.guess++
		return b.guess - 1
	}
	i, ok := b.names[string(name)]
	if !ok {
		return -1
	}
	b.guess = i + 1
	return i
}

// mapping parses an object into a map.
func (b *builder) mapping(s *jsontext.Scanner, depth int) bool {
	keys, values := b.children[0], b.children[1]
	first := keys.rows
	s.At++
	if !s.Accept('}') {
		for {
			if s.Peek() != '"' {
				s.Unexpected()
				return false
			}
			if !keys.quoted(s) || !s.Expect(':') || !values.value(s, depth+1) || s.Err != "" {
				return false
			}
			if s.Accept(',') {
				continue
			}
			if !s.Expect('}') {
				return false
			}
			break
		}
	}
	b.next(true)
	b.entries = append(b.entries, types.ListEntry{Offset: int64(first), Length: int64(keys.rows - first)})
	return true
}

// finish makes a vector of the rows, in the pool's memory and the chunk's. try makes values that cannot be cast NULL.
func (b *builder) finish(env *kernels.Env, chunk []byte) (*types.Vector, error) {
	pool := env.Pool
	var valid types.Bitmap
	if b.nulls > 0 {
		valid = pool.Bitmap(b.rows)
		copy(valid, b.valid)
	}
	switch b.kind {
	case buildBool:
		bits := pool.Bitmap(b.rows)
		copy(bits, b.bools)
		return types.NewBool(bits, b.rows, valid), nil
	case buildInt:
		return types.NewFixed(b.typ, append(types.Alloc[int64](pool, b.rows)[:0], b.ints...), valid), nil
	case buildFloat:
		return types.NewFixed(b.typ, append(types.Alloc[float64](pool, b.rows)[:0], b.floats...), valid), nil
	case buildList, buildMap:
		entries := append(types.Alloc[types.ListEntry](pool, b.rows)[:0], b.entries...)
		children := make([]*types.Vector, len(b.children))
		inner := &kernels.Env{Pool: pool, Rows: b.children[0].rows, Try: env.Try}
		for i, c := range b.children {
			var err error
			if children[i], err = c.finish(inner, chunk); err != nil {
				return nil, b.ofElement(err)
			}
		}
		if b.kind == buildList {
			if b.typ.Kind() == types.KindArray {
				return kernels.Cast(env, types.NewList(types.ListOfField(b.typ.Elem()), entries, children[0], valid), b.typ)
			}
			return types.NewList(b.typ, entries, children[0], valid), nil
		}
		pairs := types.NewStruct(types.StructOf(b.typ.Fields()...), b.children[0].rows, children, nil)
		return types.NewList(b.typ, entries, pairs, valid), nil
	case buildStruct:
		children := make([]*types.Vector, len(b.children))
		for i, c := range b.children {
			var err error
			if children[i], err = c.finish(env, chunk); err != nil {
				return nil, within(err, "field %s", types.QuoteIdent(b.typ.Fields()[i].Name))
			}
		}
		return types.NewStruct(b.typ, b.rows, children, valid), nil
	case buildUnion:
		return b.finishUnion(env, chunk, valid)
	}
	views := append(types.Alloc[types.View](pool, b.rows)[:0], b.texts...)
	typ := b.typ
	if b.kind == buildTexts {
		typ = types.Varchar
	}
	v := types.NewViews(typ, views, []types.Buffer{{Bytes: chunk}, {Bytes: b.own}}, valid)
	if b.kind != buildTexts {
		return v, nil
	}
	return kernels.Cast(env, v, b.typ)
}

// finishUnion makes a dense union.
func (b *builder) finishUnion(env *kernels.Env, chunk []byte, valid types.Bitmap) (*types.Vector, error) {
	codes := append(types.Alloc[int8](env.Pool, b.rows)[:0], b.codes...)
	offsets := append(types.Alloc[int32](env.Pool, b.rows)[:0], b.offsets...)
	for i, k := range b.codes {
		codes[i] = b.typ.Codes()[k]
	}
	children := make([]*types.Vector, len(b.children))
	for k, c := range b.children {
		v, err := c.finish(&kernels.Env{Pool: env.Pool, Rows: c.rows, Try: env.Try, Zone: env.Zone}, chunk)
		if err != nil {
			var e *types.Error
			if errors.As(err, &e) && e.Row >= 0 {
				moved := *e
				for i, code := range b.codes {
					if int(code) == k && int64(b.offsets[i]) == e.Row && b.valid[i>>6]>>(i&63)&1 != 0 {
						moved.Row = int64(i)
						break
					}
				}
				err = &moved
			}
			return nil, err
		}
		if c.rows == 0 { // rows that are NULL name a row of the first one
			v = types.NewNull(b.typ.Fields()[k].Type, 1)
		}
		children[k] = v
	}
	return types.NewUnion(b.typ, codes, offsets, children, valid), nil
}

// ofElement turns an error of an element into one of the list's row that has it.
func (b *builder) ofElement(err error) error {
	var e *types.Error
	if !errors.As(err, &e) || e.Row < 0 {
		return err
	}
	c := *e
	c.Row = int64(slices.IndexFunc(b.entries, func(l types.ListEntry) bool { return l.Offset <= e.Row && e.Row < l.Offset+l.Length }))
	return &c
}

// validUTF8 gives the line, counted from 1, where a text is not UTF-8; 0 for none.
func validUTF8(text []byte) int {
	if utf8.Valid(text) {
		return 0
	}
	line := 1
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		text = text[n:]
	}
	return line
}

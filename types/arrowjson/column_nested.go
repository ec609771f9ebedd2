package arrowjson

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types"
)

// hasPlaceholder reports whether a type has a value that is not null.
func (s *shape) hasPlaceholder() bool {
	switch {
	case s.id == arrow.NULL:
		return false
	case s.codes != nil:
		for _, c := range s.children {
			if c.nullable || c.hasPlaceholder() {
				return true
			}
		}
		return false
	case s.id == arrow.STRUCT || s.id == arrow.FIXED_SIZE_LIST:
		for _, c := range s.children {
			if !c.nullable && !c.hasPlaceholder() {
				return false
			}
		}
	}
	return true
}

// lists are the rows of a list or map: which elements are theirs.
type lists struct {
	entries []types.ListEntry
	valid   bitmap
	total   int // elements of all rows
}

// add adds a row of the elements up to total.
func (l *lists) add(total int, valid bool) {
	l.entries = append(l.entries, types.ListEntry{Offset: int64(l.total), Length: int64(total - l.total)})
	l.valid.append(valid)
	l.total = total
}

func (l *lists) null()        { l.add(l.total, false) }
func (l *lists) placeholder() { l.add(l.total, true) }

// cut takes rows away and gives the elements that are left.
func (l *lists) cut(n int) int {
	l.entries = l.entries[:min(n, len(l.entries))]
	l.valid.truncate(n)
	l.total = 0
	if n := len(l.entries); n > 0 {
		l.total = int(l.entries[n-1].Offset + l.entries[n-1].Length)
	}
	return l.total
}

func (l *lists) vector(typ types.Type, elements *types.Vector) *types.Vector {
	v := types.NewList(typ, l.entries, elements, l.valid.validity())
	*l = lists{}
	return v
}

// listColumn has lists of any length.
type listColumn struct {
	*shape
	lists
	element *field
}

func (c *listColumn) value(d *decoder) bool {
	if d.Peek() != '[' {
		return d.mismatch(c.shape)
	}
	d.At++
	total := c.total
	for more, ok := !d.Accept(']'), true; more; total++ {
		if !c.element.read(d) {
			return false
		}
		if more, ok = d.more(']'); !ok {
			return false
		}
	}
	c.add(total, true)
	return true
}

func (c *listColumn) truncate(n int)        { c.element.truncate(c.cut(n)) }
func (c *listColumn) finish() *types.Vector { return c.vector(c.typ, c.element.finish()) }

// mapColumn has maps, read from lists of pairs.
type mapColumn struct {
	*shape
	lists
	key, item *field
}

func newMapColumn(s *shape) *mapColumn {
	return &mapColumn{shape: s, key: newField(s.children[0]), item: newField(s.children[1])}
}

func (c *mapColumn) value(d *decoder) bool {
	if d.Peek() != '[' {
		return d.mismatch(c.shape)
	}
	d.At++
	total := c.total
	for more, ok := !d.Accept(']'), true; more; total++ {
		if d.Peek() != '[' {
			return d.mismatch(c.shape)
		}
		d.At++
		if !c.key.read(d) || !d.Expect(',') || !c.item.read(d) || !d.Expect(']') {
			return false
		}
		if more, ok = d.more(']'); !ok {
			return false
		}
	}
	c.add(total, true)
	return true
}

func (c *mapColumn) truncate(n int) {
	total := c.cut(n)
	c.key.truncate(total)
	c.item.truncate(total)
}

func (c *mapColumn) finish() *types.Vector {
	pairs := types.NewStruct(types.StructOf(c.typ.Fields()...), c.total, []*types.Vector{c.key.finish(), c.item.finish()}, nil)
	return c.vector(c.typ, pairs)
}

// arrayColumn has lists of one length.
type arrayColumn struct {
	*shape
	element *field
	width   int
	valid   bitmap
}

func (c *arrayColumn) value(d *decoder) bool {
	if d.Peek() != '[' {
		return d.mismatch(c.shape)
	}
	start := d.At
	d.At++
	n := 0
	for more, ok := !d.Accept(']'), true; more; n++ {
		if n == c.width {
			return d.fail(types.ErrCastInvalid, c.shape, start, "list of more than the %d elements of %s", c.width, c.dt)
		}
		if !c.element.read(d) {
			return false
		}
		if more, ok = d.more(']'); !ok {
			return false
		}
	}
	if n < c.width {
		return d.fail(types.ErrCastInvalid, c.shape, start, "list of %d elements cannot be read as %s", n, c.dt)
	}
	c.valid.append(true)
	return true
}

func (c *arrayColumn) add(valid bool) {
	for range c.width {
		c.element.hidden()
	}
	c.valid.append(valid)
}

func (c *arrayColumn) null()        { c.add(false) }
func (c *arrayColumn) placeholder() { c.add(true) }

func (c *arrayColumn) truncate(n int) {
	c.valid.truncate(n)
	c.element.truncate(c.valid.n * c.width)
}

func (c *arrayColumn) finish() *types.Vector {
	v := types.NewArray(c.typ, c.valid.n, c.element.finish(), c.valid.validity())
	c.valid = bitmap{}
	return v
}

// structColumn has objects.
type structColumn struct {
	*shape
	fields []*field
	places map[string]int
	valid  bitmap
	seen   []int // for each field the number of the last object that had it
	object int
}

func newStructColumn(s *shape) *structColumn {
	c := &structColumn{shape: s, fields: newFields(s.children), places: map[string]int{}, seen: make([]int, len(s.children))}
	for i, f := range s.children {
		c.places[f.name] = i
	}
	return c
}

func (c *structColumn) value(d *decoder) bool {
	if d.Peek() != '{' {
		return d.mismatch(c.shape)
	}
	start := d.At
	d.At++
	c.object++
	next := 0 // the field that follows the last one, which is the most likely one
	for more, ok := !d.Accept('}'), true; more; {
		if next, ok = c.member(d, next); !ok {
			return false
		}
		if more, ok = d.more('}'); !ok {
			return false
		}
	}
	for i, f := range c.fields {
		switch {
		case c.seen[i] == c.object:
		case !f.nullable:
			return d.fail(types.ErrMissingRequiredField, f.shape, start, "required field %s is missing", types.QuoteIdent(f.name))
		default:
			f.null()
		}
	}
	c.valid.append(true)
	return true
}

// member reads a key and its value and gives the field behind its own.
func (c *structColumn) member(d *decoder, next int) (int, bool) {
	if d.Peek() != '"' {
		d.Unexpected()
		return next, false
	}
	start := d.At
	name, ok := d.unquote()
	if !ok {
		return next, false
	}
	if next == len(c.fields) || c.fields[next].name != string(name) {
		place, known := c.places[string(name)]
		if !known && !d.options.IgnoreUnknown {
			return next, d.fail(types.ErrNoMember, c.shape, start, "no field is named %s", shown(name))
		}
		if !known {
			return next, d.Expect(':') && d.skip()
		}
		next = place
	}
	if c.seen[next] == c.object {
		return next, d.fail(types.ErrAmbiguousMember, c.fields[next].shape, start, "key %s stands twice in an object", shown(name))
	}
	c.seen[next] = c.object
	return next + 1, d.Expect(':') && c.fields[next].read(d)
}

func (c *structColumn) add(valid bool) {
	for _, f := range c.fields {
		f.hidden()
	}
	c.valid.append(valid)
}

func (c *structColumn) null()        { c.add(false) }
func (c *structColumn) placeholder() { c.add(true) }

func (c *structColumn) truncate(n int) {
	c.valid.truncate(n)
	for _, f := range c.fields {
		f.truncate(n)
	}
}

func (c *structColumn) finish() *types.Vector {
	children := make([]*types.Vector, len(c.fields))
	for i, f := range c.fields {
		children[i] = f.finish()
	}
	v := types.NewStruct(c.typ, c.valid.n, children, c.valid.validity())
	c.valid = bitmap{}
	return v
}

// unionColumn has pairs of type code and value.
type unionColumn struct {
	*shape
	variants []*field
	places   [types.MaxUnionVariants]int8 // of each code, else -1
	host     int                          // the variant for nulls of an Arrow union; -1 if there is none
	safe     int                          // the variant for placeholders
	dense    bool
	codes    []int8
	offsets  []int32
	rows     []int  // of each variant's child
	valid    bitmap // outer validity
}

func newUnionColumn(s *shape) *unionColumn {
	c := &unionColumn{shape: s, variants: newFields(s.children), rows: make([]int, len(s.children)), dense: s.id == arrow.DENSE_UNION, host: -1, safe: -1}
	for i := range c.places {
		c.places[i] = -1
	}
	for i, v := range c.variants {
		c.places[s.codes[i]] = int8(i)
		if v.id == arrow.NULL && (c.host < 0 || c.variants[c.host].id != arrow.NULL) || c.host < 0 && v.nullable {
			c.host = i
		}
		if c.safe < 0 && v.hasPlaceholder() {
			c.safe = i
		}
	}
	c.safe = max(c.safe, 0)
	return c
}

func (c *unionColumn) value(d *decoder) bool {
	if d.Peek() != '[' {
		return d.mismatch(c.shape)
	}
	d.At++
	d.Peek()
	start := d.At
	text, ok := d.number(c.shape)
	if !ok {
		return false
	}
	code, err := strconv.ParseInt(string(text), 10, 8)
	if err != nil || code < 0 || c.places[code] < 0 {
		return d.fail(types.ErrUnknownTypeCode, c.shape, start, "type code %s is not one of the union's", text)
	}
	k := int(c.places[code])
	if !d.Expect(',') || !c.variants[k].read(d) || !d.Expect(']') {
		return false
	}
	c.add(k, true)
	return true
}

// add adds the row whose value was added to variant k.
func (c *unionColumn) add(k int, valid bool) {
	c.codes = append(c.codes, c.shape.codes[k])
	c.valid.append(valid)
	if c.dense {
		c.offsets = append(c.offsets, int32(c.rows[k]))
	} else {
		for i, v := range c.variants {
			if i != k {
				v.hidden()
			}
		}
	}
	c.rows[k]++
}

// null of an Arrow union is a null of the host, that of a nullable one an outer null over a placeholder.
func (c *unionColumn) null() {
	if c.outer {
		c.hide(false)
		return
	}
	c.variants[c.host].null()
	c.add(c.host, true)
}

func (c *unionColumn) placeholder() { c.hide(true) }

func (c *unionColumn) hide(valid bool) {
	v := c.variants[c.safe]
	if v.hasPlaceholder() {
		v.placeholder()
	} else {
		v.null()
	}
	c.add(c.safe, valid)
}

func (c *unionColumn) truncate(n int) {
	for len(c.codes) > n {
		last := len(c.codes) - 1
		c.rows[c.places[c.codes[last]]]--
		c.codes = c.codes[:last]
	}
	c.offsets = c.offsets[:min(n, len(c.offsets))]
	c.valid.truncate(n)
	for k, v := range c.variants {
		if c.dense {
			v.truncate(c.rows[k])
		} else {
			v.truncate(len(c.codes))
		}
	}
}

func (c *unionColumn) finish() *types.Vector {
	children := make([]*types.Vector, len(c.variants))
	for k, v := range c.variants {
		children[k] = v.finish()
	}
	offsets := c.offsets
	if c.dense && offsets == nil {
		offsets = []int32{}
	}
	v := types.NewUnion(c.typ, c.codes, offsets, children, c.valid.validity())
	c.codes, c.offsets, c.valid = nil, nil, bitmap{}
	clear(c.rows)
	return v
}

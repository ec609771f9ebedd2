package json

import (
	"slices"
	"strings"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
	"github.com/lacunadb/lacuna/types/jsontext"
)

// shape is what the values of a place have been so far.
type shape struct {
	bools, strings, lists, objects int
	whole, wide, fractions         int                  // numbers: BIGINT, beyond it, with a fraction or an exponent
	widest                         int                  // digits of a whole number
	samples                        []any                // strings that have not been tested
	unfit                          [len(textTypes)]bool // the types that a string before them is not of
	element                        *shape
	fields                         []*namedShape
	index                          map[string]*namedShape
}

type namedShape struct {
	name string
	shape
}

// maxSamples is how many strings of a place are kept before they are tested for being dates or the like.
const maxSamples = 1000

// mapThreshold is how many keys make objects a MAP rather than a STRUCT.
const mapThreshold = 200

// look takes a value into account.
func (h *shape) look(s *jsontext.Scanner, depth int) {
	if depth > jsontext.MaxDepth {
		s.Fail("values are nested too deeply")
		return
	}
	switch c := s.Peek(); {
	case c == 'n':
		s.Word("null")
	case c == 't':
		h.bools++
		s.Word("true")
	case c == 'f':
		h.bools++
		s.Word("false")
	case c == '"':
		h.strings++
		inside, escaped := s.Quoted()
		if s.Err == "" && h.mayFit() {
			if escaped {
				inside, _ = jsontext.Unescape(nil, inside)
			}
			if h.samples = append(h.samples, string(inside)); len(h.samples) == maxSamples {
				h.test()
			}
		}
	case jsontext.StartsNumber(c):
		text, whole := s.Number()
		if s.Err != "" {
			return
		}
		switch _, fits := parseInt(text); {
		case !whole:
			h.fractions++
		case fits:
			h.whole++
		default:
			h.wide++
			h.widest = max(h.widest, len(strings.TrimPrefix(string(text), "-")))
		}
	case c == '[':
		h.lists++
		if h.element == nil {
			h.element = &shape{}
		}
		s.At++
		if s.Accept(']') {
			return
		}
		for s.Err == "" {
			h.element.look(s, depth+1)
			if s.Err == "" && !s.Accept(',') {
				s.Expect(']')
				return
			}
		}
	case c == '{':
		h.objects++
		s.At++
		if s.Accept('}') {
			return
		}
		for s.Err == "" {
			name, ok := s.Key()
			if !ok {
				return
			}
			h.field(string(name)).look(s, depth+1)
			if s.Err == "" && !s.Accept(',') {
				s.Expect('}')
				return
			}
		}
	default:
		s.Unexpected()
	}
}

func (h *shape) field(name string) *shape {
	if h.index == nil {
		h.index = map[string]*namedShape{}
	}
	f := h.index[name]
	if f == nil {
		f = &namedShape{name: name}
		h.index[name] = f
		h.fields = append(h.fields, f)
	}
	return &f.shape
}

// merge takes the values of another place into account.
func (h *shape) merge(o *shape) {
	h.bools, h.strings, h.lists, h.objects = h.bools+o.bools, h.strings+o.strings, h.lists+o.lists, h.objects+o.objects
	h.whole, h.wide, h.fractions, h.widest = h.whole+o.whole, h.wide+o.wide, h.fractions+o.fractions, max(h.widest, o.widest)
	h.test()
	o.test()
	for i := range h.unfit {
		h.unfit[i] = h.unfit[i] || o.unfit[i]
	}
	if o.element != nil {
		if h.element == nil {
			h.element = &shape{}
		}
		h.element.merge(o.element)
	}
	for _, f := range o.fields {
		h.field(f.name).merge(&f.shape)
	}
}

// inference says how types follow from shapes.
type inference struct {
	unions bool // values of several kinds make a UNION instead of JSON
	depth  int  // so many levels are typed, what is below is JSON
}

// deeper gives the rules one level below.
func (o inference) deeper() inference {
	o.depth--
	return o
}

// sqlType gives the type of the values.
func (h *shape) sqlType(o inference) types.Type {
	if o.depth <= 0 {
		return types.JSON
	}
	numbers := h.whole + h.wide + h.fractions
	kinds := 0
	for _, n := range []int{h.bools, h.strings, h.lists, h.objects, numbers} {
		if n > 0 {
			kinds++
		}
	}
	const hugeDigits = 38 // all whole numbers of so many digits are HUGEINTs
	switch {
	case kinds > 1 && o.unions:
		return h.unionType(o)
	case kinds != 1:
		return types.JSON // nothing but nulls, or values of several kinds
	case h.bools > 0:
		return types.Boolean
	case h.strings > 0:
		return h.textType()
	case h.wide > 0 && (h.fractions > 0 || h.widest > hugeDigits):
		return types.JSON // as DOUBLE they would not be exact
	case h.wide > 0:
		return types.HugeInt
	case h.fractions > 0:
		return types.Double
	case numbers > 0:
		return types.BigInt
	case h.lists > 0:
		return types.ListOf(h.element.sqlType(o.deeper()))
	case len(h.fields) == 0:
		return types.MapOf(types.Varchar, types.JSON)
	case len(h.fields) > mapThreshold:
		all := &shape{}
		for _, f := range h.fields {
			all.merge(&f.shape)
		}
		return types.MapOf(types.Varchar, all.sqlType(o.deeper()))
	}
	fields := make([]types.Field, len(h.fields))
	for i, f := range h.fields {
		fields[i] = types.Field{Name: f.name, Type: f.sqlType(o.deeper()), Nullable: true}
	}
	return types.StructOf(fields...)
}

// unionType gives the UNION of values of several kinds: a variant for each, called as its type is.
func (h *shape) unionType(o inference) types.Type {
	var variants []types.Field
	for _, one := range []shape{
		{bools: h.bools}, {whole: h.whole, wide: h.wide, fractions: h.fractions, widest: h.widest}, {strings: h.strings, samples: h.samples, unfit: h.unfit},
		{lists: h.lists, element: h.element}, {objects: h.objects, fields: h.fields, index: h.index},
	} {
		if one.bools+one.whole+one.wide+one.fractions+one.strings+one.lists+one.objects > 0 {
			t := one.sqlType(o)
			variants = append(variants, types.Field{Name: strings.ToLower(t.Kind().String()), Type: t, Nullable: true})
		}
	}
	return types.UnionOf(variants...)
}

// textTypes are the types that texts may be of. may tells most that are not, at no cost.
var textTypes = [...]struct {
	typ types.Type
	may func(string) bool
}{
	{types.Date, func(t string) bool { return len(t) == 10 && t[4] == '-' && t[7] == '-' }},
	{types.Time, func(t string) bool { return len(t) >= 8 && t[2] == ':' && t[5] == ':' }},
	{types.Timestamp, func(t string) bool { return isTimestamp(t) && !hasZone(t) }},
	{types.TimestampTZ, func(t string) bool { return isTimestamp(t) && hasZone(t) }},
	{types.UUID, func(t string) bool { return len(t) == 36 && t[8] == '-' && t[13] == '-' }},
}

// mayFit says whether the strings so far may be of one of textTypes; no others need to be kept.
func (h *shape) mayFit() bool { return slices.Contains(h.unfit[:], false) }

// test finds the types that the kept strings are not of, and lets go of them.
func (h *shape) test() {
	if len(h.samples) == 0 {
		return
	}
	texts, err := types.FromValues(nil, types.Varchar, h.samples)
	for i, candidate := range textTypes {
		if h.unfit[i] {
			continue
		}
		h.unfit[i] = err != nil || slices.ContainsFunc(h.samples, func(x any) bool { return !candidate.may(x.(string)) })
		if !h.unfit[i] {
			cast, err := kernels.Cast(&kernels.Env{Rows: len(h.samples), Try: true}, texts, candidate.typ)
			h.unfit[i] = err != nil || types.NullCount(nil, cast) > 0
		}
	}
	h.samples = h.samples[:0]
}

// textType gives the type that all texts are written as.
func (h *shape) textType() types.Type {
	h.test()
	for i, candidate := range textTypes {
		if !h.unfit[i] {
			return candidate.typ
		}
	}
	return types.Varchar
}

func isTimestamp(t string) bool {
	return len(t) >= 19 && t[4] == '-' && t[7] == '-' && (t[10] == ' ' || t[10] == 'T') && t[13] == ':' && t[16] == ':'
}

func hasZone(t string) bool { return strings.ContainsAny(t[19:], "Zz+-") }

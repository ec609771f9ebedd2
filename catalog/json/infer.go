package json

import (
	"strings"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// shape is what the values of a place have been so far.
type shape struct {
	bools, strings, lists, objects int
	whole, wide, fractions         int // numbers: BIGINT, beyond it, with a fraction or an exponent
	widest                         int // digits of a whole number
	samples                        []any
	element                        *shape
	fields                         []*namedShape
	index                          map[string]*namedShape
}

type namedShape struct {
	name string
	shape
}

// maxSamples is how many strings of a place are looked at, to see whether they are dates or the like.
const maxSamples = 200

// mapThreshold is how many keys make objects a MAP rather than a STRUCT.
const mapThreshold = 200

// look takes a value into account.
func (h *shape) look(s *scanner, depth int) {
	if depth > maxDepth {
		s.fail("values are nested too deeply")
		return
	}
	switch c := s.peek(); {
	case c == 'n':
		s.word("null")
	case c == 't':
		h.bools++
		s.word("true")
	case c == 'f':
		h.bools++
		s.word("false")
	case c == '"':
		h.strings++
		inside, escaped := s.quoted()
		if s.err == "" && len(h.samples) < maxSamples {
			if escaped {
				inside, _ = unescape(nil, inside)
			}
			h.samples = append(h.samples, string(inside))
		}
	case startsNumber(c):
		text, whole := s.number()
		if s.err != "" {
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
		s.at++
		if s.accept(']') {
			return
		}
		for s.err == "" {
			h.element.look(s, depth+1)
			if s.err == "" && !s.accept(',') {
				s.expect(']')
				return
			}
		}
	case c == '{':
		h.objects++
		s.at++
		if s.accept('}') {
			return
		}
		for s.err == "" {
			name, ok := s.key()
			if !ok {
				return
			}
			h.field(string(name)).look(s, depth+1)
			if s.err == "" && !s.accept(',') {
				s.expect('}')
				return
			}
		}
	default:
		s.unexpected()
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
	h.samples = append(h.samples, o.samples[:min(len(o.samples), max(0, maxSamples-len(h.samples)))]...)
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

// sqlType gives the type of the values.
func (h *shape) sqlType() types.Type {
	numbers := h.whole + h.wide + h.fractions
	kinds := 0
	for _, n := range []int{h.bools, h.strings, h.lists, h.objects, numbers} {
		if n > 0 {
			kinds++
		}
	}
	const hugeDigits = 38 // all whole numbers of so many digits are HUGEINTs
	switch {
	case kinds != 1:
		return types.JSON // nothing but nulls, or values of several kinds
	case h.bools > 0:
		return types.Boolean
	case h.strings > 0:
		return textType(h.samples)
	case h.wide > 0 && (h.fractions > 0 || h.widest > hugeDigits):
		return types.JSON // as DOUBLE they would not be exact
	case h.wide > 0:
		return types.HugeInt
	case h.fractions > 0:
		return types.Double
	case numbers > 0:
		return types.BigInt
	case h.lists > 0:
		return types.ListOf(h.element.sqlType())
	case len(h.fields) == 0:
		return types.MapOf(types.Varchar, types.JSON)
	case len(h.fields) > mapThreshold:
		all := &shape{}
		for _, f := range h.fields {
			all.merge(&f.shape)
		}
		return types.MapOf(types.Varchar, all.sqlType())
	}
	fields := make([]types.Field, len(h.fields))
	for i, f := range h.fields {
		fields[i] = types.Field{Name: f.name, Type: f.sqlType(), Nullable: true}
	}
	return types.StructOf(fields...)
}

// textType gives the type that all texts of a sample are written as.
func textType(samples []any) types.Type {
	texts, err := types.FromValues(nil, types.Varchar, samples)
	if err != nil || len(samples) == 0 {
		return types.Varchar
	}
	for _, candidate := range []struct {
		typ types.Type
		may func(string) bool
	}{
		{types.Date, func(t string) bool { return len(t) == 10 && t[4] == '-' && t[7] == '-' }},
		{types.Time, func(t string) bool { return len(t) >= 8 && t[2] == ':' && t[5] == ':' }},
		{types.Timestamp, func(t string) bool { return isTimestamp(t) && !hasZone(t) }},
		{types.TimestampTZ, func(t string) bool { return isTimestamp(t) && hasZone(t) }},
		{types.UUID, func(t string) bool { return len(t) == 36 && t[8] == '-' && t[13] == '-' }},
	} {
		every := true
		for _, x := range samples {
			every = every && candidate.may(x.(string))
		}
		if !every {
			continue
		}
		cast, err := kernels.Cast(&kernels.Env{Rows: len(samples), Try: true}, texts, candidate.typ)
		if err == nil && types.NullCount(nil, cast) == 0 {
			return candidate.typ
		}
	}
	return types.Varchar
}

func isTimestamp(t string) bool {
	return len(t) >= 19 && t[4] == '-' && t[7] == '-' && (t[10] == ' ' || t[10] == 'T') && t[13] == ':' && t[16] == ':'
}

func hasZone(t string) bool { return strings.ContainsAny(t[19:], "Zz+-") }

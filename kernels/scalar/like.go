package scalar

import (
	"bytes"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerLike(set *expr.Set) {
	for _, f := range []struct {
		name, symbol    string
		negate, anyCase bool
		description     string
		example         string
	}{
		{"like", "LIKE", false, false, "Whether a text matches a pattern in which % stands for any text and _ for any character.", "'hello' LIKE 'h%o' = true"},
		{"not_like", "NOT LIKE", true, false, "The opposite of LIKE.", "'hello' NOT LIKE 'h_o' = true"},
		{"ilike", "ILIKE", false, true, "LIKE without a difference between small and capital letters.", "'Hello' ILIKE 'h%O' = true"},
		{"not_ilike", "NOT ILIKE", true, true, "The opposite of ILIKE.", "'Hello' NOT ILIKE 'h%' = false"},
	} {
		kernel := func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
			return likeText(env, args, f.anyCase, f.negate)
		}
		set.MustAdd(&expr.Family{
			Name: f.name,
			Bind: anyOf(
				fixed(f.name, types.Boolean, expr.NullStrict, false, kernel, types.Varchar, types.Varchar),
				fixed(f.name, types.Boolean, expr.NullStrict, true, kernel, types.Varchar, types.Varchar, types.Varchar),
			),
			Signatures:  []string{"s " + f.symbol + " pattern", "s " + f.symbol + " pattern ESCAPE character"},
			Description: f.description + " The escape character, if there is one, takes the meaning from the character after it.",
			Example:     f.example,
		})
	}
}

// likeText matches every row; a pattern is compiled once for as long as it stays the same.
func likeText(env *kernels.Env, args []*types.Vector, anyCase, negate bool) (*types.Vector, error) {
	s, patterns := textOf(env, args[0]), textOf(env, args[1])
	var escapes textColumn
	if len(args) == 3 {
		escapes = textOf(env, args[2])
	}
	n := args[0].Len()
	dst := env.Pool.ZeroBitmap(n)
	var (
		p        *pattern
		failure  *types.Error
		compiled []byte // what p was compiled from
		escaped  []byte
		lowered  []byte
	)
	valid, err := eachValid(env, n, validRows(env, args...), func(i int) (bool, *types.Error) {
		text, escape := patterns.at(i), []byte(nil)
		if len(args) == 3 {
			escape = escapes.at(i)
		}
		if p == nil && failure == nil || !bytes.Equal(text, compiled) || !bytes.Equal(escape, escaped) {
			compiled, escaped = text, escape
			p, failure = compilePattern(text, escape, anyCase)
		}
		if failure != nil {
			copied := *failure
			return false, &copied
		}
		subject := s.at(i)
		if anyCase {
			lowered = appendLower(lowered[:0], subject)
			subject = lowered
		}
		if p.matches(subject) != negate {
			dst.Set(i)
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return types.NewBool(dst, n, valid), nil
}

// pattern is a LIKE pattern cut at its percent signs: the first part must begin the text, the last one end it, those between
// follow each other anywhere. Without a percent sign the only part is the whole text.
type pattern struct {
	parts []part
}

// part is a piece of a pattern without %. Between the texts stands one character of any kind; most parts have one text.
type part [][]byte

// compilePattern reads a pattern; escape is empty or one character.
func compilePattern(text, escape []byte, anyCase bool) (*pattern, *types.Error) {
	if len(escape) > 0 && utf8.RuneCount(escape) != 1 {
		return nil, types.Errorf(types.CodeInvalidParameter, "the escape of LIKE is not one character")
	}
	p := &pattern{}
	current := part{nil}
	add := func(b ...byte) {
		last := len(current) - 1
		current[last] = append(current[last], b...)
	}
	for i := 0; i < len(text); i++ {
		switch {
		case len(escape) > 0 && bytes.HasPrefix(text[i:], escape):
			i += len(escape)
			if i == len(text) {
				return nil, types.Errorf(types.CodeInvalidParameter, "a pattern of LIKE ends with its escape character")
			}
			add(text[i])
		case text[i] == '%':
			p.parts = append(p.parts, current)
			current = part{nil}
		case text[i] == '_':
			current = append(current, nil)
		default:
			add(text[i])
		}
	}
	p.parts = append(p.parts, current)
	if anyCase {
		for _, part := range p.parts {
			for i, text := range part {
				part[i] = appendLower(nil, text)
			}
		}
	}
	return p, nil
}

func (p *pattern) matches(s []byte) bool {
	last := len(p.parts) - 1
	at := p.parts[0].matchAt(s, 0)
	if last == 0 || at < 0 {
		return at == len(s)
	}
	for _, part := range p.parts[1:last] {
		if at = part.find(s, at); at < 0 {
			return false
		}
	}
	start := p.parts[last].matchEnd(s)
	return start >= at
}

// matchAt gives the end of a match that starts at a place, or -1.
func (p part) matchAt(s []byte, at int) int {
	for i, text := range p {
		if i > 0 {
			if at == len(s) {
				return -1
			}
			_, size := utf8.DecodeRune(s[at:])
			at += size
		}
		if !bytes.HasPrefix(s[at:], text) {
			return -1
		}
		at += len(text)
	}
	return at
}

// find gives the end of the first match at or after a place, or -1.
func (p part) find(s []byte, at int) int {
	if len(p) == 1 {
		i := bytes.Index(s[at:], p[0])
		if i < 0 {
			return -1
		}
		return at + i + len(p[0])
	}
	for at <= len(s) {
		i := bytes.Index(s[at:], p[0])
		if i < 0 {
			return -1
		}
		at += i
		if end := p.matchAt(s, at); end >= 0 {
			return end
		}
		if at == len(s) {
			return -1
		}
		_, size := utf8.DecodeRune(s[at:])
		at += size
	}
	return -1
}

// matchEnd gives the start of the match that ends with the text, or -1.
func (p part) matchEnd(s []byte) int {
	end := len(s)
	for i := len(p) - 1; i >= 0; i-- {
		if !bytes.HasSuffix(s[:end], p[i]) {
			return -1
		}
		end -= len(p[i])
		if i > 0 {
			if end == 0 {
				return -1
			}
			_, size := utf8.DecodeLastRune(s[:end])
			end -= size
		}
	}
	return end
}

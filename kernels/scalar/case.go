package scalar

import (
	"unicode"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerCase(set *expr.Set) {
	for _, f := range []struct {
		name, alias, description, example string
		fold                              func(dst, s []byte) []byte
	}{
		{"lower", "lcase", "The text in small letters.", "lower('HÉllo') = héllo", appendLower},
		{"upper", "ucase", "The text in capital letters.", "upper('héllo') = HÉLLO", appendUpper},
	} {
		kernel := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			s := textOf(env, args[0])
			var scratch []byte
			return mapText(env, out, args, func(i int, b *kernels.ViewBuilder) {
				scratch = f.fold(scratch[:0], s.at(i))
				b.Append(scratch)
			}), nil
		}
		set.MustAdd(&expr.Family{
			Name: f.name, Aliases: []string{f.alias}, Bind: fixed(f.name, types.Varchar, expr.NullStrict, false, kernel, types.Varchar),
			Signatures: []string{f.name + "(s VARCHAR)"}, Description: f.description, Example: f.example,
		})
	}
}

// appendLower appends s with every letter replaced by its small form, one for one (Unicode's simple case mapping).
func appendLower(dst, s []byte) []byte {
	for i, c := range s {
		if c >= utf8.RuneSelf {
			return appendRunes(dst, s[i:], unicode.ToLower)
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func appendUpper(dst, s []byte) []byte {
	for i, c := range s {
		if c >= utf8.RuneSelf {
			return appendRunes(dst, s[i:], toUpper)
		}
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// toUpper is the simple mapping, and that of ß to ẞ, which the table lacks: DuckDB has it.
func toUpper(r rune) rune {
	if r == 'ß' {
		return 'ẞ'
	}
	return unicode.ToUpper(r)
}

func appendRunes(dst, s []byte, fold func(rune) rune) []byte {
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		if r == utf8.RuneError && size == 1 { // not UTF-8: keep the byte
			dst = append(dst, s[0])
		} else {
			dst = utf8.AppendRune(dst, fold(r))
		}
		s = s[size:]
	}
	return dst
}

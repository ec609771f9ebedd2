package scalar

import (
	"bytes"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerText(set *expr.Set) {
	registerCase(set)
	registerSlices(set)
	registerConcat(set)
	for _, f := range []struct {
		name        string
		aliases     []string
		count       func(s []byte) int64
		description string
		example     string
	}{
		{"length", []string{"len", "char_length", "character_length"}, countRunes, "The number of characters.", "length('héllo') = 5"},
		{"strlen", nil, func(s []byte) int64 { return int64(len(s)) }, "The number of bytes.", "strlen('héllo') = 6"},
		{"bit_length", nil, func(s []byte) int64 { return 8 * int64(len(s)) }, "The number of bits.", "bit_length('a') = 8"},
	} {
		kernel := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			s := textOf(env, args[0])
			return mapRows(env, out, args, func(i int) int64 { return f.count(s.at(i)) }), nil
		}
		set.MustAdd(&expr.Family{
			Name: f.name, Aliases: f.aliases, Bind: fixed(f.name, types.BigInt, expr.NullStrict, false, kernel, types.Varchar),
			Signatures: []string{f.name + "(s VARCHAR) -> BIGINT"}, Description: f.description, Example: f.example,
		})
	}
	length := set.Lookup("length")
	length.Bind = anyOf(length.Bind, func(args []expr.Arg) (*expr.Function, error) { return bindListLength("length", args) })
	length.Signatures = append(length.Signatures, "length(l LIST) -> BIGINT")
	length.Description = "The number of characters of a text, or of elements of a list."
	contains := textTest("contains", nil, bytes.Contains, "Whether a text has another in it, a list an element, or a map a key.", "contains('hello', 'ell') = true")
	contains.Bind = anyOf(contains.Bind, bindListContains)
	contains.Signatures = append(contains.Signatures, "contains(l LIST, x ANY) -> BOOLEAN", "contains(m MAP, key ANY) -> BOOLEAN")
	octets := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		s := textOf(env, args[0])
		return mapRows(env, out, args, func(i int) int64 { return int64(len(s.at(i))) }), nil
	}
	set.MustAdd(
		&expr.Family{
			Name: "octet_length", Bind: fixed("octet_length", types.BigInt, expr.NullStrict, false, octets, types.Blob),
			Signatures: []string{"octet_length(b BLOB) -> BIGINT"}, Description: "The number of bytes.", Example: "octet_length('ab'::BLOB) = 2",
		},
		textTest("starts_with", []string{"prefix"}, bytes.HasPrefix, "Whether a text begins with another.", "starts_with('hello', 'he') = true"),
		textTest("ends_with", []string{"suffix"}, bytes.HasSuffix, "Whether a text ends with another.", "ends_with('hello', 'lo') = true"),
		contains,
		&expr.Family{
			Name: "strpos", Aliases: []string{"instr", "position"},
			Bind:       fixed("strpos", types.BigInt, expr.NullStrict, false, findText, types.Varchar, types.Varchar),
			Signatures: []string{"strpos(s VARCHAR, part VARCHAR) -> BIGINT"}, Description: "The character, from 1, at which a part of a text first begins; 0 if nowhere.",
			Example: "strpos('hello', 'l') = 3",
		},
		&expr.Family{
			Name: "replace", Bind: fixed("replace", types.Varchar, expr.NullStrict, false, replaceText, types.Varchar, types.Varchar, types.Varchar),
			Signatures: []string{"replace(s VARCHAR, from VARCHAR, to VARCHAR)"}, Description: "The text with every occurrence of from replaced by to.",
			Example: "replace('hello', 'l', 'L') = heLLo",
		},
		&expr.Family{
			Name: "repeat", Bind: fixed("repeat", types.Varchar, expr.NullStrict, true, repeatText, types.Varchar, types.BigInt),
			Signatures: []string{"repeat(s VARCHAR, count BIGINT)"}, Description: "The text so many times in a row; empty for a negative count.",
			Example: "repeat('ab', 3) = ababab",
		},
		&expr.Family{
			Name: "reverse", Bind: fixed("reverse", types.Varchar, expr.NullStrict, false, reverseText, types.Varchar),
			Signatures: []string{"reverse(s VARCHAR)"}, Description: "The characters in reverse order.", Example: "reverse('abc') = cba",
		},
		&expr.Family{
			Name: "split_part", Bind: fixed("split_part", types.Varchar, expr.NullStrict, false, splitPart, types.Varchar, types.Varchar, types.BigInt),
			Signatures:  []string{"split_part(s VARCHAR, separator VARCHAR, index BIGINT)"},
			Description: "The part of that number, from 1, or from the end for a negative one, between separators; empty if there is none.",
			Example:     "split_part('a-b-c', '-', 2) = b",
		},
		padding("lpad", true, "The text filled up on the left, or cut on the right, to so many characters.", "lpad('7', 3, '0') = 007"),
		padding("rpad", false, "The text filled up, or cut, on the right to so many characters.", "rpad('7', 3, '.') = 7.."),
		&expr.Family{
			Name: "ascii", Aliases: []string{"unicode", "ord"},
			Bind: fixed("ascii", types.Integer, expr.NullStrict, false, func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
				s := textOf(env, args[0])
				return mapRows(env, out, args, func(i int) int32 {
					if len(s.at(i)) == 0 {
						return 0
					}
					r, _ := utf8.DecodeRune(s.at(i))
					return r
				}), nil
			}, types.Varchar),
			Signatures: []string{"ascii(s VARCHAR) -> INTEGER"}, Description: "The code point of the first character; 0 for the empty text.",
			Example: "ascii('A') = 65",
		},
		&expr.Family{
			Name: "chr", Bind: fixed("chr", types.Varchar, expr.NullStrict, true, charOf, types.Integer),
			Signatures: []string{"chr(code INTEGER)"}, Description: "The character of a code point.", Example: "chr(65) = A",
		},
	)
}

// countRunes counts the characters of UTF-8 text: the bytes that do not continue one.
func countRunes(s []byte) int64 {
	n := int64(0)
	for _, c := range s {
		if c&0xc0 != 0x80 {
			n++
		}
	}
	return n
}

// textTest makes a family of conditions on two texts.
func textTest(name string, aliases []string, test func(s, part []byte) bool, description, example string) *expr.Family {
	kernel := func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
		s, part := textOf(env, args[0]), textOf(env, args[1])
		return mapBools(env, args, func(i int) bool { return test(s.at(i), part.at(i)) }), nil
	}
	return &expr.Family{
		Name: name, Aliases: aliases, Bind: fixed(name, types.Boolean, expr.NullStrict, false, kernel, types.Varchar, types.Varchar),
		Signatures: []string{name + "(s VARCHAR, part VARCHAR) -> BOOLEAN"}, Description: description, Example: example,
	}
}

func findText(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	s, part := textOf(env, args[0]), textOf(env, args[1])
	return mapRows(env, out, args, func(i int) int64 {
		at := bytes.Index(s.at(i), part.at(i))
		if at < 0 {
			return 0
		}
		return countRunes(s.at(i)[:at]) + 1
	}), nil
}

func replaceText(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	s, from, to := textOf(env, args[0]), textOf(env, args[1]), textOf(env, args[2])
	return mapText(env, out, args, func(i int, b *kernels.ViewBuilder) {
		text, old, with := s.at(i), from.at(i), to.at(i)
		count := 0
		if len(old) > 0 {
			count = bytes.Count(text, old)
		}
		if count == 0 {
			b.Append(text)
			return
		}
		room := b.Reserve(len(text) + count*(len(with)-len(old)))
		dst := room[:0]
		for {
			at := bytes.Index(text, old)
			if at < 0 {
				break
			}
			dst = append(append(dst, text[:at]...), with...)
			text = text[at+len(old):]
		}
		b.AppendReserved(append(dst, text...))
	}), nil
}

// maxText is the longest text that functions make: lengths of views are 32-bit.
const maxText = 1 << 30

func tooLong() *types.Error {
	return types.Errorf(types.CodeProgramLimit, "text is longer than %d bytes", maxText)
}

func repeatText(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	s, count := textOf(env, args[0]), columnOf[int64](env, args[1])
	return tryText(env, out, args, func(i int, b *kernels.ViewBuilder) *types.Error {
		text, n := s.at(i), max(count.at(i), 0)
		if len(text) > 0 && n > int64(maxText/len(text)) {
			return tooLong()
		}
		dst := b.Reserve(len(text) * int(n))[:0]
		for range n {
			if len(text) == 0 {
				break
			}
			dst = append(dst, text...)
		}
		b.AppendReserved(dst)
		return nil
	})
}

// tryText is mapText for functions that fail on some values; f adds a row unless it gives an error.
func tryText(env *kernels.Env, out types.Type, args []*types.Vector, f func(i int, b *kernels.ViewBuilder) *types.Error) (*types.Vector, error) {
	n := args[0].Len()
	valid := validRows(env, args...)
	b := kernels.NewViewBuilder(env, out, n)
	row := 0
	skipTo := func(i int) {
		for ; row < i; row++ {
			b.AppendEmpty()
		}
	}
	valid, err := eachValid(env, n, valid, func(i int) (bool, *types.Error) {
		skipTo(i)
		row++
		if err := f(i, b); err != nil {
			b.AppendEmpty()
			return false, err
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	skipTo(n)
	return b.Finish(valid), nil
}

func reverseText(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	s := textOf(env, args[0])
	return mapText(env, out, args, func(i int, b *kernels.ViewBuilder) {
		text := s.at(i)
		dst := b.Reserve(len(text))
		at := len(text)
		for len(text) > 0 {
			_, size := utf8.DecodeRune(text)
			at -= size
			copy(dst[at:], text[:size])
			text = text[size:]
		}
		b.AppendReserved(dst)
	}), nil
}

func splitPart(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	s, separator, index := textOf(env, args[0]), textOf(env, args[1]), columnOf[int64](env, args[2])
	return mapText(env, out, args, func(i int, b *kernels.ViewBuilder) { b.Append(partOf(s.at(i), separator.at(i), index.at(i))) }), nil
}

// partOf gives a part of a text; an empty separator separates characters.
func partOf(text, separator []byte, index int64) []byte {
	count := int64(bytes.Count(text, separator)) + 1
	if len(separator) == 0 {
		count-- // Count gives one more than there are characters
		count--
	}
	if index < 0 {
		index += count + 1
	}
	if index < 1 || index > count {
		return nil
	}
	for ; ; index-- {
		end, skip := bytes.Index(text, separator), len(separator)
		if len(separator) == 0 {
			_, end = utf8.DecodeRune(text)
			skip = 0
		}
		switch {
		case index == 1 && end < 0:
			return text
		case index == 1:
			return text[:end]
		}
		text = text[end+skip:]
	}
}

// padding makes the family lpad or rpad.
func padding(name string, left bool, description, example string) *expr.Family {
	kernel := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		s, length, fill := textOf(env, args[0]), columnOf[int32](env, args[1]), textOf(env, args[2])
		var pad []byte
		return tryText(env, out, args, func(i int, b *kernels.ViewBuilder) *types.Error {
			text, filler := s.at(i), fill.at(i)
			missing := int64(length.at(i)) - countRunes(text)
			switch {
			case missing <= 0:
				from, to := runeRange(text, 0, max(int64(length.at(i)), 0))
				b.Append(text[from:to])
				return nil
			case len(filler) == 0:
				return types.Errorf(types.CodeInvalidParameter, "%s needs something to fill with", name)
			case missing > maxText/4:
				return tooLong()
			}
			pad = pad[:0]
			for rest := filler; missing > 0; missing-- {
				if len(rest) == 0 {
					rest = filler
				}
				_, size := utf8.DecodeRune(rest)
				pad, rest = append(pad, rest[:size]...), rest[size:]
			}
			dst := b.Reserve(len(pad) + len(text))[:0]
			if left {
				dst = append(append(dst, pad...), text...)
			} else {
				dst = append(append(dst, text...), pad...)
			}
			b.AppendReserved(dst)
			return nil
		})
	}
	return &expr.Family{
		Name: name, Bind: fixed(name, types.Varchar, expr.NullStrict, true, kernel, types.Varchar, types.Integer, types.Varchar),
		Signatures: []string{name + "(s VARCHAR, length INTEGER, fill VARCHAR)"}, Description: description, Example: example,
	}
}

func charOf(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	code := columnOf[int32](env, args[0])
	return tryText(env, out, args, func(i int, b *kernels.ViewBuilder) *types.Error {
		if r := code.at(i); !utf8.ValidRune(r) {
			return types.Errorf(types.CodeInvalidParameter, "%d is not the code point of a character", r)
		}
		var buf [utf8.UTFMax]byte
		b.Append(utf8.AppendRune(buf[:0], code.at(i)))
		return nil
	})
}

package scalar

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// This file splits texts, takes paths apart, and replaces characters.

func registerTextParts(set *expr.Set) {
	split := func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		s, separator, n := textOf(env, args[0]), textOf(env, args[1]), args[0].Len()
		l := newTextLists(env, &s, n)
		valid := validRows(env, args...)
		for i := valid.NextSet(0, n); i < n; i = valid.NextSet(i+1, n) {
			l.begin(i)
			splitText(s.at(i), separator.at(i), l.add)
		}
		return l.finish(out, valid), nil
	}
	list := types.ListOf(types.Varchar)
	set.MustAdd(
		&expr.Family{
			Name: "string_split", Aliases: []string{"str_split", "split", "string_to_array"}, Bind: fixed("string_split", list, expr.NullStrict, false, split, types.Varchar, types.Varchar),
			Signatures: []string{"string_split(s VARCHAR, separator VARCHAR) -> VARCHAR[]"}, Description: "The parts of a text between separators; its characters for the empty separator.",
			Example: "string_split('a,b,c', ',') = [a, b, c]",
		},
		&expr.Family{
			Name:       "translate",
			Bind:       fixed("translate", types.Varchar, expr.NullStrict, false, translateText, types.Varchar, types.Varchar, types.Varchar),
			Signatures: []string{"translate(s VARCHAR, from VARCHAR, to VARCHAR)"}, Description: "The text with each character of from replaced by the one at its place in to, or left out if there is none.",
			Example: "translate('hello', 'el', 'ip') = hippo",
		},
		&expr.Family{
			Name: "array_to_string", Aliases: []string{"list_to_string"}, Bind: bindJoin,
			Signatures: []string{"array_to_string(l LIST, separator VARCHAR)"}, Description: "The elements of a list that are not NULL as text, with a separator between.", Example: "array_to_string([1, NULL, 3], '-') = 1-3",
		},
		&expr.Family{
			Name: "strip_accents",
			Bind: fixed("strip_accents", types.Varchar, expr.NullStrict, false, func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
				s := textOf(env, args[0])
				var dst []byte
				return mapText(env, out, args, func(i int, b *kernels.ViewBuilder) {
					dst = appendUnaccented(dst[:0], s.at(i))
					b.Append(dst)
				}), nil
			}, types.Varchar),
			Signatures: []string{"strip_accents(s VARCHAR)"}, Description: "The text with Latin letters without their accents.", Example: "strip_accents('mühleisen é') = muhleisen e",
		},
		pathPart("parse_filename", "The last part of a path; with true without its extension.", "parse_filename('a/b/c.txt') = c.txt", func(path []byte, strip bool) (int, int) {
			from, to := bytes.LastIndexAny(path, `/\`)+1, len(path)
			if dot := bytes.LastIndexByte(path[from:], '.'); strip && dot > 0 {
				to = from + dot
			}
			return from, to
		}),
		pathPart("parse_dirname", "The first folder of a path.", "parse_dirname('a/b/c.txt') = a", func(path []byte, _ bool) (int, int) {
			return 0, rootOr(bytes.IndexAny(path, `/\`))
		}),
		pathPart("parse_dirpath", "A path without its last part.", "parse_dirpath('a/b/c.txt') = a/b", func(path []byte, _ bool) (int, int) {
			return 0, rootOr(bytes.LastIndexAny(path, `/\`))
		}),
		&expr.Family{
			Name: "bar",
			Bind: func(args []expr.Arg) (*expr.Function, error) {
				want := repeatType(types.Double, len(args))
				if len(args) == 3 || len(args) == 4 {
					return fixed("bar", types.Varchar, expr.NullStrict, true, drawBar, want...)(args)
				}
				return nil, nil
			},
			Signatures: []string{"bar(x DOUBLE, min DOUBLE, max DOUBLE, width DOUBLE)"}, Description: "A bar that is as long, in eighths of a character, as x is on the way from min to max; 80 characters wide unless given.",
			Example: "bar(5, 0, 10, 4) || '|' = ██  |",
		},
	)
}

// rootOr gives the end of a folder's name at a separator; that of the root is the separator itself.
func rootOr(separator int) int {
	if separator == 0 {
		return 1
	}
	return max(separator, 0)
}

// splitText calls add for the byte range of each part between separators.
func splitText(text, separator []byte, add func(from, to int)) {
	if len(separator) == 0 {
		for at := 0; at < len(text); {
			_, size := utf8.DecodeRune(text[at:])
			add(at, at+size)
			at += size
		}
		return
	}
	for from := 0; ; {
		at := bytes.Index(text[from:], separator)
		if at < 0 {
			add(from, len(text))
			return
		}
		add(from, from+at)
		from += at + len(separator)
	}
}

func translateText(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	s, from, to := textOf(env, args[0]), textOf(env, args[1]), textOf(env, args[2])
	var known string
	var table map[rune]rune
	var dst []byte
	return mapText(env, out, args, func(i int, b *kernels.ViewBuilder) {
		if key := string(from.at(i)) + "\x00" + string(to.at(i)); table == nil || key != known {
			known, table = key, map[rune]rune{}
			with := []rune(string(to.at(i)))
			for k, r := range []rune(string(from.at(i))) {
				if _, twice := table[r]; twice {
					continue
				}
				if table[r] = -1; k < len(with) {
					table[r] = with[k]
				}
			}
		}
		dst = dst[:0]
		for _, r := range string(s.at(i)) {
			if x, ok := table[r]; ok {
				r = x
			}
			if r >= 0 {
				dst = utf8.AppendRune(dst, r)
			}
		}
		b.Append(dst)
	}), nil
}

// bindJoin binds array_to_string(list, separator).
func bindJoin(args []expr.Arg) (*expr.Function, error) {
	if len(args) != 2 || !casts(args[1], types.Varchar) {
		return nil, nil
	}
	if _, ok := elementType(args[0].Type); !ok {
		return nil, nil
	}
	return &expr.Function{
		Name: "array_to_string", Args: []types.Type{types.ListOf(types.Varchar), types.Varchar}, Result: types.Varchar, CanFail: true,
		Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			list, separator := listOf(env, args[0]), textOf(env, args[1])
			texts, present := textOf(env, list.child), types.LogicalValidity(env.Pool, list.child)
			var dst []byte
			return tryText(env, out, args, func(i int, b *kernels.ViewBuilder) *types.Error {
				dst = dst[:0]
				offset, length := list.at(i)
				first := true
				for k := offset; k < offset+length; k++ {
					if !present.Has(k) {
						continue
					}
					if !first {
						dst = append(dst, separator.at(i)...)
					}
					first = false
					if dst = append(dst, texts.at(k)...); len(dst) > maxText {
						return tooLong()
					}
				}
				b.Append(dst)
				return nil
			})
		},
	}, nil
}

// pathPart makes a family that gives a part of a path.
func pathPart(name, description, example string, part func(path []byte, strip bool) (from, to int)) *expr.Family {
	kernel := func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
		var strip types.Bitmap
		if len(args) > 1 {
			strip = kernels.TrueRows(env, args[1])
		}
		return sliceText(env, args, func(i int, s []byte) (int, int) { return part(s, len(args) > 1 && strip.Has(i)) }), nil
	}
	f := &expr.Family{
		Name: name, Bind: fixed(name, types.Varchar, expr.NullStrict, false, kernel, types.Varchar),
		Signatures: []string{name + "(path VARCHAR)"}, Description: description, Example: example,
	}
	if name == "parse_filename" {
		f.Bind = anyOf(f.Bind, fixed(name, types.Varchar, expr.NullStrict, false, kernel, types.Varchar, types.Boolean))
		f.Signatures = append(f.Signatures, name+"(path VARCHAR, trim_extension BOOLEAN)")
	}
	return f
}

// accented gives, for each plain letter, the letters of Latin-1 and Latin Extended-A that are it with an accent.
var accented = func() map[rune]byte {
	table := map[rune]byte{}
	for plain, letters := range map[byte]string{
		'a': "àáâãäåāăąǎ", 'c': "çćĉċč", 'd': "ď", 'e': "èéêëēĕėęě", 'g': "ĝğġģǧ", 'h': "ĥ", 'i': "ìíîïĩīĭįǐ", 'j': "ĵ", 'k': "ķǩ", 'l': "ĺļľ", 'n': "ñńņňǹ",
		'o': "òóôõöōŏőǒơ", 'r': "ŕŗř", 's': "śŝşšș", 't': "ţťț", 'u': "ùúûüũūŭůűųǔư", 'w': "ŵ", 'y': "ýÿŷ", 'z': "źżž",
	} {
		for _, r := range letters {
			table[r] = plain
			if upper := unicode.ToUpper(r); upper != r {
				table[upper] = plain - 'a' + 'A'
			}
		}
	}
	table['İ'] = 'I'
	return table
}()

// appendUnaccented appends a text without accents, also those that follow their letter as characters of their own.
func appendUnaccented(dst, s []byte) []byte {
	for _, r := range string(s) {
		switch plain := accented[r]; {
		case plain != 0:
			dst = append(dst, plain)
		case r >= 0x300 && r <= 0x36f: // combining marks
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// eighths are the characters that fill so many eighths of their width from the left.
var eighths = [...]string{" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

func drawBar(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
	x, low, high := columnOf[float64](env, args[0]), columnOf[float64](env, args[1]), columnOf[float64](env, args[2])
	width := column[float64]{values: []float64{80}}
	if len(args) == 4 {
		width = columnOf[float64](env, args[3])
	}
	return tryText(env, out, args, func(i int, b *kernels.ViewBuilder) *types.Error {
		w := width.at(i)
		if !(w >= 1 && w <= 1000) {
			return types.Errorf(types.CodeInvalidParameter, "the width %v of a bar is not from 1 to 1000", w)
		}
		if span := high.at(i) - low.at(i); span-span != 0 {
			return types.Errorf(types.CodeInvalidParameter, "a bar needs finite bounds")
		}
		share := (x.at(i) - low.at(i)) / (high.at(i) - low.at(i))
		switch {
		case !(x.at(i) > low.at(i)):
			share = 0
		case x.at(i) >= high.at(i):
			share = 1
		}
		units := int(share * w * 8)
		cells := int(w)
		text := strings.Repeat("█", units/8)
		if drawn := units / 8; drawn < cells {
			text += eighths[units%8] + strings.Repeat(" ", cells-drawn-1)
		}
		b.Append([]byte(text))
		return nil
	})
}

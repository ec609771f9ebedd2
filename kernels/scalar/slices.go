package scalar

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// This file is the functions whose result is a part of their argument: substring, left, right, trim. The result shares the
// argument's bytes: only its views are new.

func registerSlices(set *expr.Set) {
	sub := func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
		start := columnOf[int64](env, args[1])
		length := column[int64]{values: []int64{math.MaxInt64}}
		if len(args) == 3 {
			length = columnOf[int64](env, args[2])
		}
		return sliceText(env, args, func(i int, s []byte) (int, int) { return substring(s, start.at(i), length.at(i)) }), nil
	}
	set.MustAdd(
		&expr.Family{
			Name: "substring", Aliases: []string{"substr"},
			Bind: anyOf(
				fixed("substring", types.Varchar, expr.NullStrict, false, sub, types.Varchar, types.BigInt, types.BigInt),
				fixed("substring", types.Varchar, expr.NullStrict, false, sub, types.Varchar, types.BigInt),
			),
			Signatures: []string{"substring(s VARCHAR, start BIGINT)", "substring(s VARCHAR, start BIGINT, length BIGINT)"},
			Description: "The characters from start on, counted from 1 or back from the end with -1; at most length, or with a negative " +
				"length those before start.",
			Example: "substring('hello', 2, 3) = ell",
		},
		sliceFamily("left", []types.Type{types.Varchar, types.BigInt}, func(env *kernels.Env, args []*types.Vector) func(int, []byte) (int, int) {
			count := columnOf[int64](env, args[1])
			return func(i int, s []byte) (int, int) {
				n := count.at(i)
				if n < 0 {
					n = max(countRunes(s)+n, 0)
				}
				return runeRange(s, 0, n)
			}
		}, []string{"left(s VARCHAR, count BIGINT)"}, "The first count characters; all but the last ones for a negative count.", "left('hello', 2) = he"),
		sliceFamily("right", []types.Type{types.Varchar, types.BigInt}, func(env *kernels.Env, args []*types.Vector) func(int, []byte) (int, int) {
			count := columnOf[int64](env, args[1])
			return func(i int, s []byte) (int, int) {
				length, n := countRunes(s), count.at(i)
				if n < 0 {
					n = max(length+n, 0)
				}
				return runeRange(s, max(length-n, 0), length)
			}
		}, []string{"right(s VARCHAR, count BIGINT)"}, "The last count characters; all but the first ones for a negative count.", "right('hello', 2) = lo"),
	)
	for _, f := range []struct {
		name        string
		left, right bool
		where       string
		example     string
	}{
		{"trim", true, true, "at both ends", "trim('  a ') = a"},
		{"ltrim", true, false, "at the beginning", "ltrim('xxa', 'x') = a"},
		{"rtrim", false, true, "at the end", "rtrim('axx', 'x') = a"},
	} {
		kernel := func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
			if len(args) == 1 {
				return sliceText(env, args, func(_ int, s []byte) (int, int) { return trimSpaces(s, f.left, f.right) }), nil
			}
			set := textOf(env, args[1])
			return sliceText(env, args, func(i int, s []byte) (int, int) { return trimRunes(s, set.at(i), f.left, f.right) }), nil
		}
		set.MustAdd(&expr.Family{
			Name: f.name,
			Bind: anyOf(
				fixed(f.name, types.Varchar, expr.NullStrict, false, kernel, types.Varchar),
				fixed(f.name, types.Varchar, expr.NullStrict, false, kernel, types.Varchar, types.Varchar),
			),
			Signatures:  []string{f.name + "(s VARCHAR)", f.name + "(s VARCHAR, characters VARCHAR)"},
			Description: "The text without blanks, or characters of a given set, " + f.where + ".",
			Example:     f.example,
		})
	}
}

func sliceFamily(name string, want []types.Type, prepare func(*kernels.Env, []*types.Vector) func(i int, s []byte) (from, to int), signatures []string, description, example string) *expr.Family {
	kernel := func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
		return sliceText(env, args, prepare(env, args)), nil
	}
	return &expr.Family{
		Name: name, Bind: fixed(name, types.Varchar, expr.NullStrict, false, kernel, want...),
		Signatures: signatures, Description: description, Example: example,
	}
}

// sliceText gives the bytes from to to of the first argument's text in every row in which no argument is null.
func sliceText(env *kernels.Env, args []*types.Vector, f func(i int, s []byte) (from, to int)) *types.Vector {
	n := args[0].Len()
	valid := validRows(env, args...)
	s := textOf(env, args[0])
	views := types.Alloc[types.View](env.Pool, n)
	for i := range views {
		if !valid.Has(i) {
			views[i] = types.View{}
			continue
		}
		text := s.at(i)
		from, to := f(i, text)
		old := s.views[i*s.step]
		if old.IsInline() {
			views[i] = types.InlineView(text[from:to])
		} else {
			views[i] = types.MakeView(text[from:to], old.Buffer(), old.Offset()+from)
		}
	}
	return types.NewViews(types.Varchar, views, s.buffers, valid)
}

// runeRange gives the bytes of the characters from to to (half open, from 0); past the end is the end.
func runeRange(s []byte, from, to int64) (start, end int) {
	if int64(len(s)) <= from {
		return len(s), len(s)
	}
	for at, count := 0, int64(0); ; count++ {
		if count == from {
			start = at
		}
		if count == to || at == len(s) {
			if count < from {
				start = at
			}
			return start, max(start, at)
		}
		if s[at] < utf8.RuneSelf {
			at++
		} else {
			_, size := utf8.DecodeRune(s[at:])
			at += size
		}
	}
}

// substring gives the byte range of SQL's substring. Positions count from 1; position 0 and those before the first character are
// places without one that take part of the length, as in DuckDB.
func substring(s []byte, start, length int64) (from, to int) {
	const far = math.MaxInt64 / 4
	start, length = min(max(start, -far), far), min(max(length, -far), far)
	first := start - 1
	if start < 0 {
		first = countRunes(s) + start
	}
	last := first + length
	if length < 0 {
		first, last = last, first
	}
	if last <= 0 {
		return 0, 0
	}
	return runeRange(s, max(first, 0), last)
}

// trimSpaces gives the range without blanks; other white space stays, as SQL says.
func trimSpaces(s []byte, left, right bool) (from, to int) {
	to = len(s)
	for left && from < to && s[from] == ' ' {
		from++
	}
	for right && to > from && s[to-1] == ' ' {
		to--
	}
	return from, to
}

// trimRunes gives the range without characters of a set.
func trimRunes(s, set []byte, left, right bool) (from, to int) {
	to = len(s)
	for left && from < to {
		_, size := utf8.DecodeRune(s[from:to])
		if !bytes.Contains(set, s[from:from+size]) {
			break
		}
		from += size
	}
	for right && to > from {
		_, size := utf8.DecodeLastRune(s[from:to])
		if !bytes.Contains(set, s[to-size:to]) {
			break
		}
		to -= size
	}
	return from, to
}

package scalar

import (
	"unicode/utf8"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerGlob(set *expr.Set) {
	set.MustAdd(&expr.Family{
		Name: "glob",
		Bind: fixed("glob", types.Boolean, expr.NullStrict, false, func(env *kernels.Env, _ types.Type, args []*types.Vector) (*types.Vector, error) {
			s, patterns := textOf(env, args[0]), textOf(env, args[1])
			return mapBools(env, args, func(i int) bool { return matchGlob(s.at(i), patterns.at(i)) }), nil
		}, types.Varchar, types.Varchar),
		Signatures:  []string{"s GLOB pattern"},
		Description: "Whether a text matches a pattern of file names: * stands for any text, ? for any character, [a-z] for one of a set, [!a-z] for one outside; \\ takes a meaning away.",
		Example:     "'report-7.csv' GLOB 'report-[0-9].*' = true",
	})
}

// matchGlob matches by going back to the last star when the rest fails: time is at most the product of the lengths.
func matchGlob(s, pattern []byte) bool {
	star, restart := -1, 0 // where to go on in pattern and s when something fails
	at, p := 0, 0
	for at < len(s) {
		if p < len(pattern) && pattern[p] == '*' {
			star, restart = p+1, at
			p++
			continue
		}
		if p < len(pattern) {
			if size, next, ok := matchGlobOne(s[at:], pattern, p); ok {
				at, p = at+size, next
				continue
			}
		}
		if star < 0 {
			return false
		}
		_, size := utf8.DecodeRune(s[restart:])
		restart += size
		at, p = restart, star
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// matchGlobOne matches the first character of s with what stands at p in the pattern, which is no star. It gives the character's size and where
// the pattern goes on.
func matchGlobOne(s, pattern []byte, p int) (size, next int, ok bool) {
	r, size := utf8.DecodeRune(s)
	switch pattern[p] {
	case '?':
		return size, p + 1, true
	case '[':
		return matchGlobSet(r, size, pattern, p+1)
	case '\\':
		if p+1 < len(pattern) {
			p++
		}
	}
	c, n := utf8.DecodeRune(pattern[p:])
	return size, p + n, c == r
}

// matchGlobSet matches a character with the set whose contents start at p. A set that does not end matches nothing.
func matchGlobSet(r rune, size int, pattern []byte, p int) (int, int, bool) {
	negated := p < len(pattern) && (pattern[p] == '!' || pattern[p] == '^')
	if negated {
		p++
	}
	found := false
	for first := true; p < len(pattern); first = false {
		if pattern[p] == ']' && !first {
			return size, p + 1, found != negated
		}
		low, n := utf8.DecodeRune(pattern[p:])
		p += n
		high := low
		if p+1 < len(pattern) && pattern[p] == '-' && pattern[p+1] != ']' {
			high, n = utf8.DecodeRune(pattern[p+1:])
			p += 1 + n
		}
		found = found || low <= r && r <= high
	}
	return 0, 0, false
}

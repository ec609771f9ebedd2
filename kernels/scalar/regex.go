package scalar

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// Regular expressions are those of Go's package regexp: the syntax of RE2, as in DuckDB, and linear time for every pattern.

func registerRegex(set *expr.Set) {
	options := "Options are i (any case), c (exact case), s (. matches a line's end too), m, n, p (it does not) and l (the pattern is plain text)."
	set.MustAdd(
		&expr.Family{
			Name: "regexp_matches", Bind: bindRegex("regexp_matches", types.Boolean, 0, false, matchRegex),
			Signatures:  []string{"regexp_matches(s VARCHAR, pattern VARCHAR) -> BOOLEAN", "regexp_matches(s VARCHAR, pattern VARCHAR, options VARCHAR) -> BOOLEAN"},
			Description: "Whether a part of the text matches a regular expression. " + options, Example: "regexp_matches('anabanana', '(an)+') = true",
		},
		&expr.Family{
			Name: "regexp_full_match", Bind: bindRegex("regexp_full_match", types.Boolean, 0, true, matchRegex),
			Signatures:  []string{"s ~ pattern", "regexp_full_match(s VARCHAR, pattern VARCHAR, options VARCHAR) -> BOOLEAN"},
			Description: "Whether the whole text matches a regular expression. " + options, Example: "'anabanana' ~ '(an)+' = false",
		},
		&expr.Family{
			Name: "similar_to", Bind: func(args []expr.Arg) (*expr.Function, error) {
				if len(args) == 3 {
					return nil, types.Errorf(types.CodeFeatureNotSupported, "SIMILAR TO with ESCAPE is not supported")
				}
				return bindRegex("similar_to", types.Boolean, 0, true, matchRegex)(args)
			},
			Signatures: []string{"s SIMILAR TO pattern"}, Description: "Whether the whole text matches a regular expression.", Example: "'abc' SIMILAR TO 'a.c' = true",
		},
		&expr.Family{
			Name: "regexp_replace", Bind: bindRegex("regexp_replace", types.Varchar, 1, false, replaceRegex),
			Signatures: []string{"regexp_replace(s VARCHAR, pattern VARCHAR, replacement VARCHAR)", "regexp_replace(s VARCHAR, pattern VARCHAR, replacement VARCHAR, options VARCHAR)"},
			Description: "The text with the first match replaced, or with option g every match. \\1 to \\9 in the replacement stand for what the groups matched, \\0 for all. " +
				options,
			Example: "regexp_replace('hello', '[lo]', '-', 'g') = he---",
		},
		&expr.Family{
			Name: "regexp_extract", Bind: bindRegexExtract,
			Signatures: []string{
				"regexp_extract(s VARCHAR, pattern VARCHAR)", "regexp_extract(s VARCHAR, pattern VARCHAR, group INTEGER, options VARCHAR)",
				"regexp_extract(s VARCHAR, pattern VARCHAR, names VARCHAR[], options VARCHAR) -> STRUCT",
			},
			Description: "What the first match is, or a group of it; the empty text if there is none. With a list of names a struct of the groups. " + options,
			Example:     "regexp_extract('2024-12-30', '(\\d+)-(\\d+)', 2) = 12",
		},
		&expr.Family{
			Name: "regexp_extract_all", Bind: bindRegexExtractAll,
			Signatures:  []string{"regexp_extract_all(s VARCHAR, pattern VARCHAR, group INTEGER, options VARCHAR) -> VARCHAR[]"},
			Description: "All matches, or a group of each. " + options, Example: "regexp_extract_all('a1b22', '\\d+') = [1, 22]",
		},
		&expr.Family{
			Name: "regexp_split_to_array", Aliases: []string{"string_split_regex", "str_split_regex"},
			Bind:        bindRegex("regexp_split_to_array", types.ListOf(types.Varchar), 0, false, splitRegex),
			Signatures:  []string{"regexp_split_to_array(s VARCHAR, pattern VARCHAR, options VARCHAR) -> VARCHAR[]"},
			Description: "The parts of the text between matches. " + options, Example: "regexp_split_to_array('a, b;c', '[,;] *') = [a, b, c]",
		},
		&expr.Family{
			Name: "regexp_escape",
			Bind: fixed("regexp_escape", types.Varchar, expr.NullStrict, false, func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
				s := textOf(env, args[0])
				return mapText(env, out, args, func(i int, b *kernels.ViewBuilder) { b.Append(escapeRegex(s.at(i))) }), nil
			}, types.Varchar),
			Signatures: []string{"regexp_escape(s VARCHAR)"}, Description: "The regular expression that matches just this text.", Example: "regexp_escape('a.b') = a\\.b",
		},
	)
}

// escapeRegex puts a backslash before all but letters, digits, _ and what is not ASCII.
func escapeRegex(s []byte) []byte {
	var dst []byte
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80) {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return dst
}

// regexOptions are the options of a regular expression as they are written.
type regexOptions struct {
	flags   string // of Go's syntax
	literal bool   // the pattern is plain text
	global  bool   // replace every match
}

func readRegexOptions(text string, global bool) (o regexOptions, err *types.Error) {
	for _, c := range text {
		switch {
		case c == 'i' && !strings.Contains(o.flags, "i"):
			o.flags += "i"
		case c == 'c':
			o.flags = strings.ReplaceAll(o.flags, "i", "")
		case c == 's' && !strings.Contains(o.flags, "s"):
			o.flags += "s"
		case c == 'm', c == 'n', c == 'p':
			o.flags = strings.ReplaceAll(o.flags, "s", "")
		case c == 'l':
			o.literal = true
		case c == 'g' && global:
			o.global = true
		case c == 'i', c == 's', c == ' ':
		default:
			return o, types.Errorf(types.CodeInvalidParameter, "%q is not an option of regular expressions here", c)
		}
	}
	return o, nil
}

// regex is a compiled pattern.
type regex struct {
	*regexp.Regexp
	// text is what the whole pattern matches when it is plain text: then a search of bytes does.
	text  []byte
	plain bool
	full  bool // must match the whole text
}

// compileRegex compiles a pattern; full makes it match whole texts only.
func compileRegex(pattern string, o regexOptions, full bool) (*regex, *types.Error) {
	if o.literal {
		pattern = regexp.QuoteMeta(pattern)
	}
	if o.flags != "" {
		pattern = "(?" + o.flags + ":" + pattern + ")"
	}
	compiled, err := regexp.Compile(pattern) // also so that a pattern cannot close the parenthesis below
	if err == nil && full {
		compiled, err = regexp.Compile(`\A(?:` + pattern + `)\z`)
	}
	if err != nil {
		return nil, types.Errorf(types.CodeInvalidParameter, "invalid regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	r := &regex{Regexp: compiled, full: full}
	if plain, err := regexp.Compile(pattern); err == nil {
		var text string
		text, r.plain = plain.LiteralPrefix()
		r.text = []byte(text)
	}
	return r, nil
}

func (r *regex) matches(s []byte) bool {
	switch {
	case !r.plain:
		return r.Match(s)
	case r.full:
		return bytes.Equal(s, r.text)
	}
	return bytes.Contains(s, r.text)
}

// regexKernel computes a function of a compiled pattern on rows; args are those of the call, and get gives the pattern of a row.
type regexKernel func(env *kernels.Env, out types.Type, args []*types.Vector, o regexOptions, get func(i int) (*regex, *types.Error)) (*types.Vector, error)

// bindRegex binds f(s, pattern [, extra VARCHAR ...] [, options]). A constant pattern is compiled here, once; others as long as rows repeat them.
func bindRegex(name string, result types.Type, extra int, full bool, kernel regexKernel) func([]expr.Arg) (*expr.Function, error) {
	return func(args []expr.Arg) (*expr.Function, error) {
		want := repeatType(types.Varchar, 2+extra)
		return bindRegexArgs(name, result, want, args, full, kernel)
	}
}

// bindRegexArgs is bindRegex for any types of the arguments before the options.
func bindRegexArgs(name string, result types.Type, want []types.Type, args []expr.Arg, full bool, kernel regexKernel) (*expr.Function, error) {
	var options regexOptions
	if len(args) == len(want)+1 {
		last := args[len(args)-1]
		if last.Type.Kind() != types.KindVarchar && last.Type.Kind() != types.KindNull {
			return nil, nil
		}
		if last.Constant == nil {
			return nil, types.Errorf(types.CodeFeatureNotSupported, "options of a regular expression that are no constant are not supported")
		}
		if !last.Constant.MayHaveNulls() {
			var err *types.Error
			if options, err = readRegexOptions(types.Text(last.Constant, 0), name == "regexp_replace"); err != nil {
				return nil, err
			}
		}
		want = append(append([]types.Type{}, want...), types.Varchar)
	}
	if len(args) != len(want) {
		return nil, nil
	}
	for i, a := range args {
		if !casts(a, want[i]) {
			return nil, nil
		}
	}
	f := &expr.Function{Name: name, Args: want, Result: result, CanFail: true}
	if p := args[1].Constant; p != nil && !p.MayHaveNulls() {
		compiled, failure := compileRegex(types.Text(p, 0), options, full)
		f.CanFail = failure != nil
		f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			return kernel(env, out, args, options, func(int) (*regex, *types.Error) {
				if failure != nil {
					copied := *failure
					return nil, &copied
				}
				return compiled, nil
			})
		}
		return f, nil
	}
	f.Kernel = func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
		patterns := textOf(env, args[1])
		var compiled *regex
		var source []byte
		return kernel(env, out, args, options, func(i int) (*regex, *types.Error) {
			if text := patterns.at(i); compiled == nil || !bytes.Equal(source, text) {
				source = append(source[:0], text...)
				var err *types.Error
				if compiled, err = compileRegex(string(text), options, full); err != nil {
					return nil, err
				}
			}
			return compiled, nil
		})
	}
	return f, nil
}

func matchRegex(env *kernels.Env, _ types.Type, args []*types.Vector, _ regexOptions, get func(int) (*regex, *types.Error)) (*types.Vector, error) {
	s, n := textOf(env, args[0]), args[0].Len()
	dst := env.Pool.ZeroBitmap(n)
	valid, err := eachValid(env, n, validRows(env, args...), func(i int) (bool, *types.Error) {
		r, err := get(i)
		if err != nil {
			return false, err
		}
		if r.matches(s.at(i)) {
			dst.Set(i)
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return types.NewBool(dst, n, valid), nil
}

func replaceRegex(env *kernels.Env, out types.Type, args []*types.Vector, o regexOptions, get func(int) (*regex, *types.Error)) (*types.Vector, error) {
	s, replacement := textOf(env, args[0]), textOf(env, args[2])
	limit := 1
	if o.global {
		limit = -1
	}
	var dst []byte
	return tryText(env, out, args, func(i int, b *kernels.ViewBuilder) *types.Error {
		r, err := get(i)
		if err != nil {
			return err
		}
		text, at := s.at(i), 0
		dst = dst[:0]
		for _, m := range r.FindAllSubmatchIndex(text, limit) {
			dst = append(dst, text[at:m[0]]...)
			dst = appendReplacement(dst, replacement.at(i), text, m)
			at = m[1]
			if len(dst) > maxText {
				return tooLong()
			}
		}
		b.Append(append(dst, text[at:]...))
		return nil
	})
}

// appendReplacement appends a replacement with \0 to \9 filled in from a match; a backslash before another character stands for that one.
func appendReplacement(dst, replacement, text []byte, match []int) []byte {
	for i := 0; i < len(replacement); i++ {
		c := replacement[i]
		if c != '\\' || i+1 == len(replacement) {
			dst = append(dst, c)
			continue
		}
		i++
		c = replacement[i]
		if c < '0' || c > '9' {
			dst = append(dst, c)
			continue
		}
		if group := int(c - '0'); 2*group < len(match) && match[2*group] >= 0 {
			dst = append(dst, text[match[2*group]:match[2*group+1]]...)
		}
	}
	return dst
}

// constantGroup reads the number of a group, 0 when there is no such argument.
func constantGroup(name string, args []expr.Arg) (int, error) {
	if len(args) < 3 || args[2].Type.Kind() == types.KindNull {
		return 0, nil
	}
	if args[2].Constant == nil {
		return 0, types.Errorf(types.CodeFeatureNotSupported, "%s with a group that is no constant is not supported", name)
	}
	v, err := kernels.Cast(nil, args[2].Constant, types.BigInt)
	if err != nil {
		return 0, err
	}
	group := types.ValuesOf[int64](v)[0]
	if group < 0 || group > 9 {
		return 0, types.Errorf(types.CodeInvalidParameter, "group %d is not from 0 to 9", group)
	}
	return int(group), nil
}

// groupTypes gives the argument types of a call with or without a group's number.
func groupTypes(args []expr.Arg) []types.Type {
	want := []types.Type{types.Varchar, types.Varchar}
	if len(args) > 2 {
		want = append(want, types.BigInt)
	}
	return want
}

func checkGroup(r *regex, group int) *types.Error {
	if group > r.NumSubexp() {
		return types.Errorf(types.CodeInvalidParameter, "the regular expression has %d groups, not %d", r.NumSubexp(), group)
	}
	return nil
}

func bindRegexExtract(args []expr.Arg) (*expr.Function, error) {
	if len(args) > 2 && isList(args[2].Type) {
		return bindRegexStruct(args)
	}
	group, err := constantGroup("regexp_extract", args)
	if err != nil {
		return nil, err
	}
	return bindRegexArgs("regexp_extract", types.Varchar, groupTypes(args), args, false,
		func(env *kernels.Env, _ types.Type, args []*types.Vector, _ regexOptions, get func(int) (*regex, *types.Error)) (*types.Vector, error) {
			s, n := textOf(env, args[0]), args[0].Len()
			ranges := make([][2]int, n)
			valid, err := eachValid(env, n, validRows(env, args...), func(i int) (bool, *types.Error) {
				r, err := get(i)
				if err != nil {
					return false, err
				}
				if m := r.FindSubmatchIndex(s.at(i)); 2*group < len(m) && m[2*group] >= 0 {
					ranges[i] = [2]int{m[2*group], m[2*group+1]}
				}
				return true, nil
			})
			if err != nil {
				return nil, err
			}
			return sliceText(env, args, func(i int, _ []byte) (int, int) { return ranges[i][0], ranges[i][1] }).WithValidity(valid), nil
		})
}

// bindRegexStruct binds regexp_extract with a constant list of names for the groups.
func bindRegexStruct(args []expr.Arg) (*expr.Function, error) {
	if args[2].Constant == nil || args[2].Constant.MayHaveNulls() {
		return nil, types.Errorf(types.CodeFeatureNotSupported, "regexp_extract with names that are no constants is not supported")
	}
	var fields []types.Field
	names := elementsOf(args[2].Constant)
	for i := range names.Len() {
		name := types.Text(names, i)
		if fieldIndex(fields, name) >= 0 {
			return nil, types.Errorf(types.CodeDuplicateColumn, "group %q is named twice", name)
		}
		fields = append(fields, types.Field{Name: name, Type: types.Varchar, Nullable: true})
	}
	if len(fields) == 0 {
		return nil, types.Errorf(types.CodeInvalidParameter, "regexp_extract needs a name for at least one group")
	}
	return bindRegexArgs("regexp_extract", types.StructOf(fields...), []types.Type{types.Varchar, types.Varchar, args[2].Type}, args, false,
		func(env *kernels.Env, out types.Type, args []*types.Vector, _ regexOptions, get func(int) (*regex, *types.Error)) (*types.Vector, error) {
			s, n := textOf(env, args[0]), args[0].Len()
			matches := make([][]int, n)
			valid, err := eachValid(env, n, validRows(env, args...), func(i int) (bool, *types.Error) {
				r, err := get(i)
				if err == nil {
					err = checkGroup(r, len(fields))
				}
				if err != nil {
					return false, err
				}
				matches[i] = r.FindSubmatchIndex(s.at(i))
				return true, nil
			})
			if err != nil {
				return nil, err
			}
			children := make([]*types.Vector, len(fields))
			for k := range children {
				at := 2 * (k + 1)
				children[k] = sliceText(env, args, func(i int, _ []byte) (int, int) {
					if m := matches[i]; m != nil && m[at] >= 0 {
						return m[at], m[at+1]
					}
					return 0, 0
				})
			}
			return types.NewStruct(out, n, children, valid), nil
		})
}

func bindRegexExtractAll(args []expr.Arg) (*expr.Function, error) {
	group, err := constantGroup("regexp_extract_all", args)
	if err != nil {
		return nil, err
	}
	return bindRegexArgs("regexp_extract_all", types.ListOf(types.Varchar), groupTypes(args), args, false,
		func(env *kernels.Env, out types.Type, args []*types.Vector, _ regexOptions, get func(int) (*regex, *types.Error)) (*types.Vector, error) {
			return regexLists(env, out, args, get, func(r *regex, text []byte, add func(from, to int)) *types.Error {
				if err := checkGroup(r, group); err != nil {
					return err
				}
				for _, m := range r.FindAllSubmatchIndex(text, -1) {
					add(max(m[2*group], 0), max(m[2*group+1], 0))
				}
				return nil
			})
		})
}

func splitRegex(env *kernels.Env, out types.Type, args []*types.Vector, _ regexOptions, get func(int) (*regex, *types.Error)) (*types.Vector, error) {
	return regexLists(env, out, args, get, func(r *regex, text []byte, add func(from, to int)) *types.Error {
		at := 0
		for _, m := range r.FindAllIndex(text, -1) {
			if m[1] == 0 || m[0] == m[1] && m[0] == len(text) {
				continue // an empty match at an end separates nothing
			}
			add(at, m[0])
			at = m[1]
		}
		add(at, len(text))
		return nil
	})
}

// regexLists makes lists of parts of the first argument's texts.
func regexLists(env *kernels.Env, out types.Type, args []*types.Vector, get func(int) (*regex, *types.Error), parts func(r *regex, text []byte, add func(from, to int)) *types.Error) (*types.Vector, error) {
	s, n := textOf(env, args[0]), args[0].Len()
	l := newTextLists(env, &s, n)
	valid, err := eachValid(env, n, validRows(env, args...), func(i int) (bool, *types.Error) {
		r, err := get(i)
		if err != nil {
			return false, err
		}
		l.begin(i)
		if err := parts(r, s.at(i), l.add); err != nil {
			return false, err
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return l.finish(out, valid), nil
}

// textLists makes a VARCHAR[] vector of parts of texts, whose bytes it shares.
type textLists struct {
	texts   *textColumn
	entries []types.ListEntry
	views   []types.View
	row     int
}

func newTextLists(env *kernels.Env, texts *textColumn, n int) *textLists {
	entries := types.Alloc[types.ListEntry](env.Pool, n)
	clear(entries)
	return &textLists{texts: texts, entries: entries}
}

// begin starts the list of row i.
func (l *textLists) begin(i int) {
	l.row = i
	l.entries[i].Offset = int64(len(l.views))
}

// add adds the bytes from to to (half open) of the row's text.
func (l *textLists) add(from, to int) {
	text := l.texts.at(l.row)
	view := types.InlineView(nil)
	if old := l.texts.views[l.row*l.texts.step]; old.IsInline() {
		view = types.InlineView(text[from:to])
	} else {
		view = types.MakeView(text[from:to], old.Buffer(), old.Offset()+from)
	}
	l.views = append(l.views, view)
	l.entries[l.row].Length++
}

func (l *textLists) finish(out types.Type, valid types.Bitmap) *types.Vector {
	return types.NewList(out, l.entries, types.NewViews(types.Varchar, l.views, l.texts.buffers, nil), valid)
}

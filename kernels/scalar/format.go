package scalar

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerPrintf(set *expr.Set) {
	for _, f := range []struct {
		name, description, example string
		read                       func(format string) ([]formatPart, *types.Error)
	}{
		{"printf", "The values written into a format as by C's printf: %d %s %x %o %c %f %e %g with flags, width and precision.", "printf('%d of %05.1f: %s', 3, 2.5, 'x') = 3 of 002.5: x", readPrintf},
		{"format", "The values written into the {} of a format, which may say {position:[[fill]align][sign][0][width][,][.precision][type]} as in Python.",
			"format('{} {1:>4} {0:.1f}', 2.25, 'x') = 2.25    x 2.2", readBraces},
	} {
		set.MustAdd(&expr.Family{
			Name:       f.name,
			Bind:       func(args []expr.Arg) (*expr.Function, error) { return bindPrintf(f.name, f.read, args) },
			Signatures: []string{f.name + "(format VARCHAR, x ANY, ...)"}, Description: f.description, Example: f.example,
		})
	}
}

// formatPart is a piece of a format: literal text, or, with arg >= 0, a value and how to write it.
type formatPart struct {
	text      string
	arg       int
	fill      rune
	align     byte // < > ^, or 0 for the type's own side
	plus      bool
	space     bool
	alternate bool
	zero      bool
	comma     byte // between thousands
	width     int
	precision int  // -1: none
	verb      byte // d s x X o b c f F e E g G, or 0 for the type's own
}

const maxFormatWidth = 1 << 16

func badFormat(format, why string) *types.Error {
	return types.Errorf(types.CodeInvalidParameter, "the format %q %s", format, why)
}

// readPrintf cuts a format of printf.
func readPrintf(format string) ([]formatPart, *types.Error) {
	var parts []formatPart
	next := 0
	for s := format; s != ""; {
		at := strings.IndexByte(s, '%')
		if at < 0 {
			return append(parts, formatPart{text: s, arg: -1}), nil
		}
		parts = append(parts, formatPart{text: s[:at], arg: -1})
		s = s[at+1:]
		if strings.HasPrefix(s, "%") {
			parts = append(parts, formatPart{text: "%", arg: -1})
			s = s[1:]
			continue
		}
		p := formatPart{arg: next, fill: ' ', align: '>', precision: -1}
		next++
		for s != "" && strings.IndexByte("-+ #0,'", s[0]) >= 0 {
			switch s[0] {
			case '-':
				p.align = '<'
			case '+':
				p.plus = true
			case ' ':
				p.space = true
			case '#':
				p.alternate = true
			case '0':
				p.zero = true
			default:
				p.comma = ','
			}
			s = s[1:]
		}
		var err *types.Error
		if s, err = p.sizes(format, s); err != nil {
			return nil, err
		}
		s = strings.TrimLeft(s, "hlLqjzt")
		if s == "" || strings.IndexByte("disxXocfFeEgGu", s[0]) < 0 {
			return nil, badFormat(format, "has a % without a known verb")
		}
		if p.verb = s[0]; p.verb == 'i' || p.verb == 'u' {
			p.verb = 'd'
		}
		p.zero = p.zero && p.align == '>'
		parts, s = append(parts, p), s[1:]
	}
	return parts, nil
}

// sizes reads width and .precision.
func (p *formatPart) sizes(format, s string) (string, *types.Error) {
	if x, rest, ok := digits(s, 6); ok {
		p.width, s = int(x), rest
	}
	if strings.HasPrefix(s, ".") {
		x, rest, _ := digits(s[1:], 6)
		p.precision, s = int(x), rest
	}
	if p.width > maxFormatWidth || p.precision > maxFormatWidth {
		return s, badFormat(format, "has a width that is too large")
	}
	return s, nil
}

// readBraces cuts a format of format.
func readBraces(format string) ([]formatPart, *types.Error) {
	var parts []formatPart
	next := 0
	for s := format; s != ""; {
		at := strings.IndexAny(s, "{}")
		if at < 0 {
			return append(parts, formatPart{text: s, arg: -1}), nil
		}
		parts = append(parts, formatPart{text: s[:at], arg: -1})
		brace := s[at]
		s = s[at+1:]
		if strings.HasPrefix(s, string(brace)) {
			parts = append(parts, formatPart{text: string(brace), arg: -1})
			s = s[1:]
			continue
		}
		end := strings.IndexByte(s, '}')
		if brace == '}' || end < 0 {
			return nil, badFormat(format, "has a brace without its partner")
		}
		p := formatPart{arg: next, fill: ' ', precision: -1}
		position, spec, _ := strings.Cut(s[:end], ":")
		if position == "" {
			next++
		} else if n, err := strconv.Atoi(position); err == nil && n >= 0 {
			p.arg = n
		} else {
			return nil, badFormat(format, "has a position that is no number")
		}
		if err := p.spec(format, spec); err != nil {
			return nil, err
		}
		parts, s = append(parts, p), s[end+1:]
	}
	return parts, nil
}

// spec reads what stands behind the colon.
func (p *formatPart) spec(format, s string) *types.Error {
	if r, n := utf8.DecodeRuneInString(s); n > 0 && n < len(s) && strings.IndexByte("<>^", s[n]) >= 0 {
		p.fill, p.align, s = r, s[n], s[n+1:]
	} else if s != "" && strings.IndexByte("<>^", s[0]) >= 0 {
		p.align, s = s[0], s[1:]
	}
	for s != "" && strings.IndexByte("+- #0", s[0]) >= 0 {
		switch s[0] {
		case '+':
			p.plus = true
		case ' ':
			p.space = true
		case '#':
			p.alternate = true
		case '0':
			p.zero = true
		}
		s = s[1:]
	}
	x, rest, ok := digits(s, 6)
	if ok {
		p.width, s = int(x), rest
	}
	switch {
	case strings.HasPrefix(s, ","), strings.HasPrefix(s, "_"), strings.HasPrefix(s, "'"):
		p.comma, s = s[0], s[1:]
	case strings.HasPrefix(s, "t") && len(s) > 1:
		p.comma, s = s[1], s[2:]
	}
	s, err := p.sizes(format, s)
	if err != nil {
		return err
	}
	if s != "" && strings.IndexByte("dsxXobcfFeEgGn", s[0]) >= 0 {
		p.verb, s = s[0], s[1:]
	}
	if s != "" {
		return badFormat(format, "has a field with something unknown: "+s)
	}
	p.zero = p.zero && p.align == 0
	return nil
}

// bindPrintf binds printf or format: numbers are written as BIGINT or DOUBLE, all else as text.
func bindPrintf(name string, read func(string) ([]formatPart, *types.Error), args []expr.Arg) (*expr.Function, error) {
	if len(args) == 0 || !casts(args[0], types.Varchar) {
		return nil, nil
	}
	want := []types.Type{types.Varchar}
	for _, a := range args[1:] {
		switch {
		case a.Type.Kind() == types.KindHugeInt, a.Type.Kind() == types.KindUBigInt:
			want = append(want, types.HugeInt)
		case a.Type.IsInteger():
			want = append(want, types.BigInt)
		case a.Type.IsNumeric():
			want = append(want, types.Double)
		default:
			want = append(want, types.Varchar)
		}
	}
	var constant []formatPart
	if c := args[0].Constant; c != nil && !c.MayHaveNulls() {
		var err *types.Error
		if constant, err = read(types.Text(c, 0)); err != nil {
			return nil, err
		}
	}
	return &expr.Function{
		Name: name, Args: want, Result: types.Varchar, CanFail: true,
		Kernel: func(env *kernels.Env, out types.Type, args []*types.Vector) (*types.Vector, error) {
			formats := textOf(env, args[0])
			plain := make([]*types.Vector, len(args))
			for k, v := range args {
				plain[k] = v
				if v.Encoding() != types.Constant {
					plain[k] = kernels.Decode(env, v)
				}
			}
			parts := constant
			var source []byte
			var dst []byte
			return tryText(env, out, args, func(i int, b *kernels.ViewBuilder) *types.Error {
				if text := formats.at(i); constant == nil && (source == nil || !bytes.Equal(source, text)) {
					var err *types.Error
					if parts, err = read(string(text)); err != nil {
						return err
					}
					source = append(source[:0], text...)
				}
				dst = dst[:0]
				for k := range parts {
					p := &parts[k]
					if p.arg < 0 {
						dst = append(dst, p.text...)
						continue
					}
					if p.arg+1 >= len(plain) {
						return types.Errorf(types.CodeInvalidParameter, "the format asks for value %d, but there are %d", p.arg+1, len(plain)-1)
					}
					var err *types.Error
					if dst, err = p.append(dst, plain[p.arg+1], i); err != nil {
						return err
					}
				}
				b.Append(dst)
				return nil
			})
		},
	}, nil
}

// append writes row i of a value that is not null.
func (p *formatPart) append(dst []byte, v *types.Vector, i int) ([]byte, *types.Error) {
	if v.Encoding() == types.Constant {
		i = 0
	}
	wrong := func() *types.Error {
		return types.Errorf(types.CodeDatatypeMismatch, "the format %c does not write a %s", p.verb, v.Type())
	}
	switch v.Type().Kind() {
	case types.KindVarchar:
		if p.verb != 0 && p.verb != 's' {
			return nil, wrong()
		}
		text := types.ValuesOf[types.View](v)[i].Bytes(v.DataBuffers())
		if p.precision >= 0 {
			from, to := runeRange(text, 0, int64(p.precision))
			text = text[from:to]
		}
		return p.pad(dst, nil, text, '<'), nil
	case types.KindDouble:
		x := types.ValuesOf[float64](v)[i]
		verb, precision := p.verb, p.precision
		switch verb {
		case 0, 's':
			if verb = 'g'; precision < 0 {
				return p.number(dst, types.AppendText(nil, v, i)), nil
			}
		case 'f', 'F', 'e', 'E', 'g', 'G':
			if precision < 0 {
				precision = 6
			}
			if verb == 'F' {
				verb = 'f'
			}
		default:
			return nil, wrong()
		}
		return p.number(dst, strconv.AppendFloat(nil, x, verb, precision, 64)), nil
	}
	base := map[byte]int{'x': 16, 'X': 16, 'o': 8, 'b': 2}[p.verb]
	switch p.verb {
	case 'c':
		if v.Type().Kind() != types.KindBigInt {
			return nil, wrong()
		}
		return p.pad(dst, nil, utf8.AppendRune(nil, rune(types.ValuesOf[int64](v)[i])), '<'), nil
	case 'f', 'F', 'e', 'E', 'g', 'G':
		double, err := kernels.Cast(nil, v.Slice(nil, i, i+1), types.Double)
		if err != nil {
			return nil, wrong()
		}
		return p.append(dst, kernels.Decode(nil, double), 0)
	}
	if base == 0 {
		return p.number(dst, types.AppendText(nil, v, i)), nil
	}
	text := []byte(integerText(v, i, base))
	if p.verb == 'X' {
		text = appendUpper(nil, text)
	}
	return p.number(dst, text), nil
}

func integerText(v *types.Vector, i, base int) string {
	if v.Type().Kind() == types.KindBigInt {
		return strconv.FormatInt(types.ValuesOf[int64](v)[i], base)
	}
	return wideInteger(types.ValuesOf[types.Int128](v)[i]).Text(base)
}

// number writes digits with sign, thousands and zeros.
func (p *formatPart) number(dst, text []byte) []byte {
	var sign []byte
	switch {
	case len(text) > 0 && text[0] == '-':
		sign, text = text[:1], text[1:]
	case p.plus:
		sign = []byte{'+'}
	case p.space:
		sign = []byte{' '}
	}
	if p.comma != 0 {
		whole := 0
		for whole < len(text) && text[whole] >= '0' && text[whole] <= '9' {
			whole++
		}
		var grouped []byte
		for i := range whole {
			if i > 0 && (whole-i)%3 == 0 {
				grouped = append(grouped, p.comma)
			}
			grouped = append(grouped, text[i])
		}
		text = append(grouped, text[whole:]...)
	}
	return p.pad(dst, sign, text, '>')
}

// pad fills up to the width: zeros stand behind the sign, other characters around it.
func (p *formatPart) pad(dst, sign, text []byte, own byte) []byte {
	missing := p.width - len(sign) - utf8.RuneCount(text)
	fill := func(n int, r rune) {
		for range n {
			dst = utf8.AppendRune(dst, r)
		}
	}
	align := p.align
	if align == 0 {
		align = own
	}
	if p.zero && own == '>' {
		dst = append(dst, sign...)
		fill(missing, '0')
		return append(dst, text...)
	}
	missing = max(missing, 0)
	before := map[byte]int{'<': 0, '>': missing, '^': missing / 2}[align]
	fill(before, p.fill)
	dst = append(append(dst, sign...), text...)
	fill(missing-before, p.fill)
	return dst
}

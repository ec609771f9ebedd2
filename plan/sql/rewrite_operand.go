package sql

import (
	"strconv"
	"strings"

	"github.com/lacunadb/lacuna/types"
)

// startsOperand says whether an operand can start at a token.
func (r *rewriter) startsOperand(token int) bool {
	t := &r.toks[min(token, len(r.toks)-1)]
	switch t.kind {
	case tokenEnd:
		return false
	case tokenWord:
		return !reserved[t.word] || isOneOf(t.word, []string{"null", "true", "false", "case", "cast", "array", "not"})
	case tokenSymbol:
		return isOneOf(t.word, []string{"(", "[", "{", "+", "-", "~", "@", "!", ":"})
	}
	return true
}

// starOrExpr reads an item of a select list or an argument: an expression, * or *COLUMNS(...).
func (r *rewriter) starOrExpr() {
	if !r.is("*") {
		r.expr()
		return
	}
	first := r.pos
	r.pos++
	if r.is("columns") && r.peek(1).word == "(" {
		n := &Unpack{}
		c := r.open(first, n)
		c.arg(into(&n.Operand), r.primary)
		c.close()
		return
	}
	r.star(first, nil)
}

// star reads what may follow * and t.*, the star itself having been read.
func (r *rewriter) star(first int, qualifier []Ident) {
	s := &Star{Qualifier: qualifier}
	c := r.open(first, s)
	for {
		switch {
		case (r.is("exclude") || r.is("except") && r.peek(1).word == "(") && s.Exclude == nil:
			r.pos++
			r.starItems(func() { s.Exclude = append(s.Exclude, r.columnName()) })
		case r.is("replace") && s.Replace == nil:
			r.pos++
			r.starItems(func() {
				start, i := r.pos, len(s.Replace)
				s.Replace = append(s.Replace, StarReplace{})
				c.arg(func(e Expr) { s.Replace[i].Expr = e }, r.expr)
				r.accept("as")
				s.Replace[i].Name = r.label()
				s.Replace[i].Span = r.spanFrom(start)
			})
		case r.is("rename") && s.Rename == nil:
			r.pos++
			r.starItems(func() {
				start := r.pos
				column := r.columnName()
				r.expect("as")
				name := r.label()
				s.Rename = append(s.Rename, StarRename{r.spanFrom(start), column, name})
			})
		case r.is("like", "ilike", "glob", "similar", "not"):
			r.notSupported(r.pos, "* with a name pattern")
			r.hint("Use COLUMNS('regular expression').")
		default:
			c.close()
			return
		}
	}
}

// starItems reads (item, ...) or one item.
func (r *rewriter) starItems(item func()) {
	if !r.accept("(") {
		item()
		return
	}
	for {
		item()
		if !r.accept(",") {
			break
		}
	}
	r.expect(")")
}

// columnName reads a dotted name as a Column of its own, outside the text for the parser.
func (r *rewriter) columnName() *Column {
	first := r.pos
	parts := []Ident{r.name()}
	for r.accept(".") {
		parts = append(parts, r.label())
	}
	return &Column{r.spanFrom(first), parts}
}

// primary reads an expression without operators.
func (r *rewriter) primary() {
	first := r.pos
	switch t := r.tok(); t.kind {
	case tokenString:
		r.emit("'"+strings.ReplaceAll(t.text, "'", "''")+"'", r.pos)
		r.pos++
	case tokenInteger, tokenDecimal, tokenFloat:
		r.emit(t.text, r.pos)
		r.pos++
	case tokenBlob, tokenBit:
		kind, text := BlobLiteral, t.text
		if t.kind == tokenBit {
			kind = BitLiteral
		}
		r.pos++
		r.leaf(first, &Literal{Kind: kind, Text: text})
	case tokenParam:
		r.parameter(first, t.text)
	case tokenQuoted:
		r.nameOrCall()
	case tokenWord:
		r.word()
	case tokenSymbol:
		r.punctuation()
	default:
		r.syntaxError(r.pos)
	}
}

// parameter reads the last token of a parameter with a name, a number, or, if text is empty, the next number.
func (r *rewriter) parameter(first int, text string) {
	p := &Parameter{}
	switch {
	case text == "":
		r.params++
		p.Number = r.params
	case isDigit(text[0]):
		n, err := strconv.Atoi(text)
		if err != nil || n == 0 || n > maxParameter {
			r.failAt(types.CodeUndefinedParameter, first, "there is no parameter %s", excerpt(text))
			return
		}
		p.Number = n
	default:
		p.Name = text
	}
	r.parameters = append(r.parameters, p.key())
	r.pos++
	r.leaf(first, p)
}

// key gives the name of a parameter, or its number as text.
func (p *Parameter) key() string {
	if p.Name != "" {
		return p.Name
	}
	return strconv.Itoa(p.Number)
}

// maxParameter is the highest number of a parameter.
const maxParameter = 65535

// punctuation reads a primary expression that starts with a symbol.
func (r *rewriter) punctuation() {
	first := r.pos
	switch r.tok().word {
	case "(":
		r.parenthesis()
	case "[":
		r.pos++
		r.listItems(first)
	case "{":
		r.structFields(first)
	case ":":
		// :name and :1, written without a blank.
		next := r.peek(1)
		if next.kind != tokenWord && next.kind != tokenInteger || next.start != r.tok().end {
			r.syntaxError(r.pos)
			return
		}
		r.pos++
		r.parameter(first, next.text)
	default:
		r.syntaxError(r.pos)
	}
}

// parenthesis reads a subquery, an expression in parentheses, or a row.
func (r *rewriter) parenthesis() {
	first, piece := r.pos, len(r.out.pieces)
	if r.tok().query {
		r.subquery()
		return
	}
	r.copy()
	r.expr()
	if !r.is(",") {
		r.expectCopy(")")
		return
	}
	// A row after all: turn the parenthesis into a carrier.
	row := &Row{}
	name, number := r.carrier(mark{first: first, node: row, slots: []func(Expr){onto(&row.Items)}})
	r.out.pieces[piece].text = name + "("
	c := &construct{r, number, 1}
	for r.accept(",") {
		c.arg(onto(&row.Items), r.expr)
	}
	r.expect(")")
	c.close()
}

// word reads a primary expression that starts with an unquoted word.
func (r *rewriter) word() {
	t, next := r.tok(), r.peek(1)
	first := r.pos
	switch t.word {
	case "null", "true", "false":
		r.emit(t.word, first)
		r.pos++
		return
	case "case":
		r.caseExpr()
		return
	case "end":
		if r.inCase {
			r.syntaxError(r.pos)
			return
		}
	case "interval":
		if r.interval() {
			return
		}
	case "array":
		switch {
		case next.word == "[":
			r.pos += 2
			r.listItems(first)
			return
		case next.query:
			n := &ArrayQuery{}
			c := r.open(first, n)
			r.pos++
			c.arg(intoQuery(&n.Query), r.subquery)
			c.close()
			return
		case next.word == "(":
			r.pos++
			r.call(first, ObjectName{r.span(first, first), []Ident{r.identAt(first)}})
			return
		}
	case "map":
		if next.word == "{" {
			r.mapEntries()
			return
		}
	case "lambda":
		if (next.kind == tokenWord || next.kind == tokenQuoted) && isOneOf(r.peek(2).word, []string{":", ","}) {
			r.pos++
			r.lambda(first)
			return
		}
	case "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_user", "session_user",
		"current_catalog", "current_schema", "current_role":
		if next.word != "(" && next.word != "." {
			x := &Call{Bare: true, Name: ObjectName{r.span(first, first), []Ident{r.identAt(first)}}}
			r.pos++
			r.leaf(first, x)
			return
		}
	}
	if next.word == "(" && r.specialCall(t.word) {
		return
	}
	if r.typedLiteral() {
		return
	}
	if reserved[t.word] {
		r.syntaxError(r.pos)
		if next.word == "(" && t.word == "select" {
			r.hint("A subquery stands in parentheses.")
		}
		return
	}
	r.nameOrCall()
}

// nameOrCall reads a dotted name: a column, a function with its arguments, or t.*.
func (r *rewriter) nameOrCall() {
	first := r.pos
	r.pos++
	for r.is(".") {
		if k := r.peek(1).kind; k != tokenWord && k != tokenQuoted {
			break
		}
		r.pos += 2
	}
	last := r.pos - 1
	parts := func() []Ident {
		list := make([]Ident, 0, (last-first)/2+1)
		for i := first; i <= last; i += 2 {
			list = append(list, r.identAt(i))
		}
		return list
	}
	switch {
	case r.is("("):
		r.call(first, ObjectName{r.span(first, last), parts()})
	case r.sees(".", "*"):
		r.pos += 2
		r.star(first, parts())
	default:
		name := r.toks[last].text
		if strings.IndexByte(name, '`') >= 0 {
			name = strings.ReplaceAll(name, "`", "``")
		}
		text := "`" + name + "\x00" + strconv.FormatInt(int64(first), 36)
		if last > first {
			text += "\x00" + strconv.FormatInt(int64(last), 36)
		}
		r.emit(text+"`", first)
	}
}

// caseExpr reads CASE ... END.
func (r *rewriter) caseExpr() {
	first := r.pos
	n := &Case{}
	c := r.open(first, n)
	saved := r.inCase
	r.inCase = true
	part := func() { r.sequence(levelLogical) }
	r.pos++
	if !r.is("when") {
		c.arg(into(&n.Operand), part)
	}
	for r.is("when") {
		start, i := r.pos, len(n.Whens)
		n.Whens = append(n.Whens, When{})
		r.pos++
		c.arg(func(e Expr) { n.Whens[i].Condition = e }, part)
		r.expect("then")
		c.arg(func(e Expr) { n.Whens[i].Result = e }, part)
		n.Whens[i].Span = r.spanFrom(start)
	}
	if len(n.Whens) == 0 {
		r.syntaxError(r.pos)
	}
	if r.accept("else") {
		c.arg(into(&n.Else), part)
	}
	r.expect("end")
	c.close()
	r.inCase = saved
}

// intervalUnits gives the unit that a word names.
var intervalUnits = func() map[string]string {
	units := map[string]string{"centuries": "CENTURY", "millennia": "MILLENNIUM", "millenniums": "MILLENNIUM"}
	for _, u := range strings.Fields("year quarter month week day hour minute second millisecond microsecond decade century millennium") {
		units[u], units[u+"s"] = upper(u), upper(u)
	}
	return units
}()

// intervalUnit reads [unit [TO unit]], with an optional precision of seconds.
func (r *rewriter) intervalUnit() string {
	unit, ok := intervalUnits[r.tok().word]
	if !ok {
		return ""
	}
	r.pos++
	if r.is("to") && intervalUnits[r.peek(1).word] != "" {
		unit += " TO " + intervalUnits[r.peek(1).word]
		r.pos += 2
	}
	return unit
}

// interval reads INTERVAL value unit, if it is one: interval may also be a name.
func (r *rewriter) interval() bool {
	first := r.pos
	next := r.peek(1)
	end := r.pos + 2 // the token behind the value
	switch next.kind {
	case tokenString:
	case tokenInteger, tokenDecimal, tokenFloat, tokenParam:
		if intervalUnits[r.peek(2).word] == "" {
			return false
		}
	case tokenWord, tokenQuoted:
		for r.toks[min(end, len(r.toks)-1)].word == "." {
			end += 2
		}
		if reserved[next.word] || intervalUnits[r.toks[min(end, len(r.toks)-1)].word] == "" {
			return false
		}
	case tokenSymbol:
		if next.word == "-" && r.peek(2).kind == tokenInteger && intervalUnits[r.peek(3).word] != "" {
			break
		}
		if next.word != "(" || intervalUnits[r.toks[min(next.match+1, len(r.toks)-1)].word] == "" {
			return false
		}
	default:
		return false
	}
	n := &Interval{}
	c := r.open(first, n)
	r.pos++
	c.arg(into(&n.Value), func() {
		for r.is("-") {
			r.copy()
		}
		r.primary()
	})
	n.Unit = r.intervalUnit()
	c.close()
	return true
}

// typedLiteral reads a type name with a string behind it: DATE '2020-01-01'.
func (r *rewriter) typedLiteral() bool {
	first, i := r.pos, r.pos+1
	word := r.tok().word
	if !literalTypes[word] {
		return false
	}
	at := func(n int) *token { return &r.toks[min(n, len(r.toks)-1)] }
	if at(i).word == "(" {
		i = at(i).match + 1
	}
	switch {
	case (word == "timestamp" || word == "time") && isOneOf(at(i).word, []string{"with", "without"}) &&
		at(i+1).word == "time" && at(i+2).word == "zone":
		i += 3
	case word == "double" && at(i).word == "precision", isOneOf(word, []string{"character", "char", "bit"}) && at(i).word == "varying":
		i++
	}
	if at(i).kind != tokenString {
		return false
	}
	x := &Cast{Literal: true}
	c := r.open(first, x)
	x.Type = r.typeName()
	c.arg(into(&x.Operand), r.primary)
	c.close()
	return true
}

// literalTypes are the type names that may stand before a string. Others are columns with a string as alias.
var literalTypes = wordSet(`bigint binary bit blob bool boolean bpchar bytea char character date datetime dec decimal double
	float float4 float8 hugeint inet int int1 int2 int4 int8 integer json jsonb long numeric real short smallint string text
	time timestamp timestamp_ms timestamp_ns timestamp_s timestamp_us timestamptz timetz tinyint ubigint uhugeint uint16 uint32
	uint64 uint8 uinteger usmallint utinyint uuid varbinary varchar`)

// listItems reads what follows "[" : a list literal or a list comprehension.
func (r *rewriter) listItems(first int) {
	list := &List{}
	c := r.open(first, list)
	for !r.is("]") && r.err == nil {
		c.arg(onto(&list.Items), r.expr)
		if c.args == 1 && r.accept("for") {
			n := &ListComprehension{Params: []Ident{r.name()}}
			c.become(n, into(&n.Result))
			for r.accept(",") {
				n.Params = append(n.Params, r.name())
			}
			r.expect("in")
			c.arg(into(&n.Source), r.expr)
			if r.accept("if") {
				c.arg(into(&n.Condition), r.expr)
			}
			break
		}
		if !r.accept(",") {
			break
		}
	}
	r.expect("]")
	c.close()
}

// structFields reads {name: value, ...}.
func (r *rewriter) structFields(first int) {
	s := &Struct{}
	c := r.open(first, s)
	r.pos++
	for r.err == nil {
		start, i := r.pos, len(s.Fields)
		f := StructField{}
		switch r.tok().kind {
		case tokenString:
			r.pos++
			f.Name = r.stringName(start)
		default:
			f.Name = r.label()
		}
		s.Fields = append(s.Fields, f)
		r.expect(":")
		c.arg(func(e Expr) { s.Fields[i].Value = e }, r.expr)
		s.Fields[i].Span = r.spanFrom(start)
		if !r.accept(",") {
			break
		}
	}
	r.expect("}")
	c.close()
}

// mapEntries reads MAP {key: value, ...}.
func (r *rewriter) mapEntries() {
	first := r.pos
	m := &Map{}
	c := r.open(first, m)
	r.pos += 2
	for !r.is("}") && r.err == nil {
		start, i := r.pos, len(m.Entries)
		m.Entries = append(m.Entries, MapEntry{})
		c.arg(func(e Expr) { m.Entries[i].Key = e }, r.expr)
		r.expect(":")
		c.arg(func(e Expr) { m.Entries[i].Value = e }, r.expr)
		m.Entries[i].Span = r.spanFrom(start)
		if !r.accept(",") {
			break
		}
	}
	r.expect("}")
	c.close()
}

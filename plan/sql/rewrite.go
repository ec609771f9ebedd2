package sql

import (
	"strconv"
	"strings"

	"github.com/lacunadb/lacuna/types"
)

// The rewriter turns one query of our dialect into SQL that the TiDB parser takes, and that gives back what was meant.
//
// It walks over the tokens by recursive descent and knows the shape of a query: its clauses, where an operand starts and
// ends, which name is an alias. It does not know precedence; the grammar below does. What the grammar has, stays: SELECT,
// FROM, WHERE, LEFT JOIN, UNION ALL, comparison and arithmetic, AND, OR, NOT, BETWEEN, IN. What it lacks, or reads in
// MySQL's way, becomes a *carrier*: a name that no user can write, because it starts with NUL, followed by the number of a
// mark. A mark says which tokens the construct spans and how to build its node from the arguments that the parser found.
//
//	x::int                  `\0k` (x)                      mark k builds a Cast to int
//	a || b + 1              a << `\0k` << b + 1            all "other" operators share one level, as in PostgreSQL
//	x IS NOT NULL           x <=> `\0k`                    comparison level
//	x LIKE y ESCAPE z       x REGEXP `\0k` (y, z)
//	sum(x) OVER (...)       `\0k` (x, ...)                 every call is one, so no name is special
//	a FULL JOIN b USING (i) a LEFT JOIN b ON `\0k` ()      every join is one
//	ORDER BY x LIMIT 10     ORDER BY `\0k` (x, 10)
//	FROM f(x) AS t          (SELECT ..., `\0f` (x)) AS `\0t`
//	"Name"                  `Name\0i`                      i is the number of the token: place and quoting
//
// A construct is written into a rope as it is read; a postfix operator adds its carrier in front of the operand it turns
// out to belong to. Nothing is copied twice, so the work is linear in the length of the text.
type rewriter struct {
	text       string
	toks       []token // one statement, tokenEnd last
	pos        int     // the token to read next
	out        *rope
	marks      []mark
	params     int      // bare ? seen
	parameters []string // numbers and names of all parameters seen
	depth      int
	inCase     bool // directly within CASE, where END is no name
	err        *types.Error
}

// mark belongs to one carrier.
type mark struct {
	first, last int  // tokens that the construct spans, both included
	operator    bool // an infix operator, at token first
	special     bool // fits only in one place, as right of REGEXP: see the converter
	slots       []func(Expr)
	node        unplaced
	used        bool // the converter met the carrier
}

// unplaced is a node under construction: its arguments come through the slots of its mark, then its place.
type unplaced interface {
	Node
	place(Span)
}

// build puts what the parser found for a carrier's arguments into their slots and gives the construct's node.
func (m *mark) build(at Span, args []Expr) Node {
	for i, slot := range m.slots {
		slot(args[i])
	}
	m.node.place(at)
	return m.node
}

// rope is output under construction.
type rope struct {
	pieces   []piece
	prefixes []prefix
}

// piece is a stretch of output that comes from one token.
type piece struct {
	text   string
	sub    *rope // output of its own in place of text
	token  int32
	before int32 // what was added in front last: its index among the prefixes, plus 1; 0 for nothing
}

// prefix is text in front of a piece; what was added before it stands behind it.
type prefix struct {
	text string
	next int32
}

// add appends text.
func (o *rope) add(text string, token int) {
	o.pieces = append(o.pieces, piece{text: text, token: int32(token)})
}

// prepend puts text in front of a piece and of all that stands there already.
func (o *rope) prepend(at int, text string) {
	p := &o.pieces[at]
	o.prefixes = append(o.prefixes, prefix{text, p.before})
	p.before = int32(len(o.prefixes))
}

// origin tells which token a piece of the rewritten text comes from.
type origin struct {
	offset, token int32
}

// render gives the rewritten text and, by rising offset, where each piece of it came from.
func (o *rope) render() (string, []origin) {
	var b strings.Builder
	size, count := o.size()
	b.Grow(size)
	origins := make([]origin, 0, count)
	o.renderTo(&b, &origins)
	return b.String(), origins
}

// size gives the length of the rendered text and the number of its pieces.
func (o *rope) size() (bytes, count int) {
	for i := range o.prefixes {
		bytes += len(o.prefixes[i].text)
	}
	count = len(o.pieces) + len(o.prefixes)
	for i := range o.pieces {
		if p := &o.pieces[i]; p.sub != nil {
			b, n := p.sub.size()
			bytes, count = bytes+b, count+n
		} else {
			bytes += len(p.text) + 1
		}
	}
	return bytes, count
}

func (o *rope) renderTo(b *strings.Builder, origins *[]origin) {
	for i := range o.pieces {
		p := &o.pieces[i]
		for j := p.before; j > 0; j = o.prefixes[j-1].next {
			*origins = append(*origins, origin{int32(b.Len()), p.token})
			b.WriteString(o.prefixes[j-1].text)
		}
		if p.sub != nil {
			p.sub.renderTo(b, origins)
			continue
		}
		*origins = append(*origins, origin{int32(b.Len()), p.token})
		b.WriteString(p.text)
		b.WriteByte(' ')
	}
}

// Reading tokens. After an error the rewriter stands at the end token, where nothing matches, so every loop ends.

func (r *rewriter) tok() *token { return &r.toks[r.pos] }

// peek gives the token n places ahead; the end token past the end.
func (r *rewriter) peek(n int) *token {
	return &r.toks[min(r.pos+n, len(r.toks)-1)]
}

// is says whether the next token is one of the words.
func (r *rewriter) is(words ...string) bool {
	return isOneOf(r.tok().word, words)
}

func isOneOf(word string, words []string) bool {
	if word == "" {
		return false
	}
	for _, w := range words {
		if word == w {
			return true
		}
	}
	return false
}

// sees says whether the next tokens are these words.
func (r *rewriter) sees(words ...string) bool {
	for i, w := range words {
		if r.peek(i).word != w {
			return false
		}
	}
	return true
}

// accept skips the words if they come next.
func (r *rewriter) accept(words ...string) bool {
	if !r.sees(words...) {
		return false
	}
	r.pos += len(words)
	return true
}

// expect skips the words, which must come next.
func (r *rewriter) expect(words ...string) {
	for _, w := range words {
		if !r.accept(w) {
			r.syntaxError(r.pos)
			return
		}
	}
}

// failAt records the first error, at a token, and stops reading.
func (r *rewriter) failAt(code types.Code, token int, format string, args ...any) {
	if r.err == nil {
		r.err = types.ErrorAt(code, r.text, r.toks[token].start, format, args...)
	}
	r.pos = len(r.toks) - 1
}

// hint adds advice to the error just recorded.
func (r *rewriter) hint(format string, args ...any) {
	if r.err != nil && r.err.Hint == "" {
		r.err.Hint = types.Errorf("", format, args...).Message
	}
}

// syntaxError records PostgreSQL's "syntax error at or near".
func (r *rewriter) syntaxError(token int) {
	if r.err == nil {
		r.err = syntaxErrorAt(r.text, &r.toks[token])
	}
	r.pos = len(r.toks) - 1
}

func syntaxErrorAt(text string, t *token) *types.Error {
	if t.kind == tokenEnd {
		return types.ErrorAt(types.CodeSyntax, text, t.start, "syntax error at end of input")
	}
	return types.ErrorAt(types.CodeSyntax, text, t.start, "syntax error at or near \"%s\"", excerpt(text[t.start:t.end]))
}

// notSupported records a feature that SQL has and we have not.
func (r *rewriter) notSupported(token int, what string) {
	r.failAt(types.CodeFeatureNotSupported, token, "%s is not supported", what)
}

// enter counts nesting that brackets do not bound; leave takes it back.
func (r *rewriter) enter() bool {
	r.depth++
	// Each bracket enters a few times at most.
	if r.depth > 4*maxDepth {
		r.failAt(types.CodeTooComplex, r.pos, "the statement is nested too deeply")
		return false
	}
	return true
}

func (r *rewriter) leave() { r.depth-- }

// span gives the source range from one token to another.
func (r *rewriter) span(first, last int) Span {
	return Span{r.toks[first].start, r.toks[max(first, last)].end}
}

// spanFrom gives the source range from a token to the last one read.
func (r *rewriter) spanFrom(first int) Span { return r.span(first, r.pos-1) }

// Writing output.

// emit writes text that comes from a token.
func (r *rewriter) emit(text string, token int) { r.out.add(text, token) }

// copy writes a symbol or keyword as it stands and goes on.
func (r *rewriter) copy() {
	r.emit(r.tok().word, r.pos)
	r.pos++
}

// carrier gives the name of a new mark.
func (r *rewriter) carrier(m mark) (name string, number int) {
	number = len(r.marks)
	r.marks = append(r.marks, m)
	return "`\x00" + strconv.FormatInt(int64(number), 36) + "`", number
}

// construct is a carrier whose arguments are being written.
type construct struct {
	r      *rewriter
	number int
	args   int // written so far
}

// open writes "carrier (" for a construct that starts at a token and makes a node.
func (r *rewriter) open(first int, node unplaced) *construct {
	name, number := r.carrier(mark{first: first, last: first, node: node})
	r.emit(name+"(", first)
	return &construct{r, number, 0}
}

// wrap opens a construct around everything written since a piece, which is where an operand starts. That is its first
// argument.
func (r *rewriter) wrap(piece, first int, slot func(Expr), node unplaced) *construct {
	name, number := r.carrier(mark{first: first, last: first, node: node, slots: []func(Expr){slot}})
	r.out.prepend(piece, name+"(")
	return &construct{r, number, 1}
}

// arg writes one more argument, and says where its node belongs.
func (c *construct) arg(slot func(Expr), read func()) {
	if c.args++; c.args > 1 {
		c.r.emit(",", c.r.pos)
	}
	m := &c.r.marks[c.number]
	m.slots = append(m.slots, slot)
	read()
}

// become changes the node of a construct, and the slots of the arguments written so far.
func (c *construct) become(node unplaced, slots ...func(Expr)) {
	m := &c.r.marks[c.number]
	m.node = node
	copy(m.slots, slots)
}

// inPlace says that the construct's node fits only where the rewriter puts it, as right of REGEXP.
func (c *construct) inPlace() *construct {
	c.r.marks[c.number].special = true
	return c
}

// extend says that the construct reaches up to the last token read.
func (c *construct) extend() {
	m := &c.r.marks[c.number]
	m.last = max(m.first, c.r.pos-1)
}

// close writes the ")" of a construct, which ends at the last token read.
func (c *construct) close() {
	c.extend()
	c.r.emit(")", c.r.marks[c.number].last)
}

// leaf writes a construct without arguments that spans the tokens from first to the last one read.
func (r *rewriter) leaf(first int, node unplaced) {
	r.open(first, node).close()
}

// into is the slot of an expression that stands alone.
func into(target *Expr) func(Expr) {
	return func(e Expr) { *target = e }
}

// intoQuery is the slot of a query that stands alone.
func intoQuery(target **Query) func(Expr) {
	return func(e Expr) { *target = e.(*Subquery).Query }
}

// onto is the slot of the next expression of a list.
func onto(list *[]Expr) func(Expr) {
	return func(e Expr) { *list = append(*list, e) }
}

// detached reads a construct into a rope of its own, to be placed elsewhere.
func (r *rewriter) detached(into *rope, read func()) {
	saved := r.out
	r.out = into
	read()
	r.out = saved
}

// splice writes a rope.
func (r *rewriter) splice(o *rope) {
	r.out.pieces = append(r.out.pieces, piece{sub: o})
}

// ident makes a name of a token.
func (r *rewriter) identAt(token int) Ident {
	t := &r.toks[token]
	return Ident{Span{t.start, t.end}, t.text, t.kind == tokenQuoted}
}

// label reads a name where every word is one: after AS and after a point.
func (r *rewriter) label() Ident {
	if k := r.tok().kind; k != tokenWord && k != tokenQuoted {
		r.syntaxError(r.pos)
		return Ident{}
	}
	r.pos++
	return r.identAt(r.pos - 1)
}

// name reads a name where reserved words are none.
func (r *rewriter) name() Ident {
	if !r.startsName() {
		r.syntaxError(r.pos)
		return Ident{}
	}
	return r.label()
}

// startsName says whether the next token can be a name.
func (r *rewriter) startsName() bool {
	t := r.tok()
	return t.kind == tokenQuoted || t.kind == tokenWord && !reserved[t.word]
}

// objectName reads a dotted name.
func (r *rewriter) objectName() ObjectName {
	first := r.pos
	parts := []Ident{r.name()}
	for r.accept(".") {
		parts = append(parts, r.label())
	}
	if len(parts) > 3 {
		r.failAt(types.CodeSyntax, first, "improper qualified name (too many dotted names)")
	}
	return ObjectName{r.spanFrom(first), parts}
}

// nameList reads (a, b, ...).
func (r *rewriter) nameList() []Ident {
	r.expect("(")
	names := []Ident{r.name()}
	for r.accept(",") {
		names = append(names, r.name())
	}
	r.expect(")")
	return names
}

// list reads one or more items separated by commas, and writes the commas.
func (r *rewriter) list(item func()) {
	for {
		item()
		if !r.is(",") || r.err != nil {
			return
		}
		r.copy()
	}
}

// reserved are the words that are no name unless quoted, anywhere but after AS and a point.
var reserved = wordSet(`all and any array as asc both case cast check collate column constraint create default desc distinct
	else except false fetch for foreign from group having in intersect into lateral leading limit not null offset on or
	order primary references returning select some symmetric table then to trailing true union unique using when where
	window with`)

// noBareAlias are the words that no select item takes for an alias without AS: what may follow an expression.
var noBareAlias = wordSet(`at between collate div filter glob ignore ilike is isnull like notnull over qualify respect
	similar within end`)

// noTableAlias are the words that no table takes for an alias without AS: what may follow a table.
var noTableAlias = wordSet(`cross full inner join left match_recognize natural pivot qualify right tablesample unpivot set values when`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

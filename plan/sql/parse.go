// Package sql turns SQL text into a logical plan: it splits a text into statements, parses them into a syntax tree of its
// own, and binds the tree against a catalog.
//
// The grammar underneath is TiDB's, a fast MySQL parser that nothing else in the engine imports. A rewriter in front of it
// carries the dialect of DuckDB and PostgreSQL through that grammar: see the comment of type rewriter.
package sql

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"github.com/lacunadb/lacuna/types"
)

// Parse parses a text of any number of statements, separated by semicolons. Empty statements are left out.
//
// The spans of the tree count bytes of text. An error is a *types.Error with SQLSTATE and position: 42601 for a syntax error,
// 0A000 for a feature that is not supported, 54000 and 54001 for a text beyond a limit, 22021 for invalid UTF-8.
// Parse is safe for concurrent use and takes time linear in the length of the text.
func Parse(text string) ([]Statement, error) {
	texts, err := tokenize(text)
	if err != nil {
		return nil, err
	}
	statements := make([]Statement, 0, len(texts))
	for _, toks := range texts {
		s, _, err := parseStatement(text, toks)
		if err != nil {
			return nil, err
		}
		statements = append(statements, s)
	}
	return statements, nil
}

// Parameters are those of a statement.
type Parameters struct {
	Names []string // their names, and numbers from "1", in the order of the text; those that stand there twice are here twice
	Marks int      // how many are written as ?; they have the numbers from 1
}

// Has reports whether there is a parameter of a name or number.
func (p *Parameters) Has(name string) bool { return slices.Contains(p.Names, name) }

// ParametersOf gives the parameters of each statement of a text.
func ParametersOf(text string) ([]Parameters, error) {
	texts, err := tokenize(text)
	if err != nil {
		return nil, err
	}
	all := make([]Parameters, len(texts))
	for i, toks := range texts {
		_, own, err := parseStatement(text, toks)
		if err != nil {
			return nil, err
		}
		all[i] = own
	}
	return all, nil
}

// parseStatement parses the tokens of one statement. It also gives its parameters.
func parseStatement(text string, toks []token) (statement Statement, parameters Parameters, failure *types.Error) {
	defer func() {
		// Parser and converter work on trees that the input shapes: a bug there fails this statement alone.
		if x := recover(); x != nil {
			statement, parameters, failure = nil, Parameters{}, types.ErrorAt(types.CodeInternal, text, toks[0].start, "the SQL parser failed: %v", x)
		}
	}()
	if err := matchBrackets(text, toks); err != nil {
		return nil, Parameters{}, err
	}
	r := rewriter{
		text:  text,
		toks:  toks,
		out:   &rope{pieces: make([]piece, 0, len(toks)+len(toks)/2)},
		marks: make([]mark, 0, len(toks)/3+2),
	}
	r.emit("SELECT", 0)
	root := r.open(0, &Default{})
	r.statement(root, func(s Statement) { statement = s })
	root.close()
	if r.err == nil && r.tok().kind != tokenEnd {
		r.syntaxError(r.pos)
	}
	if r.err != nil {
		return nil, Parameters{}, r.err
	}
	if root.args > 0 {
		if err := r.finish(); err != nil {
			return nil, Parameters{}, err
		}
	}
	return statement, Parameters{r.parameters, r.params}, nil
}

// finish runs the parser over the rewritten text and puts its findings into the slots.
func (r *rewriter) finish() *types.Error {
	c := converter{rewriter: r}
	var sql string
	sql, c.origins = r.out.render()
	p := parsers.Get().(*parser.Parser)
	node, err := c.parse(p, sql)
	if err != nil {
		return err
	}
	c.root(node)
	// Only now: the parser keeps references to the tree, and the next Parse writes through them. After a panic it is dropped.
	if len(sql) <= maxPooledText {
		parsers.Put(p)
	}
	return c.err
}

// sqlMode is the closest that MySQL's modes come to the standard. IGNORE_SPACE is for calls such as "count (*)".
const sqlMode = mysql.ModeANSIQuotes | mysql.ModePipesAsConcat | mysql.ModeIgnoreSpace | mysql.ModeNoBackslashEscapes | mysql.ModeRealAsFloat

// parsers holds parsers for reuse: they are not safe for concurrent use, and Reset would bring back MySQL's default mode.
var parsers = sync.Pool{New: func() any {
	p := parser.New()
	p.SetSQLMode(sqlMode)
	return p
}}

// maxPooledText is the length of rewritten text beyond which a parser is not reused: it keeps its stack and the tree.
const maxPooledText = 1 << 20

// parse runs the TiDB parser.
func (c *converter) parse(p *parser.Parser, sql string) (ast.StmtNode, *types.Error) {
	nodes, _, err := p.ParseSQL(sql)
	if err != nil {
		return nil, c.syntaxError(sql, err)
	}
	if len(nodes) != 1 {
		return nil, types.ErrorAt(types.CodeInternal, c.text, c.toks[0].start, "the parser found %d statements in one", len(nodes))
	}
	return nodes[0], nil // the slice is the parser's, and reused
}

// syntaxError maps an error of the TiDB parser to our text. Its message quotes the rewritten text from the offending token
// on, which gives the token away; nothing else of the message is of use.
func (c *converter) syntaxError(sql string, err error) *types.Error {
	message := err.Error()
	offset := len(sql)
	if i := strings.Index(message, "near \""); i >= 0 {
		near := message[i+len("near \""):]
		if j := strings.LastIndex(near, "\"(total length "); j >= 0 {
			digits, _, _ := strings.Cut(near[j+len("\"(total length "):], ")")
			if n, err := strconv.Atoi(digits); err == nil {
				offset = len(sql) - n
			}
		} else if j := strings.LastIndexByte(near, '"'); j >= 0 {
			offset = len(sql) - j
		}
	}
	token := len(c.toks) - 1
	if offset >= 0 && offset < len(sql) {
		token = c.tokenAt(offset)
	}
	return syntaxErrorAt(c.text, &c.toks[token])
}

// tokenAt gives the token that the rewritten text at an offset comes from.
func (c *converter) tokenAt(offset int) int {
	i := sort.Search(len(c.origins), func(i int) bool { return int(c.origins[i].offset) > offset })
	if i == 0 {
		return 0
	}
	return int(c.origins[i-1].token)
}

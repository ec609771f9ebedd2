package sql

import (
	"slices"

	"github.com/lacunadb/lacuna/types"
)

// Limits of one text. They keep the parser's memory and stack bounded whatever the input.
const (
	maxTextSize  = 16 << 20
	maxDepth     = 500     // nested brackets, CASE and lambdas
	maxLogical   = 100_000 // AND and OR in one expression
	maxOperators = 10_000  // other operators in one expression; also casts and subscripts of one operand, prefix signs
	maxJoins     = 5_000   // joins in one FROM
	maxSetOps    = 10_000  // set operations in one query
)

// Split cuts a text into statements at the semicolons outside quotes and comments, and gives the place of each statement
// that is not empty, without its semicolon. It does not parse: the statements may be wrong.
// The error is that of a text no statement of which can be found: an unterminated quote or comment, a bad character.
func Split(text string) ([]Span, error) {
	statements, err := tokenize(text)
	if err != nil {
		return nil, err
	}
	var spans []Span
	for _, toks := range statements {
		spans = append(spans, Span{toks[0].start, toks[len(toks)-2].end})
	}
	return spans, nil
}

// tokenize gives the tokens of each statement that is not empty. Each statement ends with a tokenEnd at the place of its
// semicolon, or of the end of the text.
func tokenize(text string) ([][]token, *types.Error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	l := lexer{text: text}
	var statements [][]token
	// A token for six bytes is usual; a long string must not reserve memory for as many.
	current := make([]token, 0, min(len(text)/6, 1000)+8)
	for {
		t := l.next()
		if l.err != nil {
			return nil, l.err
		}
		if t.kind == tokenEnd || t.word == ";" {
			if len(current) > 0 {
				end := token{start: t.start, end: t.start}
				if t.kind == tokenEnd {
					// "At end of input" points behind the last token, not behind blanks and comments.
					end.start = current[len(current)-1].end
					end.end = end.start
				}
				statements = append(statements, append(current, end))
				current = nil
			}
			if t.kind == tokenEnd {
				return statements, nil
			}
			continue
		}
		if n := len(current); n > 0 && t.kind == tokenString && current[n-1].kind == tokenString && t.newline {
			// The standard: strings separated by a line break are one.
			current[n-1].text += t.text
			current[n-1].end = t.end
			continue
		}
		if len(current) == cap(current) {
			current = slices.Grow(current, len(current)+8) // append alone grows by a quarter, which is slow for long VALUES
		}
		current = append(current, t)
	}
}

// matchBrackets pairs the brackets of a statement and finds those that open a query.
func matchBrackets(text string, toks []token) *types.Error {
	var open []int
	for i := range toks {
		t := &toks[i]
		if t.kind != tokenSymbol {
			continue
		}
		switch t.word {
		case "(", "[", "{":
			if len(open) == maxDepth {
				return types.ErrorAt(types.CodeTooComplex, text, t.start, "brackets are nested more than %d deep", maxDepth)
			}
			open = append(open, i)
		case ")", "]", "}":
			if len(open) == 0 || toks[open[len(open)-1]].word != partner(t.word) {
				return types.ErrorAt(types.CodeSyntax, text, t.start, "syntax error at or near \"%s\"", t.word)
			}
			last := open[len(open)-1]
			open = open[:len(open)-1]
			toks[last].match, t.match = i, last
		}
	}
	if len(open) > 0 {
		t := toks[open[len(open)-1]]
		return types.ErrorAt(types.CodeSyntax, text, t.start, "unclosed \"%s\"", t.word)
	}
	// From the right, so that the inner bracket of "((" is known first.
	for i := len(toks) - 2; i >= 0; i-- {
		if toks[i].word != "(" {
			continue
		}
		inner := &toks[i+1]
		if inner.word == "(" && inner.query {
			switch toks[inner.match+1].word {
			case ")", "union", "intersect", "except", "order", "limit", "offset", "fetch":
				toks[i].query = true
			}
			continue
		}
		toks[i].query = startsQuery(toks, i+1)
	}
	return nil
}

// partner gives the opening bracket of a closing one.
func partner(closing string) string {
	switch closing {
	case ")":
		return "("
	case "]":
		return "["
	}
	return "{"
}

// startsQuery says whether the token is a keyword that starts a query. A parenthesis is judged by matchBrackets.
func startsQuery(toks []token, i int) bool {
	switch toks[i].word {
	case "select", "from", "table":
		return true
	case "with":
		return toks[i+1].kind != tokenSymbol
	case "values":
		return toks[i+1].word == "("
	}
	return false
}

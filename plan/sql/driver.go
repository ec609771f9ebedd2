package sql

import (
	"errors"
	"io"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
)

// The parser builds literals through hooks, its "driver", which are variables of the process. Ours makes nodes that keep
// nothing but the fact that a literal or a parameter stands at their place: the converter reads kind, text and place from
// our own token, so that no digit, sign of a zero or boolean is lost. A program that also imports another driver may
// overwrite the hooks; the converter refuses a node of a foreign type.

func init() {
	ast.NewValueExpr = func(any, string, string) ast.ValueExpr { return &literalNode{} }
	ast.NewParamMarkerExpr = func(int) ast.ParamMarkerExpr { return &paramNode{} }
	ast.NewDecimal = func(text string) (any, error) { return text, nil }
	ast.NewHexLiteral = func(text string) (any, error) { return rawLiteral(text), nil }
	ast.NewBitLiteral = func(text string) (any, error) { return rawLiteral(text), nil }
}

// rawLiteral is the text of a hexadecimal or bit literal. The grammar calls ToString on it in places.
type rawLiteral string

// ToString gives the text back.
func (r rawLiteral) ToString() string { return string(r) }

// literalNode is a literal in the parser's tree.
type literalNode struct {
	ast.TexprNode
}

// paramNode is a parameter in the parser's tree.
type paramNode struct {
	literalNode
}

var (
	_ ast.ValueExpr       = (*literalNode)(nil)
	_ ast.ParamMarkerExpr = (*paramNode)(nil)
)

var errNoRestore = errors.New("sql: the parser's tree is not printed")

// Restore is never called: text is printed from our own tree.
func (*literalNode) Restore(*format.RestoreCtx) error { return errNoRestore }

// Format is never called.
func (*literalNode) Format(io.Writer) {}

// Accept visits the node.
func (n *literalNode) Accept(v ast.Visitor) (ast.Node, bool) {
	node, _ := v.Enter(n)
	return v.Leave(node)
}

// Accept visits the node.
func (n *paramNode) Accept(v ast.Visitor) (ast.Node, bool) {
	node, _ := v.Enter(n)
	return v.Leave(node)
}

// SetValue is never called.
func (*literalNode) SetValue(any) {}

// GetValue has nothing to give: see the converter.
func (*literalNode) GetValue() any { return nil }

// GetDatumString has nothing to give.
func (*literalNode) GetDatumString() string { return "" }

// GetString has nothing to give.
func (*literalNode) GetString() string { return "" }

// GetProjectionOffset is never called.
func (*literalNode) GetProjectionOffset() int { return -1 }

// SetProjectionOffset is never called.
func (*literalNode) SetProjectionOffset(int) {}

// SetOrder is never called: parameters are numbered by the rewriter.
func (*paramNode) SetOrder(int) {}

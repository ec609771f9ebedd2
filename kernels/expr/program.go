package expr

import (
	"fmt"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// Program is a list of expressions compiled for evaluation: a flat array of nodes, arguments before users, in which equal
// subexpressions are one node. Immutable and safe for concurrent use through one Evaluator per worker.
type Program struct {
	nodes   []node
	results []int // node of each expression
}

type node struct {
	expr    *Expr
	args    []int
	canFail bool // the node or anything below may raise: its value holds only on the rows it was evaluated for
}

// compiler finds equal subexpressions while a program is built.
type compiler struct {
	nodes []node
	known map[string][]int // nodes by key
}

// Compile makes a program of expressions whose columns are positions in the input batch. It panics on nodes that may not reach
// execution (parameters, subqueries): the planner has removed them.
func Compile(exprs ...*Expr) *Program {
	c := &compiler{known: map[string][]int{}}
	results := make([]int, len(exprs))
	for i, e := range exprs {
		results[i] = c.add(e)
	}
	return &Program{nodes: c.nodes, results: results}
}

func (c *compiler) add(e *Expr) int {
	switch e.Op {
	case Parameter, OuterColumn, Subquery:
		panic("expr: " + e.String() + " reached execution")
	}
	n := node{expr: e, args: make([]int, len(e.Args)), canFail: e.raises()}
	for i, a := range e.Args {
		n.args[i] = c.add(a)
		n.canFail = n.canFail || c.nodes[n.args[i]].canFail
	}
	// Arguments are shared already, so equal trees have equal argument numbers, which are part of the key.
	key := n.key()
	for _, i := range c.known[key] {
		if c.nodes[i].expr.sameNode(e) {
			return i
		}
	}
	c.nodes = append(c.nodes, n)
	c.known[key] = append(c.known[key], len(c.nodes)-1)
	return len(c.nodes) - 1
}

// key gives what equal nodes have in common and most others have not.
func (n *node) key() string {
	e := n.expr
	switch e.Op {
	case Column:
		return fmt.Sprintf("column %d", e.Column)
	case Constant:
		return fmt.Sprintf("%s %s", e.Type, types.Text(e.Value, 0))
	case Call:
		return fmt.Sprintf("%s %v", e.Function.Name, n.args)
	}
	return fmt.Sprintf("%d %s %v", e.Op, e.Type, n.args)
}

// Results gives the number of expressions.
func (p *Program) Results() int { return len(p.results) }

// Evaluator runs a program batch after batch. It belongs to one worker.
type Evaluator struct {
	program *Program
	env     kernels.Env
	batch   *types.Batch
	values  []value
}

// value is what is known of a node in the present batch.
type value struct {
	vector *types.Vector
	active types.Bitmap // rows the vector holds for; nil = all
	known  bool
}

// NewEvaluator makes an evaluator that allocates from the worker's pool.
func NewEvaluator(p *Program, pool *types.Pool) *Evaluator {
	return &Evaluator{program: p, env: kernels.Env{Pool: pool}, values: make([]value, len(p.nodes))}
}

// Eval computes every expression on the batch. Rows that the batch's selection excludes raise no errors and have arbitrary
// values. The results live in the pool's present region, or share the batch's columns, and are appended to dst.
func (e *Evaluator) Eval(dst []*types.Vector, batch *types.Batch) ([]*types.Vector, error) {
	e.begin(batch)
	for _, n := range e.program.results {
		v, err := e.eval(n, batch.Selection)
		if err != nil {
			return dst, err
		}
		dst = append(dst, v)
	}
	return dst, nil
}

// Select computes the program's first expression, a condition, and gives the selected rows on which it is true. The bitmap lives in
// the pool's present region; nil means every row.
func (e *Evaluator) Select(batch *types.Batch) (types.Bitmap, error) {
	e.begin(batch)
	return e.selectTrue(e.program.results[0], batch.Selection)
}

func (e *Evaluator) begin(batch *types.Batch) {
	e.batch = batch
	clear(e.values)
}

// selectTrue narrows active to the rows where condition n is true. AND is done conjunct by conjunct, so that each looks only at
// rows that passed the ones before: here NULL decides as FALSE does.
func (e *Evaluator) selectTrue(n int, active types.Bitmap) (types.Bitmap, error) {
	node, known := &e.program.nodes[n], &e.values[n]
	if node.expr.Op == And && !(known.known && covers(known.active, active)) {
		for _, arg := range node.args {
			var err error
			if active, err = e.selectTrue(arg, active); err != nil {
				return nil, err
			}
			if active != nil && active.NextSet(0, e.batch.Rows) == e.batch.Rows {
				return active, nil
			}
		}
		return active, nil
	}
	v, err := e.eval(n, active)
	if err != nil {
		return nil, err
	}
	return e.trueRows(v, active), nil
}

// trueRows gives the active rows on which a BOOLEAN vector is true and not null.
func (e *Evaluator) trueRows(v *types.Vector, active types.Bitmap) types.Bitmap {
	rows := e.batch.Rows
	if v.Encoding() == types.Constant {
		if v.Validity().Has(0) && v.Bools().Get(0) {
			return active
		}
		return e.env.Pool.ZeroBitmap(rows)
	}
	return types.AndBitmaps(e.env.Pool, kernels.TrueRows(&e.env, v), active, rows)
}

// eval gives the value of node n, right on the active rows at least.
func (e *Evaluator) eval(n int, active types.Bitmap) (*types.Vector, error) {
	node := &e.program.nodes[n]
	known := &e.values[n]
	if !node.canFail {
		active = nil // computed for every row, once, whoever asks first
	}
	if known.known && covers(known.active, active) {
		return known.vector, nil
	}
	v, err := e.compute(node, active)
	if err != nil {
		return nil, err
	}
	*known = value{vector: v, active: active, known: true}
	return v, nil
}

// covers reports whether every row of inner is in outer; nil is every row.
func covers(outer, inner types.Bitmap) bool {
	switch {
	case outer == nil:
		return true
	case inner == nil:
		return false
	}
	for i, w := range inner {
		if w&^outer[i] != 0 {
			return false
		}
	}
	return true
}

func (e *Evaluator) compute(n *node, active types.Bitmap) (*types.Vector, error) {
	x := n.expr
	switch x.Op {
	case Column:
		return e.batch.Columns[x.Column], nil
	case Constant:
		return types.NewConstant(x.Value, e.batch.Rows), nil
	case And, Or:
		return e.logic(n, active)
	case Case:
		return e.caseOf(n, active)
	case Coalesce:
		return e.coalesce(n, active)
	}
	args := make([]*types.Vector, len(n.args))
	for i, a := range n.args {
		v, err := e.eval(a, active)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	v, err := e.apply(x, args, active)
	if err != nil {
		return nil, locate(err, x)
	}
	return v, nil
}

// locate gives an error the place of the expression that raised it, for the front door to turn into line and column.
func locate(err error, x *Expr) error {
	if x.Position < 0 {
		return err
	}
	if e, ok := err.(*types.Error); ok && e.Position == (types.Position{}) {
		c := *e
		c.Position.Offset = x.Position
		c.Position.Line = -1 // the text is known only above
		return &c
	}
	return err
}

// apply runs a call or cast, on as few values as the arguments' encodings allow: once when all are constant, per dictionary entry
// or per run when one is encoded and the rest are constant, else per row.
func (e *Evaluator) apply(x *Expr, args []*types.Vector, active types.Bitmap) (*types.Vector, error) {
	rows := e.batch.Rows
	env := e.env
	env.Active, env.Rows = active, rows
	varying := -1
	for i, a := range args {
		if a.Encoding() != types.Constant {
			if varying >= 0 {
				return run(&env, x, args)
			}
			varying = i
		}
	}
	whole := x.Op == Call && (x.Function.Volatile || x.Function.Encoded)
	switch {
	case whole || rows == 0:
		return run(&env, x, args)
	case varying < 0 && len(args) > 0:
		if active != nil && active.NextSet(0, rows) == rows {
			return types.NewNull(x.Type, rows), nil // no row counts, so nothing may raise
		}
		env.Active, env.Rows = nil, 1
		v, err := run(&env, x, resize(args, -1, nil, 1))
		if err != nil {
			return nil, dropRow(err)
		}
		return types.NewConstant(kernels.Decode(&env, v), rows), nil
	case varying < 0:
		return run(&env, x, args)
	}
	input := args[varying]
	switch input.Encoding() {
	case types.Dictionary:
		entries := input.Entries()
		strict := x.Op == Cast || x.Function.Nulls <= NullFromValues
		if entries.Len() > rows || entries.Encoding() != types.Plain || !strict && input.Validity() != nil {
			break
		}
		env.Active, env.Rows = nil, entries.Len()
		if x.raises() {
			env.Active = usedEntries(&env, input, active)
		}
		v, err := run(&env, x, resize(args, varying, entries, env.Rows))
		if err != nil {
			return nil, dropRow(err)
		}
		return types.NewDictionary(input.Keys(), kernels.Decode(&env, v), input.Validity()), nil
	case types.RunEnd:
		values := input.RunValues()
		if values.Encoding() != types.Plain {
			break
		}
		env.Active, env.Rows = nil, values.Len()
		if x.raises() {
			env.Active = usedRuns(&env, input, active)
		}
		v, err := run(&env, x, resize(args, varying, values, env.Rows))
		if err != nil {
			return nil, dropRow(err)
		}
		return types.NewRunEnd(input.RunEnds(), kernels.Decode(&env, v)), nil
	}
	return run(&env, x, args)
}

// dropRow forgets the row of an error that counts constants, entries or runs instead of rows.
func dropRow(err error) error {
	if e, ok := err.(*types.Error); ok && e.Row >= 0 {
		c := *e
		c.Row = -1
		return &c
	}
	return err
}

// resize gives the arguments for a run over n values: constants of that length, and input in the place of argument varying.
func resize(args []*types.Vector, varying int, input *types.Vector, n int) []*types.Vector {
	out := make([]*types.Vector, len(args))
	for i, a := range args {
		if i == varying {
			out[i] = input
		} else {
			out[i] = types.NewConstant(a.First(), n)
		}
	}
	return out
}

func run(env *kernels.Env, x *Expr, args []*types.Vector) (*types.Vector, error) {
	env.Zone = x.Zone
	if x.Op == Cast {
		env.Try = x.Try
		v, err := kernels.Cast(env, args[0], x.Type)
		env.Try = false
		return v, err
	}
	return x.Function.Kernel(env, x.Type, args)
}

// usedEntries gives the dictionary entries that an active row refers to.
func usedEntries(env *kernels.Env, v *types.Vector, active types.Bitmap) types.Bitmap {
	used := env.Pool.ZeroBitmap(v.Entries().Len())
	rows := types.AndBitmaps(env.Pool, active, v.Validity(), v.Len())
	keys := v.Keys()
	for i := rows.NextSet(0, len(keys)); i < len(keys); i = rows.NextSet(i+1, len(keys)) {
		used.Set(int(keys[i]))
	}
	return used
}

// usedRuns gives the runs that have an active row.
func usedRuns(env *kernels.Env, v *types.Vector, active types.Bitmap) types.Bitmap {
	if active == nil {
		return nil
	}
	used := env.Pool.ZeroBitmap(v.RunValues().Len())
	start := 0
	for r, end := range v.RunEnds() {
		if active.NextSet(start, int(end)) < int(end) {
			used.Set(r)
		}
		start = int(end)
	}
	return used
}

// logic evaluates AND and OR: each argument only on the rows that the ones before have left undecided.
func (e *Evaluator) logic(n *node, active types.Bitmap) (*types.Vector, error) {
	var result *types.Vector
	for i, arg := range n.args {
		v, err := e.eval(arg, active)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			result = v
		} else if n.expr.Op == And {
			result, err = kernels.And(&e.env, result, v)
		} else {
			result, err = kernels.Or(&e.env, result, v)
		}
		if err != nil {
			return nil, err
		}
		if i == len(n.args)-1 || !e.restCanFail(n.args[i+1:]) {
			continue
		}
		// The rows that are FALSE under AND, or TRUE under OR, are decided.
		decided := result
		if n.expr.Op == And {
			if decided, err = kernels.Not(&e.env, result); err != nil {
				return nil, err
			}
		}
		done := e.trueRows(decided, nil)
		if done == nil {
			done = e.env.Pool.Bitmap(e.batch.Rows)
			types.FillBitmap(done, e.batch.Rows)
		}
		active = types.AndNotBitmaps(e.env.Pool, active, done, e.batch.Rows)
	}
	return result, nil
}

func (e *Evaluator) restCanFail(args []int) bool {
	for _, a := range args {
		if e.program.nodes[a].canFail {
			return true
		}
	}
	return false
}

// caseOf evaluates CASE: conditions in order on the rows not yet chosen, values on the rows that chose them.
func (e *Evaluator) caseOf(n *node, active types.Bitmap) (*types.Vector, error) {
	type branch struct {
		rows  types.Bitmap
		value *types.Vector
	}
	var branches []branch
	rest, last := active, len(n.args)-1
	for i := 0; i < last; i += 2 {
		chosen, err := e.selectTrue(n.args[i], rest)
		if err != nil {
			return nil, err
		}
		if chosen == nil { // true on every row: nothing is left
			v, err := e.eval(n.args[i+1], nil)
			if err != nil {
				return nil, err
			}
			branches, rest = append(branches, branch{nil, v}), e.env.Pool.ZeroBitmap(e.batch.Rows)
			break
		}
		if chosen.NextSet(0, e.batch.Rows) == e.batch.Rows {
			continue
		}
		v, err := e.eval(n.args[i+1], chosen)
		if err != nil {
			return nil, err
		}
		branches = append(branches, branch{chosen, v})
		rest = types.AndNotBitmaps(e.env.Pool, rest, chosen, e.batch.Rows)
	}
	result := types.NewNull(n.expr.Type, e.batch.Rows)
	if rest.NextSet(0, e.batch.Rows) < e.batch.Rows {
		v, err := e.eval(n.args[last], rest)
		if err != nil {
			return nil, err
		}
		result = v
	}
	// From the last to the first, so that each step keeps the rows that it does not choose.
	for i := len(branches) - 1; i >= 0; i-- {
		b := branches[i]
		if b.rows == nil {
			result = b.value
			continue
		}
		v, err := kernels.IfElse(&e.env, b.rows, b.value, result)
		if err != nil {
			return nil, err
		}
		result = v
	}
	return result, nil
}

// coalesce evaluates COALESCE: each argument only on the rows where the ones before are null.
func (e *Evaluator) coalesce(n *node, active types.Bitmap) (*types.Vector, error) {
	var result *types.Vector
	for i, arg := range n.args {
		v, err := e.eval(arg, active)
		if err != nil {
			return nil, err
		}
		valid := types.LogicalValidity(e.env.Pool, v)
		if i == 0 {
			result = v
		} else {
			// Rows decided before keep their value: take v only where result is null.
			kept := types.LogicalValidity(e.env.Pool, result)
			if result, err = kernels.IfElse(&e.env, kept, result, v); err != nil {
				return nil, err
			}
		}
		if valid == nil {
			break
		}
		active = types.AndNotBitmaps(e.env.Pool, active, valid, e.batch.Rows)
		if active.NextSet(0, e.batch.Rows) == e.batch.Rows {
			break
		}
	}
	return result, nil
}

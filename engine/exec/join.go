package exec

import (
	"slices"
	"sync"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// join is one run of a HashJoin or a LoopJoin. One side of it, the build side, is a stage of its own, whose sink keeps the rows and indexes them by
// their keys (joinBuild, joinTable, joinIndex). The other side, the probe, streams: an operator on its fragments looks up each batch's keys
// and gives pairs of rows (joinProbe). Where build rows can leave without or because of a match, they are noted while the probe runs, and
// given by a last fragment (joinEnding).
//
// A loop join is one in which every build row is a candidate for every row of the probe side.
type join struct {
	query     *Execution
	operator  int
	memory    *account
	kind      plan.JoinKind
	buildLeft bool
	outer     bool        // rows of the probe side without a match leave, with NULL in the build side's columns
	ending    joinEndings // the build rows that leave after the probe side
	left      int         // number of left columns
	right     int
	schema    types.Schema

	keys      []joinKey     // that the index is over
	stored    []*expr.Expr  // what is kept of a build row
	visible   []bool        // by stored: needed after the index has been built
	output    []joinColumn  // by output column
	ranges    *joinRanges   // nil without
	condition *pairProgram  // nil = TRUE
	mark      *markCheck    // of a MarkJoin
	publish   []publication // dynamic filters
	probeKeys *expr.Program
	build     *joinBuild

	// Build rows that had a match, where that decides about their leaving.
	matched     atomicBitmap
	matchedOnce sync.Once
	matchedErr  error
}

// joinKey is a key of an index: two expressions that must be equal, the build side's by its place among the stored.
type joinKey struct {
	probe    *expr.Expr
	build    int
	nullSafe bool
}

// joinColumn is where the values of a column of a pair come from.
type joinColumn struct {
	side joinSide
	at   int // probe: column of its batch; build: among the stored
}

type joinSide uint8

const (
	fromProbe joinSide = iota
	fromBuild
	fromMark
)

// joinEndings says which build rows leave a join after the probe side's.
type joinEndings uint8

const (
	endNone joinEndings = iota
	endMatched
	endUnmatched
)

// joinInput is what hash joins and loop joins have in common.
type joinInput struct {
	plan.Operator
	kind        plan.JoinKind
	left, right plan.Physical
	buildLeft   bool
	keys        []plan.JoinKey
	ranges      []plan.JoinRange
	condition   *expr.Expr
	mark        *plan.PhysicalMark
	columns     []int
	publish     []plan.DynamicKey
}

// joinFragments compiles a join.
func (q *Execution) joinFragments(in joinInput) ([]fragment, error) {
	j, err := newJoin(q, in)
	if err != nil {
		return nil, err
	}
	build, probe := in.right, in.left
	if in.buildLeft {
		build, probe = probe, build
	}
	// The build side's stage comes first, so that those of the probe side can profit from it. In a recursion the table may be that of an iteration before.
	built, err := q.stage(build, builtStage{sink: &joinBuild{join: j}}, false)
	if err != nil {
		return nil, err
	}
	j.build = built.sink.(*joinBuild)
	first := len(q.stages)
	fragments, err := q.over(probe, &joinProbe{j})
	if err != nil {
		return nil, err
	}
	if j.isEmptyWithoutBuild() && q.recursion == nil {
		for _, s := range q.stages[first:] {
			s.skipWhen(j.isEmpty)
		}
		for i := range fragments {
			fragments[i].open = openUnless(j.isEmpty, fragments[i].open)
		}
	}
	if j.ending != endNone {
		fragments = append(fragments, fragment{open: j.openEnding, scan: j.operator, after: true})
	}
	return fragments, nil
}

func newJoin(q *Execution, in joinInput) (*join, error) {
	j := &join{
		query: q, operator: in.Number, memory: q.account(in.Number), kind: in.kind, buildLeft: in.buildLeft,
		left: len(in.left.Schema()), right: len(in.right.Schema()), schema: in.Output,
	}
	switch in.kind {
	case plan.LeftJoin, plan.RightJoin:
		if (in.kind == plan.LeftJoin) == in.buildLeft {
			j.ending = endUnmatched
		} else {
			j.outer = true
		}
	case plan.FullJoin:
		j.outer, j.ending = true, endUnmatched
	case plan.SingleJoin:
		j.outer = true
	case plan.SemiJoin:
		if in.buildLeft {
			j.ending = endMatched
		}
	case plan.AntiJoin:
		if in.buildLeft {
			j.ending = endUnmatched
		}
	}
	if in.buildLeft && (in.kind == plan.MarkJoin || in.kind == plan.SingleJoin) {
		return nil, types.Errorf(types.CodeInternal, "a %s join cannot build its left side", in.kind)
	}
	keys := in.keys
	if in.mark != nil && len(keys) == 0 {
		keys = in.mark.Keys
	}
	exprs := make([]*expr.Expr, len(keys))
	for i, k := range keys {
		if k.Left.Type.IsNested() {
			return nil, types.Errorf(types.CodeFeatureNotSupported, "joining by a value of type %s is not supported", k.Left.Type)
		}
		exprs[i] = j.probeSide(k)
		j.keys = append(j.keys, joinKey{probe: exprs[i], build: j.keep(j.buildSide(k)), nullSafe: k.NullSafe})
	}
	j.probeKeys = expr.Compile(exprs...)
	j.visible = make([]bool, len(j.stored))
	build := in.right.Schema()
	if in.buildLeft {
		build = in.left.Schema()
	}
	for _, position := range in.columns {
		j.output = append(j.output, j.columnAt(position, build))
	}
	j.ranges = j.newRanges(in.ranges, in.condition, build)
	j.condition = j.compilePairs(in.condition, build)
	if in.mark != nil {
		j.mark = j.newMarkCheck(in.mark, len(in.keys) == 0, build)
	}
	for _, p := range in.publish {
		j.publish = append(j.publish, publication{filter: p.Filter, key: p.Key})
	}
	return j, nil
}

func (j *join) probeSide(k plan.JoinKey) *expr.Expr {
	if j.buildLeft {
		return k.Right
	}
	return k.Left
}

func (j *join) buildSide(k plan.JoinKey) *expr.Expr {
	if j.buildLeft {
		return k.Left
	}
	return k.Right
}

// keep gives the place of an expression over the build side among the stored ones.
func (j *join) keep(e *expr.Expr) int {
	if i := slices.IndexFunc(j.stored, e.Equal); i >= 0 {
		return i
	}
	j.stored = append(j.stored, e)
	j.visible = append(j.visible, false)
	return len(j.stored) - 1
}

// show is keep for what is read after the index has been built.
func (j *join) show(e *expr.Expr) int {
	i := j.keep(e)
	j.visible[i] = true
	return i
}

// columnAt says where a column comes from: position among the left ones, then the right ones, then the mark.
func (j *join) columnAt(position int, build types.Schema) joinColumn {
	if position == j.left+j.right {
		return joinColumn{side: fromMark}
	}
	inLeft, at := position < j.left, position
	if !inLeft {
		at -= j.left
	}
	if inLeft == j.buildLeft {
		return joinColumn{side: fromBuild, at: j.showColumn(at, build)}
	}
	return joinColumn{side: fromProbe, at: at}
}

func (j *join) showColumn(i int, build types.Schema) int {
	f := build[i]
	return j.show(expr.NewColumn(i, f.Name, f.Type, f.Nullable))
}

// isEmptyWithoutBuild reports whether the join gives nothing when the build side has no rows.
func (j *join) isEmptyWithoutBuild() bool {
	switch j.kind {
	case plan.InnerJoin, plan.SemiJoin:
		return true
	case plan.AntiJoin:
		return j.buildLeft
	}
	return !j.outer && j.kind != plan.MarkJoin
}

// isEmpty reports that the probe side need not run: the build side has no rows, or has itself been left out, since nobody reads what the join gives.
func (j *join) isEmpty() bool { return j.build.table == nil || j.build.table.rows == 0 }

// keepsUnmatchable reports whether build rows are kept that match nothing because a key is NULL.
func (j *join) keepsUnmatchable() bool { return j.ending == endUnmatched || j.kind == plan.MarkJoin }

// pairProgram is a condition over the columns of both sides.
type pairProgram struct {
	program *expr.Program
	columns []pairColumn // that it reads
}

type pairColumn struct {
	joinColumn
	position int // among the left columns, then the right ones
}

// compilePairs compiles a condition over the left columns, then the right ones; nil for nil.
func (j *join) compilePairs(e *expr.Expr, build types.Schema) *pairProgram {
	if e == nil || e.IsTrue() {
		return nil
	}
	p := &pairProgram{program: expr.Compile(e)}
	seen := make([]bool, j.left+j.right)
	e.Columns(func(position int) {
		if !seen[position] {
			seen[position] = true
			p.columns = append(p.columns, pairColumn{joinColumn: j.columnAt(position, build), position: position})
		}
	})
	return p
}

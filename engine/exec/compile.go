package exec

import (
	"context"
	"slices"

	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// compile cuts the plan below its root into stages; what is left are the fragments that feed the result. A limit at the root is applied by the
// result's collector, so that it streams.
func (q *Execution) compile(root plan.Physical) ([]fragment, error) {
	if limit, ok := root.(*plan.LimitRows); ok {
		q.result = newCollector(q, limit.Number, limit.Offset, limit.Count)
		q.result.limits = true
		return q.fragments(limit.Input)
	}
	q.result = newCollector(q, root.Common().Number, 0, -1)
	return q.fragments(root)
}

// fragments gives the fragments whose rows, one after another, are the operator's. Breakers below it become stages.
func (q *Execution) fragments(p plan.Physical) ([]fragment, error) {
	switch p := p.(type) {
	case *plan.TableScan:
		return []fragment{{open: q.openScan(p), scan: p.Number}}, nil
	case *plan.ValuesScan:
		return []fragment{{open: q.openValues(p), scan: p.Number}}, nil
	case *plan.FilterRows:
		return q.over(p.Input, newFilter(p))
	case *plan.ProjectColumns:
		return q.over(p.Input, newProject(p))
	case *plan.ConcatRows:
		var all []fragment
		for _, source := range p.Sources {
			fragments, err := q.over(source, concat{operator: p.Number})
			if err != nil {
				return nil, err
			}
			all = append(all, fragments...)
		}
		return all, nil
	case *plan.HashAggregate:
		sink, err := newAggregate(q, p)
		if err != nil {
			return nil, err
		}
		return q.breaker(p.Input, sink, orderSensitive(p), sink.open)
	case *plan.SortRows:
		sink := newSort(q, p)
		return q.breaker(p.Input, sink, false, sink.open)
	case *plan.WindowRows:
		sink, err := newWindow(q, p)
		if err != nil {
			return nil, err
		}
		return q.breaker(p.Input, sink, false, sink.open)
	case *plan.LimitRows:
		sink := newLimit(q, p)
		return q.breaker(p.Input, sink, false, sink.open)
	case *plan.UnnestRows:
		return q.over(p.Input, newUnnest(p))
	case *plan.SampleRows:
		if p.Method == plan.SampleReservoir {
			sink := newReservoir(q, p)
			return q.breaker(p.Input, sink, false, sink.open)
		}
		return q.over(p.Input, newSample(p))
	case *plan.MaterializeRows:
		return q.materialize(p)
	case *plan.MaterializedScan:
		return []fragment{{open: q.openStored(p), scan: p.Number}}, nil
	case *plan.RecurseRows:
		return []fragment{{open: q.openRecursion(p), scan: p.Number}}, nil
	case *plan.HashJoin:
		return q.joinFragments(joinInput{
			Operator: p.Operator, kind: p.Kind, left: p.Left, right: p.Right, buildLeft: p.BuildLeft, keys: p.Keys, condition: p.Condition, mark: p.Mark,
			columns: p.Columns, publish: p.Publish,
		})
	case *plan.LoopJoin:
		in := joinInput{
			Operator: p.Operator, kind: p.Kind, left: p.Left, right: p.Right, ranges: p.Ranges, condition: p.Condition, columns: p.Columns,
		}
		if p.Mark != nil {
			in.mark = &plan.PhysicalMark{Condition: p.Mark}
		}
		return q.joinFragments(in)
	case *plan.WriteRows:
		sink := newWrite(q, p)
		return q.breaker(p.Input, sink, false, sink.open)
	}
	return nil, types.Errorf(types.CodeInternal, "no operator for %T", p)
}

// over puts a streaming operator on top of every fragment of the input.
func (q *Execution) over(input plan.Physical, op operator) ([]fragment, error) {
	fragments, err := q.fragments(input)
	for i := range fragments {
		fragments[i].operators = append(fragments[i].operators, op)
	}
	return fragments, err
}

// breaker makes a stage that ends in a sink, and a fragment that reads what the sink then holds.
func (q *Execution) breaker(input plan.Physical, s sink, serial bool, open func(context.Context) (source, error)) ([]fragment, error) {
	built, err := q.stage(input, builtStage{sink: s, open: open}, serial)
	return []fragment{{open: built.open, scan: s.number()}}, err
}

// builtStage is a sink that a stage fills, and how to read what it holds then, if it is read as a source.
type builtStage struct {
	sink sink
	open func(context.Context) (source, error)
}

// stage makes a stage that feeds the input to a sink. In a recursive step a sink whose input is the same in each iteration is filled once: what comes
// back is then the first iteration's.
func (q *Execution) stage(input plan.Physical, s builtStage, serial bool) (builtStage, error) {
	level := q.recursion.invariant(s.sink.number(), input)
	if level != nil {
		if built, ok := level.built[s.sink.number()]; ok {
			return built, nil
		}
	}
	fragments, err := q.fragments(input)
	if err != nil {
		return builtStage{}, err
	}
	q.stages = append(q.stages, &stage{fragments: fragments, sink: s.sink, serial: serial})
	if level != nil {
		level.built[s.sink.number()] = s
	}
	return s, nil
}

// orderSensitive reports whether an aggregate's result depends on the order in which it sees the rows, which is the source's.
// With an order of its own it does not: ties keep the source's.
func orderSensitive(p *plan.HashAggregate) bool {
	return slices.ContainsFunc(p.Aggregates, func(a plan.PhysicalAggregate) bool { return a.Function.OrderSensitive && len(a.Order) == 0 })
}

// concat is UNION ALL: the rows of its inputs are its own. The work is done by claiming the morsels of one fragment after another.
type concat struct{ operator int }

func (c concat) number() int                    { return c.operator }
func (c concat) newState(*worker) operatorState { return c }

func (c concat) push(b *types.Batch, next func(*types.Batch) error) error { return next(b) }

func checkBatch(schema types.Schema, b *types.Batch) error {
	if len(b.Columns) != len(schema) {
		return types.Errorf(types.CodeInternal, "a scan of %d columns gave %d", len(schema), len(b.Columns))
	}
	for i, v := range b.Columns {
		if v.Len() != b.Rows || !v.Type().Equal(schema[i].Type) {
			return types.Errorf(types.CodeInternal, "a scan gave %d rows of %s in column %s, which is %s, for a batch of %d rows",
				v.Len(), v.Type(), schema[i].Name, schema[i].Type, b.Rows)
		}
	}
	return nil
}

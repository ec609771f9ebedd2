package plan

import (
	"encoding/binary"
	"math"
	"math/big"
	"time"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// estimate is what the optimizer believes about the rows that a node gives. Estimates steer costs, never correctness.
type estimate struct {
	rows float64
	// known is false when rows depends on a table that does not know its own number.
	known bool
	// base is what rows would be if no filter had removed any: the number of combinations of keys that there may be.
	base    float64
	columns map[ColumnID]columnEstimate
}

// columnEstimate describes the values of one column.
type columnEstimate struct {
	// distinct is the number of values among the node's rows, at least 1.
	distinct float64
	// domain is the number of values that the column takes where only conditions on itself have removed some. A join's partner column is assumed to
	// draw from the same domain, whichever of its rows other filters left.
	domain float64
	// guessed says that no source has counted the values.
	guessed bool
	// low and high bound the values on the line of numbers that position puts them on, when bounded.
	low, high float64
	bounded   bool
	nulls     float64 // share of the rows
	// origin is the column of a shared result that the values come from, or 0. What several scans of one result give is not independent.
	origin ColumnID
}

// unknownRows is assumed of tables that do not know their number of rows.
const unknownRows = 100_000

// expansion is the assumed average length of unnested lists.
const expansion = 4

// copy gives an independent copy, to be changed.
func (e *estimate) copy() *estimate {
	c := *e
	c.columns = make(map[ColumnID]columnEstimate, len(e.columns))
	for id, column := range e.columns {
		c.columns[id] = column
	}
	return &c
}

// operatorRows gives the rows for Operator.Rows: negative when unknown.
func (e *estimate) operatorRows() float64 {
	if !e.known {
		return -1
	}
	return math.Round(e.rows)
}

// reduce gives the estimate with fewer rows, chosen independently of all columns' values.
func (e *estimate) reduce(rows float64) {
	if rows >= e.rows {
		return
	}
	share := rows / e.rows
	for id, c := range e.columns {
		c.distinct = remaining(c.distinct, e.rows, share)
		e.columns[id] = c
	}
	e.rows = rows
}

// remaining gives the number of distinct values, each on equally many of the rows, of which a random share of the rows shows at least one.
func remaining(distinct, rows, share float64) float64 {
	if distinct <= 1 || rows <= 0 {
		return max(distinct, 1)
	}
	return max(1, distinct*(1-math.Pow(1-share, rows/distinct)))
}

// estimator computes estimates of one plan's nodes. It keeps them by node, which is immutable.
type estimator struct {
	known  map[Node]*estimate
	shared map[SharedID]Node // definitions
}

// newEstimator makes an estimator for the nodes of a plan, and for new ones that rules make of them.
func newEstimator(root Node) *estimator {
	e := &estimator{known: map[Node]*estimate{}, shared: map[SharedID]Node{}}
	Walk(root, func(n Node) {
		switch n := n.(type) {
		case *Shared:
			e.shared[n.ID] = n.Definition
		case *Recursive:
			e.shared[n.ID] = n.Initial
		}
	})
	return e
}

// of estimates a node's output. The result is not to be changed.
func (e *estimator) of(n Node) *estimate {
	if known := e.known[n]; known != nil {
		return known
	}
	est := e.compute(n)
	est.rows, est.base = max(est.rows, 0), max(est.base, 1)
	e.known[n] = est
	return est
}

func (e *estimator) compute(n Node) *estimate {
	switch n := n.(type) {
	case *Scan:
		return scanEstimate(n)
	case *Values:
		return valuesEstimate(n)
	case *Filter:
		est := e.of(n.Input).copy()
		est.filter(n.Conditions)
		return est
	case *Project:
		in := e.of(n.Input)
		est := &estimate{rows: in.rows, known: in.known, base: in.base, columns: map[ColumnID]columnEstimate{}}
		for i, c := range n.Output {
			est.columns[c.ID] = in.expression(n.Exprs[i])
		}
		return est
	case *Sort:
		return e.of(n.Input)
	case *Limit:
		in := e.of(n.Input)
		est := in.copy()
		est.reduce(limited(in.rows, n.Count, n.Offset))
		// At most so many rows: known, however many there are below.
		est.known = in.known || n.Count >= 0
		return est
	case *Sample:
		est := e.of(n.Input).copy()
		if n.Method == SampleReservoir {
			est.reduce(float64(n.Rows))
		} else {
			est.reduce(est.rows * n.Percent / 100)
		}
		return est
	case *Aggregate:
		return e.aggregate(n)
	case *Distinct:
		in := e.of(n.Input)
		var keys []*expr.Expr
		for _, c := range n.Columns() {
			keys = append(keys, c.Ref())
		}
		est := in.copy()
		est.reduce(in.groups(keys))
		return est
	case *UnionAll:
		return e.unionAll(n)
	case *Join:
		return joinEstimate(n, outputSet(n.Left), outputSet(n.Right), e.of(n.Left), e.of(n.Right))
	case *Window:
		est := e.of(n.Input).copy()
		for _, c := range n.Calls {
			est.columns[c.Output.ID] = anyColumn(est.rows)
		}
		return est
	case *Unnest:
		in := e.of(n.Input)
		est := in.copy()
		est.rows, est.base = in.rows*expansion, in.base*expansion
		for _, c := range n.Output {
			est.columns[c.ID] = anyColumn(est.rows)
		}
		if n.Ordinality != nil {
			est.columns[n.Ordinality.ID] = anyColumn(expansion)
		}
		return est
	case *Shared:
		e.shared[n.ID] = n.Definition
		return e.of(n.Body)
	case *SharedScan:
		return e.sharedScan(n)
	case *Recursive:
		in := e.of(n.Initial)
		est := &estimate{rows: in.rows * expansion, base: in.base * expansion, columns: map[ColumnID]columnEstimate{}}
		for i, c := range n.Initial.Columns() {
			est.columns[n.Output[i].ID] = in.column(c.ID)
		}
		return est
	}
	panic("plan: no estimate of a node")
}

// anyColumn describes a column of which nothing is known.
func anyColumn(rows float64) columnEstimate {
	return columnEstimate{distinct: max(1, rows), domain: max(1, rows), guessed: true}
}

// column gives what is known of a column.
func (e *estimate) column(id ColumnID) columnEstimate {
	if c, ok := e.columns[id]; ok {
		return c
	}
	return anyColumn(e.rows)
}

// expression describes the values of an expression over the columns.
func (e *estimate) expression(x *expr.Expr) columnEstimate {
	switch x.Op {
	case expr.Column:
		return e.column(x.Column)
	case expr.Constant:
		c := columnEstimate{distinct: 1, domain: 1}
		if x.IsNullConstant() {
			c.nulls = 1
		} else if p, ok := position(x.Value); ok {
			c.low, c.high, c.bounded = p, p, true
		}
		return c
	case expr.Cast:
		if keepsPosition(x.Args[0].Type, x.Type) {
			return e.expression(x.Args[0])
		}
	}
	// As many values as there are combinations of those that it is computed from.
	c := columnEstimate{distinct: 1, domain: 1, guessed: true}
	seen := columnSet{}
	x.Columns(func(id ColumnID) {
		if seen.has(id) {
			return
		}
		seen[id] = true
		in := e.column(id)
		c.distinct, c.domain = c.distinct*in.distinct, c.domain*in.domain
		c.nulls = 1 - (1-c.nulls)*(1-in.nulls)
	})
	c.distinct, c.domain = min(c.distinct, max(1, e.rows)), min(c.domain, max(1, e.base))
	if x.Type.Kind() == types.KindBoolean {
		c.distinct, c.domain = min(c.distinct, 2), min(c.domain, 2)
	}
	if !x.Nullable {
		c.nulls = 0
	}
	return c
}

// keepsPosition reports whether a cast leaves values at their position.
func keepsPosition(from, to types.Type) bool {
	moment := func(t types.Type) bool { return t.Kind() == types.KindDate || t.Kind() == types.KindTimestamp }
	return from.IsNumeric() && to.IsNumeric() || moment(from) && moment(to)
}

// groups gives the number of groups of the rows by keys, NULL being a value.
func (e *estimate) groups(keys []*expr.Expr) float64 {
	groups := 1.0
	for _, k := range keys {
		c := e.expression(k)
		if c.guessed && k.Type.Kind() == types.KindVarchar {
			c.distinct = min(c.distinct, guessedTexts) // texts that are grouped by are mostly names of few things
		}
		if c.nulls > 0 {
			c.distinct++
		}
		groups *= c.distinct
	}
	return min(groups, e.rows)
}

func (e *estimator) aggregate(n *Aggregate) *estimate {
	in := e.of(n.Input)
	est := &estimate{rows: 1, known: in.known, base: 1, columns: map[ColumnID]columnEstimate{}}
	keys := make([]*expr.Expr, len(n.Groups))
	base := 1.0
	for i, g := range n.Groups {
		keys[i] = g.Expr
		base *= in.expression(g.Expr).domain
	}
	switch {
	case n.Sets != nil:
		est.rows = 0
		for _, set := range n.Sets {
			var chosen []*expr.Expr
			for _, k := range set {
				chosen = append(chosen, keys[k])
			}
			est.rows += max(in.groups(chosen), 1)
		}
		est.base = est.rows
	case len(keys) > 0:
		est.rows, est.base = in.groups(keys), min(base, in.base)
	default:
		est.known = true
	}
	for i, g := range n.Groups {
		c := in.expression(keys[i])
		c.distinct = min(c.distinct, max(1, est.rows))
		est.columns[g.Output.ID] = c
	}
	for _, a := range n.Aggregates {
		est.columns[a.Output.ID] = anyColumn(est.rows)
	}
	return est
}

func (e *estimator) unionAll(n *UnionAll) *estimate {
	est := &estimate{known: true, columns: map[ColumnID]columnEstimate{}}
	for _, input := range n.Inputs {
		in := e.of(input)
		est.rows, est.base, est.known = est.rows+in.rows, est.base+in.base, est.known && in.known
	}
	for i, output := range n.Output {
		var all columnEstimate
		nulls := 0.0
		for j, input := range n.Inputs {
			in := e.of(input)
			c := in.column(input.Columns()[i].ID)
			nulls += c.nulls * in.rows
			if j == 0 {
				all = c
				continue
			}
			all.distinct, all.domain = max(all.distinct, c.distinct), max(all.domain, c.domain)
			all.low, all.high = min(all.low, c.low), max(all.high, c.high)
			all.bounded, all.guessed = all.bounded && c.bounded, true
		}
		if est.rows > 0 {
			all.nulls = nulls / est.rows
		}
		est.columns[output.ID] = all
	}
	return est
}

func (e *estimator) sharedScan(n *SharedScan) *estimate {
	definition := e.shared[n.ID]
	if definition == nil {
		return &estimate{rows: unknownRows, base: unknownRows}
	}
	in := e.of(definition)
	est := &estimate{rows: in.rows, known: in.known, base: in.base, columns: map[ColumnID]columnEstimate{}}
	for i, c := range n.Output {
		if column, ok := in.columns[n.Source[i]]; ok { // a step of a recursion names the recursion's own columns
			if column.origin == 0 {
				column.origin = n.Source[i]
			}
			est.columns[c.ID] = column
		}
	}
	return est
}

func valuesEstimate(n *Values) *estimate {
	rows := float64(len(n.Rows))
	est := &estimate{rows: rows, known: true, base: rows, columns: map[ColumnID]columnEstimate{}}
	for _, c := range n.Output {
		est.columns[c.ID] = columnEstimate{distinct: max(1, rows), domain: max(1, rows)}
	}
	return est
}

func scanEstimate(n *Scan) *estimate {
	stats := n.Table.Statistics()
	est := &estimate{rows: unknownRows, columns: map[ColumnID]columnEstimate{}}
	if stats.RowsConfidence != catalog.Unknown {
		est.rows, est.known = float64(stats.Rows), true
	}
	est.base = est.rows
	for i, c := range n.Output {
		var of catalog.ColumnStatistics
		if path := n.Source[i]; path.Column < len(stats.Columns) && len(path.Fields) == 0 {
			of = stats.Columns[path.Column]
		}
		est.columns[c.ID] = sourceColumn(c.Type, of, est.rows)
	}
	return est
}

// guessedTexts is the number of values that a text column is taken to have at least, when it has as many rows and nothing else is known; beyond that a
// tenth of the rows. Both are guesses.
const guessedTexts = 50

// sourceColumn describes a column of a table.
func sourceColumn(t types.Type, s catalog.ColumnStatistics, rows float64) columnEstimate {
	c := columnEstimate{guessed: true, distinct: max(min(rows, guessedTexts), rows/10)}
	if s.NullsConfidence != catalog.Unknown && rows > 0 {
		c.nulls = min(1, float64(s.Nulls)/rows)
	}
	if s.BoundsConfidence != catalog.Unknown && s.Min != nil && s.Max != nil {
		low, okLow := position(s.Min)
		high, okHigh := position(s.Max)
		if okLow && okHigh && low <= high {
			c.low, c.high, c.bounded = low, high, true
		}
	}
	switch step := positionStep(t); {
	case t.Kind() == types.KindBoolean:
		c.distinct = 2
	case c.bounded && step > 0:
		c.distinct = min(rows, (c.high-c.low)/step+1)
	case t.IsNumeric() || t.IsTemporal():
		c.distinct = rows
	}
	if s.DistinctConfidence != catalog.Unknown {
		// Sources add up what parts of a table have: no more than there are values between the bounds.
		counted := float64(s.Distinct)
		if step := positionStep(t); c.bounded && step > 0 {
			counted = min(counted, (c.high-c.low)/step+1)
		}
		c.distinct, c.guessed = counted, false
	}
	c.distinct = max(1, min(c.distinct, rows*(1-c.nulls)))
	c.domain = c.distinct
	return c
}

// position puts a value that is not NULL on a line of numbers that keeps the order of its type: dates and times in seconds, texts by their first bytes.
// False for types without such a line.
func position(v *types.Vector) (float64, bool) {
	switch x := types.Value(v, 0).(type) {
	case bool:
		if x {
			return 1, true
		}
		return 0, true
	case int8:
		return float64(x), true
	case int16:
		return float64(x), true
	case int32:
		return float64(x), true
	case int64:
		return float64(x), true
	case uint8:
		return float64(x), true
	case uint16:
		return float64(x), true
	case uint32:
		return float64(x), true
	case uint64:
		return float64(x), true
	case *big.Int:
		f, _ := new(big.Float).SetInt(x).Float64()
		return f, true
	case float32:
		return float64(x), !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0)
	case float64:
		return x, !math.IsNaN(x) && !math.IsInf(x, 0)
	case types.DecimalValue:
		f, _ := new(big.Float).SetInt(x.Unscaled).Float64()
		return f / math.Pow10(x.Scale), true
	case time.Time:
		return float64(x.Unix()) + float64(x.Nanosecond())/1e9, true
	case time.Duration:
		return x.Seconds(), true
	case string:
		return textPosition(x), v.Type().Kind() == types.KindVarchar
	}
	return 0, false
}

// textPosition reads the first six bytes as a number: as many as a float64 holds exactly.
func textPosition(s string) float64 {
	var b [8]byte
	copy(b[2:], s)
	return float64(binary.BigEndian.Uint64(b[:]))
}

// positionStep gives the distance between neighbouring values of a type; 0 where there are more than can be counted.
func positionStep(t types.Type) float64 {
	switch {
	case t.IsInteger():
		return 1
	case t.Kind() == types.KindDate:
		return 24 * 60 * 60
	case t.Kind() == types.KindDecimal:
		return math.Pow10(-t.Scale())
	}
	return 0
}

package sql

import (
	"math"
	"strconv"

	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// sample binds TABLESAMPLE and USING SAMPLE; nil leaves the node as it is. A number of rows is taken by RESERVOIR, a percentage by SYSTEM where no
// method is written.
func (b *binder) sample(n *Sample, node plan.Node) (plan.Node, error) {
	if n == nil {
		return node, nil
	}
	amount, err := strconv.ParseFloat(n.Amount, 64)
	if err != nil {
		return nil, b.errorAt(n, types.CodeInvalidParameter, "the size of a sample must be a number, not %s", n.Amount)
	}
	s := &plan.Sample{Input: node}
	switch {
	case n.Unit == SampleRows && (n.Method == "" || n.Method == "RESERVOIR"):
		if amount != math.Trunc(amount) || amount < 0 || amount >= math.MaxInt64 {
			return nil, b.errorAt(n, types.CodeInvalidParameter, "the number of rows of a sample must be a whole number, not %s", n.Amount)
		}
		s.Method, s.Rows = plan.SampleReservoir, int64(amount)
	case n.Unit == SampleRows:
		return nil, b.errorAt(n, types.CodeInvalidParameter, "sample method %s takes a percentage, not a number of rows", n.Method)
	case n.Method == "RESERVOIR":
		return nil, b.unsupported(n, "sample method RESERVOIR with a percentage")
	case n.Method != "" && n.Method != "SYSTEM" && n.Method != "BERNOULLI":
		return nil, b.errorAt(n, types.CodeInvalidParameter, "sample method %q does not exist", n.Method).
			WithHint("There are BERNOULLI, SYSTEM and RESERVOIR.")
	case !(amount >= 0 && amount <= 100):
		return nil, b.errorAt(n, types.CodeInvalidParameter, "the percentage of a sample must be between 0 and 100, not %s", n.Amount)
	default:
		s.Percent, s.Method = amount, plan.SampleSystem
		if n.Method == "BERNOULLI" {
			s.Method = plan.SampleBernoulli
		}
	}
	if n.Seed != "" {
		if s.Seed, err = strconv.ParseInt(n.Seed, 10, 64); err != nil {
			return nil, b.errorAt(n, types.CodeInvalidParameter, "the seed of a sample must be a whole number, not %s", n.Seed)
		}
		s.Seeded = true
	}
	return s, nil
}

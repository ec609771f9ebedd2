package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// A plan says what is measured and how long.
type plan struct {
	sizes         []int
	nulls         []int // percent
	selectivities []int // percent, of filters
	tiers         []string
	rounds        int
	sample        time.Duration // a sample repeats its work for at least this time
	only          func(kernel string) bool
}

// slowPeer is the time of one run past which arrow-go is not asked again: its string filter can be quadratic.
const slowPeer = 3 * time.Second

// workloads gives the workloads of a size and share of nulls, each family made when its turn comes.
func (p *plan) workloads(in *inputs, nulls int) func(yield func(workload) bool) {
	families := []func() []workload{
		func() []workload { return compareWorkloads(in, nulls) },
		func() []workload { return filterWorkloads(in, nulls, p.selectivities) },
		func() []workload { return takeWorkloads(in, nulls) },
		func() []workload { return logicWorkloads(in, nulls) },
		func() []workload { return bitmapWorkloads(in, nulls) },
		func() []workload { return castWorkloads(in, nulls) },
		func() []workload { return aggregateWorkloads(in, nulls) },
		func() []workload { return hashWorkloads(in, nulls) },
		func() []workload { return decodeWorkloads(in, nulls) },
		func() []workload { return nullWorkloads(in, nulls) },
	}
	return func(yield func(workload) bool) {
		for _, family := range families {
			for _, w := range family() {
				if p.only(w.kernel) && !yield(w) {
					return
				}
			}
		}
	}
}

// measureAll measures everything of a plan and passes each figure on as it comes. The first wrong result ends it.
func measureAll(p *plan, report func(figure)) error {
	memory := &probes{}
	for _, rows := range p.sizes {
		for _, nulls := range p.nulls {
			in := newInputs(rows)
			for w := range p.workloads(in, nulls) {
				figures, err := measure(p, memory, rows, &w)
				if err != nil {
					return fmt.Errorf("%s, %d rows: %w", &w, rows, err)
				}
				for _, f := range figures {
					report(f)
				}
			}
		}
	}
	return nil
}

// contender is one of those that take turns: a tier, arrow-go or a probe.
type contender struct {
	tier    string // switched to for a sample; empty: none
	run     func() error
	repeats int
	nanos   []float64 // of one run, per round
}

// measure checks a workload under each tier and then lets the tiers, arrow-go and the probe take turns. There is a figure per tier.
func measure(p *plan, memory *probes, rows int, w *workload) ([]figure, error) {
	env := &kernels.Env{Pool: types.NewPool(), Rows: rows}
	var all []*contender
	for _, tier := range p.tiers {
		restore, err := asm.Use(tier)
		if err != nil {
			return nil, err
		}
		err = w.verify(env)
		restore()
		if err != nil {
			return nil, fmt.Errorf("%s: wrong result: %w", tier, err)
		}
		all = append(all, &contender{tier: tier, run: inPool(env, w)})
	}
	var peer, probe *contender
	if w.peer != nil {
		peer = &contender{run: w.peer}
		all = append(all, peer)
	}
	moved := 0
	if w.probe != probeNone {
		probe = &contender{}
		probe.run, moved = memory.function(w.probe, w.bytes)
		all = append(all, probe)
	}
	runtime.GC()
	for _, c := range all {
		if err := c.calibrate(p.sample); err != nil {
			return nil, err
		}
	}
	for range p.rounds {
		for _, c := range all {
			if err := c.sample(); err != nil {
				return nil, err
			}
		}
	}

	var figures []figure
	for i, tier := range p.tiers {
		f := figure{
			Kernel: w.kernel, Type: w.typ, Nulls: w.nulls, Selectivity: w.selectivity, Rows: rows, Tier: tier,
			Nanos: all[i].median() / float64(rows), Bytes: float64(w.bytes) / float64(rows),
		}
		if peer != nil {
			f.PeerNanos = peer.median() / float64(rows)
		}
		if probe != nil {
			f.Probe, f.ProbeGBs = string(w.probe), float64(moved)/probe.median()
		}
		if tier == p.tiers[len(p.tiers)-1] && tier != "generic" {
			f.GoalPeer, f.GoalLimit = w.goal.at(rows)
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// inPool runs a workload as a pipeline does, with buffers that come back after each batch.
func inPool(env *kernels.Env, w *workload) func() error {
	return func() error {
		mark := env.Pool.Mark()
		err := w.run(env)
		env.Pool.Release(mark)
		return err
	}
}

// calibrate warms up and finds how many runs fill a sample.
func (c *contender) calibrate(sample time.Duration) error {
	c.repeats = 1
	for {
		took, err := c.repeat()
		if err != nil {
			return err
		}
		if took > slowPeer {
			c.repeats = 0
			c.nanos = []float64{float64(took)}
			return nil
		}
		if took >= sample {
			return nil
		}
		c.repeats = max(c.repeats*2, int(float64(c.repeats)*float64(sample)/float64(took+1)*1.1))
	}
}

// repeat gives the time that the repeats took.
func (c *contender) repeat() (time.Duration, error) {
	if c.tier != "" {
		restore, err := asm.Use(c.tier)
		if err != nil {
			return 0, err
		}
		defer restore()
	}
	start := time.Now()
	for range c.repeats {
		if err := c.run(); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

func (c *contender) sample() error {
	if c.repeats == 0 {
		return nil
	}
	took, err := c.repeat()
	c.nanos = append(c.nanos, float64(took)/float64(c.repeats))
	return err
}

func (c *contender) median() float64 {
	slices.Sort(c.nanos)
	n := len(c.nanos)
	return (c.nanos[(n-1)/2] + c.nanos[n/2]) / 2
}

package exec

import (
	"context"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// groupPart is groups with their states: a worker's, or the finished ones of a partition.
type groupPart struct {
	aggregate    *aggregate
	table        *groupTable // nil without keys: one group
	accumulators []expr.Accumulator
	distinct     []*groupTable // by aggregate; nil without DISTINCT
	ordered      [][]kept      // by aggregate: the rows of one with ORDER BY; see noteOrdered
	resized      int           // groups that the accumulators have room for
	states       int64         // bytes reserved for the accumulators
}

func (a *aggregate) newPart() *groupPart {
	p := &groupPart{aggregate: a, distinct: make([]*groupTable, len(a.distinct)), ordered: make([][]kept, len(a.order))}
	if a.grouped() {
		p.table = newGroupTable(a.keys, a.memory)
	}
	for i, call := range a.plan.Aggregates {
		p.accumulators = append(p.accumulators, call.Function.New())
		if a.distinct[i] != nil {
			p.distinct[i] = newGroupTable(a.distinct[i], a.memory)
		}
	}
	return p
}

// groups gives the number of groups.
func (p *groupPart) groups() int {
	if p.table == nil {
		return 1
	}
	return p.table.rows()
}

// resize makes room for every group in each accumulator.
func (p *groupPart) resize() error {
	n := p.groups()
	if n == p.resized {
		return nil
	}
	// The room is reserved before it is there; chargeStates adds what the accumulators keep beside it.
	if size := int64(n) * p.aggregate.groupBytes; size > p.states {
		if err := p.aggregate.memory.Grow(size - p.states); err != nil {
			return err
		}
		p.states = size
	}
	p.resized = n
	for _, acc := range p.accumulators {
		if err := acc.Resize(n); err != nil {
			return err
		}
	}
	return nil
}

// chargeStates reserves what the accumulators have grown by.
func (p *groupPart) chargeStates() error {
	size := int64(0)
	for _, acc := range p.accumulators {
		size += acc.Size()
	}
	if size <= p.states {
		return nil
	}
	if err := p.aggregate.memory.Grow(size - p.states); err != nil {
		return err
	}
	p.states = size
	return nil
}

// size gives the bytes that are reserved for the part.
func (p *groupPart) size() int64 {
	size := p.states
	if p.table != nil {
		size += p.table.charged
	}
	for _, t := range p.distinct {
		if t != nil {
			size += t.charged
		}
	}
	for _, rows := range p.ordered {
		for _, k := range rows {
			size += k.size
		}
	}
	return size
}

// findInSet gives rows their groups by one grouping set, whose keys are plain vectors.
func (p *groupPart) findInSet(env *kernels.Env, set int, keys []*types.Vector, rows int, active types.Bitmap, groups []uint32) error {
	sets := p.aggregate.plan.Sets
	if sets == nil {
		return p.table.find(env, keys, rows, active, groups)
	}
	all := make([]*types.Vector, len(p.aggregate.plan.Keys)+1)
	for i, k := range sets[set] {
		all[k] = keys[i]
	}
	number := types.Alloc[int64](env.Pool, rows)
	for i := range number {
		number[i] = int64(set)
	}
	all[len(all)-1] = types.NewFixed(types.BigInt, number, nil)
	return p.table.find(env, all, rows, active, groups)
}

// addEmptySets adds the groups of grouping sets without keys, which are there without rows too.
func (p *groupPart) addEmptySets() error {
	for set, keys := range p.aggregate.plan.Sets {
		if len(keys) == 0 {
			if err := p.findInSet(&kernels.Env{}, set, nil, 1, nil, make([]uint32, 1)); err != nil {
				return err
			}
		}
	}
	return nil
}

// noteDistinct notes the active rows' groups and inputs for aggregate number i.
func (p *groupPart) noteDistinct(env *kernels.Env, i int, groups []uint32, inputs []*types.Vector, rows int) error {
	var values []*types.Vector
	if groups != nil {
		values = append(values, types.NewFixed(types.UInteger, groups, nil))
	}
	values = append(values, decodeAll(env, inputs)...)
	return p.distinct[i].find(env, values, rows, env.Active, types.Alloc[uint32](env.Pool, rows))
}

// addNoted updates the aggregates with DISTINCT with each combination of group and arguments once, and those with ORDER BY with their rows in order.
func (p *groupPart) addNoted(w *worker) error {
	for i, table := range p.distinct {
		switch {
		case table == nil && p.aggregate.order[i] == nil:
			continue
		case table == nil:
			if err := p.addOrdered(w, i); err != nil {
				return err
			}
			continue
		case p.aggregate.order[i] != nil:
			if err := p.addDistinctOrdered(w, i); err != nil {
				return err
			}
		default:
			if err := p.addDistinct(w, i); err != nil {
				return err
			}
		}
		table.free()
		p.distinct[i] = nil
	}
	return nil
}

func (p *groupPart) addDistinct(w *worker, i int) error {
	table := p.distinct[i]
	step := p.aggregate.query.options.BatchRows
	for from := 0; from < table.rows(); from += step {
		if err := context.Cause(w.ctx); err != nil {
			return err
		}
		to := min(table.rows(), from+step)
		mark := w.pool.Mark()
		groups, inputs := p.distinctRows(w.pool, i, from, to)
		if err := p.accumulators[i].Update(&kernels.Env{Pool: w.pool}, groups, inputs, to-from); err != nil {
			return err
		}
		if err := p.chargeStates(); err != nil {
			return err
		}
		w.pool.Release(mark)
	}
	return nil
}

// distinctRows gives combinations of group, nil without groups, and inputs.
func (p *groupPart) distinctRows(pool *types.Pool, i, from, to int) (groups []uint32, inputs []*types.Vector) {
	table := p.distinct[i]
	inputs = make([]*types.Vector, len(table.layout.types))
	for k := range inputs {
		inputs[k] = table.vector(pool, k, from, to)
	}
	if p.table != nil {
		groups, inputs = types.ValuesOf[uint32](inputs[0]), inputs[1:]
	}
	return groups, inputs
}

// partitions is the number of parts that groups are cut into by the highest bits of their hashes, when there are many.
const (
	partitionBits = 5
	partitions    = 1 << partitionBits
)

// groupChunk is unfinished groups in the form in which they are merged, and could be written out or sent: keys, state columns by aggregate,
// and for aggregates with DISTINCT or ORDER BY rows whose first value is the group's number in the chunk.
type groupChunk struct {
	keys     *keyRows // nil without keys
	states   [][]*types.Vector
	distinct []*keyRows
	ordered  [][]*types.Batch
	size     int64 // bytes reserved
}

// whole gives all groups as a chunk that shares the part's memory.
func (p *groupPart) whole() (*groupChunk, error) {
	chunk := &groupChunk{
		states: make([][]*types.Vector, len(p.accumulators)), distinct: make([]*keyRows, len(p.distinct)), ordered: make([][]*types.Batch, len(p.ordered)),
	}
	if p.table != nil {
		chunk.keys = &p.table.keyRows
	}
	for i, acc := range p.accumulators {
		if t := p.distinct[i]; t != nil {
			chunk.distinct[i] = &t.keyRows
			continue
		}
		if p.aggregate.order[i] != nil {
			for _, k := range p.ordered[i] {
				chunk.ordered[i] = append(chunk.ordered[i], k.batch)
			}
			continue
		}
		var err error
		if chunk.states[i], err = acc.State(nil, 0, p.groups()); err != nil {
			return nil, err
		}
	}
	return chunk, nil
}

// split cuts the part into chunks by the hash of the keys; nil for partitions without groups. The part's memory is given back.
func (p *groupPart) split() ([partitions]*groupChunk, error) {
	var chunks [partitions]*groupChunk
	whole, err := p.whole()
	if err != nil {
		return chunks, err
	}
	memory, reserved := p.aggregate.memory, p.size()
	if err := memory.Grow(reserved); err != nil {
		return chunks, err
	}
	members, place := partitionRows(whole.keys.rows(), func(row int) (partition uint64) { return whole.keys.hashes[row] >> (64 - partitionBits) })
	size := int64(0)
	for n, rows := range members {
		if len(rows) == 0 {
			continue
		}
		chunk := &groupChunk{
			keys: whole.keys.extract(rows), states: make([][]*types.Vector, len(whole.states)), distinct: make([]*keyRows, len(whole.distinct)),
			ordered: make([][]*types.Batch, len(whole.ordered)),
		}
		chunk.size = chunk.keys.size()
		for i, state := range whole.states {
			for _, v := range state {
				taken := kernels.Take(nil, v, rows, nil)
				chunk.states[i] = append(chunk.states[i], taken)
				chunk.size += vectorSize(taken)
			}
		}
		chunks[n] = chunk
	}
	for i, list := range whole.distinct {
		if list == nil {
			continue
		}
		number := list.layout.offsets[0]
		members, _ := partitionRows(list.rows(), func(row int) uint64 { return whole.keys.hashes[list.row(row)[number]] >> (64 - partitionBits) })
		for n, rows := range members {
			if chunks[n] == nil {
				continue
			}
			cut := list.extract(rows)
			for r := range cut.rows() {
				row := cut.row(r)
				row[number] = uint64(place[row[number]])
			}
			chunks[n].distinct[i] = cut
			chunks[n].size += cut.size()
		}
	}
	for i, batches := range whole.ordered {
		for _, b := range batches {
			numbers := types.ValuesOf[uint32](b.Columns[0])
			members, _ := partitionRows(b.Rows, func(row int) uint64 { return whole.keys.hashes[numbers[row]] >> (64 - partitionBits) })
			for n, rows := range members {
				if len(rows) > 0 {
					cut := takeOrdered(b, rows, place)
					chunks[n].ordered[i] = append(chunks[n].ordered[i], cut)
					chunks[n].size += columnsSize(cut.Columns)
				}
			}
		}
	}
	for _, chunk := range chunks {
		if chunk != nil {
			size += chunk.size
		}
	}
	if size > reserved {
		if err := memory.Grow(size - reserved); err != nil {
			return chunks, err
		}
	} else {
		memory.Shrink(reserved - size)
	}
	memory.Shrink(reserved)
	return chunks, nil
}

// partitionRows gives the rows of each partition and each row's place in its partition.
func partitionRows(rows int, partition func(row int) uint64) (members [partitions][]uint32, place []uint32) {
	place = make([]uint32, rows)
	for i := range rows {
		m := &members[partition(i)]
		place[i] = uint32(len(*m))
		*m = append(*m, uint32(i))
	}
	return members, place
}

// mergePart adds the groups of another part, which is not used any more.
func (p *groupPart) mergePart(ctx context.Context, o *groupPart) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	chunk, err := o.whole()
	if err != nil {
		return err
	}
	if err := p.merge(chunk); err != nil {
		return err
	}
	p.aggregate.memory.Shrink(o.size())
	return nil
}

// merge adds the groups of a chunk.
func (p *groupPart) merge(chunk *groupChunk) error {
	var groups []uint32
	if p.table != nil {
		groups = make([]uint32, chunk.keys.rows())
		if err := p.table.merge(chunk.keys, groups); err != nil {
			return err
		}
	}
	if err := p.resize(); err != nil {
		return err
	}
	for i, acc := range p.accumulators {
		var err error
		switch t := p.distinct[i]; {
		case t == nil && p.aggregate.order[i] != nil:
			err = p.mergeOrdered(i, chunk.ordered[i], groups)
		case t == nil:
			err = acc.Merge(nil, groups, chunk.states[i])
		case groups != nil:
			err = t.mergeMapped(chunk.distinct[i], groups)
		default:
			err = t.merge(chunk.distinct[i], make([]uint32, chunk.distinct[i].rows()))
		}
		if err != nil {
			return err
		}
	}
	return p.chargeStates()
}

// open reads the groups: keys, results, and the number of the set.
func (a *aggregate) open(context.Context) (source, error) {
	return &partSource{parts: a.parts, step: a.query.options.BatchRows}, nil
}

// partSource gives finished parts, each as a morsel: a part's accumulators are one worker's at a time.
type partSource struct {
	parts  []*groupPart
	step   int // rows of a batch
	number int
}

func (s *partSource) Next(context.Context) (catalog.Morsel, error) {
	if s.number == len(s.parts) {
		return nil, nil
	}
	s.number++
	return &partMorsel{part: s.parts[s.number-1], step: s.step, number: s.number - 1}, nil
}

func (s *partSource) Close() error { return nil }

type partMorsel struct {
	part             *groupPart
	step, number, at int
}

func (m *partMorsel) Number() int { return m.number }

func (m *partMorsel) Next(_ context.Context, pool *types.Pool) (*types.Batch, error) {
	p := m.part
	if m.at == p.groups() {
		return nil, nil
	}
	from, to := m.at, min(m.at+m.step, p.groups())
	m.at = to
	var columns []*types.Vector
	for k := range p.aggregate.plan.Keys {
		columns = append(columns, p.table.vector(pool, k, from, to))
	}
	for _, acc := range p.accumulators {
		v, err := acc.Finish(&kernels.Env{Pool: pool}, from, to)
		if err != nil {
			return nil, err
		}
		columns = append(columns, v)
	}
	if p.aggregate.plan.Grouping {
		columns = append(columns, p.table.vector(pool, len(p.aggregate.plan.Keys), from, to))
	}
	return types.NewBatch(columns, to-from, 0), nil
}

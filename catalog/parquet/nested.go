package parquet

import (
	"context"

	"github.com/lacunadb/lacuna/types"
)

// maxBatchEntries bounds the list elements of one batch. A few bytes of run lengths can claim billions.
const maxBatchEntries = 1 << 26

// levelBlock is how many levels are decoded at once.
const levelBlock = 512

// levelQueue holds levels of the present page that have been decoded but not used. Their values have not been read yet.
type levelQueue struct {
	definition, repetition [levelBlock]uint8
	from, to               int
}

// levels are the levels of a leaf for the rows of one batch: one of each for every value, null, or empty list.
type levels struct {
	definition []uint8
	repetition []uint8 // nil when the leaf is not repeated: all 0
}

// fill decodes a block of the present page's levels, which has entries left.
func (c *columnReader) fill() error {
	n := min(c.left, levelBlock)
	q := &c.levels
	if err := decodeLevels(q.definition[:n], &c.definition, c.leaf.maxDefinition); err != nil {
		return err
	}
	if err := decodeLevels(q.repetition[:n], &c.repetition, c.leaf.maxRepetition); err != nil {
		return err
	}
	q.from, q.to = 0, n
	c.left -= n
	return nil
}

func decodeLevels(dst []uint8, src *hybrid, most int) error {
	if most == 0 {
		clear(dst)
		return nil
	}
	var wide [levelBlock]uint32
	if err := src.read(wide[:len(dst)]); err != nil {
		return err
	}
	for i, level := range wide[:len(dst)] {
		if level > uint32(most) {
			return corrupt("level %d is above the greatest, %d", level, most)
		}
		dst[i] = uint8(level)
	}
	return nil
}

// rows passes over the next n rows of a column with nesting; with an output it keeps their levels and values. A row may go on in
// the next page, so the levels behind the last one are looked at.
func (c *columnReader) rows(ctx context.Context, pool *types.Pool, n int, out *output) (levels, error) {
	var l levels
	repeated := c.leaf.maxRepetition > 0
	kept := 0
	if out != nil {
		l.definition = pool.Bytes(n)
		if repeated {
			l.repetition = pool.Bytes(n)
		}
	}
	q := &c.levels
	for done := 0; ; {
		if q.from == q.to {
			if done == n && (!repeated || c.left == 0 && c.unseen == 0) {
				break
			}
			if c.left == 0 && c.unseen == 0 {
				return l, corrupt("the column chunk ends %d rows early", n-done)
			}
			if err := c.open(ctx); err != nil {
				return l, err
			}
			if err := c.fill(); err != nil {
				return l, err
			}
		}
		// The entries of the queue that belong to these rows.
		to, present := q.from, 0
		for ; to < q.to; to++ {
			if q.repetition[to] == 0 {
				if done == n {
					break
				}
				done++
			} else if done == 0 {
				return l, corrupt("the first row begins with repetition level %d", q.repetition[to])
			}
			if int(q.definition[to]) == c.leaf.maxDefinition {
				present++
			}
		}
		if out == nil {
			if err := c.skipValues(present); err != nil {
				return l, err
			}
		} else {
			if kept+to-q.from > maxBatchEntries {
				return l, unsupported("more than %d list elements in one batch are not supported", maxBatchEntries)
			}
			l.definition = appendLevels(pool, l.definition, kept, q.definition[q.from:to])
			if repeated {
				l.repetition = appendLevels(pool, l.repetition, kept, q.repetition[q.from:to])
			}
			kept += to - q.from
			if err := out.add(c, present); err != nil {
				return l, err
			}
		}
		stop := to < q.to
		q.from = to
		if stop {
			break
		}
	}
	if out != nil {
		l.definition = l.definition[:kept]
		if repeated {
			l.repetition = l.repetition[:kept]
		}
	}
	return l, nil
}

// appendLevels puts more levels behind the first n of dst, in twice the memory when they do not fit.
func appendLevels(pool *types.Pool, dst []uint8, n int, more []uint8) []uint8 {
	if n+len(more) > len(dst) {
		grown := pool.Bytes(max(n+len(more), 2*len(dst)))
		copy(grown, dst[:n])
		dst = grown
	}
	copy(dst[n:], more)
	return dst
}

// nestedReader reads a column or part of one that lies below optional structs, or is a list, map or struct itself: every leaf with its
// levels, and then the vectors from the levels.
type nestedReader struct {
	node   *node
	leaves []*columnReader // as eachLeaf gives them
}

func (r *nestedReader) skip(rows int) {
	for _, c := range r.leaves {
		c.skip(rows)
	}
}

func (r *nestedReader) read(ctx context.Context, pool *types.Pool, n int) (*types.Vector, error) {
	b := &builder{pool: pool, parts: make([]part, len(r.leaves))}
	for i, c := range r.leaves {
		if c.skipped > 0 {
			if _, err := c.rows(ctx, nil, c.skipped, nil); err != nil {
				return nil, err
			}
			c.skipped = 0
		}
		b.parts[i].out = newOutput(pool, c.leaf, n)
		var err error
		if b.parts[i].levels, err = c.rows(ctx, pool, n, b.parts[i].out); err != nil {
			return nil, err
		}
	}
	v, err := b.build(r.node, 0, 0, r.node.present > 0)
	if err == nil && v.Len() != n {
		err = corrupt("levels give %d rows instead of %d", v.Len(), n)
	}
	return v, err
}

// builder makes vectors from the leaves' levels and values.
//
// A node stands in a container: the rows, or the elements of the list or map around it. Its slots, one for each row or element, are the
// leaf entries whose definition level is at least the container's entry level and whose repetition level is not above the container's;
// entries with a higher one go on with a list inside the slot.
type builder struct {
	pool  *types.Pool
	parts []part
	next  int // the next leaf
}

type part struct {
	levels
	out *output
}

// build makes the vector of a node in a container of a repetition level and an entry level.
func (b *builder) build(n *node, repetition, entry int, nullable bool) (*types.Vector, error) {
	switch n.shape {
	case leafShape:
		return b.leaf(n, entry, nullable), nil
	case structShape:
		slots, validity := b.slots(n, repetition, entry, nullable)
		children, err := b.children(n.children, repetition, entry, slots)
		if err != nil {
			return nil, err
		}
		return types.NewStruct(n.field.Type, slots, children, validity), nil
	case restoredShape:
		v, err := b.build(n.children[0], repetition, entry, nullable)
		if err != nil {
			return nil, err
		}
		return fromWritten(b.pool, v, n.field.Type, true)
	}
	return b.list(n, repetition, entry, nullable)
}

func (b *builder) children(nodes []*node, repetition, entry, slots int) ([]*types.Vector, error) {
	children := make([]*types.Vector, len(nodes))
	for i, c := range nodes {
		v, err := b.build(c, repetition, entry, c.field.Nullable || c.noNulls)
		switch {
		case err != nil:
			return nil, err
		case v.Len() != slots:
			return nil, corrupt("field %s has %d values, %d are needed", c.field.Name, v.Len(), slots)
		case c.noNulls && types.NullCount(b.pool, v) > 0:
			return nil, corrupt("a map key is null")
		}
		children[i] = v
	}
	return children, nil
}

// leaf makes the vector of a leaf, whose repetition level is its container's.
func (b *builder) leaf(n *node, entry int, nullable bool) *types.Vector {
	p := &b.parts[b.next]
	b.next++
	if n.field.Type.Kind() == types.KindNull {
		slots := 0
		for _, d := range p.definition {
			slots += int(isAtLeast(d, entry))
		}
		return types.NewNull(n.field.Type, slots)
	}
	valid := b.pool.ZeroBitmap(len(p.definition))
	slots, most := 0, uint8(n.leaf.maxDefinition)
	for _, d := range p.definition {
		if d == most {
			valid.Set(slots)
		}
		slots += int(isAtLeast(d, entry))
	}
	v := p.out.finish(slots, valid[:types.BitmapWords(slots)])
	if !nullable && v.Validity() != nil {
		v = v.WithValidity(nil) // a null can only stand here because the struct around it is null
	}
	return v
}

func isAtLeast(level uint8, least int) uint8 {
	if int(level) >= least {
		return 1
	}
	return 0
}

// slots counts the slots of a struct and marks those that are not null, by the levels of its first leaf.
func (b *builder) slots(n *node, repetition, entry int, nullable bool) (int, types.Bitmap) {
	l := b.parts[b.next].levels
	valid := b.pool.ZeroBitmap(len(l.definition))
	slots, nulls := 0, false
	for i, d := range l.definition {
		if int(d) < entry || l.repetition != nil && int(l.repetition[i]) > repetition {
			continue
		}
		if int(d) >= n.present {
			valid.Set(slots)
		} else {
			nulls = true
		}
		slots++
	}
	if !nullable || !nulls {
		return slots, nil
	}
	return slots, valid[:types.BitmapWords(slots)]
}

// list makes the vector of a list or map.
func (b *builder) list(n *node, repetition, entry int, nullable bool) (*types.Vector, error) {
	l := b.parts[b.next].levels
	entries := types.Alloc[types.ListEntry](b.pool, len(l.definition))
	valid := b.pool.ZeroBitmap(len(l.definition))
	slots, elements, nulls := 0, int64(0), false
	for i, d := range l.definition {
		if int(d) < entry {
			continue
		}
		switch r := int(l.repetition[i]); {
		case r <= repetition: // a new slot
			entries[slots] = types.ListEntry{}
			if int(d) >= n.entry {
				entries[slots] = types.ListEntry{Offset: elements, Length: 1}
				elements++
			}
			if int(d) >= n.present {
				valid.Set(slots)
			} else {
				nulls = true
			}
			slots++
		case r == n.repetition && int(d) >= n.entry: // a further element
			if slots == 0 || entries[slots-1].Length == 0 {
				return nil, corrupt("a list goes on that has not begun")
			}
			entries[slots-1].Length++
			elements++
		}
		// A further entry without an element is none: DuckDB writes an ARRAY that is NULL as so many of them.
	}
	entries, valid = entries[:slots], valid[:types.BitmapWords(slots)]
	if !nullable || !nulls {
		valid = nil
	}
	children, err := b.children(n.children, n.repetition, n.entry, int(elements))
	if err != nil {
		return nil, err
	}
	child := children[0]
	if n.shape == mapShape {
		child = types.NewStruct(types.StructOf(n.field.Type.Fields()...), int(elements), children, nil)
	}
	return types.NewList(n.field.Type, entries, child, valid), nil
}

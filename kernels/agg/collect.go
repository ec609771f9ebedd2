package agg

import (
	"math"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

func registerCollect(set *expr.Set) {
	set.MustAdd(
		&expr.Family{
			Name:    "list",
			Aliases: []string{"array_agg"},
			BindAggregate: func(args []expr.Arg) (*expr.Aggregate, error) {
				if len(args) != 1 {
					return nil, nil
				}
				t := args[0].Type
				return collecting("list", t, types.ListOf(t), true, func(c *collected, env *kernels.Env, from, to int) (*types.Vector, error) {
					return c.lists(env, from, to), nil
				}), nil
			},
			Signatures:  []string{"list(x ANY) -> ANY[]"},
			Description: "The values of all rows, nulls too, as a list; NULL for no rows.",
			Example:     "list(x) FROM (VALUES (2), (NULL), (3)) t(x) = [2, NULL, 3]",
		},
		&expr.Family{
			Name:          "string_agg",
			Aliases:       []string{"group_concat", "listagg"},
			BindAggregate: bindStringAgg,
			Signatures:    []string{"string_agg(x VARCHAR [, separator VARCHAR]) -> VARCHAR"},
			Description:   "The texts that are not null, one after another with the separator, a constant, between them: a comma without one; NULL for none.",
			Example:       "string_agg(x) FROM (VALUES (2), (NULL), (3)) t(x) = 2,3",
		},
	)
}

// collecting makes an aggregate that keeps all values of its argument, or all that are not null.
func collecting(name string, arg, result types.Type, nulls bool, finish func(c *collected, env *kernels.Env, from, to int) (*types.Vector, error)) *expr.Aggregate {
	return &expr.Aggregate{
		Name: name, Args: []types.Type{arg}, Result: result, Nullable: true, State: []types.Type{types.ListOf(arg)}, OrderSensitive: true, Collects: true,
		New: func() expr.Accumulator { return &collected{typ: arg, nulls: nulls, result: finish} },
	}
}

func bindStringAgg(args []expr.Arg) (*expr.Aggregate, error) {
	separator, parameters := []byte(","), []*types.Vector(nil)
	switch len(args) {
	case 1:
	case 2:
		if args[1].Constant == nil {
			return nil, types.Errorf(types.CodeInvalidParameter, "the separator of string_agg must be a constant")
		}
		text, err := kernels.Cast(&kernels.Env{}, args[1].Constant, types.Varchar)
		if err != nil {
			return nil, err
		}
		separator, parameters = nil, []*types.Vector{text}
		if v, row, ok := text.Locate(0); ok {
			separator = append([]byte{}, types.ValuesOf[types.View](v)[row].Bytes(v.DataBuffers())...)
		}
	default:
		return nil, nil
	}
	a := collecting("string_agg", types.Varchar, types.Varchar, false, func(c *collected, env *kernels.Env, from, to int) (*types.Vector, error) {
		return c.joined(env, from, to, separator)
	})
	a.Parameters = parameters
	return a, nil
}

// collected keeps the values of each group in the order in which they come, for aggregates that need them all. Values lie in chunks as they came, with
// their groups; when results are wanted they are arranged by group.
type collected struct {
	typ    types.Type
	nulls  bool // nulls are values too
	result func(c *collected, env *kernels.Env, from, to int) (*types.Vector, error)

	count    int // groups
	chunks   []*types.Vector
	groups   []uint32 // of each row of all chunks
	bytes    int64    // in the chunks
	arranged bool     // there is one chunk, in which the values of a group are side by side: those of group g from starts[g] to starts[g+1]
	starts   []uint32
}

func (c *collected) Resize(n int) error {
	if n > c.count {
		c.count, c.arranged = n, false
	}
	return nil
}

func (c *collected) Size() int64 { return c.bytes + sizeOf(c.groups) + sizeOf(c.starts) }

func (c *collected) Update(env *kernels.Env, groups []uint32, args []*types.Vector, rows int) error {
	v, counted := args[0], activeOf(env)
	if !c.nulls {
		counted = types.AndBitmaps(poolOf(env), types.LogicalValidity(poolOf(env), v), counted, rows)
	}
	indices := types.Alloc[uint32](poolOf(env), rows)[:0]
	first := len(c.groups)
	for i := counted.NextSet(0, rows); i < rows; i = counted.NextSet(i+1, rows) {
		indices = append(indices, uint32(i))
		g := uint32(0)
		if groups != nil {
			g = groups[i]
		}
		c.groups = append(c.groups, g)
	}
	if len(c.groups) > math.MaxUint32 {
		c.groups = c.groups[:first]
		return types.Errorf(types.CodeProgramLimit, "an aggregate keeps more than the limit of %d values", uint32(math.MaxUint32))
	}
	c.add(v, indices)
	return nil
}

// maxChunks is the number of chunks from which they are put together, so that their cost per value stays small when batches are.
const maxChunks = 256

// add keeps rows of a vector, whose groups have been noted.
func (c *collected) add(v *types.Vector, rows []uint32) {
	if len(rows) == 0 {
		return
	}
	chunk := ownRows(v, rows)
	c.arranged = false
	c.chunks = append(c.chunks, chunk)
	c.bytes += int64(chunk.MemorySize())
	if len(c.chunks) >= maxChunks && c.chunks[len(c.chunks)-maxChunks/2].Len() < 2*len(c.groups)/maxChunks {
		c.setChunk(kernels.Concat(nil, c.chunks))
	}
}

// Merge adds the lists of other groups after this one's.
func (c *collected) Merge(env *kernels.Env, groups []uint32, columns []*types.Vector) error {
	v := kernels.Decode(env, columns[0])
	entries := types.ValuesOf[types.ListEntry](v)
	var rows []uint32
	eachRow(env, groups, v.Len(), func(group, row int) {
		if !v.Validity().Has(row) {
			return
		}
		for k := range entries[row].Length {
			rows = append(rows, uint32(entries[row].Offset+k))
			c.groups = append(c.groups, uint32(group))
		}
	})
	c.add(v.Children()[0], rows)
	return nil
}

// arrange puts the values of each group side by side.
func (c *collected) arrange() {
	if c.arranged {
		return
	}
	c.arranged = true
	c.starts = make([]uint32, c.count+1)
	sorted := true
	for i, g := range c.groups {
		c.starts[g+1]++
		sorted = sorted && (i == 0 || c.groups[i-1] <= g)
	}
	for g := range c.count {
		c.starts[g+1] += c.starts[g]
	}
	if len(c.groups) == 0 {
		return
	}
	all := c.chunks[0]
	if len(c.chunks) > 1 {
		all = kernels.Concat(nil, c.chunks)
	}
	if !sorted {
		next := append([]uint32(nil), c.starts...)
		order := make([]uint32, len(c.groups))
		for i, g := range c.groups {
			order[next[g]] = uint32(i)
			next[g]++
		}
		all = kernels.Take(nil, all, order, nil)
		for g := range c.count {
			for i := c.starts[g]; i < c.starts[g+1]; i++ {
				c.groups[i] = uint32(g)
			}
		}
	}
	c.setChunk(kernels.Decode(nil, all))
}

// setChunk makes a vector of all values the only chunk.
func (c *collected) setChunk(all *types.Vector) {
	c.chunks, c.bytes = []*types.Vector{all}, int64(all.MemorySize())
}

// values gives the arranged values of groups from to to as a plain vector, with the groups, counted from from, of each.
func (c *collected) values(env *kernels.Env, from, to int) (*types.Vector, []uint32) {
	c.arrange()
	first, end := int(c.starts[from]), int(c.starts[to])
	if first == end {
		return kernels.Decode(env, types.NewNull(c.typ, 0)), nil
	}
	groups := types.Alloc[uint32](poolOf(env), end-first)
	for i := range groups {
		groups[i] = c.groups[first+i] - uint32(from)
	}
	return c.chunks[0].Slice(poolOf(env), first, end), groups
}

// size gives the number of values of a group, after arrange.
func (c *collected) size(group int) int { return int(c.starts[group+1] - c.starts[group]) }

// lists gives the values of each group as a list, NULL for no values.
func (c *collected) lists(env *kernels.Env, from, to int) *types.Vector {
	values, _ := c.values(env, from, to)
	entries := types.Alloc[types.ListEntry](poolOf(env), to-from)
	for i := range entries {
		entries[i] = types.ListEntry{Offset: int64(c.starts[from+i] - c.starts[from]), Length: int64(c.size(from + i))}
	}
	return types.NewList(types.ListOf(c.typ), entries, values, c.met(env, from, to))
}

// met gives the groups that have a value.
func (c *collected) met(env *kernels.Env, from, to int) types.Bitmap {
	return validGroups(poolOf(env), from, to, func(g int) bool { return c.size(g) > 0 })
}

// joined gives the texts of each group with a separator between them; NULL for none, and where the separator is null, which nil means.
func (c *collected) joined(env *kernels.Env, from, to int, separator []byte) (*types.Vector, error) {
	if separator == nil {
		return types.NewNull(types.Varchar, to-from), nil
	}
	values, _ := c.values(env, from, to)
	views, buffers := types.ValuesOf[types.View](values), values.DataBuffers()
	out := kernels.NewViewBuilder(env, types.Varchar, to-from)
	var text []byte
	for g := from; g < to; g++ {
		text = text[:0]
		for i := c.starts[g]; i < c.starts[g+1]; i++ {
			if i > c.starts[g] {
				text = append(text, separator...)
			}
			text = append(text, views[i-c.starts[from]].Bytes(buffers)...)
		}
		if len(text) > math.MaxInt32 {
			return nil, types.Errorf(types.CodeProgramLimit, "string_agg gives a text of more than %d bytes", math.MaxInt32)
		}
		out.Append(text)
	}
	return out.Finish(c.met(env, from, to)), nil
}

func (c *collected) State(env *kernels.Env, from, to int) ([]*types.Vector, error) {
	return []*types.Vector{c.lists(env, from, to)}, nil
}

func (c *collected) Finish(env *kernels.Env, from, to int) (*types.Vector, error) {
	return c.result(c, env, from, to)
}

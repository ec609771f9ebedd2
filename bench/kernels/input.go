package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lacunadb/lacuna/types"
)

// column is the same rows for both sides: an Arrow array and a vector over its memory.
type column struct {
	array  arrow.Array
	vector *types.Vector
}

// inputs makes the columns of one size and keeps them for the next kernel. Contents depend on nothing but their names and the size.
type inputs struct {
	rows    int
	columns map[string]column
}

func newInputs(rows int) *inputs { return &inputs{rows: rows, columns: map[string]column{}} }

// once gives a column by its name, made the first time.
func (in *inputs) once(name string, build func(r *rand.Rand) arrow.Array) column {
	if c, ok := in.columns[name]; ok {
		return c
	}
	c := columnOf(build(rand.New(rand.NewPCG(uint64(in.rows), hashName(name)))))
	in.columns[name] = c
	return c
}

func columnOf(a arrow.Array) column {
	v, err := types.Import(a, types.ImportOptions{})
	if err != nil {
		panic(fmt.Sprintf("import of %s: %v", a.DataType(), err))
	}
	return column{a, v}
}

func hashName(name string) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range []byte(name) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// values gives a column of random numbers below 100, or texts made of them, with a share of nulls in percent. The variant
// tells columns of the same type apart.
func (in *inputs) values(dt arrow.DataType, nulls, variant int) column {
	return in.once(fmt.Sprint(dt, " ", nulls, " ", variant), func(r *rand.Rand) arrow.Array {
		return randomArray(r, dt, in.rows, nulls)
	})
}

func randomArray(r *rand.Rand, dt arrow.DataType, rows, nulls int) arrow.Array {
	b := array.NewBuilder(memory.DefaultAllocator, dt)
	defer b.Release()
	b.Reserve(rows)
	for range rows {
		x := r.IntN(100)
		if r.IntN(100) < nulls {
			b.AppendNull()
			continue
		}
		switch b := b.(type) {
		case *array.BooleanBuilder:
			b.Append(x < 50)
		case *array.Int16Builder:
			b.Append(int16(x))
		case *array.Int32Builder:
			b.Append(int32(x))
		case *array.Int64Builder:
			b.Append(int64(x))
		case *array.Float32Builder:
			b.Append(float32(x))
		case *array.Float64Builder:
			b.Append(float64(x))
		case *array.Date32Builder:
			b.Append(arrow.Date32(x))
		case *array.TimestampBuilder:
			b.Append(arrow.Timestamp(x))
		case *array.StringBuilder:
			b.Append(textOf(x))
		default:
			panic(fmt.Sprintf("no random values of %s", dt))
		}
	}
	return b.NewArray()
}

// textOf gives texts of 6 to 26 bytes: some fit into a view, most do not.
func textOf(x int) string {
	if x%4 == 0 {
		return fmt.Sprintf("item%02d", x)
	}
	return fmt.Sprintf("customer %02d of the north", x)
}

// one gives a constant: the value x as a column of one row.
func (in *inputs) one(dt arrow.DataType, x int) column {
	return in.once(fmt.Sprint("one ", dt, " ", x), func(*rand.Rand) arrow.Array {
		b := array.NewBuilder(memory.DefaultAllocator, dt)
		defer b.Release()
		text := fmt.Sprint(x)
		switch dt.ID() {
		case arrow.STRING:
			text = textOf(x)
		case arrow.DATE32:
			text = arrow.Date32(x).FormattedString()
		}
		if err := b.AppendValueFromString(text); err != nil {
			panic(err)
		}
		return b.NewArray()
	})
}

// selection gives a boolean column with a share of true rows in percent.
func (in *inputs) selection(percent int) column {
	return in.once(fmt.Sprint("selection ", percent), func(r *rand.Rand) arrow.Array {
		b := array.NewBooleanBuilder(memory.DefaultAllocator)
		defer b.Release()
		b.Reserve(in.rows)
		for range in.rows {
			b.UnsafeAppend(r.IntN(100) < percent)
		}
		return b.NewArray()
	})
}

// indices gives row numbers, random or in order, with a share of nulls in percent.
func (in *inputs) indices(random bool, nulls int) column {
	return in.once(fmt.Sprint("indices ", random, " ", nulls), func(r *rand.Rand) arrow.Array {
		b := array.NewUint32Builder(memory.DefaultAllocator)
		defer b.Release()
		b.Reserve(in.rows)
		for i := range in.rows {
			if random {
				i = r.IntN(in.rows)
			}
			if r.IntN(100) < nulls {
				b.AppendNull()
			} else {
				b.Append(uint32(i))
			}
		}
		return b.NewArray()
	})
}

// dictionary gives a dictionary column of 100 entries.
func (in *inputs) dictionary(dt arrow.DataType, nulls int) column {
	return in.once(fmt.Sprint("dictionary ", dt, " ", nulls), func(r *rand.Rand) arrow.Array {
		entries := randomArray(r, dt, 100, 0)
		b := array.NewUint32Builder(memory.DefaultAllocator)
		defer b.Release()
		b.Reserve(in.rows)
		for range in.rows {
			if key := uint32(r.IntN(100)); r.IntN(100) < nulls {
				b.AppendNull()
			} else {
				b.Append(key)
			}
		}
		return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: dt}, b.NewArray(), entries)
	})
}

// runs gives a run-end encoded column with runs of a length; nulls are those of the runs.
func (in *inputs) runs(dt arrow.DataType, length, nulls int) column {
	return in.once(fmt.Sprint("runs ", dt, " ", length, " ", nulls), func(r *rand.Rand) arrow.Array {
		b := array.NewInt32Builder(memory.DefaultAllocator)
		defer b.Release()
		for end := length; end < in.rows+length; end += length {
			b.Append(int32(min(end, in.rows)))
		}
		ends := b.NewArray()
		return array.NewRunEndEncodedArray(ends, randomArray(r, dt, ends.Len(), nulls), in.rows, 0)
	})
}

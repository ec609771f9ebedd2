package mem

import (
	"errors"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lacunadb/lacuna/types"
)

// column is a column of a table: its chunks one after another, none of them empty.
type column struct {
	field  types.Field
	chunks []chunk
	zones  zones
}

// chunk is an array of a column.
type chunk struct {
	start int64 // row of the table
	rows  int
	// whole is the chunk as one vector, or nil when batches convert their rows from data.
	whole *types.Vector
	data  arrow.ArrayData
}

// checkRows is how many rows are checked at a time of a chunk that is not kept whole.
const checkRows = 64 << 10

// newColumn checks the chunks of a column, which must all be of the Arrow type that field was made of.
func newColumn(field types.Field, dt arrow.DataType, data []arrow.ArrayData) (column, error) {
	c := column{field: field}
	start := int64(0)
	for _, d := range data {
		if !arrow.TypeEqual(d.DataType(), dt) {
			return c, types.KindErrorf(types.ErrUnsupported, "a chunk has the Arrow type %s, the schema says %s", d.DataType(), dt).WithRow(field.Name, start)
		}
		if d.Len() <= 0 {
			continue
		}
		k := chunk{start: start, rows: d.Len(), data: d}
		if err := k.check(field); err != nil {
			return c, err
		}
		c.chunks = append(c.chunks, k)
		start += int64(k.rows)
	}
	c.zones = newZones(field.Type, start)
	return c, nil
}

// rows gives the length of the column.
func (c *column) rows() int64 {
	if len(c.chunks) == 0 {
		return 0
	}
	last := &c.chunks[len(c.chunks)-1]
	return last.start + int64(last.rows)
}

// find gives the chunk of a row that the column has.
func (c *column) find(row int64) int {
	return sort.Search(len(c.chunks), func(i int) bool { return c.chunks[i].start > row }) - 1
}

// check reads every row of the chunk once, and keeps it as a vector when that costs little.
func (k *chunk) check(field types.Field) error {
	first, err := types.ImportRows(k.data, 0, 1, types.ImportOptions{Type: field.Type})
	if err != nil {
		return k.located(err, field, 0)
	}
	if keeps(first) {
		if k.whole, err = types.ImportRows(k.data, 0, k.rows, types.ImportOptions{Type: field.Type}); err != nil {
			return k.located(err, field, 0)
		}
		if err := k.checkNulls(field, k.whole, 0); err != nil {
			return err
		}
		k.whole = types.Sanitize(nil, k.whole, field)
		return nil
	}
	pool := types.NewPool()
	for from := 0; from < k.rows; from += checkRows {
		v, err := types.ImportRows(k.data, from, min(from+checkRows, k.rows), types.ImportOptions{Type: field.Type, Pool: pool})
		if err == nil {
			err = k.checkNulls(field, v, from)
		}
		if err != nil {
			return k.located(err, field, from)
		}
		pool.Release(0)
	}
	return nil
}

// checkNulls gives an error for a null under a required field.
func (k *chunk) checkNulls(field types.Field, v *types.Vector, from int) error {
	err := types.CheckRequired(nil, v, field)
	var e *types.Error
	if errors.As(err, &e) {
		return e.WithRow(e.Path, k.start+int64(from)+e.Row)
	}
	return err
}

// located completes the path and row of an error in a window of the chunk. Below the top level a row is one of the child, and stays.
func (k *chunk) located(err error, field types.Field, from int) error {
	var e *types.Error
	if !errors.As(err, &e) || e.Kind == types.ErrNullInRequired {
		return err // has them already
	}
	located := *e
	if e.Path == "" && e.Row >= 0 {
		located.Row = k.start + int64(from) + e.Row
	}
	located.Path = field.Name + e.Path
	return &located
}

// keeps reports whether importing a whole chunk like this vector takes little memory of its own: its values are borrowed from the array. Encoded
// vectors are kept whatever they cost, since otherwise each batch would import the dictionary again.
func keeps(v *types.Vector) bool { return encoded(v) || borrows(v) }

func encoded(v *types.Vector) bool {
	if v.Encoding() != types.Plain || v.Type().Kind() == types.KindEnum {
		return true
	}
	for _, c := range v.Children() {
		if encoded(c) {
			return true
		}
	}
	return false
}

func borrows(v *types.Vector) bool {
	// Bits are never more than an eighth of a byte a row.
	if len(v.Data().Bytes) > 0 && v.Data().Owner == nil && v.Type().Storage() != types.StorageBool {
		return false
	}
	for _, c := range v.Children() {
		if !borrows(c) {
			return false
		}
	}
	return true
}

// rowsAt gives rows from to from+n, counted within the chunk.
func (k *chunk) rowsAt(from, n int, field types.Field, pool *types.Pool) (*types.Vector, error) {
	if k.whole != nil {
		return k.whole.Slice(pool, from, from+n), nil
	}
	v, err := types.ImportRows(k.data, from, from+n, types.ImportOptions{Type: field.Type, Pool: pool, Trusted: true})
	if err != nil {
		return nil, err
	}
	return types.Sanitize(pool, v, field), nil
}

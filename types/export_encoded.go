package types

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// dictionary exports as a dictionary array. Dictionary vectors keep keys and entries; constants, runs and ENUMs have a dictionary of
// their value, their runs and their members. Any other vector is its own dictionary, entry i for row i.
func (ex *exporter) dictionary(v *Vector, dt *arrow.DictionaryType, metadata arrow.Metadata, rows visible, at *place) (*array.Data, error) {
	if v.typ.kind == KindEnum {
		return ex.enum(Flatten(ex.pool, v), dt, at)
	}
	entries, keys, validity := v, Buffer{}, Bitmap(nil)
	switch v.encoding {
	case Dictionary:
		entries, keys, validity = v.children[0], v.data, v.validity
	case Constant:
		entries = v.First()
		zero := Alloc[uint32](ex.pool, v.length)
		clear(zero)
		keys.Bytes = Bytes(zero)
	case RunEnd:
		entries = v.children[0]
		run := Alloc[uint32](ex.pool, v.length)
		start := 0
		for r, end := range v.RunEnds() {
			for i := start; i < int(end); i++ {
				run[i] = uint32(r)
			}
			start = int(end)
		}
		keys.Bytes = Bytes(run)
	default:
		own := Alloc[uint32](ex.pool, v.length)
		for i := range own {
			own[i] = uint32(i)
		}
		keys.Bytes = Bytes(own)
	}
	dict, err := ex.field(entries, arrow.Field{Type: dt.ValueType, Nullable: true, Metadata: metadata}, ex.selected(entries, Values[uint32](keys.Bytes), validity, rows), at)
	if err != nil {
		return nil, err
	}
	defer dict.Release()
	return ex.keys(v.length, keys, validity, dt, dict, at)
}

// selected gives the entries that a visible row names; only unions ask.
func (ex *exporter) selected(entries *Vector, keys []uint32, validity Bitmap, rows visible) visible {
	if !hasUnion(entries.typ) {
		return nil
	}
	out := ex.pool.ZeroBitmap(entries.length)
	for i, k := range keys {
		if rows.Has(i) && validity.Has(i) {
			out.Set(int(k))
		}
	}
	return out
}

// keys makes a dictionary array from uint32 keys, which are brought to the type's own width.
func (ex *exporter) keys(n int, keys Buffer, validity Bitmap, dt *arrow.DictionaryType, dict *array.Data, at *place) (*array.Data, error) {
	var wide *memory.Buffer
	var err error
	switch dt.IndexType.ID() {
	case arrow.UINT32:
		wide = wrap(keys)
	case arrow.INT32:
		if dict.Len() > math.MaxInt32 {
			return nil, at.errorf(ErrDictKeyOverflow, -1, "%d dictionary entries are too many for %s keys", dict.Len(), dt.IndexType)
		}
		wide = wrap(keys)
	case arrow.INT8:
		wide, err = exportKeys[int8](ex, keys, dt, dict.Len(), math.MaxInt8, at)
	case arrow.INT16:
		wide, err = exportKeys[int16](ex, keys, dt, dict.Len(), math.MaxInt16, at)
	case arrow.INT64:
		wide, err = exportKeys[int64](ex, keys, dt, dict.Len(), math.MaxInt64, at)
	case arrow.UINT8:
		wide, err = exportKeys[uint8](ex, keys, dt, dict.Len(), math.MaxUint8, at)
	case arrow.UINT16:
		wide, err = exportKeys[uint16](ex, keys, dt, dict.Len(), math.MaxUint16, at)
	case arrow.UINT64:
		wide, err = exportKeys[uint64](ex, keys, dt, dict.Len(), math.MaxInt64, at)
	default:
		return nil, at.errorf(ErrUnsupported, -1, "dictionary keys of type %s", dt.IndexType)
	}
	if err != nil {
		return nil, err
	}
	buffers := []*memory.Buffer{bitmapBuffer(validity), wide}
	defer memory.ReleaseBuffers(buffers)
	return array.NewDataWithDictionary(dt, n, buffers, n-validity.Count(n), 0, dict), nil
}

func exportKeys[K int8 | int16 | int64 | uint8 | uint16 | uint64](ex *exporter, keys Buffer, dt *arrow.DictionaryType, entries int, largest uint64, at *place) (*memory.Buffer, error) {
	source := Values[uint32](keys.Bytes)
	dst := Alloc[K](ex.pool, len(source))
	for i, k := range source {
		if uint64(k) > largest {
			return nil, at.errorf(ErrDictKeyOverflow, i, "dictionary key %d of %d entries is too large for %s keys", k, entries, dt.IndexType)
		}
		dst[i] = K(k)
	}
	return memory.NewBufferBytes(Bytes(dst)), nil
}

// enum exports an ENUM as a dictionary of its members. Keys under nulls are 0.
func (ex *exporter) enum(v *Vector, dt *arrow.DictionaryType, at *place) (*array.Data, error) {
	members := make([]any, len(v.typ.Members()))
	for i, m := range v.typ.Members() {
		members[i] = m
	}
	names, err := FromValues(nil, Varchar, members)
	if err != nil {
		return nil, err
	}
	dict, err := ex.field(names, arrow.Field{Type: dt.ValueType}, everyRow, at)
	if err != nil {
		return nil, err
	}
	defer dict.Release()
	keys := v.data
	if v.validity != nil {
		clean := Alloc[uint32](ex.pool, v.length)
		for i, k := range ValuesOf[uint32](v)[:v.length] {
			clean[i] = 0
			if v.validity.Get(i) {
				clean[i] = k
			}
		}
		keys = Buffer{Bytes: Bytes(clean)}
	}
	return ex.keys(v.length, keys, v.validity, dt, dict, at)
}

// runEnd exports as a run-end-encoded array. Run-end vectors keep their runs; constants are one run, and neighbouring rows of
// other vectors that are bitwise the same share a run.
func (ex *exporter) runEnd(v *Vector, dt *arrow.RunEndEncodedType, metadata arrow.Metadata, rows visible, at *place) (*array.Data, error) {
	v = ex.withRuns(v)
	var ends *memory.Buffer
	switch dt.RunEnds().ID() {
	case arrow.INT32:
		ends = wrap(v.data)
	case arrow.INT16:
		if v.length > math.MaxInt16 {
			return nil, at.errorf(ErrRunEndOverflow, -1, "%d rows are too many for run ends of type %s", v.length, dt.RunEnds())
		}
		ends = exportRuns[int16](ex, v.RunEnds())
	case arrow.INT64:
		ends = exportRuns[int64](ex, v.RunEnds())
	default:
		return nil, at.errorf(ErrUnsupported, -1, "run ends of type %s", dt.RunEnds())
	}
	values := v.children[0]
	below := visible(nil)
	if hasUnion(v.typ) && rows != nil {
		below = ex.pool.ZeroBitmap(values.length)
		start := 0
		for r, end := range v.RunEnds() {
			if rows.NextSet(start, int(end)) < int(end) {
				below.Set(r)
			}
			start = int(end)
		}
	}
	child, err := ex.field(values, arrow.Field{Type: dt.Encoded(), Nullable: dt.ValueNullable, Metadata: metadata}, below, at)
	if err != nil {
		ends.Release()
		return nil, err
	}
	endData := array.NewData(dt.RunEnds(), values.length, []*memory.Buffer{nil, ends}, nil, 0, 0)
	ends.Release()
	d := array.NewData(dt, v.length, []*memory.Buffer{nil}, []arrow.ArrayData{endData, child}, 0, 0)
	endData.Release()
	child.Release()
	return d, nil
}

func exportRuns[E int16 | int64](ex *exporter, ends []int32) *memory.Buffer {
	dst := Alloc[E](ex.pool, len(ends))
	for i, e := range ends {
		dst[i] = E(e)
	}
	return memory.NewBufferBytes(Bytes(dst))
}

// withRuns gives the rows of a vector as a run-end vector.
func (ex *exporter) withRuns(v *Vector) *Vector {
	switch {
	case v.encoding == RunEnd:
		return v
	case v.length == 0:
		return NewRunEnd(nil, Flatten(ex.pool, v))
	case v.encoding == Constant:
		ends := Alloc[int32](ex.pool, 1)
		ends[0] = int32(v.length)
		return NewRunEnd(ends, v.First())
	}
	ends, starts := Alloc[int32](ex.pool, v.length)[:0], Alloc[int64](ex.pool, v.length)[:0]
	starts = append(starts, 0)
	compare := comparer{EqualOptions: EqualOptions{BitwiseFloats: true}, variants: true}
	for i := 1; i < v.length; i++ {
		if !compare.rows(v, i-1, v, i) {
			ends, starts = append(ends, int32(i)), append(starts, int64(i))
		}
	}
	return NewRunEnd(append(ends, int32(v.length)), gather(ex.pool, v, starts))
}

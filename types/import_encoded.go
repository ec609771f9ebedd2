package types

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// dictionary imports keys of any integer type as uint32 and the whole dictionary. Without entries every row must be null.
func (im *importer) dictionary(data arrow.ArrayData, dt *arrow.DictionaryType, typ Type, from, n int, at *place) (*Vector, error) {
	dict := data.Dictionary()
	if noData(dict) {
		return nil, at.invalid(-1, "dictionary array without a dictionary")
	}
	validity, err := im.validity(data, from, n, at)
	if err != nil {
		return nil, err
	}
	size := dict.Len()
	if size > math.MaxUint32 {
		return nil, at.errorf(ErrUnsupported, -1, "dictionary of %d entries", size)
	}
	if size == 0 {
		if row := validity.NextSet(0, n); row < n {
			return nil, at.invalid(row, "key into an empty dictionary")
		}
		return NewNull(typ, n), nil
	}
	var keys Buffer
	switch dt.IndexType.ID() {
	case arrow.INT8:
		keys, err = importKeys[int8](im, data, from, n, size, validity, at)
	case arrow.INT16:
		keys, err = importKeys[int16](im, data, from, n, size, validity, at)
	case arrow.INT32:
		keys, err = importKeys[int32](im, data, from, n, size, validity, at)
	case arrow.INT64:
		keys, err = importKeys[int64](im, data, from, n, size, validity, at)
	case arrow.UINT8:
		keys, err = importKeys[uint8](im, data, from, n, size, validity, at)
	case arrow.UINT16:
		keys, err = importKeys[uint16](im, data, from, n, size, validity, at)
	case arrow.UINT32:
		keys, err = importKeys[uint32](im, data, from, n, size, validity, at)
	case arrow.UINT64:
		keys, err = importKeys[uint64](im, data, from, n, size, validity, at)
	default:
		return nil, at.invalid(-1, "dictionary keys of type %s", dt.IndexType)
	}
	if err != nil {
		return nil, err
	}
	if typ.kind == KindEnum {
		return im.enum(dict, typ, keys, n, validity, at)
	}
	entries, err := im.dictionaryEntries(dict, typ, at)
	if err != nil {
		return nil, err
	}
	return &Vector{typ: typ, encoding: Dictionary, length: n, data: keys, children: []*Vector{entries}, validity: validity}, nil
}

// dictionaryKey is a dictionary as one SQL type.
type dictionaryKey struct {
	data *array.Data
	typ  Type
}

// dictionaryEntries imports a dictionary, once where entries are kept.
func (im *importer) dictionaryEntries(dict arrow.ArrayData, typ Type, at *place) (*Vector, error) {
	data, ok := dict.(*array.Data)
	if !ok || im.entries == nil {
		return im.vector(dict, typ, 0, dict.Len(), at)
	}
	key := dictionaryKey{data, typ}
	entries, known := im.entries[key]
	if !known {
		var err error
		if entries, err = im.vector(dict, typ, 0, dict.Len(), at); err != nil {
			return nil, err
		}
		im.entries[key] = entries
	}
	return entries, nil
}

// noData reports a missing dictionary, which Arrow hands out as a nil pointer inside the interface.
func noData(dict arrow.ArrayData) bool {
	d, ok := dict.(*array.Data)
	return dict == nil || ok && d == nil
}

// importKeys gives keys as uint32. Those of four bytes are shared when each is inside the dictionary; keys under nulls become 0 when they
// are not.
func importKeys[K int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](im *importer, data arrow.ArrayData, from, n, size int, validity Bitmap, at *place) (Buffer, error) {
	source, shared, err := importValues[K](im, data, 1, data.Offset()+from, n, at)
	if err != nil {
		return Buffer{}, err
	}
	largest := uint64(0)
	for _, k := range source {
		largest = max(largest, uint64(k)) // negative keys become large numbers
	}
	outside := largest >= uint64(size)
	if outside {
		if row := firstRow(func(i int) bool { return uint64(source[i]) >= uint64(size) }, n, validity); row >= 0 {
			return Buffer{}, at.invalid(row, "dictionary key %d of %d entries", source[row], size)
		}
	}
	switch any(source).(type) {
	case []int32, []uint32:
		if !outside {
			return shared, nil
		}
	}
	dst := Alloc[uint32](im.pool, n)
	for i, k := range source {
		if uint64(k) >= uint64(size) {
			k = 0
		}
		dst[i] = uint32(k)
	}
	return Buffer{Bytes: Bytes(dst)}, nil
}

// enum turns keys into positions among the members of an ENUM; a dictionary with other or reordered entries is mapped by name.
func (im *importer) enum(dict arrow.ArrayData, typ Type, keys Buffer, n int, validity Bitmap, at *place) (*Vector, error) {
	names, err := im.vector(dict, Varchar, 0, dict.Len(), at)
	if err != nil {
		return nil, err
	}
	member := make(map[string]uint32, len(typ.Members()))
	for i, m := range typ.Members() {
		member[m] = uint32(i)
	}
	const unknown, null = math.MaxUint32, math.MaxUint32 - 1
	position := make([]uint32, names.length)
	same := true
	for i := range position {
		plain, row, ok := names.Locate(i)
		position[i] = null
		if ok {
			p, found := member[string(ValuesOf[View](plain)[row].Bytes(plain.buffers))]
			position[i] = unknown
			if found {
				position[i] = p
			}
		}
		same = same && position[i] == uint32(i)
	}
	if same {
		return &Vector{typ: typ, length: n, data: keys, validity: validity}, nil
	}
	dst := Alloc[uint32](im.pool, n)
	var nulls Bitmap
	for i, k := range Values[uint32](keys.Bytes)[:n] {
		dst[i] = 0
		if !validity.Has(i) {
			continue
		}
		switch p := position[k]; p {
		case unknown:
			plain, row, _ := names.Locate(int(k))
			return nil, at.errorf(ErrCastInvalid, i, "%q is no member of %s", ValuesOf[View](plain)[row].Bytes(plain.buffers), typ)
		case null:
			if nulls == nil {
				nulls = im.pool.ZeroBitmap(n)
			}
			nulls.Set(i)
		default:
			dst[i] = p
		}
	}
	return NewFixed(typ, dst, AndNotBitmaps(im.pool, validity, nulls, n)), nil
}

// runEnd imports the runs that meet the window, with run ends counted from its start.
func (im *importer) runEnd(data arrow.ArrayData, dt *arrow.RunEndEncodedType, typ Type, from, n int, at *place) (*Vector, error) {
	if len(data.Children()) != 2 {
		return nil, at.invalid(-1, "run-end-encoded array with %d children", len(data.Children()))
	}
	if b := buffer(data, 0); b != nil && b.Len() > 0 {
		return nil, at.invalid(-1, "run-end-encoded array with a validity bitmap")
	}
	if n > math.MaxInt32 {
		return nil, at.errorf(ErrRunEndOverflow, -1, "run-end-encoded array of %d rows", n)
	}
	ends, values := data.Children()[0], data.Children()[1]
	if ends.DataType().ID() != dt.RunEnds().ID() || ends.Len() < 0 || ends.Offset() < 0 {
		return nil, at.invalid(-1, "run ends of type %s", ends.DataType())
	}
	if nulls, err := im.validity(ends, 0, ends.Len(), at); err != nil || nulls != nil {
		return nil, at.invalid(-1, "run ends with nulls")
	}
	var rebased Buffer
	var first int
	var err error
	switch ends.DataType().ID() {
	case arrow.INT16:
		rebased, first, err = importRuns[int16](im, ends, data.Offset()+from, n, at)
	case arrow.INT32:
		rebased, first, err = importRuns[int32](im, ends, data.Offset()+from, n, at)
	case arrow.INT64:
		rebased, first, err = importRuns[int64](im, ends, data.Offset()+from, n, at)
	default:
		return nil, at.invalid(-1, "run ends of type %s", ends.DataType())
	}
	if err != nil {
		return nil, err
	}
	runs := len(rebased.Bytes) / 4
	child, err := im.vector(values, typ, first, runs, at)
	if err != nil {
		return nil, err
	}
	return &Vector{typ: typ, encoding: RunEnd, length: n, data: rebased, children: []*Vector{child}}, nil
}

// importRuns finds the runs that cover rows first to first+n and gives their ends, counted from first, and the number of the first run.
// An array that is not sliced has all its runs checked; of a slice only those that it uses, so that slicing stays cheap.
func importRuns[E int16 | int32 | int64](im *importer, data arrow.ArrayData, first, n int, at *place) (Buffer, int, error) {
	ends, shared, err := importValues[E](im, data, 1, data.Offset(), data.Len(), at)
	if err != nil {
		return Buffer{}, 0, err
	}
	if first == 0 {
		before := E(0)
		for r, end := range ends {
			if end <= before {
				return Buffer{}, 0, at.invalid(-1, "run ends %d, %d do not increase at run %d", before, end, r)
			}
			before = end
		}
	}
	if n == 0 {
		return Buffer{}, 0, nil
	}
	lo, hi := 0, len(ends)
	for lo < hi {
		if mid := (lo + hi) / 2; int64(ends[mid]) > int64(first) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	last, before := lo, int64(first)
	for {
		if last == len(ends) {
			return Buffer{}, 0, at.invalid(-1, "runs end at %d before row %d", before, first+n)
		}
		end := int64(ends[last])
		if end <= before {
			return Buffer{}, 0, at.invalid(-1, "run ends %d, %d do not increase at run %d", before, end, last)
		}
		before = end
		last++
		if end >= int64(first)+int64(n) {
			break
		}
	}
	if _, same := any(ends).([]int32); same && first == 0 && before == int64(n) {
		shared.Bytes = shared.Bytes[:last*4]
		return shared, lo, nil
	}
	dst := Alloc[int32](im.pool, last-lo)
	for i := range dst {
		dst[i] = int32(min(int64(ends[lo+i])-int64(first), int64(n)))
	}
	return Buffer{Bytes: Bytes(dst)}, lo, nil
}

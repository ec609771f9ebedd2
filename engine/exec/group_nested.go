package exec

import (
	"encoding/binary"
	"slices"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/types"
)

// Nested values are keys in the form of bytes, which are the same for values that are not distinct. The values of each level lie side by side, so that those
// of many rows are read back together:
//
//	values:  a byte for each, 1 or 0 for NULL, then of those that are not null
//	    numbers   the bytes of each, floats and intervals in their one form
//	    strings   the length of each, as a uvarint, then its bytes
//	    lists     the number of elements of each, then the elements of all as values
//	    arrays    the elements of all as values
//	    structs   for each field the values of all
//
// What is read back is the one form: of -0.0 it is 0.0, of an interval of 30 days one of a month.

// groupable reports whether values of a type can be a key: all but unions and TIMESTAMP WITH OFFSET, at any depth.
func groupable(t types.Type) bool {
	switch t.Storage() {
	case types.StorageUnion:
		return false
	case types.StorageList, types.StorageArray, types.StorageStruct:
		return t.Kind() != types.KindTimestampOffset && !slices.ContainsFunc(childTypes(t), func(c types.Type) bool { return !groupable(c) })
	}
	return true
}

// childTypes gives the types of the children of vectors of a nested type.
func childTypes(t types.Type) []types.Type {
	switch t.Kind() {
	case types.KindList, types.KindArray:
		return []types.Type{t.Elem().Type}
	case types.KindMap:
		return []types.Type{types.StructOf(t.Fields()...)}
	}
	var children []types.Type
	for _, f := range t.Fields() {
		children = append(children, f.Type)
	}
	return children
}

// nestedKeys gives nested values as bytes.
func nestedKeys(env *kernels.Env, v *types.Vector) *types.Vector {
	e := newNestedEncoder(env, v)
	out := kernels.NewViewBuilder(env, types.Blob, v.Len())
	var text []byte
	for i := range v.Len() {
		if !v.Validity().Has(i) {
			out.AppendEmpty()
			continue
		}
		text = e.append(text[:0], []uint32{uint32(i)})
		out.Append(text)
	}
	return out.Finish(v.Validity())
}

// nestedEncoder is a plain vector with plain children, at every depth.
type nestedEncoder struct {
	v        *types.Vector
	children []*nestedEncoder
	present  []uint32 // scratch: rows that are not null, and those of the child
	below    []uint32
}

func newNestedEncoder(env *kernels.Env, v *types.Vector) *nestedEncoder {
	v = kernels.Decode(env, v)
	e := &nestedEncoder{v: v}
	if v.Type().IsNested() {
		for _, c := range v.Children() {
			e.children = append(e.children, newNestedEncoder(env, c))
		}
	}
	return e
}

// append appends the bytes of rows.
func (e *nestedEncoder) append(dst []byte, rows []uint32) []byte {
	e.present = e.present[:0]
	valid := e.v.Validity()
	for _, r := range rows {
		if e.v.Type().Kind() == types.KindNull || !valid.Has(int(r)) {
			dst = append(dst, 0)
			continue
		}
		dst = append(dst, 1)
		e.present = append(e.present, r)
	}
	rows = e.present
	switch s := e.v.Type().Storage(); s {
	case types.StorageNull:
	case types.StorageBool:
		for _, r := range rows {
			b := byte(0)
			if e.v.Bools().Get(int(r)) {
				b = 1
			}
			dst = append(dst, b)
		}
	case types.StorageFloat16:
		values := types.ValuesOf[uint16](e.v)
		for _, r := range rows {
			dst = binary.LittleEndian.AppendUint16(dst, canonical16(values[r]))
		}
	case types.StorageFloat32:
		values := types.ValuesOf[float32](e.v)
		for _, r := range rows {
			dst = binary.LittleEndian.AppendUint32(dst, canonical32(values[r]))
		}
	case types.StorageFloat64:
		values := types.ValuesOf[float64](e.v)
		for _, r := range rows {
			dst = binary.LittleEndian.AppendUint64(dst, canonical64(values[r]))
		}
	case types.StorageInterval:
		values := types.ValuesOf[types.MonthDayNano](e.v)
		for _, r := range rows {
			months, rest := intervalLength(values[r])
			dst = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(dst, uint64(months)), uint64(rest))
		}
	case types.StorageView:
		values, buffers := types.ValuesOf[types.View](e.v), e.v.DataBuffers()
		for _, r := range rows {
			text := values[r].Bytes(buffers)
			dst = append(binary.AppendUvarint(dst, uint64(len(text))), text...)
		}
	case types.StorageList:
		entries := types.ValuesOf[types.ListEntry](e.v)
		e.below = e.below[:0]
		for _, r := range rows {
			dst = binary.AppendUvarint(dst, uint64(entries[r].Length))
			for k := range entries[r].Length {
				e.below = append(e.below, uint32(entries[r].Offset+k))
			}
		}
		dst = e.children[0].append(dst, e.below)
	case types.StorageArray:
		width := e.v.Type().Width()
		e.below = e.below[:0]
		for _, r := range rows {
			for k := range width {
				e.below = append(e.below, uint32(int(r)*width+k))
			}
		}
		dst = e.children[0].append(dst, e.below)
	case types.StorageStruct:
		for _, c := range e.children {
			dst = c.append(dst, rows)
		}
	default:
		width, values := s.Width(), e.v.Data().Bytes
		for _, r := range rows {
			dst = append(dst, values[int(r)*width:int(r+1)*width]...)
		}
	}
	return dst
}

// nestedValues reads keys in the form of bytes back as values of a nested type.
func nestedValues(env *kernels.Env, typ types.Type, keys *types.Vector) *types.Vector {
	d := nestedDecoder{env: env}
	var counts []int
	rows, present := types.Alloc[uint32](env.Pool, keys.Len()), uint32(0)
	views, buffers := types.ValuesOf[types.View](keys), keys.DataBuffers()
	for i := range rows {
		rows[i] = 0
		if keys.Validity().Has(i) {
			d.texts, counts = append(d.texts, views[i].Bytes(buffers)), append(counts, 1)
			rows[i] = present
			present++
		}
	}
	values := d.values(typ, counts)
	if int(present) == keys.Len() {
		return values
	}
	return kernels.Decode(env, kernels.Take(env, values, rows, keys.Validity()))
}

// nestedDecoder reads the bytes of many keys at once.
type nestedDecoder struct {
	env   *kernels.Env
	texts [][]byte // what is left of each key
}

// values reads counts[i] values of key i, and gives those of all keys.
func (d *nestedDecoder) values(typ types.Type, counts []int) *types.Vector {
	n := 0
	for _, c := range counts {
		n += c
	}
	if typ.Kind() == types.KindNull {
		for i, c := range counts {
			d.texts[i] = d.texts[i][c:]
		}
		return kernels.Decode(d.env, types.NewNull(typ, n))
	}
	// The rows of the values that are not null, by key.
	valid := d.env.Pool.ZeroBitmap(n)
	present, row := make([]int, len(counts)), 0
	for i, c := range counts {
		for _, flag := range d.texts[i][:c] {
			if flag != 0 {
				valid.Set(row)
				present[i]++
			}
			row++
		}
		d.texts[i] = d.texts[i][c:]
	}
	var v *types.Vector
	switch s := typ.Storage(); s {
	case types.StorageBool:
		bits := d.env.Pool.ZeroBitmap(n)
		d.each(valid, present, func(row int, text []byte) int {
			if text[0] != 0 {
				bits.Set(row)
			}
			return 1
		})
		v = types.NewBool(bits, n, valid)
	case types.StorageInterval:
		values := types.Alloc[types.MonthDayNano](d.env.Pool, n)
		clear(values)
		d.each(valid, present, func(row int, text []byte) int {
			values[row] = intervalOfLength(int64(binary.LittleEndian.Uint64(text)), int64(binary.LittleEndian.Uint64(text[8:])))
			return 16
		})
		v = types.NewFixed(typ, values, valid)
	case types.StorageView:
		out := kernels.NewViewBuilder(d.env, typ, n)
		at := 0
		d.each(valid, present, func(row int, text []byte) int {
			for ; at < row; at++ {
				out.AppendEmpty()
			}
			length, k := binary.Uvarint(text)
			out.Append(text[k : k+int(length)])
			at++
			return k + int(length)
		})
		for ; at < n; at++ {
			out.AppendEmpty()
		}
		v = out.Finish(valid)
	case types.StorageList:
		entries := types.Alloc[types.ListEntry](d.env.Pool, n)
		clear(entries)
		elements, total := make([]int, len(counts)), int64(0)
		row := 0
		for i, c := range counts {
			for range c {
				if valid.Get(row) {
					length, k := binary.Uvarint(d.texts[i])
					d.texts[i] = d.texts[i][k:]
					entries[row] = types.ListEntry{Offset: total, Length: int64(length)}
					total += int64(length)
					elements[i] += int(length)
				}
				row++
			}
		}
		v = types.NewList(typ, entries, d.values(childTypes(typ)[0], elements), valid)
	case types.StorageArray:
		elements := make([]int, len(counts))
		for i, c := range present {
			elements[i] = c * typ.Width()
		}
		child := d.values(childTypes(typ)[0], elements)
		v = types.NewArray(typ, n, d.spread(child, valid, n, typ.Width()), valid)
	case types.StorageStruct:
		var children []*types.Vector
		for _, t := range childTypes(typ) {
			children = append(children, d.spread(d.values(t, present), valid, n, 1))
		}
		v = types.NewStruct(typ, n, children, valid)
	default:
		switch s.Width() {
		case 1:
			v = fixedValues[uint8](d, typ, valid, present, n)
		case 2:
			v = fixedValues[uint16](d, typ, valid, present, n)
		case 4:
			v = fixedValues[uint32](d, typ, valid, present, n)
		case 8:
			v = fixedValues[uint64](d, typ, valid, present, n)
		case 16:
			v = fixedValues[types.Int128](d, typ, valid, present, n)
		default:
			v = fixedValues[types.Int256](d, typ, valid, present, n)
		}
	}
	return v
}

// each calls read with the row and the text of each value that is not null; read gives the number of bytes that it has taken. present is the number of
// such values of each key.
func (d *nestedDecoder) each(valid types.Bitmap, present []int, read func(row int, text []byte) int) {
	row := -1
	for i, c := range present {
		for range c {
			row++
			for !valid.Get(row) {
				row++
			}
			d.texts[i] = d.texts[i][read(row, d.texts[i]):]
		}
	}
}

func fixedValues[T types.Fixed](d *nestedDecoder, typ types.Type, valid types.Bitmap, present []int, n int) *types.Vector {
	values := types.Alloc[T](d.env.Pool, n)
	clear(values)
	d.each(valid, present, func(row int, text []byte) int { return copy(types.Bytes(values[row:row+1]), text) })
	return types.NewFixed(typ, values, valid)
}

// spread gives the children of the valid ones of n rows, width for each, as those of all rows.
func (d *nestedDecoder) spread(child *types.Vector, valid types.Bitmap, n, width int) *types.Vector {
	if child.Len() == n*width {
		return child
	}
	rows, present := types.Alloc[uint32](d.env.Pool, n*width), d.env.Pool.ZeroBitmap(n*width)
	next := uint32(0)
	for i := range rows {
		rows[i] = 0
		if valid.Get(i / width) {
			rows[i] = next
			next++
			present.Set(i)
		}
	}
	return kernels.Decode(d.env, kernels.Take(d.env, child, rows, present))
}

// intervalOfLength gives an interval of so many months of 30 days and nanoseconds over.
func intervalOfLength(months, rest int64) types.MonthDayNano {
	const day = 24 * 60 * 60 * 1_000_000_000
	x := types.MonthDayNano{Months: int32(months), Days: int32(rest / day), Nanos: rest % day}
	if int64(x.Months) != months { // more than there can be; the days have room for what is over
		x.Months = int32(min(max(months, -1<<31), 1<<31-1))
		x.Days += int32((months - int64(x.Months)) * 30)
	}
	return x
}

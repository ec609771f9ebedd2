package arrowjson

import (
	"encoding/binary"

	"github.com/lacunadb/lacuna/types"
)

// dictionaryColumn gathers rows plainly, and makes a dictionary of them in the end.
type dictionaryColumn struct {
	rows     column
	nullKeys bool
	valid    bitmap // of the keys
}

func (c *dictionaryColumn) value(d *decoder) bool {
	ok := c.rows.value(d)
	if ok {
		c.valid.append(true)
	}
	return ok
}

func (c *dictionaryColumn) null() {
	if c.nullKeys {
		c.rows.placeholder()
	} else {
		c.rows.null() // a union's own
	}
	c.valid.append(!c.nullKeys)
}

func (c *dictionaryColumn) placeholder() {
	c.rows.placeholder()
	c.valid.append(true)
}

func (c *dictionaryColumn) truncate(n int) {
	c.rows.truncate(n)
	c.valid.truncate(n)
}

// finish numbers the different values in the order of their first rows. Rows without a key share the first value.
func (c *dictionaryColumn) finish() *types.Vector {
	rows, valid := c.rows.finish(), c.valid.validity()
	c.valid = bitmap{}
	keys := make([]uint32, rows.Len())
	var first []uint32
	entries := map[string]uint32{}
	var identity []byte
	for i := range keys {
		if !valid.Has(i) {
			continue
		}
		identity = appendIdentity(identity[:0], rows, i)
		k, known := entries[string(identity)]
		if !known {
			k = uint32(len(first))
			entries[string(identity)] = k
			first = append(first, uint32(i))
		}
		keys[i] = k
	}
	if len(first) == 0 && len(keys) > 0 {
		first = []uint32{0} // a placeholder: a vector's keys are rows of the entries, also under nulls
	}
	return types.NewDictionary(keys, pick(rows, first), valid)
}

// runColumn gathers rows plainly, and makes runs of equal neighbours in the end. Its nulls are those of the values.
type runColumn struct{ rows column }

func (c *runColumn) value(d *decoder) bool { return c.rows.value(d) }
func (c *runColumn) null()                 { c.rows.null() }
func (c *runColumn) placeholder()          { c.rows.placeholder() }
func (c *runColumn) truncate(n int)        { c.rows.truncate(n) }

func (c *runColumn) finish() *types.Vector {
	rows := c.rows.finish()
	var first []uint32
	var ends []int32
	var last, identity []byte
	for i := range rows.Len() {
		identity = appendIdentity(identity[:0], rows, i)
		if i > 0 && string(identity) == string(last) {
			ends[len(ends)-1]++
			continue
		}
		first, ends = append(first, uint32(i)), append(ends, int32(i+1))
		last, identity = identity, last
	}
	return types.NewRunEnd(ends, pick(rows, first))
}

// pick gives some rows of a vector. A dictionary stays one, with the same entries.
func pick(v *types.Vector, rows []uint32) *types.Vector {
	if v.Encoding() != types.Dictionary {
		return types.Flatten(nil, types.NewDictionary(rows, v, nil))
	}
	keys := make([]uint32, len(rows))
	var valid bitmap
	for i, r := range rows {
		keys[i] = v.Keys()[r]
		valid.append(v.Validity().Has(int(r)))
	}
	return types.NewDictionary(keys, v.Entries(), valid.validity())
}

// appendIdentity appends bytes that are the same for rows of one vector exactly when these are bitwise identical (null-semantics 2.0).
func appendIdentity(dst []byte, v *types.Vector, row int) []byte {
	v, row, ok := v.Locate(row)
	if !ok {
		return append(dst, 0)
	}
	dst = append(dst, 1)
	switch s := v.Type().Storage(); s {
	case types.StorageBool:
		if v.Bools().Get(row) {
			return append(dst, 1)
		}
		return append(dst, 0)
	case types.StorageView:
		b := types.ValuesOf[types.View](v)[row].Bytes(v.DataBuffers())
		return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
	case types.StorageList:
		entry := types.ValuesOf[types.ListEntry](v)[row]
		dst = binary.AppendUvarint(dst, uint64(entry.Length))
		for i := range int(entry.Length) {
			dst = appendIdentity(dst, v.Children()[0], int(entry.Offset)+i)
		}
		return dst
	case types.StorageArray:
		width := v.Type().Width()
		for i := range width {
			dst = appendIdentity(dst, v.Children()[0], row*width+i)
		}
		return dst
	case types.StorageStruct:
		for _, c := range v.Children() {
			dst = appendIdentity(dst, c, row)
		}
		return dst
	case types.StorageUnion:
		code := v.TypeCodes()[row]
		if offsets := v.UnionOffsets(); offsets != nil {
			row = int(offsets[row])
		}
		dst = append(dst, byte(code))
		for k, c := range v.Type().Codes() {
			if c == code {
				return appendIdentity(dst, v.Children()[k], row)
			}
		}
		return dst
	default:
		width := s.Width()
		return append(dst, v.Data().Bytes[row*width:(row+1)*width]...)
	}
}

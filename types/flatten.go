package types

// Flatten gives the same rows as a Plain vector: constants repeated, dictionaries and runs decoded. Data that keep their place, such as
// the bytes of strings and the elements of lists, are shared; a Plain vector is returned as it is. The vectors below nested
// rows keep their encodings.
func Flatten(pool *Pool, v *Vector) *Vector {
	if v.encoding == Plain {
		return v
	}
	rows := Alloc[int64](pool, v.length)
	for i := range rows {
		rows[i] = int64(i)
	}
	return gather(pool, v, rows)
}

// gather gives the rows of v that rows names, in their order, as a Plain vector; a negative row is null. Below a
// null row nullable children are null and required ones repeat some row, so that no null enters them.
func gather(pool *Pool, v *Vector, rows []int64) *Vector {
	n := len(rows)
	switch v.encoding {
	case Constant:
		at := Alloc[int64](pool, n)
		for i, r := range rows {
			at[i] = min(r, 0)
		}
		return gather(pool, v.First(), at)
	case Dictionary:
		at := Alloc[int64](pool, n)
		keys := v.Keys()
		for i, r := range rows {
			at[i] = -1
			if r >= 0 && v.validity.Has(int(r)) {
				at[i] = int64(keys[r])
			}
		}
		return gather(pool, v.children[0], at)
	case RunEnd:
		at := Alloc[int64](pool, n)
		ends := v.RunEnds()
		run, start := 0, 0 // the run of the row before: rows mostly ascend
		for i, r := range rows {
			at[i] = -1
			if r < 0 {
				continue
			}
			if run == len(ends) || int(r) < start || int(r) >= int(ends[run]) {
				run = FindRun(ends, int(r))
				start = 0
				if run > 0 {
					start = int(ends[run-1])
				}
			}
			at[i] = int64(run)
		}
		return gather(pool, v.children[0], at)
	}
	return gatherPlain(pool, v, rows)
}

func gatherPlain(pool *Pool, v *Vector, rows []int64) *Vector {
	n := len(rows)
	out := &Vector{typ: v.typ, length: n, validity: gatherValidity(pool, v.validity, rows)}
	switch s := v.typ.Storage(); s {
	case StorageNull:
		out.validity = nil
	case StorageBool:
		bits, values := pool.ZeroBitmap(n), v.Bools()
		for i, r := range rows {
			if r >= 0 && values.Get(int(r)) {
				bits.Set(i)
			}
		}
		out.data.Bytes = Bytes(bits)
	case StorageArray:
		w := v.typ.Width()
		at := Alloc[int64](pool, n*w)
		for i, r := range rows {
			for j := range w {
				at[i*w+j] = max(r, -1)*int64(w) + int64(j)
				if r < 0 {
					at[i*w+j] = -1
				}
			}
		}
		out.children = gatherChildren(pool, v.typ.Fields(), v.children, at)
	case StorageStruct:
		out.children = gatherChildren(pool, structFields(v.typ), v.children, rows)
	case StorageUnion:
		return gatherUnion(pool, v, rows, out)
	default:
		out.data.Bytes = gatherFixed(pool, v.data.Bytes, s.Width(), rows)
		out.buffers, out.children = v.buffers, v.children
	}
	return out
}

func gatherChildren(pool *Pool, fields []Field, children []*Vector, rows []int64) []*Vector {
	out := make([]*Vector, len(children))
	var existing []int64 // rows with 0 for the rows that are null
	for i, c := range children {
		at := rows
		if !fields[i].Nullable {
			if c.length == 0 {
				c = placeholder(fields[i], 1)
			}
			if existing == nil {
				existing = Alloc[int64](pool, len(rows))
				for j, r := range rows {
					existing[j] = max(r, 0)
				}
			}
			at = existing
		}
		out[i] = gather(pool, c, at)
	}
	return out
}

// gatherValidity gives nil when no row is null.
func gatherValidity(pool *Pool, valid Bitmap, rows []int64) Bitmap {
	out := pool.ZeroBitmap(len(rows))
	nulls := false
	for i, r := range rows {
		if r >= 0 && valid.Has(int(r)) {
			out.Set(i)
		} else {
			nulls = true
		}
	}
	if !nulls {
		return nil
	}
	return out
}

// gatherUnion keeps the children of a dense union and gathers those of a sparse one. A row that is null takes the variant of some row
// that exists; without one the result has no plain form and is all null.
func gatherUnion(pool *Pool, v *Vector, rows []int64, out *Vector) *Vector {
	if v.length == 0 && len(rows) > 0 {
		return allNullPlain(pool, v.typ, len(rows))
	}
	codes, source := Alloc[int8](pool, len(rows)), v.TypeCodes()
	for i, r := range rows {
		codes[i] = source[max(r, 0)]
	}
	out.data.Bytes = Bytes(codes)
	offsets := v.UnionOffsets()
	if offsets == nil {
		out.children = gatherChildren(pool, v.typ.Fields(), v.children, rows)
		return out
	}
	moved := Alloc[int32](pool, len(rows))
	for i, r := range rows {
		moved[i] = offsets[max(r, 0)]
	}
	out.offsets.Bytes = Bytes(moved)
	if moved == nil {
		out.offsets.Bytes = []byte{}
	}
	out.children = v.children
	return out
}

// allNullPlain is NewNull for callers that need the Plain encoding.
func allNullPlain(pool *Pool, typ Type, n int) *Vector {
	rows := Alloc[int64](pool, n)
	for i := range rows {
		rows[i] = 0
	}
	return gather(pool, NewNull(typ, 1).First(), rows)
}

func gatherFixed(pool *Pool, data []byte, width int, rows []int64) []byte {
	switch width {
	case 1:
		return Bytes(gatherValues[uint8](pool, data, rows))
	case 2:
		return Bytes(gatherValues[uint16](pool, data, rows))
	case 4:
		return Bytes(gatherValues[uint32](pool, data, rows))
	case 8:
		return Bytes(gatherValues[uint64](pool, data, rows))
	case 16:
		return Bytes(gatherValues[Int128](pool, data, rows))
	}
	return Bytes(gatherValues[Int256](pool, data, rows))
}

func gatherValues[T Fixed](pool *Pool, data []byte, rows []int64) []T {
	dst, source := Alloc[T](pool, len(rows)), Values[T](data)
	var zero T
	for i, r := range rows {
		if r >= 0 {
			dst[i] = source[r]
		} else {
			dst[i] = zero
		}
	}
	return dst
}

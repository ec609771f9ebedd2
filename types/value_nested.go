package types

import "time"

// nested makes lists, arrays, maps, structs and unions: the values below are collected first, then made into vectors of their own.
func (b *builder) nested() (*Vector, error) {
	switch b.typ.kind {
	case KindList, KindMap:
		return b.lists()
	case KindArray:
		return b.arrays()
	case KindStruct:
		return b.structs()
	case KindTimestampOffset:
		return b.offsets()
	case KindUnion:
		return b.unions()
	}
	return nil, KindErrorf(ErrUnsupported, "%s cannot be made from Go values", b.typ)
}

// below makes the vector of a field from values; the error gets the field's name into its path.
func (b *builder) below(f Field, values []any) (*Vector, error) {
	v, err := FromValues(b.pool, f.Type, values)
	if e, ok := err.(*Error); ok {
		e.Row = -1 // it counts elements, not rows
		switch {
		case e.Path == "":
			e.Path = f.Name
		default:
			e.Path = f.Name + "." + e.Path
		}
	}
	return v, err
}

func (b *builder) lists() (*Vector, error) {
	entries := Alloc[ListEntry](b.pool, len(b.values))
	var elements []any
	for i, x := range b.values {
		var own []any
		switch x := x.(type) {
		case nil:
		case []any:
			if b.typ.kind == KindMap {
				return nil, b.invalid(i)
			}
			own = x
		case []MapEntry:
			if b.typ.kind != KindMap {
				return nil, b.invalid(i)
			}
			fields := b.typ.Fields()
			for _, e := range x {
				if e.Key == nil {
					return nil, b.invalid(i)
				}
				own = append(own, []FieldValue{{fields[0].Name, e.Key}, {fields[1].Name, e.Value}})
			}
		default:
			return nil, b.invalid(i)
		}
		entries[i] = ListEntry{Offset: int64(len(elements)), Length: int64(len(own))}
		elements = append(elements, own...)
	}
	child, err := b.below(listChildField(b.typ), elements)
	if err != nil {
		return nil, err
	}
	return NewList(b.typ, entries, child, b.validity()), nil
}

func (b *builder) arrays() (*Vector, error) {
	width := b.typ.Width()
	elements := make([]any, 0, len(b.values)*width)
	for i, x := range b.values {
		own, ok := x.([]any)
		if x == nil {
			own, ok = make([]any, width), true
		}
		if !ok || len(own) != width {
			return nil, b.invalid(i)
		}
		elements = append(elements, own...)
	}
	child, err := b.below(b.typ.Elem(), elements)
	if err != nil {
		return nil, err
	}
	return NewArray(b.typ, len(b.values), child, b.validity()), nil
}

func (b *builder) structs() (*Vector, error) {
	fields := b.typ.Fields()
	columns := make([][]any, len(fields))
	for k := range columns {
		columns[k] = make([]any, len(b.values))
	}
	for i, x := range b.values {
		switch x := x.(type) {
		case nil:
		case []FieldValue:
			if len(x) != len(fields) {
				return nil, b.invalid(i)
			}
			for k, f := range x {
				if f.Name != fields[k].Name {
					return nil, b.invalid(i)
				}
				columns[k][i] = f.Value
			}
		case map[string]any:
			found := 0
			for k, f := range fields {
				value, ok := x[f.Name]
				if ok {
					found++
				}
				columns[k][i] = value
			}
			if found != len(x) {
				return nil, b.invalid(i)
			}
		default:
			return nil, b.invalid(i)
		}
	}
	children := make([]*Vector, len(fields))
	for k, f := range fields {
		var err error
		if children[k], err = b.below(f, columns[k]); err != nil {
			return nil, err
		}
	}
	return NewStruct(b.typ, len(b.values), children, b.validity()), nil
}

func (b *builder) offsets() (*Vector, error) {
	instants, minutes := make([]any, len(b.values)), make([]any, len(b.values))
	for i, x := range b.values {
		t, ok := x.(time.Time)
		if x != nil && !ok {
			return nil, b.invalid(i)
		}
		_, seconds := t.Zone()
		if x == nil {
			t, seconds = time.Unix(0, 0), 0
		}
		instants[i], minutes[i] = t, seconds/60
	}
	fields := structFields(b.typ)
	children := make([]*Vector, len(fields))
	for k, values := range [][]any{instants, minutes} {
		var err error
		if children[k], err = b.below(fields[k], values); err != nil {
			return nil, err
		}
	}
	return NewStruct(b.typ, len(b.values), children, b.validity()), nil
}

// unions makes a dense union. Rows that are NULL take the first variant, with a null of their own there.
func (b *builder) unions() (*Vector, error) {
	fields := b.typ.Fields()
	if len(fields) == 0 {
		for i, x := range b.values {
			if x != nil {
				return nil, b.invalid(i)
			}
		}
		return allNullPlain(b.pool, b.typ, len(b.values)), nil
	}
	variant := make(map[string]int, len(fields))
	for k, f := range fields {
		variant[f.Name] = k
	}
	codes, offsets := Alloc[int8](b.pool, len(b.values)), Alloc[int32](b.pool, len(b.values))
	columns := make([][]any, len(fields))
	for i, x := range b.values {
		k, value := 0, any(nil)
		if x != nil {
			u, ok := x.(UnionValue)
			if ok {
				k, ok = variant[u.Tag]
			}
			if !ok {
				return nil, b.invalid(i)
			}
			value = u.Value
		}
		codes[i], offsets[i] = b.typ.Codes()[k], int32(len(columns[k]))
		columns[k] = append(columns[k], value)
	}
	children := make([]*Vector, len(fields))
	for k, f := range fields {
		var err error
		if children[k], err = b.below(f, columns[k]); err != nil {
			return nil, err
		}
	}
	v := NewUnion(b.typ, codes, offsets, children, b.validity())
	if !b.typ.Tagged() { // then a variant that holds null is NULL
		v.validity = AndBitmaps(b.pool, v.validity, InnerValidity(b.pool, v), v.length)
	}
	return v, nil
}

package types

// nullWalk finds nulls under required fields (null-semantics 2.13, levels 2 and 3), in vectors whose layout is right.
type nullWalk struct {
	pool *Pool
	// hidden counts nulls that no row shows, and dense unions whose offsets decrease.
	hidden bool
	// report gets a violation with the row of its own path, which root turns into a row of the column.
	report func(e *Error, root func(row int) int)
}

// CheckRequired finds the first null that a row shows under a required field, f itself or a field below it: an *Error of kind ErrNullInRequired with path,
// row of v and the number of such rows, or nil. It costs a look at the bitmaps of required fields where there are none.
func CheckRequired(pool *Pool, v *Vector, f Field) error {
	return checkRequired(pool, v, f, &place{name: f.Name})
}

func checkRequired(pool *Pool, v *Vector, f Field, at *place) error {
	var first *Error
	walk := nullWalk{pool: pool, report: func(e *Error, root func(int) int) {
		if first != nil {
			return
		}
		if first = e; root != nil {
			e.Row = int64(root(int(e.Row)))
		}
	}}
	walk.field(v, f, everyRow, at, nil)
	if first == nil {
		return nil
	}
	return first
}

// field looks at the rows of a field that are visible; nil is every row.
func (w *nullWalk) field(v *Vector, f Field, rows visible, at *place, root func(int) int) {
	if !f.Nullable {
		w.required(v, rows, at, root)
	}
	if v.length > 0 && (requiresBelow(v.typ) || w.hidden && hasUnion(v.typ)) {
		w.below(v, rows, at, root)
	}
}

// requiresBelow reports whether a field somewhere below a type is required.
func requiresBelow(t Type) bool {
	for _, f := range structFields(t) {
		if !f.Nullable || requiresBelow(f.Type) {
			return true
		}
	}
	return false
}

// required looks for nulls among the visible rows of a required field.
func (w *nullWalk) required(v *Vector, rows visible, at *place, root func(int) int) {
	if valid := LogicalValidity(w.pool, v); valid != nil {
		bad := AndNotBitmaps(w.pool, rows, valid, v.length)
		if bad == nil {
			bad = w.all(v.length)
		}
		if first := bad.NextSet(0, v.length); first < v.length {
			e := at.errorf(ErrNullInRequired, first, "null in a required field")
			e.Count = int64(bad.Count(v.length))
			w.report(e, root)
			return
		}
	}
	if w.hidden && v.encoding == Dictionary && v.Entries().MayHaveNulls() && NullCount(w.pool, v.Entries()) > 0 {
		w.report(at.errorf(ErrNullInRequired, -1, "null among the dictionary entries of a required field"), nil)
	}
}

func (w *nullWalk) all(n int) Bitmap {
	b := w.pool.Bitmap(n)
	FillBitmap(b, n)
	return b
}

// below looks at the fields below a vector.
func (w *nullWalk) below(v *Vector, rows visible, at *place, root func(int) int) {
	if root == nil {
		root = func(row int) int { return row }
	}
	switch v.encoding {
	case Constant:
		first := rows.NextSet(0, v.length)
		if first < v.length {
			w.plain(v.First(), nil, at, func(int) int { return root(first) })
		}
		return
	case Dictionary:
		used := visible(nil)
		if !w.hidden {
			used = w.pool.ZeroBitmap(v.Entries().length)
			for i, k := range v.Keys() {
				if rows.Has(i) && v.validity.Has(i) {
					used.Set(int(k))
				}
			}
		}
		w.below(v.Entries(), used, at, func(entry int) int { return root(rowOfKey(v, rows, entry)) })
		return
	case RunEnd:
		used := visible(nil)
		start := 0
		if rows != nil {
			used = w.pool.ZeroBitmap(v.RunValues().length)
			for r, end := range v.RunEnds() {
				if rows.NextSet(start, int(end)) < int(end) {
					used.Set(r)
				}
				start = int(end)
			}
		}
		w.below(v.RunValues(), used, at, func(run int) int {
			first := 0
			if run > 0 {
				first = int(v.RunEnds()[run-1])
			}
			return root(rows.NextSet(first, v.length))
		})
		return
	}
	w.plain(v, rows, at, root)
}

// rowOfKey gives the first visible row that names an entry, or 0 for an entry that none names.
func rowOfKey(v *Vector, rows visible, entry int) int {
	for i, k := range v.Keys() {
		if int(k) == entry && rows.Has(i) && v.validity.Has(i) {
			return i
		}
	}
	return 0
}

// plain looks at the children of a plain vector.
func (w *nullWalk) plain(v *Vector, rows visible, at *place, root func(int) int) {
	shown := rows
	if !w.hidden {
		shown = AndBitmaps(w.pool, rows, v.validity, v.length)
	}
	switch v.typ.Storage() {
	case StorageStruct:
		for i, f := range structFields(v.typ) {
			w.field(v.children[i], f, shown, at.below(f.Name), root)
		}
	case StorageArray:
		width := v.typ.Width()
		elements := visible(nil)
		if shown != nil {
			elements = w.pool.ZeroBitmap(v.length * width)
			for i := shown.NextSet(0, v.length); i < v.length; i = shown.NextSet(i+1, v.length) {
				setRange(elements, i*width, (i+1)*width)
			}
		}
		w.field(v.children[0], v.typ.Elem(), elements, at.below("[]"), func(element int) int { return root(element / width) })
	case StorageList:
		entries := ValuesOf[ListEntry](v)
		elements := visible(nil)
		if !w.hidden {
			elements = w.pool.ZeroBitmap(v.children[0].length)
			for i := shown.NextSet(0, v.length); i < v.length; i = shown.NextSet(i+1, v.length) {
				setRange(elements, int(entries[i].Offset), int(entries[i].Offset+entries[i].Length))
			}
		}
		below := at.below("[]")
		if v.typ.kind == KindMap {
			below = at
		}
		w.field(v.children[0], listChildField(v.typ), elements, below, func(element int) int {
			for i, e := range entries {
				if shown.Has(i) && int64(element) >= e.Offset && int64(element) < e.Offset+e.Length {
					return root(i)
				}
			}
			return root(0)
		})
	case StorageUnion:
		w.union(v, shown, at, root)
	}
}

func (w *nullWalk) union(v *Vector, shown visible, at *place, root func(int) int) {
	codes, offsets := v.TypeCodes(), v.UnionOffsets()
	for k, f := range v.typ.Fields() {
		code, child := v.typ.Codes()[k], v.children[k]
		selected := visible(nil)
		if !w.hidden {
			selected = w.pool.ZeroBitmap(child.length)
		}
		last := int32(0)
		for i := shown.NextSet(0, v.length); i < v.length; i = shown.NextSet(i+1, v.length) {
			switch {
			case codes[i] != code:
			case offsets == nil:
				if selected != nil {
					selected.Set(i)
				}
			case w.hidden:
				if offsets[i] < last {
					w.report(at.invalid(i, "union offsets %d, %d of variant %s decrease", last, offsets[i], QuoteIdent(f.Name)), root)
					return
				}
				last = offsets[i]
			default:
				selected.Set(int(offsets[i]))
			}
		}
		w.field(child, f, selected, at.below(f.Name), func(row int) int {
			if offsets == nil {
				return root(row)
			}
			for i, o := range offsets {
				if codes[i] == code && int(o) == row {
					return root(i)
				}
			}
			return root(0)
		})
	}
}

package kernels

import "github.com/lacunadb/lacuna/types"

// CastBubble is Cast in Try mode for types with required fields: a value that cannot be converted, or is null, under such a field makes the nearest row above
// it null whose own field may be, up to the row of v itself (null-semantics 2.4, TryBubble).
func CastBubble(env *Env, v *types.Vector, to types.Type) (*types.Vector, error) {
	if !CanCast(v.Type(), to) {
		return nil, noCast(v.Type(), to)
	}
	try := Env{}
	if env != nil {
		try = *env
	}
	try.Try = true
	r, err := Cast(&try, v, withoutRequired(to))
	if err != nil {
		return nil, err
	}
	return bubbleNulls(env, r, to), nil
}

// withoutRequired gives a type whose fields at every level are nullable.
func withoutRequired(t types.Type) types.Type {
	if len(t.Fields()) == 0 {
		return t
	}
	fields := append([]types.Field(nil), t.Fields()...)
	for i := range fields {
		fields[i].Nullable = true
		fields[i].Type = withoutRequired(fields[i].Type)
	}
	return t.WithFields(fields)
}

// bubbleNulls gives a vector of withoutRequired(to) as one of type to: rows with a null below them that their type forbids become null.
func bubbleNulls(env *Env, v *types.Vector, to types.Type) *types.Vector {
	if v.Type().Equal(to) || v.Type().Kind() == types.KindNull {
		return v
	}
	if isNullConstant(v) {
		return types.NewNull(to, v.Len())
	}
	v = Decode(env, v)
	n, pool := v.Len(), env.pool()
	valid := copyValidity(pool, v.Validity(), n)
	fields := to.Fields()
	children := make([]*types.Vector, len(v.Children()))
	missing := make([]types.Bitmap, len(children)) // the rows of a child that are null and must not be
	for k, child := range v.Children() {
		below, required := types.StructOf(fields...), true // the entries of a map
		if to.Kind() != types.KindMap {
			below, required = fields[k].Type, !fields[k].Nullable
		}
		children[k] = bubbleNulls(env, child, below)
		if required && children[k].MayHaveNulls() {
			missing[k] = IsNull(env, children[k]).Bools()
		}
	}
	someMissing := func(k, from, to int) bool { return missing[k] != nil && missing[k].NextSet(from, to) < to }
	switch v.Type().Storage() {
	case types.StorageList:
		entries := types.ValuesOf[types.ListEntry](v)[:n]
		for i, e := range entries {
			if valid.Get(i) && someMissing(0, int(e.Offset), int(e.Offset+e.Length)) {
				valid.Clear(i)
			}
		}
	case types.StorageArray:
		width := to.Width()
		for i := range n {
			if someMissing(0, i*width, (i+1)*width) {
				valid.Clear(i)
			}
		}
	case types.StorageStruct:
		for k := range children {
			if missing[k] != nil {
				valid = types.AndNotBitmaps(pool, valid, missing[k], n)
			}
		}
	case types.StorageUnion:
		rows := rowsOfUnion(v)
		for i := range n {
			if k, at := rows.at(i); someMissing(k, at, at+1) {
				valid.Clear(i)
			}
		}
	}
	return v.WithChildren(to, children).WithValidity(valid)
}

package kernels

import "github.com/lacunadb/lacuna/types"

// Decimal arithmetic on unscaled integers: + - and % need operands of out's scale, * operands whose scales add up to out's.
// Their storage is out's or narrower. Results of up to 18 digits are computed on int64, up to 38 on 128, above on 256 bits.
//
// Whether a result can have more digits than out follows from the precisions; only then are results compared with 10^p.

// decimalArithmetic is the kernel of + - * % on plain decimals of which one may be constant.
func decimalArithmetic(env *Env, op arithOp, out types.Type, a, b *types.Vector) (*types.Vector, error) {
	at, bt := a.Type(), b.Type()
	scalesFit := at.Scale() == out.Scale() && bt.Scale() == out.Scale()
	digits := max(at.Precision(), bt.Precision()) + 1
	switch op {
	case opMul:
		scalesFit = at.Scale()+bt.Scale() == out.Scale()
		digits = at.Precision() + bt.Precision()
	case opMod:
		digits = min(at.Precision(), bt.Precision())
	case opDiv, opIntDiv:
		return nil, noOperator(op, a, b)
	}
	if !scalesFit || at.Storage() > out.Storage() || bt.Storage() > out.Storage() {
		return nil, types.Errorf(types.CodeDatatypeMismatch, "%s of %s and %s does not give %s", op.noun(), at, bt, out)
	}
	check := digits > out.Precision()
	n := a.Len()
	valid := bothValid(env, a, b)
	if op == opMod {
		valid = dropZeroDecimals(env, n, valid, b)
	}
	r, failed := computeDecimals(env, op, out, a, b, check)
	if failed {
		limit := pow10Wide[out.Precision()]
		var err error
		valid, err = env.settle(n, valid, func(i int) bool {
			x, y := wideAt(a, i*columnStep(a)), wideAt(b, i*columnStep(b))
			var z int256
			var over bool
			switch op {
			case opAdd:
				z, over = add256(x, y)
			case opSub:
				z, over = sub256(x, y)
			case opMul:
				z, over = mul256(x, y)
			}
			return over || cmp256(abs256(z), limit) >= 0
		}, func(i int) *types.Error { return overflow(op, out, a, b, i) })
		if err != nil {
			return nil, err
		}
	}
	return r.WithValidity(valid), nil
}

// computeDecimals computes every slot, without validity, in out's storage and tells whether one may be out of range.
func computeDecimals(env *Env, op arithOp, out types.Type, a, b *types.Vector, check bool) (*types.Vector, bool) {
	n, pool := a.Len(), env.pool()
	as, bs := a.Type().Storage(), b.Type().Storage()
	switch out.Storage() {
	case types.StorageInt64:
		dst := types.Alloc[int64](pool, n)
		if op == opMod {
			zipBlocks(env, dst, a, b, modIntegers[int64])
			return types.NewFixed(out, dst, nil), false
		}
		over := wrappingArithmetic(op, dst, a, b, pool.Bitmap(n))
		return types.NewFixed(out, dst, nil), check && (over || exceeds64(dst, pow10[out.Precision()]))
	case types.StorageInt128:
		dst := types.Alloc[int128](pool, n)
		if op == opMul && as == types.StorageInt64 && bs == types.StorageInt64 {
			limit := pow10As128(out.Precision())
			failed := zipBlocks(env, dst, a, b, func(dst []int128, a, b []int64) bool {
				for i := range dst {
					dst[i] = mul64(a[i], b[i])
				}
				return check && exceeds128(dst, limit)
			})
			return types.NewFixed(out, dst, nil), failed
		}
		loop, limit := loops128(op), pow10As128(out.Precision())
		failed := zipBlocks(env, dst, widenTo128(env, a), widenTo128(env, b), func(dst, a, b []int128) bool {
			over := loop(dst, a, b)
			return check && (over || exceeds128(dst, limit))
		})
		return types.NewFixed(out, dst, nil), failed
	}
	wide := types.Alloc[int256](pool, n)
	limit := pow10Wide[out.Precision()]
	failed := zipBlocks(env, wide, widenTo256(env, a), widenTo256(env, b), func(dst, a, b []int256) (failed bool) {
		for i := range dst {
			var r int256
			var over bool
			switch op {
			case opAdd:
				r, over = add256(a[i], b[i])
			case opSub:
				r, over = sub256(a[i], b[i])
			case opMul:
				r, over = mul256(a[i], b[i])
			case opMod:
				if b[i] != (int256{}) {
					_, r = divMod256(a[i], b[i])
				}
			}
			dst[i] = r
			failed = failed || check && (over || cmp256(abs256(r), limit) >= 0)
		}
		return failed
	})
	return types.NewFixed(out, wide, nil), failed
}

// exceeds64 reports whether any value is not strictly between -limit and limit.
func exceeds64(values []int64, limit int64) bool {
	var over uint64
	bound := uint64(2*limit - 2)
	for _, x := range values {
		over |= bit(uint64(x+limit-1) > bound)
	}
	return over != 0
}

// exceeds128 reports whether any value is not strictly between -limit and limit.
func exceeds128(values []int128, limit int128) bool {
	low := neg128(limit)
	for _, x := range values {
		if cmp128(x, limit) >= 0 || cmp128(x, low) <= 0 {
			return true
		}
	}
	return false
}

// dropZeroDecimals takes the rows whose divisor is zero out of a validity.
func dropZeroDecimals(env *Env, n int, valid types.Bitmap, divisor *types.Vector) types.Bitmap {
	switch divisor.Type().Storage() {
	case types.StorageInt64:
		return dropZeros(env, n, valid, types.ValuesOf[int64](divisor), columnStep(divisor))
	case types.StorageInt128:
		return dropZeros128(env, n, valid, types.ValuesOf[int128](divisor), columnStep(divisor))
	}
	dst := copyValidity(env.pool(), valid, n)
	y, step := types.ValuesOf[int256](divisor), columnStep(divisor)
	for i := range n {
		if y[i*step] == (int256{}) {
			dst.Clear(i)
		}
	}
	return dst
}

// wideAt gives the unscaled integer in row i of a plain vector of integers or decimals.
func wideAt(v *types.Vector, i int) int256 {
	switch v.Type().Storage() {
	case types.StorageInt8:
		return int256From64(int64(types.ValuesOf[int8](v)[i]))
	case types.StorageInt16:
		return int256From64(int64(types.ValuesOf[int16](v)[i]))
	case types.StorageInt32:
		return int256From64(int64(types.ValuesOf[int32](v)[i]))
	case types.StorageInt64:
		return int256From64(types.ValuesOf[int64](v)[i])
	case types.StorageUint8:
		return int256{uint64(types.ValuesOf[uint8](v)[i])}
	case types.StorageUint16:
		return int256{uint64(types.ValuesOf[uint16](v)[i])}
	case types.StorageUint32:
		return int256{uint64(types.ValuesOf[uint32](v)[i])}
	case types.StorageUint64:
		return int256{types.ValuesOf[uint64](v)[i]}
	case types.StorageInt128:
		return int256From128(types.ValuesOf[int128](v)[i])
	}
	return types.ValuesOf[int256](v)[i]
}

// mapFixed gives a plain or constant vector of another storage, value by value, under the same validity.
func mapFixed[F, T types.Fixed](env *Env, typ types.Type, v *types.Vector, f func(F) T) *types.Vector {
	src := types.ValuesOf[F](v)
	dst := types.Alloc[T](env.pool(), len(src))
	for i, x := range src {
		dst[i] = f(x)
	}
	r := types.NewFixed(typ, dst, v.Validity())
	if v.Encoding() == types.Constant {
		return types.NewConstant(r, v.Len())
	}
	return r
}

// widenTo128 gives a decimal of up to 38 digits on 128 bits, with its scale.
func widenTo128(env *Env, v *types.Vector) *types.Vector {
	if v.Type().Storage() == types.StorageInt128 {
		return v
	}
	return mapFixed(env, types.Decimal(38, v.Type().Scale()), v, int128From64)
}

// widenTo256 gives a decimal on 256 bits, with its scale.
func widenTo256(env *Env, v *types.Vector) *types.Vector {
	typ := types.Decimal(types.MaxDecimalPrecision, v.Type().Scale())
	switch v.Type().Storage() {
	case types.StorageInt64:
		return mapFixed(env, typ, v, int256From64)
	case types.StorageInt128:
		return mapFixed(env, typ, v, int256From128)
	}
	return v
}

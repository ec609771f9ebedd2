package asm

// The functions below cast every slot. Those called Checked set a bit of bad where a value does not fit T, and say whether any bit
// is set, over all slots: null slots hold garbage, so the caller ANDs bad with the validity before it raises an error.
//
// dst is as long as src, which it must not overlap, and bad holds Words(len(src)) words.

// WidenInts writes dst[i] = src[i] for a T that holds every value of F.
func WidenInts[T, F Integer](dst []T, src []F) {
	checkLen("WidenInts", "dst", len(dst), len(src))
	dst = dst[:len(src)]
	done, c, signed := 0, &active.casts, isSigned[F]()
	switch from, to := width[F](), width[T](); {
	case signed && from == 1 && to == 2:
		done = castBlocks(cast[int16](dst), cast[int8](src), c.int8ToInt16)
	case signed && from == 1 && to == 4:
		done = castBlocks(cast[int32](dst), cast[int8](src), c.int8ToInt32)
	case signed && from == 1 && to == 8:
		done = castBlocks(cast[int64](dst), cast[int8](src), c.int8ToInt64)
	case signed && from == 2 && to == 4:
		done = castBlocks(cast[int32](dst), cast[int16](src), c.int16ToInt32)
	case signed && from == 2 && to == 8:
		done = castBlocks(cast[int64](dst), cast[int16](src), c.int16ToInt64)
	case signed && from == 4 && to == 8:
		done = castBlocks(cast[int64](dst), cast[int32](src), c.int32ToInt64)
	case !signed && from == 1 && to == 2:
		done = castBlocks(cast[uint16](dst), cast[uint8](src), c.uint8ToUint16)
	case !signed && from == 1 && to == 4:
		done = castBlocks(cast[uint32](dst), cast[uint8](src), c.uint8ToUint32)
	case !signed && from == 1 && to == 8:
		done = castBlocks(cast[uint64](dst), cast[uint8](src), c.uint8ToUint64)
	case !signed && from == 2 && to == 4:
		done = castBlocks(cast[uint32](dst), cast[uint16](src), c.uint16ToUint32)
	case !signed && from == 2 && to == 8:
		done = castBlocks(cast[uint64](dst), cast[uint16](src), c.uint16ToUint64)
	case !signed && from == 4 && to == 8:
		done = castBlocks(cast[uint64](dst), cast[uint32](src), c.uint32ToUint64)
	}
	castNumbers(dst[done:], src[done:])
}

// IntsToFloats writes dst[i] = T(src[i]), rounded half to even.
func IntsToFloats[T Float, F Integer](dst []T, src []F) {
	checkLen("IntsToFloats", "dst", len(dst), len(src))
	dst = dst[:len(src)]
	done, c, signed := 0, &active.casts, isSigned[F]()
	if width[T]() == 8 {
		to := cast[float64](dst)
		switch from := width[F](); {
		case signed && from == 1:
			done = castBlocks(to, cast[int8](src), c.int8ToFloat64)
		case signed && from == 2:
			done = castBlocks(to, cast[int16](src), c.int16ToFloat64)
		case signed && from == 4:
			done = castBlocks(to, cast[int32](src), c.int32ToFloat64)
		case signed && from == 8:
			done = castBlocks(to, cast[int64](src), c.int64ToFloat64)
		case !signed && from == 1:
			done = castBlocks(to, cast[uint8](src), c.uint8ToFloat64)
		case !signed && from == 2:
			done = castBlocks(to, cast[uint16](src), c.uint16ToFloat64)
		case !signed && from == 4:
			done = castBlocks(to, cast[uint32](src), c.uint32ToFloat64)
		case !signed && from == 8:
			done = castBlocks(to, cast[uint64](src), c.uint64ToFloat64)
		}
	} else {
		to := cast[float32](dst)
		switch from := width[F](); {
		case signed && from == 1:
			done = castBlocks(to, cast[int8](src), c.int8ToFloat32)
		case signed && from == 2:
			done = castBlocks(to, cast[int16](src), c.int16ToFloat32)
		case signed && from == 4:
			done = castBlocks(to, cast[int32](src), c.int32ToFloat32)
		case !signed && from == 1:
			done = castBlocks(to, cast[uint8](src), c.uint8ToFloat32)
		case !signed && from == 2:
			done = castBlocks(to, cast[uint16](src), c.uint16ToFloat32)
		}
	}
	castNumbers(dst[done:], src[done:])
}

// WidenFloats writes dst[i] = float64(src[i]).
func WidenFloats(dst []float64, src []float32) {
	checkLen("WidenFloats", "dst", len(dst), len(src))
	dst = dst[:len(src)]
	done := castBlocks(dst, src, active.casts.float32ToFloat64)
	castNumbers(dst[done:], src[done:])
}

// NarrowFloatsChecked writes dst[i] = float32(src[i]), rounded half to even. Finite values that become infinite do not fit.
func NarrowFloatsChecked(dst []float32, src []float64, bad []uint64) bool {
	return castChecked("NarrowFloatsChecked", dst, src, bad, active.casts.float64ToFloat32, flagFloats)
}

// CastIntsChecked writes dst[i] = T(src[i]): of a value that does not fit the low bits.
func CastIntsChecked[T, F Integer](dst []T, src []F, bad []uint64) bool {
	c, check := &active.casts, checkOf[T, F]()
	// Truncation is the same for all signs.
	switch from, to := width[F](), width[T](); {
	case from == 8 && to == 4:
		return castIntsChecked(cast[uint32](dst), cast[uint64](src), bad, castCheck[uint64](check), c.uint64ToUint32)
	case from == 8 && to == 2:
		return castIntsChecked(cast[uint16](dst), cast[uint64](src), bad, castCheck[uint64](check), c.uint64ToUint16)
	case from == 8 && to == 1:
		return castIntsChecked(cast[uint8](dst), cast[uint64](src), bad, castCheck[uint64](check), c.uint64ToUint8)
	case from == 4 && to == 2:
		return castIntsChecked(cast[uint16](dst), cast[uint32](src), bad, castCheck[uint32](check), c.uint32ToUint16)
	case from == 4 && to == 1:
		return castIntsChecked(cast[uint8](dst), cast[uint32](src), bad, castCheck[uint32](check), c.uint32ToUint8)
	case from == 2 && to == 1:
		return castIntsChecked(cast[uint8](dst), cast[uint16](src), bad, castCheck[uint16](check), c.uint16ToUint8)
	}
	return castIntsChecked(dst, src, bad, check, castInts[T, F])
}

// FloatsToIntsChecked writes src[i], rounded half to even, to dst[i]; 0 for what does not fit, which NaN does not.
func FloatsToIntsChecked[T Integer, F Float](dst []T, src []F, bad []uint64) bool {
	const function = "FloatsToIntsChecked"
	if c := &active.casts; isSigned[T]() {
		switch from, to := width[F](), width[T](); {
		case from == 8 && to == 8:
			return castChecked(function, cast[int64](dst), cast[float64](src), bad, c.float64ToInt64, roundFloats[int64, float64])
		case from == 4 && to == 8:
			return castChecked(function, cast[int64](dst), cast[float32](src), bad, c.float32ToInt64, roundFloats[int64, float32])
		case from == 8 && to == 4:
			return castChecked(function, cast[int32](dst), cast[float64](src), bad, c.float64ToInt32, roundFloats[int32, float64])
		case from == 4 && to == 4:
			return castChecked(function, cast[int32](dst), cast[float32](src), bad, c.float32ToInt32, roundFloats[int32, float32])
		}
	}
	return castChecked(function, dst, src, bad, floatsToInts[T, F], roundFloats[T, F])
}

// castBlocks calls a kernel on the whole blocks of src, and gives the number of rows in them.
func castBlocks[T, F any](dst []T, src []F, kernel func(dst []T, src []F)) int {
	whole := len(src) / wordRows * wordRows
	for at := 0; at < whole; at += maxCallRows {
		end := min(whole, at+maxCallRows)
		kernel(dst[at:end], src[at:end])
	}
	return whole
}

// castChecked calls a kernel on the whole blocks of src. Blocks that the kernel stops at, and the rows after the last whole block,
// are done by rows, which casts up to 64 rows and gives the bitmap of the bad ones.
func castChecked[T, F any](function string, dst []T, src []F, bad []uint64,
	kernel func(dst []T, src []F) int, rows func(dst []T, src []F) uint64) bool {
	n := len(src)
	checkLen(function, "dst", len(dst), n)
	checkLen(function, "bad", len(bad), Words(n))
	dst, bad = dst[:n], bad[:Words(n)]
	clear(bad)
	var any uint64
	for at, whole := 0, n/wordRows*wordRows; at < whole; {
		end := min(whole, at+maxCallRows)
		at += wordRows * kernel(dst[at:end], src[at:end])
		if at < end {
			word := rows(dst[at:at+wordRows], src[at:at+wordRows])
			bad[at/wordRows] = word
			any |= word
			at += wordRows
		}
	}
	if n%wordRows != 0 {
		at := n / wordRows * wordRows
		word := rows(dst[at:], src[at:])
		bad[at/wordRows] = word
		any |= word
	}
	return any != 0
}

// castIntsChecked is castChecked for integers.
func castIntsChecked[T, F Integer](dst []T, src []F, bad []uint64, check intCheck[F],
	kernel func(dst []T, src []F, check intCheck[F]) int) bool {
	return castChecked("CastIntsChecked", dst, src, bad,
		func(dst []T, src []F) int { return kernel(dst, src, check) },
		func(dst []T, src []F) uint64 { return flagInts(dst, src, check) })
}

// intCheck says which integers fit another type: those for which (v + bias) & mask is zero. A bias moves a signed range to zero.
type intCheck[F Integer] struct{ bias, mask F }

// checkOf gives the check of a cast from F to T.
func checkOf[T, F Integer]() intCheck[F] {
	fromBits, toBits := 8*width[F](), 8*width[T]()
	if isSigned[F]() && isSigned[T]() {
		return intCheck[F]{F(uint64(1) << (toBits - 1)), F(^uint64(0) << (toBits - 1) << 1)}
	}
	kept := toBits // low bits that T has room for
	if isSigned[T]() {
		kept--
	}
	if isSigned[F]() {
		kept = min(kept, fromBits-1) // a sign is lost
	}
	return intCheck[F]{0, F(^uint64(0) << kept)}
}

// castCheck is a check in another type of the same width.
func castCheck[U, F Integer](c intCheck[F]) intCheck[U] { return intCheck[U]{U(c.bias), U(c.mask)} }

// castKernels are the casts of whole blocks. Those that give an int are checked: they stop at the first block in which a value does
// not fit, or might not, and give the number of blocks before it.
type castKernels struct {
	// Integers to wider ones.
	int8ToInt16    func(dst []int16, src []int8)
	int8ToInt32    func(dst []int32, src []int8)
	int8ToInt64    func(dst []int64, src []int8)
	int16ToInt32   func(dst []int32, src []int16)
	int16ToInt64   func(dst []int64, src []int16)
	int32ToInt64   func(dst []int64, src []int32)
	uint8ToUint16  func(dst []uint16, src []uint8)
	uint8ToUint32  func(dst []uint32, src []uint8)
	uint8ToUint64  func(dst []uint64, src []uint8)
	uint16ToUint32 func(dst []uint32, src []uint16)
	uint16ToUint64 func(dst []uint64, src []uint16)
	uint32ToUint64 func(dst []uint64, src []uint32)

	// Integers to floats, and floats to wider ones.
	int8ToFloat64    func(dst []float64, src []int8)
	int16ToFloat64   func(dst []float64, src []int16)
	int32ToFloat64   func(dst []float64, src []int32)
	int64ToFloat64   func(dst []float64, src []int64)
	uint8ToFloat64   func(dst []float64, src []uint8)
	uint16ToFloat64  func(dst []float64, src []uint16)
	uint32ToFloat64  func(dst []float64, src []uint32)
	uint64ToFloat64  func(dst []float64, src []uint64)
	int8ToFloat32    func(dst []float32, src []int8)
	int16ToFloat32   func(dst []float32, src []int16)
	int32ToFloat32   func(dst []float32, src []int32)
	uint8ToFloat32   func(dst []float32, src []uint8)
	uint16ToFloat32  func(dst []float32, src []uint16)
	float32ToFloat64 func(dst []float64, src []float32)

	// Integers to narrower ones, of any signs.
	uint64ToUint32 func(dst []uint32, src []uint64, check intCheck[uint64]) int
	uint64ToUint16 func(dst []uint16, src []uint64, check intCheck[uint64]) int
	uint64ToUint8  func(dst []uint8, src []uint64, check intCheck[uint64]) int
	uint32ToUint16 func(dst []uint16, src []uint32, check intCheck[uint32]) int
	uint32ToUint8  func(dst []uint8, src []uint32, check intCheck[uint32]) int
	uint16ToUint8  func(dst []uint8, src []uint16, check intCheck[uint16]) int

	// Floats to integers, and to narrower ones.
	float64ToInt64   func(dst []int64, src []float64) int
	float64ToInt32   func(dst []int32, src []float64) int
	float32ToInt64   func(dst []int64, src []float32) int
	float32ToInt32   func(dst []int32, src []float32) int
	float64ToFloat32 func(dst []float32, src []float64) int
}

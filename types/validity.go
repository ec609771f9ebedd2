package types

import (
	"encoding/binary"
	"math/bits"

	"github.com/lacunadb/lacuna/kernels/asm"
)

// LogicalValidity gives the rows that are not null in SQL's sense: through dictionaries to their entries, through runs to their
// values; a union's is its outer validity. nil means that no row is null; a bitmap may still have every bit set. The
// result is borrowed from v or made in pool. This is the one question about nulls that kernels ask (null-semantics 2.1).
func LogicalValidity(pool *Pool, v *Vector) Bitmap {
	switch v.encoding {
	case Constant:
		if v.typ.kind != KindNull && v.validity.Has(0) {
			return nil
		}
		return pool.ZeroBitmap(v.length)
	case Dictionary:
		entries := LogicalValidity(pool, v.children[0])
		if entries == nil {
			return v.validity
		}
		dst := pool.Bitmap(v.length)
		asm.TakeBits(dst, entries, v.Keys())
		if v.validity != nil {
			asm.And(dst, dst, v.validity)
		}
		return dst
	case RunEnd:
		runs := LogicalValidity(pool, v.children[0])
		if runs == nil {
			return nil
		}
		return runValidity(pool, runs, v.RunEnds(), v.length)
	}
	if v.typ.kind == KindNull {
		return pool.ZeroBitmap(v.length)
	}
	return v.validity
}

// runValidity gives the rows of the runs that are valid. Few runs are null, so these are what it walks.
func runValidity(pool *Pool, runs Bitmap, ends []int32, n int) Bitmap {
	dst := pool.Bitmap(n)
	FillBitmap(dst, n)
	for w := 0; w*64 < len(ends); w++ {
		nulls := ^runs[w]
		for nulls &= ^uint64(0) >> (64 - uint(min(64, len(ends)-w*64))); nulls != 0; nulls &= nulls - 1 {
			r := w*64 + bits.OnesCount64(nulls&-nulls-1)
			start := 0
			if r > 0 {
				start = int(ends[r-1])
			}
			clearRange(dst, start, int(ends[r]))
		}
	}
	return dst
}

// InnerValidity gives the rows of a plain UNION vector whose selected variant holds a value, whatever the union's own validity says of them: nil when every
// row's does. It is the IV of null-semantics 2.0; LogicalValidity is the outer one, OV.
func InnerValidity(pool *Pool, v *Vector) Bitmap {
	var valid [MaxUnionVariants]Bitmap
	for i, child := range v.children {
		valid[v.typ.Codes()[i]] = LogicalValidity(pool, child)
	}
	return selectedValidity(pool, v, &valid)
}

// validityIn gives the rows of a plain UNION vector that do not hold null in one variant; nil when every row is one.
func validityIn(pool *Pool, v *Vector, variant int) Bitmap {
	var valid [MaxUnionVariants]Bitmap
	valid[v.typ.Codes()[variant]] = LogicalValidity(pool, v.children[variant])
	return selectedValidity(pool, v, &valid)
}

// selectedValidity gives each row's bit in the bitmap of its variant, which is nil for one without nulls.
func selectedValidity(pool *Pool, v *Vector, valid *[MaxUnionVariants]Bitmap) Bitmap {
	any := false
	for _, code := range v.typ.Codes() {
		any = any || valid[code] != nil
	}
	if !any {
		return nil
	}
	dst := pool.Bitmap(v.length)
	if offsets := v.UnionOffsets(); offsets != nil {
		denseValidity(dst, v.TypeCodes(), offsets, valid)
		return dst
	}
	FillBitmap(dst, v.length)
	for _, code := range v.typ.Codes() {
		if valid[code] != nil {
			clearSelectedNulls(dst, v.TypeCodes(), code, valid[code])
		}
	}
	return dst
}

// clearSelectedNulls clears the rows of a code that are null in its variant of a sparse union. It goes by 64 rows: a test per row costs three times as much.
func clearSelectedNulls(dst Bitmap, codes []int8, code int8, valid Bitmap) {
	const bytes, high = 0x0101010101010101, 0x8080808080808080
	pattern := uint64(code) * bytes
	raw := Bytes(codes)
	for w := range len(codes) / 64 {
		if valid[w] == ^uint64(0) {
			continue
		}
		var selected uint64
		for k, b := 0, raw[w*64:w*64+64]; k < 8; k++ {
			// Codes are below 128: 0x80 minus the difference keeps its high bit in the bytes that have none, and never borrows.
			equal := (high - (binary.LittleEndian.Uint64(b[k*8:]) ^ pattern)) & high
			selected |= equal >> 7 * 0x0102040810204080 >> 56 << (k * 8) // one bit of each byte
		}
		dst[w] &^= selected &^ valid[w]
	}
	for i := len(codes) &^ 63; i < len(codes); i++ {
		if codes[i] == code && !valid.Get(i) {
			dst.Clear(i)
		}
	}
}

// denseValidity gathers the bits of a dense union's variants. A variant without nulls reads bit 0 of a word that is all ones, so that no row takes a branch.
func denseValidity(dst Bitmap, codes []int8, offsets []int32, valid *[MaxUnionVariants]Bitmap) {
	type variant struct {
		bits Bitmap
		mask int32 // of the offset
	}
	var variants [MaxUnionVariants]variant
	ones := Bitmap{^uint64(0)}
	for code, bits := range valid {
		variants[code] = variant{bits, -1}
		if bits == nil {
			variants[code] = variant{ones, 0}
		}
	}
	for w := range dst {
		var word uint64
		rows := codes[w*64 : min(len(codes), w*64+64)]
		at := offsets[w*64:][:len(rows)]
		for i, code := range rows {
			v := &variants[code&(MaxUnionVariants-1)]
			row := uint32(at[i] & v.mask)
			word |= v.bits[row>>6] >> (row & 63) & 1 << uint(i)
		}
		dst[w] = word
	}
}

// NullCount gives the number of rows that are null in SQL's sense.
func NullCount(pool *Pool, v *Vector) int {
	if v.encoding == RunEnd {
		// By run, without a bitmap: O(runs).
		runs := LogicalValidity(pool, v.children[0])
		if runs == nil {
			return 0
		}
		count, start := 0, 0
		for r, end := range v.RunEnds() {
			if !runs.Get(r) {
				count += int(end) - start
			}
			start = int(end)
		}
		return count
	}
	valid := LogicalValidity(pool, v)
	return v.length - valid.Count(v.length)
}

// PhysicalNullCount gives the number of nulls that v's own bitmap carries: for a dictionary those of the keys, for runs and for
// unions without outer nulls zero, for NULL vectors all rows (null-semantics 2.1).
func PhysicalNullCount(v *Vector) int {
	switch {
	case v.encoding == RunEnd:
		return 0
	case v.typ.kind == KindNull && v.encoding != Dictionary:
		return v.length
	case v.encoding == Constant:
		if v.validity.Has(0) {
			return 0
		}
		return v.length
	}
	return v.length - v.validity.Count(v.length)
}

// MayHaveNulls reports whether a row can be null. It may say yes without need, never no wrongly, and looks at no row.
func (v *Vector) MayHaveNulls() bool {
	switch {
	case v.encoding == RunEnd:
		return v.children[0].MayHaveNulls()
	case v.encoding == Dictionary:
		return v.validity != nil || v.children[0].MayHaveNulls()
	}
	return v.validity != nil || v.typ.kind == KindNull
}

// setRange sets bits from to to (half open).
func setRange(b Bitmap, from, to int) {
	for from < to {
		w, bit := from>>6, uint(from)&63
		n := min(64-int(bit), to-from)
		b[w] |= (^uint64(0) >> (64 - uint(n))) << bit
		from += n
	}
}

// clearRange clears bits from to to (half open).
func clearRange(b Bitmap, from, to int) {
	for from < to {
		w, bit := from>>6, uint(from)&63
		n := min(64-int(bit), to-from)
		b[w] &^= (^uint64(0) >> (64 - uint(n))) << bit
		from += n
	}
}

// NextSet gives the first set bit at or after row i, or n when there is none among n rows. A nil bitmap has every bit set.
func (b Bitmap) NextSet(i, n int) int {
	if b == nil || i >= n {
		return min(i, n)
	}
	w := i >> 6
	word := b[w] >> (uint(i) & 63) << (uint(i) & 63)
	for word == 0 {
		w++
		if w >= BitmapWords(n) {
			return n
		}
		word = b[w]
	}
	return min(n, w<<6+bits.TrailingZeros64(word))
}

package asm

// CompareOp is a comparison that has a loop of its own. Not-equal is the complement of Eq, and a comparison with its sides
// exchanged is another of these.
type CompareOp uint8

// The comparisons. Their values index tables of kernels.
const (
	Eq CompareOp = iota // a = b
	Lt                  // a < b
	Le                  // a <= b
	Gt                  // a > b; only beside a constant
	Ge                  // a >= b; only beside a constant
)

// String gives the operator as SQL writes it.
func (op CompareOp) String() string { return [...]string{"=", "<", "<=", ">", ">="}[op] }

// CompareConst writes bit i as values[i] op c; dst holds Words(len(values)) words.
//
// Floats follow SQL's total order: -0 equals 0, NaN equals NaN whatever its bits, and NaN is greater than everything else.
func CompareConst[T Number](dst []uint64, values []T, op CompareOp, c T) {
	n := len(values)
	checkLen("CompareConst", "dst", len(dst), Words(n))
	if op > Ge {
		panic("asm.CompareConst: unknown comparison")
	}
	dst = dst[:Words(n)]

	// The order is total, so > and >= are complements: flip is XORed into every result word.
	var flip uint64
	switch op {
	case Gt:
		op, flip = Le, ^flip
	case Ge:
		op, flip = Lt, ^flip
	}
	switch {
	case c != c:
		compareNaN(dst, values, op, flip)
		return
	case op == Le && !isFloat[T]():
		if c+1 < c { // c is the greatest integer: all are less or equal
			Fill(dst, n, flip == 0)
			return
		}
		op, c = Lt, c+1
	}

	whole := n / wordRows
	switch {
	case isFloat[T]() && width[T]() == 8:
		compareBlocks(&active.compareFloat64, dst[:whole], cast[float64](values), op, castValue[float64](c), flip)
	case isFloat[T]():
		compareBlocks(&active.compareFloat32, dst[:whole], cast[float32](values), op, castValue[float32](c), flip)
	case width[T]() == 8 && (op == Eq || isSigned[T]()):
		compareBlocks(&active.compareInt64, dst[:whole], cast[int64](values), op, castValue[int64](c), flip)
	case width[T]() == 4 && (op == Eq || isSigned[T]()):
		compareBlocks(&active.compareInt32, dst[:whole], cast[int32](values), op, castValue[int32](c), flip)
	default:
		whole = 0
	}
	compareConst(dst[whole:], values[whole*wordRows:], op, c, flip)
}

// compareKernels are the loops for one element type, by comparison. A kernel compares the 64 rows of each word of dst with c
// and XORs flip into the word. Integers have no Le: it is Lt beside the next integer.
type compareKernels[T Number] [Le + 1]func(dst []uint64, values []T, c T, flip uint64)

// compareBlocks compares the rows of whole words.
func compareBlocks[T Number](kernels *compareKernels[T], dst []uint64, values []T, op CompareOp, c T, flip uint64) {
	kernel := kernels[op]
	for len(dst) > 0 {
		words := min(len(dst), maxCallRows/wordRows)
		kernel(dst[:words], values[:words*wordRows], c, flip)
		dst, values = dst[words:], values[words*wordRows:]
	}
}

// Compare writes bit i as a[i] op b[i] for Eq, Lt and Le; dst holds Words(len(a)) words, and b is as long as a. Floats are in
// the order that CompareConst describes.
func Compare[T Number](dst []uint64, a, b []T, op CompareOp) {
	n := len(a)
	checkLen("Compare", "dst", len(dst), Words(n))
	checkLen("Compare", "b", len(b), n)
	dst, b = dst[:Words(n)], b[:n]

	var flip uint64
	switch op {
	case Eq, Le:
	case Lt: // a < b is NOT b <= a: the order is total
		a, b, op, flip = b, a, Le, ^flip
	default:
		panic("asm.Compare: " + op.String() + " is not for two columns: exchange the sides")
	}

	whole := n / wordRows
	switch {
	case isFloat[T]() && width[T]() == 8:
		columnBlocks(&active.columnsFloat64, dst[:whole], cast[float64](a), cast[float64](b), op, flip)
	case isFloat[T]():
		columnBlocks(&active.columnsFloat32, dst[:whole], cast[float32](a), cast[float32](b), op, flip)
	case width[T]() == 8 && (op == Eq || isSigned[T]()):
		columnBlocks(&active.columnsInt64, dst[:whole], cast[int64](a), cast[int64](b), op, flip)
	case width[T]() == 4 && (op == Eq || isSigned[T]()):
		columnBlocks(&active.columnsInt32, dst[:whole], cast[int32](a), cast[int32](b), op, flip)
	default:
		whole = 0
	}
	dst, a, b = dst[whole:], a[whole*wordRows:], b[whole*wordRows:]
	if op == Eq {
		equal(dst, a, b, flip)
	} else {
		lessEqual(dst, a, b, flip)
	}
}

// columnKernels are the loops for two columns of one element type. A kernel compares the 64 rows of each word of dst, in SQL's
// order, and XORs flip into the word.
type columnKernels[T Number] struct {
	equal, lessEqual func(dst []uint64, a, b []T, flip uint64)
}

// columnBlocks compares the rows of whole words.
func columnBlocks[T Number](kernels *columnKernels[T], dst []uint64, a, b []T, op CompareOp, flip uint64) {
	kernel := kernels.lessEqual
	if op == Eq {
		kernel = kernels.equal
	}
	for len(dst) > 0 {
		words := min(len(dst), maxCallRows/wordRows)
		rows := words * wordRows
		kernel(dst[:words], a[:rows], b[:rows], flip)
		dst, a, b = dst[words:], a[rows:], b[rows:]
	}
}

package kernels

import (
	"encoding/binary"
	"math/bits"

	"github.com/lacunadb/lacuna/kernels/asm"
	"github.com/lacunadb/lacuna/types"
)

// CompareOp is one of the six comparison operators.
type CompareOp uint8

// The comparison operators.
const (
	Equal CompareOp = iota
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
)

// String gives the operator as SQL writes it.
func (op CompareOp) String() string { return [...]string{"=", "<>", "<", "<=", ">", ">="}[op] }

// Swap gives the operator with its sides exchanged: a op b is b op.Swap() a.
func (op CompareOp) Swap() CompareOp {
	return [...]CompareOp{Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual}[op]
}

// Negate gives the operator that is true where op is false. SQL's order is total, NaN included, so this holds for floats too.
func (op CompareOp) Negate() CompareOp {
	return [...]CompareOp{NotEqual, Equal, GreaterEqual, Greater, LessEqual, Less}[op]
}

// Compare gives a op b as BOOLEAN for two vectors of one type. A row is null when either side is, or when a null inside a
// nested value leaves it undecided (null-semantics 2.10). NaN equals NaN and is the greatest float, -0 equals +0, unless Env.Floats
// says otherwise; strings and bytes compare bytewise; an INTERVAL counts a month as 30 days; an ENUM compares by position. The result is
// plain, constant, or in runs where they are long.
func Compare(env *Env, op CompareOp, a, b *types.Vector) (*types.Vector, error) {
	if err := sameComparable(a, b); err != nil {
		return nil, err
	}
	if env.floats() == FloatsTotalOrder {
		a, b = totalOrdered(env, a), totalOrdered(env, b)
	}
	r, err := applyBinary(env, types.Boolean, a, b, func(env *Env, a, b *types.Vector) (*types.Vector, error) {
		return comparePlain(env, op, a, b), nil
	})
	if err != nil || r.Encoding() == types.Constant || r.Encoding() == types.RunEnd && longRuns*len(r.RunEnds()) <= r.Len() {
		return r, err
	}
	return Decode(env, r), nil
}

// longRuns is the mean length of runs from which a result stays in runs.
const longRuns = 16

// sameComparable checks that two operands have one type, marks, zones and nullability aside, or that one is NULL.
func sameComparable(a, b *types.Vector) error {
	at, bt := a.Type(), b.Type()
	switch {
	case at.Kind() == types.KindNull || bt.Kind() == types.KindNull:
		return nil
	case at.Kind() == bt.Kind() && at.Storage() == bt.Storage() && at.Scale() == bt.Scale() && at.Unit() == bt.Unit() &&
		(at.Kind() != types.KindEnum || at.Equal(bt)):
		return nil
	}
	return types.Errorf(types.CodeDatatypeMismatch, "cannot compare %s with %s", at, bt)
}

// comparePlain compares plain vectors, of which one may be a constant.
func comparePlain(env *Env, op CompareOp, a, b *types.Vector) *types.Vector {
	if a.Type().Kind() == types.KindTimestampOffset {
		// Two of them are equal as instants; the offset is for display.
		valid := bothValid(env, a, b)
		r, _ := applyBinary(env, types.Boolean, instants(a), instants(b), func(env *Env, a, b *types.Vector) (*types.Vector, error) {
			return comparePlain(env, op, a, b), nil
		})
		r = Decode(env, r)
		return r.WithValidity(types.AndBitmaps(env.pool(), valid, r.Validity(), a.Len()))
	}
	if a.Type().IsNested() {
		return compareNested(env, op, a, b)
	}
	valid := bothValid(env, a, b)
	n := a.Len()
	dst := env.pool().Bitmap(n)
	compareFlat(env, dst, op, a, b, valid)
	if env.floats() == FloatsIEEE && a.Type().IsFloat() {
		unequalNaNs(dst, op, a, b)
	}
	return types.NewBool(dst, n, valid)
}

// instants gives the timestamps of a TIMESTAMP WITH OFFSET, plain or constant like it.
func instants(v *types.Vector) *types.Vector {
	child := v.Children()[0]
	if v.Encoding() == types.Constant {
		return types.NewConstant(Decode(nil, child), v.Len())
	}
	return child
}

// compareFlat writes the outcome for flat vectors, one of which may be constant, to dst. Bits of rows that are not valid are
// arbitrary.
func compareFlat(env *Env, dst types.Bitmap, op CompareOp, a, b *types.Vector, valid types.Bitmap) {
	if a.Encoding() == types.Constant {
		a, b, op = b, a, op.Swap()
	}
	// What is left: = < <= for two columns, and > >= beside a constant. The others are complements or swaps.
	constant := b.Encoding() == types.Constant
	negate := false
	switch {
	case op == NotEqual:
		op, negate = Equal, true
	case !constant && (op == Greater || op == GreaterEqual):
		a, b, op = b, a, op.Swap()
	}
	n := a.Len()
	switch a.Type().Storage() {
	case types.StorageBool:
		compareBools(dst, op, a.Bools(), b.Bools(), constant)
	case types.StorageInt8:
		compareNumbers(dst, op, a, b, types.ValuesOf[int8])
	case types.StorageInt16:
		compareNumbers(dst, op, a, b, types.ValuesOf[int16])
	case types.StorageInt32:
		compareNumbers(dst, op, a, b, types.ValuesOf[int32])
	case types.StorageInt64:
		compareNumbers(dst, op, a, b, types.ValuesOf[int64])
	case types.StorageUint8:
		compareNumbers(dst, op, a, b, types.ValuesOf[uint8])
	case types.StorageUint16:
		compareNumbers(dst, op, a, b, types.ValuesOf[uint16])
	case types.StorageUint32:
		compareNumbers(dst, op, a, b, types.ValuesOf[uint32])
	case types.StorageUint64:
		compareNumbers(dst, op, a, b, types.ValuesOf[uint64])
	case types.StorageFloat16:
		// As FLOAT, to which every HALF converts exactly.
		compareNumbers(dst, op, halvesToFloats(env, a), halvesToFloats(env, b), types.ValuesOf[float32])
	case types.StorageFloat32:
		compareNumbers(dst, op, a, b, types.ValuesOf[float32])
	case types.StorageFloat64:
		compareNumbers(dst, op, a, b, types.ValuesOf[float64])
	case types.StorageInt128:
		compareInt128(dst, op, a, b)
	case types.StorageInt256:
		compareInt256(dst, op, a, b)
	case types.StorageInterval:
		compareInt128(dst, op, intervalLengths(env, a), intervalLengths(env, b))
	case types.StorageView:
		compareViews(dst, op, a, b, valid)
	}
	if negate {
		for i := range dst {
			dst[i] = ^dst[i]
		}
	}
	if len(dst) > 0 {
		dst[len(dst)-1] &= types.LastWordMask(n)
	}
}

func compareBools(dst types.Bitmap, op CompareOp, a, b types.Bitmap, constant bool) {
	for i, x := range a[:len(dst)] {
		y := b[0] & 1 * ^uint64(0)
		if !constant {
			y = b[i]
		}
		switch op {
		case Equal:
			dst[i] = ^(x ^ y)
		case Less:
			dst[i] = ^x & y
		case LessEqual:
			dst[i] = ^x | y
		case Greater:
			dst[i] = x &^ y
		default:
			dst[i] = x | ^y
		}
	}
}

// compareNumbers compares machine numbers: every operator but <> beside a constant, = < <= between columns. Floats are in
// SQL's order.
func compareNumbers[T asm.Number](dst types.Bitmap, op CompareOp, a, b *types.Vector, toValues func(*types.Vector) []T) {
	x, y := toValues(a)[:a.Len()], toValues(b)
	loop := [...]asm.CompareOp{Equal: asm.Eq, Less: asm.Lt, LessEqual: asm.Le, Greater: asm.Gt, GreaterEqual: asm.Ge}[op]
	if b.Encoding() == types.Constant {
		asm.CompareConst(dst, x, loop, y[0])
	} else {
		asm.Compare(dst, x, y[:len(x)], loop)
	}
}

func compareInt128(dst types.Bitmap, op CompareOp, a, b *types.Vector) {
	x, y := types.ValuesOf[types.Int128](a)[:a.Len()], types.ValuesOf[types.Int128](b)
	step := columnStep(b)
	for w := range dst {
		var word uint64
		for i, v := range x[w*64 : min(len(x), w*64+64)] {
			word |= bit(holds(op, cmp128(v, y[(w*64+i)*step]))) << uint(i)
		}
		dst[w] = word
	}
}

func compareInt256(dst types.Bitmap, op CompareOp, a, b *types.Vector) {
	x, y := types.ValuesOf[types.Int256](a)[:a.Len()], types.ValuesOf[types.Int256](b)
	step := columnStep(b)
	for w := range dst {
		var word uint64
		for i, v := range x[w*64 : min(len(x), w*64+64)] {
			word |= bit(holds(op, cmp256(v, y[(w*64+i)*step]))) << uint(i)
		}
		dst[w] = word
	}
}

// compareViews compares valid rows only: a view under a null may point anywhere.
func compareViews(dst types.Bitmap, op CompareOp, a, b *types.Vector, valid types.Bitmap) {
	x, y := types.ValuesOf[types.View](a)[:a.Len()], types.ValuesOf[types.View](b)
	xb, yb := a.DataBuffers(), b.DataBuffers()
	step := columnStep(b)
	if op == Equal && step == 0 {
		equalToView(dst, x, xb, &y[0], yb, valid)
		return
	}
	if op == Equal {
		for w := range dst {
			var word uint64
			for i := range x[w*64 : min(len(x), w*64+64)] {
				row := w*64 + i
				p, q := &x[row], &y[row*step]
				// Most unequal strings differ in length or prefix, most equal ones of tables are short.
				if p.Head == q.Head && (p.Tail == q.Tail && p.IsInline() || !p.IsInline() && valid.Has(row) && types.EqualViews(p, q, xb, yb)) {
					word |= 1 << uint(i)
				}
			}
			dst[w] = word
		}
		return
	}
	for w := range dst {
		var word uint64
		for i := range x[w*64 : min(len(x), w*64+64)] {
			if row := w*64 + i; valid.Has(row) {
				word |= bit(holds(op, types.CompareViews(&x[row], &y[row*step], xb, yb))) << uint(i)
			}
		}
		dst[w] = word
	}
}

// equalToView finds the rows that are equal to one string. Rows with the same length and prefix are found first, without a branch, and of those that are not
// inside their views the words after the prefix are compared one by one: calling bytes.Equal for each, most of which differ in the first word, costs three
// times as much.
func equalToView(dst types.Bitmap, x []types.View, buffers []types.Buffer, constant *types.View, constantBuffers []types.Buffer, valid types.Bitmap) {
	head, tail := constant.Head, constant.Tail
	if constant.IsInline() {
		for w := range dst {
			var word uint64
			for i, v := range x[w*64 : min(len(x), w*64+64)] {
				word |= bit((v.Head^head)|(v.Tail^tail) == 0) << uint(i)
			}
			dst[w] = word
		}
		return
	}
	text := constant.Bytes(constantBuffers)
	first, last := binary.LittleEndian.Uint64(text[4:]), binary.LittleEndian.Uint64(text[len(text)-8:])
	for w := range dst {
		var same uint64
		rows := x[w*64 : min(len(x), w*64+64)]
		for i := range rows {
			same |= bit(rows[i].Head == head) << uint(i)
		}
		if valid != nil {
			same &= valid[w]
		}
		var word uint64
		for ; same != 0; same &= same - 1 {
			i := bits.TrailingZeros64(same)
			body := rows[i].Bytes(buffers)
			if binary.LittleEndian.Uint64(body[4:]) == first && binary.LittleEndian.Uint64(body[len(body)-8:]) == last && string(body) == string(text) {
				word |= 1 << uint(i)
			}
		}
		dst[w] = word
	}
}

// columnStep is 0 for a constant and 1 for a column: row i reads value i*step.
func columnStep(v *types.Vector) int {
	if v.Encoding() == types.Constant {
		return 0
	}
	return 1
}

// holds tells whether a op b is true when a compares to b as sign: negative, zero or positive.
// What is incomparable is unequal, and nothing else.
func holds(op CompareOp, sign int) bool {
	if sign == incomparable {
		return op == NotEqual
	}
	switch op {
	case Equal:
		return sign == 0
	case NotEqual:
		return sign != 0
	case Less:
		return sign < 0
	case LessEqual:
		return sign <= 0
	case Greater:
		return sign > 0
	}
	return sign >= 0
}

// bit gives 1 for true; the compiler makes it one instruction.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// CompareWithin is Compare of two unions of which one was made from values that are no unions: values of different variants are unequal, but none comes before
// the other, so that an ordering of them is null (null-semantics 2.10).
func CompareWithin(env *Env, op CompareOp, a, b *types.Vector) (*types.Vector, error) {
	r, err := Compare(env, op, a, b)
	if err != nil || op == Equal || op == NotEqual || a.Type().Kind() != types.KindUnion || b.Type().Kind() != types.KindUnion {
		return r, err
	}
	x, y := Decode(env, a), Decode(env, b)
	other := env.pool().ZeroBitmap(x.Len())
	for i, code := range x.TypeCodes()[:x.Len()] {
		if code != y.TypeCodes()[i] {
			other.Set(i)
		}
	}
	return nullRows(env, r, other), nil
}

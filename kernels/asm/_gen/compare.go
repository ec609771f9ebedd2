package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// element describes an element type and its comparisons.
type element struct {
	name    string // in function names
	goTyp   string
	bytes   int
	beside  []comparison // with a constant
	columns []comparison // of two columns
}

// comparison compares one vector of rows, lane by lane: all ones for true.
type comparison struct {
	name, doc string
	emit      func(rows vectors) reg.VecVirtual
	negate    bool // the outcome is the opposite
}

// vectors are the operands of a comparison: 32 bytes in memory of one column, and of the other one or the constant.
type vectors struct {
	a, b operand.Mem
	c    reg.VecVirtual
}

// Predicates of VCMPPx. The ordered ones are false when an operand is NaN; none raises an exception.
const (
	cmpEqual        = 0x00
	cmpUnordered    = 0x03
	cmpGreaterEqual = 0x1d
	cmpGreater      = 0x1e
	cmpLess         = 0x11
)

// The second operand of a comparison may be in memory but not the first, so those with a constant have it on the left: c > a
// for a < c. Compares of columns load b and do the same.
var elements = []element{
	{"Int64", "int64", 8, integers(VPCMPEQQ, VPCMPGTQ), integerColumns(VPCMPEQQ, VPCMPGTQ)},
	{"Int32", "int32", 4, integers(VPCMPEQD, VPCMPGTD), integerColumns(VPCMPEQD, VPCMPGTD)},
	{"Float64", "float64", 8, floats(VCMPPD), floatColumns(VCMPPD)},
	{"Float32", "float32", 4, floats(VCMPPS), floatColumns(VCMPPS)},
}

func integers(equal, greater func(...operand.Op)) []comparison {
	return []comparison{
		{name: "equal", doc: "a[i] == c", emit: func(r vectors) reg.VecVirtual {
			d := YMM()
			equal(r.a, r.c, d)
			return d
		}},
		{name: "less", doc: "a[i] < c", emit: func(r vectors) reg.VecVirtual {
			d := YMM()
			greater(r.a, r.c, d)
			return d
		}},
	}
}

func integerColumns(equal, greater func(...operand.Op)) []comparison {
	return []comparison{
		{name: "equal", doc: "a[i] == b[i]", emit: func(r vectors) reg.VecVirtual {
			d := load(r.b)
			equal(r.a, d, d)
			return d
		}},
		{name: "lessEqual", doc: "a[i] <= b[i]", negate: true, emit: func(r vectors) reg.VecVirtual {
			d := load(r.a)
			greater(r.b, d, d)
			return d
		}},
	}
}

func floats(compare func(...operand.Op)) []comparison {
	predicate := func(name, doc string, p uint64) comparison {
		return comparison{name: name, doc: doc, emit: func(r vectors) reg.VecVirtual {
			d := YMM()
			compare(operand.Imm(p), r.a, r.c, d)
			return d
		}}
	}
	return []comparison{
		predicate("equal", "a[i] == c", cmpEqual),
		predicate("less", "a[i] < c", cmpGreater),
		predicate("lessEqual", "a[i] <= c", cmpGreaterEqual),
	}
}

func floatColumns(compare func(...operand.Op)) []comparison {
	isNaN := func(v reg.VecVirtual) reg.VecVirtual {
		d := YMM()
		compare(operand.Imm(cmpUnordered), v, v, d)
		return d
	}
	return []comparison{
		{name: "equal", doc: "a[i] = b[i] in SQL: NaN equals NaN", emit: func(r vectors) reg.VecVirtual {
			a, b, d := load(r.a), load(r.b), YMM()
			compare(operand.Imm(cmpEqual), a, b, d)
			aNaN, bNaN := isNaN(a), isNaN(b)
			VPAND(aNaN, bNaN, bNaN)
			VPOR(bNaN, d, d)
			return d
		}},
		{name: "lessEqual", doc: "a[i] <= b[i] in SQL: all are at most NaN", emit: func(r vectors) reg.VecVirtual {
			b, d := load(r.b), YMM()
			compare(operand.Imm(cmpGreaterEqual), r.a, b, d)
			bNaN := isNaN(b)
			VPOR(bNaN, d, d)
			return d
		}},
	}
}

func load(m operand.Mem) reg.VecVirtual {
	v := YMM()
	VMOVDQU(m, v)
	return v
}

func compare() {
	for _, e := range elements {
		for _, op := range e.beside {
			compareConst(e, op)
		}
		for _, op := range e.columns {
			compareColumns(e, op)
		}
	}
}

// compareConst writes a kernel that compares a column with a constant.
func compareConst(e element, op comparison) {
	name := op.name + e.name + "AVX2"
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst *uint64, a *%s, words int, c %s, flip uint64)", e.goTyp, e.goTyp))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s writes for each of words blocks of 64 rows a bitmap word, bit i of which is %s, XOR flip.", name, op.doc))
	l := loop{dst: Load(Param("dst"), GP64()), a: Load(Param("a"), GP64()), words: Load(Param("words"), GP64())}
	l.c = YMM()
	constant, err := Param("c").Resolve()
	if err != nil {
		panic(err)
	}
	if e.bytes == 8 {
		VPBROADCASTQ(constant.Addr, l.c)
	} else {
		bits, low := GP32(), XMM() // vet takes VPBROADCASTD from an argument for a load of 8 bytes
		MOVL(constant.Addr, bits)
		VMOVD(bits, low)
		VPBROADCASTD(low, l.c)
	}
	l.write(e, op)
}

// compareColumns writes a kernel that compares two columns.
func compareColumns(e element, op comparison) {
	name := op.name + "Columns" + e.name + "AVX2"
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst *uint64, a *%s, b *%s, words int, flip uint64)", e.goTyp, e.goTyp))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s writes for each of words blocks of 64 rows a bitmap word, bit i of which is %s, XOR flip.", name, op.doc))
	l := loop{dst: Load(Param("dst"), GP64()), a: Load(Param("a"), GP64()), b: Load(Param("b"), GP64())}
	l.words = Load(Param("words"), GP64())
	l.write(e, op)
}

// loop is what a comparison works on; b is nil beside a constant.
type loop struct {
	dst, a, b, words reg.Register
	c, order         reg.VecVirtual
}

// write writes a loop that makes one bitmap word of 64 rows a turn and stores it once.
//
// Outcomes are packed in registers rather than moved out vector by vector: 32 rows become one vector of bytes and one
// VPMOVMSKB. Packs work within 128-bit halves, so words come out in an order that one permutation puts right.
func (l loop) write(e element, op comparison) {
	flip := Load(Param("flip"), GP64())
	if op.negate {
		NOTQ(flip)
	}
	if e.bytes == 8 {
		l.order = load(wordOrder())
	}

	Label("loop")
	low, high := l.rows32(e, op, 0), l.rows32(e, op, 32*e.bytes)
	SHLQ(operand.Imm(32), high)
	ORQ(high, low)
	XORQ(flip, low)
	MOVQ(low, operand.Mem{Base: l.dst})
	ADDQ(operand.U32(64*e.bytes), l.a)
	if l.b != nil {
		ADDQ(operand.U32(64*e.bytes), l.b)
	}
	ADDQ(operand.Imm(8), l.dst)
	DECQ(l.words)
	JNZ(operand.LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// rows32 compares 32 rows, offset bytes from the first, and gives their bits.
func (l loop) rows32(e element, op comparison, offset int) reg.GPVirtual {
	// Rows 0-7 and 16-23 go to one vector of words, 8-15 and 24-31 to the other: packing the two interleaves their halves
	// into row order.
	var quarter [4]reg.VecVirtual // rows 0-7, 16-23, 8-15, 24-31, as double words
	for i, first := range []int{0, 16, 8, 24} {
		at := offset + first*e.bytes
		quarter[i] = op.emit(l.vectors(at))
		if e.bytes == 8 { // two vectors of four: keep the low half of each outcome
			next := op.emit(l.vectors(at + 32))
			VSHUFPS(operand.Imm(0x88), next, quarter[i], quarter[i])
		}
	}
	for i := 0; i < 4; i += 2 {
		VPACKSSDW(quarter[i+1], quarter[i], quarter[i])
		if e.bytes == 8 {
			VPERMD(quarter[i], l.order, quarter[i])
		} else {
			VPERMQ(operand.Imm(0xd8), quarter[i], quarter[i])
		}
	}
	VPACKSSWB(quarter[2], quarter[0], quarter[0])
	mask := GP32()
	VPMOVMSKB(quarter[0], mask)
	return mask.As64().(reg.GPVirtual)
}

// vectors gives the operands offset bytes from the first row.
func (l loop) vectors(offset int) vectors {
	return vectors{a: operand.Mem{Base: l.a, Disp: offset}, b: operand.Mem{Base: l.b, Disp: offset}, c: l.c}
}

var wordOrderData *operand.Mem

// wordOrder gives the order of double words, two packed rows each, after two rounds of packing within halves.
func wordOrder() operand.Mem {
	if wordOrderData == nil {
		data := GLOBL("wordOrder", NOPTR|RODATA)
		for i, d := range []operand.U32{0, 4, 1, 5, 2, 6, 3, 7} {
			DATA(4*i, d)
		}
		wordOrderData = &data
	}
	return *wordOrderData
}

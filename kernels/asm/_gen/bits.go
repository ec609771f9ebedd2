package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func bits() {
	for _, op := range []algebra{
		{"and", "a AND b", func(a, b, d operand.Op) { VPAND(a, b, d) }, func(a, b operand.Op) { ANDQ(a, b) }},
		{"or", "a OR b", func(a, b, d operand.Op) { VPOR(a, b, d) }, func(a, b operand.Op) { ORQ(a, b) }},
		{"xor", "a XOR b", func(a, b, d operand.Op) { VPXOR(a, b, d) }, func(a, b operand.Op) { XORQ(a, b) }},
		{"andNot", "a AND NOT b", func(a, b, d operand.Op) { VPANDN(a, b, d) }, func(a, b operand.Op) { ANDNQ(a, b, b) }},
	} {
		op.write()
	}
	not()
	kleene("kleeneAnd", "Kleene's AND", func(a, aValid, b, bValid, value, valid reg.VecVirtual) {
		VPAND(a, aValid, value)
		VPAND(b, bValid, valid)
		VPAND(valid, value, value) // both are true
		VPANDN(aValid, a, a)       // a is false
		VPANDN(bValid, b, b)
		VPOR(a, b, valid)
		VPOR(value, valid, valid)
	})
	kleene("kleeneOr", "Kleene's OR", func(a, aValid, b, bValid, value, valid reg.VecVirtual) {
		VPAND(a, aValid, a) // a is true
		VPAND(b, bValid, b)
		VPOR(a, b, value)
		VPAND(aValid, bValid, valid)
		VPOR(value, valid, valid)
	})
	popCount()
	loadBits()
}

// step writes a loop that takes size words a turn as long as there are so many. Each has labels of its own.
func step(name string, words reg.Register, size int, pointers []reg.Register, body func()) {
	SUBQ(operand.Imm(uint64(size)), words)
	JB(operand.LabelRef(name + "End"))
	Label(name)
	body()
	for _, p := range pointers {
		ADDQ(operand.U32(8*size), p)
	}
	SUBQ(operand.Imm(uint64(size)), words)
	JAE(operand.LabelRef(name))
	Label(name + "End")
	ADDQ(operand.Imm(uint64(size)), words)
}

// algebra is an operation on two bitmaps; a may be in memory. The one on words writes to b.
type algebra struct {
	name, doc string
	vectors   func(a, b, d operand.Op)
	words     func(a, b operand.Op)
}

// write writes an operation on words: 16, then 4, then 1 a turn.
func (op algebra) write() {
	TEXT(op.name+"AVX2", NOSPLIT, "func(dst *uint64, a *uint64, b *uint64, words int)")
	Pragma("noescape")
	Doc(op.name + "AVX2 writes " + op.doc + ", which dst may be one of.")
	dst, a, b := Load(Param("dst"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	words := Load(Param("words"), GP64())
	vectors := func(n int) func() {
		return func() {
			var v [4]reg.VecVirtual
			for i := range n {
				v[i] = load(operand.Mem{Base: b, Disp: 32 * i})
			}
			for i := range n {
				op.vectors(operand.Mem{Base: a, Disp: 32 * i}, v[i], v[i])
			}
			for i := range n {
				VMOVDQU(v[i], operand.Mem{Base: dst, Disp: 32 * i})
			}
		}
	}
	pointers := []reg.Register{dst, a, b}
	step("sixteen", words, 16, pointers, vectors(4))
	step("four", words, 4, pointers, vectors(1))
	step("one", words, 1, pointers, func() {
		w := GP64()
		MOVQ(operand.Mem{Base: b}, w)
		op.words(operand.Mem{Base: a}, w)
		MOVQ(w, operand.Mem{Base: dst})
	})
	VZEROUPPER()
	RET()
}

func not() {
	TEXT("notAVX2", NOSPLIT, "func(dst *uint64, a *uint64, words int)")
	Pragma("noescape")
	Doc("notAVX2 writes NOT a, which dst may be.")
	dst, a, words := Load(Param("dst"), GP64()), Load(Param("a"), GP64()), Load(Param("words"), GP64())
	ones := YMM()
	VPCMPEQD(ones, ones, ones)
	vectors := func(n int) func() {
		return func() {
			var v [4]reg.VecVirtual
			for i := range n {
				v[i] = YMM()
				VPXOR(operand.Mem{Base: a, Disp: 32 * i}, ones, v[i])
			}
			for i := range n {
				VMOVDQU(v[i], operand.Mem{Base: dst, Disp: 32 * i})
			}
		}
	}
	pointers := []reg.Register{dst, a}
	step("sixteen", words, 16, pointers, vectors(4))
	step("four", words, 4, pointers, vectors(1))
	step("one", words, 1, pointers, func() {
		w := GP64()
		MOVQ(operand.Mem{Base: a}, w)
		NOTQ(w)
		MOVQ(w, operand.Mem{Base: dst})
	})
	VZEROUPPER()
	RET()
}

// kleene writes a connective of nullable booleans, four words a turn.
func kleene(name, doc string, connect func(a, aValid, b, bValid, value, valid reg.VecVirtual)) {
	TEXT(name+"AVX2", NOSPLIT, "func(value *uint64, valid *uint64, a *uint64, aValid *uint64, b *uint64, bValid *uint64, fours int)")
	Pragma("noescape")
	Doc(name + "AVX2 writes " + doc + " of fours times four words. value and valid may be any of the others.")
	var pointers []reg.Register
	for _, p := range []string{"value", "valid", "a", "aValid", "b", "bValid"} {
		pointers = append(pointers, Load(Param(p), GP64()))
	}
	end := Load(Param("fours"), GP64())
	SHLQ(operand.Imm(5), end)
	offset := GP64()
	XORQ(offset, offset)
	Label("loop")
	at := func(p int) operand.Mem { return operand.Mem{Base: pointers[p], Index: offset, Scale: 1} }
	var v [4]reg.VecVirtual
	for i := range v {
		v[i] = load(at(2 + i))
	}
	value, valid := YMM(), YMM()
	connect(v[0], v[1], v[2], v[3], value, valid)
	VMOVDQU(value, at(0))
	VMOVDQU(valid, at(1))
	ADDQ(operand.Imm(32), offset)
	CMPQ(offset, end)
	JNE(operand.LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// popCount counts with four sums. POPCNT on memory is three words a cycle, more than nibble tables in vectors.
func popCount() {
	TEXT("popCountAVX2", NOSPLIT, "func(a *uint64, words int) int")
	Pragma("noescape")
	Doc("popCountAVX2 counts the set bits.")
	a, words := Load(Param("a"), GP64()), Load(Param("words"), GP64())
	var sums [4]reg.GPVirtual
	for i := range sums {
		sums[i] = GP64()
		XORQ(sums[i], sums[i])
	}
	step("sixteen", words, 16, []reg.Register{a}, func() {
		for i := range 16 {
			count := GP64()
			POPCNTQ(operand.Mem{Base: a, Disp: 8 * i}, count)
			ADDQ(count, sums[i%4])
		}
	})
	step("one", words, 1, []reg.Register{a}, func() {
		count := GP64()
		POPCNTQ(operand.Mem{Base: a}, count)
		ADDQ(count, sums[0])
	})
	ADDQ(sums[1], sums[0])
	ADDQ(sums[3], sums[2])
	ADDQ(sums[2], sums[0])
	Store(sums[0], ReturnIndex(0))
	RET()
}

// loadBits copies from between bytes. A word of dst is in nine bytes of src: of the first eight those from shift on, and the last
// eight, moved up. Taking the last eight and not the ninth alone gives two loads of a whole vector, neither of which reads
// past what is needed.
func loadBits() {
	TEXT("loadBitsAVX2", NOSPLIT, "func(dst *uint64, src *byte, words int, shift uint64)")
	Pragma("noescape")
	Doc("loadBitsAVX2 copies words words from bit shift of src on, which is 1 to 7. It reads 8*words+1 bytes.")
	dst, src, words := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("words"), GP64())
	shift := Load(Param("shift"), GP64())
	up := GP64()
	MOVQ(operand.U32(8), up)
	SUBQ(shift, up)
	down, upBy := XMM(), XMM()
	VMOVQ(shift, down)
	VMOVQ(up, upBy)
	vectors := func(n int) func() {
		return func() {
			var low, high [4]reg.VecVirtual
			for i := range n {
				low[i], high[i] = load(operand.Mem{Base: src, Disp: 32 * i}), load(operand.Mem{Base: src, Disp: 32*i + 1})
			}
			for i := range n {
				VPSRLQ(down, low[i], low[i])
				VPSLLQ(upBy, high[i], high[i])
				VPOR(high[i], low[i], low[i])
				VMOVDQU(low[i], operand.Mem{Base: dst, Disp: 32 * i})
			}
		}
	}
	pointers := []reg.Register{dst, src}
	step("sixteen", words, 16, pointers, vectors(4))
	step("four", words, 4, pointers, vectors(1))
	step("one", words, 1, pointers, func() {
		low, high := GP64(), GP64()
		SHRXQ(shift, operand.Mem{Base: src}, low)
		SHLXQ(up, operand.Mem{Base: src, Disp: 1}, high)
		ORQ(high, low)
		MOVQ(low, operand.Mem{Base: dst})
	})
	VZEROUPPER()
	RET()
}

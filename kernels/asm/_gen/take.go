package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func take() {
	takeValues(4)
	takeValues(8)
	takeValues(16)
	greatestIndex()
}

// takeValues writes a gather of values of 4, 8 or 16 bytes, one by one: a gather instruction is no faster. What the vectors do is
// to compare the indices with the length first.
func takeValues(bytes int) {
	name := fmt.Sprintf("take%dAVX2", bytes)
	TEXT(name, NOSPLIT, "func(dst *byte, src *byte, last uint32, idx *uint32, words int) int")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s writes for each of words blocks of 64 indices up to last the elements of src, up to the first block with a", name),
		"greater one, and gives the number of blocks before it.")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	limit := Load(Param("last"), GP32())
	idx := Load(Param("idx"), GP64())
	words := Load(Param("words"), GP64())
	low, last := XMM(), YMM()
	VMOVD(limit, low)
	VPBROADCASTD(low, last)
	blocks := GP64()
	MOVQ(words, blocks)

	Label("loop")
	most := greatestOf(idx, last)
	VPXOR(last, most, most)
	VPTEST(most, most)
	JNZ(operand.LabelRef("done"))
	for row := 0; row < 64; row++ {
		i, to := GP64(), operand.Mem{Base: dst, Disp: row * bytes}
		MOVL(operand.Mem{Base: idx, Disp: 4 * row}, i.As32())
		switch bytes {
		case 4:
			MOVL(operand.Mem{Base: src, Index: i, Scale: 4}, i.As32())
			MOVL(i.As32(), to)
		case 8:
			MOVQ(operand.Mem{Base: src, Index: i, Scale: 8}, i)
			MOVQ(i, to)
		case 16:
			v := XMM()
			ADDQ(i, i)
			VMOVDQU(operand.Mem{Base: src, Index: i, Scale: 8}, v)
			VMOVDQU(v, to)
		}
	}
	ADDQ(operand.U32(64*bytes), dst)
	ADDQ(operand.U32(4*64), idx)
	DECQ(words)
	JNZ(operand.LabelRef("loop"))
	Label("done")
	SUBQ(words, blocks)
	Store(blocks, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// greatestOf gives the maxima of a block of 64 indices, lane by lane, which are not below those of least.
func greatestOf(idx reg.Register, least reg.VecVirtual) reg.VecVirtual {
	most := []reg.VecVirtual{YMM(), YMM()} // two chains
	for i := 0; i < 8; i++ {
		before := most[i%2]
		if i < 2 {
			before = least
		}
		VPMAXUD(operand.Mem{Base: idx, Disp: 32 * i}, before, most[i%2])
	}
	VPMAXUD(most[1], most[0], most[0])
	return most[0]
}

func greatestIndex() {
	TEXT("greatestIndexAVX2", NOSPLIT, "func(idx *uint32, words int) uint32")
	Pragma("noescape")
	Doc("greatestIndexAVX2 gives the greatest of words blocks of 64 indices.")
	idx := Load(Param("idx"), GP64())
	words := Load(Param("words"), GP64())
	most := YMM()
	VPXOR(most, most, most)
	Label("loop")
	VMOVDQA(greatestOf(idx, most), most)
	ADDQ(operand.U32(4*64), idx)
	DECQ(words)
	JNZ(operand.LabelRef("loop"))
	for _, order := range []uint64{0x4e, 0xb1} { // halves of a half, then neighbours
		other := YMM()
		VPSHUFD(operand.Imm(order), most, other)
		VPMAXUD(other, most, most)
	}
	half := XMM()
	VEXTRACTI128(operand.Imm(1), most, half)
	VPMAXUD(half, most.AsX(), most.AsX())
	greatest := GP32()
	VMOVD(most.AsX(), greatest)
	Store(greatest, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

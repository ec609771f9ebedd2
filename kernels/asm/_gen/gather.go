package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func gather() { takeBits() }

// takeBits gathers bits one by one: BT copies a bit to the carry flag, and ADC of a word to itself moves that in from below.
// Two words of 32 rows are filled in turns, from the last row down, as each ADC waits for the one before. A gather instruction would fetch eight double words for eight bits, and is very
// slow on CPUs with a remedy against Downfall.
//
// Indices of a word of dst are checked first, all at once.
func takeBits() {
	TEXT("takeBitsAVX2", NOSPLIT, "func(dst *uint64, src *uint64, last uint32, idx *uint32, words int) int")
	Pragma("noescape")
	Doc("takeBitsAVX2 writes bit i of words words as bit idx[i] of src, whose last bit is given. It gives the number of words done and",
		"stops before one that has an index past the last.")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	lastBit, last := XMM(), YMM()
	limit := Load(Param("last"), GP32())
	VMOVD(limit, lastBit)
	VPBROADCASTD(lastBit, last)
	idx, words := Load(Param("idx"), GP64()), Load(Param("words"), GP64())
	start := GP64()
	MOVQ(dst, start)

	Label("loop")
	var greatest [2]reg.VecVirtual
	for i := range greatest {
		greatest[i] = load(operand.Mem{Base: idx, Disp: 32 * i})
		for at := 64 + 32*i; at < 256; at += 64 {
			VPMAXUD(operand.Mem{Base: idx, Disp: at}, greatest[i], greatest[i])
		}
	}
	VPMAXUD(greatest[1], greatest[0], greatest[0])
	bounded := YMM()
	VPMINUD(last, greatest[0], bounded)
	VPCMPEQD(greatest[0], bounded, bounded)
	within := GP32()
	VPMOVMSKB(bounded, within)
	CMPL(within, operand.I8(-1))
	JNE(operand.LabelRef("done"))
	bits := [2]reg.GPVirtual{GP64(), GP64()}
	XORL(bits[0].As32(), bits[0].As32())
	XORL(bits[1].As32(), bits[1].As32())
	for row := 31; row >= 0; row-- {
		for half := range bits {
			i, at, w := GP64(), GP64(), GP64()
			MOVL(operand.Mem{Base: idx, Disp: 4 * (32*half + row)}, i.As32())
			MOVL(i.As32(), at.As32())
			SHRL(operand.Imm(6), at.As32())
			MOVQ(operand.Mem{Base: src, Index: at, Scale: 8}, w)
			BTQ(i, w)
			ADCQ(bits[half], bits[half])
		}
	}
	SHLQ(operand.Imm(32), bits[1])
	ORQ(bits[1], bits[0])
	MOVQ(bits[0], operand.Mem{Base: dst})
	ADDQ(operand.Imm(8), dst)
	ADDQ(operand.U32(256), idx)
	DECQ(words)
	JNZ(operand.LabelRef("loop"))

	Label("done")
	SUBQ(start, dst)
	SHRQ(operand.Imm(3), dst)
	Store(dst, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

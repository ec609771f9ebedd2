package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func sum() {
	sumFloat64()
	sumInt64()
}

// masked writes a loop over blocks of 64 rows. It calls add with each four rows, in memory where the whole block is selected,
// else in a register with zeros for rows that are not: a masked load takes the top bit of each lane, so the bits of the four
// rows are spread over the lanes and shifted there.
func masked(values, mask, words reg.Register, add func(four int, v operand.Op)) {
	tops := load(laneTops())
	Label("loop")
	all := GP64()
	MOVQ(operand.Mem{Base: mask}, all)
	CMPQ(all, operand.I8(-1))
	JE(operand.LabelRef("all"))
	bits := YMM()
	VPBROADCASTQ(operand.Mem{Base: mask}, bits)
	for four := 0; four < 16; four++ {
		selected, v := YMM(), YMM()
		VPSLLVQ(tops, bits, selected)
		VPMASKMOVQ(operand.Mem{Base: values, Disp: 32 * four}, selected, v)
		add(four, v)
		if four < 15 {
			VPSRLQ(operand.Imm(4), bits, bits)
		}
	}
	Label("next")
	ADDQ(operand.U32(512), values)
	ADDQ(operand.Imm(8), mask)
	DECQ(words)
	JNZ(operand.LabelRef("loop"))
	JMP(operand.LabelRef("done"))

	Label("all")
	for four := 0; four < 16; four++ {
		add(four, operand.Mem{Base: values, Disp: 32 * four})
	}
	JMP(operand.LabelRef("next"))
	Label("done")
}

func sumFloat64() {
	TEXT("sumFloat64AVX2", NOSPLIT, "func(lanes *float64, values *float64, mask *uint64, words int)")
	Pragma("noescape")
	Doc("sumFloat64AVX2 adds the selected rows of words blocks of 64 to eight lanes, row i to lane i%8.")
	lanes := Load(Param("lanes"), GP64())
	values := Load(Param("values"), GP64())
	mask := Load(Param("mask"), GP64())
	words := Load(Param("words"), GP64())
	half := []reg.VecVirtual{load(operand.Mem{Base: lanes}), load(operand.Mem{Base: lanes, Disp: 32})}
	masked(values, mask, words, func(four int, v operand.Op) {
		VADDPD(v, half[four%2], half[four%2])
	})
	VMOVDQU(half[0], operand.Mem{Base: lanes})
	VMOVDQU(half[1], operand.Mem{Base: lanes, Disp: 32})
	VZEROUPPER()
	RET()
}

// sumInt64 writes an exact sum: a value plus 1<<63 is an unsigned one, whose halves of 32 bits add up in 64 without overflow.
func sumInt64() {
	TEXT("sumInt64AVX2", NOSPLIT, "func(sums *uint64, values *int64, mask *uint64, words int)")
	Pragma("noescape")
	Doc("sumInt64AVX2 adds 1<<63 to each row of words blocks of 64, having taken rows that are not selected for 0, and writes four",
		"sums of the low 32 bits and four sums of the high 32 bits. There are fewer than 1<<32 rows.")
	sums := Load(Param("sums"), GP64())
	values := Load(Param("values"), GP64())
	mask := Load(Param("mask"), GP64())
	words := Load(Param("words"), GP64())
	bias, lowHalf, low, high := YMM(), YMM(), YMM(), YMM()
	VPCMPEQD(bias, bias, bias)
	VPSRLQ(operand.Imm(32), bias, lowHalf)
	VPSLLQ(operand.Imm(63), bias, bias)
	VPXOR(low, low, low)
	VPXOR(high, high, high)
	masked(values, mask, words, func(_ int, v operand.Op) {
		unsigned, half := YMM(), YMM()
		VPXOR(v, bias, unsigned)
		VPSRLQ(operand.Imm(32), unsigned, half)
		VPAND(lowHalf, unsigned, unsigned)
		VPADDQ(half, high, high)
		VPADDQ(unsigned, low, low)
	})
	VMOVDQU(low, operand.Mem{Base: sums})
	VMOVDQU(high, operand.Mem{Base: sums, Disp: 32})
	VZEROUPPER()
	RET()
}

// laneTops gives the shifts that move bit i to the top of lane i.
func laneTops() operand.Mem {
	if laneTopsData == nil {
		m := GLOBL("laneTops", NOPTR|RODATA)
		for i := 0; i < 4; i++ {
			DATA(8*i, operand.U64(63-i))
		}
		laneTopsData = &m
	}
	return *laneTopsData
}

var laneTopsData *operand.Mem

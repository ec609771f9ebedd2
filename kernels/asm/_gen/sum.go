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

// selectedRows gives the rows of a vector, with zero for those that are not selected.
func (v vector) selectedRows() operand.Op {
	if v.selected == nil {
		return v.rows
	}
	rows := YMM()
	VPAND(v.rows, v.selected, rows)
	return rows
}

func sumFloat64() {
	TEXT("sumFloat64AVX2", NOSPLIT, "func(lanes *float64, values *float64, mask *uint64, words int)")
	Pragma("noescape")
	Doc("sumFloat64AVX2 adds the selected rows of words blocks of 64 to eight lanes, row i to lane i%8.")
	lanes := Load(Param("lanes"), GP64())
	l := masked{Load(Param("values"), GP64()), Load(Param("mask"), GP64()), Load(Param("words"), GP64()), 8}
	half := []reg.VecVirtual{load(operand.Mem{Base: lanes}), load(operand.Mem{Base: lanes, Disp: 32})}
	l.each(func(v vector) {
		VADDPD(v.selectedRows(), half[v.number%2], half[v.number%2])
	})
	VMOVDQU(half[0], operand.Mem{Base: lanes})
	VMOVDQU(half[1], operand.Mem{Base: lanes, Disp: 32})
	VZEROUPPER()
	RET()
}

// sumInt64 writes an exact sum. A value plus 1<<63 is an unsigned one, u. The sums of all u modulo 1<<64 and of the upper halves,
// u>>32, are enough: what the lower halves add up to, which is less than 1<<64, is the first minus the second shifted back.
func sumInt64() {
	TEXT("sumInt64AVX2", NOSPLIT, "func(sums *uint64, values *int64, mask *uint64, words int)")
	Pragma("noescape")
	Doc("sumInt64AVX2 adds 1<<63 to each row of words blocks of 64, having taken rows that are not selected for 0, and writes four",
		"sums of the values, modulo 1<<64, and four sums of their high 32 bits. There are fewer than 1<<32 rows.")
	sums := Load(Param("sums"), GP64())
	l := masked{Load(Param("values"), GP64()), Load(Param("mask"), GP64()), Load(Param("words"), GP64()), 8}
	bias := YMM()
	VPCMPEQD(bias, bias, bias)
	VPSLLQ(operand.Imm(63), bias, bias)
	var whole, high [2]reg.VecVirtual
	for i := range whole {
		whole[i], high[i] = YMM(), YMM()
		VPXOR(whole[i], whole[i], whole[i])
		VPXOR(high[i], high[i], high[i])
	}
	l.each(func(v vector) {
		unsigned, half, chain := YMM(), YMM(), v.number%2
		VPXOR(v.selectedRows(), bias, unsigned)
		VPSRLQ(operand.Imm(32), unsigned, half)
		VPADDQ(unsigned, whole[chain], whole[chain])
		VPADDQ(half, high[chain], high[chain])
	})
	VPADDQ(whole[1], whole[0], whole[0])
	VPADDQ(high[1], high[0], high[0])
	VMOVDQU(whole[0], operand.Mem{Base: sums})
	VMOVDQU(high[0], operand.Mem{Base: sums, Disp: 32})
	VZEROUPPER()
	RET()
}

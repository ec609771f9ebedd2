package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func sum() {
	sumFloat("sumFloat64AVX2", "float64", 8, func(rows operand.Op) operand.Op { return rows })
	sumFloat("sumFloat32AVX2", "float32", 4, func(rows operand.Op) operand.Op {
		double := YMM()
		VCVTPS2PD(rows, double)
		return double
	})
	sumInt64()
	sumInt32()
}

// keep gives the rows of a vector with zero for those that are not selected.
func (v vector) keep(rows operand.Op) operand.Op {
	if v.selected == nil {
		return rows
	}
	kept := YMM()
	VPAND(rows, v.selected, kept)
	return kept
}

// sumFloat writes a sum in double precision; double gives four rows as such.
func sumFloat(name, typ string, row int, double func(rows operand.Op) operand.Op) {
	TEXT(name, NOSPLIT, fmt.Sprintf("func(lanes *float64, values *%s, mask *uint64, words int)", typ))
	Pragma("noescape")
	Doc(name + " adds the selected rows of words blocks of 64 to eight lanes, row i to lane i%8.")
	lanes := Load(Param("lanes"), GP64())
	l := loadMasked(8, row)
	half := []reg.VecVirtual{load(operand.Mem{Base: lanes}), load(operand.Mem{Base: lanes, Disp: 32})}
	l.each(func(v vector) {
		VADDPD(v.keep(double(v.rows)), half[v.number%2], half[v.number%2])
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
	l := loadMasked(8, 8)
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
		VPXOR(v.keep(v.rows), bias, unsigned)
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

func sumInt32() {
	TEXT("sumInt32AVX2", NOSPLIT, "func(sums *int64, values *int32, mask *uint64, words int)")
	Pragma("noescape")
	Doc("sumInt32AVX2 writes four sums of the selected rows of words blocks of 64.")
	sums := Load(Param("sums"), GP64())
	l := loadMasked(8, 4)
	total := [2]reg.VecVirtual{YMM(), YMM()}
	for _, t := range total {
		VPXOR(t, t, t)
	}
	l.each(func(v vector) {
		wide := YMM()
		VPMOVSXDQ(v.rows, wide)
		VPADDQ(v.keep(wide), total[v.number%2], total[v.number%2])
	})
	VPADDQ(total[1], total[0], total[0])
	VMOVDQU(total[0], operand.Mem{Base: sums})
	VZEROUPPER()
	RET()
}

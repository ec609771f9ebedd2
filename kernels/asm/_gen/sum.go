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
	sumWide("sumInt64AVX2", "int64", true)
	sumWide("sumUint64AVX2", "uint64", false)
	sumNarrow("sumInt32AVX2", "int32", 4, VPMOVSXDQ)
	sumNarrow("sumUint32AVX2", "uint32", 4, VPMOVZXDQ)
	sumNarrow("sumInt16AVX2", "int16", 2, VPMOVSXWQ)
	sumNarrow("sumUint16AVX2", "uint16", 2, VPMOVZXWQ)
	sumNarrow("sumInt8AVX2", "int8", 1, VPMOVSXBQ)
	sumNarrow("sumUint8AVX2", "uint8", 1, VPMOVZXBQ)
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

// sumWide writes an exact sum. A signed value plus 1<<63 is an unsigned one, u. The sums of all u modulo 1<<64 and of the upper
// halves, u>>32, are enough: what the lower halves add up to, which is less than 1<<64, is the first minus the second shifted
// back.
func sumWide(name, typ string, signed bool) {
	TEXT(name, NOSPLIT, fmt.Sprintf("func(sums *uint64, values *%s, mask *uint64, words int)", typ))
	Pragma("noescape")
	doc := []string{
		name + " writes, of words blocks of 64 rows where those that are not selected count as 0, four sums modulo 1<<64",
		"and four sums of the high 32 bits. There are fewer than 1<<32 rows.",
	}
	if signed {
		doc = append(doc, "It adds 1<<63 to each row.")
	}
	Doc(doc...)
	sums := Load(Param("sums"), GP64())
	l := loadMasked(8, 8)
	bias := YMM()
	if signed {
		VPCMPEQD(bias, bias, bias)
		VPSLLQ(operand.Imm(63), bias, bias)
	}
	var whole, high [2]reg.VecVirtual
	for i := range whole {
		whole[i], high[i] = YMM(), YMM()
		VPXOR(whole[i], whole[i], whole[i])
		VPXOR(high[i], high[i], high[i])
	}
	l.each(func(v vector) {
		half, chain := YMM(), v.number%2
		var unsigned operand.Op = YMM()
		switch rows := v.keep(v.rows); {
		case signed:
			VPXOR(rows, bias, unsigned)
		case v.selected == nil:
			VMOVDQU(rows, unsigned)
		default:
			unsigned = rows
		}
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

// sumNarrow writes a sum of integers that extend makes 64 bits wide. It does not overflow: there are few rows.
func sumNarrow(name, typ string, row int, extend func(...operand.Op)) {
	TEXT(name, NOSPLIT, fmt.Sprintf("func(values *%s, mask *uint64, words int) int64", typ))
	Pragma("noescape")
	Doc(name + " gives the sum of the selected rows of words blocks of 64.")
	l := loadMasked(8, row)
	total := [2]reg.VecVirtual{YMM(), YMM()}
	for _, t := range total {
		VPXOR(t, t, t)
	}
	l.each(func(v vector) {
		wide := YMM()
		extend(v.rows, wide)
		VPADDQ(v.keep(wide), total[v.number%2], total[v.number%2])
	})
	VPADDQ(total[1], total[0], total[0])
	half := XMM()
	VEXTRACTI128(operand.Imm(1), total[0], half)
	VPADDQ(half, total[0].AsX(), half)
	sum, other := GP64(), GP64()
	VMOVQ(half, sum)
	VPSHUFD(operand.Imm(0x4e), half, half)
	VMOVQ(half, other)
	ADDQ(other, sum)
	Store(sum, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

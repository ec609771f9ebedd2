package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// chains is the number of partial extremes of a kernel: each hides the latency of the others.
const chains = 4

// extreme is a minimum or maximum of an element type.
type extreme struct {
	name, goTyp string
	bytes       int
	// better writes the better of best and the rows to best.
	better func(rows, best reg.VecVirtual)
	// unordered compares two vectors of floats: a lane is all ones where one of them is NaN. nil where NaN is passed over.
	unordered func(a, b, d reg.VecVirtual)
}

func minmax() {
	keepGreater := func(greater func(...operand.Op), less bool) func(rows, best reg.VecVirtual) {
		return func(rows, best reg.VecVirtual) {
			take := YMM()
			if less {
				greater(rows, best, take)
			} else {
				greater(best, rows, take)
			}
			VBLENDVPD(take, rows, best, best)
		}
	}
	// For NaN, VMINPD and VMAXPD give the operand that avo has first, best: it is passed over.
	keep := func(op func(...operand.Op)) func(rows, best reg.VecVirtual) {
		return func(rows, best reg.VecVirtual) { op(best, rows, best) }
	}
	isNaN := func(compare func(...operand.Op)) func(a, b, d reg.VecVirtual) {
		return func(a, b, d reg.VecVirtual) { compare(operand.Imm(cmpUnordered), a, b, d) }
	}
	for _, e := range []extreme{
		{"minInt64", "int64", 8, keepGreater(VPCMPGTQ, true), nil},
		{"maxInt64", "int64", 8, keepGreater(VPCMPGTQ, false), nil},
		{"minInt32", "int32", 4, keep(VPMINSD), nil},
		{"maxInt32", "int32", 4, keep(VPMAXSD), nil},
		{"minFloat64", "float64", 8, keep(VMINPD), nil},
		{"maxFloat64", "float64", 8, keep(VMAXPD), isNaN(VCMPPD)},
		{"minFloat32", "float32", 4, keep(VMINPS), nil},
		{"maxFloat32", "float32", 4, keep(VMAXPS), isNaN(VCMPPS)},
	} {
		e.write()
	}
}

// write writes a kernel that improves a vector of extremes. In place of rows that are not selected it takes what that vector
// held at the start.
func (e extreme) write() {
	TEXT(e.name+"AVX2", NOSPLIT, fmt.Sprintf("func(best *%s, values *%s, mask *uint64, words int)", e.goTyp, e.goTyp))
	Pragma("noescape")
	doc := []string{
		fmt.Sprintf("%sAVX2 improves the %d lanes of best, all equal and not NaN, by the selected rows of words blocks of 64.", e.name, 32/e.bytes),
		"Together, the lanes then have the extreme. Which one of equal values it is, is not defined.",
	}
	if e.unordered != nil {
		doc = append(doc, "A selected NaN makes one of them NaN.")
	}
	Doc(doc...)
	result := Load(Param("best"), GP64())
	l := loadMasked(e.bytes, e.bytes)
	start := load(operand.Mem{Base: result})
	var best [chains]reg.VecVirtual
	for i := range best {
		best[i] = YMM()
		VMOVDQA(start, best[i])
	}
	var nans, previous reg.VecVirtual
	if e.unordered != nil {
		nans = YMM()
		VPXOR(nans, nans, nans)
	}
	l.each(func(v vector) {
		rows := YMM()
		if v.selected == nil {
			VMOVDQU(v.rows, rows)
		} else if e.bytes == 8 {
			VBLENDVPD(v.selected, v.rows, start, rows)
		} else {
			VBLENDVPS(v.selected, v.rows, start, rows)
		}
		e.better(rows, best[v.number%chains])
		if e.unordered == nil {
			return
		}
		if v.number%2 == 0 {
			previous = rows
			return
		}
		found := YMM()
		e.unordered(previous, rows, found)
		VPOR(found, nans, nans)
	})
	e.better(best[1], best[0])
	e.better(best[3], best[2])
	e.better(best[2], best[0])
	if e.unordered != nil {
		VPOR(nans, best[0], best[0]) // all ones are a NaN
	}
	VMOVDQU(best[0], operand.Mem{Base: result})
	VZEROUPPER()
	RET()
}

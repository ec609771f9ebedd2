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
	// flip says that the top bit of each row is flipped, so that unsigned numbers are in the order of signed ones.
	flip bool
}

func minmax() {
	// For NaN, VMINPD and VMAXPD give the operand that avo has first, best: it is passed over.
	keep := func(op func(...operand.Op)) func(rows, best reg.VecVirtual) {
		return func(rows, best reg.VecVirtual) { op(best, rows, best) }
	}
	isNaN := func(compare func(...operand.Op)) func(a, b, d reg.VecVirtual) {
		return func(a, b, d reg.VecVirtual) { compare(operand.Imm(cmpUnordered), a, b, d) }
	}
	less := func(rows, best reg.VecVirtual) {
		take := YMM()
		VPCMPGTQ(rows, best, take)
		VBLENDVPD(take, rows, best, best)
	}
	greater := func(rows, best reg.VecVirtual) {
		take := YMM()
		VPCMPGTQ(best, rows, take)
		VBLENDVPD(take, rows, best, best)
	}
	for _, e := range []extreme{
		{"minInt64", "int64", 8, less, nil, false},
		{"maxInt64", "int64", 8, greater, nil, false},
		{"minUint64", "uint64", 8, less, nil, true},
		{"maxUint64", "uint64", 8, greater, nil, true},
		{"minInt32", "int32", 4, keep(VPMINSD), nil, false},
		{"maxInt32", "int32", 4, keep(VPMAXSD), nil, false},
		{"minUint32", "uint32", 4, keep(VPMINUD), nil, false},
		{"maxUint32", "uint32", 4, keep(VPMAXUD), nil, false},
		{"minInt16", "int16", 2, keep(VPMINSW), nil, false},
		{"maxInt16", "int16", 2, keep(VPMAXSW), nil, false},
		{"minUint16", "uint16", 2, keep(VPMINUW), nil, false},
		{"maxUint16", "uint16", 2, keep(VPMAXUW), nil, false},
		{"minInt8", "int8", 1, keep(VPMINSB), nil, false},
		{"maxInt8", "int8", 1, keep(VPMAXSB), nil, false},
		{"minUint8", "uint8", 1, keep(VPMINUB), nil, false},
		{"maxUint8", "uint8", 1, keep(VPMAXUB), nil, false},
		{"minFloat64", "float64", 8, keep(VMINPD), nil, false},
		{"maxFloat64", "float64", 8, keep(VMAXPD), isNaN(VCMPPD), false},
		{"minFloat32", "float32", 4, keep(VMINPS), nil, false},
		{"maxFloat32", "float32", 4, keep(VMAXPS), isNaN(VCMPPS), false},
	} {
		e.write()
	}
}

// write writes a kernel. In place of rows that are not selected it takes best as it was at the start.
func (e extreme) write() {
	TEXT(e.name+"AVX2", NOSPLIT, fmt.Sprintf("func(best %s, values *%s, mask *uint64, words int) %s", e.goTyp, e.goTyp, e.goTyp))
	Pragma("noescape")
	doc := fmt.Sprintf("%sAVX2 gives the extreme of best and the selected rows of words blocks of 64.", e.name)
	switch {
	case e.unordered != nil:
		Doc(doc, "best is not NaN; the extreme is NaN if one of the rows is. Which zero it is, is not defined.")
	case e.bytes >= 4 && e.goTyp[0] == 'f':
		Doc(doc, "best is not NaN, and rows that are count for nothing. Which zero the extreme is, is not defined.")
	default:
		Doc(doc)
	}
	top, start := YMM(), e.broadcastBest()
	if e.flip {
		VPCMPEQD(top, top, top)
		VPSLLQ(operand.Imm(63), top, top)
		VPXOR(top, start, start)
	}
	l := loadMasked(e.bytes, e.bytes)
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
		switch {
		case e.flip && v.selected == nil:
			VPXOR(v.rows, top, rows)
		case e.flip:
			VPXOR(v.rows, top, rows)
			VBLENDVPD(v.selected, rows, start, rows)
		case v.selected == nil:
			VMOVDQU(v.rows, rows)
		case e.bytes == 8:
			VBLENDVPD(v.selected, v.rows, start, rows)
		case e.bytes == 4:
			VBLENDVPS(v.selected, v.rows, start, rows)
		default:
			VPBLENDVB(v.selected, v.rows, start, rows)
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
	e.reduce(best[0])
	if e.flip {
		VPXOR(top, best[0], best[0])
	}
	if e.unordered != nil {
		VPTEST(nans, nans)
		JZ(operand.LabelRef("numbers"))
		VPCMPEQD(best[0], best[0], best[0]) // all ones are a NaN
		Label("numbers")
	}
	e.returnLowest(best[0])
	VZEROUPPER()
	RET()
}

// reduce brings the extreme of all lanes to the lowest one: by halves, the other one moved over it.
func (e extreme) reduce(best reg.VecVirtual) {
	other := YMM()
	VEXTRACTI128(operand.Imm(1), best, other.AsX())
	e.better(other, best)
	VPSHUFD(operand.Imm(0x4e), best, other)
	e.better(other, best)
	if e.bytes <= 4 {
		VPSHUFD(operand.Imm(0xb1), best, other)
		e.better(other, best)
	}
	if e.bytes <= 2 {
		VPSRLD(operand.Imm(16), best, other)
		e.better(other, best)
	}
	if e.bytes == 1 {
		VPSRLW(operand.Imm(8), best, other)
		e.better(other, best)
	}
}

// broadcastBest puts the argument best in every lane, by way of a register: vet takes other broadcasts for loads of 8 bytes.
func (e extreme) broadcastBest() reg.VecVirtual {
	best, err := Param("best").Resolve()
	if err != nil {
		panic(err)
	}
	bits, low, all := GP64(), XMM(), YMM()
	switch e.bytes {
	case 8:
		VPBROADCASTQ(best.Addr, all)
		return all
	case 4:
		MOVL(best.Addr, bits.As32())
	case 2:
		MOVWLZX(best.Addr, bits.As32())
	case 1:
		MOVBLZX(best.Addr, bits.As32())
	}
	VMOVD(bits.As32(), low)
	switch e.bytes {
	case 4:
		VPBROADCASTD(low, all)
	case 2:
		VPBROADCASTW(low, all)
	case 1:
		VPBROADCASTB(low, all)
	}
	return all
}

// returnLowest returns the lowest lane.
func (e extreme) returnLowest(v reg.VecVirtual) {
	result, err := ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	bits := GP64()
	if e.bytes == 8 {
		VMOVQ(v.AsX(), bits)
		MOVQ(bits, result.Addr)
		return
	}
	VMOVD(v.AsX(), bits.As32())
	switch e.bytes {
	case 4:
		MOVL(bits.As32(), result.Addr)
	case 2:
		MOVW(bits.As16(), result.Addr)
	case 1:
		MOVB(bits.As8(), result.Addr)
	}
}

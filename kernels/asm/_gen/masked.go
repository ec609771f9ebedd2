package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// masked is a loop over blocks of 64 rows of which a word of mask selects some.
type masked struct {
	values, mask, words reg.Register
	bytes               int // of an element
}

// vector is 32 bytes of a block: its number, the rows in memory, and a register whose lanes have their top bit set where the row
// is selected; nil where the whole block is.
type vector struct {
	number   int
	rows     operand.Mem
	selected reg.VecVirtual
}

// each writes the loop, with a branch of its own for blocks that are wholly selected; it calls f with each vector of a block.
//
// The top bit of a lane is what masked loads and blends look at. The word's bits are put in every lane, and a shift by another
// number in each lane moves the row's own bit to the top.
func (l masked) each(f func(v vector)) {
	lanes := 32 / l.bytes
	shifts, bits := operand.Mem{}, reg.VecVirtual(nil)
	shiftsAt := GP64()
	LEAQ(topShifts(l.bytes), shiftsAt)
	shifts.Base = shiftsAt
	Label("loop")
	all := GP64()
	MOVQ(operand.Mem{Base: l.mask}, all)
	CMPQ(all, operand.I8(-1))
	JE(operand.LabelRef("all"))
	for i := 0; i < 64/lanes; i++ {
		selected, shift := YMM(), shifts
		if l.bytes == 8 {
			if i == 0 {
				bits = YMM()
				VPBROADCASTQ(operand.Mem{Base: l.mask}, bits)
			}
			shift.Disp = 32 * i
			VPSLLVQ(shift, bits, selected)
		} else {
			if i%4 == 0 {
				bits = YMM()
				VPBROADCASTD(operand.Mem{Base: l.mask, Disp: i / 4 * 4}, bits)
			}
			shift.Disp = 32 * (i % 4)
			VPSLLVD(shift, bits, selected)
		}
		f(vector{i, operand.Mem{Base: l.values, Disp: 32 * i}, selected})
	}
	Label("next")
	ADDQ(operand.U32(64*l.bytes), l.values)
	ADDQ(operand.Imm(8), l.mask)
	DECQ(l.words)
	JNZ(operand.LabelRef("loop"))
	JMP(operand.LabelRef("done"))

	Label("all")
	for i := 0; i < 64/lanes; i++ {
		f(vector{i, operand.Mem{Base: l.values, Disp: 32 * i}, nil})
	}
	JMP(operand.LabelRef("next"))
	Label("done")
}

var topShiftsData = map[int]operand.Mem{}

// topShifts gives the shifts that move the bit of each row to the top of its lane, for as many rows as a lane has bits.
func topShifts(bytes int) operand.Mem {
	if m, ok := topShiftsData[bytes]; ok {
		return m
	}
	m := GLOBL(fmt.Sprintf("topShifts%d", bytes), NOPTR|RODATA)
	for row := 0; row < 8*bytes; row++ {
		if bytes == 8 {
			DATA(8*row, operand.U64(63-row))
		} else {
			DATA(4*row, operand.U32(31-row))
		}
	}
	topShiftsData[bytes] = m
	return m
}

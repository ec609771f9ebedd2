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
	bytes               int // of a lane
	row                 int // bytes of a row in memory, at most those of a lane
}

// vector is as many rows of a block as there are lanes: its number, the rows in memory, and a register whose lanes have their top
// bit set where the row is selected, all bits except in lanes of 4 bytes; nil where the whole block is.
type vector struct {
	number   int
	rows     operand.Mem
	selected reg.VecVirtual
}

// each writes the loop, with a branch of its own for blocks that are wholly selected; it calls f with each vector of a block.
func (l masked) each(f func(v vector)) {
	lanes := 32 / l.bytes
	spread := map[int]func(word, table reg.Register) func(i int) reg.VecVirtual{
		8: l.spreadFours, 4: l.spreadEights, 2: l.spreadNarrow, 1: l.spreadNarrow,
	}[l.bytes]
	table := GP64()
	LEAQ(laneTable(l.bytes), table)
	Label("loop")
	word := GP64()
	MOVQ(operand.Mem{Base: l.mask}, word)
	CMPQ(word, operand.I8(-1))
	JE(operand.LabelRef("all"))
	selected := spread(word, table)
	for i := 0; i < 64/lanes; i++ {
		f(vector{i, operand.Mem{Base: l.values, Disp: lanes * l.row * i}, selected(i)})
	}
	Label("next")
	ADDQ(operand.U32(64*l.row), l.values)
	ADDQ(operand.Imm(8), l.mask)
	DECQ(l.words)
	JNZ(operand.LabelRef("loop"))
	JMP(operand.LabelRef("done"))

	Label("all")
	for i := 0; i < 64/lanes; i++ {
		f(vector{i, operand.Mem{Base: l.values, Disp: lanes * l.row * i}, nil})
	}
	JMP(operand.LabelRef("next"))
	Label("done")
}

// spreadFours looks the lanes of each four bits up in a table. What finds the place are operations on words, which are free beside
// those on vectors.
func (l masked) spreadFours(word, table reg.Register) func(i int) reg.VecVirtual {
	return func(i int) reg.VecVirtual {
		place := GP64()
		RORXQ(operand.Imm(uint64(4*i-5)&63), word, place) // the four bits times 32
		ANDL(operand.U32(15*32), place.As32())
		return load(operand.Mem{Base: table, Index: place, Scale: 1})
	}
}

// spreadEights puts 32 bits in every lane and moves the row's own one to the top: a table for eight bits would be large.
func (l masked) spreadEights(_, table reg.Register) func(i int) reg.VecVirtual {
	var bits reg.VecVirtual
	return func(i int) reg.VecVirtual {
		if i%4 == 0 {
			bits = YMM()
			VPBROADCASTD(operand.Mem{Base: l.mask, Disp: i / 4 * 4}, bits)
		}
		selected := YMM()
		VPSLLVD(operand.Mem{Base: table, Disp: i % 4 * 32}, bits, selected)
		return selected
	}
}

// spreadNarrow puts 16 or 32 bits in every lane, in lanes of one byte that one of four that holds the row's own, and tests that.
func (l masked) spreadNarrow(_, table reg.Register) func(i int) reg.VecVirtual {
	own := load(operand.Mem{Base: table})
	return func(i int) reg.VecVirtual {
		selected := YMM()
		if l.bytes == 2 {
			VPBROADCASTW(operand.Mem{Base: l.mask, Disp: 2 * i}, selected)
		} else {
			VPBROADCASTD(operand.Mem{Base: l.mask, Disp: 4 * i}, selected)
			VPSHUFB(operand.Mem{Base: table, Disp: 32}, selected, selected)
		}
		VPAND(own, selected, selected)
		if l.bytes == 2 {
			VPCMPEQW(own, selected, selected)
		} else {
			VPCMPEQB(own, selected, selected)
		}
		return selected
	}
}

var laneTables = map[int]operand.Mem{}

// laneTable gives what the spreads look up: the lanes of all sets of four rows; the shifts that move the bits of 32 rows to the top;
// the bits of 16 rows; the bits of 8 rows, four times, and the bytes that these are in.
func laneTable(bytes int) operand.Mem {
	if m, ok := laneTables[bytes]; ok {
		return m
	}
	m := GLOBL(fmt.Sprintf("lanes%d", bytes), NOPTR|RODATA)
	switch bytes {
	case 8:
		for i := range 64 {
			set, row := uint64(i/4), i%4
			DATA(8*i, operand.U64(-(set >> row & 1)))
		}
	case 4:
		for row := range 32 {
			DATA(4*row, operand.U32(31-row))
		}
	case 2:
		for row := range 16 {
			DATA(2*row, operand.U16(1<<row))
		}
	case 1:
		for row := range 32 {
			DATA(row, operand.U8(1<<(row%8)))
		}
		for row := range 32 {
			DATA(32+row, operand.U8(row/8))
		}
	}
	laneTables[bytes] = m
	return m
}

// loadMasked loads the parameters values, mask and words of a kernel.
func loadMasked(bytes, row int) masked {
	return masked{Load(Param("values"), GP64()), Load(Param("mask"), GP64()), Load(Param("words"), GP64()), bytes, row}
}

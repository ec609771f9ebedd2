package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

func runs() {
	expandRuns(4)
	expandRuns(8)
	expandRuns(16)
}

// expandRuns writes a loop that stores 64 bytes of each run whatever its length, so that short runs take no branch that is hard to
// predict, and the rest of long ones by the vector. What is written too much belongs to the next run, or lies past the last.
func expandRuns(bytes int) {
	name := fmt.Sprintf("expandRuns%dAVX2", bytes)
	TEXT(name, NOSPLIT, "func(dst *byte, values *byte, ends *int32, runs int, start int, limit int) int")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s repeats each of runs values from the end of the run before it, or start, to its own end, up to the first", name),
		"run that ends before it starts or past limit, and gives the number of runs before that. It writes up to 64 bytes past the last end.")
	dst := Load(Param("dst"), GP64())
	values := Load(Param("values"), GP64())
	ends := Load(Param("ends"), GP64())
	runs := Load(Param("runs"), GP64())
	at := Load(Param("start"), GP64())
	limit := Load(Param("limit"), GP64())
	shift := operand.Imm(map[int]uint64{4: 2, 8: 3, 16: 4}[bytes])
	SHLQ(shift, at) // in bytes, as all below
	SHLQ(shift, limit)
	count := GP64()
	MOVQ(runs, count)

	Label("loop")
	end := GP64()
	MOVLQSX(operand.Mem{Base: ends}, end)
	SHLQ(shift, end)
	CMPQ(end, limit)
	JA(operand.LabelRef("done")) // negative ones too
	CMPQ(end, at)
	JB(operand.LabelRef("done"))
	v := YMM()
	value := operand.Mem{Base: values}
	switch bytes {
	case 4:
		VPBROADCASTD(value, v)
	case 8:
		VPBROADCASTQ(value, v)
	case 16:
		VBROADCASTI128(value, v)
	}
	VMOVDQU(v, operand.Mem{Base: dst, Index: at, Scale: 1})
	VMOVDQU(v, operand.Mem{Base: dst, Index: at, Scale: 1, Disp: 32})
	ADDQ(operand.Imm(64), at)
	CMPQ(at, end)
	JAE(operand.LabelRef("next"))
	Label("long")
	VMOVDQU(v, operand.Mem{Base: dst, Index: at, Scale: 1})
	ADDQ(operand.Imm(32), at)
	CMPQ(at, end)
	JB(operand.LabelRef("long"))
	Label("next")
	MOVQ(end, at)
	ADDQ(operand.Imm(uint64(bytes)), values)
	ADDQ(operand.Imm(4), ends)
	DECQ(runs)
	JNZ(operand.LabelRef("loop"))
	Label("done")
	SUBQ(runs, count)
	Store(count, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sparse is the number of set bits in a word up to which they are walked: always this many steps, as a loop that ends after a
// random number of them costs a misprediction a word.
const sparse = 4

func filter() {
	filterValues(16)
	filterValues(8)
	filterValues(4)
	indices()
	filterBits()
}

// filterValues writes a compaction of values of 16, 8 or 4 bytes.
//
// A word of sel with many bits is taken a vector at a time: its bits look up a permutation that moves the selected lanes to the
// front, the whole vector is stored, and dst advances by the number of them. So up to 64 elements past the last are
// overwritten, which is why the kernel stops when dst has less room than a block.
func filterValues(bytes int) {
	name := fmt.Sprintf("filter%dAVX2", bytes)
	typ := map[int]string{16: "[2]uint64", 8: "uint64", 4: "uint32"}[bytes]
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst *%s, room int, src *%s, sel *uint64, words int) (read, written int)", typ, typ))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s moves the elements of src whose bit is set in sel to the front of dst, a word of sel at a time, until", name),
		"words are done or dst, which has room elements, has no room for 64 more. It gives the words done and the elements written.")
	dst := Load(Param("dst"), GP64())
	room := Load(Param("room"), GP64())
	src := Load(Param("src"), GP64())
	sel := Load(Param("sel"), GP64())
	words := Load(Param("words"), GP64())
	moves := GP64()
	LEAQ(compactMoves(bytes), moves)

	last := GP64() // dst must not be past this when a block starts
	LEAQ(scaled(dst, room, bytes).Offset(-64*bytes), last)
	start := GP64()
	MOVQ(dst, start)
	left := GP64()
	MOVQ(words, left)
	TESTQ(left, left)
	JZ(operand.LabelRef("done"))

	Label("loop")
	CMPQ(dst, last)
	JA(operand.LabelRef("done"))
	w, count := GP64(), GP64()
	MOVQ(operand.Mem{Base: sel}, w)
	POPCNTQ(w, count)
	CMPQ(count, operand.Imm(sparse))
	JBE(operand.LabelRef("walk"))
	CMPQ(count, operand.Imm(64))
	JE(operand.LabelRef("copy"))

	Comment("Compact a vector at a time.")
	lanes := 32 / bytes
	for g := 0; g < 64/lanes; g++ {
		mask, kept, move, v := GP64(), GP64(), YMM(), YMM()
		if lanes == 8 {
			MOVBLZX(w.As8(), mask.As32())
		} else {
			MOVL(w.As32(), mask.As32())
			ANDL(operand.Imm(1<<lanes-1), mask.As32())
		}
		if g < 64/lanes-1 {
			SHRQ(operand.Imm(uint64(lanes)), w)
		}
		VPMOVZXBD(operand.Mem{Base: moves, Index: mask, Scale: 8}, move)
		POPCNTL(mask.As32(), kept.As32())
		VPERMD(operand.Mem{Base: src, Disp: 32 * g}, move, v)
		VMOVDQU(v, operand.Mem{Base: dst})
		LEAQ(scaled(dst, kept, bytes), dst)
	}

	Label("next")
	ADDQ(operand.U32(64*bytes), src)
	ADDQ(operand.Imm(8), sel)
	DECQ(left)
	JNZ(operand.LabelRef("loop"))

	Label("done")
	SUBQ(left, words)
	Store(words, Return("read"))
	SUBQ(start, dst)
	SHRQ(operand.Imm(map[int]uint64{16: 4, 8: 3, 4: 2}[bytes]), dst)
	Store(dst, Return("written"))
	VZEROUPPER()
	RET()

	Label("walk")
	Comment("Few bits: walk them. Steps past the last bit move row 0; without any, the start of the table.")
	from := GP64()
	MOVQ(src, from)
	TESTQ(w, w)
	CMOVQEQ(moves, from)
	for i := 0; i < sparse; i++ {
		row, v := GP64(), GP64()
		TZCNTQ(w, row)
		ANDL(operand.Imm(63), row.As32())
		if i < sparse-1 {
			BLSRQ(w, w)
		}
		at := scaled(from, row, bytes)
		to := operand.Mem{Base: dst, Disp: i * bytes}
		switch bytes {
		case 16:
			both := XMM()
			VMOVDQU(at, both)
			VMOVDQU(both, to)
		case 8:
			MOVQ(at, v)
			MOVQ(v, to)
		default:
			MOVL(at, v.As32())
			MOVL(v.As32(), to)
		}
	}
	LEAQ(scaled(dst, count, bytes), dst)
	JMP(operand.LabelRef("next"))

	Label("copy")
	Comment("All bits: copy the block.")
	for at := 0; at < 64*bytes; at += 128 {
		var v [4]reg.VecVirtual
		for i := range v {
			v[i] = YMM()
			VMOVDQU(operand.Mem{Base: src, Disp: at + 32*i}, v[i])
		}
		for i := range v {
			VMOVDQU(v[i], operand.Mem{Base: dst, Disp: at + 32*i})
		}
	}
	ADDQ(operand.U32(64*bytes), dst)
	JMP(operand.LabelRef("next"))
}

// scaled gives the memory of an element, which it doubles where the width is more than an address can scale by.
func scaled(base, index reg.Register, bytes int) operand.Mem {
	if bytes == 16 {
		ADDQ(index, index)
		bytes = 8
	}
	return operand.Mem{Base: base, Index: index, Scale: uint8(bytes)}
}

// indices writes the numbers of set bits: the permutations of a compaction of 4-byte lanes are just that, within a byte.
func indices() {
	TEXT("indicesAVX2", NOSPLIT, "func(dst *uint32, bits *uint64, words int, base uint32) int")
	Doc("indicesAVX2 writes base plus the number of each set bit to dst, which has room for 64 more, and gives their count.")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("bits"), GP64())
	words := Load(Param("words"), GP64())
	base := Load(Param("base"), GP32())
	moves := GP64()
	LEAQ(compactMoves(4), moves)
	start := GP64()
	MOVQ(dst, start)

	Label("loop")
	w, count := GP64(), GP64()
	MOVQ(operand.Mem{Base: src}, w)
	POPCNTQ(w, count)
	CMPQ(count, operand.Imm(sparse))
	JBE(operand.LabelRef("walk"))
	first := XMM()
	firsts := YMM()
	VMOVD(base, first)
	VPBROADCASTD(first, firsts)
	eight := YMM()
	VPBROADCASTD(eights(), eight)
	for g := 0; g < 8; g++ {
		mask, kept, v := GP64(), GP64(), YMM()
		MOVBLZX(w.As8(), mask.As32())
		if g < 7 {
			SHRQ(operand.Imm(8), w)
		}
		VPMOVZXBD(operand.Mem{Base: moves, Index: mask, Scale: 8}, v)
		POPCNTL(mask.As32(), kept.As32())
		VPADDD(firsts, v, v)
		if g < 7 {
			VPADDD(eight, firsts, firsts)
		}
		VMOVDQU(v, operand.Mem{Base: dst})
		LEAQ(operand.Mem{Base: dst, Index: kept, Scale: 4}, dst)
	}

	Label("next")
	ADDL(operand.Imm(64), base)
	ADDQ(operand.Imm(8), src)
	DECQ(words)
	JNZ(operand.LabelRef("loop"))
	SUBQ(start, dst)
	SHRQ(operand.Imm(2), dst)
	Store(dst, ReturnIndex(0))
	VZEROUPPER()
	RET()

	Label("walk")
	for i := 0; i < sparse; i++ {
		row := GP64()
		TZCNTQ(w, row)
		if i < sparse-1 {
			BLSRQ(w, w)
		}
		ADDL(base, row.As32())
		MOVL(row.As32(), operand.Mem{Base: dst, Disp: 4 * i})
	}
	LEAQ(operand.Mem{Base: dst, Index: count, Scale: 4}, dst)
	JMP(operand.LabelRef("next"))
}

// filterBits writes a compaction of bits. The begun word of dst is stored every turn, complete or not, so that the loop needs
// no branch on whether a word is full; hence the limit, past which nothing may be stored.
func filterBits() {
	TEXT("filterBitsBMI2", NOSPLIT, "func(dst *uint64, room int, src *uint64, sel *uint64, words int, begun uint64, have int) int")
	Doc("filterBitsBMI2 appends the bits of src under sel to dst, which has room words and already have bits, less than a word,",
		"in begun. It stops when dst is full, and gives the number of bits in dst.")
	dst := Load(Param("dst"), GP64())
	room := Load(Param("room"), GP64())
	src := Load(Param("src"), GP64())
	sel := Load(Param("sel"), GP64())
	words := Load(Param("words"), GP64())
	begun := Load(Param("begun"), GP64())
	have := Load(Param("have"), GP64())
	start := GP64()
	MOVQ(dst, start)

	Label("loop")
	mask, packed, count := GP64(), GP64(), GP64()
	MOVQ(operand.Mem{Base: sel}, mask)
	MOVQ(operand.Mem{Base: src}, packed)
	PEXTQ(mask, packed, packed)
	POPCNTQ(mask, count)
	low := GP64()
	SHLXQ(have, packed, low)
	ORQ(low, begun)
	MOVQ(begun, operand.Mem{Base: dst})
	Comment("What does not fit: packed >> (64-have), in two steps, for have may be 0.")
	rest := GP64()
	MOVQ(have, rest)
	XORQ(operand.Imm(63), rest)
	SHRQ(operand.Imm(1), packed)
	SHRXQ(rest, packed, packed)
	ADDQ(count, have)
	full := GP64()
	MOVQ(have, full)
	ANDQ(operand.Imm(63), have)
	SHRQ(operand.Imm(6), full)
	CMOVQNE(packed, begun)
	LEAQ(operand.Mem{Base: dst, Index: full, Scale: 8}, dst)
	SUBQ(full, room)
	JZ(operand.LabelRef("done"))
	ADDQ(operand.Imm(8), src)
	ADDQ(operand.Imm(8), sel)
	DECQ(words)
	JNZ(operand.LabelRef("loop"))
	Comment("Store the begun word, which may be new. An empty one must stay unwritten: in place, it is the next of src.")
	TESTQ(have, have)
	JZ(operand.LabelRef("done"))
	MOVQ(begun, operand.Mem{Base: dst})

	Label("done")
	SUBQ(start, dst)
	LEAQ(operand.Mem{Base: have, Index: dst, Scale: 8}, have)
	Store(have, ReturnIndex(0))
	RET()
}

var compactData = map[int]operand.Mem{}

// compactMoves gives a table that says, for each set of selected lanes, which double word moves to each place: eight bytes an
// entry. Lanes of 8 bytes are two double words, so they have 16 entries; lanes of 4 bytes have 256, lanes of 16 bytes 4.
func compactMoves(bytes int) operand.Mem {
	if m, ok := compactData[bytes]; ok {
		return m
	}
	m := GLOBL(fmt.Sprintf("compactMoves%d", bytes), NOPTR|RODATA)
	lanes, perLane := 32/bytes, bytes/4
	for mask := 0; mask < 1<<lanes; mask++ {
		var moves uint64
		place := 0
		for lane := 0; lane < lanes; lane++ {
			if mask>>lane&1 == 0 {
				continue
			}
			for d := 0; d < perLane; d++ {
				moves |= uint64(lane*perLane+d) << (8 * place)
				place++
			}
		}
		DATA(8*mask, operand.U64(moves))
	}
	compactData[bytes] = m
	return m
}

// eights gives a double word of 8.
func eights() operand.Mem {
	m := GLOBL("eight", NOPTR|RODATA)
	DATA(0, operand.U32(8))
	return m
}

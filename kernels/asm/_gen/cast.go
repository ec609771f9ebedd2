package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// number is an element type of a cast.
type number struct {
	goTyp string
	bytes int
}

func (n number) title() string { return strings.ToUpper(n.goTyp[:1]) + n.goTyp[1:] }

var (
	int8s    = number{"int8", 1}
	int16s   = number{"int16", 2}
	int32s   = number{"int32", 4}
	int64s   = number{"int64", 8}
	uint8s   = number{"uint8", 1}
	uint16s  = number{"uint16", 2}
	uint32s  = number{"uint32", 4}
	uint64s  = number{"uint64", 8}
	float32s = number{"float32", 4}
	float64s = number{"float64", 8}
)

func cast() {
	for _, from := range []number{int8s, int16s, int32s, uint8s, uint16s, uint32s} {
		for _, to := range []number{int16s, int32s, int64s, uint16s, uint32s, uint64s} {
			if to.bytes > from.bytes && to.goTyp[0] == from.goTyp[0] {
				castWiden(from, to)
			}
		}
	}
	for _, from := range []number{uint64s, uint32s, uint16s} {
		for _, to := range []number{uint32s, uint16s, uint8s} {
			if to.bytes < from.bytes {
				castNarrow(from, to)
			}
		}
	}
	for _, from := range []number{int8s, int16s, int32s, uint8s, uint16s} {
		castSmallInts(from, float64s)
		castSmallInts(from, float32s)
	}
	castUint32s()
	castInt64s(int64s)
	castInt64s(uint64s)
	castWidenFloats()
	castNarrowFloats()
	for _, from := range []number{float64s, float32s} {
		castToInt32s(from)
		castToInt64s(from)
	}
}

// caster is what a cast works on: memory of both sides, and of a checked one the bits that tell of a bad lane.
type caster struct {
	from, to        number
	dst, src, words reg.Register
	bad             reg.VecVirtual
}

// source is the memory of the rows from a row of the block on, target where they go.
func (c *caster) source(row int) operand.Mem {
	return operand.Mem{Base: c.src, Disp: row * c.from.bytes}
}
func (c *caster) target(row int) operand.Mem { return operand.Mem{Base: c.dst, Disp: row * c.to.bytes} }

// begin starts a function and loads its pointers.
func begin(from, to number, params, returns string, doc ...string) *caster {
	name := from.goTyp + "To" + to.title() + "AVX2"
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst *%s, src *%s, words int%s)%s", to.goTyp, from.goTyp, params, returns))
	Pragma("noescape")
	doc[0] = name + " " + doc[0]
	Doc(doc...)
	return &caster{from: from, to: to, dst: Load(Param("dst"), GP64()), src: Load(Param("src"), GP64()), words: Load(Param("words"), GP64())}
}

// unchecked writes a loop over blocks of 64 rows of which rows writes so many from a row on.
func (c *caster) unchecked(rows int, write func(row int)) {
	Label("loop")
	for row := 0; row < 64; row += rows {
		write(row)
	}
	c.advance()
	DECQ(c.words)
	JNZ(operand.LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// checked is unchecked for a loop that ends at the first block with a bad row, and gives the number of blocks before it. Lanes of
// c.bad have a bit of mask set if a row of theirs is bad; a nil mask is all bits. A block that fails is tried once more by the code
// of retry, which jumps to "next" or "done"; nil for none.
func (c *caster) checked(rows int, mask reg.VecVirtual, write func(row int), retry func()) {
	failed := "done"
	if retry != nil {
		failed = "retry"
	}
	blocks := GP64()
	MOVQ(c.words, blocks)
	Label("loop")
	c.bad = YMM()
	VPXOR(c.bad, c.bad, c.bad)
	for row := 0; row < 64; row += rows {
		write(row)
	}
	if mask == nil {
		mask = c.bad
	}
	VPTEST(mask, c.bad)
	JNZ(operand.LabelRef(failed))
	Label("next")
	c.advance()
	DECQ(c.words)
	JNZ(operand.LabelRef("loop"))
	Label("done")
	SUBQ(c.words, blocks)
	Store(blocks, ReturnIndex(0))
	VZEROUPPER()
	RET()
	if retry != nil {
		Label("retry")
		retry()
	}
}

func (c *caster) advance() {
	ADDQ(operand.U32(64*c.from.bytes), c.src)
	ADDQ(operand.U32(64*c.to.bytes), c.dst)
}

// extensions widen integers in memory to a vector of lanes, by the bytes of both.
var extensions = map[bool]map[[2]int]func(...operand.Op){
	true:  {{1, 2}: VPMOVSXBW, {1, 4}: VPMOVSXBD, {1, 8}: VPMOVSXBQ, {2, 4}: VPMOVSXWD, {2, 8}: VPMOVSXWQ, {4, 8}: VPMOVSXDQ},
	false: {{1, 2}: VPMOVZXBW, {1, 4}: VPMOVZXBD, {1, 8}: VPMOVZXBQ, {2, 4}: VPMOVZXWD, {2, 8}: VPMOVZXWQ, {4, 8}: VPMOVZXDQ},
}

// extend widens the integers from a row on to lanes of a vector.
func (c *caster) extend(row, bytes int, v reg.VecVirtual) {
	extensions[c.from.goTyp[0] == 'i'][[2]int{c.from.bytes, bytes}](c.source(row), v)
}

func castWiden(from, to number) {
	c := begin(from, to, "", "", "widens words blocks of 64 rows.")
	c.unchecked(32/to.bytes, func(row int) {
		v := YMM()
		c.extend(row, to.bytes, v)
		VMOVDQU(v, c.target(row))
	})
}

// castNarrow writes a truncation. A value fits the narrow type when all bits above it are zero, once a bias has moved a signed
// range to zero; so one addition and one OR a vector check all pairs of signed and unsigned types.
func castNarrow(from, to number) {
	c := begin(from, to, ", bias uint64, mask uint64", " int",
		"truncates words blocks of 64 rows up to the first block with a row for which (row + bias) & mask is",
		"not zero, and gives the number of blocks before it. bias and mask are repeated in all rows of eight bytes.")
	bias, mask := broadcast("bias"), broadcast("mask")
	low := map[int]reg.VecVirtual{} // the bits that stay, of lanes of so many bytes
	for bytes := from.bytes; bytes > to.bytes; bytes /= 2 {
		switch bytes {
		case 4:
			low[bytes] = YMM()
			VPCMPEQD(low[bytes], low[bytes], low[bytes])
			VPSRLD(operand.Imm(16), low[bytes], low[bytes])
		case 2:
			low[bytes] = YMM()
			VPCMPEQD(low[bytes], low[bytes], low[bytes])
			VPSRLW(operand.Imm(8), low[bytes], low[bytes])
		}
	}
	add := map[int]func(...operand.Op){8: VPADDQ, 4: VPADDD, 2: VPADDW}[from.bytes]
	// lanes gives the rows from a row on as a vector of lanes of so many bytes, made by halving those of two vectors.
	var lanes func(row, bytes int) reg.VecVirtual
	lanes = func(row, bytes int) reg.VecVirtual {
		if bytes == from.bytes {
			v, moved := load(c.source(row)), YMM()
			add(v, bias, moved)
			VPOR(moved, c.bad, c.bad)
			return v
		}
		wide := 2 * bytes
		a, b := lanes(row, wide), lanes(row+32/wide, wide)
		if wide == 8 {
			VSHUFPS(operand.Imm(0x88), b, a, a)
		} else {
			VPAND(low[wide], a, a)
			VPAND(low[wide], b, b)
			if wide == 4 {
				VPACKUSDW(b, a, a)
			} else {
				VPACKUSWB(b, a, a)
			}
		}
		VPERMQ(operand.Imm(0xd8), a, a) // packs work within halves
		return a
	}
	c.checked(32/to.bytes, mask, func(row int) { VMOVDQU(lanes(row, to.bytes), c.target(row)) }, nil)
}

// broadcast gives a parameter in each lane of eight bytes.
func broadcast(param string) reg.VecVirtual {
	p, err := Param(param).Resolve()
	if err != nil {
		panic(err)
	}
	v := YMM()
	VPBROADCASTQ(p.Addr, v)
	return v
}

// constant gives a vector of eight bytes four times, in a register.
func constant(bits uint64) reg.VecVirtual {
	g, x, v := GP64(), XMM(), YMM()
	MOVQ(operand.U64(bits), g)
	VMOVQ(g, x)
	VPBROADCASTQ(x, v)
	return v
}

// castSmallInts writes a cast of integers that are int32 without loss.
func castSmallInts(from, to number) {
	c := begin(from, to, "", "", "casts words blocks of 64 rows.")
	c.unchecked(32/to.bytes, func(row int) {
		var ints operand.Op = c.source(row)
		v := YMM()
		switch {
		case to == float64s && from.bytes < 4: // four rows
			narrow := XMM()
			c.extend(row, 4, narrow)
			ints = narrow
		case from.bytes < 4:
			c.extend(row, 4, v)
			ints = v
		}
		if to == float64s {
			VCVTDQ2PD(ints, v)
		} else {
			VCVTDQ2PS(ints, v)
		}
		VMOVDQU(v, c.target(row))
	})
}

// Floats whose units are such that an integer OR-ed into their bits is added to them.
const (
	twoTo52      = 0x4330000000000000 // 1<<52: low 52 bits
	oneAndHalf52 = 0x4338000000000000 // 1.5<<52: low 51 bits, with a sign
	twoTo84      = 0x4530000000000000 // 1<<84: units of 1<<32
)

func castUint32s() {
	c := begin(uint32s, float64s, "", "", "casts words blocks of 64 rows.")
	base := constant(twoTo52)
	c.unchecked(4, func(row int) {
		v := YMM()
		c.extend(row, 8, v)
		VPOR(base, v, v)
		VSUBPD(base, v, v)
		VMOVDQU(v, c.target(row))
	})
}

// castInt64s writes the cast that AVX2 has no instruction for. The halves of a value become the floats 1<<52 + low and
// 1<<84 + high<<32, signed by an offset of 1<<63; both are exact, as is taking the bases from the latter. The sum rounds once.
func castInt64s(from number) {
	c := begin(from, float64s, "", "", "casts words blocks of 64 rows.")
	highBase, bases := uint64(twoTo84), uint64(twoTo84|1<<20) // 1<<52 is 1<<20 of those units
	if from == int64s {
		highBase |= 1 << 31
		bases |= 1 << 31
	}
	lows, highs, both := constant(twoTo52), constant(highBase), constant(bases)
	c.unchecked(4, func(row int) {
		v, low, high := YMM(), YMM(), YMM()
		VMOVDQU(c.source(row), v)
		VPBLENDD(operand.Imm(0x55), v, lows, low)
		VPSRLQ(operand.Imm(32), v, high)
		VPXOR(highs, high, high)
		VSUBPD(both, high, high)
		VADDPD(low, high, high)
		VMOVDQU(high, c.target(row))
	})
}

func castWidenFloats() {
	c := begin(float32s, float64s, "", "", "widens words blocks of 64 rows.")
	c.unchecked(4, func(row int) {
		v := YMM()
		VCVTPS2PD(c.source(row), v)
		VMOVDQU(v, c.target(row))
	})
}

func castNarrowFloats() {
	c := begin(float64s, float32s, "", " int",
		"rounds words blocks of 64 rows up to the first block with a finite row that becomes infinite, and gives",
		"the number of blocks before it.")
	magnitude := constant(1<<63 - 1)
	last := constant(0x47efffffefffffff) // the greatest magnitude that rounds to a finite float32
	infinite := constant(0x7ff0000000000000)
	c.checked(8, nil, func(row int) {
		half := []reg.VecVirtual{XMM(), XMM()}
		for i, h := range half {
			v, over := load(c.source(row+4*i)), YMM()
			VCVTPD2PSY(v, h)
			VPAND(magnitude, v, v)
			VPCMPGTQ(last, v, over)
			VPCMPGTQ(v, infinite, v)
			VPAND(v, over, over)
			VPOR(over, c.bad, c.bad)
		}
		VMOVDQU(half[0], c.target(row))
		VMOVDQU(half[1], c.target(row+4))
	}, nil)
}

// castToInt32s writes a cast by the instruction, which gives the least value for what does not fit; a block with that value,
// right or not, ends the loop.
func castToInt32s(from number) {
	c := begin(from, int32s, "", " int",
		"rounds words blocks of 64 rows, half to even, up to the first block with a row that does not fit or is",
		"the least int32, and gives the number of blocks before it.")
	least := YMM()
	VPCMPEQD(least, least, least)
	VPSLLD(operand.Imm(31), least, least)
	c.checked(8, nil, func(row int) {
		v, failed := YMM(), YMM()
		if from == float64s {
			high := XMM()
			VCVTPD2DQY(c.source(row), v.AsX())
			VCVTPD2DQY(c.source(row+4), high)
			VINSERTI128(operand.Imm(1), high, v, v)
		} else {
			VCVTPS2DQ(c.source(row), v)
		}
		VPCMPEQD(least, v, failed)
		VPOR(failed, c.bad, c.bad)
		VMOVDQU(v, c.target(row))
	}, nil)
}

// castToInt64s writes the cast that AVX2 has no instruction for. Below 1<<51, adding 1.5<<52 rounds a float to a whole number and
// puts it into the low bits; greater values change the exponent, which tells them. A block with one of those is cast by halves.
func castToInt64s(from number) {
	c := begin(from, int64s, "", " int",
		"rounds words blocks of 64 rows, half to even, up to the first block with a row that does not fit, and",
		"gives the number of blocks before it.")
	base := constant(oneAndHalf52)
	exponent := constant(0xfff0000000000000)
	rows := func(row operand.Mem, v reg.VecVirtual) {
		if from == float64s {
			VMOVUPD(row, v)
		} else {
			VCVTPS2PD(row, v)
		}
	}
	c.checked(4, exponent, func(row int) {
		v, changed := YMM(), YMM()
		if from == float64s {
			VADDPD(c.source(row), base, v)
		} else {
			rows(c.source(row), v)
			VADDPD(v, base, v)
		}
		VPXOR(base, v, changed)
		VPOR(changed, c.bad, c.bad)
		VPSUBQ(base, v, v)
		VMOVDQU(v, c.target(row))
	}, func() {
		least, limit := constant(0xc3e0000000000000), constant(0x43e0000000000000) // -1<<63, 1<<63
		toHigh, fromHigh := constant(0x3df0000000000000), constant(0x41f0000000000000)
		lowBase := constant(twoTo52)
		fits := YMM()
		VPCMPEQD(fits, fits, fits)
		four := GP64() // number of the four rows
		XORQ(four, four)
		src := GP64()
		MOVQ(c.src, src)
		Label("four")
		v, low, high := YMM(), YMM(), YMM()
		rows(operand.Mem{Base: src}, v)
		VROUNDPD(operand.Imm(8), v, v) // half to even, without exceptions
		for _, bound := range []struct {
			predicate uint64
			value     reg.VecVirtual
		}{{cmpGreaterEqual, least}, {cmpLess, limit}} {
			within := YMM()
			VCMPPD(operand.Imm(bound.predicate), bound.value, v, within)
			VPAND(within, fits, fits)
		}
		VMULPD(toHigh, v, high)
		VROUNDPD(operand.Imm(9), high, high) // down
		VMULPD(fromHigh, high, low)
		VSUBPD(low, v, low)
		VADDPD(base, high, high)
		VADDPD(lowBase, low, low)
		VPSLLQ(operand.Imm(32), high, high)
		VPBLENDD(operand.Imm(0x55), low, high, high)
		VMOVDQU(high, operand.Mem{Base: c.dst, Index: four, Scale: 8})
		ADDQ(operand.Imm(uint64(4*from.bytes)), src)
		ADDQ(operand.Imm(4), four)
		CMPQ(four, operand.Imm(64))
		JNE(operand.LabelRef("four"))
		mask := GP32()
		VMOVMSKPD(fits, mask)
		CMPL(mask, operand.Imm(15))
		JEQ(operand.LabelRef("next"))
		JMP(operand.LabelRef("done"))
	})
}

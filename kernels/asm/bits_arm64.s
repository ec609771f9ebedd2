//go:build !purego && !noasm

#include "textflag.h"

// Algebra of two bitmaps: R0 dst, R1 a, R2 b, R3 words left; V0-V3 and R4 are of a, V4-V7 and R5 of b, V8 is all ones.

#define LOAD \
	MOVD dst+0(FP), R0; \
	MOVD a+8(FP), R1; \
	MOVD b+16(FP), R2; \
	MOVD words+24(FP), R3

#define LOAD8WORDS \
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	VLD1.P 64(R2), [V4.B16, V5.B16, V6.B16, V7.B16]

#define STORE8WORDS \
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)

#define LOADWORD \
	MOVD.P 8(R1), R4; \
	MOVD.P 8(R2), R5

#define COMBINE8WORDS(OP) \
	OP V4.B16, V0.B16, V0.B16; \
	OP V5.B16, V1.B16, V1.B16; \
	OP V6.B16, V2.B16, V2.B16; \
	OP V7.B16, V3.B16, V3.B16

#define COMPLEMENT8WORDS(v0, v1, v2, v3) \
	VEOR V8.B16, v0, v0; \
	VEOR V8.B16, v1, v1; \
	VEOR V8.B16, v2, v2; \
	VEOR V8.B16, v3, v3

// Kleene's connectives: R0 value and R1 valid of the result; V0 and V1 are four words of a, V2 and V3 of its validity, V4 to V7
// of b.

#define LOADKLEENE \
	MOVD value+0(FP), R0; \
	MOVD valid+8(FP), R1; \
	MOVD a+16(FP), R2; \
	MOVD aValid+24(FP), R3; \
	MOVD b+32(FP), R4; \
	MOVD bValid+40(FP), R5; \
	MOVD fours+48(FP), R6

#define LOAD4WORDS \
	VLD1.P 32(R2), [V0.B16, V1.B16]; \
	VLD1.P 32(R3), [V2.B16, V3.B16]; \
	VLD1.P 32(R4), [V4.B16, V5.B16]; \
	VLD1.P 32(R5), [V6.B16, V7.B16]

// func andNEON(dst *uint64, a *uint64, b *uint64, words int)
TEXT ·andNEON(SB), NOSPLIT, $0-32
	LOAD
	SUBS $8, R3
	BLT  rest

eight:
	LOAD8WORDS
	COMBINE8WORDS(VAND)
	STORE8WORDS
	SUBS $8, R3
	BGE  eight

rest:
	ADDS $8, R3
	BEQ  done

one:
	LOADWORD
	AND    R5, R4
	MOVD.P R4, 8(R0)
	SUBS   $1, R3
	BNE    one

done:
	RET

// func orNEON(dst *uint64, a *uint64, b *uint64, words int)
TEXT ·orNEON(SB), NOSPLIT, $0-32
	LOAD
	SUBS $8, R3
	BLT  rest

eight:
	LOAD8WORDS
	COMBINE8WORDS(VORR)
	STORE8WORDS
	SUBS $8, R3
	BGE  eight

rest:
	ADDS $8, R3
	BEQ  done

one:
	LOADWORD
	ORR    R5, R4
	MOVD.P R4, 8(R0)
	SUBS   $1, R3
	BNE    one

done:
	RET

// func xorNEON(dst *uint64, a *uint64, b *uint64, words int)
TEXT ·xorNEON(SB), NOSPLIT, $0-32
	LOAD
	SUBS $8, R3
	BLT  rest

eight:
	LOAD8WORDS
	COMBINE8WORDS(VEOR)
	STORE8WORDS
	SUBS $8, R3
	BGE  eight

rest:
	ADDS $8, R3
	BEQ  done

one:
	LOADWORD
	EOR    R5, R4
	MOVD.P R4, 8(R0)
	SUBS   $1, R3
	BNE    one

done:
	RET

// func andNotNEON(dst *uint64, a *uint64, b *uint64, words int)
TEXT ·andNotNEON(SB), NOSPLIT, $0-32
	LOAD
	VMOVI $255, V8.B16
	SUBS  $8, R3
	BLT   rest

eight:
	LOAD8WORDS
	COMPLEMENT8WORDS(V4.B16, V5.B16, V6.B16, V7.B16)
	COMBINE8WORDS(VAND)
	STORE8WORDS
	SUBS $8, R3
	BGE  eight

rest:
	ADDS $8, R3
	BEQ  done

one:
	LOADWORD
	BIC    R5, R4
	MOVD.P R4, 8(R0)
	SUBS   $1, R3
	BNE    one

done:
	RET

// func notNEON(dst *uint64, a *uint64, words int)
TEXT ·notNEON(SB), NOSPLIT, $0-24
	MOVD  dst+0(FP), R0
	MOVD  a+8(FP), R1
	MOVD  words+16(FP), R3
	VMOVI $255, V8.B16
	SUBS  $8, R3
	BLT   rest

eight:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	COMPLEMENT8WORDS(V0.B16, V1.B16, V2.B16, V3.B16)
	STORE8WORDS
	SUBS   $8, R3
	BGE    eight

rest:
	ADDS $8, R3
	BEQ  done

one:
	MOVD.P 8(R1), R4
	MVN    R4, R4
	MOVD.P R4, 8(R0)
	SUBS   $1, R3
	BNE    one

done:
	RET

// Bits are counted by bytes: of four vectors side by side, a byte counts up to 32, and all of them up to 512.

// func popCountNEON(a *uint64, words int) int
TEXT ·popCountNEON(SB), NOSPLIT, $0-24
	MOVD a+0(FP), R1
	MOVD words+8(FP), R3
	MOVD ZR, R0
	SUBS $8, R3
	BLT  rest

eight:
	VLD1.P  64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	VCNT    V0.B16, V0.B16
	VCNT    V1.B16, V1.B16
	VCNT    V2.B16, V2.B16
	VCNT    V3.B16, V3.B16
	VADD    V1.B16, V0.B16, V0.B16
	VADD    V3.B16, V2.B16, V2.B16
	VADD    V2.B16, V0.B16, V0.B16
	VUADDLV V0.B16, V0
	VMOV    V0.D[0], R4
	ADD     R4, R0
	SUBS    $8, R3
	BGE     eight

rest:
	ADDS $8, R3
	BEQ  done

one:
	FMOVD.P 8(R1), F0
	VCNT    V0.B8, V0.B8
	VUADDLV V0.B8, V0
	VMOV    V0.D[0], R4
	ADD     R4, R0
	SUBS    $1, R3
	BNE     one

done:
	MOVD R0, ret+16(FP)
	RET

// func kleeneAndNEON(value *uint64, valid *uint64, a *uint64, aValid *uint64, b *uint64, bValid *uint64, fours int)
TEXT ·kleeneAndNEON(SB), NOSPLIT, $0-56
	LOADKLEENE

loop:
	LOAD4WORDS
	VAND   V2.B16, V0.B16, V0.B16   // a is true
	VAND   V3.B16, V1.B16, V1.B16
	VAND   V6.B16, V4.B16, V4.B16   // b is true
	VAND   V7.B16, V5.B16, V5.B16
	VEOR   V0.B16, V2.B16, V2.B16   // a is false: valid and not true
	VEOR   V1.B16, V3.B16, V3.B16
	VEOR   V4.B16, V6.B16, V6.B16
	VEOR   V5.B16, V7.B16, V7.B16
	VAND   V4.B16, V0.B16, V0.B16   // both are true
	VAND   V5.B16, V1.B16, V1.B16
	VORR   V6.B16, V2.B16, V2.B16
	VORR   V7.B16, V3.B16, V3.B16
	VORR   V0.B16, V2.B16, V2.B16
	VORR   V1.B16, V3.B16, V3.B16
	VST1.P [V0.B16, V1.B16], 32(R0)
	VST1.P [V2.B16, V3.B16], 32(R1)
	SUBS   $1, R6
	BNE    loop
	RET

// func kleeneOrNEON(value *uint64, valid *uint64, a *uint64, aValid *uint64, b *uint64, bValid *uint64, fours int)
TEXT ·kleeneOrNEON(SB), NOSPLIT, $0-56
	LOADKLEENE

loop:
	LOAD4WORDS
	VAND   V2.B16, V0.B16, V0.B16   // a is true
	VAND   V3.B16, V1.B16, V1.B16
	VAND   V6.B16, V4.B16, V4.B16   // b is true
	VAND   V7.B16, V5.B16, V5.B16
	VORR   V4.B16, V0.B16, V0.B16   // one is true
	VORR   V5.B16, V1.B16, V1.B16
	VAND   V6.B16, V2.B16, V2.B16   // both are valid
	VAND   V7.B16, V3.B16, V3.B16
	VORR   V0.B16, V2.B16, V2.B16
	VORR   V1.B16, V3.B16, V3.B16
	VST1.P [V0.B16, V1.B16], 32(R0)
	VST1.P [V2.B16, V3.B16], 32(R1)
	SUBS   $1, R6
	BNE    loop
	RET

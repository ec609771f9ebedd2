//go:build !purego && !noasm

#include "textflag.h"

// Go's assembler has no vector compare but VCMEQ. The macros below are the missing instructions, with operands in Go's order;
// TestWordMacros derives their encodings from the fields in the architecture manual.

// CMGT Vd.2D, Vn.2D, Vm.2D: all ones where n > m, signed.
#define CMGT2D(m, n, d) WORD $(0x4EE03400 | (m)<<16 | (n)<<5 | (d))

// Registers: V0 the constant, V1 the weight of each row's bit in its byte, V2-V9 16 rows, V16-V19 outcomes of 16 rows each
// as bytes; R0 dst, R1 values, R2 words left, R4 flip.

#define LOAD \
	MOVD dst+0(FP), R0; \
	MOVD values+8(FP), R1; \
	MOVD words+16(FP), R2; \
	MOVD c+24(FP), R3; \
	MOVD flip+32(FP), R4; \
	MOVD $0x8040201008040201, R5; \
	VDUP R3, V0.D2; \
	VDUP R5, V1.D2

#define LOAD16ROWS \
	VLD1.P 64(R1), [V2.D2, V3.D2, V4.D2, V5.D2]; \
	VLD1.P 64(R1), [V6.D2, V7.D2, V8.D2, V9.D2]

#define EQUAL16ROWS \
	VCMEQ V0.D2, V2.D2, V2.D2; \
	VCMEQ V0.D2, V3.D2, V3.D2; \
	VCMEQ V0.D2, V4.D2, V4.D2; \
	VCMEQ V0.D2, V5.D2, V5.D2; \
	VCMEQ V0.D2, V6.D2, V6.D2; \
	VCMEQ V0.D2, V7.D2, V7.D2; \
	VCMEQ V0.D2, V8.D2, V8.D2; \
	VCMEQ V0.D2, V9.D2, V9.D2

// A value is less than the constant where the constant is greater.
#define LESS16ROWS \
	CMGT2D(2, 0, 2); \
	CMGT2D(3, 0, 3); \
	CMGT2D(4, 0, 4); \
	CMGT2D(5, 0, 5); \
	CMGT2D(6, 0, 6); \
	CMGT2D(7, 0, 7); \
	CMGT2D(8, 0, 8); \
	CMGT2D(9, 0, 9)

// Halve the width of outcomes until each is a byte, then keep in it the bit of its row.
#define PACK16ROWS(to) \
	VUZP1 V3.S4, V2.S4, V2.S4; \
	VUZP1 V5.S4, V4.S4, V4.S4; \
	VUZP1 V7.S4, V6.S4, V6.S4; \
	VUZP1 V9.S4, V8.S4, V8.S4; \
	VUZP1 V4.H8, V2.H8, V2.H8; \
	VUZP1 V8.H8, V6.H8, V6.H8; \
	VUZP1 V6.B16, V2.B16, V2.B16; \
	VAND  V1.B16, V2.B16, to

// Three rounds of adding neighbours turn 64 bytes of one bit each into 8 bytes.
#define STOREWORD \
	VADDP  V17.B16, V16.B16, V16.B16; \
	VADDP  V19.B16, V18.B16, V18.B16; \
	VADDP  V18.B16, V16.B16, V16.B16; \
	VADDP  V16.B16, V16.B16, V16.B16; \
	VMOV   V16.D[0], R6; \
	EOR    R4, R6; \
	MOVD.P R6, 8(R0)

// func equalInt64NEON(dst *uint64, values *int64, words int, c int64, flip uint64)
TEXT ·equalInt64NEON(SB), NOSPLIT, $0-40
	LOAD

loop:
	LOAD16ROWS
	EQUAL16ROWS
	PACK16ROWS(V16.B16)
	LOAD16ROWS
	EQUAL16ROWS
	PACK16ROWS(V17.B16)
	LOAD16ROWS
	EQUAL16ROWS
	PACK16ROWS(V18.B16)
	LOAD16ROWS
	EQUAL16ROWS
	PACK16ROWS(V19.B16)
	STOREWORD
	SUBS $1, R2
	BNE  loop
	RET

// func lessInt64NEON(dst *uint64, values *int64, words int, c int64, flip uint64)
TEXT ·lessInt64NEON(SB), NOSPLIT, $0-40
	LOAD

loop:
	LOAD16ROWS
	LESS16ROWS
	PACK16ROWS(V16.B16)
	LOAD16ROWS
	LESS16ROWS
	PACK16ROWS(V17.B16)
	LOAD16ROWS
	LESS16ROWS
	PACK16ROWS(V18.B16)
	LOAD16ROWS
	LESS16ROWS
	PACK16ROWS(V19.B16)
	STOREWORD
	SUBS $1, R2
	BNE  loop
	RET

#include "textflag.h"

// Of and its inverse in AVX2, one vector a turn. Comparisons are of integers, not
// of floats: a thread that flushes denormals to zero may call this.
//
// Y8…Y12 hold the fields of the Code, Y13 the sign bits, Y14 all others, Y15 zero.

#define BEGIN \
	MOVQ   dst+0(FP), DI     \
	MOVQ   src+8(FP), SI     \
	MOVQ   vectors+16(FP), CX \
	MOVQ   c+24(FP), AX      \
	VPXOR  Y15, Y15, Y15

#define CONSTANTS(BROADCAST, SIZE, EQUAL, LEFT, RIGHT, TOP) \
	BROADCAST (0*SIZE)(AX), Y8  \
	BROADCAST (1*SIZE)(AX), Y9  \
	BROADCAST (2*SIZE)(AX), Y10 \
	BROADCAST (3*SIZE)(AX), Y11 \
	BROADCAST (4*SIZE)(AX), Y12 \
	EQUAL     Y13, Y13, Y13     \
	RIGHT     $1, Y13, Y14      \
	LEFT      $TOP, Y13, Y13

// −0 and NaNs are replaced; then bits are flipped where 0 > Y0, by sign.
#define ENCODE(EQUAL, GREATER, ADD) \
	VMOVDQU   (SI), Y0          \
	EQUAL     Y8, Y0, Y1        \
	VPANDN    Y0, Y1, Y0        \
	VPAND     Y14, Y0, Y1       \
	GREATER   Y9, Y1, Y1        \
	VPBLENDVB Y1, Y10, Y0, Y0   \
	GREATER   Y0, Y15, Y1       \
	VPOR      Y13, Y1, Y1       \
	VPXOR     Y1, Y0, Y0        \
	ADD       Y11, Y0, Y0       \
	VPXOR     Y12, Y0, Y0       \
	VMOVDQU   Y0, (DI)

// ENCODE of a mapping that replaces nothing.
#define ENCODE_ALL(GREATER, ADD) \
	VMOVDQU (SI), Y0     \
	GREATER Y0, Y15, Y1  \
	VPOR    Y13, Y1, Y1  \
	VPXOR   Y1, Y0, Y0   \
	ADD     Y11, Y0, Y0  \
	VPXOR   Y12, Y0, Y0  \
	VMOVDQU Y0, (DI)

// A code with its top bit, 0 > Y0, is that of a number without sign: only that
// bit is flipped.
#define DECODE(GREATER, SUB) \
	VPXOR   (SI), Y12, Y0  \
	SUB     Y11, Y0, Y0    \
	GREATER Y0, Y15, Y1    \
	VPANDN  Y14, Y1, Y1    \
	VPOR    Y13, Y1, Y1    \
	VPXOR   Y1, Y0, Y0     \
	VMOVDQU Y0, (DI)

#define NEXT \
	ADDQ $32, SI \
	ADDQ $32, DI \
	DECQ CX

// func encode32(dst, src unsafe.Pointer, vectors int, c unsafe.Pointer)
TEXT ·encode32(SB), NOSPLIT, $0-32
	BEGIN
	CONSTANTS(VPBROADCASTD, 4, VPCMPEQD, VPSLLD, VPSRLD, 31)

loop:
	ENCODE(VPCMPEQD, VPCMPGTD, VPADDD)
	NEXT
	JNZ  loop
	VZEROUPPER
	RET

// func encode64(dst, src unsafe.Pointer, vectors int, c unsafe.Pointer)
TEXT ·encode64(SB), NOSPLIT, $0-32
	BEGIN
	CONSTANTS(VPBROADCASTQ, 8, VPCMPEQQ, VPSLLQ, VPSRLQ, 63)

loop:
	ENCODE(VPCMPEQQ, VPCMPGTQ, VPADDQ)
	NEXT
	JNZ  loop
	VZEROUPPER
	RET

// func encodeAll32(dst, src unsafe.Pointer, vectors int, c unsafe.Pointer)
TEXT ·encodeAll32(SB), NOSPLIT, $0-32
	BEGIN
	CONSTANTS(VPBROADCASTD, 4, VPCMPEQD, VPSLLD, VPSRLD, 31)

loop:
	ENCODE_ALL(VPCMPGTD, VPADDD)
	NEXT
	JNZ  loop
	VZEROUPPER
	RET

// func encodeAll64(dst, src unsafe.Pointer, vectors int, c unsafe.Pointer)
TEXT ·encodeAll64(SB), NOSPLIT, $0-32
	BEGIN
	CONSTANTS(VPBROADCASTQ, 8, VPCMPEQQ, VPSLLQ, VPSRLQ, 63)

loop:
	ENCODE_ALL(VPCMPGTQ, VPADDQ)
	NEXT
	JNZ  loop
	VZEROUPPER
	RET

// func decode32(dst, src unsafe.Pointer, vectors int, c unsafe.Pointer)
TEXT ·decode32(SB), NOSPLIT, $0-32
	BEGIN
	CONSTANTS(VPBROADCASTD, 4, VPCMPEQD, VPSLLD, VPSRLD, 31)

loop:
	DECODE(VPCMPGTD, VPSUBD)
	NEXT
	JNZ  loop
	VZEROUPPER
	RET

// func decode64(dst, src unsafe.Pointer, vectors int, c unsafe.Pointer)
TEXT ·decode64(SB), NOSPLIT, $0-32
	BEGIN
	CONSTANTS(VPBROADCASTQ, 8, VPCMPEQQ, VPSLLQ, VPSRLQ, 63)

loop:
	DECODE(VPCMPGTQ, VPSUBQ)
	NEXT
	JNZ  loop
	VZEROUPPER
	RET

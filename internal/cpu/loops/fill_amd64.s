#include "textflag.h"

// Puts codes, or codes and their numbers, into the buffers of their buckets. Shifts are those of BMI2: a
// shift by CL takes three steps on Intel's processors.
//
// AX code, BX cell and bucket, CX shift, DX place, SI codes, DI number of the code, R8 buffers, R9 least
// code, R10 table, R11 next places, R12 the end of the codes, R13 places, R14 mask, R15 buffers of numbers.
// Cells and buckets are masked as in Go: keys that change during a sort have any.

#define ARGUMENTS(SCALE) \
	MOVQ codes+0(FP), SI; \
	MOVQ n+8(FP), R12; \
	MOVQ least+16(FP), R9; \
	MOVQ shift+24(FP), CX; \
	MOVQ table+32(FP), R10; \
	MOVQ next+40(FP), R11; \
	MOVQ buf+48(FP), R8; \
	MOVQ places+56(FP), R13; \
	MOVQ mask+64(FP), R14; \
	LEAQ (SI)(R12*SCALE), R12

#define NUMBERS \
	MOVQ indices+72(FP), R15; \
	MOVQ first+80(FP), DI

#define PLACE \
	SHRXQ   CX, BX, BX; \
	ANDL    $((1<<18)-1), BX; \
	MOVWLZX (R10)(BX*2), BX; \
	ANDL    $((1<<13)-1), BX; \
	MOVL    (R11)(BX*4), DX; \
	CMPQ    DX, R13; \
	JAE     changed

#define CODE32 \
	MOVL (SI), AX; \
	MOVL AX, BX; \
	SUBL R9, BX; \
	PLACE; \
	MOVL AX, (R8)(DX*4)

#define CODE64 \
	MOVQ (SI), AX; \
	MOVQ AX, BX; \
	SUBQ R9, BX; \
	PLACE; \
	MOVQ AX, (R8)(DX*8)

#define NUMBER \
	MOVL DI, (R15)(DX*4); \
	INCL DI

#define NONE

// LOOP returns the codes left in LEFT and the bucket in K.
#define LOOP(CODE, NUMBER, SCALE, LOG, LEFT, K) \
loop: \
	CODE; \
	NUMBER; \
	ADDQ  $SCALE, SI; \
	INCL  DX; \
	MOVL  DX, (R11)(BX*4); \
	TESTL R14, DX; \
	JZ    full; \
	CMPQ  SI, R12; \
	JNE   loop; \
	MOVQ  $-1, LEFT; \
	MOVL  $0, K; \
	RET; \
full: \
	SUBQ  SI, R12; \
	SHRQ  $LOG, R12; \
	MOVQ  R12, LEFT; \
	MOVL  BX, K; \
	RET; \
changed: \
	MOVQ  $-2, LEFT; \
	MOVL  $0, K; \
	RET

// func fill32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64) (left int, k uint32)
TEXT ·fill32(SB), NOSPLIT, $0-84
	ARGUMENTS(4)
	LOOP(CODE32, NONE, 4, 2, left+72(FP), k+80(FP))

// func fill64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64) (left int, k uint32)
TEXT ·fill64(SB), NOSPLIT, $0-84
	ARGUMENTS(8)
	LOOP(CODE64, NONE, 8, 3, left+72(FP), k+80(FP))

// func fillIndices32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64, indices unsafe.Pointer, first uint64) (left int, k uint32)
TEXT ·fillIndices32(SB), NOSPLIT, $0-100
	ARGUMENTS(4)
	NUMBERS
	LOOP(CODE32, NUMBER, 4, 2, left+88(FP), k+96(FP))

// func fillIndices64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64, indices unsafe.Pointer, first uint64) (left int, k uint32)
TEXT ·fillIndices64(SB), NOSPLIT, $0-100
	ARGUMENTS(8)
	NUMBERS
	LOOP(CODE64, NUMBER, 8, 3, left+88(FP), k+96(FP))

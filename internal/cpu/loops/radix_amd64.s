#include "textflag.h"

// Passes of a radix sort, which take two thirds of the time of the compiler's loops: a counter is added
// to in memory, and shifts leave the flags alone (BMI2).
//
// SI source, CX its end, R9 lowest code, R10 and R11 shifts, R12 mask of a digit, R8 counters or places
// by digit, R13 counters of the second digit, AX code, BX and DX digits and places.

// DIGIT32 and DIGIT64 load a code and find its digit from bit R10 on, in BX.
#define DIGIT32(AT) \
	MOVL  AT(SI), AX; \
	MOVL  AX, BX; \
	SUBL  R9, BX; \
	SHRXL R10, BX, BX; \
	ANDL  R12, BX

#define DIGIT64(AT) \
	MOVQ  AT(SI), AX; \
	MOVQ  AX, BX; \
	SUBQ  R9, BX; \
	SHRXQ R10, BX, BX; \
	ANDL  R12, BX

// PLACE takes the next place of digit BX.
#define PLACE \
	MOVL (R8)(BX*4), DX; \
	INCL (R8)(BX*4)

#define MOVE32(AT) DIGIT32(AT); PLACE; MOVL AX, (DI)(DX*4)
#define MOVE64(AT) DIGIT64(AT); PLACE; MOVQ AX, (DI)(DX*8)

// COUNT counts the digits of the bits in AX.
#define COUNT \
	SHRXQ R11, AX, BX; \
	ANDL  R12, AX; \
	ANDL  R12, BX; \
	INCL  (R8)(AX*4); \
	INCL  (R13)(BX*4)

#define COUNT32(AT) \
	MOVL  AT(SI), AX; \
	SUBL  R9, AX; \
	SHRXQ R10, AX, AX; \
	COUNT

#define COUNT64(AT) \
	MOVQ  AT(SI), AX; \
	SUBQ  R9, AX; \
	SHRXQ R10, AX, AX; \
	COUNT

#define SCATTERED(BYTES) \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	MOVQ next+24(FP), R8; \
	MOVQ lowest+32(FP), R9; \
	MOVQ shift+40(FP), R10; \
	MOVQ mask+48(FP), R12; \
	IMULQ $BYTES, CX; \
	ADDQ SI, CX; \
	LEAQ (-4*BYTES)(CX), R15

#define COUNTED(BYTES) \
	MOVQ src+0(FP), SI; \
	MOVQ n+8(FP), CX; \
	MOVQ first+16(FP), R8; \
	MOVQ second+24(FP), R13; \
	MOVQ lowest+32(FP), R9; \
	MOVQ low+40(FP), R10; \
	MOVQ digit+48(FP), R11; \
	MOVQ mask+56(FP), R12; \
	IMULQ $BYTES, CX; \
	ADDQ SI, CX; \
	LEAQ (-2*BYTES)(CX), R15

// The words of an order: DI words, DX place, R14 bits that codes lose.
#define BUILDING(BYTES) \
	MOVQ words+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	MOVQ first+24(FP), R8; \
	MOVQ second+32(FP), R13; \
	MOVQ lowest+40(FP), R9; \
	MOVQ drop+48(FP), R14; \
	MOVQ low+56(FP), R10; \
	MOVQ digit+64(FP), R11; \
	MOVQ mask+72(FP), R12; \
	XORL DX, DX

// func scatter32(dst, src unsafe.Pointer, n int, next *uint32, lowest, shift, mask uint64)
TEXT ·scatter32(SB), NOSPLIT, $0-56
	SCATTERED(4)
	JMP four

loop:
	MOVE32(0)
	MOVE32(4)
	MOVE32(8)
	MOVE32(12)
	ADDQ $16, SI

four:
	CMPQ SI, R15
	JLS  loop
	JMP  test

one:
	MOVE32(0)
	ADDQ $4, SI

test:
	CMPQ SI, CX
	JCS  one
	RET

// func scatter64(dst, src unsafe.Pointer, n int, next *uint32, lowest, shift, mask uint64)
TEXT ·scatter64(SB), NOSPLIT, $0-56
	SCATTERED(8)
	JMP four

loop:
	MOVE64(0)
	MOVE64(8)
	MOVE64(16)
	MOVE64(24)
	ADDQ $32, SI

four:
	CMPQ SI, R15
	JLS  loop
	JMP  test

one:
	MOVE64(0)
	ADDQ $8, SI

test:
	CMPQ SI, CX
	JCS  one
	RET

// func digits32(src unsafe.Pointer, n int, first, second *uint32, lowest, low, digit, mask uint64)
TEXT ·digits32(SB), NOSPLIT, $0-64
	COUNTED(4)
	JMP two

loop:
	COUNT32(0)
	COUNT32(4)
	ADDQ $8, SI

two:
	CMPQ SI, R15
	JLS  loop
	CMPQ SI, CX
	JCC  done
	COUNT32(0)

done:
	RET

// func digits64(src unsafe.Pointer, n int, first, second *uint32, lowest, low, digit, mask uint64)
TEXT ·digits64(SB), NOSPLIT, $0-64
	COUNTED(8)
	JMP two

loop:
	COUNT64(0)
	COUNT64(8)
	ADDQ $16, SI

two:
	CMPQ SI, R15
	JLS  loop
	CMPQ SI, CX
	JCC  done
	COUNT64(0)

done:
	RET

// BUILD stores the word of offset AX and counts its digits.
#define BUILD \
	SHRXQ R14, AX, AX; \
	MOVQ  AX, BX; \
	SHLQ  $32, BX; \
	ORQ   DX, BX; \
	MOVQ  BX, (DI)(DX*8); \
	SHRXQ R10, AX, AX; \
	COUNT; \
	INCQ  DX

// func build32(words *uint64, src unsafe.Pointer, n int, first, second *uint32, lowest, drop, low, digit, mask uint64)
TEXT ·build32(SB), NOSPLIT, $0-80
	BUILDING(4)

loop:
	MOVL (SI)(DX*4), AX
	SUBL R9, AX
	BUILD
	CMPQ DX, CX
	JCS  loop
	RET

// func build64(words *uint64, src unsafe.Pointer, n int, first, second *uint32, lowest, drop, low, digit, mask uint64)
TEXT ·build64(SB), NOSPLIT, $0-80
	BUILDING(8)

loop:
	MOVQ (SI)(DX*8), AX
	SUBQ R9, AX
	BUILD
	CMPQ DX, CX
	JCS  loop
	RET

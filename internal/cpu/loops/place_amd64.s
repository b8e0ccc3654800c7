#include "textflag.h"

// Moves elements of one size and their codes to their buckets. A store that misses the caches delays
// all stores after it. So each store asks for the line after its own in the same bucket, with the
// intent to write: PREFETCHW, which the assembler does not know. Processors without it do nothing.
//
// AX code, BX cell, bucket, then offset of the element; CX shift; DX place; SI codes, DI dst,
// R8 dstCodes, R9 least code, R10 table, R11 next, R12 src, R13 elements left, R14 places.
// Cells and buckets are masked as in Go: keys that change during a sort have any.

#define ARGUMENTS(SOURCE) \
	MOVQ codes+0(FP), SI; \
	MOVQ n+8(FP), R13; \
	MOVQ least+16(FP), R9; \
	MOVQ shift+24(FP), CX; \
	MOVQ table+32(FP), R10; \
	MOVQ next+40(FP), R11; \
	MOVQ SOURCE+48(FP), R12; \
	MOVQ dst+56(FP), DI; \
	MOVQ dstCodes+64(FP), R8; \
	MOVQ places+72(FP), R14

// PLACE turns a cell into the place that an element takes.
#define PLACE \
	ANDL    $((1<<18)-1), BX; \
	MOVWLZX (R10)(BX*2), BX; \
	ANDL    $((1<<13)-1), BX; \
	MOVL    (R11)(BX*4), DX; \
	CMPQ    DX, R14; \
	JAE     changed; \
	LEAL    1(DX), R15; \
	MOVL    R15, (R11)(BX*4)

// CODE32 moves a code, and asks for 64(R8)(DX*4).
#define CODE32 \
	MOVL (SI), AX; \
	ADDQ $4, SI; \
	MOVL AX, BX; \
	SUBL R9, BX; \
	SHRQ CX, BX; \
	PLACE; \
	MOVL AX, (R8)(DX*4); \
	LONG $0x4C0D0F41; BYTE $0x90; BYTE $64

// CODE64 moves a code, and asks for 64(R8)(DX*8).
#define CODE64 \
	MOVQ (SI), AX; \
	ADDQ $8, SI; \
	MOVQ AX, BX; \
	SUBQ R9, BX; \
	SHRQ CX, BX; \
	PLACE; \
	MOVQ AX, (R8)(DX*8); \
	LONG $0x4C0D0F41; BYTE $0xD0; BYTE $64

// NEXT finds an element's offset, and asks for 64(DI)(BX*1).
#define NEXT(SIZE) \
	IMUL3Q $SIZE, DX, BX; \
	LONG   $0x1F4C0D0F; BYTE $64

#define WORD(AT) \
	MOVQ AT(R12), AX; \
	MOVQ AX, AT(DI)(BX*1)

#define WORDS(AT) \
	MOVOU AT(R12), X0; \
	MOVOU X0, AT(DI)(BX*1)

#define MOVE8 NEXT(8); WORD(0); ADDQ $8, R12
#define MOVE16 NEXT(16); WORDS(0); ADDQ $16, R12
#define MOVE24 NEXT(24); WORDS(0); WORD(16); ADDQ $24, R12
#define MOVE32 NEXT(32); WORDS(0); WORDS(16); ADDQ $32, R12
#define MOVE40 NEXT(40); WORDS(0); WORDS(16); WORD(32); ADDQ $40, R12
#define MOVE48 NEXT(48); WORDS(0); WORDS(16); WORDS(32); ADDQ $48, R12

// LINE stores an element past the caches.
#define LINE \
	SHLQ       $6, DX; \
	PREFETCHT0 4096(R12); \
	MOVOU      (R12), X0; \
	MOVOU      16(R12), X1; \
	MOVOU      32(R12), X2; \
	MOVOU      48(R12), X3; \
	MOVNTO     X0, (DI)(DX*1); \
	MOVNTO     X1, 16(DI)(DX*1); \
	MOVNTO     X2, 32(DI)(DX*1); \
	MOVNTO     X3, 48(DI)(DX*1); \
	ADDQ       $64, R12

// LINE512 is LINE by one load and one store.
#define LINE512 \
	SHLQ       $6, DX; \
	PREFETCHT0 4096(R12); \
	VMOVDQU64  (R12), Z16; \
	VMOVNTDQ   Z16, (DI)(DX*1); \
	ADDQ       $64, R12

// INDEX moves the number R12 of an element, and asks for 64(DI)(DX*4).
#define INDEX \
	MOVL R12, (DI)(DX*4); \
	INCL R12; \
	LONG $0x974C0D0F; BYTE $64

#define LOOP(CODE, SOURCE, MOVE) \
	ARGUMENTS(SOURCE); \
loop: \
	CODE; \
	MOVE; \
	DECQ R13; \
	JNZ  loop; \
	MOVB $1, ok+80(FP); \
	RET; \
changed: \
	MOVB $0, ok+80(FP); \
	RET

// func place8x32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·place8x32(SB), NOSPLIT, $0-81
	LOOP(CODE32, src, MOVE8)

// func place16x32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·place16x32(SB), NOSPLIT, $0-81
	LOOP(CODE32, src, MOVE16)

// func place24x32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·place24x32(SB), NOSPLIT, $0-81
	LOOP(CODE32, src, MOVE24)

// func place32x32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·place32x32(SB), NOSPLIT, $0-81
	LOOP(CODE32, src, MOVE32)

// func place40x32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·place40x32(SB), NOSPLIT, $0-81
	LOOP(CODE32, src, MOVE40)

// func place48x32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·place48x32(SB), NOSPLIT, $0-81
	LOOP(CODE32, src, MOVE48)

// func placeLines32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·placeLines32(SB), NOSPLIT, $0-81
	LOOP(CODE32, src, LINE)

// func placeWholeLines32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·placeWholeLines32(SB), NOSPLIT, $0-81
	LOOP(CODE32, src, LINE512)

// func place8x64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·place8x64(SB), NOSPLIT, $0-81
	LOOP(CODE64, src, MOVE8)

// func place16x64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·place16x64(SB), NOSPLIT, $0-81
	LOOP(CODE64, src, MOVE16)

// func place24x64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·place24x64(SB), NOSPLIT, $0-81
	LOOP(CODE64, src, MOVE24)

// func place32x64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·place32x64(SB), NOSPLIT, $0-81
	LOOP(CODE64, src, MOVE32)

// func place40x64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·place40x64(SB), NOSPLIT, $0-81
	LOOP(CODE64, src, MOVE40)

// func place48x64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·place48x64(SB), NOSPLIT, $0-81
	LOOP(CODE64, src, MOVE48)

// func placeLines64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·placeLines64(SB), NOSPLIT, $0-81
	LOOP(CODE64, src, LINE)

// func placeWholeLines64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·placeWholeLines64(SB), NOSPLIT, $0-81
	LOOP(CODE64, src, LINE512)

// func placeIndices32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, first uint64, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·placeIndices32(SB), NOSPLIT, $0-81
	LOOP(CODE32, first, INDEX)

// func placeIndices64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, first uint64, dst, dstCodes unsafe.Pointer, places int) (ok bool)
TEXT ·placeIndices64(SB), NOSPLIT, $0-81
	LOOP(CODE64, first, INDEX)

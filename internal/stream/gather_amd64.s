#include "textflag.h"

// Gathers elements past the caches: dst[i] = src[index[i]]. Each turn also prefetches elements that are
// gathered 128 later into the second-level cache, which allows more misses at a time than the first.
// Stores of 16 bytes, one after another, fill a line before it is written.
//
// DI dst, SI src, DX index, CX elements left, R10 elements of src; AX, BX, R8, R9 offsets.

#define ARGUMENTS \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ index+16(FP), DX; \
	MOVQ n+24(FP), CX; \
	MOVQ elements+32(FP), R10

#define WORDS(FROM, TO) \
	MOVOU  FROM(SI)(AX*1), X0; \
	MOVNTO X0, TO(DI)

#define OFFSETS(SIZE) \
	MOVL   (DX), AX; \
	CMPQ   AX, R10; \
	JAE    stop; \
	IMUL3Q $SIZE, AX, AX; \
	MOVL   512(DX), BX; \
	IMUL3Q $SIZE, BX, BX

#define PAIR(SIZE) \
	MOVL   (DX), AX; \
	CMPQ   AX, R10; \
	JAE    stop; \
	IMUL3Q $SIZE, AX, AX; \
	MOVL   4(DX), BX; \
	CMPQ   BX, R10; \
	JAE    stop; \
	IMUL3Q $SIZE, BX, BX; \
	MOVL   512(DX), R8; \
	IMUL3Q $SIZE, R8, R8; \
	MOVL   516(DX), R9; \
	IMUL3Q $SIZE, R9, R9

#define NEXT(COUNT, BYTES) \
	ADDQ $BYTES, DI; \
	ADDQ $(4*COUNT), DX; \
	SUBQ $COUNT, CX; \
	JNZ  loop; \
stop: \
	MOVQ n+24(FP), AX; \
	SUBQ CX, AX; \
	MOVQ AX, done+40(FP); \
	RET

// func gather16(dst, src unsafe.Pointer, index *uint32, n, elements int) (done int)
TEXT ·gather16(SB), NOSPLIT, $0-48
	ARGUMENTS

loop:
	OFFSETS(16)
	PREFETCHT1 (SI)(BX*1)
	WORDS(0, 0)
	NEXT(1, 16)

// func gather24(dst, src unsafe.Pointer, index *uint32, n, elements int) (done int)
TEXT ·gather24(SB), NOSPLIT, $0-48
	ARGUMENTS

loop:
	PAIR(24)
	PREFETCHT1 (SI)(R8*1)
	PREFETCHT1 16(SI)(R8*1)
	PREFETCHT1 (SI)(R9*1)
	PREFETCHT1 16(SI)(R9*1)
	WORDS(0, 0)
	MOVQ       16(SI)(AX*1), X1
	MOVHPS     (SI)(BX*1), X1
	MOVOU      8(SI)(BX*1), X2
	MOVNTO     X1, 16(DI)
	MOVNTO     X2, 32(DI)
	NEXT(2, 48)

// func gather32(dst, src unsafe.Pointer, index *uint32, n, elements int) (done int)
TEXT ·gather32(SB), NOSPLIT, $0-48
	ARGUMENTS

loop:
	OFFSETS(32)
	PREFETCHT1 (SI)(BX*1)
	PREFETCHT1 16(SI)(BX*1)
	WORDS(0, 0)
	WORDS(16, 16)
	NEXT(1, 32)

// func gather40(dst, src unsafe.Pointer, index *uint32, n, elements int) (done int)
TEXT ·gather40(SB), NOSPLIT, $0-48
	ARGUMENTS

loop:
	PAIR(40)
	PREFETCHT1 (SI)(R8*1)
	PREFETCHT1 32(SI)(R8*1)
	PREFETCHT1 (SI)(R9*1)
	PREFETCHT1 32(SI)(R9*1)
	WORDS(0, 0)
	WORDS(16, 16)
	MOVQ       32(SI)(AX*1), X1
	MOVHPS     (SI)(BX*1), X1
	MOVOU      8(SI)(BX*1), X2
	MOVOU      24(SI)(BX*1), X3
	MOVNTO     X1, 32(DI)
	MOVNTO     X2, 48(DI)
	MOVNTO     X3, 64(DI)
	NEXT(2, 80)

// func gather48(dst, src unsafe.Pointer, index *uint32, n, elements int) (done int)
TEXT ·gather48(SB), NOSPLIT, $0-48
	ARGUMENTS

loop:
	OFFSETS(48)
	PREFETCHT1 (SI)(BX*1)
	PREFETCHT1 32(SI)(BX*1)
	WORDS(0, 0)
	WORDS(16, 16)
	WORDS(32, 32)
	NEXT(1, 48)

// func gather64(dst, src unsafe.Pointer, index *uint32, n, elements int) (done int)
TEXT ·gather64(SB), NOSPLIT, $0-48
	ARGUMENTS

loop:
	OFFSETS(64)
	PREFETCHT1 (SI)(BX*1)
	PREFETCHT1 48(SI)(BX*1)
	MOVOU      (SI)(AX*1), X0
	MOVOU      16(SI)(AX*1), X1
	MOVOU      32(SI)(AX*1), X2
	MOVOU      48(SI)(AX*1), X3
	MOVNTO     X0, (DI)
	MOVNTO     X1, 16(DI)
	MOVNTO     X2, 32(DI)
	MOVNTO     X3, 48(DI)
	NEXT(1, 64)

#include "textflag.h"

// Writes the places of the bits that are 0. The table has those of a byte, as bytes, the first in the
// lowest: AVX2 widens them, and the next byte's follow after as many as the byte has.

// BYTE8 writes the places of the bits of the lowest byte of AX.
#define BYTE8 \
	MOVBLZX   AL, BX; \
	VPMOVZXBD (R9)(BX*8), Y0; \
	VPADDD    Y15, Y0, Y0; \
	VMOVDQU   Y0, (DI)(DX*4); \
	POPCNTL   BX, BX; \
	ADDQ      BX, DX; \
	VPADDD    Y14, Y15, Y15

// NEXT8 writes those of the byte above it.
#define NEXT8 \
	SHRQ $8, AX; \
	BYTE8

// func zeroPlaces(places *uint32, room int, set *uint64, words int, lo uint32, table *[256]uint64) (k, done int)
TEXT ·zeroPlaces(SB), NOSPLIT, $0-64
	MOVQ         places+0(FP), DI
	MOVQ         room+8(FP), R8
	SUBQ         $64, R8        // the last number of places from which a word may begin
	MOVQ         set+16(FP), SI
	MOVQ         words+24(FP), CX
	MOVL         lo+32(FP), AX
	MOVQ         AX, X15
	VPBROADCASTD X15, Y15
	MOVL         $8, AX
	MOVQ         AX, X14
	VPBROADCASTD X14, Y14
	MOVQ         table+40(FP), R9
	XORL         DX, DX
	XORL         R10, R10

loop:
	CMPQ DX, R8
	JGT  done
	MOVQ (SI)(R10*8), AX
	NOTQ AX
	BYTE8
	NEXT8
	NEXT8
	NEXT8
	NEXT8
	NEXT8
	NEXT8
	NEXT8
	INCQ R10
	CMPQ R10, CX
	JLT  loop

done:
	MOVQ DX, k+48(FP)
	MOVQ R10, done+56(FP)
	VZEROUPPER
	RET

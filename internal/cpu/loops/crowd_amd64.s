#include "textflag.h"

// Parts 64-bit codes that equal a given one from the others, four at a time: a permutation of AVX2 brings
// the others of a vector together, and the next ones overwrite what follows them.

// func partCrowd64(codes *uint64, turns int, code uint64, moves *[16]uint64, sets *[256]uint64, places, others *uint32, own *uint64) (crowded int)
TEXT ·partCrowd64(SB), NOSPLIT, $0-72
	MOVQ         codes+0(FP), SI
	MOVQ         turns+8(FP), CX
	VPBROADCASTQ code+16(FP), Y15
	MOVQ         moves+24(FP), R9
	MOVQ         sets+32(FP), R10
	MOVQ         places+40(FP), DI
	MOVQ         others+48(FP), R11
	MOVQ         own+56(FP), R12
	VPXOR        X14, X14, X14 // the place of the first code of the vector, in each lane
	MOVL         $4, AX
	MOVQ         AX, X13
	VPBROADCASTD X13, X13
	XORL         DX, DX        // codes that are the given one
	XORL         R8, R8        // others

loop:
	VMOVDQU   (SI), Y0
	VPCMPEQQ  Y0, Y15, Y1
	VMOVMSKPD Y1, AX
	MOVL      AX, BX
	XORL      $15, BX
	VPMOVZXBD (R9)(BX*8), Y2
	VPERMD    Y0, Y2, Y2
	VMOVDQU   Y2, (R12)(R8*8)
	VPMOVZXBD (R10)(BX*8), X3
	VPADDD    X14, X3, X3
	VMOVDQU   X3, (R11)(R8*4)
	VPMOVZXBD (R10)(AX*8), X4
	VPADDD    X14, X4, X4
	VMOVDQU   X4, (DI)(DX*4)
	VPADDD    X13, X14, X14
	POPCNTL   AX, AX
	ADDQ      AX, DX
	SUBQ      AX, R8
	ADDQ      $4, R8
	ADDQ      $32, SI
	DECQ      CX
	JNZ       loop
	MOVQ      DX, crowded+64(FP)
	VZEROUPPER
	RET

#include "textflag.h"

// The survey in AVX2: each iteration loads one vector of words and the vector of their
// predecessors. Y7 holds flip, Y8 the minimum of each lane, Y9 the maximum. Y10 and Y11 count
// by lane: survey32 counts down the codes that are >= and == their predecessors; survey64 counts
// the codes that are < and > them.

// func survey32(words *uint32, vectors int, flip uint32, found *[4][8]uint32)
TEXT ·survey32(SB), NOSPLIT, $0-32
	MOVQ         words+0(FP), SI
	MOVQ         vectors+8(FP), CX
	MOVL         flip+16(FP), AX
	MOVQ         AX, X7
	VPBROADCASTD X7, Y7
	MOVQ         found+24(FP), DI
	VPXOR        (SI), Y7, Y8
	VMOVDQA      Y8, Y9
	VPXOR        Y10, Y10, Y10
	VPXOR        Y11, Y11, Y11

loop:
	VPXOR    4(SI), Y7, Y0
	VPXOR    (SI), Y7, Y1
	VPMINUD  Y0, Y8, Y8
	VPMAXUD  Y0, Y9, Y9
	VPCMPEQD Y0, Y1, Y2
	VPMAXUD  Y0, Y1, Y1
	VPCMPEQD Y0, Y1, Y1
	VPADDD   Y2, Y11, Y11
	VPADDD   Y1, Y10, Y10
	ADDQ     $32, SI
	DECQ     CX
	JNZ      loop
	VMOVDQU  Y8, (DI)
	VMOVDQU  Y9, 32(DI)
	VMOVDQU  Y10, 64(DI)
	VMOVDQU  Y11, 96(DI)
	VZEROUPPER
	RET

// func survey64(words *uint64, vectors int, flip uint64, found *[4][4]uint64)
// Codes are compared as signed numbers with their top bits flipped.
TEXT ·survey64(SB), NOSPLIT, $0-32
	MOVQ         words+0(FP), SI
	MOVQ         vectors+8(FP), CX
	VPBROADCASTQ flip+16(FP), Y7
	MOVQ         found+24(FP), DI
	VPCMPEQQ     Y6, Y6, Y6
	VPSLLQ       $63, Y6, Y6
	VPXOR        Y6, Y7, Y7
	VPXOR        (SI), Y7, Y8
	VMOVDQA      Y8, Y9
	VPXOR        Y10, Y10, Y10
	VPXOR        Y11, Y11, Y11

loop:
	VPXOR     8(SI), Y7, Y0
	VPXOR     (SI), Y7, Y1
	VPCMPGTQ  Y0, Y1, Y2
	VPCMPGTQ  Y1, Y0, Y3
	VPSUBQ    Y2, Y10, Y10
	VPSUBQ    Y3, Y11, Y11
	VPCMPGTQ  Y0, Y8, Y2
	VPCMPGTQ  Y9, Y0, Y3
	VPBLENDVB Y2, Y0, Y8, Y8
	VPBLENDVB Y3, Y0, Y9, Y9
	ADDQ      $32, SI
	DECQ      CX
	JNZ       loop
	VPXOR     Y6, Y8, Y8
	VPXOR     Y6, Y9, Y9
	VMOVDQU   Y8, (DI)
	VMOVDQU   Y9, 32(DI)
	VMOVDQU   Y10, 64(DI)
	VMOVDQU   Y11, 96(DI)
	VZEROUPPER
	RET

// Falls by vector instructions: bit i of the result is set if code i+1 is below code i. Y7 holds
// flip. Each iteration compares 8 codes with their predecessors and stores 8 bits.

// func falls32(words *uint32, bytes int, flip uint32, found *uint64)
TEXT ·falls32(SB), NOSPLIT, $0-32
	MOVQ         words+0(FP), SI
	MOVQ         bytes+8(FP), CX
	MOVL         flip+16(FP), AX
	MOVQ         AX, X7
	VPBROADCASTD X7, Y7
	MOVQ         found+24(FP), DI

loop:
	VPXOR     4(SI), Y7, Y0
	VPXOR     (SI), Y7, Y1
	VPMAXUD   Y0, Y1, Y1
	VPCMPEQD  Y0, Y1, Y1
	VMOVMSKPS Y1, AX
	NOTL      AX
	MOVB      AX, (DI)
	ADDQ      $32, SI
	INCQ      DI
	DECQ      CX
	JNZ       loop
	VZEROUPPER
	RET

// func falls64(words *uint64, bytes int, flip uint64, found *uint64)
// Codes are compared as signed numbers with their top bits flipped.
TEXT ·falls64(SB), NOSPLIT, $0-32
	MOVQ         words+0(FP), SI
	MOVQ         bytes+8(FP), CX
	VPBROADCASTQ flip+16(FP), Y7
	MOVQ         found+24(FP), DI
	VPCMPEQQ     Y6, Y6, Y6
	VPSLLQ       $63, Y6, Y6
	VPXOR        Y6, Y7, Y7

loop:
	VPXOR     8(SI), Y7, Y0
	VPXOR     (SI), Y7, Y1
	VPXOR     40(SI), Y7, Y2
	VPXOR     32(SI), Y7, Y3
	VPCMPGTQ  Y0, Y1, Y0
	VPCMPGTQ  Y2, Y3, Y2
	VMOVMSKPD Y0, AX
	VMOVMSKPD Y2, DX
	SHLL      $4, DX
	ORL       DX, AX
	MOVB      AX, (DI)
	ADDQ      $64, SI
	INCQ      DI
	DECQ      CX
	JNZ       loop
	VZEROUPPER
	RET

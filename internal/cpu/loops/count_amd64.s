#include "textflag.h"

// Counts the words that equal one of four values in AVX2, two vectors per iteration. Y4…Y7
// hold the values. Y8…Y11 count down the words of each lane that equal them.

// func count32(words *uint32, turns int, values *[4]uint32, counts *[4][8]uint32)
TEXT ·count32(SB), NOSPLIT, $0-32
	MOVQ         words+0(FP), SI
	MOVQ         turns+8(FP), CX
	MOVQ         values+16(FP), AX
	MOVQ         counts+24(FP), DI
	VPBROADCASTD (AX), Y4
	VPBROADCASTD 4(AX), Y5
	VPBROADCASTD 8(AX), Y6
	VPBROADCASTD 12(AX), Y7
	VPXOR        Y8, Y8, Y8
	VPXOR        Y9, Y9, Y9
	VPXOR        Y10, Y10, Y10
	VPXOR        Y11, Y11, Y11

loop:
	VMOVDQU  (SI), Y0
	VMOVDQU  32(SI), Y1
	VPCMPEQD Y0, Y4, Y2
	VPCMPEQD Y1, Y4, Y3
	VPADDD   Y2, Y8, Y8
	VPADDD   Y3, Y8, Y8
	VPCMPEQD Y0, Y5, Y2
	VPCMPEQD Y1, Y5, Y3
	VPADDD   Y2, Y9, Y9
	VPADDD   Y3, Y9, Y9
	VPCMPEQD Y0, Y6, Y2
	VPCMPEQD Y1, Y6, Y3
	VPADDD   Y2, Y10, Y10
	VPADDD   Y3, Y10, Y10
	VPCMPEQD Y0, Y7, Y2
	VPCMPEQD Y1, Y7, Y3
	VPADDD   Y2, Y11, Y11
	VPADDD   Y3, Y11, Y11
	ADDQ     $64, SI
	DECQ     CX
	JNZ      loop
	VMOVDQU  Y8, (DI)
	VMOVDQU  Y9, 32(DI)
	VMOVDQU  Y10, 64(DI)
	VMOVDQU  Y11, 96(DI)
	VZEROUPPER
	RET

// func count64(words *uint64, turns int, values *[4]uint64, counts *[4][4]uint64)
TEXT ·count64(SB), NOSPLIT, $0-32
	MOVQ         words+0(FP), SI
	MOVQ         turns+8(FP), CX
	MOVQ         values+16(FP), AX
	MOVQ         counts+24(FP), DI
	VPBROADCASTQ (AX), Y4
	VPBROADCASTQ 8(AX), Y5
	VPBROADCASTQ 16(AX), Y6
	VPBROADCASTQ 24(AX), Y7
	VPXOR        Y8, Y8, Y8
	VPXOR        Y9, Y9, Y9
	VPXOR        Y10, Y10, Y10
	VPXOR        Y11, Y11, Y11

loop:
	VMOVDQU  (SI), Y0
	VMOVDQU  32(SI), Y1
	VPCMPEQQ Y0, Y4, Y2
	VPCMPEQQ Y1, Y4, Y3
	VPADDQ   Y2, Y8, Y8
	VPADDQ   Y3, Y8, Y8
	VPCMPEQQ Y0, Y5, Y2
	VPCMPEQQ Y1, Y5, Y3
	VPADDQ   Y2, Y9, Y9
	VPADDQ   Y3, Y9, Y9
	VPCMPEQQ Y0, Y6, Y2
	VPCMPEQQ Y1, Y6, Y3
	VPADDQ   Y2, Y10, Y10
	VPADDQ   Y3, Y10, Y10
	VPCMPEQQ Y0, Y7, Y2
	VPCMPEQQ Y1, Y7, Y3
	VPADDQ   Y2, Y11, Y11
	VPADDQ   Y3, Y11, Y11
	ADDQ     $64, SI
	DECQ     CX
	JNZ      loop
	VMOVDQU  Y8, (DI)
	VMOVDQU  Y9, 32(DI)
	VMOVDQU  Y10, 64(DI)
	VMOVDQU  Y11, 96(DI)
	VZEROUPPER
	RET

#include "textflag.h"

// What look finds, in AVX2, one vector of codes and one of their predecessors a
// turn. Y8 holds the lowest of each lane, Y9 the highest, Y10 minus the number of
// codes that are (32 bits), or plus the number of those that are not (64 bits), as
// high as their predecessors.

// func look32(codes *uint32, vectors int, found *[3][8]uint32)
TEXT ·look32(SB), NOSPLIT, $0-24
	MOVQ    codes+0(FP), SI
	MOVQ    vectors+8(FP), CX
	MOVQ    found+16(FP), DI
	VMOVDQU (SI), Y8
	VMOVDQA Y8, Y9
	VPXOR   Y10, Y10, Y10

loop:
	VMOVDQU  4(SI), Y0
	VPMINUD  Y0, Y8, Y8
	VPMAXUD  Y0, Y9, Y9
	VPMAXUD  (SI), Y0, Y1
	VPCMPEQD Y0, Y1, Y1
	VPADDD   Y1, Y10, Y10
	ADDQ     $32, SI
	DECQ     CX
	JNZ      loop
	VMOVDQU  Y8, (DI)
	VMOVDQU  Y9, 32(DI)
	VMOVDQU  Y10, 64(DI)
	VZEROUPPER
	RET

// func look64(codes *uint64, vectors int, found *[3][4]uint64)
// Codes are compared as signed numbers, their top bits flipped.
TEXT ·look64(SB), NOSPLIT, $0-24
	MOVQ     codes+0(FP), SI
	MOVQ     vectors+8(FP), CX
	MOVQ     found+16(FP), DI
	VPCMPEQQ Y7, Y7, Y7
	VPSLLQ   $63, Y7, Y7
	VPXOR    (SI), Y7, Y8
	VMOVDQA  Y8, Y9
	VPXOR    Y10, Y10, Y10

loop:
	VPXOR     8(SI), Y7, Y0
	VPXOR     (SI), Y7, Y1
	VPCMPGTQ  Y0, Y1, Y1
	VPSUBQ    Y1, Y10, Y10
	VPCMPGTQ  Y0, Y8, Y2
	VPBLENDVB Y2, Y0, Y8, Y8
	VPCMPGTQ  Y9, Y0, Y3
	VPBLENDVB Y3, Y0, Y9, Y9
	ADDQ      $32, SI
	DECQ      CX
	JNZ       loop
	VPXOR     Y7, Y8, Y8
	VPXOR     Y7, Y9, Y9
	VMOVDQU   Y8, (DI)
	VMOVDQU   Y9, 32(DI)
	VMOVDQU   Y10, 64(DI)
	VZEROUPPER
	RET

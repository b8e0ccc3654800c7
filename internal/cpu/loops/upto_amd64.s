#include "textflag.h"

// Compares 64 codes with a bound in AVX2, and packs the results into the bits of a word. There is
// no unsigned comparison: 32-bit codes equal their minimum with the bound if they do not exceed it,
// and 64-bit codes and bounds are compared as signed words with their sign bits flipped.

// func upTo32x64(codes *uint32, words int, most uint32, masks *uint64)
TEXT ·upTo32x64(SB), NOSPLIT, $0-32
	MOVQ         codes+0(FP), SI
	MOVQ         words+8(FP), CX
	MOVL         most+16(FP), AX
	MOVQ         AX, X15
	VPBROADCASTD X15, Y15
	MOVQ         masks+24(FP), DI

loop:
	VPMINUD   (SI), Y15, Y0
	VPCMPEQD  (SI), Y0, Y0
	VMOVMSKPS Y0, AX
	VPMINUD   32(SI), Y15, Y1
	VPCMPEQD  32(SI), Y1, Y1
	VMOVMSKPS Y1, DX
	SHLQ      $8, DX
	ORQ       DX, AX
	VPMINUD   64(SI), Y15, Y2
	VPCMPEQD  64(SI), Y2, Y2
	VMOVMSKPS Y2, R8
	SHLQ      $16, R8
	ORQ       R8, AX
	VPMINUD   96(SI), Y15, Y3
	VPCMPEQD  96(SI), Y3, Y3
	VMOVMSKPS Y3, BX
	SHLQ      $24, BX
	ORQ       BX, AX
	VPMINUD   128(SI), Y15, Y0
	VPCMPEQD  128(SI), Y0, Y0
	VMOVMSKPS Y0, DX
	SHLQ      $32, DX
	ORQ       DX, AX
	VPMINUD   160(SI), Y15, Y1
	VPCMPEQD  160(SI), Y1, Y1
	VMOVMSKPS Y1, R8
	SHLQ      $40, R8
	ORQ       R8, AX
	VPMINUD   192(SI), Y15, Y2
	VPCMPEQD  192(SI), Y2, Y2
	VMOVMSKPS Y2, BX
	SHLQ      $48, BX
	ORQ       BX, AX
	VPMINUD   224(SI), Y15, Y3
	VPCMPEQD  224(SI), Y3, Y3
	VMOVMSKPS Y3, DX
	SHLQ      $56, DX
	ORQ       DX, AX
	MOVQ      AX, (DI)
	ADDQ      $256, SI
	ADDQ      $8, DI
	DECQ      CX
	JNZ       loop
	VZEROUPPER
	RET

// func upTo64x64(codes *uint64, words int, most uint64, masks *uint64)
TEXT ·upTo64x64(SB), NOSPLIT, $0-32
	MOVQ         codes+0(FP), SI
	MOVQ         words+8(FP), CX
	MOVQ         most+16(FP), AX
	MOVQ         AX, X15
	VPBROADCASTQ X15, Y15
	MOVQ         masks+24(FP), DI
	VPCMPEQQ     Y14, Y14, Y14
	VPSLLQ       $63, Y14, Y14 // sign bits
	VPXOR        Y14, Y15, Y15

loop:
	VPXOR     (SI), Y14, Y0
	VPCMPGTQ  Y15, Y0, Y0
	VMOVMSKPD Y0, AX
	VPXOR     32(SI), Y14, Y1
	VPCMPGTQ  Y15, Y1, Y1
	VMOVMSKPD Y1, DX
	SHLQ      $4, DX
	ORQ       DX, AX
	VPXOR     64(SI), Y14, Y2
	VPCMPGTQ  Y15, Y2, Y2
	VMOVMSKPD Y2, R8
	SHLQ      $8, R8
	ORQ       R8, AX
	VPXOR     96(SI), Y14, Y3
	VPCMPGTQ  Y15, Y3, Y3
	VMOVMSKPD Y3, BX
	SHLQ      $12, BX
	ORQ       BX, AX
	VPXOR     128(SI), Y14, Y0
	VPCMPGTQ  Y15, Y0, Y0
	VMOVMSKPD Y0, DX
	SHLQ      $16, DX
	ORQ       DX, AX
	VPXOR     160(SI), Y14, Y1
	VPCMPGTQ  Y15, Y1, Y1
	VMOVMSKPD Y1, R8
	SHLQ      $20, R8
	ORQ       R8, AX
	VPXOR     192(SI), Y14, Y2
	VPCMPGTQ  Y15, Y2, Y2
	VMOVMSKPD Y2, BX
	SHLQ      $24, BX
	ORQ       BX, AX
	VPXOR     224(SI), Y14, Y3
	VPCMPGTQ  Y15, Y3, Y3
	VMOVMSKPD Y3, DX
	SHLQ      $28, DX
	ORQ       DX, AX
	VPXOR     256(SI), Y14, Y0
	VPCMPGTQ  Y15, Y0, Y0
	VMOVMSKPD Y0, R8
	SHLQ      $32, R8
	ORQ       R8, AX
	VPXOR     288(SI), Y14, Y1
	VPCMPGTQ  Y15, Y1, Y1
	VMOVMSKPD Y1, BX
	SHLQ      $36, BX
	ORQ       BX, AX
	VPXOR     320(SI), Y14, Y2
	VPCMPGTQ  Y15, Y2, Y2
	VMOVMSKPD Y2, DX
	SHLQ      $40, DX
	ORQ       DX, AX
	VPXOR     352(SI), Y14, Y3
	VPCMPGTQ  Y15, Y3, Y3
	VMOVMSKPD Y3, R8
	SHLQ      $44, R8
	ORQ       R8, AX
	VPXOR     384(SI), Y14, Y0
	VPCMPGTQ  Y15, Y0, Y0
	VMOVMSKPD Y0, BX
	SHLQ      $48, BX
	ORQ       BX, AX
	VPXOR     416(SI), Y14, Y1
	VPCMPGTQ  Y15, Y1, Y1
	VMOVMSKPD Y1, DX
	SHLQ      $52, DX
	ORQ       DX, AX
	VPXOR     448(SI), Y14, Y2
	VPCMPGTQ  Y15, Y2, Y2
	VMOVMSKPD Y2, R8
	SHLQ      $56, R8
	ORQ       R8, AX
	VPXOR     480(SI), Y14, Y3
	VPCMPGTQ  Y15, Y3, Y3
	VMOVMSKPD Y3, BX
	SHLQ      $60, BX
	ORQ       BX, AX
	NOTQ      AX
	MOVQ      AX, (DI)
	ADDQ      $512, SI
	ADDQ      $8, DI
	DECQ      CX
	JNZ       loop
	VZEROUPPER
	RET

#include "textflag.h"

// A split reads 64 bytes of codes, compresses those below the pivot to one end and those above it to
// another, and stores both whole: the ends move by the number of codes that count. The codes below
// never end after those that were read, so they may stay where they lie.

// func split32(codes *uint32, n int, pivot uint32, above *uint32) (less, more int)
TEXT ·split32(SB), NOSPLIT, $0-48
	MOVQ         codes+0(FP), SI
	MOVQ         n+8(FP), BX
	MOVL         pivot+16(FP), AX
	VPBROADCASTD AX, Z5
	MOVQ         above+24(FP), DI
	MOVQ         SI, R8 // end of the codes below the pivot
	MOVQ         DI, R9 // end of those above it
	SUBQ         $16, BX
	JLT          tail

loop:
	VMOVDQU32     (SI), Z0
	VPCMPUD       $1, Z5, Z0, K1 // codes below the pivot
	VPCMPUD       $6, Z5, Z0, K2 // codes above it
	VPCOMPRESSD.Z Z0, K1, Z1
	VPCOMPRESSD.Z Z0, K2, Z2
	KMOVW        K1, AX
	KMOVW        K2, DX
	POPCNTL      AX, AX
	POPCNTL      DX, DX
	VMOVDQU32     Z1, (R8) // up to the codes that were read
	VMOVDQU32     Z2, (R9)
	LEAQ         (R8)(AX*4), R8
	LEAQ         (R9)(DX*4), R9
	ADDQ         $64, SI
	SUBQ         $16, BX
	JGE          loop

tail:
	ADDQ         $16, BX
	JZ           done
	MOVL         $1, AX
	MOVQ         BX, CX
	SHLL         CX, AX
	DECL         AX
	KMOVW        AX, K3
	VMOVDQU32.Z   (SI), K3, Z0
	VPCMPUD       $1, Z5, Z0, K3, K1
	VPCMPUD       $6, Z5, Z0, K3, K2
	VPCOMPRESSD.Z Z0, K1, Z1
	VPCOMPRESSD.Z Z0, K2, Z2
	KMOVW        K1, AX
	KMOVW        K2, DX
	POPCNTL      AX, AX
	POPCNTL      DX, DX
	MOVL         $1, R10
	MOVQ         AX, CX
	SHLL         CX, R10
	DECL         R10
	KMOVW        R10, K1
	VMOVDQU32     Z1, K1, (R8)
	MOVL         $1, R10
	MOVQ         DX, CX
	SHLL         CX, R10
	DECL         R10
	KMOVW        R10, K2
	VMOVDQU32     Z2, K2, (R9)
	LEAQ         (R8)(AX*4), R8
	LEAQ         (R9)(DX*4), R9

done:
	SUBQ         codes+0(FP), R8
	SHRQ         $2, R8
	MOVQ         R8, less+32(FP)
	SUBQ         DI, R9
	SHRQ         $2, R9
	MOVQ         R9, more+40(FP)
	VZEROUPPER
	RET

// func place32(places, codes *uint32, n int)
TEXT ·place32(SB), NOSPLIT, $0-24
	MOVQ     places+0(FP), DI
	MOVQ     codes+8(FP), SI
	MOVQ     n+16(FP), BX
	VMOVDQU32 (SI), Z0
	VMOVDQU32 64(SI), Z1
	VMOVDQU32 128(SI), Z2
	VMOVDQU32 192(SI), Z3

loop:
	VPBROADCASTD (SI), Z4
	VPCMPUD       $1, Z4, Z0, K1
	VPCMPUD       $1, Z4, Z1, K2
	VPCMPUD       $1, Z4, Z2, K3
	VPCMPUD       $1, Z4, Z3, K4
	KMOVW        K1, AX
	KMOVW        K2, CX
	KMOVW        K3, DX
	KMOVW        K4, R8
	POPCNTL      AX, AX
	POPCNTL      CX, CX
	POPCNTL      DX, DX
	POPCNTL      R8, R8
	ADDL         CX, AX
	ADDL         R8, DX
	ADDL         DX, AX
	MOVL         (SI), R9
	MOVL         R9, (DI)(AX*4)
	ADDQ         $4, SI
	DECQ         BX
	JNZ          loop
	VZEROUPPER
	RET

// func split64(codes *uint64, n int, pivot uint64, above *uint64) (less, more int)
TEXT ·split64(SB), NOSPLIT, $0-48
	MOVQ         codes+0(FP), SI
	MOVQ         n+8(FP), BX
	MOVQ         pivot+16(FP), AX
	VPBROADCASTQ AX, Z5
	MOVQ         above+24(FP), DI
	MOVQ         SI, R8 // end of the codes below the pivot
	MOVQ         DI, R9 // end of those above it
	SUBQ         $8, BX
	JLT          tail

loop:
	VMOVDQU64     (SI), Z0
	VPCMPUQ       $1, Z5, Z0, K1 // codes below the pivot
	VPCMPUQ       $6, Z5, Z0, K2 // codes above it
	VPCOMPRESSQ.Z Z0, K1, Z1
	VPCOMPRESSQ.Z Z0, K2, Z2
	KMOVW        K1, AX
	KMOVW        K2, DX
	POPCNTL      AX, AX
	POPCNTL      DX, DX
	VMOVDQU64     Z1, (R8) // up to the codes that were read
	VMOVDQU64     Z2, (R9)
	LEAQ         (R8)(AX*8), R8
	LEAQ         (R9)(DX*8), R9
	ADDQ         $64, SI
	SUBQ         $8, BX
	JGE          loop

tail:
	ADDQ         $8, BX
	JZ           done
	MOVL         $1, AX
	MOVQ         BX, CX
	SHLL         CX, AX
	DECL         AX
	KMOVW        AX, K3
	VMOVDQU64.Z   (SI), K3, Z0
	VPCMPUQ       $1, Z5, Z0, K3, K1
	VPCMPUQ       $6, Z5, Z0, K3, K2
	VPCOMPRESSQ.Z Z0, K1, Z1
	VPCOMPRESSQ.Z Z0, K2, Z2
	KMOVW        K1, AX
	KMOVW        K2, DX
	POPCNTL      AX, AX
	POPCNTL      DX, DX
	MOVL         $1, R10
	MOVQ         AX, CX
	SHLL         CX, R10
	DECL         R10
	KMOVW        R10, K1
	VMOVDQU64     Z1, K1, (R8)
	MOVL         $1, R10
	MOVQ         DX, CX
	SHLL         CX, R10
	DECL         R10
	KMOVW        R10, K2
	VMOVDQU64     Z2, K2, (R9)
	LEAQ         (R8)(AX*8), R8
	LEAQ         (R9)(DX*8), R9

done:
	SUBQ         codes+0(FP), R8
	SHRQ         $3, R8
	MOVQ         R8, less+32(FP)
	SUBQ         DI, R9
	SHRQ         $3, R9
	MOVQ         R9, more+40(FP)
	VZEROUPPER
	RET

// func place64(places, codes *uint64, n int)
TEXT ·place64(SB), NOSPLIT, $0-24
	MOVQ     places+0(FP), DI
	MOVQ     codes+8(FP), SI
	MOVQ     n+16(FP), BX
	VMOVDQU64 (SI), Z0
	VMOVDQU64 64(SI), Z1
	VMOVDQU64 128(SI), Z2
	VMOVDQU64 192(SI), Z3

loop:
	VPBROADCASTQ (SI), Z4
	VPCMPUQ       $1, Z4, Z0, K1
	VPCMPUQ       $1, Z4, Z1, K2
	VPCMPUQ       $1, Z4, Z2, K3
	VPCMPUQ       $1, Z4, Z3, K4
	KMOVW        K1, AX
	KMOVW        K2, CX
	KMOVW        K3, DX
	KMOVW        K4, R8
	POPCNTL      AX, AX
	POPCNTL      CX, CX
	POPCNTL      DX, DX
	POPCNTL      R8, R8
	ADDL         CX, AX
	ADDL         R8, DX
	ADDL         DX, AX
	MOVQ         (SI), R9
	MOVQ         R9, (DI)(AX*8)
	ADDQ         $8, SI
	DECQ         BX
	JNZ          loop
	VZEROUPPER
	RET

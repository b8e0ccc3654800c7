#include "textflag.h"

// Codes within a span are compressed vector by vector and stored whole: the end moves by the number of codes that count. The last vector may
// be partial, and is read and compared under a mask.

// func within32(dst, codes *uint32, n int, least, most uint32) (below, within int)
TEXT ·within32(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ codes+8(FP), SI
	MOVQ n+16(FP), CX
	MOVL least+24(FP), AX
	VPBROADCASTD AX, Z6
	MOVL most+28(FP), AX
	VPBROADCASTD AX, Z7
	XORL R8, R8
	MOVQ CX, BX
	SHRQ $4, CX
	JZ tail

loop:
	VMOVDQU32 (SI), Z0
	VPCMPUD $1, Z6, Z0, K1
	VPCMPUD $2, Z7, Z0, K2
	KANDNW K2, K1, K3
	VPCOMPRESSD.Z Z0, K3, Z1
	KMOVW K1, AX
	KMOVW K3, DX
	POPCNTL AX, AX
	POPCNTL DX, DX
	VMOVDQU32 Z1, (DI)
	ADDQ AX, R8
	LEAQ (DI)(DX*4), DI
	ADDQ $64, SI
	DECQ CX
	JNZ loop

tail:
	MOVQ BX, CX
	ANDQ $15, CX
	JZ done
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K4
	VMOVDQU32.Z (SI), K4, Z0
	VPCMPUD $1, Z6, Z0, K4, K1
	VPCMPUD $2, Z7, Z0, K4, K2
	KANDNW K2, K1, K3
	VPCOMPRESSD.Z Z0, K3, Z1
	KMOVW K1, AX
	KMOVW K3, DX
	POPCNTL AX, AX
	POPCNTL DX, DX
	VMOVDQU32 Z1, (DI)
	ADDQ AX, R8
	LEAQ (DI)(DX*4), DI

done:
	MOVQ R8, below+32(FP)
	SUBQ dst+0(FP), DI
	SHRQ $2, DI
	MOVQ DI, within+40(FP)
	VZEROUPPER
	RET

// func within64(dst, codes *uint64, n int, least, most uint64) (below, within int)
TEXT ·within64(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ codes+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ least+24(FP), AX
	VPBROADCASTQ AX, Z6
	MOVQ most+32(FP), AX
	VPBROADCASTQ AX, Z7
	XORL R8, R8
	MOVQ CX, BX
	SHRQ $3, CX
	JZ tail

loop:
	VMOVDQU64 (SI), Z0
	VPCMPUQ $1, Z6, Z0, K1
	VPCMPUQ $2, Z7, Z0, K2
	KANDNW K2, K1, K3
	VPCOMPRESSQ.Z Z0, K3, Z1
	KMOVW K1, AX
	KMOVW K3, DX
	POPCNTL AX, AX
	POPCNTL DX, DX
	VMOVDQU64 Z1, (DI)
	ADDQ AX, R8
	LEAQ (DI)(DX*8), DI
	ADDQ $64, SI
	DECQ CX
	JNZ loop

tail:
	MOVQ BX, CX
	ANDQ $7, CX
	JZ done
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K4
	VMOVDQU64.Z (SI), K4, Z0
	VPCMPUQ $1, Z6, Z0, K4, K1
	VPCMPUQ $2, Z7, Z0, K4, K2
	KANDNW K2, K1, K3
	VPCOMPRESSQ.Z Z0, K3, Z1
	KMOVW K1, AX
	KMOVW K3, DX
	POPCNTL AX, AX
	POPCNTL DX, DX
	VMOVDQU64 Z1, (DI)
	ADDQ AX, R8
	LEAQ (DI)(DX*8), DI

done:
	MOVQ R8, below+40(FP)
	SUBQ dst+0(FP), DI
	SHRQ $3, DI
	MOVQ DI, within+48(FP)
	VZEROUPPER
	RET

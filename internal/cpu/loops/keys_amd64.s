#include "textflag.h"

// Keys become offsets in registers: bits of those with a top bit are flipped, where the key is a negative float, and a number is added. Offsets
// up to most are compressed and stored whole, as in within_amd64.s, and their bits are a mask of 16 or 8 keys. The keys below the span
// have wrapped: their offsets are above wrapped.

// func keysWithin32(dst *uint32, masks *uint64, keys *uint32, n int, negative, plus, most, wrapped uint32) (below, within int)
TEXT ·keysWithin32(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ masks+8(FP), R9
	MOVQ keys+16(FP), SI
	MOVQ n+24(FP), CX
	MOVL negative+32(FP), AX
	VPBROADCASTD AX, Z4
	MOVL plus+36(FP), AX
	VPBROADCASTD AX, Z5
	MOVL most+40(FP), AX
	VPBROADCASTD AX, Z7
	MOVL wrapped+44(FP), AX
	VPBROADCASTD AX, Z6
	XORL R8, R8
	MOVQ CX, BX
	SHRQ $4, CX
	JZ tail

loop:
	VMOVDQU32 (SI), Z0
	VPSRAD $31, Z0, Z1
	VPTERNLOGD $0x78, Z4, Z1, Z0
	VPADDD Z5, Z0, Z0
	VPCMPUD $6, Z6, Z0, K1
	VPCMPUD $2, Z7, Z0, K3
	VPCOMPRESSD.Z Z0, K3, Z1
	KMOVW K1, AX
	KMOVW K3, DX
	MOVW DX, (R9)
	POPCNTL AX, AX
	POPCNTL DX, DX
	VMOVDQU32 Z1, (DI)
	ADDQ AX, R8
	LEAQ (DI)(DX*4), DI
	ADDQ $64, SI
	ADDQ $2, R9
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
	VPSRAD $31, Z0, Z1
	VPTERNLOGD $0x78, Z4, Z1, Z0
	VPADDD Z5, Z0, Z0
	VPCMPUD $6, Z6, Z0, K4, K1
	VPCMPUD $2, Z7, Z0, K4, K3
	VPCOMPRESSD.Z Z0, K3, Z1
	KMOVW K1, AX
	KMOVW K3, DX
	MOVW DX, (R9)
	POPCNTL AX, AX
	POPCNTL DX, DX
	VMOVDQU32 Z1, (DI)
	ADDQ AX, R8
	LEAQ (DI)(DX*4), DI

done:
	MOVQ R8, below+48(FP)
	SUBQ dst+0(FP), DI
	SHRQ $2, DI
	MOVQ DI, within+56(FP)
	VZEROUPPER
	RET

// func keysWithin64(dst *uint64, masks *uint64, keys *uint64, n int, negative, plus, most, wrapped uint64) (below, within int)
TEXT ·keysWithin64(SB), NOSPLIT, $0-80
	MOVQ dst+0(FP), DI
	MOVQ masks+8(FP), R9
	MOVQ keys+16(FP), SI
	MOVQ n+24(FP), CX
	MOVQ negative+32(FP), AX
	VPBROADCASTQ AX, Z4
	MOVQ plus+40(FP), AX
	VPBROADCASTQ AX, Z5
	MOVQ most+48(FP), AX
	VPBROADCASTQ AX, Z7
	MOVQ wrapped+56(FP), AX
	VPBROADCASTQ AX, Z6
	XORL R8, R8
	MOVQ CX, BX
	SHRQ $3, CX
	JZ tail

loop:
	VMOVDQU64 (SI), Z0
	VPSRAQ $63, Z0, Z1
	VPTERNLOGQ $0x78, Z4, Z1, Z0
	VPADDQ Z5, Z0, Z0
	VPCMPUQ $6, Z6, Z0, K1
	VPCMPUQ $2, Z7, Z0, K3
	VPCOMPRESSQ.Z Z0, K3, Z1
	KMOVW K1, AX
	KMOVW K3, DX
	MOVB DX, (R9)
	POPCNTL AX, AX
	POPCNTL DX, DX
	VMOVDQU64 Z1, (DI)
	ADDQ AX, R8
	LEAQ (DI)(DX*8), DI
	ADDQ $64, SI
	ADDQ $1, R9
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
	VPSRAQ $63, Z0, Z1
	VPTERNLOGQ $0x78, Z4, Z1, Z0
	VPADDQ Z5, Z0, Z0
	VPCMPUQ $6, Z6, Z0, K4, K1
	VPCMPUQ $2, Z7, Z0, K4, K3
	VPCOMPRESSQ.Z Z0, K3, Z1
	KMOVW K1, AX
	KMOVW K3, DX
	MOVB DX, (R9)
	POPCNTL AX, AX
	POPCNTL DX, DX
	VMOVDQU64 Z1, (DI)
	ADDQ AX, R8
	LEAQ (DI)(DX*8), DI

done:
	MOVQ R8, below+64(FP)
	SUBQ dst+0(FP), DI
	SHRQ $3, DI
	MOVQ DI, within+72(FP)
	VZEROUPPER
	RET

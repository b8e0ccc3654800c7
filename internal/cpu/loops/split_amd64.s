#include "textflag.h"

// A split reads 64 bytes of codes, compresses those that stay to one end and those that move to
// another, and stores both whole: the ends move by the number of codes that count. The codes that stay
// never end after those that were read. stay and move are predicates of comparisons with the pivot: below it is 1, above
// it 6.

#define SPLIT32(stay, move) \
	MOVQ codes+0(FP), SI; \
	MOVQ n+8(FP), BX; \
	MOVL pivot+16(FP), AX; \
	VPBROADCASTD AX, Z5; \
	MOVQ other+24(FP), DI; \
	MOVQ SI, R8; \
	MOVQ DI, R9; \
	SUBQ $16, BX; \
	JLT tail; \
loop: \
	VMOVDQU32 (SI), Z0; \
	VPCMPUD stay, Z5, Z0, K1; \
	VPCMPUD move, Z5, Z0, K2; \
	VPCOMPRESSD.Z Z0, K1, Z1; \
	VPCOMPRESSD.Z Z0, K2, Z2; \
	KMOVW K1, AX; \
	KMOVW K2, DX; \
	POPCNTL AX, AX; \
	POPCNTL DX, DX; \
	VMOVDQU32 Z1, (R8); \
	VMOVDQU32 Z2, (R9); \
	LEAQ (R8)(AX*4), R8; \
	LEAQ (R9)(DX*4), R9; \
	ADDQ $64, SI; \
	SUBQ $16, BX; \
	JGE loop; \
tail: \
	ADDQ $16, BX; \
	JZ done; \
	MOVL $1, AX; \
	MOVQ BX, CX; \
	SHLL CX, AX; \
	DECL AX; \
	KMOVW AX, K3; \
	VMOVDQU32.Z (SI), K3, Z0; \
	VPCMPUD stay, Z5, Z0, K3, K1; \
	VPCMPUD move, Z5, Z0, K3, K2; \
	VPCOMPRESSD.Z Z0, K1, Z1; \
	VPCOMPRESSD.Z Z0, K2, Z2; \
	KMOVW K1, AX; \
	KMOVW K2, DX; \
	POPCNTL AX, AX; \
	POPCNTL DX, DX; \
	MOVL $1, R10; \
	MOVQ AX, CX; \
	SHLL CX, R10; \
	DECL R10; \
	KMOVW R10, K1; \
	VMOVDQU32 Z1, K1, (R8); \
	MOVL $1, R10; \
	MOVQ DX, CX; \
	SHLL CX, R10; \
	DECL R10; \
	KMOVW R10, K2; \
	VMOVDQU32 Z2, K2, (R9); \
	LEAQ (R8)(AX*4), R8; \
	LEAQ (R9)(DX*4), R9; \
done: \
	SUBQ codes+0(FP), R8; \
	SHRQ $2, R8; \
	MOVQ R8, stayed+32(FP); \
	SUBQ DI, R9; \
	SHRQ $2, R9; \
	MOVQ R9, moved+40(FP); \
	VZEROUPPER; \
	RET

#define SPLIT64(stay, move) \
	MOVQ codes+0(FP), SI; \
	MOVQ n+8(FP), BX; \
	MOVQ pivot+16(FP), AX; \
	VPBROADCASTQ AX, Z5; \
	MOVQ other+24(FP), DI; \
	MOVQ SI, R8; \
	MOVQ DI, R9; \
	SUBQ $8, BX; \
	JLT tail; \
loop: \
	VMOVDQU64 (SI), Z0; \
	VPCMPUQ stay, Z5, Z0, K1; \
	VPCMPUQ move, Z5, Z0, K2; \
	VPCOMPRESSQ.Z Z0, K1, Z1; \
	VPCOMPRESSQ.Z Z0, K2, Z2; \
	KMOVW K1, AX; \
	KMOVW K2, DX; \
	POPCNTL AX, AX; \
	POPCNTL DX, DX; \
	VMOVDQU64 Z1, (R8); \
	VMOVDQU64 Z2, (R9); \
	LEAQ (R8)(AX*8), R8; \
	LEAQ (R9)(DX*8), R9; \
	ADDQ $64, SI; \
	SUBQ $8, BX; \
	JGE loop; \
tail: \
	ADDQ $8, BX; \
	JZ done; \
	MOVL $1, AX; \
	MOVQ BX, CX; \
	SHLL CX, AX; \
	DECL AX; \
	KMOVW AX, K3; \
	VMOVDQU64.Z (SI), K3, Z0; \
	VPCMPUQ stay, Z5, Z0, K3, K1; \
	VPCMPUQ move, Z5, Z0, K3, K2; \
	VPCOMPRESSQ.Z Z0, K1, Z1; \
	VPCOMPRESSQ.Z Z0, K2, Z2; \
	KMOVW K1, AX; \
	KMOVW K2, DX; \
	POPCNTL AX, AX; \
	POPCNTL DX, DX; \
	MOVL $1, R10; \
	MOVQ AX, CX; \
	SHLL CX, R10; \
	DECL R10; \
	KMOVW R10, K1; \
	VMOVDQU64 Z1, K1, (R8); \
	MOVL $1, R10; \
	MOVQ DX, CX; \
	SHLL CX, R10; \
	DECL R10; \
	KMOVW R10, K2; \
	VMOVDQU64 Z2, K2, (R9); \
	LEAQ (R8)(AX*8), R8; \
	LEAQ (R9)(DX*8), R9; \
done: \
	SUBQ codes+0(FP), R8; \
	SHRQ $3, R8; \
	MOVQ R8, stayed+32(FP); \
	SUBQ DI, R9; \
	SHRQ $3, R9; \
	MOVQ R9, moved+40(FP); \
	VZEROUPPER; \
	RET

// func splitBelow32(codes *uint32, n int, pivot uint32, other *uint32) (stayed, moved int)
TEXT ·splitBelow32(SB), NOSPLIT, $0-48
	SPLIT32($1, $6)

// func splitAbove32(codes *uint32, n int, pivot uint32, other *uint32) (stayed, moved int)
TEXT ·splitAbove32(SB), NOSPLIT, $0-48
	SPLIT32($6, $1)

// func splitBelow64(codes *uint64, n int, pivot uint64, other *uint64) (stayed, moved int)
TEXT ·splitBelow64(SB), NOSPLIT, $0-48
	SPLIT64($1, $6)

// func splitAbove64(codes *uint64, n int, pivot uint64, other *uint64) (stayed, moved int)
TEXT ·splitAbove64(SB), NOSPLIT, $0-48
	SPLIT64($6, $1)

#include "textflag.h"

// func flipBytes(dst, src unsafe.Pointer, turns int, flip uint64)
TEXT ·flipBytes(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	MOVQ         src+8(FP), SI
	MOVQ         turns+16(FP), CX
	MOVQ         flip+24(FP), AX
	MOVQ         AX, X4
	VPBROADCASTQ X4, Y4

loop:
	VPXOR   (SI), Y4, Y0
	VPXOR   32(SI), Y4, Y1
	VPXOR   64(SI), Y4, Y2
	VPXOR   96(SI), Y4, Y3
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VMOVDQU Y2, 64(DI)
	VMOVDQU Y3, 96(DI)
	ADDQ    $128, SI
	ADDQ    $128, DI
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET

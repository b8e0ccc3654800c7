#include "textflag.h"

// func lines(src unsafe.Pointer, index *uint32, n int, size uintptr)
TEXT ·lines(SB), NOSPLIT, $0-32
	MOVQ src+0(FP), DI
	MOVQ index+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ size+24(FP), BX

element:
	MOVL  (SI), AX
	IMULQ BX, AX
	ADDQ  DI, AX            // its first byte
	LEAQ  -1(AX)(BX*1), DX  // its last one

line:
	PREFETCHT1 (AX)
	ADDQ       $64, AX
	CMPQ       AX, DX
	JCS        line
	PREFETCHT1 (DX)         // another line where the element begins inside of one
	ADDQ       $4, SI
	DECQ       CX
	JNZ        element
	RET

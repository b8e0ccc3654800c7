#include "textflag.h"

// func hasAVX2() bool
TEXT ·hasAVX2(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	XORL AX, AX
	CPUID
	CMPL AX, $7
	JCS  no
	MOVL $1, AX
	XORL CX, CX
	CPUID
	ANDL $(1<<27 | 1<<28), CX // the system saves registers, AVX
	CMPL CX, $(1<<27 | 1<<28)
	JNE  no
	XORL CX, CX
	XGETBV
	ANDL $6, AX               // among them those of vectors
	CMPL AX, $6
	JNE  no
	MOVL $7, AX
	XORL CX, CX
	CPUID
	SHRL $5, BX
	ANDL $1, BX
	MOVB BX, ret+0(FP)

no:
	RET

// func hasAVX512() bool
TEXT ·hasAVX512(SB), NOSPLIT, $0-1
	MOVB   $0, ret+0(FP)
	XORL   CX, CX
	XGETBV                // the processor has AVX2
	ANDL   $0xe6, AX      // the system saves vectors of 512 bits and masks
	CMPL   AX, $0xe6
	JNE    none
	MOVL   $7, AX
	XORL   CX, CX
	CPUID
	SHRL   $16, BX        // AVX-512F
	ANDL   $1, BX
	MOVB   BX, ret+0(FP)

none:
	RET

// func hasBMI2() bool
TEXT ·hasBMI2(SB), NOSPLIT, $0-1
	MOVL $7, AX
	XORL CX, CX
	CPUID
	SHRL $8, BX
	ANDL $1, BX
	MOVB BX, ret+0(FP)
	RET

// func isAMD() bool
TEXT ·isAMD(SB), NOSPLIT, $0-1
	XORL  AX, AX
	CPUID
	CMPL  CX, $0x444d4163 // "cAMD", the end of the maker's name
	SETEQ ret+0(FP)
	RET

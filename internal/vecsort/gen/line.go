package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// offsets emits a function that maps codes of the given bytes to offsets on a line, eight a turn. It
// sets the mode of float instructions: rounding to nearest, with denormals.
func offsets(name string, bytes int) {
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst, codes *uint%[1]d, turns int, flip, turn uint%[1]d, from, times float64)", 8*bytes))
	Pragma("noescape")
	Doc(name + " maps turns > 0 times eight codes. dst may be codes.")
	mode := AllocLocal(8)
	dst, codes, turns := RDI, RSI, RCX
	Load(Param("dst"), dst)
	Load(Param("codes"), codes)
	Load(Param("turns"), turns)
	STMXCSR(mode)
	MOVL(U32(0x1f80), mode.Offset(4))
	LDMXCSR(mode.Offset(4))
	flip, turn, sign, others, zero, from, times, whole := Y15, Y14, Y13, Y12, Y11, Y10, Y9, Y8
	number := func(name string) Mem {
		p, err := Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		return p.Addr
	}
	VPCMPEQD(sign, sign, sign)
	if bytes == 4 {
		for i, to := range []VecPhysical{flip, turn} {
			Load(Param([]string{"flip", "turn"}[i]), EAX)
			MOVQ(RAX, X0)
			VPBROADCASTD(X0, to)
		}
		VPSRLD(Imm(1), sign, others)
		VPSLLD(Imm(31), sign, sign)
	} else {
		VPBROADCASTQ(number("flip"), flip)
		VPBROADCASTQ(number("turn"), turn)
		VPSRLQ(Imm(1), sign, others)
		VPSLLQ(Imm(63), sign, sign)
	}
	VPXOR(zero, zero, zero)
	VBROADCASTSD(number("from"), from)
	VBROADCASTSD(number("times"), times)
	MOVQ(U64(0x4330000000000000), RAX) // 2^52
	MOVQ(RAX, X8)
	VPBROADCASTQ(X8, whole)

	Label("turn")
	// linear turns values into offsets, in the low half of each 64 bits.
	linear := func(x Op) {
		VSUBPD(from, x, x)
		VMULPD(times, x, x)
		VADDPD(whole, x, x)
	}
	if bytes == 4 {
		VPXOR(Mem{Base: codes}, flip, Y0)
		VPSUBD(turn, Y0, Y0)
		VPCMPGTD(Y0, zero, Y1)
		VPANDN(others, Y1, Y1)
		VPOR(sign, Y1, Y1)
		VPXOR(Y1, Y0, Y0)
		VEXTRACTI128(Imm(1), Y0, X1)
		VCVTPS2PD(X0, Y0)
		VCVTPS2PD(X1, Y1)
		linear(Y0)
		linear(Y1)
		VSHUFPS(Imm(0x88), Y1, Y0, Y0) // words 0, 2 of each half of both
		VPERMQ(Imm(0xd8), Y0, Y0)
		VMOVDQU(Y0, Mem{Base: dst})
	} else {
		for i, x := range []VecPhysical{Y0, Y2} {
			m := []VecPhysical{Y1, Y3}[i]
			VPXOR(Mem{Base: codes, Disp: 32 * i}, flip, x)
			VPSUBQ(turn, x, x)
			VPCMPGTQ(x, zero, m)
			VPANDN(others, m, m)
			VPOR(sign, m, m)
			VPXOR(m, x, x)
			linear(x)
			VPSLLQ(Imm(32), x, x)
			VPSRLQ(Imm(32), x, x)
			VMOVDQU(x, Mem{Base: dst, Disp: 32 * i})
		}
	}
	ADDQ(Imm(uint64(8*bytes)), codes)
	ADDQ(Imm(uint64(8*bytes)), dst)
	DECQ(turns)
	JNZ(LabelRef("turn"))
	LDMXCSR(mode)
	VZEROUPPER()
	RET()
}

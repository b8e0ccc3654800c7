package floats

import "math"

// Half returns the 16-bit float of some bits, which is exact in 32 bits.
func Half(bits uint16) float32 {
	h := uint32(bits)
	sign, exponent, fraction := h>>15<<31, h>>10&0x1f, h&0x3ff
	switch exponent {
	case 0:
		return float32(fraction) * 0x1p-24 * (1 - 2*float32(sign>>31))
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

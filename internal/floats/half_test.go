package floats

import (
	"math"
	"testing"
)

// TestHalf compares all 16-bit floats with their definition.
func TestHalf(t *testing.T) {
	for bits := range 1 << 16 {
		exponent, fraction := bits>>10&31, float64(bits&1023)
		want := math.Ldexp(fraction, -24)
		switch {
		case exponent == 31 && fraction != 0:
			want = math.NaN()
		case exponent == 31:
			want = math.Inf(1)
		case exponent > 0:
			want = math.Ldexp(fraction+1024, exponent-25)
		}
		want = math.Copysign(want, 1-2*float64(bits>>15))
		got := float64(Half(uint16(bits)))
		if got != want && got == got || math.IsNaN(got) != math.IsNaN(want) || math.Signbit(got) != math.Signbit(want) {
			t.Fatalf("%04x is %v, want %v", bits, got, want)
		}
	}
}

package dist

import (
	"math"
	"slices"
	"testing"
)

// TestCrowd holds crowds to where their values are to lie.
func TestCrowd(t *testing.T) {
	r := Rand(1)
	for range 1000 {
		bits := []int{8, 32, 64}[r.IntN(3)]
		c := RandomCrowd(bits, r)
		values, top := c.Draw(300, bits, r), uint64(math.MaxUint64)>>(64-bits)
		far := uint64(math.MaxUint64) >> (64 - c.Width)
		for _, v := range values {
			low, high := v <= far && c.End != AtHighest, top-v <= far && v <= top && c.End != AtLowest
			if !low && !high && !(c.Extremes && (v == 0 || v == top)) {
				t.Fatalf("%v of %d bits: %#x", c, bits, v)
			}
		}
		if c.Extremes && (!slices.Contains(values, 0) || !slices.Contains(values, top)) {
			t.Fatalf("%v of %d bits: no extremes", c, bits)
		}
		slices.Sort(values)
		if few := len(slices.Compact(values)); few > 10 && c.Kind <= FewValues || few < 2 && c.Kind == Dense && c.Width > 8 {
			t.Fatalf("%v of %d bits: %d values", c, bits, few)
		}
	}
}

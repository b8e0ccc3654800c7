package small

import (
	"slices"
	"testing"
)

// TestPartFew parts all sets of up to seven elements.
func TestPartFew(t *testing.T) {
	for n := range 8 {
		for set := range uint64(1) << n {
			for _, first := range []bool{false, true} {
				var nulls, want []uint32
				for i := range uint32(n) {
					if set>>i&1 != 0 {
						nulls = append(nulls, 10-i)
					} else {
						want = append(want, 10-i)
					}
				}
				others := len(want)
				if want = append(want, nulls...); first {
					want = append(nulls, want[:others]...)
				}
				got := make([]uint32, n)
				for i := range got {
					got[i] = 10 - uint32(i)
				}
				if k := partFew(got, set, first); k != others || !slices.Equal(got, want) {
					t.Fatalf("nulls %b of %d, first: %v: %d others, order %v instead of %v", set, n, first, k, got, want)
				}
			}
		}
	}
}

package loops

import (
	"math/rand/v2"
	"testing"
)

// TestUpTo compares masks with a loop over the codes, around the sizes of words and vectors.
func TestUpTo(t *testing.T) {
	testUpTo(t, func(r *rand.Rand) uint32 { return r.Uint32() })
	testUpTo(t, func(r *rand.Rand) uint64 { return r.Uint64() })
}

func testUpTo[C Code](t *testing.T, draw func(r *rand.Rand) C) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		codes := make([]C, n+1)[1:] // not aligned to vectors
		for i := range codes {
			codes[i] = draw(r)
		}
		bounds := []C{0, 1, ^C(0), ^C(0) >> 1, ^C(0)>>1 + 1, draw(r)}
		if n > 0 {
			bounds = append(bounds, codes[n/2], codes[n-1]-1)
		}
		for _, most := range bounds {
			masks := make([]uint64, (n+63)/64)
			for i := range masks {
				masks[i] = r.Uint64()
			}
			count, want := UpTo(masks, codes, most), 0
			for i := range 64 * len(masks) {
				passes := i < n && codes[i] <= most
				if passes {
					want++
				}
				if got := masks[i/64]>>(i%64)&1 != 0; got != passes {
					t.Fatalf("%d codes up to %#x: bit %d is %t", n, most, i, got)
				}
			}
			if count != want {
				t.Fatalf("%d codes up to %#x: %d pass, want %d", n, most, count, want)
			}
		}
	}
}

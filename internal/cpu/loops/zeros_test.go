package loops

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestZeroPlaces compares places with a loop over the bits, with and without room to spare.
func TestZeroPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draws := []func() uint64{
		func() uint64 { return r.Uint64() },
		func() uint64 { return r.Uint64() & r.Uint64() & r.Uint64() },
		func() uint64 { return r.Uint64() | r.Uint64() | r.Uint64() },
		func() uint64 { return -(r.Uint64() & 1) },
		func() uint64 { return 0xff << (8 * r.IntN(8)) },
	}
	for n := range 700 {
		for _, draw := range draws {
			set := make([]uint64, (n+63)/64)
			for i := range set {
				set[i] = draw()
			}
			lo, want := r.Uint32N(1000), []uint32{}
			for i := range n {
				if set[i/64]>>(i%64)&1 == 0 {
					want = append(want, lo+uint32(i))
				}
			}
			for _, room := range []int{0, r.IntN(100)} {
				places := make([]uint32, len(want)+room+1)
				places[len(want)+room] = 12345 // of another
				k := ZeroPlaces(places[:len(want)+room], set, n, lo)
				if k != len(want) || !slices.Equal(places[:k], want) || places[len(want)+room] != 12345 {
					t.Fatalf("%d bits: %v, want %v", n, places[:k], want)
				}
			}
		}
	}
}

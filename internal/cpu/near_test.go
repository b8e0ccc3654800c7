package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNear has lists of which few codes are out of place. Those that it gives up have the same codes
// still.
func TestNear(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		n := 2 + r.IntN(400)
		codes, values := make([]uint64, n), 1+r.IntN(2*n)
		for i := range codes {
			codes[i] = uint64(i * values / n)
		}
		back := r.IntN(2) == 0
		if back {
			slices.Reverse(codes)
		}
		moved := r.IntN(n/8 + 3)
		for range moved { // two strays each, and as many neighbours
			codes[r.IntN(n)] = uint64(r.IntN(values))
		}
		got, want := slices.Clone(codes), slices.Clone(codes)
		slices.Sort(want)
		found := nearCodes(got, back)
		if !found && moved < 2 {
			t.Fatalf("%d, from the end: %t, were given up", codes, back)
		}
		if !found {
			slices.Sort(got)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d, from the end: %t, became %d", codes, back, got)
		}
	}
	random := make([]uint64, SmallLen)
	for i := range random {
		random[i] = r.Uint64()
	}
	if v := summaryOf(random); v.nearly(len(random)) {
		t.Error("random codes seem nearly sorted")
	}
}

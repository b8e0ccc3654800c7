package presorted

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
)

// TestTiesThatChange cuts places into parts by ties that are drawn for each question: parts
// neither overlap nor leave places out.
func TestTiesThatChange(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		n, grain := 1+r.IntN(2000), 1+r.IntN(300)
		var asked atomic.Uint64
		tie := func(_, _ uint32) bool { return rand.NewPCG(seed, asked.Add(1)).Uint64()%4 > 0 }
		times := make([]atomic.Int32, n)
		err := Whole(n).Parts(newEnv(3), grain, tie, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				times[i].Add(1)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range times {
			if k := times[i].Load(); k != 1 {
				t.Fatalf("n=%d, grain %d: place %d is in %d parts", n, grain, i, k)
			}
		}
	}
}

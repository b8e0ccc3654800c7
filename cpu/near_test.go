package cpu

import (
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// TestKeeper holds the kept elements to their promise: they are in order, and
// at most twice as many are dropped as must be, also when parts are joined.
func TestKeeper(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	env := newEnv(1)
	for range 20_000 {
		codes := make([]uint32, 1+r.IntN(40))
		values := 1 + r.Uint32N(50)
		for i := range codes {
			codes[i] = uint32(i)
			if r.IntN(4) == 0 {
				codes[i] = r.Uint32N(values)
			}
		}
		cut := r.IntN(len(codes) + 1)
		parts := [2]keeper[uint32]{{env: env, codes: codes}, {env: env, codes: codes}}
		parts[0].scan(0, cut, len(codes))
		parts[1].scan(cut, len(codes), len(codes))
		for _, s := range parts[1].spans {
			parts[0].add(int(s.lo), int(s.hi))
		}
		k := parts[0]
		k.dropped += parts[1].dropped

		var kept []uint32
		at := uint32(0)
		for _, s := range k.spans {
			if s.lo < at || s.hi <= s.lo {
				t.Fatalf("%v: spans %v", codes, k.spans)
			}
			at = s.hi
			kept = append(kept, codes[s.lo:s.hi]...)
		}
		least := len(codes) - longestRun(codes)
		if !slices.IsSorted(kept) || len(kept)+k.dropped != len(codes) || k.dropped > 2*least {
			t.Fatalf("%v: kept %v, dropped %d, %d must be", codes, kept, k.dropped, least)
		}
		env.Arena.Release(1)
	}
}

// longestRun returns the length of the longest subsequence in order.
func longestRun(codes []uint32) int {
	var ends []uint32 // ends[i] is the least end of such a subsequence of i+1
	for _, c := range codes {
		i := sort.Search(len(ends), func(i int) bool { return ends[i] > c })
		ends = append(ends[:i], append([]uint32{c}, ends[min(i+1, len(ends)):]...)...)
	}
	return len(ends)
}

//go:build linux && (amd64 || arm64)

package multi

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCompact fills the gaps between regions, and keeps all elements.
func TestCompact(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for range 5000 {
		to := r.IntN(5)
		var list []region
		memory := make([]int, 100)
		at := to + r.IntN(8)
		total := 0
		for range 1 + r.IntN(5) {
			own := region{at: at, capacity: r.IntN(12)}
			own.n = r.IntN(own.capacity + 1)
			for i := range own.n {
				total++
				memory[at+i] = total
			}
			list = append(list, own)
			at += own.capacity
		}
		moves := compact(slices.Clone(list), to)
		moved := slices.Clone(memory)
		for _, m := range moves {
			copy(moved[m.to:m.to+m.n], memory[m.from:m.from+m.n])
		}
		found := slices.Sorted(slices.Values(moved[to : to+total]))
		for i, v := range found {
			if v != i+1 {
				t.Fatalf("%+v from %d by %+v: %v", list, to, moves, moved)
			}
		}
		if len(moves) > 2*len(list) {
			t.Fatalf("%+v from %d: %d moves", list, to, len(moves))
		}
	}
}

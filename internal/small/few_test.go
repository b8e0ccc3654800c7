package small

import (
	"cmp"
	"slices"
	"testing"
)

// TestCountAt counts all lists of fewer than leastRanked keys out of five, in both directions.
func TestCountAt(t *testing.T) {
	for n := range leastRanked {
		lists := 1
		for range n {
			lists *= 5
		}
		for list := range lists {
			keys := make([]uint64, n)
			for i, rest := 0, list; i < n; i, rest = i+1, rest/5 {
				keys[i] = uint64(rest%5 - 2)
			}
			for _, flip := range []uint64{1 << 63, 1<<63 - 1} {
				got := slices.Clone(numbers[:n])
				slices.Reverse(got) // ties keep their sequence, not that of the rows
				want := slices.Clone(got)
				countAt(got, keys, flip)
				slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Compare(keys[a]^flip, keys[b]^flip) })
				if !slices.Equal(got, want) {
					t.Fatalf("keys %v, flipped by %x: order %v instead of %v", keys, flip, got, want)
				}
			}
		}
	}
}

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

package oracle_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/fuzz/oracle"
)

// TestSortStable compares with slices.SortStableFunc, with many ties and with few.
func TestSortStable(t *testing.T) {
	type element struct{ key, place int }
	r := rand.New(rand.NewPCG(5, 5))
	for n := range 300 {
		for _, below := range []int{1, 2, 1 + n/10, 1 + 10*n} {
			s := make([]element, n)
			for i := range s {
				s[i] = element{r.IntN(below), i}
			}
			compare := func(a, b element) int { return cmp.Compare(b.key, a.key) }
			want := slices.Clone(s)
			slices.SortStableFunc(want, compare)
			if oracle.SortStable(s, compare); !slices.Equal(s, want) {
				t.Fatalf("%d elements of %d values: %v, want %v", n, below, s, want)
			}
		}
	}
}

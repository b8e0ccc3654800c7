package testkit_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/testkit"
)

// TestSortStable compares with slices.SortStableFunc: drawn keys, with many ties and with few, and
// keys that rise and fall.
func TestSortStable(t *testing.T) {
	type element struct{ key, place int }
	r := rand.New(rand.NewPCG(5, 5))
	compare := func(a, b element) int { return cmp.Compare(b.key, a.key) }
	for n := range 300 {
		for turn, below := range []int{1, 2, 1 + n/10, 1 + 10*n, n, n} {
			s := make([]element, n)
			for i := range s {
				switch turn {
				case 4:
					s[i] = element{i / 2, i}
				case 5:
					s[i] = element{(n - i) / 3, i}
				default:
					s[i] = element{r.IntN(below), i}
				}
			}
			want := slices.Clone(s)
			slices.SortStableFunc(want, compare)
			if testkit.SortStable(s, compare); !slices.Equal(s, want) {
				t.Fatalf("%d elements of %d values, turn %d: %v, want %v", n, below, turn, s, want)
			}
		}
	}
}

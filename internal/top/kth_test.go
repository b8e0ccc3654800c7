package top

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/dist"
)

// TestKth compares with a sort, for codes of all distributions and ranks.
func TestKth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, d := range dist.All {
		for _, n := range []int{1, 2, 31, 33, 1000, 5000, 20000} {
			codes := d.Draw(n, r)
			sorted := slices.Sorted(slices.Values(codes))
			for _, k := range []int{1, 2, n / 100, n / 2, 2 * n / 3, n - 1, n, 1 + r.IntN(n)} {
				if k < 1 || k > n {
					continue
				}
				if got := kth(codes, k); got != sorted[k-1] {
					t.Fatalf("%s: kth(%d) of %d is %d, want %d", d.Name, k, n, got, sorted[k-1])
				}
			}
		}
	}
}

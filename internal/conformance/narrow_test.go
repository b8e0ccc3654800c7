package conformance_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// TestRunsOfNarrowColumns marks the runs of each number of columns, and takes rows of partitions, where columns take the bits
// of their keys alone.
func TestRunsOfNarrowColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for range testkit.Pick(1, 4) {
		n := 1<<16 + r.IntN(9000)
		keys := make([][]int64, 4)
		cols := make([]sorter.Column[int], len(keys))
		for k := range keys {
			values := []int64{3, 20, 40, 1 << 40}[k]
			for range n {
				keys[k] = append(keys[k], r.Int64N(values))
			}
			cols[k] = sorter.AscOf(keys[k])
		}
		by := func(columns int) func(a, b uint32) int {
			return func(a, b uint32) int {
				for _, key := range keys[:columns] {
					if c := cmp.Compare(key[a], key[b]); c != 0 {
						return c
					}
				}
				return 0
			}
		}
		want := make(perm.Perm, n)
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortStableFunc(want, by(len(keys)))
		var runs [5]perm.Runs
		opts := []sorter.Option{sorter.Workers(1 + r.IntN(3))}
		for k := range runs {
			if r.IntN(2) == 0 {
				opts = append(opts, sorter.MarkRunsBy(k, &runs[k]))
			}
		}
		opts = append(opts, sorter.MarkRunsBy(2, &runs[2]))
		got, err := sorter.RowsBy(n, cols...).Order(opts...)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%d rows: error %v, or wrong order", n, err)
		}
		for k := range runs {
			if runs[k].Len() == 0 {
				continue
			}
			for i := range n {
				if begins := i == 0 || by(k)(want[i-1], want[i]) != 0; runs[k].Begins(i) != begins {
					t.Fatalf("%d rows by %d columns: place %d begins a run: %t, want %t", n, k, i, !begins, begins)
				}
			}
		}
	}
}

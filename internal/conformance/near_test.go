package conformance_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// TestNearlySortedFew has up to 4096 records in order, or falling, of which few are out of place. An Ordering
// takes other ways when it is used again. No key function is called twice for a record.
func TestNearlySortedFew(t *testing.T) {
	t.Parallel()
	r := dist.Rand(76)
	specs := usualSpecs()
	for range testkit.Pick(8, 60) {
		specs = append(specs, randomSpec(r))
	}
	sizes := []int{9, 16, 17, 60, 300, 1000, 4096}
	for i, spec := range specs {
		by, counters := spec.build()
		for turn := range testkit.Pick(6, 20) {
			m := modes[(i+turn)%len(modes)]
			n := sizes[r.IntN(len(sizes)-turn%3)]
			in, moved := spec.inOrder(newRecords(n, uint64(i+turn)), m.order), 0
			if r.IntN(3) == 0 {
				slices.Reverse(in)
			}
			if r.IntN(4) > 0 {
				moved = 1 + r.IntN(3)
			}
			for range moved {
				a, b := r.IntN(n), r.IntN(n)
				in[a], in[b] = in[b], in[a]
			}
			name := fmt.Sprintf("%v, n=%d, %d swapped, %s, turn %d", spec, n, moved, m.name, turn)
			guess, _ := by.Order(in, orderOptions(m.order)...)
			want, got := sortedStably(in, guess, spec.compare(m.order)), slices.Clone(in)
			var err error
			checkCalls(t, "Sort: "+name, counters, n, func() { err = by.Sort(got, m.stable()...) })
			checkRecords(t, "Sort: "+name, err, got, want)
			left := slices.Clone(in)
			checkCalls(t, "TopK: "+name, counters, n, func() { err = by.TopK(left, n/2, m.stable()...) })
			checkRecords(t, "TopK: "+name, err, left[:n/2], want[:n/2])
			checkOrderingOrder(t, name, spec, in, want, m)
		}
	}
}

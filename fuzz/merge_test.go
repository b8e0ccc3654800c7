package fuzz

import (
	"slices"
	"testing"

	"example.com/sorter/internal/testkit"
)

// FuzzMerge merges two sorted parts of any lengths: the result is the stable
// sort of the whole, because ties take the first part.
func FuzzMerge(f *testing.F) {
	for kind := range kinds {
		if testkit.ThinnedByRace(kind) {
			continue
		}
		f.Add(byte(kind), byte(kind), byte(30), byte(0xff), byte(kind*14), []byte("\x00\x00\xc0\x7f\x00\x00\x00\x80"))
		f.Add(byte(kind), byte(kind*5), byte(165+kind*5), byte(3), byte(100), []byte("merge path diagonals"))
	}
	f.Fuzz(func(t *testing.T, kind, bits, size, mask, cut byte, data []byte) {
		keys := draw(kind, size, mask, data)
		order, opts := options(bits)
		compare := keys.compare(order)
		all := ascending(keys.len())
		a, b := all[:len(all)*int(cut)/255], all[len(all)*int(cut)/255:]
		testkit.SortStable(a, compare)
		testkit.SortStable(b, compare)
		keptA, keptB := slices.Clone(a), slices.Clone(b)

		dst := make([]int, len(all))
		err := keys.merge(dst, a, b, opts...)
		check(t, "Merge", err, dst, sorted(keys.len(), compare))
		check(t, "Merge changed a", nil, a, keptA)
		check(t, "Merge changed b", nil, b, keptB)
		if !keys.isSorted(dst, opts...) {
			t.Fatal("IsSorted is false for the merged parts")
		}
	})
}

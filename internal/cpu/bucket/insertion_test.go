package bucket

import (
	"cmp"
	"slices"
	"testing"

	"example.com/sorter/internal/testkit"
)

// TestInsertion sorts lists of all orders, and of all ties, by the insertion sorts. A step inserts into a sorted
// list, whatever its length: so what holds for these lengths holds for all.
func TestInsertion(t *testing.T) {
	for n := range testkit.Pick(7, 8) {
		lists := 1
		for range n {
			lists *= n
		}
		for list := range lists {
			codes := make([]uint32, n)
			for i, rest := 0, list; i < n; i, rest = i+1, rest/n {
				codes[i] = uint32(rest%n) << 29
			}
			checkInsertion(t, codes)
		}
	}
}

func checkInsertion(t *testing.T, codes []uint32) {
	t.Helper()
	places := make([]uint32, len(codes))
	for i := range places {
		places[i] = uint32(i)
	}
	sorted, want := slices.Sorted(slices.Values(codes)), slices.Clone(places)
	testkit.SortStable(want, func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
	own := slices.Clone(codes)
	if insertion(own); !slices.Equal(own, sorted) {
		t.Fatalf("insertion of %v: %v", codes, own)
	}
	order := slices.Clone(places)
	if insertionBy(order, codes); !slices.Equal(order, want) {
		t.Fatalf("insertionBy of %v: %v", codes, order)
	}
	own, order = slices.Clone(codes), places
	if InsertPairs(own, order); !slices.Equal(own, sorted) || !slices.Equal(order, want) {
		t.Fatalf("InsertPairs of %v: %v, %v", codes, own, order)
	}
}

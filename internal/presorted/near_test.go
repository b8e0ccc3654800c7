package presorted

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/testkit"
)

// TestNear has lists of which few codes are out of place. Those that it gives up have the same codes
// still.
func TestNear(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		n := 2 + r.IntN(400)
		codes, values := make([]uint64, n), 1+r.IntN(2*n)
		for i := range codes {
			codes[i] = uint64(i * values / n)
		}
		back := r.IntN(2) == 0
		if back {
			slices.Reverse(codes)
		}
		moved := r.IntN(n/8 + 3)
		for range moved { // two strays each, and as many neighbours
			codes[r.IntN(n)] = uint64(r.IntN(values))
		}
		got, want := slices.Clone(codes), slices.Clone(codes)
		slices.Sort(want)
		found := SortNear(got, back)
		if !found && moved < 2 {
			t.Fatalf("%d, from the end: %t, were given up", codes, back)
		}
		if !found {
			slices.Sort(got)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d, from the end: %t, became %d", codes, back, got)
		}
	}
	random := make([]uint64, NearLen)
	for i := range random {
		random[i] = r.Uint64()
	}
	if v := SummaryOf(random); v.Nearly(len(random)) {
		t.Error("random codes seem nearly sorted")
	}
}

// TestNearOrder has orders by codes that tie often, and by second codes that break these ties. They keep ties
// in input order. Where it gives up, more than a few elements are out of place.
func TestNearOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var s Near
	for range 4000 {
		n := 1 + r.IntN(700)
		first, second, index := make([]uint64, n), make([]uint64, n), make([]uint32, n)
		values := 1 + r.IntN(2*n)
		for i := range first {
			first[i], second[i] = uint64(i*values/n/4), uint64(i*values/n)
		}
		back, moved := r.IntN(3) == 0, r.IntN(n/40+3)
		if back {
			slices.Reverse(first)
			slices.Reverse(second)
		}
		for range moved {
			i, j := r.IntN(n), r.IntN(n)
			first[i], second[i] = first[j], second[j]
		}
		compare := func(i, j uint32) int {
			return cmp.Or(cmp.Compare(first[i], first[j]), cmp.Compare(second[i], second[j]))
		}
		want := make([]uint32, n)
		Forward(want, 0)
		testkit.SortStable(want, compare)
		s.Begin(first)
		if r.IntN(2) == 0 {
			s.Add(second)
		} else if !s.CompareTies(compare) {
			if moved < 2 && !back {
				t.Fatalf("ties of %d and %d were not compared", first, second)
			}
			continue
		}
		ties := 0
		for i := range n - 1 {
			if compare(uint32(i), uint32(i+1)) == 0 {
				ties++
			}
		}
		if got := s.Ties(); got < ties {
			t.Fatalf("%d ties of %d", got, ties)
		}
		same, ok := s.Order(index, compare)
		switch {
		case ok && !slices.Equal(index, want):
			t.Fatalf("n=%d, %d moved, from the end: %t: order %d, want %d", n, moved, back, index, want)
		case ok && same != InPlaces(want, 0):
			t.Fatalf("order %d, in order: %t", index, same)
		case !ok && moved < 2 && (!back || ties == 0):
			t.Fatalf("n=%d, %d moved, from the end: %t: given up", n, moved, back)
		}
	}
}

package presorted

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/testkit"
)

// dropped returns how many of n elements the rule of strays.go drops: two kept neighbours that are out of order.
func dropped(n int, above func(i, j int) bool) (k int) {
	var kept []int
	for x := range n {
		if len(kept) > 0 && above(kept[len(kept)-1], x) {
			kept, k = kept[:len(kept)-1], k+2
			continue
		}
		kept = append(kept, x)
	}
	return k
}

// nearly draws codes of which about as many are out of place as a sort of few admits.
func nearly(r *rand.Rand, n int) []uint64 {
	codes, values := make([]uint64, n), 1+r.IntN(2*n)
	for i := range codes {
		codes[i] = uint64(i * values / n)
	}
	for range r.IntN(2 + mostStrays(n)) {
		i := r.IntN(n)
		if j := min(n-1, i+1+r.IntN(3)); r.IntN(2) == 0 {
			codes[i], codes[j] = codes[j], codes[i]
		} else if r.IntN(4) == 0 {
			codes[i] = uint64(r.IntN(values))
		}
	}
	return codes
}

var nearLengths = []int{1, 2, 3, 31, 63, 64, 65, 66, 128, 129, 130, 700, 2015, 2016, 2017, NearLen - 1, NearLen}

// TestNearGivesUp has sorts of few strays give up where the rule drops more than are admitted, and nowhere else.
func TestNearGivesUp(t *testing.T) {
	testkit.SkipRace(t)
	r := rand.New(rand.NewPCG(71, 72))
	if mostStrays(0) != 2 || mostStrays(15) != 2 || mostStrays(16) != 3 || mostStrays(2015) != 127 || mostStrays(2016) != strayRoom || mostStrays(NearLen) != strayRoom {
		t.Error("other numbers of strays")
	}
	var s Near
	took, gave := 0, 0
	for range 3000 {
		n := nearLengths[r.IntN(len(nearLengths))]
		codes, back := nearly(r, n), r.IntN(2) == 0
		if back {
			slices.Reverse(codes)
		}
		read := func(i int) uint64 {
			if back {
				return codes[n-1-i]
			}
			return codes[i]
		}
		want := dropped(n, func(i, j int) bool { return read(i) > read(j) }) <= mostStrays(n)
		if sorted := slices.Clone(codes); SortNear(sorted, back) != want || want && !slices.IsSorted(sorted) {
			t.Fatalf("%d codes, back %t, %d: sorted %t", n, back, codes, !want)
		}
		v := SummaryOf(codes)
		if v.Nearly(n) != (2*min(v.Falls, v.Rises) <= mostStrays(n)) || v.Ties(n) != n-1-v.Falls-v.Rises || v.Reversed(n) != (v.Falls == n-1) || v.Sorted() != (v.Falls == 0) || v.Span() != v.Max-v.Min {
			t.Fatalf("%d codes: %+v", n, v)
		}
		checkNear(t, &s, codes)
		if want {
			took++
		} else {
			gave++
		}
	}
	if took < 500 || gave < 500 {
		t.Errorf("%d sorts, %d gave up", took, gave)
	}
	if v := SummaryOf(make([]uint64, NearLen+1)); v.Nearly(NearLen + 1) {
		t.Error("more codes than fit are nearly sorted")
	}
}

// checkNear holds steps, and orders by them, to loops.
func checkNear(t *testing.T, s *Near, codes []uint64) {
	t.Helper()
	n := len(codes)
	s.Begin(codes)
	rises, falls := 0, 0
	for i := range n - 1 {
		rise, fall := codes[i] < codes[i+1], codes[i] > codes[i+1]
		if rise {
			rises++
		}
		if fall {
			falls++
		}
		if s.Tied(i/64)>>(i%64)&1 != 0 != (!rise && !fall) {
			t.Fatalf("%d: step %d tied %t", codes, i, rise || fall)
		}
	}
	for i := n - 1; i < 64*s.Words(); i++ {
		if s.Tied(i/64)>>(i%64)&1 != 0 {
			t.Fatalf("%d codes: step %d tied", n, i)
		}
	}
	if seen := s.Seen(); seen != (Steps{Rises: rises, Falls: falls}) || s.Ties() != n-1-rises-falls || 64*s.Words() < n-1 || s.Words() > (n+62)/64 {
		t.Fatalf("%d codes: %+v in %d words, %d ties, want %d rises and %d falls", n, seen, s.Words(), s.Ties(), rises, falls)
	}
	forward := func(i, j int) bool { return codes[i] > codes[j] }
	backward := func(i, j int) bool { return codes[n-1-i] >= codes[n-1-j] } // ties are out of order
	want := falls == 0
	if !want && 2*falls <= mostStrays(n) {
		want = dropped(n, forward) <= mostStrays(n)
	} else if !want && 2*(n-1-falls) <= mostStrays(n) {
		want = dropped(n, backward) <= mostStrays(n)
	}
	index, order := make([]uint32, n), make([]uint32, n)
	Forward(order, 0)
	rest := func(i, j uint32) int { return 0 }
	testkit.SortStable(order, func(i, j uint32) int { return cmp.Compare(codes[i], codes[j]) })
	same, ok := s.OrderBy(index, codes, rest)
	if ok != want || ok && !slices.Equal(index, order) || same != (falls == 0) {
		t.Fatalf("%d: order %d, same %t, ok %t, want %t", codes, index, same, ok, want)
	}
	may := falls == 0 || 2*falls > mostStrays(n) || dropped(n, forward) <= mostStrays(n)
	if got := s.MayMerge(index, func(i, j uint32) int { return cmp.Compare(codes[i], codes[j]) }); got != may {
		t.Fatalf("%d: may merge %t", codes, got)
	}
}

// TestMayOrder bounds the steps in the rarer direction.
func TestMayOrder(t *testing.T) {
	for _, n := range nearLengths {
		most := mostStrays(n) / 2
		for _, s := range []Steps{{Rises: most, Falls: 100}, {Rises: 100, Falls: most, Ties: 7}, {}} {
			if !MayOrder(n, s) {
				t.Errorf("%d elements, %+v: no order", n, s)
			}
		}
		if MayOrder(n, Steps{Rises: most + 1, Falls: most + 1}) {
			t.Errorf("%d elements: an order of too many steps", n)
		}
	}
}

// TestCompareTies compares ties until too many fall.
func TestCompareTies(t *testing.T) {
	testkit.SkipRace(t)
	r := rand.New(rand.NewPCG(73, 74))
	var s Near
	ended := 0
	for range 2000 {
		n := nearLengths[1:][r.IntN(len(nearLengths)-1)]
		first, second := nearly(r, n), nearly(r, n)
		if r.IntN(2) == 0 {
			clear(first)
		}
		for i := range first {
			first[i] /= 1 + uint64(r.IntN(2)*20)
		}
		if r.IntN(4) == 0 {
			for range n / 3 {
				second[r.IntN(n)] = uint64(r.IntN(n))
			}
		}
		want, ends := make([]int, n-1), false
		seen := Steps{}
		for i := range want {
			want[i] = cmp.Compare(first[i], first[i+1])
			seen.Rises, seen.Falls = seen.Rises+max(0, -want[i]), seen.Falls+max(0, want[i])
		}
		for i := range want {
			if want[i] != 0 || ends {
				continue
			}
			want[i] = cmp.Compare(second[i], second[i+1])
			seen.Rises, seen.Falls = seen.Rises+max(0, -want[i]), seen.Falls+max(0, want[i])
			ends = want[i] > 0 && !MayOrder(n, seen)
		}
		calls := 0
		s.Begin(first)
		ok := s.CompareTies(func(i, j uint32) int {
			if calls++; j != i+1 || first[i] != first[j] {
				t.Fatalf("%d is compared with %d", i, j)
			}
			return cmp.Compare(second[i], second[j])
		})
		if ok == ends {
			t.Fatalf("%d steps %+v: ties were compared to the end: %t", n-1, seen, ok)
		}
		if ended++; !ok {
			continue
		}
		ended--
		if got := s.Seen(); got.Rises != seen.Rises || got.Falls != seen.Falls {
			t.Fatalf("%+v, want %+v", got, seen)
		}
		for i, c := range want {
			if rise, fall := s.rises[i/64]>>(i%64)&1 != 0, s.falls[i/64]>>(i%64)&1 != 0; rise != (c < 0) || fall != (c > 0) {
				t.Fatalf("step %d of %d rises %t, falls %t, want %d", i, n-1, rise, fall, c)
			}
		}
		s.Begin(first) // the same by codes
		s.Add(second)
		if got := s.Seen(); got.Rises != seen.Rises || got.Falls != seen.Falls {
			t.Fatalf("by codes %+v, want %+v", got, seen)
		}
	}
	if ended < 100 {
		t.Errorf("%d were not compared to the end", ended)
	}
}

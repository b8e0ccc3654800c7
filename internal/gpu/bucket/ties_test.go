//go:build linux && (amd64 || arm64)

package bucket

import (
	"math/rand/v2"
	"testing"

	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
)

// TestTies compares estimates of ties with those of lists whose ties are known.
func TestTies(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w := gputest.Workspace(t, Modules...)
	const n = 1 << 20
	r := rand.New(rand.NewPCG(5, 6))
	groups := func(size uint64) []uint64 { // each value size times on average
		return gputest.Fill(n, func(int) uint64 { return dist.Scatter(r.Uint64N(n/size), 64) })
	}
	for _, c := range []struct {
		name                    string
		list                    []uint64
		linear, word, code, off float64 // ties, and the share by which estimates may be off
	}{
		{"uniform", gputest.Fill(n, func(int) uint64 { return r.Uint64() }), 0, 0, 0, 0},
		{"groups of 2", groups(2), 2, 2, 2, 0.3},
		{"groups of 8", groups(8), 8, 8, 8, 0.25},
		{"groups of 64", groups(64), 64, 64, 64, 0.25},
		{"clusters of 16", gputest.Fill(n, func(int) uint64 { return dist.Scatter(r.Uint64N(n/16), 64)>>40<<40 + r.Uint64()>>26 }), 8, 0, 0, 0.3}, // a part has two cells, so half of it shows as uneven parts
		{"leading words of 16", gputest.Fill(n, func(int) uint64 { return dist.Scatter(r.Uint64N(n/16), 64)>>24<<24 + r.Uint64()>>40 }), 16, 16, 0, 0.25},
	} {
		s := looked(t, w, &Sorter{}, c.list)
		near := func(what string, got, want float64) {
			if got < want*(1-c.off)-0.5 || got > want*(1+c.off)+0.5 {
				t.Errorf("%s: %s: %.2f ties, want %.0f", c.name, what, got, want)
			}
		}
		near("linear", s.linearTies(), c.linear)
		near("words", s.wordTies(), c.word)
		near("codes", s.codeTies(), c.code)
	}
}

// TestTiesOfCombs has codes in a third of each of 2^12 parts of the range, of which a bucket has three or four: buckets of the
// usual mean would be oversize.
func TestTiesOfCombs(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w := gputest.Workspace(t, Modules...)
	r := rand.New(rand.NewPCG(7, 9))
	list := gputest.Fill(1<<20, func(int) uint64 { return r.Uint64N(1<<12)<<52 + r.Uint64N(1<<52/3) })
	if ties := looked(t, w, &Sorter{}, list).linearTies(); ties < 4 {
		t.Errorf("%.2f ties", ties)
	}
}

// TestFullParts has buckets that are far fuller than those beside them, and codes whose density changes from part to part.
func TestFullParts(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w := gputest.Workspace(t, Modules...)
	for _, c := range []struct {
		dist string
		way  Spreading
		full bool
	}{
		{"uniform", Linear, false},
		{"gauss", Sections, false},
		{"log", Octaves, false},
		{"float normal", Quantiles, false},
		{"one in 1000 in clusters of 1100 within 0 bits", Linear, false}, // which are sorted
		{"one in 100 in clusters of 5000 within 0 bits", Linear, true},
		{"one in 100 in clusters of 5000 within 0 bits", Octaves, true},
		{"one in 10 in clusters of 5000 within 16 bits", Quantiles, true},
	} {
		list := make([]uint64, 1<<20)
		dist.Fill(list, dist.CodesNamed(c.dist), 1)
		s := looked(t, w, &Sorter{}, list)
		l := s.layout(c.way, unevenMargin)
		if share := s.fullParts(&l, c.way); share > mostFull(c.way) != c.full {
			t.Errorf("%v, %s: %.4f are in full parts", c.way, c.dist, share)
		}
	}
}

// TestTiedMean has mean sizes of buckets by ties: 3.4 standard deviations below the capacity.
func TestTiedMean(t *testing.T) {
	for ties, want := range map[float64]int{0: 920, 1: 881, 16: 663, 40: 525} {
		if got := tiedMean(ties); got < want-1 || got > want+1 {
			t.Errorf("%v ties: mean %d, want %d", ties, got, want)
		}
	}
	o := Options{}
	if _, err := o.meanFor(codes.Input{N: 1 << 24}, evenSlice, 3); err == nil {
		t.Error("32-bit codes: buckets of half the size")
	}
	if mean, err := o.meanFor(codes.Input{N: 1 << 24, Wide: true}, evenSlice, 40); err != nil || mean > 540 {
		t.Errorf("64-bit codes: mean %d, %v", mean, err)
	}
	if _, err := o.meanFor(codes.Input{N: 1 << 24, Wide: true}, evenSlice, 100); err == nil {
		t.Error("64-bit codes: buckets of a third of the size")
	}
}

// TestJagged finds densities that jump up and down, and none with a few jumps.
func TestJagged(t *testing.T) {
	count := func(f func(i int) uint32) (c []uint32) {
		for i := range 1024 {
			c = append(c, f(i))
		}
		return c
	}
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		name string
		list []uint32
		want bool
	}{
		{"even", count(func(int) uint32 { return 900 + r.Uint32N(200) }), false},
		{"floats", count(func(i int) uint32 { return []uint32{0, 1 << 18, 1 << 14, 1 << 10, 2, 0}[min(max(i-500, 0), 5)] }), false},
		{"nights", count(func(i int) uint32 { return []uint32{1000, 1000, 1000, 0}[i%4] }), true},
	} {
		if got := jagged(c.list); got != c.want {
			t.Errorf("%s: jagged %v", c.name, got)
		}
	}
}

package cpu

import (
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
)

// TestKeeper holds the kept elements to their promise: they are in order, and
// at most twice as many are dropped as must be, also when parts are joined.
func TestKeeper(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		codes := make([]uint32, 1+r.IntN(40))
		values := 1 + r.Uint32N(50)
		for i := range codes {
			codes[i] = uint32(i)
			if r.IntN(4) == 0 {
				codes[i] = r.Uint32N(values)
			}
		}
		f := newFinder(newEnv(1), len(codes), inMemory(codes, 0), nil)
		runs := runsIn(codes)
		cut := r.IntN(len(runs) + 1)
		parts := [2]runStack[uint32]{{finder: f}, {finder: f}}
		for _, run := range runs[:cut] {
			parts[0].add(run)
		}
		for _, run := range runs[cut:] {
			parts[1].add(run)
		}
		for _, run := range parts[1].spans {
			parts[0].add(run)
		}
		k := parts[0]
		k.dropped += parts[1].dropped

		var kept []uint32
		at := uint32(0)
		for _, s := range k.spans {
			if s.lo < at || s.hi <= s.lo {
				t.Fatalf("%v: spans %v", codes, k.spans)
			}
			at = s.hi
			kept = append(kept, codes[s.lo:s.hi]...)
		}
		least := len(codes) - longestRun(codes)
		if !slices.IsSorted(kept) || len(kept)+k.dropped != len(codes) || k.dropped > 2*least {
			t.Fatalf("%v: kept %v, dropped %d, %d must be", codes, kept, k.dropped, least)
		}
		checkNarrowed(t, f, k.spans)
	}
}

// checkNarrowed narrows the gaps between kept spans by codes and by comparisons. Both keep the
// same elements, all that they kept before, in order, and none that fits is left next to a span.
func checkNarrowed(t *testing.T, f *finder[uint32], spans []span) {
	t.Helper()
	byCodes, byKeys := slices.Clone(spans), slices.Clone(spans)
	for i := range max(len(spans), 1) - 1 {
		if end := f.narrowByCodes(&byCodes[i], &byCodes[i+1]); end != f.all[byCodes[i].hi-1] {
			t.Fatalf("%v: the last code of %v is %d", f.all, byCodes[i], end)
		}
		f.narrow(&byKeys[i], &byKeys[i+1])
	}
	if !slices.Equal(byCodes, byKeys) {
		t.Fatalf("%v: %v is narrowed to %v by codes, to %v by keys", f.all, spans, byCodes, byKeys)
	}
	last := uint32(0)
	for i, s := range byKeys {
		if s.lo > spans[i].lo || s.hi < spans[i].hi || !slices.IsSorted(f.all[s.lo:s.hi]) || f.all[s.lo] < last {
			t.Fatalf("%v: %v is narrowed to %v", f.all, spans, byKeys)
		}
		last = f.all[s.hi-1]
		if i+1 == len(byKeys) || s.hi == byKeys[i+1].lo {
			continue
		}
		next := byKeys[i+1]
		fits := func(c uint32) bool { return c >= last && c <= f.all[next.lo] }
		if fits(f.all[s.hi]) || fits(f.all[next.lo-1]) {
			t.Fatalf("%v: an element fits between %v and %v", f.all, s, next)
		}
	}
}

// TestFewStrays holds moves to the elements that do not fit: of strays apart from each
// other, their neighbours stay.
func TestFewStrays(t *testing.T) {
	const n, apart = 50_000, 40
	for _, back := range []bool{false, true} {
		codes := make([]uint64, n)
		for i := range codes {
			codes[i] = uint64(i + 1)
			if i%apart == apart/2 {
				codes[i] = uint64(i) * 7919 % n
			}
		}
		if back {
			slices.Reverse(codes)
		}
		env := newEnv(2)
		v, err := surveyAll(env, "survey", n, in(codes))
		if err != nil {
			t.Fatal(err)
		}
		l, err := detectIn(env, codes, v)
		if err != nil || l == nil || l.back != back || len(l.strays.src) > n/apart {
			t.Errorf("back %v: error %v, moves %v", back, err, l != nil)
		}
		env.Arena.Release(1)
	}
}

// runsIn returns the runs of codes that do not fall.
func runsIn(codes []uint32) []span {
	runs := []span{{0, 1}}
	for i := 1; i < len(codes); i++ {
		if codes[i] < codes[i-1] {
			runs = append(runs, span{uint32(i), uint32(i)})
		}
		runs[len(runs)-1].hi++
	}
	return runs
}

// longestRun returns the length of the longest subsequence in order.
func longestRun(codes []uint32) int {
	var ends []uint32 // ends[i] is the least end of such a subsequence of i+1
	for _, c := range codes {
		i := sort.Search(len(ends), func(i int) bool { return ends[i] > c })
		ends = append(ends[:i], append([]uint32{c}, ends[min(i+1, len(ends)):]...)...)
	}
	return len(ends)
}

// movers are codes that moves put in order, without a partition, each by its name.
var nearly = map[string]func(i, n int) uint64{
	"smallest last":           func(i, n int) uint64 { return uint64(i+1) << 40 * uint64((n-1-i+n)/n) },
	"rotated":                 func(i, n int) uint64 { return uint64((i+n/3)%n) << 40 },
	"rotated, each twice":     func(i, n int) uint64 { return uint64((i+n/3)%n/2) << 40 },
	"falling, rotated":        func(i, n int) uint64 { return uint64((n-i+n/3)%n) << 40 },
	"falling, each 3 times":   func(i, n int) uint64 { return uint64((n-i)/3) << 40 },
	"falling, each 200 times": func(i, n int) uint64 { return uint64((n-i)/200) << 40 },
	"falling, one moved": func(i, n int) uint64 {
		if i == n/3 {
			return 5 << 40
		}
		return uint64(n-i) << 40
	},
	"falling, each twice, some moved": func(i, n int) uint64 {
		if i%997 == 3 {
			return uint64(i*7919%n/2) << 40
		}
		return uint64((n-i)/2) << 40
	},
	"one in 97 moved": func(i, n int) uint64 {
		if i%97 == 5 {
			return uint64(i*7919%n) << 40
		}
		return uint64(i) << 40
	},
	"the least shuffled, then falling": func(i, n int) uint64 { // all strays come before the only segment
		if few := n / 100; i < few {
			return uint64(i*7919%few) << 40
		}
		return uint64(2*n-i) << 40
	},
	"falling, then the largest shuffled": func(i, n int) uint64 {
		if few := n / 100; i >= n-few {
			return uint64(2*n+i*7919%few) << 40
		}
		return uint64(n-i) << 40
	},
	"two blocks": func(i, n int) uint64 { return uint64(1-2*i/n) << 62 },
}

// TestLayouts sorts inputs that need no partition in every way: the order is right and
// stable, and no round was made.
func TestLayouts(t *testing.T) {
	turn := 0
	for name, code := range nearly {
		for _, n := range []int{9_001, 70_001, 300_000} {
			if turn++; testkit.Thinned(turn) {
				continue
			}
			codes := make([]uint64, n)
			for i := range codes {
				codes[i] = code(i, n)
			}
			for _, workers := range []int{1, 3} {
				for way, sort := range sorts(t, codes) {
					env := newEnv(workers)
					got, err := sort(env)
					if err != nil || !isStable(got, codes) {
						t.Errorf("%s, %s, n=%d, %d workers: wrong order, error %v", name, way, n, workers, err)
					}
					if env.Trace.Rounds != 0 || env.Trace.Shape == "" && way != "MoveRefined" {
						t.Errorf("%s, %s, n=%d, %d workers: %d rounds, shape %q", name, way, n, workers, env.Trace.Rounds, env.Trace.Shape)
					}
					env.Arena.Release(1)
				}
			}
		}
	}
}

// TestKeysThatChange compares keys that contradict the counted steps. Any moves that are found
// is still a permutation.
func TestKeysThatChange(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5_000 {
		n, seed, below := 2+r.IntN(1<<(2+r.IntN(12))), r.Uint64(), r.Uint64N(101)
		falls := 1 + r.IntN(1+n/nearFalls)
		follow := func(lo, hi int, _ engine.Ties) Steps {
			if lo == 0 {
				return Steps{Rises: hi - 1, Falls: falls}
			}
			return Steps{Rises: hi - lo}
		}
		compare := func(i, j uint32) int {
			drawn := rand.NewPCG(seed, uint64(i)<<32|uint64(j)).Uint64()
			if drawn%100 < below {
				return -1
			}
			return int(drawn >> 63)
		}
		l, err := Detect(newEnv(1+r.IntN(3)), n, follow, compare)
		if err != nil {
			t.Fatal(err)
		}
		if l == nil {
			continue
		}
		order := make([]uint32, n)
		l.order(order, 0)
		slices.Sort(order)
		for i, x := range order {
			if int(x) != i {
				t.Fatalf("n=%d: the moves leave out element %d", n, i)
			}
		}
	}
}

// TestCodesThatChange reads codes that change each time. Any moves that are found are still a
// permutation.
func TestCodesThatChange(t *testing.T) {
	testkit.SkipRace(t)
	r := rand.New(rand.NewPCG(5, 6))
	found := 0
	for i := range 600 {
		n, other := 2+r.IntN(1<<(6+r.IntN(11))), 1<<r.IntN(20)
		codes := make([]uint64, n)
		for i := range codes {
			if codes[i] = uint64(i) << 20; r.IntN(100) == 0 {
				codes[i] = r.Uint64() >> 20
			}
		}
		if i%2 == 0 {
			slices.Reverse(codes)
		}
		code := func(i uint32) uint64 {
			if r.IntN(other) == 0 {
				return r.Uint64()
			}
			return codes[i]
		}
		view := func(lo, hi int, buf []uint64) []uint64 {
			for i := range hi - lo {
				buf[i] = code(uint32(lo + i))
			}
			return buf[:hi-lo]
		}
		env := newEnv(1) // r is not safe for concurrent use
		v, err := surveyAll(env, "survey", n, in(codes))
		if err != nil || v.sorted() {
			continue
		}
		l, err := detect(env, n, words[uint64]{view: view, made: true, at: code}, v)
		if err != nil {
			t.Fatal(err)
		}
		if l == nil {
			continue
		}
		found++
		order := make([]uint32, n)
		l.order(order, 0)
		slices.Sort(order)
		for i, x := range order {
			if int(x) != i {
				t.Fatalf("n=%d: the moves leave out element %d", n, i)
			}
		}
		if err := Follow(env, PayloadOf(order), l); err != nil {
			t.Fatal(err)
		}
		slices.Sort(order)
		for i, x := range order {
			if int(x) != i {
				t.Fatalf("n=%d: the moved elements lack %d", n, i)
			}
		}
		env.Arena.Release(1)
	}
	if found < 50 {
		t.Errorf("moves were found %d times", found)
	}
}

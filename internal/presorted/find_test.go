package presorted

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"testing"
	"unsafe"

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
		f := newFinder(newEnv(1), len(codes), InMemory(codes, 0), nil)
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
		if end := f.narrowByCodes(&byCodes[i], &byCodes[i+1]); end != f.All[byCodes[i].hi-1] {
			t.Fatalf("%v: the last code of %v is %d", f.All, byCodes[i], end)
		}
		f.narrow(&byKeys[i], &byKeys[i+1])
	}
	if !slices.Equal(byCodes, byKeys) {
		t.Fatalf("%v: %v is narrowed to %v by codes, to %v by keys", f.All, spans, byCodes, byKeys)
	}
	last := uint32(0)
	for i, s := range byKeys {
		if s.lo > spans[i].lo || s.hi < spans[i].hi || !slices.IsSorted(f.All[s.lo:s.hi]) || f.All[s.lo] < last {
			t.Fatalf("%v: %v is narrowed to %v", f.All, spans, byKeys)
		}
		last = f.All[s.hi-1]
		if i+1 == len(byKeys) || s.hi == byKeys[i+1].lo {
			continue
		}
		next := byKeys[i+1]
		fits := func(c uint32) bool { return c >= last && c <= f.All[next.lo] }
		if fits(f.All[s.hi]) || fits(f.All[next.lo-1]) {
			t.Fatalf("%v: an element fits between %v and %v", f.All, s, next)
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
		v, err := SurveyWords(env, "survey", n, env.ChunkOf(n), InMemory(codes, 0))
		if err != nil {
			t.Fatal(err)
		}
		l, err := Find(env, n, InMemory(codes, 0), v, sortCodes)
		if err != nil || l == nil || l.back != back || len(l.strays.src) > n/apart {
			t.Errorf("back %v: error %v, moves %v", back, err, l != nil)
		}
		env.Arena.Release(1)
	}
}

// newEnv returns an environment of the given number of workers.
func newEnv(workers int) *engine.Env {
	env := new(engine.Env)
	env.Loop.Workers = workers
	return env
}

// sortCodes is a [SortFunc].
func sortCodes(_ *engine.Env, codes []uint64, place func(lo int, order []uint32)) error {
	order := make([]uint32, len(codes))
	Forward(order, 0)
	testkit.SortStable(order, func(i, j uint32) int { return cmp.Compare(codes[i], codes[j]) })
	place(0, order)
	return nil
}

// numbers moves elements of type uint32.
type numbers struct{}

func elementsOf(s []uint32) Elements {
	return Elements{numbers{}, unsafe.Pointer(unsafe.SliceData(s)), len(s)}
}

func (numbers) Size() uintptr      { return 4 }
func (numbers) Type() reflect.Type { return reflect.TypeFor[uint32]() }

func (numbers) at(p unsafe.Pointer, n int) []uint32 { return unsafe.Slice((*uint32)(p), n) }

func (m numbers) Copy(dst, src unsafe.Pointer, n int) { copy(m.at(dst, n), m.at(src, n)) }

func (m numbers) Exchange(front, back unsafe.Pointer, n int) {
	a, b := m.at(front, n), m.at(back, n)
	for i := range n {
		a[i], b[n-1-i] = b[n-1-i], a[i]
	}
}

func (m numbers) Gather(dst, src unsafe.Pointer, n int, index []uint32, _ bool) {
	to, from := m.at(dst, len(index)), m.at(src, n)
	for i, x := range index {
		to[i] = from[x]
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
		v, err := SurveyWords(env, "survey", n, env.ChunkOf(n), InMemory(codes, 0))
		if err != nil || v.Sorted() {
			continue
		}
		l, err := Find(env, n, Words[uint64]{View: view, Made: true, At: code}, v, sortCodes)
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
		if err := l.Follow(env, elementsOf(order)); err != nil {
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

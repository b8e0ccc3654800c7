package ties

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/testkit"
)

// levels are the keys of one word: codes by depth and element. It counts the calls for codes.
type levels struct {
	extract.FullKeys
	codes [][]uint64
	alike bool
	few   int   // the most elements that are sorted at once
	calls []int // by the number of codes
	asked func()
	mutex sync.Mutex
}

func (l *levels) ByDepth() bool { return l.alike }

func (l *levels) WithPivot(_ []uint32, p extract.Level) extract.Level {
	p.Window = 1
	return p
}

func (l *levels) Codes(dst []uint64, order []uint32, p extract.Level) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.asked != nil {
		l.asked()
	}
	if !l.alike && p.Window != 1 {
		panic("codes without a pivot")
	}
	l.calls = append(l.calls, len(order))
	for i, x := range order {
		dst[i] = l.codes[p.Depth][x]
	}
}

// NextDepth has some codes be of equal keys, where codes are not made alike.
func (l *levels) NextDepth(code uint64, p extract.Level) (depth int, more bool) {
	return p.Depth + 1, p.Depth+1 < len(l.codes) && (l.alike || !equalKeys(code))
}

func equalKeys(code uint64) bool { return code%5 == 3 }

// compare compares keys from a depth on.
func (l *levels) compare(a, b uint32, depth int) int {
	for _, codes := range l.codes[depth:] {
		if c := cmp.Compare(codes[a], codes[b]); c != 0 {
			return c
		}
		if !l.alike && equalKeys(codes[a]) {
			return 0
		}
	}
	return 0
}

func (l *levels) SortFew(order []uint32, p extract.Level) (same uint, ok bool) {
	if l.alike || len(order) > l.few {
		return 0, false
	}
	testkit.SortStable(order, func(a, b uint32) int { return l.compare(a, b, p.Depth) })
	for i := 1; i < len(order); i++ {
		if l.compare(order[i-1], order[i], p.Depth) == 0 {
			same |= 1 << i
		}
	}
	return same, true
}

// drawLevels draws codes of n elements at some depths.
func drawLevels(r *rand.Rand, n int) *levels {
	l := &levels{codes: make([][]uint64, 1+r.IntN(5)), alike: r.IntN(2) == 0, few: r.IntN(9)}
	for d := range l.codes {
		l.codes[d] = make([]uint64, n)
		values, often := 1+r.IntN([]int{1, 8, 1 + n/2}[r.IntN(3)]), r.IntN(4)
		for i := range l.codes[d] {
			if r.IntN(4) >= often {
				l.codes[d][i] = r.Uint64N(uint64(values))
			}
		}
	}
	return l
}

// sorted returns the order by the first depth, and its codes.
func (l *levels) sorted() (order []uint32, codes []uint64) {
	order = ascending32(len(l.codes[0]))
	testkit.SortStable(order, func(a, b uint32) int { return cmp.Compare(l.codes[0][a], l.codes[0][b]) })
	for _, x := range order {
		codes = append(codes, l.codes[0][x])
	}
	return order, codes
}

// noRows is the input of levels, which read no rows.
var noRows = extract.InputOf(cpu.PayloadOf([]uint32(nil)))

var firstLevel = extract.Level{Tail: true, Window: 1}

// TestLevels refines orders by one depth after another, in parts that workers may have got.
func TestLevels(t *testing.T) {
	testkit.SkipRace(t)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range testkit.Pick(2000, 10_000) {
		n := lengths[r.IntN(len(lengths)-1)]
		if i%1000 == 0 {
			n = largeTie + r.IntN(2)
		}
		l := drawLevels(r, n)
		if n > largeTie {
			clear(l.codes[0])
		}
		env := new(engine.Env)
		breaker := New(env, noRows, []extract.Word{{Full: l}})
		breaker.inPlace = r.IntN(2) == 0
		marks := Marks{make(engine.Ties, engine.TieWords(n))}
		order, codes := l.sorted()
		want := slices.Clone(order)
		testkit.SortStable(want, func(a, b uint32) int { return l.compare(a, b, 0) })
		if r.IntN(2) == 0 {
			breaker.Mark(marks, order)
		} else {
			marks = nil
		}
		whole, pieces := r.IntN(2) == 0, 0
		for lo := 0; lo < n; pieces++ {
			hi := n
			if !whole {
				hi = tieEnd(codes, min(n, lo+1+r.IntN(n)))
			}
			Refine(breaker, 0, order[lo:hi], codes[lo:hi], firstLevel)
			lo = hi
		}
		if err := breaker.Finish(nil); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(order, want) {
			t.Fatalf("case %d, %d elements, %d depths, alike %t, few %d, in place %t, %d pieces: wrong order", i, n, len(l.codes), l.alike, l.few, breaker.inPlace, pieces)
		}
		for i := range order {
			if tied := i > 0 && l.compare(want[i-1], want[i], 0) == 0; marks != nil && marks[0].Tied(i) != tied {
				t.Fatalf("%d elements, alike %t, few %d: place %d tied %t", n, l.alike, l.few, i, !tied)
			}
		}
		if w := &breaker.Work[0]; len(w.parts) > 0 || w.short.n > 0 || w.short.count > 0 || len(breaker.large) > 0 {
			t.Fatalf("%d parts, %d elements of %d runs, %d large runs are left", len(w.parts), w.short.n, w.short.count, len(breaker.large))
		}
		env.Arena.Release(1)
	}
}

// TestTogether counts the calls for the codes of short runs: as many are refined together as fit.
func TestTogether(t *testing.T) {
	for _, long := range []int{2, 3, 7, together/2 - 1, together / 2, together/2 + 1, together} {
		for runs := 1; runs <= 3*together/long+2; runs += 1 + runs/20 {
			n := long * runs
			l := &levels{codes: [][]uint64{make([]uint64, n), make([]uint64, n), make([]uint64, n)}, alike: true}
			for i := range n {
				l.codes[0][i] = uint64(i / long)
				l.codes[1][i] = uint64(i % 2)
			}
			env := new(engine.Env)
			breaker := New(env, noRows, []extract.Word{{Full: l}})
			order, codes := l.sorted()
			Refine(breaker, 0, order, codes, firstLevel)
			each := max(1, together/long)
			if long > together/2 { // its parts are short
				each = 1
			}
			want := (runs + each - 1) / each
			if long == together { // two parts of each are refined together
				want *= 2
			}
			if got := len(l.calls); long == together && got != want || long <= together/2 && got != want+deeper(long, want) || slices.Max(l.calls) > max(together, long) {
				t.Errorf("%d runs of %d: %d calls %d, want %d", runs, long, got, l.calls, want)
			}
			env.Arena.Release(1)
		}
	}
}

// deeper counts the calls at the last depth: runs of two differ before it.
func deeper(long, calls int) int {
	if long == 2 {
		return 0
	}
	return calls
}

// TestFewWait has runs of which parts tie: of all shapes at most 17 parts wait at a time.
func TestFewWait(t *testing.T) {
	testkit.SkipRace(t)
	const n, depths = largeTie, 40
	shapes := map[string]func(depth, i int) int{
		"pairs":           func(_, i int) int { return i / 2 },
		"first half":      func(depth, i int) int { return max(0, i-n>>depth) },
		"last half":       func(depth, i int) int { return min(i, n-n>>depth) },
		"all but last":    func(depth, i int) int { return max(0, i-n+3*depth) },
		"all but first":   func(depth, i int) int { return min(i, 3*depth) },
		"halves":          func(depth, i int) int { return i >> max(0, 16-depth) },
		"sixteenths":      func(depth, i int) int { return i >> max(0, 16-4*depth) },
		"rising lengths":  func(_, i int) int { return bits.Len(uint(i)) },
		"falling lengths": func(_, i int) int { return -bits.Len(uint(n - i)) },
	}
	for name, code := range shapes {
		l := &levels{codes: make([][]uint64, depths), alike: true}
		for d := range l.codes {
			l.codes[d] = make([]uint64, n)
			for i := range n {
				l.codes[d][i] = uint64(1<<20 + code(d+1, i))
			}
		}
		env := new(engine.Env)
		breaker := New(env, noRows, []extract.Word{{Full: l}})
		w := &breaker.Work[0]
		w.parts = make([]unrefined, 0, 17)
		memory, order := unsafe.SliceData(w.parts), ascending32(n)
		breaker.RefineTie(w, Tie{order, extract.Level{Tail: true}})
		breaker.refineShort(w)
		if unsafe.SliceData(w.parts) != memory {
			t.Errorf("%s: more than 17 parts waited", name)
		}
		if !slices.Equal(order, ascending32(n)) {
			t.Errorf("%s: wrong order", name)
		}
		env.Arena.Release(1)
	}
}

// TestLargeRuns has all workers sort a run together: out of place where the memory allows that, and in place with less.
func TestLargeRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for i := range testkit.Pick(16, 64) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		const before = 5 // elements that come after the run, and before it in the input
		n, cancels, marked, short := largeTie+r.IntN(2)+before, i%4 == 3, r.IntN(2) == 0, i%2 == 1
		l := drawLevels(r, n)
		l.alike = i%8 < 4
		for x := range l.codes[0] {
			l.codes[0][x] = 0
			if x < before {
				l.codes[0][x] = uint64(1 + x)
			}
		}
		if i%16 > 0 {
			for len(l.codes) < 4 {
				l.codes = append(l.codes, l.codes[len(l.codes)-1])
			}
			l.codes[1], l.codes[2] = make([]uint64, n), make([]uint64, n)
			for x := range n { // after the first depth, a run that waits for all others, or many
				l.codes[1][x], l.codes[2][x] = r.Uint64N(uint64(1+i%3*300)), r.Uint64N(5)*4
			}
		}
		ctx, env := &testkit.Ending{Context: t.Context()}, new(engine.Env)
		ctx.Left.Store(1 << 60)
		env.Loop.Workers = 1 + r.IntN(3)
		if cancels {
			env.Loop.Ctx = ctx
			calls := r.IntN(60)
			l.asked = func() {
				if calls--; calls < 0 {
					ctx.Left.Store(-1)
				}
			}
		}
		breaker := New(env, noRows, []extract.Word{{Full: l}})
		order, codes := l.sorted()
		marks := Marks{make(engine.Ties, engine.TieWords(n))}
		if marked {
			breaker.Mark(marks, order)
		}
		want := slices.Clone(order)
		testkit.SortStable(want, func(a, b uint32) int { return l.compare(a, b, 0) })
		Refine(breaker, 0, order, codes, firstLevel)
		if large := len(breaker.large) > 0; large != (n-before > largeTie && len(l.codes) > 1) {
			t.Fatalf("a run of %d waits for all workers: %t", n, large)
		}
		needed := env.Arena.Used() + largeBytes(env.Loop.Workers, 4, breaker.Words, n-before)
		if env.Limit = needed; short {
			env.Limit--
		}
		calls := len(l.calls)
		err := breaker.Finish(nil)
		if cancelled := ctx.Left.Load() < 0; cancelled != (err != nil) {
			t.Fatalf("cancelled %t, error %v", cancelled, err)
		} else if cancelled {
			env.Arena.Release(1)
			continue
		}
		if !slices.Equal(order, want) {
			t.Fatalf("case %d, %d elements: wrong order", i, n)
		}
		for i := range order {
			if tied := i > 0 && l.compare(want[i-1], want[i], 0) == 0; marked && marks[0].Tied(i) != tied {
				t.Fatalf("%d elements, alike %t: place %d tied %t", n, l.alike, i, !tied)
			}
		}
		if env.Arena.Peak() > env.Limit {
			t.Fatalf("%d elements: %d bytes, limit %d", n, env.Arena.Peak(), env.Limit)
		}
		inPlace := slices.ContainsFunc(env.Trace.Stages, func(s engine.Stage) bool { return s.Name == "in place" })
		if differs := len(l.codes) > 1 && slices.Max(l.codes[1]) > 0; n-before > largeTie && differs && len(l.calls) > calls && (inPlace != short || !short && env.Trace.Rounds == 0) {
			t.Fatalf("%d bytes, needed %d: in place %t, %d rounds", env.Limit, needed, inPlace, env.Trace.Rounds)
		}
		env.Arena.Release(1)
	}
}

// TestCodesOfRuns has one worker hold memory for the longest run alone.
func TestCodesOfRuns(t *testing.T) {
	env := new(engine.Env)
	l := &levels{codes: [][]uint64{make([]uint64, largeTie)}, alike: true}
	breaker := New(env, noRows, []extract.Word{{Full: l}})
	breaker.inPlace = true
	base, longest := env.Arena.Used(), 0
	for _, n := range []int{100, 3000, 3000, 200, 5000, 4999, 1, 9000} {
		breaker.RefineTie(&breaker.Work[0], Tie{ascending32(n), extract.Level{Tail: true}})
		longest = max(longest, n)
		if used := env.Arena.Used() - base; used != scratch.Size(longest, 8) {
			t.Errorf("%d bytes for runs of up to %d", used, longest)
		}
	}
	env.Arena.Release(1)
}

// TestCancelledLevels cancels before each call for codes: a few more follow, and nothing is left to be refined.
func TestCancelledLevels(t *testing.T) {
	testkit.SkipRace(t)
	r := rand.New(rand.NewPCG(7, 8))
	for range 1500 {
		n := lengths[r.IntN(len(lengths)-1)]
		l := drawLevels(r, n)
		ctx := &testkit.Ending{Context: t.Context()}
		ctx.Left.Store(1 << 60)
		before, after := r.IntN(1+r.IntN(30)), 0
		l.asked = func() {
			if before--; before < 0 {
				ctx.Left.Store(-1)
				after++
			}
		}
		env := new(engine.Env)
		env.Loop.Ctx = ctx
		breaker := New(env, noRows, []extract.Word{{Full: l}})
		order, codes := l.sorted()
		Refine(breaker, 0, order, codes, firstLevel)
		err := breaker.Finish(nil)
		if (err != nil) != (after > 0) {
			t.Fatalf("%d calls after the cancellation, error %v", after, err)
		}
		if w := &breaker.Work[0]; len(w.parts) > 0 || w.short.n > 0 || w.short.count > 0 {
			t.Fatalf("%d parts, %d elements of %d runs are left", len(w.parts), w.short.n, w.short.count)
		}
		slices.Sort(order)
		if !slices.Equal(order, ascending32(n)) {
			t.Fatal("elements are lost")
		}
		if most := 1; after > most && l.alike {
			t.Fatalf("%d elements, %d depths: %d calls after the cancellation", n, len(l.codes), after)
		}
		env.Arena.Release(1)
	}
}

// TestNextTie holds runs of equal codes to a loop.
func TestNextTie(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		codes := make([]uint32, r.IntN(20))
		for i := range codes {
			codes[i] = r.Uint32N(4)
		}
		slices.Sort(codes)
		for i := range len(codes) + 1 {
			from := i
			for from+1 < len(codes) && codes[from] != codes[from+1] {
				from++
			}
			end := from
			for end < len(codes) && codes[end] == codes[from] {
				end++
			}
			if from+1 >= len(codes) {
				from, end = len(codes), len(codes)
			}
			if a, b := NextTie(codes, i); a != from || b != end {
				t.Fatalf("%d from %d on: a run [%d, %d), want [%d, %d)", codes, i, a, b, from, end)
			}
			end = i
			for end > 0 && end < len(codes) && codes[end] == codes[end-1] {
				end++
			}
			if got := tieEnd(codes, i); got != end {
				t.Fatalf("%d: the run of %d ends at %d, want %d", codes, i, got, end)
			}
		}
	}
}

// TestNumberRuns numbers runs by where they begin.
func TestNumberRuns(t *testing.T) {
	for same := range uint(1 << cpu.Few / 16) {
		codes := make([]uint64, 12)
		numberRuns(codes, same&^1)
		for i := range codes[1:] {
			if tied := same>>(i+1)&1 != 0; tied != (codes[i+1] == codes[i]) || codes[i+1] < codes[i] {
				t.Fatalf("%b: runs %d", same, codes)
			}
		}
	}
}

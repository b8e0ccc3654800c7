package presorted

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/testkit"
)

// drawCodes draws codes of which about as many are out of place as moves admit, in one direction or the other, or runs of
// which about as many follow each other in another order.
func drawCodes(r *rand.Rand, n int) []uint64 {
	codes := rising(n, 1+r.IntN([]int{3, 30, 1 + n, 2 * n}[r.IntN(4)]))
	switch r.IntN(5) {
	case 0: // falls
		for range r.IntN(1 + 2*n/nearFalls) {
			if i := r.IntN(n); i > 0 {
				codes[i-1], codes[i] = codes[i], codes[i-1]
			}
		}
	case 1: // strays
		for range r.IntN([]int{4, 1 + n/nearDropped}[r.IntN(2)]) {
			codes[r.IntN(n)] = codes[r.IntN(n)]
		}
	case 2: // runs that take turns
		cuts := []int{0, n}
		for range r.IntN(2*blocksOf(n) + 2) {
			cuts = append(cuts, r.IntN(n))
		}
		slices.Sort(cuts)
		before := slices.Clone(codes)
		codes = codes[:0]
		for _, k := range r.Perm(len(cuts) - 1) {
			codes = append(codes, before[cuts[k]:cuts[k+1]]...)
		}
	case 3:
		slices.Reverse(codes)
	}
	if r.IntN(4) == 0 { // the highest code is the highest that there is
		for i, most := 0, slices.Max(codes); i < n; i++ {
			if codes[i] == most {
				codes[i] = math.MaxUint64
			}
		}
	}
	if r.IntN(3) == 0 {
		slices.Reverse(codes)
	}
	return codes
}

// TestFindDecides holds moves of one worker to the rule: they are found where few elements fall and few are dropped.
func TestFindDecides(t *testing.T) {
	testkit.SkipRace(t)
	r := rand.New(rand.NewPCG(81, 82))
	found, none := 0, 0
	for i := range testkit.Pick(1500, 9000) {
		n := []int{2, 15, 16, 17, 31, 32, 33, 200, 1000, 2047, 2048, 2049, 3*blockLen + 5, 6 * blockLen, 10_000}[r.IntN(15)]
		codes := drawCodes(r, n)
		env := newEnv(1)
		v, err := SurveyWords(env, "survey", n, env.ChunkOf(n), InMemory(codes, 0))
		if err != nil {
			t.Fatal(err)
		}
		if v.Sorted() {
			continue
		}
		views, used := 0, env.Arena.Used()
		words := InMemory(codes, 0)
		words.View = func(lo, hi int, _ []uint64) []uint64 {
			views++
			return codes[lo:hi]
		}
		l, err := Find(env, n, words, v, sortCodes)
		if err != nil {
			t.Fatal(err)
		}
		if l == nil && env.Arena.Used() != used {
			t.Fatalf("case %d: %d bytes are held for no moves", i, env.Arena.Used()-used)
		}
		few, back := v.Falls < blocksOf(n), v.Rises < v.Falls/2 || v.Falls > n/nearFalls
		tried := map[bool]bool{}
		if few {
			tried[false] = true
		}
		if v.Rises > 0 && min(v.Falls, v.Rises) <= n/nearFalls {
			tried[back] = true
		}
		blocks := map[bool]map[int]bool{false: {}, true: {}}
		for i := 1; i < n; i++ {
			if codes[i] != codes[i-1] {
				blocks[codes[i] > codes[i-1]][i/engine.Block] = true
			}
		}
		if most := 2*len(blocks[false])*bit(tried[false]) + 2*len(blocks[true])*bit(tried[true]); views > most {
			t.Fatalf("case %d: %d views of codes, of %d", i, views, most)
		}
		must := v.Rises == 0
		for back := range tried {
			read := slices.Clone(codes)
			if back {
				slices.Reverse(read)
			}
			must = must || n >= nearDropped && dropped(n, func(i, j int) bool { return read[i] > read[j] }) <= n/nearDropped
		}
		name := fmt.Sprintf("case %d: %d codes, %d falls, %d rises", i, n, v.Falls, v.Rises)
		switch {
		case must && l == nil:
			t.Fatalf("%s: no moves", name)
		case l == nil:
			none++
		case !must && (len(l.strays.src) > 0 || min(v.Falls, v.Rises) >= blocksOf(n)):
			t.Fatalf("%s: moves of %d segments and %d strays", name, len(l.segments), len(l.strays.src))
		default:
			found++
			if len(l.strays.src) > n/nearDropped {
				t.Fatalf("%s: %d strays", name, len(l.strays.src))
			}
			checkMoves(t, env, l, codes, name)
			checkShape(t, name, env, l, codes)
			checkLongest(t, name, l)
		}
		env.Arena.Release(1)
		env = newEnv(1) // the same by comparisons
		if l, err = movesBy(env, 1, codes, nil); err != nil || must && n > 64 && l == nil && min(v.Falls, v.Rises) <= n/fewKeySteps {
			t.Fatalf("%s: no moves by comparisons, error %v", name, err)
		} else if l != nil {
			checkMoves(t, env, l, codes, name)
		}
		env.Arena.Release(1)
	}
	if found < 400 || none < 200 {
		t.Errorf("moves were found %d times, and not %d times", found, none)
	}
}

func bit(set bool) int {
	if set {
		return 1
	}
	return 0
}

// checkShape holds the shape that is reported to the moves.
func checkShape(t *testing.T, name string, env *engine.Env, l *Moves, codes []uint64) {
	t.Helper()
	n, want := len(codes), engine.Rotated
	long := false
	for _, g := range l.segments {
		long = long || int(g.n) >= n-n/nearDropped
	}
	switch {
	case l.back && len(l.segments) == 1 && len(l.strays.src) == 0 && int(l.segments[0].n) == n:
		want = engine.Reversed
	case l.back && (long || len(l.strays.src) > 0):
		want = engine.NearlyReversed
	case long || len(l.strays.src) > 0:
		want = engine.NearlySorted
	}
	if got := env.Trace.Shape; got != want {
		t.Fatalf("%s: shape %q, want %q: %v", name, got, want, l.segments)
	}
}

// checkLongest has the longest of segments in another order stay in place, where there are no strays.
func checkLongest(t *testing.T, name string, l *Moves) {
	t.Helper()
	longest, stay := uint32(0), []segment(nil)
	for _, g := range l.segments {
		if longest = max(longest, g.n); !g.aside {
			stay = append(stay, g)
		}
	}
	if len(l.strays.src) == 0 && (len(stay) != 1 || stay[0].n != longest) {
		t.Fatalf("%s: %v of %v stay", name, stay, l.segments)
	}
}

// TestMovesOfLongInputs moves elements of several chunks, by several workers.
func TestMovesOfLongInputs(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 84))
	found := 0
	for i := range testkit.Pick(80, 300) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := engine.Chunk + 1 + r.IntN(3*engine.Chunk)
		if i < 2 { // more runs than one worker takes
			n = 10 * engine.Chunk
		}
		codes := make([]uint32, n)
		Forward(codes, 0)
		shift := func(lo, mid, hi int) {
			part := slices.Clone(codes[lo:mid])
			copy(codes[lo:], codes[mid:hi])
			copy(codes[lo+hi-mid:], part)
		}
		switch kind := r.IntN(4); {
		case i < 2:
			for range 2*leastRuns + r.IntN(leastRuns/2) {
				lo := 2 * r.IntN(n/2-1)
				codes[lo], codes[lo+1] = codes[lo+1], codes[lo]
			}
		case kind == 0:
			shift(0, r.IntN(n), n)
		case kind == 1:
			for range 3 {
				cuts := []int{r.IntN(n), r.IntN(n), r.IntN(n)}
				slices.Sort(cuts)
				shift(cuts[0], cuts[1], cuts[2])
			}
		case kind == 2:
			for range 1 + r.IntN(n/45) {
				lo := r.IntN(n - 1)
				hi := min(n, lo+2+r.IntN(1+r.IntN(1000)))
				shift(lo, lo+1, hi)
			}
		default:
			for range 1 + r.IntN(20) {
				lo := r.IntN(n - 1)
				shift(lo, lo+1, n)
			}
			shift(engine.Chunk, engine.Chunk+1, n) // a stray that belongs to the beginning of a chunk
		}
		if r.IntN(3) == 0 {
			slices.Reverse(codes)
		}
		env := newEnv(2 + r.IntN(3)*bit(i%8 > 0))
		v, err := SurveyWords(env, "survey", n, env.ChunkOf(n), InMemory(codes, 0))
		if err != nil {
			t.Fatal(err)
		}
		if v.Sorted() {
			continue
		}
		sort := func(_ *engine.Env, some []uint32, place func(lo int, order []uint32)) error {
			order := make([]uint32, len(some))
			Forward(order, 0)
			testkit.SortStable(order, func(i, j uint32) int { return cmp.Compare(some[i], some[j]) })
			half := len(order) / 2
			place(half, order[half:])
			place(0, order[:half])
			return nil
		}
		l, err := Find(env, n, InMemory(codes, 0), v, sort)
		if err != nil {
			t.Fatal(err)
		}
		if l == nil {
			continue
		}
		found++
		order := make([]uint32, n)
		if err := l.Write(env, order, nil); err != nil {
			t.Fatal(err)
		}
		for i, x := range order {
			if codes[x] != uint32(i) {
				t.Fatalf("%d codes: %d at place %d", n, codes[x], i)
			}
		}
		moved, used := slices.Clone(codes), env.Arena.Used()
		if err := l.Follow(env, elementsOf(moved)); err != nil {
			t.Fatal(err)
		}
		var most scratch.Area
		if SizeFollow(&most, n, 4); env.Arena.Used()-used > most.Bytes() {
			t.Fatalf("%d bytes to follow moves of %d", env.Arena.Used()-used, n)
		}
		for i, c := range moved {
			if c != uint32(i) {
				t.Fatalf("%d codes, %d segments, %d strays, %d workers, back %t: %d at place %d", n, len(l.segments), len(l.strays.src), env.Loop.Workers, l.back, c, i)
			}
		}
		env.Arena.Release(1)
	}
	if found < 20 && !testkit.ThinnedByRace(1) {
		t.Errorf("moves were found %d times", found)
	}
}

// TestSearchCancelled cancels searches at each question. They report it.
func TestSearchCancelled(t *testing.T) {
	r := rand.New(rand.NewPCG(85, 86))
	cancelled := 0
	for i := range testkit.Pick(400, 4000) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := 16 + r.IntN(1<<(8+r.IntN(9)))
		codes := drawCodes(r, n)
		ctx := &testkit.Ending{Context: t.Context()}
		if ctx.Left.Store(r.Int64N(1 + r.Int64N(1<<r.IntN(8)))); i%2 == 0 {
			ctx.Left.Store(1 << 60)
		}
		env := newEnv(1 + r.IntN(3))
		env.Loop.Ctx = ctx
		l, err := movesBy(env, r.IntN(3), codes, r)
		if err == nil && l != nil && !slices.IsSorted(codes) {
			tie := func(i, j uint32) bool { return codes[i] == codes[j] }
			err = l.Write(env, make([]uint32, n), tie)
			if ctx.Left.Load() >= 0 {
				ctx.Left.Store(r.Int64N(20))
				err = checkSettle(t, env, l, codes)
			}
		}
		if (ctx.Left.Load() < 0) != errors.Is(err, context.Canceled) || err != nil && l != nil && ctx.Left.Load() >= 0 {
			t.Fatalf("%d codes: error %v, cancelled %t", n, err, ctx.Left.Load() < 0)
		}
		if err != nil {
			cancelled++
		}
		env.Arena.Release(1)
	}
	if cancelled < 100 && !testkit.ThinnedByRace(1) {
		t.Errorf("%d searches were cancelled", cancelled)
	}
}

// checkSettle moves elements, or leaves them as they are.
func checkSettle(t *testing.T, env *engine.Env, l *Moves, codes []uint64) error {
	t.Helper()
	elements, read := make([]uint32, len(codes)), make([]uint32, len(codes))
	for i, c := range codes {
		elements[i], read[i] = uint32(c), uint32(c)
	}
	done, err := l.Settle(env, elementsOf(elements))
	switch {
	case err == nil && done && !slices.IsSorted(elements):
		t.Fatalf("%d elements are moved, in no order", len(codes))
	case err != nil && !l.back && !slices.Equal(elements, read):
		t.Fatalf("%d elements are moved, error %v", len(codes), err)
	}
	return err
}

// goroutine returns the number of the calling goroutine, as its stack has it.
func goroutine() string {
	var stack [40]byte
	name, _, _ := bytes.Cut(stack[:runtime.Stack(stack[:], false)], []byte(" ["))
	return string(name)
}

// lonely is keys that one goroutine compares.
type lonely struct {
	t    *testing.T
	rest []uint64
	on   string
}

func (k lonely) Compare(i, j uint32) int {
	if i%16 == 0 && goroutine() != k.on {
		k.t.Error("keys are compared by several goroutines")
	}
	return cmp.Compare(k.rest[i], k.rest[j])
}

func (k lonely) Concurrent() bool { return false }

// TestOneGoroutineCompares has keys that are not safe for concurrent use compared by one goroutine.
func TestOneGoroutineCompares(t *testing.T) {
	r := rand.New(rand.NewPCG(87, 88))
	for _, shape := range []string{"strays", "rotated", "reversed", "reversed with strays"} {
		const n = 1 << 20
		codes := shapes[shape](r, n, n/2)
		if strings.HasSuffix(shape, "strays") { // as many runs as two workers may take, in few blocks
			codes = rising(n, n/2)
			for i := 4; i < n/scatteredBlocks; i += n / scatteredBlocks / (leastRuns + 300) {
				codes[i] = codes[i-4]
			}
			if shape != "strays" {
				slices.Reverse(codes)
			}
		}
		env := newEnv(3)
		short := make([]uint64, n)
		for i, c := range codes {
			short[i] = c >> 6
		}
		v, err := SurveyWords(env, "survey", n, env.ChunkOf(n), InMemory(short, 0))
		if err != nil {
			t.Fatal(err)
		}
		check := NewCheck(env, n, false)
		for lo := 0; lo < n; lo += engine.Block {
			check.Count(lo, StepsOf(codes[check.From(lo):min(lo+engine.Block, n)]))
		}
		v.ByKeys = check.Join(func(at int) Steps { return StepsOf(codes[at-1 : at+1]) })
		for i := 1; i < n; i++ {
			if codes[i] == codes[i-1] {
				check.Ties().Set(i)
			}
		}
		keys := lonely{t, codes, goroutine()}
		l, err := FindByKeys(env, short, v, keys)
		if err != nil || l == nil {
			t.Fatalf("%s: moves %v, error %v", shape, l != nil, err)
		}
		if shape == "reversed" && l.known == nil {
			t.Error("ties of a reversed input are to be compared again")
		}
		index := make([]uint32, n)
		tie := func(i, j uint32) bool { return short[i] == short[j] && keys.Compare(i, j) == 0 }
		if err := l.Write(env, index, tie); err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(index, func(a, b uint32) int { return cmp.Or(cmp.Compare(codes[a], codes[b]), cmp.Compare(a, b)) }) {
			t.Errorf("%s: wrong order", shape)
		}
		env.Arena.Release(1)
	}
}

// TestScattered ends a check where more than a part of the blocks have steps in the rarer direction, unless these are few.
func TestScattered(t *testing.T) {
	for _, n := range []int{16 * engine.Block, 64 * engine.Block, leastScattered - engine.Block, leastScattered, 4 * leastScattered} {
		for _, workers := range []int{1, 2} {
			for _, concurrent := range []bool{false, true} {
				most, some := n/fewKeySteps, max(1, n/engine.Block/scatteredBlocks)
				if n >= leastScattered && (concurrent || workers == 1) {
					most = n / someKeySteps
				}
				for _, steps := range []int{some, most, most + 1, 3 * most} {
					for _, blocks := range []int{some, some + 1} {
						if steps < blocks {
							continue
						}
						env := newEnv(workers)
						check := NewCheck(env, n, concurrent)
						if check.found.blocks() > int64(n/engine.Block) {
							continue // chunks are longer than the rest
						}
						for b := range blocks {
							own := steps / blocks
							if b < steps%blocks {
								own++
							}
							check.Count(b*engine.Block, Steps{Rises: engine.Block - own, Falls: own})
						}
						over := blocks > some && steps > most
						if check.Over() != over || (check.Join(func(int) Steps { return Steps{} }) == nil) != over {
							t.Errorf("%d elements, %d workers, concurrent %t: %d steps in %d blocks, over %t", n, workers, concurrent, steps, blocks, !over)
						}
						env.Arena.Release(1)
					}
				}
			}
		}
	}
	// The rarer direction of all is that of no block: half of the elements rise, half fall.
	check := NewCheck(newEnv(1), 64*engine.Block, true)
	for b := range 64 {
		if b < 32 {
			check.Count(b*engine.Block, Steps{Rises: engine.Block})
		} else {
			check.Count(b*engine.Block, Steps{Falls: engine.Block})
		}
	}
	if check.Over() || check.Join(func(int) Steps { return Steps{} }) != nil {
		t.Error("moves of elements of which half rise and half fall")
	}
}

// TestDetectSorted reports the shapes of elements in order, and does not move them. Elements in no order are not read to the end.
func TestDetectSorted(t *testing.T) {
	const n = 1 << 18
	for values, shape := range map[int]engine.Shape{1: engine.Flat, n: engine.Sorted, 2: engine.Sorted} {
		env, codes := newEnv(2), rising(n, values)
		l, err := movesBy(env, 3, codes, nil)
		if err != nil || l == nil || env.Trace.Shape != shape {
			t.Fatalf("%d values: error %v, shape %q", values, err, env.Trace.Shape)
		}
		elements := make([]uint32, n)
		Forward(elements, 0)
		if err := l.Follow(env, elementsOf(elements)); err != nil || !InPlaces(elements, 0) {
			t.Errorf("%d values: error %v, or elements moved", values, err)
		}
		env.Arena.Release(1)
	}
	read, env := 0, newEnv(1)
	l, err := Detect(env, n, func(lo, hi int, _ engine.Ties) Steps {
		read += hi - lo
		return Steps{Rises: (hi - lo) / 2, Falls: (hi - lo) / 2}
	}, func(i, j uint32) int { return 0 })
	if l != nil || err != nil || read > 2*n/mostKeySteps+2*engine.Block {
		t.Errorf("moves %v, error %v, %d of %d elements read", l != nil, err, read, n)
	}
}

// TestParts has parts end between elements that do not tie, the first after each multiple of the grain.
func TestParts(t *testing.T) {
	testkit.SkipRace(t)
	r := rand.New(rand.NewPCG(89, 90))
	for range 1000 {
		n, grain := 1+r.IntN(300), 1+r.IntN(80)
		codes, known := make([]uint32, n), make(engine.Ties, engine.TieWords(n))
		for i := range codes[1:] {
			if codes[i+1] = codes[i]; r.IntN(1+n/4) < 3 {
				codes[i+1]++
			}
		}
		tie := func(i, j uint32) bool { return codes[i] == codes[j] }
		want := []int{0}
		for last := 0; last < n; {
			next := max(last, min(n, len(want)*grain))
			for next > 0 && next < n && codes[next] == codes[next-1] {
				next++
			}
			want, last = append(want, next), next
		}
		want = slices.Compact(want)
		for way := range 2 {
			l, got := Whole(n), []int{0}
			if way == 1 { // from the end
				for i := 1; i < n; i++ {
					if codes[n-1-i] == codes[n-i] {
						known.Set(i)
					}
				}
				l.known = known
			}
			if err := l.Parts(newEnv(1), grain, tie, func(_, lo, hi int) { got = append(got, hi) }); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%d, grain %d, way %d: parts end at %d, want %d, error %v", codes, grain, way, got, want, err)
			}
		}
		alone, parts := Whole(n), 0
		alone.alone = true
		if err := alone.Parts(newEnv(3), grain, nil, func(_, lo, hi int) { parts += hi - lo }); err != nil || parts != n {
			t.Fatalf("one part of %d of %d", parts, n)
		}
		if l := Whole(n); l.HasTies() || l.n != n {
			t.Fatal("all stay, and tie")
		}
	}
}

// TestTally reports what chunks say at the bounds of each answer.
func TestTally(t *testing.T) {
	for i, c := range []struct {
		tally tally[uint64]
		want  engine.Sample
	}{
		{tally[uint64]{up: true, n: 300, again: 300}, engine.Ordered}, {tally[uint64]{down: true, n: 300}, engine.Ordered},
		{tally[uint64]{n: 300, again: 200}, engine.Few}, {tally[uint64]{n: 300, again: 199}, engine.Mixed}, {tally[uint64]{n: 300, again: 201}, engine.Few},
		{tally[uint64]{n: 300, chunks: 8, rises: 6, falls: 1}, engine.Drifting}, {tally[uint64]{n: 300, chunks: 8, rises: 1, falls: 6}, engine.Drifting},
		{tally[uint64]{n: 300, chunks: 7, rises: 6}, engine.Mixed}, {tally[uint64]{n: 300, chunks: 8, rises: 5, falls: 2}, engine.Mixed},
		{tally[uint64]{n: 300, chunks: 16, rises: 13, falls: 2}, engine.Drifting}, {tally[uint64]{n: 300, chunks: 16, rises: 12, falls: 3}, engine.Mixed},
		{tally[uint64]{n: 300, chunks: 16, rises: 12, falls: 2}, engine.Mixed}, {tally[uint64]{n: 300, chunks: 8, rises: 5, falls: 1}, engine.Mixed},
	} {
		if got := c.tally.sample(); got != c.want {
			t.Errorf("case %d: %v, want %v", i, got, c.want)
		}
	}
	var a tally[uint64] // middles that rise, tie and fall
	for chunk, code := range []uint64{640, 6400, 6400, 64, 6400} {
		a.add(chunk*SampleLen, func(lo, hi int, buf []uint64) []uint64 {
			for i := range hi - lo {
				buf[i] = code + uint64(i)
			}
			return buf[:hi-lo]
		})
	}
	if a.rises != 2 || a.falls != 1 || a.chunks != 5 || a.n != 5*SampleLen || a.again != 2*SampleLen || a.up || a.down {
		t.Errorf("%d rises, %d falls of %d chunks, %d of %d came again", a.rises, a.falls, a.chunks, a.again, a.n)
	}
	if !SampleSteps(2*engine.Block, func(lo, hi int) Steps { return Steps{Rises: hi - lo} }) {
		t.Error("two blocks are not sampled")
	}
}

// TestStraysAtTheEnd moves strays before all others of an input that falls, which stay in one segment.
func TestStraysAtTheEnd(t *testing.T) {
	codes := []uint64{3, 5}
	for i := range 1500 {
		codes = append(codes, uint64(2000-i))
	}
	env := newEnv(1)
	l, err := movesBy(env, 0, codes, nil)
	if err != nil || l == nil || len(l.segments) != 1 || len(l.strays.src) == 0 {
		t.Fatalf("moves %v, error %v", l, err)
	}
	checkMoves(t, env, l, codes, "two strays")
	env.Arena.Release(1)
	check := NewCheck(newEnv(1), 1000, true)
	check.Count(0, Steps{Rises: 999})
	if m := check.Join(nil); m == nil || m.Tied || !m.Sorted() {
		t.Errorf("rising elements have marks %+v", m)
	}
}

// TestOver ends a check where the steps in the rarer direction are too many.
func TestOver(t *testing.T) {
	for _, n := range []int{1, 1000, 64 * 1000, 64*1000 + 63} {
		most := n/mostKeySteps + engine.Block/4
		check := NewCheck(newEnv(1), n, true)
		check.Count(0, Steps{Rises: 1 << 20, Falls: most})
		if check.Over() {
			t.Errorf("%d elements: over after %d steps", n, most)
		}
		check.Count(0, Steps{Rises: 1, Falls: 1 << 20, Ties: 3})
		if !check.Over() || check.Join(func(int) Steps { return Steps{} }) != nil {
			t.Errorf("%d elements: not over after %d steps", n, most+1)
		}
	}
}

// TestChunk has workers fill a part of the places at a time, one worker all.
func TestChunk(t *testing.T) {
	for _, n := range []int{1, engine.Chunk, 1 << 24} {
		for workers := range 20 {
			want := n
			if workers > 1 {
				want = max(n/(4*workers)+1, engine.Chunk)
			}
			if got := Whole(n).chunk(workers); got != want {
				t.Errorf("%d places, %d workers: %d at a time, want %d", n, workers, got, want)
			}
		}
	}
}

// TestSizeFind has memory for as many falls, runs and strays as moves admit.
func TestSizeFind(t *testing.T) {
	for _, n := range []int{0, 1, 2, 15, 16, 40, 1000, 2 * blockLen, 1 << 16, mostBlocks*blockLen - 1, mostBlocks * blockLen, 1 << 24} {
		var a, want scratch.Area
		sorted := -1
		SizeFind(&a, n, 3, 4, func(strays int) { sorted = strays })
		blocks, strays := max(2, min(mostBlocks, n/blockLen)), n/nearDropped
		if n >= 2 {
			falls := max(n/nearFalls, blocks)
			want.Hold(3*scratch.Size(engine.Block, 4) + scratch.Size(falls, 4))
			for _, spans := range []int{falls + 1, falls + 1, blocks} {
				want.Hold(scratch.Size(spans, unsafe.Sizeof(span{})))
			}
			want.Hold(scratch.Size(3*blocks, unsafe.Sizeof(segment{})))
			if strays > 0 {
				want.Hold(4*scratch.Size(strays, 4) + scratch.Size(falls+1, 4) + scratch.Size(falls+2, 4))
				want.Hold(scratch.Size(falls+1+strays, unsafe.Sizeof(segment{})))
			}
		}
		if a.Bytes() != want.Bytes() {
			t.Errorf("%d codes: %d bytes, want %d", n, a.Bytes(), want.Bytes())
		}
		if n >= 16 && sorted != strays || n < 16 && sorted != -1 {
			t.Errorf("%d codes: a sort of %d strays, want %d", n, sorted, strays)
		}
		var detect scratch.Area
		SizeDetect(&detect, n, 3)
		var with scratch.Area
		with.Hold(scratch.Size(engine.TieWords(n), 4))
		SizeFind(&with, n, 3, 8, nil)
		if detect.Bytes() != with.Bytes() {
			t.Errorf("%d elements: %d bytes, want %d", n, detect.Bytes(), with.Bytes())
		}
	}
}

// TestReport records what a survey says of an input in order.
func TestReport(t *testing.T) {
	sorted, rising := &Marks{}, &Marks{Rises: 1}
	for _, c := range []struct {
		least, most uint64
		byKeys      *Marks
		shape       engine.Shape
	}{{1, 2, nil, engine.Sorted}, {2, 2, nil, engine.Flat}, {2, 2, sorted, engine.Flat}, {2, 2, rising, engine.Sorted}, {1, 2, sorted, engine.Sorted}} {
		env := newEnv(1)
		v := Survey[uint64]{Min: c.least, Max: c.most, ByKeys: c.byKeys}
		if v.Report(env); env.Trace.Shape != c.shape {
			t.Errorf("%+v: shape %q", c, env.Trace.Shape)
		}
		if v.InOrder() != (c.byKeys != nil) || v.Span() != c.most-c.least || v.Width() != int(c.most-c.least) {
			t.Errorf("%+v: in order %t, span %d, %d bits", c, v.InOrder(), v.Span(), v.Width())
		}
	}
	if v := (Survey[uint64]{ByKeys: &Marks{Falls: 1}}); v.InOrder() {
		t.Error("in order with a fall")
	}
}

// TestSamplePlaces reads chunks at even distances: few, and more where all of these ascend.
func TestSamplePlaces(t *testing.T) {
	for _, n := range []int{2*engine.Block - 1, 2 * engine.Block, 3*sampleStep - 1, 3 * sampleStep, 20 * sampleStep, 3*moreStep - 1, 3 * moreStep, 40*moreStep + 5} {
		for _, more := range []bool{false, true} {
			for breaks := range 8 { // in a chunk of the second turn
				falls := breaks >= 4
				breaks := breaks % 4
				var at []int
				want := []int(nil)
				if chunks := min(max(n/sampleStep, 2), samples); n >= 2*engine.Block {
					for i := range chunks {
						want = append(want, (n-SampleLen)/(chunks-1)*i)
					}
				}
				first, shape := len(want), engine.Ordered
				if first == 0 {
					shape = engine.Mixed
				}
				for i := range n / moreStep {
					if more && first > 0 && (breaks == 0 || i < breaks) {
						want = append(want, n/(n/moreStep)*i)
						if i == breaks-1 && i > 0 {
							shape = engine.Drifting
						}
					}
				}
				got := SampleOf(n, more, func(lo, hi int, buf []uint64) []uint64 {
					if hi-lo != SampleLen || lo < 0 || hi > n || len(buf) < SampleLen {
						t.Fatalf("a chunk [%d, %d) of %d", lo, hi, n)
					}
					at = append(at, lo)
					for i := range SampleLen {
						if buf[i] = uint64(lo+i) << 20; falls {
							buf[i] = ^buf[i]
						}
						if len(at)-first == breaks && breaks > 1 && len(at) > first {
							buf[i] = uint64(i % 2)
						}
					}
					return buf[:SampleLen]
				})
				if breaks == 1 {
					continue // the first chunk alone
				}
				if got != shape || !slices.Equal(at, want) {
					t.Errorf("%d codes, more %t, breaks %d: %v of chunks %d, want %v of %d", n, more, breaks, got, at, shape, want)
				}
			}
		}
	}
}

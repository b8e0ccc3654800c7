package cpu

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/cpu/papers"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/vecsort"
)

// drawnSizes are lengths about those from which codes take another way.
var drawnSizes = []int{
	1, 2, 3, bucket.ShortSort - 1, bucket.ShortSort, bucket.ShortSort + 1, 40, 64, 127, 128, 129, 300, 1023, 1024, 1025, 2048,
	2049, 4095, 4096, 5000, leastTarget - 1, leastTarget, leastTarget + 1, leastTarget + 200, 10_000, 17_000,
}

// drawnLarge are lengths at which codes are partitioned.
var drawnLarge = []int{24_000, 33_000, bucket.MaxLen*3/4 + 1, bucket.MaxLen - 1, bucket.MaxLen, bucket.MaxLen + 1, 70_000, 120_000}

// drawCodes draws n codes of a shape.
func drawCodes[C Code](r *rand.Rand, n int) (shape string, codes []C) {
	width := 8 * int(unsafe.Sizeof(C(0)))
	lowest, high := C(r.Uint64()), C(1)<<(width-1)
	few := 1 + r.IntN(9)
	values := make([]C, few)
	for i := range values {
		values[i] = C(r.Uint64())
	}
	narrow := C(1)<<(1+r.IntN(width-1)) - 1
	one, other, step := values[0], ^C(0)*C(r.IntN(2)), 1+r.IntN(40)
	shapes := []struct {
		name string
		code func(i int) C
	}{
		{"uniform", func(int) C { return C(r.Uint64()) }},
		{"few values", func(int) C { return values[r.IntN(few)] }},
		{"few values and others", func(int) C {
			if r.IntN(5) == 0 {
				return C(r.Uint64())
			}
			return values[r.IntN(few)]
		}},
		{"few values and fewer others", func(int) C {
			if r.IntN(30) == 0 {
				return C(r.Uint64())
			}
			return values[r.IntN(min(few, heavyValues))]
		}},
		{"a crowd at an end", func(int) C {
			if r.IntN(4) == 0 {
				return other
			}
			return one>>1 + C(r.Uint64())>>2
		}},
		{"narrow", func(int) C { return lowest + C(r.Uint64())&narrow }},
		{"a small range", func(int) C { return lowest + C(r.IntN(n+1)) }},
		{"a smaller range", func(int) C { return lowest/2 + C(r.IntN(n/9+2)) }},
		{"clusters", func(int) C { return C(r.IntN(n/50+1))*(^C(0)/C(n/50+1)) + C(r.IntN(300)) }},
		{"nested", func(int) C { return C(r.Uint64()) >> (width / 5 * r.IntN(5)) }},
		{"hashed keys", func(int) C { return C(r.IntN(n/step+1)+1) * (^C(0)/3*2 - 5) }},
		{"in order", func(i int) C { return C(i) * C(step) }},
		{"in order, with ties", func(i int) C { return C(i/step) << 3 }},
		{"falling", func(i int) C { return high - C(i)*C(step) }},
		{"falling, with ties", func(i int) C { return high - C(i/step) }},
		{"nearly in order", func(i int) C {
			if r.IntN(60) == 0 {
				return C(r.IntN(n + 1))
			}
			return C(i)
		}},
		{"nearly falling", func(i int) C {
			if r.IntN(60) == 0 {
				return high - C(r.IntN(n+1))
			}
			return high - C(i/2)
		}},
		{"rotated", func(i int) C { return C((i + n/3) % n) }},
		{"equal", func(int) C { return lowest }},
		{"two ends", func(int) C { return -C(r.IntN(2)) }},
		{"one last", func(i int) C { return C(i+1) % C(n) }},
		{"floats", func(int) C {
			if width == 64 {
				return C(uint64(1)<<63 | uint64(r.ExpFloat64()*1e15))
			}
			return C(1)<<31 | C(r.Uint32()>>(r.IntN(16)))
		}},
	}
	s := shapes[r.IntN(len(shapes))]
	codes = make([]C, n)
	for i := range codes {
		codes[i] = s.code(i)
	}
	return s.name, codes
}

// drawEnv draws workers and a context.
func drawEnv(r *rand.Rand) (*engine.Env, func()) {
	env := newEnv(1 + r.IntN(4))
	cancel := func() {}
	switch r.IntN(4) {
	case 0:
		env.Loop.Ctx = context.Background()
	case 1:
		env.Loop.Ctx, cancel = context.WithCancel(context.Background())
	case 2:
		env.Loop.Progress = func(string, int, int) {}
	}
	return env, cancel
}

// stableOrder returns the order of codes, ties by place.
func stableOrder[C Code](codes []C) []uint32 {
	order := make([]uint32, len(codes))
	presorted.Forward(order, 0)
	slices.SortStableFunc(order, func(i, j uint32) int { return cmp.Compare(codes[i], codes[j]) })
	return order
}

// element is an element that has a number.
type element[Rest any] struct {
	number uint32
	_      Rest
}

// moveDrawn sorts elements of a type by codes, and returns their numbers.
func moveDrawn[E any](n int, made func(number uint32) E, number func(e E) uint32, sort func(s Payload, size uintptr) error) ([]uint32, error) {
	s := make([]E, n)
	for i := range s {
		s[i] = made(uint32(i))
	}
	err := sort(PayloadOf(s), unsafe.Sizeof(*new(E)))
	order := make([]uint32, n)
	for i, e := range s {
		order[i] = number(e)
	}
	return order, err
}

func ofType[Rest any](n int, sort func(s Payload, size uintptr) error) ([]uint32, error) {
	return moveDrawn(n, func(x uint32) element[Rest] { return element[Rest]{number: x} }, func(e element[Rest]) uint32 { return e.number }, sort)
}

// moveBySize are sorts of elements of several sizes, with pointers and without.
var moveBySize = []func(n int, sort func(s Payload, size uintptr) error) ([]uint32, error){
	func(n int, sort func(s Payload, size uintptr) error) ([]uint32, error) {
		return moveDrawn(n, func(x uint32) uint32 { return x }, func(x uint32) uint32 { return x }, sort)
	},
	ofType[[4]byte], ofType[[8]byte], ofType[[12]byte], ofType[[20]byte], ofType[[28]byte], ofType[[36]byte], ofType[[60]byte], ofType[[96]byte], ofType[[200]byte],
	ofType[[3]byte], ofType[*int], ofType[string],
}

// drawnWay is a sort of codes.
type drawnWay struct {
	name  string
	bound int64 // of its memory
	moves bool  // elements, which stay where they are where it fails
	sort  func(env *engine.Env) ([]uint32, error)
}

// drawWay draws a sort of codes.
func drawWay[C Code](t *testing.T, r *rand.Rand, codes []C, workers int) drawnWay {
	n, code := len(codes), unsafe.Sizeof(C(0))
	bySize := moveBySize[r.IntN(len(moveBySize))]
	var size uintptr
	_, _ = bySize(0, func(_ Payload, s uintptr) error { size = s; return nil })
	switch r.IntN(7) {
	case 0:
		ties := r.IntN(2) == 0
		return drawnWay{fmt.Sprint("order, ties ", ties), OrderBytes(n, workers, code), false, func(env *engine.Env) ([]uint32, error) {
			order := make([]uint32, n)
			return order, Order(env, n, sourceOf(codes), ties, func(_, lo int, part []uint32, sorted []C) {
				copy(order[lo:], part)
				checkPart(t, codes, lo, n, part, sorted, ties)
			})
		}}
	case 1:
		return drawnWay{fmt.Sprint("move ", size), MoveBytes(n, workers, size, code), true, func(env *engine.Env) ([]uint32, error) {
			return bySize(n, func(s Payload, _ uintptr) error { return Move(env, s, sourceOf(codes)) })
		}}
	case 2:
		return drawnWay{fmt.Sprint("pairs ", size), SortPairsBytes(n, workers, size, code), true, func(env *engine.Env) ([]uint32, error) {
			keys := slices.Clone(codes)
			order, err := bySize(n, func(s Payload, _ uintptr) error { return SortPairs(env, drawnKeys(keys), s) })
			for i, x := range order {
				if err == nil && keys[i] != codes[x] {
					t.Errorf("key %d is not that of value %d", i, x)
					break
				}
			}
			return order, err
		}}
	case 3:
		return drawnWay{"in place", InPlaceBytes(n, code), false, func(env *engine.Env) ([]uint32, error) {
			order := make([]uint32, n)
			sorted, err := OrderInPlace(env, order, sourceOf(codes))
			for i, x := range order {
				if err == nil && sorted[i] != codes[x] {
					t.Errorf("code %d is not that of element %d", i, x)
					break
				}
			}
			return order, err
		}}
	case 4:
		return drawnWay{fmt.Sprint("refined ", size), MoveRefinedBytes(n, workers, size, code, 0), true, func(env *engine.Env) ([]uint32, error) {
			return bySize(n, func(s Payload, _ uintptr) error {
				_, err := MoveRefined[C](env, s, sourceOf(codes), &untied[C]{t: t, codes: codes})
				return err
			})
		}}
	case 5:
		return drawnWay{"by keys", OrderBytes(n, workers, code), false, func(env *engine.Env) ([]uint32, error) {
			order := make([]uint32, n)
			_, err := OrderByKeys[C](env, n, sourceOf(codes), &untied[C]{t: t, codes: codes}, func(_, lo int, part []uint32, _ []C) { copy(order[lo:], part) })
			return order, err
		}}
	}
	return drawnWay{"keys", KeysBytes(n, workers, code), false, func(env *engine.Env) ([]uint32, error) {
		keys := slices.Clone(codes)
		err := drawnKeys(keys).Sort(env)
		order := stableOrder(codes)
		for i, x := range order {
			if err == nil && keys[i] != codes[x] {
				t.Errorf("key %d of %d", i, n)
				break
			}
			if err != nil && keys[i] != codes[i] {
				t.Errorf("key %d of %d was moved before an error", i, n)
				break
			}
		}
		return order, err
	}}
}

// drawnKeys are keys that are their codes.
func drawnKeys[C Code](s []C) Keys[C] {
	return Keys[C]{
		Len: len(s), View: in(s), At: func(i uint32) C { return s[i] }, Write: func(lo int, codes []C) { copy(s[lo:], codes) },
		Own: PayloadOf(s), Words: s, Bits: s, Code: func(bits C) C { return bits },
	}
}

// checkPart expects parts of an order to end where codes change, if ties are asked for.
func checkPart[C Code](t *testing.T, codes []C, lo, n int, part []uint32, sorted []C, ties bool) {
	if !ties && sorted != nil {
		t.Error("codes that nobody asked for")
	}
	for i, c := range sorted {
		if c != codes[part[i]] {
			t.Errorf("place %d: code %x of element %d", lo+i, c, part[i])
			return
		}
	}
}

// untied is a refiner whose keys are the codes.
type untied[C Code] struct {
	t     *testing.T
	codes []C
}

func (u *untied[C]) Follow(codes []C, lo, fresh int, ties engine.Ties) (seen presorted.Steps) {
	known := len(codes) - fresh
	copy(codes[known:], u.codes[lo+known:])
	for i := 1; i < len(codes); i++ {
		switch {
		case codes[i] > codes[i-1]:
			seen.Rises++
		case codes[i] < codes[i-1]:
			seen.Falls++
		default:
			seen.Ties++
		}
	}
	for i := 1; i < len(codes) && seen.Rises == 0; i++ {
		if codes[i] == codes[i-1] {
			ties.Set(lo + i)
		}
	}
	return seen
}

func (u *untied[C]) Compare(i, j uint32) int   { return cmp.Compare(u.codes[i], u.codes[j]) }
func (u *untied[C]) RestDecides() bool         { return false }
func (u *untied[C]) RunsDecide([]C) bool       { return false }
func (u *untied[C]) Concurrent() bool          { return true }
func (u *untied[C]) Finer([]C, C, C) Source[C] { return nil }
func (u *untied[C]) Along(*Placement[C]) error { return nil }
func (u *untied[C]) Moved(Payload)             {}
func (u *untied[C]) Finish(err error) error    { return err }
func (u *untied[C]) Refine(_ int, order []uint32, codes []C) {
	if len(order) != len(codes) {
		u.t.Errorf("%d elements with %d codes", len(order), len(codes))
	}
}

// TestDrawnSorts draws codes and ways to sort them: the order is that of a stable sort, and memory is within its bound.
func TestDrawnSorts(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for i := range testkit.Pick(600, 6666) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		undo := vecsort.Restrict([]string{"", "", "avx2", "none"}[r.IntN(4)])
		n := drawnSizes[r.IntN(len(drawnSizes))]
		if i%40 == 0 {
			n = drawnLarge[r.IntN(len(drawnLarge))]
		}
		if r.IntN(2) == 0 {
			drawnSort[uint32](t, r, n)
		} else {
			drawnSort[uint64](t, r, n)
		}
		if undo(); t.Failed() {
			t.Fatalf("case %d", i)
		}
	}
}

func drawnSort[C Code](t *testing.T, r *rand.Rand, n int) {
	shape, codes := drawCodes[C](r, n)
	env, cancel := drawEnv(r)
	defer cancel()
	way := drawWay(t, r, codes, env.Loop.Workers)
	got, err := way.sort(env)
	name := fmt.Sprintf("%s of %d codes, %s, %d workers", way.name, n, shape, env.Loop.Workers)
	if want := stableOrder(codes); err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: wrong order, error %v", name, err)
	}
	if env.Arena.Peak() > way.bound {
		t.Errorf("%s: %d bytes, at most %d", name, env.Arena.Peak(), way.bound)
	}
	if t.Failed() {
		t.Log(name)
	}
	env.Arena.Release(1)
}

// TestDrawnEnds ends sorts at each time at which they ask: then they report it, and elements are where they were.
func TestDrawnEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for i := range testkit.Pick(200, 1333) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := drawnSizes[r.IntN(len(drawnSizes))]
		if i%20 == 0 {
			n = drawnLarge[r.IntN(len(drawnLarge))]
		}
		_, codes := drawCodes[uint64](r, n)
		workers := 1 + r.IntN(3)
		way := drawWay(t, r, codes, workers)
		const many = 1 << 40
		questions, left := int64(0), int64(many) // before the end: first more than there are, then some of these
		for range 4 {
			env := newEnv(workers)
			ctx := &testkit.Ending{Context: context.Background()}
			ctx.Left.Store(left)
			env.Loop.Ctx = ctx
			got, err := way.sort(env)
			want := stableOrder(codes)
			if err != nil {
				presorted.Forward(want, 0)
			}
			switch {
			case err != nil && err != context.Canceled, err == nil && env.Loop.Cancellable() && ctx.Left.Load() < 0:
				t.Fatalf("case %d, %s of %d codes: error %v, asked %d times after the end", i, way.name, n, err, -ctx.Left.Load())
			case (err == nil || way.moves) && !slices.Equal(got, want):
				t.Fatalf("case %d, %s of %d codes, error %v: wrong order", i, way.name, n, err)
			}
			env.Arena.Release(1)
			if left == many {
				questions = many - ctx.Left.Load()
			}
			left = r.Int64N(questions + 1)
		}
	}
}

// TestDrawnSegments orders and moves elements within segments, by offsets or by ties.
func TestDrawnSegments(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for i := range testkit.Pick(300, 1666) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := drawnSizes[r.IntN(len(drawnSizes))]
		if i%25 == 0 {
			n = drawnLarge[i/25%len(drawnLarge)]
		}
		if r.IntN(2) == 0 {
			drawnSegments[uint32](t, r, n)
		} else {
			drawnSegments[uint64](t, r, n)
		}
		if t.Failed() {
			t.Fatalf("case %d", i)
		}
	}
}

func drawnSegments[C Code](t *testing.T, r *rand.Rand, n int) {
	shape, codes := drawCodes[C](r, n)
	mean := []int{1, 2, 3, 10, 30, mostJoined, 60, 300, 3000, n, 2 * n}[r.IntN(11)]
	offsets := []int{0}
	if r.IntN(3) == 0 {
		offsets[0] = r.IntN(n)
	}
	tied := r.IntN(3) == 0
	if tied {
		offsets[0] = 0
	}
	exact := r.IntN(4) == 0
	if n > bucket.MaxLen { // one segment, of all workers
		mean, exact, offsets[0] = n, true, 0
	}
	for last := offsets[len(offsets)-1]; last < n; last = offsets[len(offsets)-1] {
		next := last + 1 + r.IntN(2*mean)
		if exact {
			next = last + mean
		} else if !tied && r.IntN(5) == 0 {
			next = last
		}
		if next >= n {
			if !tied && r.IntN(4) == 0 {
				break // the rest is in no segment
			}
			next = n
		}
		offsets = append(offsets, next)
	}
	s := NewSegments(offsets)
	if tied {
		ties := make(engine.Ties, engine.TieWords(n)+1)
		for i := range n {
			ties.Set(i)
		}
		for _, at := range offsets[:len(offsets)-1] {
			ties[at/32] &^= 1 << (at % 32)
		}
		if r.IntN(2) == 0 {
			ties.Set(0)
		}
		s = RunsOf(ties, n)
	}
	env, cancel := drawEnv(r)
	defer cancel()
	name := fmt.Sprintf("%d codes, %s, in segments of about %d, ties %t, %d workers", n, shape, mean, tied, env.Loop.Workers)
	index := make([]uint32, n)
	presorted.Forward(index, 0)
	seen := make([]int32, n)
	var refine func(worker int, order []uint32, codes []C)
	if r.IntN(2) == 0 {
		refine = func(_ int, order []uint32, sorted []C) {
			at := cap(index) - cap(order)
			for i, x := range order {
				atomic.AddInt32(&seen[at+i], 1)
				if sorted[i] != codes[x] {
					t.Errorf("%s: code of place %d", name, at+i)
					return
				}
			}
		}
	}
	if err := OrderWithin(env, s, index, sourceOf(codes), refine); err != nil {
		t.Error(name, err)
	}
	want := make([]uint32, n)
	presorted.Forward(want, 0)
	for i := 1; i < len(offsets); i++ {
		lo, hi := offsets[i-1], offsets[i]
		slices.SortStableFunc(want[lo:hi], func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
		for at := lo; at < hi && refine != nil; at++ {
			if seen[at] != int32(min(1, hi-lo-1)) && hi-lo <= bucket.MaxLen {
				t.Errorf("%s: place %d of a segment of %d is refined %d times", name, at, hi-lo, seen[at])
				break
			}
		}
	}
	if !slices.Equal(index, want) {
		t.Errorf("%s: wrong order", name)
	}
	if most := OrderWithinBytes(n, env.Loop.Workers, s, unsafe.Sizeof(C(0))); env.Arena.Peak() > most {
		t.Errorf("%s: %d bytes, at most %d", name, env.Arena.Peak(), most)
	}
	env.Arena.Release(1)
	own := newEnv(env.Loop.Workers)
	var size uintptr
	got, err := moveBySize[r.IntN(len(moveBySize))](n, func(p Payload, of uintptr) error {
		size = of
		return MoveWithin(own, s, p, index)
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: elements of %d bytes at other places, error %v", name, size, err)
	}
	if most := MoveWithinBytes(n, own.Loop.Workers, s, size); own.Arena.Peak() > most {
		t.Errorf("%s: moves of elements of %d bytes take %d, at most %d", name, size, own.Arena.Peak(), most)
	}
	own.Arena.Release(1)
}

// TestDrawnLists orders sorted lists together.
func TestDrawnLists(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for range testkit.Pick(1500, 3333) {
		if r.IntN(2) == 0 {
			drawnLists[uint32](t, r)
		} else {
			drawnLists[uint64](t, r)
		}
	}
}

func drawnLists[C Code](t *testing.T, r *rand.Rand) {
	lists, most := 1+r.IntN(12), 1+r.IntN(1+r.IntN(900))
	var all []C
	var ends []int
	mask := ^C(0)
	if r.IntN(2) == 0 { // narrow ones take one pass
		mask >>= r.IntN(8 * int(unsafe.Sizeof(mask)))
	}
	for range lists {
		_, codes := drawCodes[C](r, 1+r.IntN(most))
		for i := range codes {
			codes[i] &= mask
		}
		slices.Sort(codes)
		all, ends = append(all, codes...), append(ends, len(all)+len(codes))
	}
	env := newEnv(1)
	var l bucket.Lists[C]
	n := len(all)
	for range 1 + r.IntN(2) { // again in the same memory
		l.Begin(env, n, lists, slices.Min(all), slices.Max(all))
		for i, lo := 0, 0; i < lists; i++ {
			l.Add(all[lo:ends[i]], uint32(lo))
			lo = ends[i]
		}
		words, spare := l.Sort(func(number uint32) C { return all[number] })
		if len(words) != n || len(spare) != n {
			t.Fatalf("%d words of %d, and %d", len(words), n, len(spare))
		}
		for i, x := range stableOrder(all) {
			if uint32(words[i]) != x {
				t.Fatalf("%d lists of up to %d: element %d is at place %d", lists, most, uint32(words[i]), i)
			}
		}
		run := make([]uint64, n)
		for i := range run {
			run[i] = uint64(r.Uint32())<<32 | uint64(i)
		}
		l.SortRun(run, func(number uint32) C { return all[number] })
		for i, x := range stableOrder(all) {
			if uint32(run[i]) != x {
				t.Fatalf("a run of %d: element %d is at place %d", n, uint32(run[i]), i)
			}
		}
	}
	env.Arena.Release(1)
}

// TestDrawnSmall orders, sorts and moves up to SmallLen elements.
func TestDrawnSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for range testkit.Pick(2500, 6666) {
		if r.IntN(2) == 0 {
			drawnSmall[uint32](t, r)
		} else {
			drawnSmall[uint64](t, r)
		}
	}
}

func drawnSmall[C Code](t *testing.T, r *rand.Rand) {
	n := min(drawnSizes[r.IntN(len(drawnSizes))], SmallLen)
	if r.IntN(2) == 0 {
		n = r.IntN(300)
	}
	shape, codes := "none", []C{}
	if n > 0 {
		shape, codes = drawCodes[C](r, n)
	}
	defer vecsort.Restrict([]string{"", "", "avx2", "none"}[r.IntN(4)])()
	w := GetSmall[C]()
	defer w.Put()
	copy(w.Codes, codes)
	want := stableOrder(codes)
	fail := func(what string) { t.Fatalf("%s of %d codes, %s", what, n, shape) }
	switch r.IntN(5) {
	case 0:
		index := make([]uint32, n)
		if w.Order(index); !slices.Equal(index, want) {
			fail("order")
		}
	case 1:
		sorted := w.Sort(n)
		for i, x := range want {
			if sorted[i] != codes[x] {
				fail("sort")
			}
		}
	case 2:
		got, _ := moveBySize[r.IntN(len(moveBySize))](n, func(s Payload, _ uintptr) error { MoveSmall(w, s); return nil })
		if !slices.Equal(got, want) {
			fail("move")
		}
	default:
		keys := slices.Clone(codes)
		got, _ := moveBySize[r.IntN(len(moveBySize))](n, func(s Payload, _ uintptr) error { MovePairsSmall(w, PayloadOf(keys), s); return nil })
		for i, x := range want {
			if keys[i] != codes[x] {
				fail("keys")
			}
		}
		if !slices.Equal(got, want) {
			fail("values")
		}
	}
}

// TestDrawnPairs sorts codes with numbers, with memory and without.
func TestDrawnPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	var p bucket.Pairs
	env := newEnv(1)
	for range testkit.Pick(200, 1666) {
		n := drawnSizes[r.IntN(len(drawnSizes))]
		shape, codes := drawCodes[uint64](r, n)
		numbers := make([]uint32, n)
		presorted.Forward(numbers, 7)
		got, inPlace, a, b := slices.Clone(codes), slices.Clone(codes), slices.Clone(numbers), slices.Clone(numbers)
		p.Sort(env, got, a)
		SortInPlace(newEnv(1), inPlace, b)
		for i, x := range stableOrder(codes) {
			if got[i] != codes[x] || inPlace[i] != codes[x] || a[i] != numbers[x] || b[i] != numbers[x] {
				t.Fatalf("%d codes, %s: place %d", n, shape, i)
			}
		}
	}
}

// TestPlans holds plans of partitions to the codes: each bucket has those of its cells, most are no larger than is wanted, and
// each stripe writes to places of its own.
func TestPlans(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for range testkit.Pick(150, 500) {
		n, workers := leastTarget+r.IntN(40_000), 1+r.IntN(9)
		shape, codes := drawCodes[uint64](r, n)
		v := surveyOf(codes)
		env, target, lo := newEnv(workers), bucketTarget(n, workers, maxBuckets), r.IntN(3)*1000
		b, err := plan(env, lo, n, in(codes), v, target)
		if err != nil {
			t.Fatal(err)
		}
		sizes, cells := make([]int, b.len()), make([]map[uint32]bool, b.len())
		next := make([][]int, b.count)
		for i := range next {
			next[i] = make([]int, b.len())
			from, to := b.stripe(i)
			for _, c := range codes[from:to] {
				k := int(b.table[b.of(c)])
				if lowest, span := b.codes(k); c < lowest || c-lowest > span {
					t.Fatalf("%s: code %#x is in bucket %d of %#x to %#x", shape, c, k, lowest, lowest+span)
				}
				if sizes[k]++; cells[k] == nil {
					cells[k] = map[uint32]bool{}
				}
				next[i][k]++
				cells[k][b.of(c)] = true
			}
		}
		at := lo
		for k, size := range sizes {
			if from, to := b.bounds(k); from != at || to != at+size || b.size(k) != size {
				t.Fatalf("%s: bucket %d of %d elements at %d has places %d to %d", shape, k, size, at, from, to)
			}
			if size > target+target/4 && len(cells[k]) > 1 {
				t.Fatalf("%s: %d elements in %d cells, wanted are %d", shape, size, len(cells[k]), target)
			}
			if k > 0 && sizes[k-1] > 0 && size > 0 && sizes[k-1]+size <= target+target/4 {
				t.Fatalf("%s: buckets of %d and %d elements, wanted are %d", shape, sizes[k-1], size, target)
			}
			place := uint32(at)
			for i := range next {
				if b.next[i][k] != place {
					t.Fatalf("%s: stripe %d writes bucket %d from %d on, not %d", shape, i, k, b.next[i][k], place)
				}
				place += uint32(next[i][k])
			}
			at += size
		}
		if b.len() > mostBuckets(n, workers) {
			t.Fatalf("%s: %d buckets of at most %d", shape, b.len(), mostBuckets(n, workers))
		}
		env.Arena.Release(1)
	}
}

// TestStripes cuts elements into stripes: each is in one of them, and none is too short.
func TestStripes(t *testing.T) {
	for _, n := range []int{1, minStripe - 1, minStripe, 2*minStripe - 1, 2 * minStripe, 100_003, 1 << 20} {
		for workers := range 20 {
			for _, least := range []int{0, 1, minStripe, minStripe + 1, 1 << 16} {
				s, at := stripesOf(n, workers, least), 0
				for i := range s.count {
					lo, hi := s.stripe(i)
					if lo != at || hi < lo || s.count > 1 && hi-lo < max(minStripe, least) {
						t.Fatalf("stripe %d of %d: %d to %d of %d, %d workers, at least %d", i, s.count, lo, hi, n, workers, least)
					}
					at = hi
				}
				want := max(1, min(4*workers, n/max(minStripe, least)))
				if workers <= 1 {
					want = 1
				}
				if at != n || s.count != want {
					t.Fatalf("%d stripes, want %d, of %d elements up to %d", s.count, want, n, at)
				}
				if b := mostCellBits(n, workers); b < unevenCellBits || b > maxCellBits || b > unevenCellBits && 1<<b > n {
					t.Fatalf("%d bits of cells for %d elements", b, n)
				}
			}
		}
	}
}

// TestTargets goes to the bounds of the sizes of buckets, and of lists that one worker sorts.
func TestTargets(t *testing.T) {
	for _, c := range []struct{ n, workers, most, want int }{
		{1 << 14, 1, maxBuckets, 1 << 12}, {1 << 16, 1, maxBuckets, leastTarget}, {1 << 13, 1, maxBuckets, sharedTarget}, {1 << 17, 1, maxBuckets, leastTarget},
		{1 << 18, 1, maxBuckets, 1 << 14}, {1 << 14, 0, maxBuckets, 1 << 12}, {1 << 14, 4, maxBuckets, sharedTarget}, {1 << 20, 4, maxBuckets, 1 << 14},
		{1 << 20, 1, maxBuckets, mostTarget}, {mostTarget * maxBuckets, 1, maxBuckets, mostTarget}, {mostTarget*maxBuckets + 1, 1, maxBuckets, mostTarget + 1},
	} {
		if got := bucketTarget(c.n, c.workers, c.most); got != c.want {
			t.Errorf("%d elements, %d workers: buckets of %d, want %d", c.n, c.workers, got, c.want)
		}
	}
	for _, c := range []struct {
		n, workers int
		size       uintptr
		want       bool
	}{
		{leastTarget, 9, 1000, true}, {leastTarget + 1, 9, 1000, false}, {bucket.MaxLen, 2, 0, true}, {bucket.MaxLen + 1, 2, 0, false}, {bucket.MaxLen * 3 / 4, 3, 0, true},
		{bucket.MaxLen*3/4 + 1, 3, 0, false}, {bucket.MaxLen / 2, 3, 8, true}, {bucket.MaxLen/2 + 1, 3, 8, false}, {bucket.MaxLen, 2, 15, true}, {bucket.MaxLen, 2, 16, false},
		{bucket.MaxLen / 2, 1, 31, true}, {bucket.MaxLen / 2, 1, 32, false},
	} {
		if got := alone(c.n, c.workers, c.size); got != c.want {
			t.Errorf("%d elements of %d bytes, %d workers: alone %t", c.n, c.size, c.workers, got)
		}
	}
	for _, c := range []struct{ n, workers, want int }{{1 << 20, 0, bucket.MaxLen + 1}, {1 << 20, 1, bucket.MaxLen + 1}, {1 << 20, 2, 4 * bucket.MaxLen}, {1 << 24, 2, 1 << 22}, {1 << 24, 4, 1 << 21}} {
		if got := sharedFrom(c.n, c.workers); got != c.want {
			t.Errorf("%d elements, %d workers: shared from %d, want %d", c.n, c.workers, got, c.want)
		}
	}
	for _, c := range []struct{ n, workers, want int }{{0, 1, 0}, {1 << 10, 1, 1 << 7}, {1 << 10, 0, 1 << 7}, {1 << 10, 4, 1 << 5}, {1 << 30, 1, 8 * bucket.MaxLen}} {
		if got := mostPrivate(c.n, c.workers); got != c.want {
			t.Errorf("%d codes, %d workers: %d private, want %d", c.n, c.workers, got, c.want)
		}
	}
}

// TestSegments expects the lengths of segments, and numbers of places in slices.
func TestSegments(t *testing.T) {
	for _, c := range []struct {
		offsets              []int
		longest, together, n int
	}{
		{[]int{0}, 0, engine.Block, 0}, {[]int{3, 10, 12}, 7, engine.Block, 12}, {[]int{0, 5000, 5001}, 5000, 5000, 5001}, {[]int{9, 9 + bucket.MaxLen}, bucket.MaxLen, bucket.MaxLen, 9 + bucket.MaxLen},
		{[]int{1, 2 + bucket.MaxLen}, bucket.MaxLen + 1, bucket.MaxLen, 2 + bucket.MaxLen},
	} {
		s := NewSegments(c.offsets)
		long := 0
		if c.longest > bucket.MaxLen {
			long = c.longest
		}
		if s.longest != c.longest || s.together() != c.together || s.n != c.n || s.First() != c.offsets[0] || s.long() != long {
			t.Errorf("%v: longest %d, together %d, up to %d, long %d", c.offsets, s.longest, s.together(), s.n, s.long())
		}
	}
	for _, slice := range []int{0, 1, 300, 1<<16 - 1} {
		for _, place := range []int{0, 1, 1<<16 - 1} {
			if a, b := SliceOf(InSlice(slice, place)); a != slice || b != place {
				t.Errorf("place %d of slice %d is place %d of slice %d", place, slice, b, a)
			}
		}
	}
}

// TestEngine orders codes of both widths by each algorithm, and reports that its context ended.
func TestEngine(t *testing.T) {
	papers.Link()
	r := rand.New(rand.NewPCG(27, 28))
	if host := (Engine{}); !host.Runs(engine.Auto) || !host.Runs(engine.BucketRadix) || !host.Runs(engine.Radix) || host.Runs(engine.Hybrid) {
		t.Error("other algorithms")
	}
	for a := engine.Auto; a < engine.Algorithms; a++ {
		if !(Engine{}).Runs(a) {
			continue
		}
		for _, bits := range []int{32, 64} {
			for _, n := range []int{1, 2, 100, 5000} {
				_, codes := drawCodes[uint64](r, n)
				for i := range codes {
					codes[i] >>= 64 - bits
				}
				ctx, cancel := context.WithCancel(context.Background())
				env := newEnv(2)
				env.Loop.Ctx = ctx
				order := make([]uint32, n)
				job := &engine.Job{N: n, Bits: bits, Algorithm: a, Env: env, Codes64: sourceOf(codes), Emit: func(lo int, part []uint32) { copy(order[lo:], part) }}
				job.Codes32 = func(dst []uint32, lo int) {
					for i := range dst {
						dst[i] = uint32(codes[lo+i])
					}
				}
				if err := (Engine{}).Order(ctx, job); err != nil || !slices.Equal(order, stableOrder(codes)) {
					t.Errorf("%v of %d codes of %d bits: wrong order, error %v", a, n, bits, err)
				}
				if cancel(); (Engine{}).Order(ctx, job) != context.Canceled {
					t.Errorf("%v of %d codes of %d bits: no error after the end", a, n, bits)
				}
				env.Arena.Release(1)
			}
		}
	}
}

// TestPayloads goes to the bounds of parts, and moves elements in each way.
func TestPayloads(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	for range testkit.Pick(500, 1666) {
		n := r.IntN(Few + 1)
		order := r.Perm(Few)
		var few [Few]uint32
		k := 0
		for _, x := range order {
			if x < n {
				few[k] = uint32(x)
				k++
			}
		}
		want := slices.Clone(few[:n])
		for _, by := range moveBySize {
			again := few
			got, _ := by(n, func(s Payload, _ uintptr) error { s.FollowFew(&again); return nil })
			cycles := slices.Clone(few[:n])
			other, _ := by(n, func(s Payload, _ uintptr) error { s.FollowCycles(cycles); return nil })
			if !slices.Equal(got, want) || !slices.Equal(other, want) {
				t.Fatalf("%d elements are at %v and %v, want %v", n, got, other, want)
			}
		}
	}
	s := []uint32{0, 1, 2, 3, 4}
	p := PayloadOf(s)
	p.Swap(1, 3)
	p.Swap(2, 2)
	if p.Part(0, 2).Exchange(p.Part(3, 5)); !slices.Equal(s, []uint32{4, 1, 2, 3, 0}) {
		t.Errorf("exchanged are %v", s)
	}
	p.Part(0, 2).Exchange(p.Part(2, 5)) // not as many
	if p.From(4).Clear(); !slices.Equal(s, []uint32{4, 1, 2, 3, 0}) || p.First(0).Len() != 0 || p.From(5).Len() != 0 {
		t.Errorf("cleared is %v", s)
	}
	for what, f := range map[string]func(){
		"a longer part": func() { p.First(6) }, "a negative part": func() { p.First(-1) }, "a part past the end": func() { p.Part(2, 6) },
		"a copy of another length": func() { p.Copy(p.First(4)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", what)
				}
			}()
			f()
		}()
	}
}

package presorted

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
)

// TestSurveyWords compares surveys with a loop, in chunks of one block and more, and by several workers.
func TestSurveyWords(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{1, 2, 3, engine.Block - 1, engine.Block, engine.Block + 1, 3*engine.Block + 1, 9*engine.Block + 5} {
		for _, chunk := range []int{engine.Block, 2 * engine.Block, engine.Chunk} {
			for _, values := range []uint64{1, 2, 1000, 1 << 60} {
				checkSurvey(t, r, n, chunk, values)
			}
		}
	}
}

func checkSurvey(t *testing.T, r *rand.Rand, n, chunk int, values uint64) {
	t.Helper()
	flip := r.Uint64()
	words, codes := make([]uint64, n), make([]uint64, n)
	for i := range codes {
		codes[i] = r.Uint64N(values) + 7
		words[i] = codes[i] ^ flip
	}
	got, err := SurveyWords(newEnv(1+r.IntN(3)), "survey", n, chunk, InMemory(words, flip))
	if err != nil {
		t.Fatal(err)
	}
	want := newMarks(n, chunk)
	for i := 1; i < n; i++ {
		m, block := &want.chunks[i/chunk], uint32(1)<<(i%chunk/engine.Block)
		switch {
		case codes[i] < codes[i-1]:
			m.falls++
			m.fell |= block
		case codes[i] > codes[i-1]:
			m.rises++
			m.rose |= block
		default:
			want.Tied = true
		}
	}
	for i, m := range want.chunks {
		want.Falls, want.Rises = want.Falls+m.falls, want.Rises+m.rises
		if g := got.chunks[i]; g.falls != m.falls || g.rises != m.rises || g.fell != m.fell || g.rose != m.rose {
			t.Fatalf("%d codes of %d values in chunks of %d: chunk %d is %+v, want %+v", n, values, chunk, i, g, m)
		}
	}
	if got.Min != slices.Min(codes) || got.Max != slices.Max(codes) || got.Falls != want.Falls || got.Rises != want.Rises || got.Tied != want.Tied {
		t.Fatalf("%d codes of %d values in chunks of %d: %+v, want %+v", n, values, chunk, got, want)
	}
}

// TestSampleSteps holds a sample of steps to where they are counted, and to how many are out of order.
func TestSampleSteps(t *testing.T) {
	const n = 1 << 20
	if SampleSteps(2*engine.Block-1, func(lo, hi int) Steps { return Steps{} }) {
		t.Error("few elements are sampled")
	}
	for out, want := range []bool{true, true, true, false} {
		last, calls, least, most := -1, 0, n, 0
		got := SampleSteps(n, func(lo, hi int) Steps {
			if lo <= last || lo < 1 || hi > n || hi-lo != SampleLen {
				t.Fatalf("steps to [%d, %d) after %d", lo, hi, last)
			}
			last, least, most = hi-1, min(least, lo), max(most, hi)
			if calls++; calls <= out {
				return Steps{Falls: 1, Rises: 9}
			}
			return Steps{Rises: 9}
		})
		if got != want {
			t.Errorf("%d steps out of order: %t", out, got)
		}
		if want && (calls != samples || least != 1 || most < n-samples || most > n) {
			t.Errorf("%d chunks of [%d, %d)", calls, least, most)
		}
	}
}

// shapes make codes of n elements, few of which are out of place.
var shapes = map[string]func(r *rand.Rand, n, values int) []uint64{
	"rotated": func(r *rand.Rand, n, values int) []uint64 {
		s := rising(n, values)
		k := r.IntN(n)
		return append(slices.Clone(s[k:]), s[:k]...)
	},
	"blocks": func(r *rand.Rand, n, values int) (all []uint64) {
		s := rising(n, values)
		cuts := []int{0, r.IntN(n), r.IntN(n), r.IntN(n), n}
		slices.Sort(cuts)
		for _, k := range r.Perm(len(cuts) - 1) {
			all = append(all, s[cuts[k]:cuts[k+1]]...)
		}
		return all
	},
	"strays": func(r *rand.Rand, n, values int) []uint64 {
		s := rising(n, values)
		for range 1 + n/200 {
			s[r.IntN(n)] = uint64(r.IntN(values + 1))
		}
		return s
	},
	"merged": func(r *rand.Rand, n, values int) []uint64 { // blocks that overlap
		s := rising(n, values)
		k := r.IntN(n)
		return append(slices.Clone(s[k:]), rising(k, values)...)
	},
	"reversed": func(r *rand.Rand, n, values int) []uint64 {
		s := rising(n, values)
		slices.Reverse(s)
		return s
	},
	"reversed with strays": func(r *rand.Rand, n, values int) []uint64 {
		s := rising(n, values)
		slices.Reverse(s)
		for range 1 + n/200 {
			s[r.IntN(n)] = uint64(r.IntN(values + 1))
		}
		return s
	},
	"rotated and reversed": func(r *rand.Rand, n, values int) []uint64 {
		s := rising(n, values)
		k := r.IntN(n)
		s = append(slices.Clone(s[k:]), s[:k]...)
		slices.Reverse(s)
		return s
	},
}

func rising(n, values int) []uint64 {
	s := make([]uint64, n)
	for i := range s {
		s[i] = uint64(i * values / max(n, 1))
	}
	return s
}

// keys compares rest by element, as [Comparer].
type keys struct {
	rest       []uint64
	concurrent bool
}

func (k keys) Compare(i, j uint32) int { return cmp.Compare(k.rest[i], k.rest[j]) }
func (k keys) Concurrent() bool        { return k.concurrent }

// TestMovesOrder finds moves of inputs of all shapes, with few ties and many, by codes, by comparisons, and by whole
// keys. Orders, and elements that move, are those of a stable sort.
func TestMovesOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	found := map[string]int{}
	for range testkit.Pick(40, 300) {
		for _, name := range slices.Sorted(maps.Keys(shapes)) {
			shape := shapes[name]
			n := 100 + r.IntN(1<<(9+r.IntN(8)))
			if name == "blocks" {
				n += 4 * blockLen // or three runs are too many
			}
			codes := shape(r, n, 1+r.IntN(1<<r.IntN(20)))
			if len(codes) != n {
				t.Fatalf("%s: %d codes, want %d", name, len(codes), n)
			}
			for way := range 3 {
				env := newEnv(1 + r.IntN(4))
				l, err := movesBy(env, way, codes, r)
				if err != nil {
					t.Fatal(err)
				}
				if l != nil {
					found[name]++
					checkMoves(t, env, l, codes, fmt.Sprint(name, ", way ", way))
				}
				env.Arena.Release(1)
			}
		}
	}
	for name := range shapes {
		if name != "merged" && found[name] < 20 {
			t.Errorf("%s: moves were found %d times", name, found[name])
		}
	}
}

// movesBy finds moves by codes, by comparisons, also of codes in order, or by whole keys of which codes are the beginning.
func movesBy(env *engine.Env, way int, codes []uint64, r *rand.Rand) (*Moves, error) {
	n := len(codes)
	compare := func(i, j uint32) int { return cmp.Compare(codes[i], codes[j]) }
	follow := func(lo, hi int, ties engine.Ties) (s Steps) {
		for i := max(lo, 1); i < hi; i++ {
			switch c := compare(uint32(i-1), uint32(i)); {
			case c < 0:
				s.Rises++
			case c > 0:
				s.Falls++
			default:
				s.Ties++
				if ties != nil {
					ties.Set(i)
				}
			}
		}
		return s
	}
	switch way {
	case 0:
		v, err := SurveyWords(env, "survey", n, env.ChunkOf(n), InMemory(codes, 0))
		if err != nil || v.Sorted() {
			return nil, err
		}
		return Find(env, n, InMemory(codes, 0), v, sortCodes)
	case 1, 3:
		if way == 1 && slices.IsSorted(codes) {
			return nil, nil // those moves have no order to write
		}
		return Detect(env, n, follow, compare)
	}
	short := make([]uint64, n)
	for i, c := range codes {
		short[i] = c >> 3
	}
	v, err := SurveyWords(env, "survey", n, env.ChunkOf(n), InMemory(short, 0))
	if err != nil {
		return nil, err
	}
	k := keys{codes, r.IntN(2) == 0}
	check := NewCheck(env, n, k.concurrent)
	for lo := 0; lo < n; lo += engine.Block {
		check.Count(lo, follow(check.From(lo)+min(1, lo), min(lo+engine.Block, n), check.Ties()))
	}
	v.ByKeys = check.Join(func(at int) Steps { return follow(at, at+1, check.Ties()) })
	if v.ByKeys == nil || v.ByKeys.Sorted() {
		return nil, nil
	}
	return FindByKeys(env, short, v, k)
}

// checkMoves holds all that moves do to a stable sort of codes.
func checkMoves(t *testing.T, env *engine.Env, l *Moves, codes []uint64, name string) {
	t.Helper()
	n := len(codes)
	want := make([]uint32, n)
	Forward(want, 0)
	testkit.SortStable(want, func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
	tie := func(i, j uint32) bool { return codes[i] == codes[j] }
	index := make([]uint32, n)
	if err := l.Write(env, index, tie); err != nil || !slices.Equal(index, want) {
		t.Fatalf("%s, %d elements: wrong order, error %v; %v %v back %t ties %t", name, n, err, l.segments, l.strays, l.back, l.ties)
	}
	seen := make([]uint32, n) // each part has memory of its own
	memory := func(_, lo, hi int) []uint32 { return make([]uint32, hi-lo) }
	err := l.Emit(env, 1+n/7, tie, memory, func(_, lo int, order []uint32) { copy(seen[lo:], order) })
	if err != nil || !slices.Equal(seen, want) {
		t.Fatalf("%s, %d elements: wrong order in parts, error %v", name, n, err)
	}
	elements := make([]uint32, n)
	Forward(elements, 0)
	done, err := l.Settle(env, elementsOf(elements))
	if err != nil || done && !slices.Equal(elements, want) {
		t.Fatalf("%s, %d elements: wrong places, error %v", name, n, err)
	}
	if !done && (!l.ties || l.known != nil) {
		t.Fatalf("%s, %d elements: not moved", name, n)
	}
	values := slices.Clone(codes) // equal ones are identical
	elements = make([]uint32, n)
	for i, c := range values {
		elements[i] = uint32(c)
	}
	if err := l.Follow(env, elementsOf(elements)); err != nil || !slices.IsSorted(elements) {
		t.Fatalf("%s, %d elements: not in order, error %v", name, n, err)
	}
}

// TestMovesCancelled has moves whose context is cancelled end with its error, and leave elements as they are.
func TestMovesCancelled(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		codes := shapes[name](r, 20_000, 20_000)
		l, err := movesBy(newEnv(2), 1, codes, r)
		if err != nil {
			t.Fatal(err)
		}
		if l == nil || len(l.segments) == 0 || l.back {
			continue
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		env := newEnv(2)
		env.Loop.Ctx = ctx
		elements := make([]uint32, len(codes))
		Forward(elements, 0)
		if err := l.Follow(env, elementsOf(elements)); !errors.Is(err, context.Canceled) || !slices.IsSorted(elements) {
			t.Errorf("%s: error %v, untouched %t", name, err, slices.IsSorted(elements))
		}
		if err := l.Write(env, elements, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

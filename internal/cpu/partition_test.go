package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
	"example.com/sorter/internal/testkit"
)

// TestPartition partitions into few buckets and into many, whose elements move
// through combiners, as do those of many workers. It holds every place to a loop that
// moves one element after the other.
func TestPartition(t *testing.T) {
	partitions[uint32](t)
	partitions[uint64](t)
}

func partitions[C Code](t *testing.T) {
	t.Helper()
	var c C
	// Codes alone are combined from this number on.
	n := stream.CombineFrom/int(unsafe.Sizeof(c)) + 12_345
	codes := stream.Take[C](new(scratch.Arena), n)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range codes {
		codes[i] = C(r.Uint64())
	}
	if !testkit.Thinned(int(unsafe.Sizeof(c))/4 - 1) { // of one size
		partitionAll(t, codes, 40, 3)
	}
	// Stripes of these have a few elements for most buckets: less than a line.
	slices.Sort(codes)
	for i := 0; i < n; i += 100 {
		codes[i] = C(r.Uint64())
	}
	if !testkit.Thinned(int(unsafe.Sizeof(c))/4 + 110) { // of the other, for which it is 112
		partitionAll(t, codes, 1200, 3)
		partitionAll(t, codes, 40, manyWorkers)
	}
}

// partitionAll partitions codes into some nb buckets in every way.
func partitionAll[C Code](t *testing.T, codes []C, nb, workers int) {
	t.Helper()
	n := len(codes)
	checkPartition(t, codes, nb, workers, func(b *buckets[C], env *engine.Env) func(i, at int) bool {
		dst := clean[C](env, n)
		must(t, partitionCodes(env, b, in(codes), dst))
		return func(i, at int) bool { return dst[at] == codes[i] }
	})
	checkPartition(t, codes, nb, workers, func(b *buckets[C], env *engine.Env) func(i, at int) bool {
		dst, dstCodes := clean[uint32](env, n), clean[C](env, n)
		must(t, partitionIndices(env, b, 7, codes, dst, dstCodes))
		return func(i, at int) bool { return dst[at] == uint32(7+i) && dstCodes[at] == codes[i] }
	})
	checkElements(t, codes, nb, workers, func(i int) uint32 { return uint32(i) })
	checkElements(t, codes, nb, workers, func(i int) [3]uint64 { return [3]uint64{uint64(i), 1, uint64(i)} })
	targets := make([]int, n)
	checkElements(t, codes, nb, workers, func(i int) *int { return &targets[i] })
	large := make([]C, stream.CombineFrom/64) // fewer codes, of the whole range
	for i := range large {
		large[i] = codes[n/len(large)*i]
	}
	checkElements(t, large, nb, workers, func(i int) [8]uint64 { return [8]uint64{uint64(i), 7: uint64(i)} })
	checkElements(t, large, nb, workers, func(i int) [20]uint64 { return [20]uint64{uint64(i), 19: uint64(i)} })
}

// TestPlaceLoops moves elements of the sizes that have loops in assembly, by these and by Go's.
func TestPlaceLoops(t *testing.T) {
	for _, c := range []struct{ places, lines, fills bool }{{false, false, true}, {true, false, true}, {true, true, false}} {
		undo := loops.Restrict(c.places, c.lines, c.fills)
		placeLoopsOf[uint32](t)
		placeLoopsOf[uint64](t)
		undo()
	}
}

func placeLoopsOf[C Code](t *testing.T) {
	t.Helper()
	codes := make([]C, 40_000)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range codes {
		codes[i] = C(r.Uint64()) >> 3
	}
	checkElements(t, codes, 4, 3, func(i int) uint64 { return uint64(i) })
	checkElements(t, codes, 4, 3, func(i int) [2]uint64 { return [2]uint64{uint64(i), ^uint64(i)} })
	checkElements(t, codes, 4, 3, func(i int) [3]uint64 { return [3]uint64{uint64(i), 1, ^uint64(i)} })
	checkElements(t, codes, 4, 3, func(i int) [4]uint64 { return [4]uint64{uint64(i), 1, 2, ^uint64(i)} })
	checkElements(t, codes, 4, 3, func(i int) [5]uint64 { return [5]uint64{uint64(i), 1, 2, 3, ^uint64(i)} })
	checkElements(t, codes, 4, 3, func(i int) [6]uint64 { return [6]uint64{uint64(i), 1, 2, 3, 4, ^uint64(i)} })
	checkPartition(t, codes, 4, 3, func(b *buckets[C], env *engine.Env) func(i, at int) bool {
		dst, dstCodes := clean[uint32](env, len(codes)), clean[C](env, len(codes))
		must(t, partitionIndices(env, b, 7, codes, dst, dstCodes))
		return func(i, at int) bool { return dst[at] == uint32(7+i) && dstCodes[at] == codes[i] }
	})
	large := make([]C, stream.CombineFrom/64) // lines
	for i := range large {
		large[i] = codes[i%len(codes)]
	}
	checkElements(t, large, 40, 3, func(i int) [8]uint64 { return [8]uint64{uint64(i), 1, 2, 3, 4, 5, 6, ^uint64(i)} })
	if loops.FillOf(4) != nil || testkit.ThinnedByRace(1) { // TestPartition has these loops, or others with as many workers
		return
	}
	many := stream.Take[C](new(scratch.Arena), stream.CombineFrom/int(unsafe.Sizeof(codes[0]))+12_345)
	for i := range many {
		many[i] = codes[i%len(codes)]
	}
	partitionAll(t, many, 40, manyWorkers)
}

// TestChangedKeys moves elements by other codes than those that were counted: some beyond the least and
// the greatest, then more of the last bucket than it has places. A partition panics before it writes
// past the end.
func TestChangedKeys(t *testing.T) {
	changedKeys(t, func(i int) [2]uint64 { return [2]uint64{uint64(i)} })
	changedKeys(t, func(i int) [8]uint64 { return [8]uint64{uint64(i)} })
}

func changedKeys[E any](t *testing.T, of func(i int) E) {
	t.Helper()
	const n = stream.CombineFrom / 64
	codes := stream.Take[uint64](new(scratch.Arena), n)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range codes {
		codes[i] = 1<<40 + r.Uint64N(1<<40)
	}
	s := stream.Take[E](new(scratch.Arena), n)
	for i := range s {
		s[i] = of(i)
	}
	v := surveyOf(codes)
	_, err := split(newEnv(1), 0, n, in(codes), v, n/40, func(env *engine.Env, b *buckets[uint64]) error {
		dst, dstCodes := clean[E](env, n+1), clean[uint64](env, n+1)
		guard := of(-1)
		dst[n], dstCodes[n] = guard, 7
		for i := range codes {
			codes[i] = v.Max - uint64(i%2)*v.Span()*uint64(i)
		}
		defer func() {
			if recover() == nil {
				t.Errorf("%T: no panic", guard)
			}
			if any(dst[n]) != any(guard) || dstCodes[n] != 7 {
				t.Errorf("%T: written past the end", guard)
			}
		}()
		return partitionElements(env, b, PayloadOf(s), in(codes), PayloadOf(dst[:n]), dstCodes[:n])
	})
	must(t, err)
}

// clean is dstOf of memory that does not hold the result of the call before.
func clean[T any](env *engine.Env, n int) []T {
	dst := stream.Take[T](&env.Arena, n)
	clear(dst)
	return dst
}

// checkElements moves elements with their codes, and alone by codes that stay.
func checkElements[E comparable, C Code](t *testing.T, codes []C, nb, workers int, of func(i int) E) {
	t.Helper()
	n := len(codes)
	s := stream.Take[E](new(scratch.Arena), n)
	for i := range s {
		s[i] = of(i)
	}
	checkPartition(t, codes, nb, workers, func(b *buckets[C], env *engine.Env) func(i, at int) bool {
		dst, dstCodes := clean[E](env, n), clean[C](env, n)
		must(t, partitionElements(env, b, PayloadOf(s), in(codes), PayloadOf(dst), dstCodes))
		return func(i, at int) bool { return dst[at] == s[i] && dstCodes[at] == codes[i] }
	})
	checkPartition(t, codes, nb, workers, func(b *buckets[C], env *engine.Env) func(i, at int) bool {
		dst := clean[E](env, n)
		must(t, partitionAlong(env, b, codes, s, dst))
		return func(i, at int) bool { return dst[at] == s[i] }
	})
}

// checkPartition has move partition codes into nb buckets, and calls its result to ask
// whether element i is at its place.
func checkPartition[C Code](t *testing.T, codes []C, nb, workers int, move func(b *buckets[C], env *engine.Env) (is func(i, at int) bool)) {
	t.Helper()
	name := fmt.Sprintf("%d codes of %T in %d buckets by %d workers", len(codes), codes[0], nb, workers)
	_, err := split(newEnv(workers), 0, len(codes), in(codes), surveyOf(codes), len(codes)/nb, func(env *engine.Env, b *buckets[C]) error {
		if b.len() < nb/2 || b.count < 2 {
			t.Fatalf("%s: %d buckets, %d stripes", name, b.len(), b.count)
		}
		next := append([]stream.Slots(nil), b.next...)
		is := move(b, env)
		some := testkit.ThinnedByRace(1) // of the places are asked for
		for stripe := range next {
			lo, hi := b.stripe(stripe)
			for i, code := range codes[lo:hi] {
				at := &next[stripe][b.table[b.of(code)]]
				if (!some || i%16 == 0) && !is(lo+i, int(*at)) {
					t.Fatalf("%s: place %d is not taken by element %d", name, *at, lo+i)
				}
				*at++
			}
		}
		return nil
	})
	must(t, err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestResolution has uniform codes, of which finer cells are needed for none, some, or half, and values that no
// cell divides.
func TestResolution(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const n, target = 1 << 20, 1 << 13
	for name, c := range map[string]struct {
		code  func() uint32
		finer bool
	}{
		"uniform":                  {func() uint32 { return r.Uint32() }, false},
		"one value of half":        {func() uint32 { return r.Uint32() * r.Uint32N(2) }, false},
		"16 values":                {func() uint32 { return r.Uint32N(16) * 0x0eeeeeee }, false},
		"half in one cell":         {func() uint32 { return r.Uint32() >> (r.IntN(2) * 14) }, true},
		"two values in one cell":   {func() uint32 { return r.Uint32N(2) + r.Uint32()*(r.Uint32N(8)/7) }, true},
		"a value and others there": {func() uint32 { return []uint32{5, r.Uint32(), r.Uint32() >> 14}[r.IntN(3)] }, true},
	} {
		codes := make([]uint32, n)
		for i := range codes {
			codes[i] = c.code()
		}
		codes[0], codes[1] = 0, ^uint32(0)
		bits := resolution(n, in(codes), surveyOf(codes), target, maxCellBits)
		if bits > evenCellBits != c.finer || bits > maxCellBits {
			t.Errorf("%s: cells of %d bits", name, bits)
		}
	}
}

// TestCloseCodes counts and moves codes in runs of one cell, and others in the same blocks.
func TestCloseCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	codes := make([]uint32, 150_000)
	for i := range codes {
		codes[i] = uint32(i)*10_007 + r.Uint32N(30_000)
	}
	for i := range codes {
		if r.IntN(50) == 0 {
			codes[i] = codes[r.IntN(len(codes))]
		}
	}
	v := surveyOf(codes)
	c := cells[uint32]{min: v.Min, shift: uint8(max(0, v.Width()-evenCellBits))}
	if !c.close(codes[:engine.Block]) {
		t.Error("the codes are not close")
	}
	var counts, want [1 << evenCellBits]uint32
	histogram(counts[:], codes, c)
	for _, code := range codes {
		want[c.of(code)]++
	}
	if counts != want {
		t.Error("other counts")
	}
	partitionAll(t, codes, 16, 2)
	if c.close(codes[:1]) || c.close(nil) {
		t.Error("no two codes are close")
	}
}

package cpu

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/testkit"
)

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
		testkit.SortStable(want[lo:hi], func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
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

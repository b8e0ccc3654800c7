package cpu

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/testkit"
)

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

// TestShortSegments orders segments of a few codes, many together, that differ in their last bits, their first bits or both.
func TestShortSegments(t *testing.T) {
	for name, segment := range map[string][]uint64{
		"the whole range, last bits fall": {3, 1, math.MaxUint64}, "the whole range, in order": {1, 3, math.MaxUint64}, "falling": {9, 5, 1}, "ties": {5, 5, 5}, "last bits rise": {math.MaxUint64 - 1, math.MaxUint64},
		"last bits of the greatest fall": {0, math.MaxUint64, math.MaxUint64 - 1},
	} {
		for _, segments := range []int{1, 2, 3, 300, 1000} {
			var codes []uint64
			offsets := []int{0}
			for range segments {
				codes = append(codes, segment...)
				offsets = append(offsets, len(codes))
			}
			want := make([]uint32, len(codes))
			for i := range want {
				want[i] = uint32(i)
			}
			for i := range segments {
				slices.SortStableFunc(want[offsets[i]:offsets[i+1]], func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
			}
			env, index := newEnv(2), make([]uint32, len(codes))
			if err := OrderWithin(env, NewSegments(offsets), index, sourceOf(codes), nil); err != nil || !slices.Equal(index, want) {
				t.Errorf("%d segments, %s: wrong order, %v", segments, name, err)
			}
			env.Arena.Release(1)
		}
	}
}

// TestLongSegments orders segments, and moves their elements, of which some are for all workers and lie between short ones.
func TestLongSegments(t *testing.T) {
	const long = bucket.MaxLen + 1000
	r := rand.New(rand.NewPCG(41, 42))
	offsets := []int{7, 50, 53, 53 + long, 60 + long, 60 + 2*long}
	n := offsets[len(offsets)-1] + 5
	for name, draw := range map[string]func() uint64{"random": r.Uint64, "with ties": func() uint64 { return r.Uint64N(9000) }} {
		codes := make([]uint64, n)
		fill(codes, draw)
		want, index := make([]uint32, n), make([]uint32, n)
		presorted.Forward(want, 0)
		presorted.Forward(index, 0)
		for i, lo := range offsets[:len(offsets)-1] {
			testkit.SortStable(want[lo:offsets[i+1]], func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
		}
		var refined atomic.Int64
		env := newEnv(2)
		err := OrderWithin(env, NewSegments(offsets), index, sourceOf(codes), func(_ int, order []uint32, sorted []uint64) {
			for i, x := range order {
				if codes[x] != sorted[i] {
					t.Errorf("%s: element %d has code %x, not %x", name, x, codes[x], sorted[i])
					return
				}
			}
			refined.Add(int64(len(order)))
		})
		if err != nil || !slices.Equal(index, want) || refined.Load() != int64(offsets[len(offsets)-1]-offsets[0]) {
			t.Errorf("%s: wrong order, or %d are refined, %v", name, refined.Load(), err)
		}
		for left := int64(0); left < 400; left += 1 + left/9 { // an order that ends says so, or is complete
			own, got := newEnv(2), make([]uint32, n)
			presorted.Forward(got, 0)
			ctx := &testkit.Ending{Context: context.Background()}
			ctx.Left.Store(left)
			own.Loop.Ctx = ctx
			err := OrderWithin(own, NewSegments(offsets), got, sourceOf(codes), nil)
			if err == nil && !slices.Equal(got, want) || err != nil && err != context.Canceled {
				t.Errorf("%s, after %d questions: wrong order, %v", name, left, err)
			}
			own.Arena.Release(1)
		}
		got, err := moveBySize[5](n, func(p Payload, _ uintptr) error { return MoveWithin(env, NewSegments(offsets), p, index) })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: elements at other places, %v", name, err)
		}
		env.Arena.Release(1)
	}
}

// TestRunsOfTiesTakeOffsets bounds the memory of runs as segments: that of segments whose offsets are known, and the offsets that
// each worker takes at a time.
func TestRunsOfTiesTakeOffsets(t *testing.T) {
	for _, n := range []int{127, turnWithin, 5 * turnWithin} {
		for _, workers := range []int{0, 1, 7} {
			runs, known := RunsOf(make(engine.Ties, engine.TieWords(n)+1), n), NewSegments([]int{0, n})
			more := int64(max(1, workers)) * scratch.Size(min(n, turnWithin)+1, 8)
			order := OrderWithinBytes(n, workers, runs, 8) - OrderWithinBytes(n, workers, known, 8)
			move := MoveWithinBytes(n, workers, runs, 24) - MoveWithinBytes(n, workers, known, 24)
			if bits.UintSize == 64 && (order != more || move != more) {
				t.Errorf("%d places, %d workers: %d and %d bytes more, want %d", n, workers, order, move, more)
			}
		}
	}
}

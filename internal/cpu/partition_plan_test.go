package cpu

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/testkit"
)

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

// TestCellsSampled chooses the bits of a histogram of codes that lie in one cell, at the even distances of a sample. As many as differ
// count, for they fall to finer cells; a value that most have does not.
func TestCellsSampled(t *testing.T) {
	const n, step, bound = 1 << 18, 64, 40
	for name, c := range map[string]struct {
		code func(i int) uint64 // of sampled code i
		seen int                // that count
	}{
		"all differ":     {func(i int) uint64 { return uint64(i) }, n / step},
		"two by turns":   {func(i int) uint64 { return uint64(i % 2) }, n / step},
		"one value":      {func(int) uint64 { return 5 }, 1},
		"one of most":    {func(i int) uint64 { return uint64(max(0, i%4-2)) * uint64(i) }, n / step / 2},
		"a tenth differ": {func(i int) uint64 { return uint64(max(0, i%10-8)) * uint64(i) }, n/step - n/step*8/10},
	} {
		for _, target := range []int{1000, 8192, 50_000} {
			codes := make([]uint64, n)
			for i := range codes {
				codes[i] = c.code(i / step)
			}
			v := presorted.Survey[uint64]{}
			v.Max = 1 << 60
			want := evenCellBits
			if seen := float64(c.seen); (seen-3*math.Sqrt(seen))*step > float64(target) {
				want = max(unevenCellBits, evenCellBits+bits.Len(uint(c.seen*step/target)))
			}
			if got := resolution(n, in(codes), v, target, bound); got != want {
				t.Errorf("%s, target %d: %d bits, want %d", name, target, got, want)
			}
		}
	}
}

package papers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
)

// named lists the algorithms of the papers that the engine runs.
func named() []engine.Algorithm {
	var all []engine.Algorithm
	for a := engine.Auto; a < engine.Algorithms; a++ {
		if algorithm[uint64](a) != nil {
			all = append(all, a)
		}
	}
	return all
}

// orderOf orders codes of the given number of bits by an algorithm that order runs, and holds the
// ties that it marks to the order.
func orderOf(run func(*engine.Job) error, codes []uint64, bits int, a engine.Algorithm, workers int) ([]uint32, error) {
	order := make([]uint32, len(codes))
	ties := make([]uint32, engine.TieWords(len(codes)))
	job := &engine.Job{N: len(codes), Bits: bits, Algorithm: a, Env: new(engine.Env)}
	job.Loop.Workers = workers
	job.Emit = func(lo int, places []uint32) { copy(order[lo:], places) }
	job.Codes64 = func(dst []uint64, lo int) { copy(dst, codes[lo:]) }
	job.Codes32 = func(dst []uint32, lo int) {
		for i := range dst {
			dst[i] = uint32(codes[lo+i])
		}
	}
	job.Ties = ties
	defer job.Arena.Release(1)
	err := run(job)
	for i, at := range order {
		tied := i > 0 && codes[at] == codes[order[i-1]]
		if err == nil && tied != (ties[i/32]>>(i%32)&1 == 1) {
			return order, fmt.Errorf("the code at place %d is marked wrong: tied %v", i, tied)
		}
	}
	return order, err
}

// stableOrder is what every algorithm is held to.
func stableOrder(codes []uint64) []uint32 {
	order := make([]uint32, len(codes))
	for i := range order {
		order[i] = uint32(i)
	}
	testkit.SortStable(order, func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
	return order
}

// TestIntervalsInIntervals has most codes in one interval of the range, and in
// that most in one again, down to codes that are all the same.
func TestIntervalsInIntervals(t *testing.T) {
	r := dist.Rand(1)
	codes := make([]uint64, 200_000)
	for i := range codes {
		codes[i] = r.Uint64() >> min(63, r.IntN(40)*11)
	}
	got, err := orderOf(Order, codes, 64, engine.CPUBucket, 3)
	if err != nil || !slices.Equal(got, stableOrder(codes)) {
		t.Errorf("not the stable order, error %v", err)
	}
}

// asked counts how often a sort asked its context: once for every partition and
// every tile of the network at least.
type asked struct {
	context.Context
	times int
}

func (c *asked) Err() error { c.times++; return nil }

// TestQuicksortAdversary runs quicksort into the adversary of M. D. McIlroy, "A
// killer adversary for quicksort" (1999): whatever is about to be sampled turns
// out to be the smallest of what is left, so that a partition splits off a few
// pairs at most.
func TestQuicksortAdversary(t *testing.T) {
	const n, gas = 20_000, math.MaxUint64
	pairs := make([]pair[uint64], n)
	for i := range pairs {
		pairs[i] = pair[uint64]{gas, uint32(i)}
	}
	codes := slices.Repeat([]uint64{gas}, n)
	frozen, partitions := uint64(0), 0
	for rest := pairs; len(rest) > shortSort; partitions++ {
		for i := range 9 {
			if p := &rest[sampled(len(rest), i)]; p.code == gas {
				p.code, codes[p.at] = frozen, frozen
				frozen++
			}
		}
		movePivot(rest)
		rest = rest[partition(new(engine.Env), rest)+1:]
	}
	if partitions < n/10 {
		t.Fatalf("the adversary got away with %d partitions of %d pairs", partitions, n)
	}
	for i := range pairs {
		pairs[i] = pair[uint64]{codes[i], uint32(i)}
	}
	ctx, env := &asked{Context: context.Background()}, new(engine.Env)
	env.Loop.Ctx = ctx
	quicksort(env, pairs)
	if ctx.times > n/50 {
		t.Errorf("quicksort asked %d times whether to go on", ctx.times)
	}
	want := stableOrder(codes)
	if !slices.EqualFunc(pairs, want, func(p pair[uint64], at uint32) bool { return p.at == at }) {
		t.Error("quicksort: not the stable order")
	}
	for _, a := range named() {
		if got, err := orderOf(Order, codes, 64, a, 2); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: not the stable order, error %v", a, err)
		}
	}
}

// sampleAdversary puts the pairs between samples where they fill every other
// bucket as far as possible: those of a tile that come after its last sample in
// a bucket are in the bucket yet, and those before the first are, too.
func sampleAdversary(n int) []uint64 {
	tile, codes := sampleTile(n), make([]uint64, n)
	part, tiles := tile/(2*sampleBuckets), uint64((n+tile-1)/tile)
	for i := range codes {
		at := i % tile
		level := uint64(at / part)
		switch {
		case at%part == part-1: // a sample
			codes[i] = level<<32 + uint64(i/tile)
		case level%4 == 2: // no later than the last sample of the level before
			codes[i] = (level-1)<<32 + tiles - 1
		default:
			codes[i] = level << 32
		}
	}
	return codes
}

// TestSampleBound holds sample sort to the size of its buckets, 2n/s at most.
func TestSampleBound(t *testing.T) {
	inputs := append(slices.Clone(dist.All), dist.Dist{Name: "adversary"})
	for i, n := range []int{sampleTileLen + 1, 2*sampleTileLen - 1, 8 * sampleTileLen, 8*sampleTileLen + 1, 300_007} {
		for j, d := range inputs {
			if testkit.Thinned(3*i + j) {
				continue
			}
			codes := sampleAdversary(n)
			if d.Draw != nil {
				codes = d.Draw(n, dist.Rand(uint64(n)))
			}
			largest := largestBucket(t, codes)
			if largest*sampleBuckets > 2*n {
				t.Errorf("%s, n=%d: a bucket of %d pairs, 2n/s is %d", d.Name, n, largest, 2*n/sampleBuckets)
			}
			if d.Draw == nil && n == 8*sampleTileLen && largest*sampleBuckets < n*4/3 {
				t.Errorf("n=%d: the adversary got no further than %d pairs, n/s is %d", n, largest, n/sampleBuckets)
			}
		}
	}
}

func largestBucket(t *testing.T, codes []uint64) int {
	env, n := new(engine.Env), len(codes)
	pairs, spare, tile := make([]pair[uint64], n), make([]pair[uint64], n), sampleTile(n)
	for i, c := range codes {
		pairs[i] = pair[uint64]{c, uint32(i)}
	}
	for lo := 0; lo < n; lo += tile {
		sortTile(pairs[lo:min(lo+tile, n)], spare)
	}
	splitters, err := splittersOf(env, pairs, tile)
	if err != nil {
		t.Fatal(err)
	}
	b, err := locate(env, pairs, tile, splitters)
	if err != nil || b.buckets > sampleBuckets {
		t.Fatalf("%d buckets, error %v", b.buckets, err)
	}
	largest := 0
	for k := range b.buckets {
		lo, hi := b.bounds(k)
		largest = max(largest, hi-lo)
	}
	return largest
}

// TestRuns holds the list of algorithms, which calls none of them, to the functions.
func TestRuns(t *testing.T) {
	for a := engine.Auto; a <= engine.Algorithms; a++ {
		if has := algorithm[uint64](a) != nil; Runs(a) != has {
			t.Errorf("%v: runs: %v, want %v", a, Runs(a), has)
		}
	}
}

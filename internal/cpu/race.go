package cpu

import (
	"math/bits"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
)

// Whether splits or a partition into buckets sort many even 64-bit codes in less time differs from processor to processor: a race of both,
// once in a process, decides. It takes about the time in which 10^6 codes are sorted, so the first sort of a process does without.

// leastRaced is the least number of codes that are worth a race of raced ones. These leave the second-level cache of most processors.
const leastRaced, raced = 1 << 19, 1 << 18

// sortsOf64 is 0 until there was a sort of leastRaced codes.
var sortsOf64 atomic.Int32

// prefersSplits reports whether n even 64-bit codes are split.
func prefersSplits(n int) bool {
	return n >= leastRaced && (sortsOf64.Load() > 0 || sortsOf64.Add(1) > 1) && raceOf64().splits(n)
}

// race has the times of both ways for raced codes, and of one round of splits.
type race struct{ byBuckets, bySplits, round time.Duration }

// splits reports whether splits sort n codes in less time: each doubling takes a round more.
func (r race) splits(n int) bool {
	more := float64(bits.Len(uint(n)-1) - bits.Len(uint(raced)-1))
	return r.bySplits.Seconds()+more*r.round.Seconds() < r.byBuckets.Seconds()
}

// raceOf64 is the race of 64-bit codes.
var raceOf64 = sync.OnceValue(func() race {
	env := new(engine.Env)
	env.Loop.Workers = 1
	defer env.Arena.Release(1)
	source, codes, memory := make([]uint64, raced), make([]uint64, raced), make([]uint64, raced)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range source {
		source[i] = r.Uint64()
	}
	v := presorted.Survey[uint64]{Max: ^uint64(0)}
	c := codeSort[uint64]{
		sides: [2]func() []uint64{eager(memory), eager(codes)}, work: bucket.Workers[uint64](env), out: codes,
		write: func(lo int, sorted []uint64) {
			if &codes[lo] != &sorted[0] {
				copy(codes[lo:], sorted)
			}
		},
	}
	return race{
		byBuckets: leastOfTwo(codes, source, func() { _ = c.byBuckets(env, in(codes), 0, raced, v, 0, 0) }), // no context ends it
		bySplits:  leastOfTwo(codes, source, func() { _ = c.bySplits(env, in(codes), 0, raced, 0, 0) }),
		round:     leastOfTwo(codes, source, func() { loops.SplitInPlace(codes, 1<<63) }),
	}
})

// leastOfTwo returns the lesser time of two calls of f, each after a copy.
func leastOfTwo(dst, src []uint64, f func()) time.Duration {
	least := time.Duration(1 << 62)
	for range 2 {
		copy(dst, src)
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	return least
}

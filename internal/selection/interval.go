package selection

import (
	"math/bits"
	"sync/atomic"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// The row of a rank is found by a radix selection: all workers count the leading digit of
// the codes that are still in question, until few are. One worker selects from those, by whole
// keys.

const (
	findBits = 11      // of a digit: its counters are half of a first-level cache
	fewFound = 1 << 16 // candidates that are not counted again
)

// mostFound returns the largest number of candidates, of n elements, that one worker selects
// from. It takes 10 ms at most. All workers order eight times as many elements in that time.
func mostFound(n int) int { return min(n, max(fewFound, min(n/8, 1<<20))) }

// interval is the codes from least to most, of n elements. The k-th of these, from 0, is wanted.
type interval[C sortkey.Code] struct {
	least, most C
	n, k        int
}

// extractAll writes the codes of src and returns the interval that they are in.
func extractAll[C sortkey.Code](env *engine.Env, codes []C, src cpu.Source[C]) (interval[C], error) {
	var least, less atomic.Uint64 // less is the complement of the largest code
	least.Store(1<<64 - 1)
	less.Store(1<<64 - 1)
	err := env.Stage("extract", len(codes), env.Loop.Turn(len(codes), engine.Block, selectPiece)/engine.Block*engine.Block, func(_, lo, hi int) {
		lowest, highest := ^C(0), C(0)
		for at := lo; at < hi && env.Loop.Err() == nil; at += engine.Block {
			block := codes[at:min(at+engine.Block, hi)]
			src(block, at)
			for _, c := range block {
				lowest, highest = min(lowest, c), max(highest, c)
			}
		}
		lower(&least, uint64(lowest))
		lower(&less, ^uint64(highest))
	})
	return interval[C]{least: C(least.Load()), most: C(^less.Load())}, env.Stopped(err)
}

// lower sets a to the lesser of a and value.
func lower(a *atomic.Uint64, value uint64) {
	for {
		if before := a.Load(); before <= value || a.CompareAndSwap(before, value) {
			return
		}
	}
}

// digits are the counters of a digit, by worker.
type digits [][]int

func newDigits(env *engine.Env) digits {
	all := make(digits, max(1, env.Loop.Workers))
	for i := range all {
		all[i] = scratch.Take[int](&env.Arena, 1<<findBits)
	}
	return all
}

// narrow reduces the interval to the codes that share the k-th one's leading digit.
func (in *interval[C]) narrow(env *engine.Env, codes []C, counts digits) error {
	if err := in.count(env, codes, counts); err != nil {
		return err
	}
	*in = in.part(counts[0], in.shift())
	return nil
}

// shift is the lowest bit of the leading digit, of findBits, of codes above the least.
func (in *interval[C]) shift() int { return in.shiftOf(findBits) }

// shiftOf is shift of digits of the given number of bits.
func (in *interval[C]) shiftOf(digit int) int {
	return max(0, bits.Len64(uint64(in.most-in.least))-digit)
}

// count counts the leading digits of the codes of the interval, in the counters of the first worker.
func (in *interval[C]) count(env *engine.Env, codes []C, counts digits) error {
	least, span, shift := in.least, in.most-in.least, in.shift()
	for _, own := range counts {
		clear(own)
	}
	err := env.Stage("select", len(codes), cpu.GatherPiece(env, len(codes)), func(worker, lo, hi int) {
		own := (*[1 << findBits]int)(counts[worker])
		for _, c := range codes[lo:hi] {
			if d := c - least; d <= span {
				own[d>>(shift&63)%(1<<findBits)]++
			}
		}
	})
	for _, own := range counts[1:] {
		for digit, n := range own {
			counts[0][digit] += n
		}
	}
	return err
}

// part returns the interval of the codes that share the k-th one's leading digit, which begins at bit
// shift, by their counts.
func (in *interval[C]) part(counts []int, shift int) interval[C] {
	k := in.k
	for digit, n := range counts {
		if k < n {
			least := in.least + C(digit)<<shift
			return interval[C]{least, least + min(in.most-least, C(1)<<shift-1), n, k}
		}
		k -= n
	}
	panic("sorter: the codes changed during a selection")
}

// kth returns the k-th element whose code is the interval's only one.
func (in *interval[C]) kth(env *engine.Env, codes []C) (int, error) {
	k := in.k
	for i, c := range codes {
		if i%selectPiece == 0 && env.Loop.Err() != nil {
			break
		}
		if c != in.least {
			continue
		}
		if k == 0 {
			return i, nil
		}
		k--
	}
	return 0, env.Loop.Err()
}

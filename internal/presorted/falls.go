package presorted

import (
	"math/bits"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// span is the elements [lo, hi).
type span struct{ lo, hi uint32 }

// runs returns the maximal runs of elements that do not fall, in reading order. Only blocks
// with a fall are read.
func (f *finder[C]) runs() ([]span, error) {
	falls, err := f.allFalls()
	if err != nil {
		return nil, err
	}
	defer scratch.Give(&f.env.Arena, falls, 1)
	runs, last := scratch.PartIn[span](&f.env.Arena, f.memory.runs, len(falls)+1), uint32(0)
	for i := range falls {
		end := falls[i]
		if f.back {
			end = uint32(f.n) - falls[len(falls)-1-i]
		}
		runs[i], last = span{last, end}, end
	}
	runs[len(falls)] = span{last, uint32(f.n)}
	return runs, nil
}

// allFalls returns the input positions of all elements that are below their predecessors, or
// above them if f.back. If keys have changed since they were counted, falls over the number
// counted for a chunk are left out.
func (f *finder[C]) allFalls() ([]uint32, error) {
	starts := make([]int, len(f.chunks)+1) // by chunk: index of its first fall
	for i := range f.chunks {
		starts[i+1] = starts[i] + f.chunks[i].count(f.back)
	}
	falls, counts := scratch.PartIn[uint32](&f.env.Arena, f.memory.falls, starts[len(f.chunks)]), make([]int, len(f.chunks))
	grain := 1
	if f.alone {
		grain = len(f.chunks)
	}
	err := f.env.Stage("detect", len(f.chunks), grain, func(worker, from, to int) {
		for i := from; i < to; i++ {
			own := f.chunkFalls(falls[starts[i]:starts[i]:starts[i+1]], worker, i)
			counts[i] = min(len(own), starts[i+1]-starts[i])
		}
	})
	if err = f.env.Stopped(err); err != nil {
		return nil, err
	}
	all := falls[:0]
	for i, n := range counts {
		all = append(all, falls[starts[i]:][:n]...)
	}
	return all, nil
}

// chunkFalls appends the falls of chunk i to falls, at least until it is full.
func (f *finder[C]) chunkFalls(falls []uint32, worker, i int) []uint32 {
	most, end := cap(falls), min((i+1)*f.each, f.n)
	for lo := i * f.each; lo < end && len(falls) < most && f.env.Loop.Err() == nil; lo += engine.Block {
		if f.chunks[i].has((lo-i*f.each)/engine.Block, f.back) {
			falls = f.scan(falls, worker, lo, min(lo+engine.Block, end))
		}
	}
	return falls
}

// scan appends to falls the elements of a block [lo, hi) that are below their predecessors, or
// above them if f.back.
func (f *finder[C]) scan(falls []uint32, worker, lo, hi int) []uint32 {
	if f.rest != nil {
		return f.scanKeys(falls, lo, hi)
	}
	flip := f.Flip
	if f.back { // complements fall where codes rise
		flip = ^flip
	}
	return fallsOf(falls, f.View, lo, hi, f.bufs.Of(worker), flip)
}

// scanKeys is scan by whole keys.
func (f *finder[C]) scanKeys(falls []uint32, lo, hi int) []uint32 {
	for i := max(lo, 1); i < hi; i++ {
		if c := f.comparePlaces(uint32(i), uint32(i-1)); c < 0 && !f.back || c > 0 && f.back {
			falls = append(falls, uint32(i))
		}
	}
	return falls
}

// fallsOf appends the numbers of the codes of a block [lo, hi) that are below their
// predecessors. code == word ^ flip.
func fallsOf[C engine.Code](falls []uint32, words func(lo, hi int, buf []C) []C, lo, hi int, buf []C, flip C) []uint32 {
	last := C(0)
	if lo > 0 {
		last = words(lo-1, lo, buf)[0] ^ flip
	}
	block := words(lo, hi, buf)
	if block[0]^flip < last {
		falls = append(falls, uint32(lo))
	}
	var found fallSet
	fallBits(found[:], block, flip)
	for k, set := range found[:(len(block)+62)/64] {
		for first := uint32(lo + 1 + 64*k); set != 0; set &= set - 1 {
			falls = append(falls, first+uint32(bits.TrailingZeros64(set)))
		}
	}
	return falls
}

// fallSet has a bit for each pair of neighbours in a block.
type fallSet [engine.Block / 64]uint64

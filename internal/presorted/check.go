package presorted

import (
	"sync/atomic"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Comparer compares elements by their whole keys.
type Comparer interface {
	// Compare compares two elements. If they have codes, these are equal.
	Compare(i, j uint32) int
	// Concurrent reports whether Compare is safe for concurrent use.
	Concurrent() bool
}

// Whole keys are no longer compared after n/mostKeySteps steps in the rarer direction: for random input after
// 2n/mostKeySteps elements.
//
// Moves compare all elements of a block with such steps again. Where these are more than one, and one in scatteredBlocks, the bound
// is n/fewKeySteps, or n/someKeySteps for leastScattered elements and more if all workers may compare (one worker of an EPYC,
// 2026-11, ns per element by moves and by codes: 10^6 strings of which one in a thousand is a stray 20 and 27, one in a
// hundred 43 and 29; 10^5 strings 14 and 8, 24 and 9; 10^6 structs by two columns 9 and 14, 44 and 38).
const (
	mostKeySteps    = 64
	someKeySteps    = 512
	fewKeySteps     = 4096
	leastScattered  = 1 << 18
	scatteredBlocks = 16
)

// Check counts the steps of n elements by their whole keys, block by block, until there are too many for moves. A worker
// counts the blocks of a chunk of [engine.Env.ChunkOf] elements in order.
type Check struct {
	n         int
	found     Marks
	disorder  atomic.Int64 // steps in the rarer direction, by block
	blocks    atomic.Int64 // with such steps
	scattered int64        // bound on disorder where blocks are more than one in scatteredBlocks
}

// NewCheck returns a check of n elements, which several workers may compare if concurrent is set.
func NewCheck(env *engine.Env, n int, concurrent bool) *Check {
	t := &Check{n: n, found: newMarks(n, env.ChunkOf(n)), scattered: int64(n / fewKeySteps)}
	if n >= leastScattered && (concurrent || env.Loop.Workers <= 1) {
		t.scattered = int64(n / someKeySteps)
	}
	t.found.ties = scratch.In[uint32](&env.Arena, SizeCheck(nil, n))
	clear(t.found.ties)
	return t
}

// SizeCheck sizes a bit for each of n elements.
func SizeCheck(a *scratch.Area, n int) scratch.Memory { return a.Memory(engine.TieWords(n), 4) }

// Ties returns where elements are marked that tie with their predecessors.
func (t *Check) Ties() engine.Ties { return t.found.ties }

// Over reports whether there are too many steps for moves.
func (t *Check) Over() bool {
	return t.tooMany(t.disorder.Load(), t.blocks.Load())
}

// tooMany reports whether steps in the rarer direction, in a number of blocks, are too many for moves.
func (t *Check) tooMany(steps, blocks int64) bool {
	return steps > int64(t.n/mostKeySteps+engine.Block/4) || blocks > max(1, t.found.blocks()/scatteredBlocks) && steps > t.scattered
}

// From returns the first element to read for the steps of the block that begins at lo: the one before it, if the
// same worker read that.
func (t *Check) From(lo int) int {
	if lo%t.found.each != 0 {
		return lo - 1
	}
	return lo
}

// Count adds the steps of the block that begins at lo. It seldom writes memory that workers
// share.
func (t *Check) Count(lo int, seen Steps) {
	p := &t.found.chunks[lo/t.found.each]
	p.add(lo%t.found.each/engine.Block, seen.Falls, seen.Rises)
	p.tied = p.tied || seen.Ties > 0
	if d := seen.Disorder(); d > 0 {
		t.disorder.Add(int64(d))
		t.blocks.Add(1)
	}
}

// Join counts the steps to the first elements of chunks, which step returns, after all blocks. It returns the counts,
// nil if there are none for moves.
func (t *Check) Join(step func(at int) Steps) *Marks {
	for at := t.found.each; at < t.n && !t.Over(); at += t.found.each {
		t.Count(at, step(at))
	}
	return t.marks()
}

// marks returns the counts, nil if they are incomplete or too many.
func (t *Check) marks() *Marks {
	m := &t.found
	if t.Over() {
		return nil
	}
	if m.sum(); t.tooMany(int64(min(m.Falls, m.Rises)), m.stepped()) { // the rarer direction of a block may be another
		return nil
	}
	return m
}

// Detect returns the moves of n > 0 elements, nil if there are none. follow counts the steps to the elements [lo, hi),
// each from the one before it; the first element of all has none. If it counts both rises and falls, it may count a
// tie as both. Where none rises, it sets the bits in ties of the elements that tie. compare compares two elements. Both
// are called from several goroutines, follow never for overlapping ranges. Scratch is bounded by [SizeDetect].
func Detect(env *engine.Env, n int, follow func(lo, hi int, ties engine.Ties) Steps, compare func(i, j uint32) int) (*Moves, error) {
	t := NewCheck(env, n, true)
	err := env.Stage("survey", n, t.found.each, func(_, lo, hi int) {
		for ; lo < hi && !t.Over() && env.Loop.Err() == nil; lo += engine.Block {
			t.Count(lo, follow(lo, min(lo+engine.Block, hi), t.found.ties))
		}
	})
	if err = env.Stopped(err); err != nil {
		return nil, err
	}
	m := t.marks()
	switch {
	case m == nil:
		return nil, nil
	case m.Sorted():
		env.Found(engine.Sorted)
		if m.Rises == 0 {
			env.Found(engine.Flat)
		}
		return &Moves{n: n}, nil
	}
	return findByKeys(env, n, m, compare)
}

// SizeDetect sizes [Detect] of n elements.
func SizeDetect(a *scratch.Area, n, workers int) {
	SizeCheck(a, n)
	sizeFind(a, n, workers, 8, nil)
}

package comparison

import (
	"math/bits"
	"sync/atomic"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/scratch"
)

// Job is a sort on the workers of an environment.
type Job[E any] struct {
	env     *engine.Env
	n       int
	workers []Sorter[E]
}

// New returns a sort of n elements by compare, of which Set provides the memory.
func New[E any](env *engine.Env, n int, compare func(a, b E) int) *Job[E] {
	j := &Job[E]{env, n, make([]Sorter[E], max(1, env.Loop.Workers))}
	for i := range j.workers {
		t := NewTurns(env.Loop.Ctx)
		j.workers[i] = Sorter[E]{Compare: in(t, compare), Turns: t, Arena: &env.Arena}
	}
	return j
}

// stage runs a stage, whose bodies end early if the context is cancelled.
func (j *Job[E]) stage(name string, n, grain int, body func(s *Sorter[E], lo, hi int)) error {
	return j.env.Stopped(j.env.Stage(name, n, grain, func(worker, lo, hi int) {
		s := &j.workers[worker]
		s.Turns.run(func() { body(s, lo, hi) })
	}))
}

// checked is the number of elements that a worker checks at a time.
const checked = 1 << 13

// Direction returns 1 if the elements are in order, -1 if they strictly fall, else 0.
func (j *Job[E]) Direction(s []E) (direction int, err error) {
	var rises, falls atomic.Bool // a step that does was seen
	err = j.stage("check", len(s), checked, func(w *Sorter[E], lo, hi int) {
		if lo = max(lo, 1); rises.Load() && falls.Load() {
			return
		}
		for i := lo; i < hi; {
			seen := &rises
			if w.Compare(s[i], s[i-1]) < 0 {
				for seen = &falls; i < hi && w.Compare(s[i], s[i-1]) < 0; i++ {
				}
			} else {
				for i++; i < hi && w.Compare(s[i], s[i-1]) >= 0; i++ {
				}
			}
			if seen.Store(true); rises.Load() && falls.Load() {
				return
			}
		}
	})
	switch {
	case !falls.Load():
		return 1, err
	case !rises.Load():
		return -1, err
	}
	return 0, err
}

// Starts sets bit i%32 of starts[i/32] where the element s[p[i]] differs from the one before it, and
// bit 0. All bits are clear at first.
func (j *Job[E]) Starts(starts []uint32, p []uint32, s []E) error {
	const grain = checked / 32
	return j.stage("runs", len(starts), grain, func(w *Sorter[E], lo, hi int) {
		for i := lo * 32; i < min(hi*32, len(p)); i++ {
			if i == 0 || w.Compare(s[p[i-1]], s[p[i]]) != 0 {
				starts[i/32] |= 1 << (i % 32)
			}
		}
	})
}

// Set sets the memory of the sort: three arrays, the first of which may be nil.
func (j *Job[E]) Set(arrays [arrays][]E) {
	for i := range j.workers {
		j.workers[i].Arrays = arrays
	}
}

// leastBlock is the least number of elements that a worker sorts by itself: up to 4096 elements are
// compared on the calling goroutine alone.
const leastBlock = 1<<11 + 1

// blocks returns how many blocks of n elements are sorted: a power of two, so that all take part in as
// many merges. Each merge costs more than the split that it replaces, so there are no more blocks than
// workers, unless some would have two blocks and others one.
func blocks(env *engine.Env, n int) int {
	workers := max(1, env.Loop.Workers)
	b := 1 << bits.Len(uint(workers-1))
	switch {
	case b > workers:
		b *= 2
	case b == 1 && env.Loop.Progress != nil: // it is called after each block
		b = 8
	}
	for b > 1 && n/b < leastBlock {
		b /= 2
	}
	return b
}

// Bytes bounds the scratch memory of a sort of n elements, the arrays apart.
func Bytes(env *engine.Env, n int) int64 {
	b := blocks(env, n)
	a, each := new(scratch.Area), (n-1)/b+1
	a.Times(min(b, max(1, env.Loop.Workers)), func() { layOutStrays(a, each) })
	return a.Bytes()
}

// part is a sorted part of all elements.
type part struct{ lo, hi, array int }

// Sort sorts the elements of array x. It returns the array in which they lie then.
func (j *Job[E]) Sort(x int) (int, error) {
	each := (j.n-1)/blocks(j.env, j.n) + 1
	parts := make([]part, (j.n-1)/each+1)
	err := j.stage("sort", j.n, each, func(s *Sorter[E], lo, hi int) {
		parts[lo/each] = part{lo, hi, s.sort(lo, hi, x)}
	})
	for len(parts) > 1 && err == nil {
		parts, err = j.mergePairs(parts)
	}
	return parts[0].array, err
}

// pair are two neighbouring parts that are merged.
type pair struct {
	a, b   part
	to     part
	inTurn bool  // a comes before b as it is
	moved  part  // the one that is copied to the array of the other before; empty if none is
	cuts   []int // of a, by piece; those of b follow
	first  int   // number of the first piece
}

// pieceLen returns how many elements a worker merges at a time.
func (j *Job[E]) pieceLen() int {
	return (&parallel.Loop{Workers: len(j.workers)}).Turn(j.n, 1<<11, 1<<17)
}

// mergePairs merges each part with the next.
func (j *Job[E]) mergePairs(parts []part) ([]part, error) {
	pairs := make([]pair, len(parts)/2)
	each := j.pieceLen()
	err := j.stage("merge", len(pairs), 1, func(s *Sorter[E], i, _ int) {
		pairs[i] = s.pairOf(parts[2*i], parts[2*i+1], each)
	})
	if err != nil {
		return parts, err
	}
	if err := j.copyParts(pairs, each); err != nil {
		return parts, err
	}
	pieces := 0
	merged := parts[:0]
	var of []int // pairs by piece
	for i := range pairs {
		p := &pairs[i]
		merged = append(merged, p.to)
		p.first = pieces
		for range max(0, len(p.cuts)-1) {
			of = append(of, i)
		}
		pieces += max(0, len(p.cuts)-1)
	}
	if len(parts)%2 == 1 {
		merged = append(merged, parts[len(parts)-1])
	}
	if pieces == 0 {
		return merged, nil
	}
	return merged, j.stage("merge", pieces, 1, func(s *Sorter[E], i, _ int) {
		p := &pairs[of[i]]
		s.piece(p, i-p.first, each)
	})
}

// copyParts copies the parts whose array is not that of the other of their pair.
func (j *Job[E]) copyParts(pairs []pair, each int) error {
	for i := range pairs {
		p := &pairs[i]
		n := p.moved.hi - p.moved.lo
		if n == 0 {
			continue
		}
		to := p.a.array
		if err := j.stage("merge", n, each, func(s *Sorter[E], lo, hi int) {
			lo, hi = lo+p.moved.lo, hi+p.moved.lo
			s.copy(s.Arrays[to][lo:hi], s.Arrays[p.moved.array][lo:hi])
		}); err != nil {
			return err
		}
	}
	return nil
}

// pairOf plans the merge of a and b, in pieces of a given length.
func (s *Sorter[E]) pairOf(a, b part, each int) pair {
	p := pair{a: a, b: b}
	x, y := s.Arrays[a.array][a.lo:a.hi], s.Arrays[b.array][b.lo:b.hi]
	p.inTurn = s.Compare(y[0], x[len(x)-1]) >= 0
	if a.array != b.array && (p.inTurn || a.array != Input && b.array != Input) {
		if a.array == Input || b.array != Input && len(x) <= len(y) {
			p.moved, p.a.array = a, b.array
		} else {
			p.moved, p.b.array = b, a.array
		}
	}
	p.to = part{a.lo, b.hi, p.a.array}
	if !p.inTurn {
		p.to.array = apart(p.a.array, p.b.array)
		p.cuts = s.cut(x, y, each)
	}
	return p
}

// apart returns an array of scratch that is neither a nor b, of which one is Input or both are the
// same.
func apart(a, b int) int {
	if a == First || b == First {
		return Second
	}
	return First
}

// cut returns how many elements of a are among the first each, 2*each, … of a and b merged. The
// cuts never fall, and those of b neither, also if the comparison contradicts itself.
func (s *Sorter[E]) cut(a, b []E, each int) []int {
	n := len(a) + len(b)
	cuts := make([]int, 1, (n-1)/each+2)
	before := 0 // elements of a and b up to the last cut
	for before < n {
		d := before + min(each, n-before)
		last := cuts[len(cuts)-1]
		lo, hi := max(d-len(b), last), min(len(a), last+d-before)
		for lo < hi {
			i := int(uint(lo+hi) / 2)
			if s.Compare(b[d-1-i], a[i]) < 0 {
				hi = i
			} else {
				lo = i + 1
			}
		}
		cuts = append(cuts, lo)
		before = d
	}
	return cuts
}

// piece merges piece i of a pair.
func (s *Sorter[E]) piece(p *pair, i, each int) {
	lo := i * each
	hi := lo + min(each, p.to.hi-p.to.lo-lo)
	a := s.Arrays[p.a.array][p.a.lo:][p.cuts[i]:p.cuts[i+1]]
	b := s.Arrays[p.b.array][p.b.lo:][lo-p.cuts[i] : hi-p.cuts[i+1]]
	dst := s.Arrays[p.to.array][p.to.lo:][lo:hi]
	s.merge(dst, a, b)
}

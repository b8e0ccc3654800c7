package cpu

import (
	"math/bits"
	"slices"
	"sort"
	"sync"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Segments are parts of a list that are sorted each by itself: part i has places offsets[i] to
// offsets[i+1]-1. Workers take whole segments, several short ones together. A segment of more
// than maxLocal elements is for all workers, after the others.
type Segments struct {
	offsets []int
	longest int
}

// turnWithin is the number of places among which a worker takes the segments that begin there.
const turnWithin = 1 << 14

// NewSegments returns the segments of ascending offsets, of which there is one at least.
func NewSegments(offsets []int) Segments {
	longest := 0
	for i := 1; i < len(offsets); i++ {
		longest = max(longest, offsets[i]-offsets[i-1])
	}
	return Segments{offsets, longest}
}

// First returns the first place of the segments.
func (s *Segments) First() int { return s.offsets[0] }

// together returns the number of elements that a worker sorts together at most.
func (s *Segments) together() int { return max(engine.Block, min(s.longest, maxLocal)) }

// long returns the length of the longest segment that all workers sort, 0 if there is none.
func (s *Segments) long() int {
	if s.longest <= maxLocal {
		return 0
	}
	return s.longest
}

// each passes the segments to short, by first and last number, of at most s.together() elements
// together, from all workers, and then those of more than maxLocal elements to long, one by one.
func (s *Segments) each(env *engine.Env, stage string, short func(worker, i, j int), long func(lo, hi int) error) error {
	var mu sync.Mutex
	var waiting []int
	segments, first := len(s.offsets)-1, s.offsets[0]
	n := s.offsets[segments] - first
	err := env.Stage(stage, n, env.Loop.Turn(n, LeastTurn, turnWithin), func(worker, lo, hi int) {
		for i := sort.SearchInts(s.offsets, first+lo); i < segments && s.offsets[i] < first+hi; {
			j := i + 1
			for j < segments && s.offsets[j] < first+hi && s.offsets[j+1]-s.offsets[i] <= engine.Block {
				j++
			}
			switch {
			case env.Loop.Err() != nil:
				return
			case s.offsets[j]-s.offsets[i] <= maxLocal:
				short(worker, i, j)
			default:
				mu.Lock()
				waiting = append(waiting, i)
				mu.Unlock()
			}
			i = j
		}
	})
	slices.Sort(waiting)
	for _, i := range waiting {
		if err == nil {
			err = long(s.offsets[i], s.offsets[i+1])
		}
	}
	return err
}

// within is an order within segments.
type within[C Code] struct {
	Segments
	env    *engine.Env
	index  []uint32
	src    Source[C]
	refine func(worker int, order []uint32, codes []C)
	work   []withinWorker[C]
}

// withinWorker is the workspace of one worker.
type withinWorker[C Code] struct {
	local local[C]
	codes []C // of the segments that are ordered together
}

// OrderWithin writes to index the order of the elements of each segment, by the codes of src,
// ties in input order. There are segments, and they end at len(index) at most. It passes each
// segment's part of index to refine, with the codes in order, unless refine is nil. Codes are
// extracted once.
func OrderWithin[C Code](env *engine.Env, s Segments, index []uint32, src Source[C], refine func(worker int, order []uint32, codes []C)) error {
	w := &within[C]{s, env, index, src, refine, make([]withinWorker[C], max(1, env.Loop.Workers))}
	for i := range w.work {
		w.work[i].local.env = env
	}
	return s.each(env, "segments", w.orderTogether, w.orderLong)
}

// OrderWithinBytes bounds the memory, in bytes, of [OrderWithin] for n elements and codes of the
// given size.
func OrderWithinBytes(n, workers int, s Segments, code uintptr) int64 {
	var a scratch.Area
	layOutLocals(&a, n, workers, maxLocal, code)
	layOutPicked(&a, n, workers, code)
	a.Shares(n, workers, s.together(), code)
	return a.Bytes() + OrderBytes(s.long(), workers, code)
}

// orderTogether orders segments [i, j).
func (w *within[C]) orderTogether(worker, i, j int) {
	work, from := &w.work[worker], w.offsets[i]
	n := w.offsets[j] - from
	work.codes = atLeast(w.env, work.codes, n)
	codes := work.codes[:n]
	for lo := 0; lo < n; lo += engine.Block {
		w.src(codes[lo:min(lo+engine.Block, n)], from+lo)
	}
	if w.env.Loop.Err() != nil {
		return // and codes are left out
	}
	for ; i < j; i++ {
		lo, hi := w.offsets[i], w.offsets[i+1]
		sorted := work.local.within(codes[lo-from:hi-from], w.index[lo:hi], uint32(lo), w.refine != nil)
		if w.refine != nil && hi-lo > 1 {
			w.refine(worker, w.index[lo:hi], sorted)
		}
	}
}

// within writes the order of codes, of elements numbered from first on, to index. It returns
// the codes in order if they are asked for; it may overwrite codes.
func (w *local[C]) within(codes []C, index []uint32, first uint32, inOrder bool) (sorted []C) {
	n := len(codes)
	if n == 2 { // without a branch on random codes
		a, b := codes[0], codes[1]
		_, swap := bits.Sub64(uint64(b), uint64(a), 0)
		codes[0], codes[1] = min(a, b), max(a, b)
		index[0], index[1] = first+uint32(swap), first+1-uint32(swap)
		return codes
	}
	forward(index, int(first))
	if n <= shortSort {
		insertionPairs(codes, index)
		return codes
	}
	v := summaryOf(codes)
	if v.sorted() {
		return codes
	}
	order := w.order(codes, v.min, v.span())
	for i, place := range order {
		index[i] = first + place
	}
	if inOrder {
		return w.pick(codes, order)
	}
	return nil
}

// orderLong orders the segment of elements [lo, hi) by all workers.
func (w *within[C]) orderLong(lo, hi int) error {
	src := func(dst []C, at int) { w.src(dst, lo+at) }
	return w.env.Scoped(func(env *engine.Env) error {
		return Order(env, hi-lo, src, nil, w.refine != nil, func(worker, at int, order []uint32, codes []C) {
			index := w.index[lo+at:][:len(order)]
			for i, place := range order {
				index[i] = uint32(lo) + place
			}
			if codes != nil {
				w.refine(worker, index, codes)
			}
		})
	})
}

// MoveWithin moves the elements of p within segments to the places of an index. Before the first
// is moved it calls env.Commit: from then on it finishes.
func MoveWithin(env *engine.Env, s Segments, p Payload, index []uint32) error {
	rooms, aside := make([]Payload, max(1, env.Loop.Workers)), p.Take(&env.Arena, s.long())
	defer aside.Give(&env.Arena, env.Loop.Workers)
	env.Commit()
	return s.each(env, "move", func(worker, i, j int) {
		lo, hi := s.offsets[i], s.offsets[j]
		if InPlaces(index[lo:hi], lo) {
			return
		}
		if rooms[worker].n == 0 {
			rooms[worker] = p.Take(&env.Arena, min(p.n, s.together()))
		}
		moved := rooms[worker].First(hi - lo)
		moved.Gather(p, index[lo:hi])
		p.Part(lo, hi).Copy(moved)
	}, func(from, to int) error {
		if InPlaces(index[from:to], from) {
			return nil
		}
		each := GatherPiece(env, to-from)
		err := env.Stage("gather", to-from, each, func(_, lo, hi int) {
			aside.Part(lo, hi).Gather(p, index[from+lo:from+hi])
		})
		if err != nil {
			return err
		}
		return env.Stage("write", to-from, each, func(_, lo, hi int) { p.Part(from+lo, from+hi).Copy(aside.Part(lo, hi)) })
	})
}

// MoveWithinBytes bounds the memory, in bytes, of [MoveWithin] for n elements of the given size.
func MoveWithinBytes(n, workers int, s Segments, size uintptr) int64 {
	var a scratch.Area
	a.Shares(n, workers, s.together(), size)
	return a.Bytes() + scratch.Size(s.long(), size)
}

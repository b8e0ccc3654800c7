package cpu

import (
	"math/bits"
	"slices"
	"sort"
	"sync"
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// Segments are parts of a list that are sorted each by itself: part i has places offsets[i] to
// offsets[i+1]-1, or runs of ties are the parts. Workers take whole segments, several short ones
// together. A segment of more than bucket.MaxLen elements is for all workers, after the others.
type Segments struct {
	offsets []int
	tied    engine.Ties // unless nil, of rows 0 … n-1, in place of offsets
	n       int
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
	return Segments{offsets: offsets, n: offsets[len(offsets)-1], longest: longest}
}

// RunsOf returns the runs of n > 0 places as segments. A run ends before a place that is not tied.
func RunsOf(tied engine.Ties, n int) Segments { return Segments{tied: tied, n: n, longest: n} }

// First returns the first place of the segments.
func (s *Segments) First() int {
	if s.tied != nil {
		return 0
	}
	return s.offsets[0]
}

// beginning returns the offsets of the segments that begin at places [lo, hi), in memory of buf or
// of s, and the end of the last; none if no segment begins there.
func (s *Segments) beginning(lo, hi int, buf []int) []int {
	if s.tied == nil {
		i, segments := sort.SearchInts(s.offsets, lo), len(s.offsets)-1
		j := i + sort.SearchInts(s.offsets[i:], hi)
		if i = min(i, segments); i == min(j, segments) {
			return nil
		}
		return s.offsets[i : min(j, segments)+1]
	}
	buf = buf[:0]
	for at := lo; at < hi; at = at&^31 + 32 {
		first := ^s.tied[at/32] >> (at % 32) << (at % 32)
		if at == 0 {
			first |= 1 // whatever the bit says
		}
		for ; first != 0; first &= first - 1 {
			if i := at&^31 + bits.TrailingZeros32(first); i < hi {
				buf = append(buf, i)
			}
		}
	}
	if len(buf) == 0 {
		return nil
	}
	return append(buf, s.tied.Next(false, max(hi, buf[len(buf)-1]+1), s.n))
}

// together returns the number of elements that a worker sorts together at most.
func (s *Segments) together() int { return max(engine.Block, min(s.longest, bucket.MaxLen)) }

// long returns the length of the longest segment that all workers sort, 0 if there is none.
func (s *Segments) long() int {
	if s.longest <= bucket.MaxLen {
		return 0
	}
	return s.longest
}

// each passes the segments to short, by the offsets of some that follow each other, of at most
// s.together() elements together, from all workers, and then those of more than bucket.MaxLen elements to
// long, one by one.
func (s *Segments) each(env *engine.Env, stage string, short func(worker int, offsets []int), long func(lo, hi int) error) error {
	var mu sync.Mutex
	var waiting [][2]int
	first, buffers := s.First(), make([][]int, max(1, env.Loop.Workers))
	n := s.n - first
	turn := env.Loop.Turn(n, engine.LeastTurn, turnWithin)
	err := env.Stage(stage, n, turn, func(worker, lo, hi int) {
		if buffers[worker] == nil && s.tied != nil {
			buffers[worker] = scratch.Take[int](&env.Arena, min(n, turn)+1)
		}
		offsets := s.beginning(first+lo, first+hi, buffers[worker])
		for i, j := 0, 0; i+1 < len(offsets); i = j {
			for j = i + 1; j+1 < len(offsets) && offsets[j+1]-offsets[i] <= engine.Block; j++ {
			}
			switch {
			case env.Loop.Err() != nil:
				return
			case offsets[j]-offsets[i] <= bucket.MaxLen:
				short(worker, offsets[i:j+1])
			default:
				mu.Lock()
				waiting = append(waiting, [2]int{offsets[i], offsets[j]})
				mu.Unlock()
			}
		}
	})
	err = env.Stopped(err)
	for _, b := range buffers {
		scratch.Give(&env.Arena, b, 1)
	}
	slices.SortFunc(waiting, func(a, b [2]int) int { return a[0] - b[0] })
	for _, w := range waiting {
		if err == nil {
			err = long(w[0], w[1])
		}
	}
	return err
}

// sizeOffsets sizes the offsets of the segments that workers take at a time.
func (s *Segments) sizeOffsets(a *scratch.Area, n, workers int) {
	if s.tied != nil {
		a.MemoryEach(max(1, workers), min(n, turnWithin)+1, unsafe.Sizeof(0))
	}
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
	local  bucket.Worker[C]
	codes  []C // of the segments that are ordered together
	joined joined
}

// joined orders short segments together: by words that have the number of the segment above the
// leading bits of the code. A sort of each takes 12 ns per element of segments of 30, and 12 of 10; one
// of all takes 6 and 7 (EPYC, 2026-11, int64, a busy machine).
type joined struct {
	local bucket.Worker[uint64]
	words []uint64
	ends  [engine.Block + 1]uint8 // 1 if a segment ends before an element
}

// mostJoined is the mean length of segments up to which they are ordered together.
const mostJoined = 48

// pairs reports whether all segments have two elements, which are faster ordered one by one.
func pairs(offsets []int) bool {
	for i, end := range offsets[1:] {
		if end-offsets[i] != 2 {
			return false
		}
	}
	return true
}

// OrderWithin writes to index the order of the elements of each segment, by the codes of src,
// ties in input order. There are segments, and they end at len(index) at most. It passes each
// segment's part of index to refine, with the codes in order, unless refine is nil. Codes are
// extracted once.
func OrderWithin[C Code](env *engine.Env, s Segments, index []uint32, src Source[C], refine func(worker int, order []uint32, codes []C)) error {
	w := &within[C]{s, env, index, src, refine, make([]withinWorker[C], max(1, env.Loop.Workers))}
	for i := range w.work {
		w.work[i].local.Env, w.work[i].joined.local.Env = env, env
	}
	return s.each(env, "segments", w.orderTogether, w.orderLong)
}

// OrderWithinBytes bounds the memory, in bytes, of [OrderWithin] for n elements and codes of the
// given size.
func OrderWithinBytes(n, workers int, s Segments, code uintptr) int64 {
	var a scratch.Area
	s.sizeOffsets(&a, n, workers)
	bucket.SizeWorkers(&a, n, workers, bucket.MaxLen, code)
	bucket.SizePicked(&a, n, workers, code)
	a.Shares(n, workers, s.together(), code)
	sizeJoined(&a, n, workers)
	return a.Bytes() + OrderBytes(s.long(), workers, code)
}

// sizeJoined sizes the workspaces of workers that join segments of n elements.
func sizeJoined(a *scratch.Area, n, workers int) {
	a.Shares(n, workers, engine.Block, 8)
	bucket.SizeWorkersOf(a, n, workers, engine.Block, engine.Block, 8)
}

// orderTogether orders segments that end at the offsets after the first.
func (w *within[C]) orderTogether(worker int, offsets []int) {
	work, from := &w.work[worker], offsets[0]
	n := offsets[len(offsets)-1] - from
	work.codes = scratch.Grow(&w.env.Arena, work.codes, n)
	codes := work.codes[:n]
	for lo := 0; lo < n; lo += engine.Block {
		w.src(codes[lo:min(lo+engine.Block, n)], from+lo)
	}
	if w.env.Loop.Err() != nil {
		return // and codes are left out
	}
	if segments := len(offsets) - 1; n > bucket.ShortSort && segments > 1 && n <= segments*mostJoined && !pairs(offsets) {
		w.orderJoined(worker, codes, offsets)
		return
	}
	for i := range offsets[1:] {
		lo, hi := offsets[i], offsets[i+1]
		sorted := work.local.Within(codes[lo-from:hi-from], w.index[lo:hi], uint32(lo), w.refine != nil)
		if w.refine != nil && hi-lo > 1 {
			w.refine(worker, w.index[lo:hi], sorted)
		}
	}
}

// orderJoined orders segments that have codes together; len(codes) <= engine.Block.
func (w *within[C]) orderJoined(worker int, codes []C, offsets []int) {
	work, from := &w.work[worker], offsets[0]
	index, sorted := w.index[from:from+len(codes)], codes
	if words, width, drop, rising := join(w.env, &work.joined, codes, offsets); rising {
		presorted.Forward(index, from)
	} else {
		order := work.joined.local.Order(words, 0, words[len(words)-1]|(1<<width-1))
		if drop > 0 {
			work.local.RepairJoined(order, words, codes)
		}
		for i, place := range order {
			index[i] = uint32(from) + place
		}
		if w.refine != nil {
			sorted = work.local.Pick(codes, order)
		}
	}
	if w.refine == nil {
		return
	}
	for i := range offsets[1:] {
		if lo, hi := offsets[i], offsets[i+1]; hi-lo > 1 {
			w.refine(worker, w.index[lo:hi], sorted[lo-from:hi-from])
		}
	}
}

// join writes the words of codes in segments: the number of the segment above width bits of the
// code, without its lowest drop bits. rising reports that words are whole codes, and in order.
func join[C Code](env *engine.Env, j *joined, codes []C, offsets []int) (words []uint64, width, drop int, rising bool) {
	j.words = scratch.Grow(&env.Arena, j.words, len(codes))
	words = j.words[:len(codes)]
	v := presorted.SummaryOf(codes)
	width = bits.Len64(uint64(v.Span()))
	drop = max(0, width+bits.Len(uint(min(len(offsets)-2, len(codes))))-64)
	width -= drop
	clear(j.ends[:])
	ends := j.ends[:len(codes)]
	for _, end := range offsets[1 : len(offsets)-1] {
		j.ends[end-offsets[0]] = 1
	}
	number, last, falls := uint64(0), uint64(0), uint64(0)
	for i, c := range codes {
		number += uint64(ends[i])
		word := number<<(width&63) | uint64(c-v.Min)>>(drop&63)
		_, fall := bits.Sub64(word, last, 0)
		words[i], last, falls = word, word, falls|fall
	}
	return words, width, drop, falls == 0 && drop == 0
}

// orderLong orders the segment of elements [lo, hi) by all workers.
func (w *within[C]) orderLong(lo, hi int) error {
	src := func(dst []C, at int) { w.src(dst, lo+at) }
	return w.env.Scoped(func(env *engine.Env) error {
		return Order(env, hi-lo, src, w.refine != nil, func(worker, at int, order []uint32, codes []C) {
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
	buffers, aside := make([]Payload, max(1, env.Loop.Workers)), p.Take(&env.Arena, s.long())
	defer aside.Give(&env.Arena, env.Loop.Workers)
	env.Commit()
	return s.each(env, "move", func(worker int, offsets []int) {
		lo, hi := offsets[0], offsets[len(offsets)-1]
		if presorted.InPlaces(index[lo:hi], lo) {
			return
		}
		if buffers[worker].n == 0 {
			buffers[worker] = p.Take(&env.Arena, min(p.n, s.together()))
		}
		// Copied, and gathered from the copy: elements then come from memory one after the other.
		old, places := buffers[worker].First(hi-lo), index[lo:hi]
		old.Copy(p.Part(lo, hi))
		for i := range places {
			places[i] -= uint32(lo)
		}
		p.Part(lo, hi).Gather(old, places)
	}, func(from, to int) error {
		if presorted.InPlaces(index[from:to], from) {
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
	s.sizeOffsets(&a, n, workers)
	a.MemoryEach(max(1, workers), min(n, s.together()), size)
	return a.Bytes() + scratch.Size(s.long(), size)
}

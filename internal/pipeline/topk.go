package pipeline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
)

// Front moves the elements numbered by an order to the front of a slice, in order, each by an
// exchange with the element in its place. It changes the order.
type Front func(order []uint32)

// topRows moves the first k elements of s under cols to the front, by front.
func topRows(cols []extract.Column, s cpu.Payload, k int, o call.Options, front Front) error {
	if k < 0 {
		panic(fmt.Sprintf("sorter: TopK of %d elements", k))
	}
	if k >= s.Len() {
		return sortRows(cols, s, o)
	}
	r, err := begin(o, s.Len())
	defer r.end()
	words := extract.Words(cols, o.Order())
	if err != nil || k == 0 || len(words) == 0 {
		return err
	}
	if r.n > r.most {
		return topOfChunks(r, s, k, words)
	}
	first, err := firstRows(r, extract.InputOf(s), k, words)
	if err == nil {
		front(first)
	}
	return err
}

// firstRows returns the numbers of the first k rows, in order, in memory of r.
func firstRows(r *request, rows extract.Input, k int, words []extract.Word) ([]uint32, error) {
	err := r.decide(facts{verb: toSelect, k: k, words: words, sizes: []uintptr{rows.Slice.Size()}, numbered: rows.Numbered,
		sampled: r.sampled(rows, words)})
	switch {
	case err != nil:
		return nil, err
	case r.plan.movement != selected:
		index := scratch.Take[uint32](&r.Arena, r.n)
		return index[:k], orderTo(r, rows, words, index)
	}
	t := ties.New(&r.Env, rows, words)
	order, err := selectFirst(r, t, k)
	return order, t.Finish(err)
}

// topOfChunks is topRows of a slice that is longer than positions number. It selects from each
// chunk, and then from these and the first of the chunks before. If k is large it sorts s.
func topOfChunks(r *request, s cpu.Payload, k int, words []extract.Word) error {
	if k > r.n/largeShare || k > r.most/2 {
		return sortWords(r, s, words)
	}
	if err := r.allow(candidateBytes(s.Size(), 2*k)); err != nil {
		return err
	}
	best := newCandidates(r, s, 2*k)
	err := r.inChunks(func(own *request, lo, hi int) error {
		chunk := s.Part(lo, hi)
		first, err := firstRows(own, extract.InputOf(chunk), min(k, chunk.Len()), extract.Fresh(words))
		if err != nil {
			return err
		}
		best.add(chunk, lo, first)
		return best.cut(own, k, words)
	})
	if err == nil {
		frontOf(s, best.at[:best.n])
	}
	return err
}

// candidates are copies of elements that may be among the first, in the order of the input
// wherever they tie.
type candidates struct {
	n        int
	elements cpu.Payload
	at       []int // where the elements are
	spare    cpu.Payload
	moved    []int
}

// newCandidates returns memory for a number of elements of the type of s.
func newCandidates(r *request, s cpu.Payload, most int) *candidates {
	return &candidates{
		elements: s.Take(&r.Arena, most), at: scratch.Take[int](&r.Arena, most),
		spare: s.Take(&r.Arena, most), moved: scratch.Take[int](&r.Arena, most),
	}
}

// candidateBytes bounds the memory, in bytes, of newCandidates for elements of a size.
func candidateBytes(size uintptr, most int) int64 {
	return 2 * (scratch.Size(most, size) + scratch.Size(most, unsafe.Sizeof(0)))
}

// add adds the elements of a chunk, which begins at place lo of the input, that first numbers.
func (b *candidates) add(chunk cpu.Payload, lo int, first []uint32) {
	b.elements.Part(b.n, b.n+len(first)).Gather(chunk, first)
	for i, x := range first {
		b.at[b.n+i] = lo + int(x)
	}
	b.n += len(first)
}

// cut drops all candidates except the first k, and puts these in order.
func (b *candidates) cut(r *request, k int, words []extract.Word) error {
	k = min(k, b.n)
	return r.nest(b.n, func(own *request) error {
		own.onHost()
		first, err := firstRows(own, extract.InputOf(b.elements.First(b.n)), k, extract.Fresh(words))
		if err != nil {
			return err
		}
		b.spare.First(k).Gather(b.elements.First(b.n), first)
		for i, x := range first {
			b.moved[i] = b.at[x]
		}
		b.elements, b.spare, b.at, b.moved, b.n = b.spare, b.elements, b.moved, b.at, k
		return nil
	})
}

// FrontOf returns the [Front] of s.
func FrontOf[E any](s []E) Front {
	return func(order []uint32) {
		exchanges(order)
		for i, at := range order {
			s[i], s[at] = s[at], s[i]
		}
	}
}

// frontOf moves the elements at the given places to the front of s. It changes order.
func frontOf(s cpu.Payload, order []int) {
	exchanges(order)
	for i, at := range order {
		s.Swap(i, at)
	}
}

// exchanges replaces the places of the elements that are to come i-th by where they are after
// the exchanges before i, each of an element with the one in its place.
func exchanges[I uint32 | int](order []I) {
	for i, at := range order {
		// The element of a place p < i moved to order[p], from where the exchange took the
		// new element. Each exchange moves one such element on, so all searches together
		// take at most as many steps as there are exchanges.
		for int(at) < i {
			at = order[at]
		}
		order[i] = at
	}
}

// selectFirst returns the first k elements in order, except for large runs of
// ties, which t.finish refines.
func selectFirst(r *request, t *ties.Breaker, k int) ([]uint32, error) {
	held, err := scan(r, t, k)
	if err != nil {
		return nil, err
	}
	err = r.Stage("select", len(held), 1, func(_, i, _ int) { held[i].cut() })
	if err != nil {
		return nil, err
	}
	found := 0
	for i := range held {
		found += len(held[i].found)
	}
	all := selector{k: k, t: t, codes: held[0].codes, at: held[0].at}
	all.found = scratch.Take[candidate](&r.Arena, found)[:0]
	for i := range held {
		all.found = append(all.found, held[i].found...)
	}
	all.cut()
	return inOrder(r, t, all.found)
}

// inOrder returns the numbers of candidates in order, except for large runs of
// ties.
func inOrder(r *request, t *ties.Breaker, first []candidate) ([]uint32, error) {
	n := len(first)
	order := scratch.Take[uint32](&r.Arena, n)
	if n <= compared {
		return order, orderFew(r, t, first, order)
	}
	byAt := scratch.Take[uint32](&r.Arena, n)
	err := r.Scoped(func(env *engine.Env) error {
		return cpu.Order(env, n, func(dst []uint32, lo int) {
			for i, c := range first[lo : lo+len(dst)] {
				dst[i] = c.at
			}
		}, false, func(_, lo int, part, _ []uint32) { copy(byAt[lo:], part) })
	})
	if err != nil {
		return nil, err
	}
	return order, r.Scoped(func(env *engine.Env) error {
		return cpu.Order(env, n, func(dst []uint64, lo int) {
			for i, at := range byAt[lo : lo+len(dst)] {
				dst[i] = first[at].code
			}
		}, !extract.Decisive(t.Words), func(worker, lo int, part []uint32, codes []uint64) {
			sorted := order[lo : lo+len(part)]
			for i, x := range part {
				sorted[i] = first[byAt[x]].at
			}
			ties.Refine(t, worker, sorted, codes, extract.Level{})
		})
	})
}

// compared is the number of candidates up to which comparisons order them: each of two orders of
// codes takes 5 µs before its first.
const compared = 256

// orderFew is inOrder of at most compared candidates, which it sorts by their codes.
func orderFew(r *request, t *ties.Breaker, first []candidate, order []uint32) error {
	slices.SortFunc(first, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.code, b.code), cmp.Compare(a.at, b.at))
	})
	for i, c := range first {
		order[i] = c.at
	}
	if extract.Decisive(t.Words) {
		return nil
	}
	codes := scratch.Take[uint64](&r.Arena, len(first))
	for i, c := range first {
		codes[i] = c.code
	}
	return r.Stage("sort", 1, 1, func(worker, _, _ int) { ties.Refine(t, worker, order, codes, extract.Level{}) })
}

// selectPiece is the most elements that a selector takes at a time.
const selectPiece = 16 * engine.Block

// selectors returns the number of workers that select from n elements, and how many of these each
// takes at a time: whole blocks.
func selectors(n, workers int) (count, each int) {
	loop := parallel.Loop{Workers: workers}
	each = loop.Turn(n, engine.Block, selectPiece) / engine.Block * engine.Block
	return max(1, min(workers, (n+each-1)/each)), each
}

// scan extracts all codes and returns selectors whose candidates include the first k
// elements.
func scan(r *request, t *ties.Breaker, k int) ([]selector, error) {
	lead := &t.Words[0]
	lead.Open(t.Input, &r.Env)
	if lead.Bits <= 32 {
		return sift(r, t, k, extract.Source32(t.Input, lead))
	}
	return sift(r, t, k, extract.Source64(t.Input, lead))
}

// sift is scan of the codes of a source.
func sift[C sortkey.Code](r *request, t *ties.Breaker, k int, codes cpu.Source[C]) ([]selector, error) {
	var bound atomic.Uint64 // no element with a larger code can be among the first k
	bound.Store(math.MaxUint64)
	count, each := selectors(r.n, r.Loop.Workers)
	held, blocks := make([]selector, count), make([][]C, count)
	for i := range held {
		held[i].open(t, i, r.n, k)
		blocks[i] = scratch.Take[C](&r.Arena, engine.Block)
	}
	err := r.Stage("extract", r.n, each, func(worker, lo, hi int) {
		for at := lo; at < hi && r.Loop.Err() == nil; at += engine.Block {
			block := blocks[worker][:min(engine.Block, hi-at)]
			if codes(block, at); r.Loop.Err() != nil {
				return // codes and keys are left out
			}
			add(&held[worker], block, at, &bound)
		}
	})
	if err == nil {
		err = r.Loop.Err()
	}
	return held, err
}

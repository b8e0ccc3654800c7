package pipeline

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
)

// topRows moves the first k elements of s under cols to the front, by front.
func topRows(cols []extract.Column, s cpu.Payload, k int, cfg call.Options, front func(order []uint32)) error {
	if k < 0 {
		panic(fmt.Sprintf("sorter: TopK of %d elements", k))
	}
	if k >= s.Len() {
		return sortRows(cols, s, cfg)
	}
	r, err := begin(cfg, s.Len(), s.Size())
	defer r.end()
	words := extract.Words(cols, cfg.Order())
	if err != nil || k == 0 || len(words) == 0 {
		return err
	}
	if k > s.Len()/largeShare {
		switch fits, err := enough(r, engine.IndexGather, words); {
		case err != nil:
			return err
		case fits:
			return orderToFront(r, s, k, words, true, front)
		}
	}
	if selected, least := selectBytes(r, words, k), leastIndex(r, words); !r.Fits(selected) {
		if err := r.require(min(selected, least)); err != nil {
			return err
		}
		return orderToFront(r, s, k, words, false, front)
	}
	r.used.Algorithm, r.used.CodeBits = "Select", words[0].Bits
	t := ties.New(&r.Env, extract.InputOf(s), words)
	order, err := selectFirst(r, t, k)
	if err = t.Finish(err); err != nil {
		return err
	}
	front(order)
	return nil
}

// selectBytes bounds the scratch memory of selecting k elements, in bytes: candidates
// and blocks of the workers, all candidates together and in order, and, where codes do
// not decide alone, keys and the codes of later words by element.
func selectBytes(r *run, words []extract.Word, k int) int64 {
	sieves, workers := int64(r.sieves()), r.Loop.Workers
	found := int(min(sieves*int64(k), int64(r.n)))
	block := scratch.Size(engine.Block, extract.CodeSize(words)) + scratch.Size(engine.Block, 8) + scratch.Size(engine.Block, 4)
	bytes := sieves*(scratch.Size(sieveRoom(r.n, k), unsafe.Sizeof(candidate{}))+block) + scratch.Size(found, unsafe.Sizeof(candidate{}))
	bytes += 2*scratch.Size(k, 4) + max(cpu.OrderBytes(k, workers, 4), cpu.OrderBytes(k, workers, 8))
	if extract.Decisive(words) {
		return bytes
	}
	return bytes + extract.FullBytes(r.n, words) + extract.EarlyBytes(r.n, words) + ties.Bytes(r.Loop.Workers, r.element, words, k) + ties.EarlyBytes(r.Loop.Workers, words, k) + ties.LargeRunBytes(words, k)
}

// largeShare is the part of the elements, 1/largeShare, above which all are
// ordered: selecting runs on one worker for most of its time, ordering on all.
const largeShare = 32

// orderToFront is topRows by an order of all elements, in place unless more fits.
func orderToFront(r *run, s cpu.Payload, k int, words []extract.Word, fits bool, front func(order []uint32)) error {
	r.used.Algorithm = engine.IndexGather.String()
	index := scratch.Take[uint32](&r.Arena, s.Len())
	if err := orderRows(r, extract.InputOf(s), words, index, fits); err != nil {
		return err
	}
	front(index[:k])
	return nil
}

// FrontOf returns toFront of s.
func FrontOf[E any](s []E) func(order []uint32) {
	return func(order []uint32) { toFront(s, order) }
}

// toFront moves the elements numbered by order to the front of s, in order, each
// by an exchange with the element in its place. order becomes their positions just
// before these exchanges.
func toFront[E any](s []E, order []uint32) {
	for i, at := range order {
		// The element of a place before i went to where that place's new element was. Each
		// exchange sends one element on, so that all searches together take no more
		// steps than there are exchanges.
		for int(at) < i {
			at = order[at]
		}
		order[i] = at
		s[i], s[at] = s[at], s[i]
	}
}

// selectFirst returns the first k elements in order, except for large runs of
// ties, which t.finish refines.
func selectFirst(r *run, t *ties.Breaker, k int) ([]uint32, error) {
	sieves, err := scan(r, t, k)
	if err != nil {
		return nil, err
	}
	err = r.Stage("select", len(sieves), 1, func(_, i, _ int) { sieves[i].cut() })
	if err != nil {
		return nil, err
	}
	found := 0
	for i := range sieves {
		found += len(sieves[i].found)
	}
	all := selector{k: k, t: t, codes: sieves[0].codes, at: sieves[0].at}
	all.found = scratch.Take[candidate](&r.Arena, found)[:0]
	for i := range sieves {
		all.found = append(all.found, sieves[i].found...)
	}
	all.cut()
	return inOrder(r, t, all.found)
}

// inOrder returns the numbers of candidates in order, except for large runs of
// ties.
func inOrder(r *run, t *ties.Breaker, first []candidate) ([]uint32, error) {
	n := len(first)
	byAt, order := scratch.Take[uint32](&r.Arena, n), scratch.Take[uint32](&r.Arena, n)
	err := r.Scoped(func(env *engine.Env) error {
		return cpu.Order(env, n, func(dst []uint32, lo int) {
			for i, c := range first[lo : lo+len(dst)] {
				dst[i] = c.at
			}
		}, nil, false, func(_, lo int, part, _ []uint32) { copy(byAt[lo:], part) })
	})
	if err != nil {
		return nil, err
	}
	return order, r.Scoped(func(env *engine.Env) error {
		return cpu.Order(env, n, func(dst []uint64, lo int) {
			for i, at := range byAt[lo : lo+len(dst)] {
				dst[i] = first[at].code
			}
		}, nil, !extract.Decisive(t.Words), func(worker, lo int, part []uint32, codes []uint64) {
			sorted := order[lo : lo+len(part)]
			for i, x := range part {
				sorted[i] = first[byAt[x]].at
			}
			ties.Refine(t, worker, sorted, codes, extract.Place{})
		})
	})
}

// sievePiece is the number of elements that a sieve takes at a time.
const sievePiece = 16 * engine.Block

// sieves returns the number of workers that sieve.
func (r *run) sieves() int { return max(1, min(r.Loop.Workers, (r.n+sievePiece-1)/sievePiece)) }

// scan extracts all codes and returns sieves that hold, together, all elements
// that are among the first k.
func scan(r *run, t *ties.Breaker, k int) ([]selector, error) {
	l := &t.Words[0]
	l.Open(t.Input, &r.Env)
	if l.Bits <= 32 {
		return sift(r, t, k, extract.Source32(t.Input, l))
	}
	return sift(r, t, k, extract.Source64(t.Input, l))
}

// sift is scan of the codes of a source.
func sift[C sortkey.Code](r *run, t *ties.Breaker, k int, codes cpu.Source[C]) ([]selector, error) {
	var bound atomic.Uint64 // no element with a larger code can be among the first k
	bound.Store(math.MaxUint64)
	sieves, blocks := make([]selector, r.sieves()), make([][]C, r.sieves())
	for i := range sieves {
		sieves[i].open(t, i, r.n, k)
		blocks[i] = scratch.Take[C](&r.Arena, engine.Block)
	}
	err := r.Stage("extract", r.n, sievePiece, func(worker, lo, hi int) {
		for at := lo; at < hi && r.Loop.Err() == nil; at += engine.Block {
			block := blocks[worker][:min(engine.Block, hi-at)]
			if codes(block, at); r.Loop.Err() != nil {
				return // codes and keys are left out
			}
			add(&sieves[worker], block, at, &bound)
		}
	})
	if err == nil {
		err = r.Loop.Err()
	}
	return sieves, err
}

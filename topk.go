package sorter

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"example.com/sorter/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// topRows moves the first k elements of s under cols to the front.
func topRows[E any](cols []Column[E], s []E, k int, cfg config) error {
	if k < 0 {
		panic(fmt.Sprintf("sorter: TopK of %d elements", k))
	}
	if k >= len(s) {
		return sortRows(cols, s, cfg)
	}
	r, err := begin(cfg, len(s))
	defer r.end()
	lv := levels(cols, cfg)
	if err != nil || k == 0 || len(lv) == 0 {
		return err
	}
	if k > len(s)/largeShare && r.fits(need(r, IndexGather, lv, 0)) {
		return orderToFront(r, s, k, lv)
	}
	r.used.Algorithm, r.used.CodeBits = "Select", lv[0].bits
	// Two rounds of candidates of 16 bytes for each worker, all of them once
	// more, and the order with its codes.
	workers := int64(r.Loop.Workers)
	bytes := workers*(32*int64(k)+24*engine.Block) + 64*int64(k)
	least := bytes + scratch.Size(len(s), uintptr(keptSize(lv)))
	if !decisive(lv) {
		least += cpu.Tables(len(s), r.Loop.Workers)
	}
	if err := r.require(least); err != nil {
		return err
	}
	r.Arena.Hold(bytes - workers*8*engine.Block)
	t := newTies(&r.Env, sliceRows(s), lv)
	order, err := selectFirst(r, t, k)
	if err = t.finish(r, err); err != nil {
		return err
	}
	toFront(s, order)
	return nil
}

// largeShare is the part of the elements, 1/largeShare, above which all are
// ordered: selecting runs on one worker for most of its time, ordering on all.
const largeShare = 32

// orderToFront is topRows for a large k.
func orderToFront[E any](r *run, s []E, k int, lv []level[E]) error {
	r.used.Algorithm = IndexGather.String()
	index := scratch.Take[uint32](&r.Arena, len(s))
	if err := orderRows(r, sliceRows(s), lv, index); err != nil {
		return err
	}
	toFront(s, index[:k])
	return nil
}

// toFront moves the elements numbered by order to the front of s, in order, each
// by an exchange with what is in its place. order becomes where they were then.
func toFront[E any](s []E, order []uint32) {
	for i, at := range order {
		// What was at a place before i went to where that place's element was. Each
		// exchange sends one element on, so that all searches together take no more
		// steps than there are exchanges.
		for int(at) < i {
			at = order[at]
		}
		order[i] = at
		s[i], s[at] = s[at], s[i]
	}
}

// candidate is an element that may be among the first.
type candidate struct {
	code uint64
	at   uint32
}

func compareCandidates(a, b candidate) int {
	switch {
	case a.code < b.code:
		return -1
	case a.code > b.code:
		return 1
	}
	return int(int64(a.at) - int64(b.at))
}

// selectFirst returns the first k elements in order, except for large runs of
// ties, which t.finish refines.
//
// All candidates whose code is below the k-th smallest are in; they are sorted
// and their ties refined. The run that ties on the k-th code is narrowed by the
// codes behind it, and so on, so that no more is sorted than was asked for.
func selectFirst[E any](r *run, t *ties[E], k int) ([]uint32, error) {
	found, err := scan(r, t, k)
	if err != nil {
		return nil, err
	}
	order := make([]uint32, 0, k) // never grown: t holds parts of it
	for p := (place{}); ; {
		bound := kthCode(found, k-len(order))
		tied := found[:0:0]
		sure := found[:0]
		for _, c := range found {
			if c.code < bound {
				sure = append(sure, c)
			} else if c.code == bound {
				tied = append(tied, c)
			}
		}
		order = t.take(order, sure, p)
		slices.SortFunc(tied, compareCandidates)
		next, more := t.after(p, bound)
		if rest := k - len(order); !more {
			return t.take(order, tied[:rest], p), nil
		}
		p = t.narrow(tied, next)
		found = tied
		if err := r.Loop.Err(); err != nil {
			return nil, err
		}
	}
}

// take appends candidates, whose codes were made at p, to order and refines
// their ties.
func (t *ties[E]) take(order []uint32, some []candidate, p place) []uint32 {
	slices.SortFunc(some, compareCandidates)
	codes := make([]uint64, len(some))
	from := len(order)
	for i, c := range some {
		order = append(order, c.at)
		codes[i] = c.code
	}
	refine(t, 0, order[from:], codes, p)
	return order
}

// narrow replaces the codes of a run by those at p and returns where they end.
func (t *ties[E]) narrow(run []candidate, p place) place {
	order := make([]uint32, len(run))
	for i, c := range run {
		order[i] = c.at
	}
	if p.tail {
		p.depth = t.levels[p.level].kept.skip(order[0], order[1:], p.depth)
	}
	codes := make([]uint64, len(run))
	p = t.codes(&t.work[0], codes, order, p)
	for i := range run {
		run[i].code = codes[i]
	}
	return p
}

// scan extracts all codes and returns the elements that may be among the first
// k: at least k of them, and all whose code is not above the k-th smallest.
func scan[E any](r *run, t *ties[E], k int) ([]candidate, error) {
	l := &t.levels[0]
	l.open(t.rows, &r.Arena)
	if l.bits <= 32 {
		return sift(r, k, decisive(t.levels), source32(r, t.rows, l))
	}
	return sift(r, k, decisive(t.levels), source64(r, t.rows, l))
}

// sift is scan of the codes of a source; exact says that they decide alone.
func sift[C code](r *run, k int, exact bool, codes cpu.Source[C]) ([]candidate, error) {
	var bound atomic.Uint64 // no element with a larger code can be among the first k
	bound.Store(math.MaxUint64)
	sieves := make([]sieve[C], max(1, r.Loop.Workers))
	err := r.Stage("extract", r.n, 16*engine.Block, func(worker, lo, hi int) {
		v := &sieves[worker]
		if v.block == nil {
			v.k, v.exact, v.own = k, exact, math.MaxUint64
			v.block = scratch.Take[C](&r.Arena, engine.Block)
		}
		for at := lo; at < hi && r.Loop.Err() == nil; at += engine.Block {
			block := v.block[:min(engine.Block, hi-at)]
			codes(block, at)
			v.add(block, at, &bound)
		}
	})
	if err == nil {
		err = r.Loop.Err()
	}
	var all []candidate
	for i := range sieves {
		all = append(all, sieves[i].found...)
	}
	return all, err
}

// sieve holds the candidates of one worker, which sees elements in ascending
// order.
type sieve[C code] struct {
	k     int
	exact bool // equal codes mean equal keys in all columns
	block []C
	found []candidate
	own   uint64 // the k-th smallest code of found when it was last cut
	full  bool   // whether found holds k elements not above own
}

func (v *sieve[C]) add(codes []C, base int, bound *atomic.Uint64) {
	limit := min(v.own, bound.Load())
	if v.exact && v.full && limit == v.own {
		// Ties of equal keys: the k found come earlier than these.
		if limit == 0 {
			return
		}
		limit--
	}
	most := C(min(limit, uint64(^C(0))))
	for i := firstUpTo(codes, most); i < len(codes); i += 1 + firstUpTo(codes[i+1:], most) {
		v.found = append(v.found, candidate{uint64(codes[i]), uint32(base + i)})
	}
	if len(v.found) < v.room() {
		return
	}
	v.cut()
	for {
		b := bound.Load()
		if v.own >= b || bound.CompareAndSwap(b, v.own) {
			return
		}
	}
}

// firstUpTo returns the position of the first code that is not above most, or the
// number of codes. By itself, the loop keeps its few values in registers.
func firstUpTo[C code](codes []C, most C) int {
	for i, c := range codes {
		if c <= most {
			return i
		}
	}
	return len(codes)
}

// room is the number of candidates that are collected before they are cut:
// twice what the last cut left, so that the cuts take linear time together.
func (v *sieve[C]) room() int { return max(2*v.k, v.k+engine.Block) }

// cut drops the candidates that cannot be among the first k.
func (v *sieve[C]) cut() {
	v.own, v.full = kthCode(v.found, v.k), true
	ties := len(v.found)
	if v.exact { // of those that tie on the k-th code, the earliest are enough
		ties = v.k
		for _, c := range v.found {
			if c.code < v.own {
				ties--
			}
		}
	}
	kept := v.found[:0]
	for _, c := range v.found {
		if c.code < v.own {
			kept = append(kept, c)
		} else if c.code == v.own && ties > 0 {
			kept = append(kept, c)
			ties--
		}
	}
	v.found = kept
}

// kthCode returns the k-th smallest code, 1 <= k <= len(all), by counting
// digits from the top: a fixed number of passes over ever fewer candidates.
func kthCode(all []candidate, k int) uint64 {
	lo, hi := uint64(math.MaxUint64), uint64(0)
	for _, c := range all {
		lo, hi = min(lo, c.code), max(hi, c.code)
	}
	for shift := max(0, bits.Len64(lo^hi)-8); ; shift = max(0, shift-8) {
		// All codes that matter are in [lo, hi] and share the bits above
		// shift+8.
		var count [256]int
		for _, c := range all {
			if c.code >= lo && c.code <= hi {
				count[uint8(c.code>>shift)]++
			}
		}
		digit := 0
		for ; k > count[digit]; digit++ {
			k -= count[digit]
		}
		mask := uint64(1)<<shift - 1
		base := hi&^(255<<shift|mask) | uint64(digit)<<shift
		if shift == 0 {
			return base
		}
		lo, hi = base, base|mask
	}
}

package sorter

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

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
	if k > len(s)/largeShare {
		switch fits, err := enough(r, IndexGather, lv, 0); {
		case err != nil:
			return err
		case fits:
			return orderToFront(r, s, k, lv)
		}
	}
	r.used.Algorithm, r.used.CodeBits = "Select", lv[0].bits
	if err := r.require(selectBytes(r, lv, k)); err != nil {
		return err
	}
	t := newTies(&r.Env, sliceRows(s), lv)
	order, err := selectFirst(r, t, k)
	if err = t.finish(r, err); err != nil {
		return err
	}
	toFront(s, order)
	return nil
}

// selectBytes bounds the scratch memory of selecting k elements, in bytes: what
// the workers have found and are about to read, all of it together and in order,
// and, where it takes more than codes to decide, keys and the codes of later
// levels by element.
func selectBytes[E any](r *run, lv []level[E], k int) int64 {
	sieves := r.sieves()
	bytes := int64(sieves) * (scratch.Size(sieveRoom(r.n, k), unsafe.Sizeof(candidate{})) + scratch.Size(engine.Block, 8) + scratch.Size(engine.Block, 4))
	bytes += scratch.Size(min(sieves*k, r.n), unsafe.Sizeof(candidate{})) + 2*scratch.Size(k, 4)
	order := 2*int64(k)*cpu.OrderBytes(Auto, 8) + cpu.Tables(k, r.Loop.Workers) + cpu.NearBytes(k) // small blocks are rounded up
	bytes += order
	if !decisive(lv) {
		bytes += order + 4*2*int64(k) + tieBlocks(r, lv)
		bytes += scratch.Size(r.n, uintptr(keptSize(lv)))
		bytes += int64(len(lv)-1) * (scratch.Size(r.n, 8) + scratch.Size(r.n, 1))
	}
	return bytes
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

// toFront moves the elements numbered by order to the front of s, in order.
// Those they displace go, in order, to the places that became free.
func toFront[E any](s []E, order []uint32) {
	k := len(order)
	first := make([]E, k)
	stays := make([]bool, k) // whether the element at i < k is among the first
	var free []uint32
	for i, at := range order {
		first[i] = s[at]
		if int(at) < k {
			stays[at] = true
		} else {
			free = append(free, at)
		}
	}
	slices.Sort(free)
	for i := range stays {
		if !stays[i] {
			s[free[0]] = s[i]
			free = free[1:]
		}
	}
	copy(s, first)
}

// candidate is an element that may be among the first.
type candidate struct {
	code uint64
	at   uint32
}

// selectFirst returns the first k elements in order, except for large runs of
// ties, which t.finish refines.
func selectFirst[E any](r *run, t *ties[E], k int) ([]uint32, error) {
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
	all := sieve[E]{k: k, t: t, codes: sieves[0].codes, at: sieves[0].at}
	all.found = scratch.Take[candidate](&r.Arena, found)[:0]
	for i := range sieves {
		all.found = append(all.found, sieves[i].found...)
	}
	all.cut()
	return inOrder(r, t, all.found)
}

// inOrder returns the numbers of candidates in order, except for large runs of
// ties.
func inOrder[E any](r *run, t *ties[E], first []candidate) ([]uint32, error) {
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
		}, nil, !decisive(t.levels), func(worker, lo int, part []uint32, codes []uint64) {
			sorted := order[lo : lo+len(part)]
			for i, x := range part {
				sorted[i] = first[byAt[x]].at
			}
			refine(t, worker, sorted, codes, place{})
		})
	})
}

// sievePiece is the number of elements that a sieve takes at a time.
const sievePiece = 16 * engine.Block

// sieves returns the number of workers that there is something to sieve for.
func (r *run) sieves() int { return max(1, min(r.Loop.Workers, (r.n+sievePiece-1)/sievePiece)) }

// scan extracts all codes and returns sieves that hold, together, all elements
// that are among the first k.
func scan[E any](r *run, t *ties[E], k int) ([]sieve[E], error) {
	l := &t.levels[0]
	l.open(t.rows, &r.Arena)
	codes := source64(r, t.rows, l)
	var bound atomic.Uint64 // no element with a larger code can be among the first k
	bound.Store(math.MaxUint64)
	sieves := make([]sieve[E], r.sieves())
	for i := range sieves {
		sieves[i].open(t, i, r.n, k)
	}
	err := r.Stage("extract", r.n, sievePiece, func(worker, lo, hi int) {
		v := &sieves[worker]
		for at := lo; at < hi && r.Loop.Err() == nil; at += engine.Block {
			block := v.codes[:min(engine.Block, hi-at)]
			codes(block, at)
			v.add(block, at, &bound)
		}
	})
	if err == nil {
		err = r.Loop.Err()
	}
	return sieves, err
}

// sieve holds what one worker has found, which sees elements in ascending order:
// never more than it has room for, whatever ties.
type sieve[E any] struct {
	t      *ties[E]
	worker int
	k      int
	found  []candidate
	own    uint64   // code of the last of found when it was cut
	last   uint32   // that element
	full   bool     // whether it was cut
	codes  []uint64 // of a block of elements
	at     []uint32 // their numbers
}

// sieveRoom is the number of candidates, of n elements, that are held at a time:
// a block more than twice the k that a cut leaves, or than k and a block. So the
// cuts take linear time together.
func sieveRoom(n, k int) int { return min(n, max(2*k, k+engine.Block)+engine.Block) }

func (v *sieve[E]) open(t *ties[E], worker, n, k int) {
	arena := &t.env.Arena
	v.t, v.worker, v.k, v.own = t, worker, k, math.MaxUint64
	v.found = scratch.Take[candidate](arena, sieveRoom(n, k))[:0]
	v.codes, v.at = scratch.Take[uint64](arena, engine.Block), scratch.Take[uint32](arena, engine.Block)
}

func (v *sieve[E]) add(codes []uint64, base int, bound *atomic.Uint64) {
	limit := min(v.own, bound.Load())
	if v.full && limit == v.own && decisive(v.t.levels) {
		// Ties of equal keys: the k found come earlier than these.
		if limit == 0 {
			return
		}
		limit--
	}
	for i, c := range codes {
		if c <= limit && !(v.full && c == v.own && v.behind(uint32(base+i))) {
			v.found = append(v.found, candidate{c, uint32(base + i)})
		}
	}
	if cap(v.found)-len(v.found) >= engine.Block {
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

// behind reports whether an element that ties with the last of the k found on
// its code comes behind it; false where it takes later levels to tell.
func (v *sieve[E]) behind(at uint32) bool {
	c, l := 0, &v.t.levels[0]
	if !l.exact() {
		c = l.kept.compare(at, v.last)
	}
	return c > 0 || c == 0 && len(v.t.levels) == 1 // of equal keys, those found are earlier
}

// cut leaves the first k of more candidates.
//
// Those whose code is below the k-th smallest are in. Those that tie on it are
// narrowed by the codes behind it, and so on; of equal keys the earliest are in.
func (v *sieve[E]) cut() {
	if len(v.found) <= v.k {
		return
	}
	v.own, v.full = kthCode(v.found, v.k), true
	in, tied := split(v.found, v.own)
	refined := v.found[in:v.k] // all of these have the code v.own
	k, code := v.k-in, v.own
	for p := (place{}); len(tied) > 1 && v.t.env.Loop.Err() == nil; {
		next, more := v.t.after(p, code)
		if !more {
			break
		}
		p = v.narrow(tied, next)
		code = kthCode(tied, k)
		in, tied = split(tied, code)
		k -= in
	}
	for i, c := range tied {
		tied[i].code = uint64(c.at)
	}
	code = kthCode(tied, k)
	split(tied, code)
	v.last, v.found = uint32(code), v.found[:v.k]
	for i := range refined {
		refined[i].code = v.own
	}
}

// split puts the candidates with codes below bound, whose number it returns, in
// front of those with the code bound, which it returns; others are lost.
func split(some []candidate, bound uint64) (below int, tied []candidate) {
	n := 0
	for _, c := range some {
		if c.code > bound {
			continue
		}
		some[n] = c
		if c.code < bound {
			some[below], some[n] = c, some[below]
			below++
		}
		n++
	}
	return below, some[below:n]
}

// narrow replaces the codes of a run by those at p and returns where they end.
func (v *sieve[E]) narrow(run []candidate, p place) place {
	t := v.t
	if p.tail {
		p.depth = v.skip(run, p)
	} else {
		t.open(p.level, true)
	}
	end := p
	for len(run) > 0 {
		n := min(engine.Block, len(run))
		codes := v.codes[:n]
		end = t.codes(&t.work[v.worker], codes, v.numbers(run[:n]), p)
		for i, c := range codes {
			run[i].code = c
		}
		run = run[n:]
	}
	return end
}

// skip finds where the elements of a run begin to differ.
func (v *sieve[E]) skip(run []candidate, p place) int {
	first, depth := run[0].at, math.MaxInt
	for run = run[1:]; len(run) > 0; {
		n := min(engine.Block, len(run))
		depth = min(depth, v.t.levels[p.level].kept.skip(first, v.numbers(run[:n]), p.depth))
		run = run[n:]
	}
	return depth
}

// numbers returns the numbers of at most a block of candidates.
func (v *sieve[E]) numbers(some []candidate) []uint32 {
	for i, c := range some {
		v.at[i] = c.at
	}
	return v.at[:len(some)]
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

package pipeline

import (
	"math"
	"math/bits"
	"sync/atomic"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
)

// candidate is an element that may be among the first.
type candidate struct {
	code uint64
	at   uint32
}

// selector holds the candidates of one worker, which reads elements in ascending order of
// their numbers. Their number is bounded by sieveRoom, even if many keys tie.
type selector struct {
	t      *ties.Breaker
	worker int
	k      int
	found  []candidate
	own    uint64   // k-th smallest code of the last cut; before any cut the highest code, which admits all
	last   uint32   // the k-th element of the last cut
	full   bool     // whether it was cut
	codes  []uint64 // of a block of candidates
	at     []uint32 // their numbers
}

// sieveRoom is the most candidates, of n elements, that a selector holds: a block more than
// 2*k, or than k and a block. A cut leaves k of them, so all cuts together take linear time.
func sieveRoom(n, k int) int {
	if k > n/2 {
		return n
	}
	return min(n, max(2*k, k+engine.Block)+engine.Block)
}

func (v *selector) open(t *ties.Breaker, worker, n, k int) {
	arena := &t.Env.Arena
	v.t, v.worker, v.k, v.own = t, worker, k, math.MaxUint64
	v.found = scratch.Take[candidate](arena, sieveRoom(n, k))[:0]
	v.codes, v.at = scratch.Take[uint64](arena, engine.Block), scratch.Take[uint32](arena, engine.Block)
}

// add adds elements base, base+1, … with these codes, unless they cannot be among the first k.
func add[C sortkey.Code](v *selector, codes []C, base int, bound *atomic.Uint64) {
	limit := min(v.own, bound.Load())
	if v.full && limit == v.own && extract.Decisive(v.t.Words) {
		// Equal codes are equal keys here: the k found precede these elements.
		if limit == 0 {
			return
		}
		limit--
	}
	most := C(min(limit, uint64(^C(0))))
	for i := firstUpTo(codes, most); i < len(codes); i += 1 + firstUpTo(codes[i+1:], most) {
		c := candidate{uint64(codes[i]), uint32(base + i)}
		if !(v.full && c.code == v.own && v.after(c.at)) {
			v.found = append(v.found, c)
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

// firstUpTo returns the position of the first code <= most, or len(codes). As a function of
// its own, the loop keeps its values in registers.
func firstUpTo[C sortkey.Code](codes []C, most C) int {
	for i, c := range codes {
		if c <= most {
			return i
		}
	}
	return len(codes)
}

// after reports whether an element whose first code equals that of v.last comes after it;
// false if later words decide.
func (v *selector) after(at uint32) bool {
	c, l := 0, &v.t.Words[0]
	if !l.Exact() {
		c = l.Full.Compare(at, v.last)
	}
	return c > 0 || c == 0 && len(v.t.Words) == 1 // of equal keys, the one found first precedes
}

// cut reduces the candidates to the first k.
//
// It takes all whose code is below the k-th smallest. From those with the k-th code it selects
// by their next codes, and so on. Of equal keys it takes those that come first in the input.
func (v *selector) cut() {
	if len(v.found) > v.k {
		v.find()
	}
}

// find is cut of at least k candidates. v.last is then the k-th element.
func (v *selector) find() {
	v.own, v.full = kthCode(v.found, v.k), true
	in, tied := split(v.found, v.own)
	refined := v.found[in:v.k] // all of these have the code v.own
	k, code := v.k-in, v.own
	for p := (extract.Place{}); len(tied) > 1 && v.t.Env.Loop.Err() == nil; {
		next, more := v.t.After(p, code)
		if !more {
			break
		}
		p = next
		if p.Tail {
			p = v.t.Words[p.Word].Full.WithPivot(v.some(tied), p)
		}
		v.narrow(tied, p)
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

// split moves the candidates with code < bound to the front, followed by those with
// code == bound, and drops the others. below is the number of the former, tied are the latter.
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

// narrow replaces the codes of a run by those at p.
func (v *selector) narrow(run []candidate, p extract.Place) {
	t := v.t
	if !p.Tail {
		t.Open(p.Word, true)
	}
	for len(run) > 0 {
		n := min(engine.Block, len(run))
		codes := v.codes[:n]
		t.Codes(&t.Work[v.worker], codes, v.numbers(run[:n]), p)
		for i, c := range codes {
			run[i].code = c
		}
		run = run[n:]
	}
}

// some returns the numbers of a run, or of a block drawn from it.
func (v *selector) some(run []candidate) []uint32 {
	if len(run) <= engine.Block {
		return v.numbers(run)
	}
	r := extract.Drawer(run[0].at, len(run), 0)
	for i := range v.at {
		v.at[i] = run[extract.Drawn(&r, len(run))].at
	}
	return v.at
}

// numbers returns the numbers of at most a block of candidates.
func (v *selector) numbers(some []candidate) []uint32 {
	for i, c := range some {
		v.at[i] = c.at
	}
	return v.at[:len(some)]
}

// kthCode returns the k-th smallest code, 1 <= k <= len(all), by an 8-bit radix selection from
// the top digit: at most 9 passes.
func kthCode(all []candidate, k int) uint64 {
	lo, hi := uint64(math.MaxUint64), uint64(0)
	for _, c := range all {
		lo, hi = min(lo, c.code), max(hi, c.code)
	}
	for shift := max(0, bits.Len64(lo^hi)-8); ; shift = max(0, shift-8) {
		// The k-th code is in [lo, hi]. All codes there share the bits from shift+8 on.
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

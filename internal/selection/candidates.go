package selection

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
)

// candidate is an element that may be among the first k.
type candidate struct {
	code uint64
	at   uint32
}

// selector holds the candidates of one worker, which reads elements in ascending order of
// their numbers. Their number is bounded by candidateLimit, even if many keys tie.
//
// A block of codes is compared with the bound by vectors; only codes that pass are read again. The
// alternative, a heap of k into which these are inserted, takes as long where few pass. Where all do,
// in int64 keys in descending order, an insertion takes 1.1, 4.5, 20 and 32 ns (k = 1, 10, 100, 1000),
// and a code here 0.65, 0.85, 1.7 and 9.4 ns (EPYC of 2022, 2026-11, BenchmarkTop).
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
	passed []uint64 // bits of the codes of a block
}

// candidateLimit returns the capacity of a selector for n elements, in candidates. A cut leaves k of
// them, so all cuts together take linear time.
func candidateLimit(n, k int) int {
	if k > n/2 {
		return n
	}
	return min(n, 2*k+512)
}

func (v *selector) open(t *ties.Breaker, worker, n, k int) {
	arena := &t.Env.Arena
	v.t, v.worker, v.k, v.own = t, worker, k, math.MaxUint64
	v.found = scratch.Take[candidate](arena, candidateLimit(n, k))[:0]
	v.codes, v.at = scratch.Take[uint64](arena, engine.Block), scratch.Take[uint32](arena, engine.Block)
	v.passed = scratch.TakeAligned[uint64](arena, engine.Block/64)
}

// add adds elements base, base+1, … with these codes, at most a block, unless they cannot be among
// the first k.
func add[C sortkey.Code](v *selector, codes []C, base int, bound *atomic.Uint64) {
	most, some := v.most(bound)
	if !some {
		return
	}
	count := loops.UpTo(v.passed, codes, C(min(most, uint64(^C(0)))))
	if count > len(codes)/8 {
		if c := leastOf(v.codes, codes, v.k); c < most {
			lower(bound, c)
			most = c
			loops.UpTo(v.passed, codes, C(most))
		}
	}
	for w, passed := range v.passed[:(len(codes)+63)/64] {
		for ; passed != 0; passed &= passed - 1 {
			i := w*64 + bits.TrailingZeros64(passed)
			c := candidate{uint64(codes[i]), uint32(base + i)}
			if c.code > most || v.full && c.code == v.own && v.after(c.at) {
				continue
			}
			if v.found = append(v.found, c); len(v.found) < cap(v.found) {
				continue
			}
			v.cut()
			lower(bound, v.own)
			if most, some = v.most(bound); !some {
				return
			}
		}
	}
}

// most returns the largest code of further elements that may be among the first k; some is false if
// none may.
func (v *selector) most(bound *atomic.Uint64) (most uint64, some bool) {
	most = min(v.own, bound.Load())
	if v.full && most == v.own && extract.Decisive(v.t.Words) {
		// Equal codes are equal keys here: the k found precede these elements.
		return most - 1, most > 0
	}
	return most, true
}

const (
	leastWays = 16 // the least number of minima that leastOf takes
	leastRows = 16 // codes of each minimum, about
)

// leastOf returns an upper bound on the k-th smallest code: the k-th smallest of w column minima, where
// codes are taken for rows of w. It reads some of the rows, the first and the last of them included. Of
// codes in random order, or in order, a few times k do not exceed the bound. It is the highest code
// if there are too few codes. least is memory for the minima.
func leastOf[C sortkey.Code](least []uint64, codes []C, k int) uint64 {
	w := max(k, leastWays)
	rows := len(codes) / w
	if rows < 4 {
		return math.MaxUint64
	}
	least = least[:w]
	for i, c := range codes[:w] {
		least[i] = uint64(c)
	}
	step := (rows + leastRows - 1) / leastRows
	for row := rows - 1; row > 0; row -= step {
		for i, c := range codes[row*w:][:len(least)] {
			least[i] = min(least[i], uint64(c))
		}
	}
	if k < w {
		bucket.SortCodes(least, nil)
		return least[k-1]
	}
	return slices.Max(least)
}

// after reports whether an element whose first code equals that of v.last comes after it;
// false if later words decide.
func (v *selector) after(at uint32) bool {
	c, lead := 0, &v.t.Words[0]
	if !lead.Exact() {
		c = lead.Full.Compare(at, v.last)
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
	for p := (extract.Level{}); len(tied) > 1 && v.t.Env.Loop.Err() == nil; {
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
func (v *selector) narrow(run []candidate, p extract.Level) {
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
	r := texts.Drawer(run[0].at, len(run), 0)
	for i := range v.at {
		v.at[i] = run[texts.Drawn(&r, len(run))].at
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

// lower sets a to the lesser of a and value.
func lower(a *atomic.Uint64, value uint64) {
	for {
		if before := a.Load(); before <= value || a.CompareAndSwap(before, value) {
			return
		}
	}
}

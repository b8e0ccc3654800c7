// Package perm has permutations, the result of every argsort, and moves payloads through them.
//
//	p, err := sorter.Order(rows, key) // rows is not changed
//	sorted := make([]Row, len(rows))
//	perm.Gather(sorted, rows, p, 0)
//
// Functions that move elements take the number of goroutines to use, 0 or less for GOMAXPROCS.
// Few elements are moved on the calling goroutine alone. Permutations may be read by several calls
// at a time; slices that are written belong to one call.
package perm

import (
	"fmt"
	"runtime"
	"sync"

	"example.com/sorter/internal/fetch"
)

// Perm is a permutation of 0 … len(p)-1. p[i] is the input position of the
// element that comes i-th.
type Perm []uint32

// Identity returns the permutation that leaves n elements where they are.
// It panics if n is negative or not below 1<<32.
func Identity(n int) Perm {
	if n < 0 || uint64(n) >= 1<<32 {
		panic(fmt.Sprintf("perm: length %d is not in [0, 1<<32)", n))
	}
	p := make(Perm, n)
	for i := range p {
		p[i] = uint32(i)
	}
	return p
}

// Valid returns nil if every index below len(p) occurs exactly once, otherwise an error with
// the first position that violates this. It takes one pass and len(p)/8 bytes.
func (p Perm) Valid() error { return p.mark(make([]uint64, words(len(p)))) }

// words is the length of a bitmap of n positions.
func words(n int) int { return (n + 63) / 64 }

// mark is Valid with a given clear bitmap. If it returns nil, the bits of all positions are
// set.
func (p Perm) mark(seen []uint64) error {
	for i, v := range p {
		if uint64(v) >= uint64(len(p)) {
			return fmt.Errorf("perm: p[%d] = %d is not below the length %d", i, v, len(p))
		}
		bit := uint64(1) << (v & 63)
		if seen[v>>6]&bit != 0 {
			return fmt.Errorf("perm: p[%d] = %d occurs a second time", i, v)
		}
		seen[v>>6] |= bit
	}
	return nil
}

// Inverse returns q with q[p[i]] == i: the ordinal rank of every input element. It takes one
// pass of random writes and one that reads in order, and no scratch besides the result. It
// panics unless p is valid, see [Perm.Valid].
func (p Perm) Inverse() Perm {
	q := make(Perm, len(p))
	for i, v := range p {
		if uint64(v) >= uint64(len(q)) {
			p.invalid()
		}
		q[v] = uint32(i)
	}
	// An index is missing exactly if one repeats. q is 0 at a missing index, and
	// otherwise at p[0] only.
	for v, i := range q {
		if i == 0 && uint32(v) != p[0] {
			p.invalid()
		}
	}
	return q
}

// invalid panics with the error of Valid; p must be invalid.
func (p Perm) invalid() { panic(p.Valid().Error()) }

// Compose returns the permutation that applies q, then p: gathering through the result
// equals gathering through q and then through p. Indices may repeat, as in [Gather]; then
// the result repeats some, too. It panics unless the lengths are equal and all indices of
// p, and those of q that p selects, are below them.
func (p Perm) Compose(q Perm) Perm {
	if len(p) != len(q) {
		panic(fmt.Sprintf("perm: composing permutations of %d and %d elements", len(p), len(q)))
	}
	r := make(Perm, len(p))
	dst, from := r, p
	if fetch.Pays(q) { // prefetches gain more than the checks cost
		for ; len(from) >= fetch.Ahead+fetch.Group; dst, from = dst[fetch.Group:], from[fetch.Group:] {
			fetch.Elements(q, from[fetch.Ahead:][:fetch.Group])
			selectFrom(dst[:fetch.Group], q, from)
		}
	}
	selectFrom(dst, q, from)
	return r
}

// selectFrom sets dst[i] = q[index[i]]. It panics if an index or a result is not below len(q).
// len(index) >= len(dst).
func selectFrom(dst, q, index Perm) {
	for i, v := range index[:len(dst)] {
		if uint64(v) >= uint64(len(q)) {
			panic(outside(v, len(q)))
		}
		w := q[v]
		if uint64(w) >= uint64(len(q)) {
			panic(outside(w, len(q)))
		}
		dst[i] = w
	}
}

// piece is the number of elements that one worker moves at a time: large enough to hide the
// synchronization, small enough for balance.
const piece = 1 << 15

// goroutines returns the number of goroutines that share n elements if the caller allows
// workers of them, 0 for GOMAXPROCS. It panics if workers is negative.
func goroutines(n, workers int) int {
	if workers < 0 {
		panic(fmt.Sprintf("perm: %d workers: need at least 0", workers))
	}
	pieces := (n + piece - 1) / piece
	if workers == 0 && pieces > 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	return max(1, min(workers, pieces))
}

// each calls body for [0, n) in pieces on at most workers goroutines, the caller's among them;
// 0 means GOMAXPROCS. Piece k is [k*piece, …).
func each(n, workers int, body func(lo, hi int)) {
	workers = goroutines(n, workers)
	if workers <= 1 {
		body(0, n)
		return
	}
	var wait sync.WaitGroup
	for w := range workers {
		// Static stripes instead of a shared counter: the cost per element is even.
		lo := n / piece * w / workers * piece
		hi := n / piece * (w + 1) / workers * piece
		if w == workers-1 {
			body(lo, n)
			break
		}
		wait.Go(func() { body(lo, hi) })
	}
	wait.Wait()
}

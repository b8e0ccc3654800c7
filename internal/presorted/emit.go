package presorted

import (
	"slices"
	"sort"

	"example.com/sorter/internal/engine"
)

// This file writes the order that moves are, for elements that do not move themselves.

// Write writes the order of l to index, ties in input order.
func (l *Moves) Write(env *engine.Env, index []uint32, tie func(i, j uint32) bool) error {
	memory := func(_, lo, hi int) []uint32 { return index[lo:hi] }
	return l.Emit(env, engine.Chunk, tie, memory, func(int, int, []uint32) {})
}

// Emit delivers the order of l, ties in input order, in the parts of [Moves.Parts] and in
// the slices of memory. tie may be nil unless l.ties.
func (l *Moves) Emit(env *engine.Env, grain int, tie func(i, j uint32) bool, memory func(worker, lo, hi int) []uint32, deliver func(worker, lo int, order []uint32)) error {
	if l.known != nil {
		tie = func(i, j uint32) bool { return l.known.Tied(int(max(i, j))) } // of neighbours
	}
	return l.Parts(env, grain, tie, func(worker, lo, hi int) {
		order := memory(worker, lo, hi)
		if l.order(order, lo); l.ties {
			reverseTies(order, tie)
		}
		deliver(worker, lo, order)
	})
}

// Parts cuts the places into parts of about grain elements. Parts end between elements that do
// not tie, or anywhere if tie is nil.
func (l *Moves) Parts(env *engine.Env, grain int, tie func(i, j uint32) bool, part func(worker, lo, hi int)) error {
	if l.alone {
		grain = l.n
	}
	if tie == nil {
		return env.Stage("emit", l.n, grain, part)
	}
	ends := l.tieEnds(grain, tie)
	return env.Stage("emit", len(ends)-1, 1, func(worker, i, _ int) {
		if lo, hi := ends[i], ends[i+1]; lo < hi {
			part(worker, lo, hi)
		}
	})
}

// tieEnds returns where parts begin, and the end of the last. Each end is found once: if keys
// change, parts neither overlap nor leave elements out.
func (l *Moves) tieEnds(grain int, tie func(i, j uint32) bool) []int {
	ends := make([]int, 1, (l.n+grain-1)/grain+1)
	for last := 0; last < l.n; {
		if len(ends)*grain > last { // otherwise a run of ties spans the part
			last = l.tieEnd(min(len(ends)*grain, l.n), tie)
		}
		ends = append(ends, last)
	}
	return ends
}

// tieEnd returns the first place >= i whose element does not tie with its predecessor.
func (l *Moves) tieEnd(i int, tie func(i, j uint32) bool) int {
	switch {
	case i == 0 || i >= l.n:
		return i
	case l.known != nil:
		for i < l.n && l.known.Tied(l.n-i) { // with the one after it in the input
			i++
		}
		return i
	}
	at := func(i int) uint32 {
		var one [1]uint32
		l.order(one[:], i)
		return one[0]
	}
	before := at(i - 1)
	return i + sort.Search(l.n-i, func(k int) bool { return !tie(before, at(i+k)) })
}

// reverseTies reverses every run of ties in order.
func reverseTies(order []uint32, tie func(i, j uint32) bool) {
	for i := 0; i < len(order); {
		from := i
		for i++; i < len(order) && tie(order[i-1], order[i]); i++ {
		}
		slices.Reverse(order[from:i])
	}
}

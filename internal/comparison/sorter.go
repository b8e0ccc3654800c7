// Package comparison sorts elements of which only a comparison is known: stable, in parallel, and
// with as few calls of the comparison as the input's order allows.
//
// Elements in no order are split by pivots into scratch, as in the stable quicksort of Peters and
// Bergdoll ("driftsort", 2024): a split compares all elements with one pivot, so that a wrongly
// predicted branch inside of a comparison costs no more than itself. A merge would wait for each
// result before it knows the next two elements. Where a sample is mostly in order, halves are sorted
// and merged instead: parts in order are joined without a move, and a merge searches exponentially
// once one side has won eight times in a row (Bentley and Yao 1976, as in Peters' Timsort). Several
// workers sort a block each, and share the merges of blocks, which are cut by merge path (Odeh et
// al. 2012).
//
// A comparison may contradict itself. Each step moves every element to one place, whatever the
// comparison returns, and each loop has a bound of its own: then the result is some permutation.
//
// Lost, with a comparison of float64 fields of 24-byte structs in no order, one worker (Xeon of 2026,
// 2026-11; ns per element): for n = 10,000 merges of halves 112, a sample sort with 32 buckets 134, splits
// into three 111, splits as here 93; for n = 1,000,000 buckets of 512 KB before splits 192, splits alone
// 177.
package comparison

import "example.com/sorter/internal/scratch"

// The arrays of a sort have the same length. A sorted part lies in one of them, at its own positions.
const (
	Input  = iota // the elements of the caller, which are only read
	First         // scratch
	Second        // scratch
	arrays
)

// Sorter sorts parts of an array on one goroutine. None of the arrays has elements to spare.
type Sorter[E any] struct {
	Arrays  [arrays][]E // Input may be nil: then the elements are in First
	Compare func(a, b E) int
	Turns   *Turns // of Compare; nil if nothing can cancel the sort
	Arena   *scratch.Arena
}

// sort sorts the elements of array x at positions [lo, hi), with hi > lo. It returns the array
// in which they lie then. The contents of the others there are undefined, Input's apart.
func (s *Sorter[E]) sort(lo, hi, x int) int {
	switch s.sampled(s.Arrays[x][lo:hi]) {
	case inOrder:
		if y, ok := s.strays(lo, hi, x); ok {
			return y
		}
	case inRuns:
	default:
		s.split(lo, hi, x, false, badSplits(hi-lo))
		return First
	}
	return s.halves(lo, hi, x, depth(hi-lo))
}

// copyBytes is the memory that is copied between two checks of the context.
const copyBytes = 1 << 20

// copy copies src to dst, which is as long. Where they overlap, dst begins first.
func (s *Sorter[E]) copy(dst, src []E) {
	if s.Turns == nil || len(src) <= copyLen[E]() {
		copy(dst, src)
		return
	}
	for each := copyLen[E](); len(src) > 0; {
		n := copy(dst[:min(each, len(dst))], src)
		dst, src = dst[n:], src[n:]
		s.Turns.check()
	}
}

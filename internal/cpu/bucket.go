package cpu

import (
	"math/bits"

	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/vecsort"
)

// orderOf is order of codes that were surveyed as v.
func (w *local[C]) orderOf(codes []C, v presorted.Summary[C]) []uint32 {
	n := len(codes)
	if v.Reversed(n) {
		order := w.takePlaces(n)
		presorted.Backward(order, n-1)
		return order
	}
	return w.order(codes, v.Min, v.Span())
}

// order returns the order of codes, ties by place, in memory of w. len(codes) <= maxLocal, and
// every code is in [lowest, lowest + span].
func (w *local[C]) order(codes []C, lowest, span C) []uint32 {
	n := len(codes)
	tied := fewTied
	if n > shortSort && vecsort.Enabled() {
		if order := w.orderFew(codes, lowest, span); order != nil {
			return order
		}
		if tied = repeated(codes); tied < manyTied {
			if order := w.orderVectors(codes, lowest, span, tied); order != nil {
				return order
			}
		} else if order := w.orderValues(codes, lowest, span); order != nil {
			return order
		}
	}
	width := bits.Len64(uint64(span))
	w.words, w.spare = atLeast(w.env, w.words, n), atLeast(w.env, w.spare, n)
	key := min(width, 32) // bits of a code in a word
	drop := width - key
	if n <= shortSort {
		words := w.words[:n]
		for i, c := range codes {
			words[i] = word(c, lowest, drop, i)
		}
		insertion(words)
		return w.repaired(words, codes, 32, drop == 0)
	}
	passes, digit := leading(n, key)
	shift := 32 + max(0, key-passes*digit)
	if shift > 32 && clustered(codes, lowest, drop+shift-32) {
		words := w.radix(codes, lowest, drop, shift, digit, passes, true)
		return w.repaired(words, codes, 32, drop == 0)
	}
	words := w.radix(codes, lowest, drop, shift, digit, passes, false)
	if tied > fewTied && (drop > 0 || shift > 32) {
		return placesOfTied(w, words, w.takePlaces(n), codes, 1<<32-1, shift)
	}
	return w.repaired(words, codes, shift, drop == 0 && shift == 32)
}

// sortCodes sorts codes in place or into memory of w, and returns the sorted slice. len(codes)
// <= maxLocal, and every code is in [lowest, lowest + span].
func (w *local[C]) sortCodes(codes []C, lowest, span C) []C {
	n := len(codes)
	if n <= shortSort {
		insertion(codes)
		return codes
	}
	if splits() {
		if !splitsFirst[C](n) && w.even(codes, lowest, span) {
			if sorted := w.sortVectors(codes, lowest, span); sorted != nil {
				return sorted
			}
		}
		w.codes = atLeast(w.env, w.codes, n)
		splitCodes(codes, w.codes[:n])
		w.env.Trace.SortedByVectors()
		return codes
	}
	tied := repeated(codes) == manyTied
	if !tied && vecsort.Enabled() {
		if sorted := w.sortVectors(codes, lowest, span); sorted != nil {
			return sorted
		}
	}
	spare := spareBits
	if tied {
		if w.countValues(codes, lowest, span) {
			return codes
		}
		spare = spareTiedBits
	}
	w.codes = atLeast(w.env, w.codes, n)
	return w.radixCodes(codes, w.codes[:n], lowest, bits.Len64(uint64(span)), spare)
}

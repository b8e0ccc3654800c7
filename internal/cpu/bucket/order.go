package bucket

import (
	"math/bits"

	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/vecsort"
)

// OrderOf is Order of codes that were surveyed as v.
func (w *Worker[C]) OrderOf(codes []C, v presorted.Summary[C]) []uint32 {
	n := len(codes)
	if v.Reversed(n) {
		order := w.Places(n)
		presorted.Backward(order, n-1)
		return order
	}
	return w.Order(codes, v.Min, v.Span())
}

// Order returns the order of codes, ties by place, in memory of w. len(codes) <= MaxLen, and
// every code is in [lowest, lowest + span].
func (w *Worker[C]) Order(codes []C, lowest, span C) []uint32 {
	n := len(codes)
	tied := fewTied
	if n > ShortSort && vecsort.Enabled() {
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
	w.words, w.spare = scratch.Grow(&w.Env.Arena, w.words, n), scratch.Grow(&w.Env.Arena, w.spare, n)
	key := min(width, 32) // bits of a code in a word
	drop := width - key
	if n <= ShortSort {
		words := w.words[:n]
		for i, c := range codes {
			words[i] = loops.Word(c, lowest, drop, i)
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
		return placesOfTied(w, words, w.Places(n), codes, 1<<32-1, shift)
	}
	return w.repaired(words, codes, shift, drop == 0 && shift == 32)
}

// Sort sorts codes in place or into memory of w, and returns the sorted slice. len(codes)
// <= MaxLen, and every code is in [lowest, lowest + span].
func (w *Worker[C]) Sort(codes []C, lowest, span C) []C {
	n := len(codes)
	if n <= ShortSort {
		insertion(codes)
		return codes
	}
	if Splits() {
		if !splitsFirst[C](n) && even(codes, span) {
			if sorted := w.sortVectors(codes, lowest, span); sorted != nil {
				return sorted
			}
		}
		splitCodes(codes, w.beside(n))
		w.Env.Trace.SortedByVectors()
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
	w.codes = scratch.Grow(&w.Env.Arena, w.codes, n)
	return w.radixCodes(codes, w.codes[:n], lowest, bits.Len64(uint64(span)), spare)
}

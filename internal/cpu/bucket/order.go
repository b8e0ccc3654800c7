package bucket

import (
	"math/bits"
	"unsafe"

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
		if splitsOrder(codes) {
			return w.orderSplits(codes, lowest, span)
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
	if n > ShortSort && width <= 32 && Splits() {
		return w.orderSplits(codes, lowest, span)
	}
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

// fewOrdered is the most codes whose words are split whatever they are.
const fewOrdered = 256

// splitsOrder reports whether words of codes and of their places are split: of few codes, which one network or two sort, and of
// codes that tie, which would fill single lists of a matrix. Many 64-bit ones that tie are left to radix passes (Xeon, 2026-11-30: 100
// uniform uint32 3.4 instead of 4.4 ns, float32 3.4 instead of 7.5; 1000 of 16 values 4.2 instead of 7, 2000 float64 of 16 values 7.0
// instead of 15).
func splitsOrder[C Code](codes []C) bool {
	n := len(codes)
	switch {
	case n <= fewOrdered:
		return Splits()
	case !Splits() || n >= leastTieSampled && unsafe.Sizeof(codes[0]) == 8:
		return false
	}
	var all [MostSample / 2]C
	sample := all[:]
	if n < 1<<10 {
		sample = all[:MostSample/4]
	}
	return tiedSample(sampleInto(sample, codes))
}

// orderSplits is Order by splits of words.
func (w *Worker[C]) orderSplits(codes []C, lowest, span C) []uint32 {
	n, drop := len(codes), max(0, bits.Len64(uint64(span))-32)
	w.words = scratch.Grow(&w.Env.Arena, w.words, n)
	w.spare = scratch.Grow(&w.Env.Arena, w.spare, min(n, MostBeside[uint64]()))
	words := w.words[:n]
	for i, c := range codes {
		words[i] = loops.Word(c, lowest, drop, i)
	}
	SortCodes(words, w.spare)
	if drop > 0 {
		return placesOfTied(w, words, w.Places(n), codes, 1<<32-1, 32)
	}
	return w.repaired(words, codes, 32, true)
}

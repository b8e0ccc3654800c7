package comparison

import (
	"slices"
	"unsafe"

	"example.com/sorter/internal/scratch"
)

// Small sorts few elements on the calling goroutine. It writes to s after the last comparison.
func Small[E any](s []E, compare func(a, b E) int) {
	n, falls := run(s, compare)
	switch {
	case n == len(s) && falls:
		slices.Reverse(s)
	case n == len(s):
	case len(s) >= leastSampled:
		inScratch(s, compare)
	case unsafe.Sizeof(*new(E)) > stackBytes || len(s) > 2*stackLen:
		fewInScratch(s, compare)
	case len(s) <= stackLen:
		onStack(s, n, falls, compare)
	default:
		onMoreStack(s, n, falls, compare)
	}
}

// InOrder reports whether s is in order. If it strictly falls, it reverses s before.
func InOrder[E any](s []E, compare func(a, b E) int) bool {
	n, falls := run(s, compare)
	if n < len(s) {
		return false
	}
	if falls {
		slices.Reverse(s)
	}
	return true
}

// run returns the length of the run that s begins with: of elements in order, or that strictly fall.
func run[E any](s []E, compare func(a, b E) int) (n int, falls bool) {
	if len(s) < 2 {
		return len(s), false
	}
	n = 2
	if falls = compare(s[1], s[0]) < 0; falls {
		for n < len(s) && compare(s[n], s[n-1]) < 0 {
			n++
		}
		return n, true
	}
	for n < len(s) && compare(s[n], s[n-1]) >= 0 {
		n++
	}
	return n, false
}

// Up to 2*stackLen elements of stackBytes are sorted in memory of the stack, which is cleared: so fewer
// elements have less.
const (
	stackBytes = 64
	stackLen   = 16
)

//go:noinline
func onStack[E any](s []E, n int, falls bool, compare func(a, b E) int) {
	var memory [stackLen]E
	insertAll(memory[:len(s)], s, n, falls, compare)
}

//go:noinline
func onMoreStack[E any](s []E, n int, falls bool, compare func(a, b E) int) {
	var memory [2 * stackLen]E
	insertAll(memory[:len(s)], s, n, falls, compare)
}

// insertAll sorts s, the first n elements of which are a run, by way of out.
//
//go:noinline
func insertAll[E any](out, s []E, n int, falls bool, compare func(a, b E) int) {
	copy(out[:n], s)
	if falls {
		slices.Reverse(out[:n])
	}
	for ; n < len(s); n++ {
		e := &s[n]
		i := n
		for ; i > 0 && compare(*e, out[i-1]) < 0; i-- {
			out[i] = out[i-1]
		}
		out[i] = *e
	}
	copy(s, out)
}

// fewInScratch sorts less than leastSampled elements by way of pooled memory. Its arena is on the stack.
func fewInScratch[E any](s []E, compare func(a, b E) int) {
	var arena scratch.Arena
	defer arena.Release(1)
	memory := scratch.Take[E](&arena, 2*len(s))
	w := Sorter[E]{Compare: compare, Arrays: [arrays][]E{s, memory[:len(s)], memory[len(s):]}}
	w.split(0, len(s), Input, false, badSplits(len(s)))
	copy(s, memory)
}

// inScratch sorts s by way of pooled memory.
func inScratch[E any](s []E, compare func(a, b E) int) {
	var arena scratch.Arena
	defer arena.Release(1)
	w := Sorter[E]{Compare: compare, Arena: &arena}
	memory := scratch.Take[E](&arena, 2*len(s))
	w.Arrays = [arrays][]E{s, memory[:len(s)], memory[len(s):]}
	if at := w.sort(0, len(s), Input); at != Input {
		copy(s, w.Arrays[at])
	}
}

// SmallOrder orders few elements on the calling goroutine: it fills p with their numbers.
func SmallOrder[E any](p []uint32, s []E, compare func(a, b E) int) {
	n, falls := run(s, compare)
	for i := range p {
		p[i] = uint32(i)
	}
	switch {
	case n == len(s) && falls:
		slices.Reverse(p)
	case n < len(s):
		var arena scratch.Arena
		defer arena.Release(1)
		w := Sorter[uint32]{Compare: ByNumber(s, compare), Arena: &arena}
		w.Arrays = [arrays][]uint32{nil, p, scratch.Take[uint32](&arena, len(s))}
		if at := w.sort(0, len(s), First); at != First {
			copy(p, w.Arrays[at])
		}
	}
}

// ByNumber returns the comparison of numbers of elements.
func ByNumber[E any](s []E, compare func(a, b E) int) func(a, b uint32) int {
	return func(a, b uint32) int { return compare(s[a], s[b]) }
}

// Falling returns the comparison of the opposite order.
func Falling[E any](compare func(a, b E) int) func(a, b E) int {
	return func(a, b E) int { return compare(b, a) }
}

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
	case n <= leafLen && len(s) <= leafLen && unsafe.Sizeof(*new(E)) <= stackBytes:
		onStack(s, n, falls, compare)
	default:
		inScratch(s, compare)
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

// stackBytes is the size up to which few elements are sorted in memory of the stack.
const stackBytes = 64

// onStack sorts up to leafLen elements, the first n of which are a run.
//
//go:noinline
func onStack[E any](s []E, n int, falls bool, compare func(a, b E) int) {
	var memory [leafLen]E
	out := memory[:len(s)]
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

// inScratch sorts s by way of pooled memory.
func inScratch[E any](s []E, compare func(a, b E) int) {
	var arena scratch.Arena
	defer arena.Release(1)
	w := Sorter[E]{Compare: compare, Arena: &arena}
	w.Arrays = [arrays][]E{s, scratch.Take[E](&arena, len(s)), scratch.Take[E](&arena, len(s))}
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

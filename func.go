package sorter

import (
	"example.com/sorter/internal/comparison"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/perm"
)

// SortFunc sorts s in the order of compare, for elements of which only a comparison is known. The
// result of compare is negative if a comes before b, zero if they are equal, and positive otherwise.
// Where there is a key, [Sort] is several times faster.
//
// It is stable on every engine, and runs on the CPU, whatever [On] and [Use] say.
//
// It calls compare up to about n log2 n times for n elements, up to n times if they are in order or
// strictly fall, and few times more for each element out of place. Scratch is two elements per element.
// Elements above 128 bytes are ordered by their numbers, and take one element and two numbers (4 bytes
// each). Under a smaller [MemoryLimit] elements move in place, which is slower.
//
// Calls on different slices may run concurrently. Where s is large, several goroutines call compare
// at a time; up to 4096 elements only the caller's does. compare must not change s.
//
// It panics if compare is nil, and with compare's own value if compare panics. Other errors are
// those of [Sort]. After an error or a panic s is as it was. If compare contradicts itself, the order
// is unspecified; no element is lost.
//
// Elements in no order are split by pivots, as in the stable quicksort of Peters and Bergdoll
// ("driftsort", 2024), others sorted by halves and merged. Workers cut merges by merge path (Odeh et
// al. 2012).
func SortFunc[E any](s []E, compare func(a, b E) int, opts ...Option) error {
	if compare == nil {
		panic("sorter: nil comparison")
	}
	if isPlain(opts, len(s)) {
		comparison.Small(s, compare)
		return nil
	}
	var o config
	return pipeline.SortFunc(s, compare, apply(&o, opts))
}

// OrderFunc returns the permutation that sorts s by compare (argsort), and leaves s alone. The position
// in s of the element that comes i-th is p[i]. It is in new memory, or in that of [Into].
//
// Scratch is one number (4 bytes) per element. For [MarkRuns] elements are equal for which compare
// returns 0; it is called for each pair of neighbours of the order. The error is [ErrTooLong] for more
// than 2^32-1 elements. Everything else said of [SortFunc] holds.
func OrderFunc[E any](s []E, compare func(a, b E) int, opts ...Option) (perm.Perm, error) {
	if compare == nil {
		panic("sorter: nil comparison")
	}
	var o config
	return pipeline.OrderFunc(s, compare, apply(&o, opts))
}

package cpu

import (
	"math/bits"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// local is one worker's workspace for sorting buckets in the cache: by vectors, see
// local_vectors.go, or by radix passes, see bucket_words.go and bucket_codes.go.
type local[C Code] struct {
	env     *engine.Env
	words   []uint64
	spare   []uint64
	counts  *digitCounts // like all slices here, taken at first use
	places  []uint32     // the order that is returned
	long    *local[C]    // workspace for long runs of equal leading bits
	codes   []C          // codes of a long run, or scratch of sortCodes
	sorted  []C          // codes in order
	private []C          // places of a further round, see mostPrivate
	nested  bool         // it is the long of another
	apart   bool         // it orders codes apart from a crowd, and has no long: bounds count no more than one
	plus    C            // codes of keys have this beyond the codes that are sorted

	spreading
}

const (
	// The counters of two digits of 11 bits are half of a first-level cache.
	minDigitBits = 6
	maxDigitBits = 11
	maxPasses    = 2 // enough for spareBits more than it takes to number maxLocal

	// spareBits is how many bits more than bits.Len(n-1) are sorted at least. Then one of 64
	// uniform codes has to be repaired.
	spareBits = 6

	// spareTiedBits is spareBits where manyTimes codes are one value on average: as many bits as it takes
	// to tell one of 64 uniform values from the others.
	spareTiedBits = 2

	// shortSort is the length up to which insertion sort wins over radix
	// passes with their counters.
	shortSort = 24
)

// locals returns a workspace for each worker, empty until used.
func locals[C Code](env *engine.Env) []local[C] {
	w := make([]local[C], max(1, env.Loop.Workers))
	for i := range w {
		w[i].env = env
	}
	return w
}

// takePlaces returns memory for an order of n elements; n may exceed maxLocal.
func (w *local[C]) takePlaces(n int) []uint32 {
	w.places = atLeast(w.env, w.places, n)
	return w.places[:n]
}

// pick returns the codes of the elements at the given places.
func (w *local[C]) pick(codes []C, places []uint32) []C {
	w.sorted = atLeast(w.env, w.sorted, len(places))
	sorted := w.sorted[:len(places)]
	for i, x := range places {
		sorted[i] = codes[x]
	}
	return sorted
}

// atLeast returns s if len(s) >= n. Otherwise it gives s back and takes at least n elements.
func atLeast[T any](env *engine.Env, s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	scratch.Give(&env.Arena, s, 1)
	return scratch.Take[T](&env.Arena, scratch.Fit[T](n))
}

// leading returns the number and width of the digits by which n <= maxLocal elements are
// sorted, whose codes differ in width bits. One or two digits cover bits.Len(n-1)+spareBits
// bits, or all width bits. Wider digits cost more for clearing and summing counters. Narrower
// ones gain 5 to 10 % on some lengths of uniform codes but leave skewed codes to be repaired:
// 8 ns instead of 5 per element for a thousand codes below 2^20.
func leading(n, width int) (passes, digit int) { return leadingBits(n, width, spareBits) }

// leadingBits is leading with another number of bits than spareBits. Fewer make narrower digits.
func leadingBits(n, width, spare int) (passes, digit int) {
	low := bits.Len(uint(n - 1))
	if spare < spareBits {
		width = min(width, low+spare)
	}
	most := min(max(low, minDigitBits), maxDigitBits)
	passes = max(1, (min(width, low+spare)+most-1)/most)
	return passes, min(most, (width+passes-1)/passes)
}

// insertion sorts words or codes by insertion sort.
func insertion[C Code](words []C) {
	for i := 1; i < len(words); i++ {
		x := words[i]
		j := i
		for ; j > 0 && words[j-1] > x; j-- {
			words[j] = words[j-1]
		}
		words[j] = x
	}
}

// insertionBy sorts places by their codes. Places ascend, so ties stay in order.
func insertionBy[C Code](places []uint32, codes []C) {
	for i := 1; i < len(places); i++ {
		x := places[i]
		c := codes[x]
		j := i
		for ; j > 0 && codes[places[j-1]] > c; j-- {
			places[j] = places[j-1]
		}
		places[j] = x
	}
}

// apply permutes numbers by places, an order that w has found. It overwrites w.words.
func (w *local[C]) apply(numbers, places []uint32) {
	for i, x := range numbers {
		w.words[i] = uint64(x)
	}
	for i, x := range places {
		numbers[i] = uint32(w.words[x])
	}
}

// digitCounts are the counters of all passes, and of one by lower bits.
type digitCounts [maxPasses + 1][1 << maxDigitBits]uint32

// spread is a way to spread codes over the lists of a matrix.
type spread int

const (
	byCode         spread = iota // lists have equally wide ranges of codes
	ascending                    // equally wide ranges of floats, of which codes are as by default
	descending                   // the same in descending order
	bent                         // the ranges of codes are those of a histogram
	bentAscending                // the ranges of floats are
	bentDescending               // the same in descending order
	fineAscending                // the histogram is a finer one
	fineDescending               // the same in descending order
	spreads                      // number of ways
)

// spreading records how evenly the codes of a worker's buckets are spread: neighbouring buckets are
// alike.
type spreading struct {
	way    spread // that is tried first
	turns  int    // buckets for which way is not byCode
	failed int    // buckets in a row that no matrix took, at most mostFailed
	passed int    // buckets that are passed over

	uncounted int // buckets that are not to be counted by value, see countValues
}

const (
	mostTurns  = 15
	mostFailed = 4
)

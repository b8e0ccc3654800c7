// Package bucket sorts the codes of a bucket, up to [MaxLen] of them, by one worker in its caches: in registers, by splits
// or over the lists of a matrix where the processor has vectors, and by radix passes. It returns sorted codes, or their
// order, in which ties are in input order.
package bucket

import (
	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Code is the unsigned form of a key.
type Code = engine.Code

// MaxLen is the length of the largest bucket: its data stay in the caches of one worker.
const MaxLen = 1 << 16

// Worker is one worker's workspace for sorting buckets. Env gives it memory.
type Worker[C Code] struct {
	Env     *engine.Env
	words   []uint64
	spare   []uint64
	counts  *digitCounts // like all slices here, taken at first use
	places  []uint32     // the order that is returned
	long    *Worker[C]   // workspace for long runs of equal leading bits
	codes   []C          // codes of a long run, or scratch of Sort
	sorted  []C          // codes in order
	private []C          // see Private
	nested  bool         // it is the long of another
	apart   bool         // it orders codes apart from a crowd, and has no long: bounds count no more than one
	Plus    C            // codes of keys have this beyond the codes that are sorted

	spreading
}

const (
	minDigitBits = 6
	maxPasses    = 2 // enough for spareBits more than it takes to number MaxLen

	// spareBits is how many bits more than bits.Len(n-1) are sorted at least. Then one of 64
	// uniform codes has to be repaired.
	spareBits = 6

	// spareTiedBits is spareBits where manyTimes codes are one value on average: as many bits as it takes
	// to tell one of 64 uniform values from the others.
	spareTiedBits = 2

	// ShortSort is the length up to which insertion sort wins over radix
	// passes with their counters.
	ShortSort = 24
)

// Workers returns a workspace for each worker, empty until used.
func Workers[C Code](env *engine.Env) []Worker[C] {
	w := make([]Worker[C], max(1, env.Loop.Workers))
	for i := range w {
		w[i].Env = env
	}
	return w
}

// Places returns memory for an order of n elements; n may exceed MaxLen.
func (w *Worker[C]) Places(n int) []uint32 {
	w.places = scratch.Grow(&w.Env.Arena, w.places, n)
	return w.places[:n]
}

// Private returns memory for n codes of a further round, the same for each.
func (w *Worker[C]) Private(n int) []C {
	w.private = scratch.Grow(&w.Env.Arena, w.private, n)
	return w.private
}

// Pick returns the codes of the elements at the given places.
func (w *Worker[C]) Pick(codes []C, places []uint32) []C {
	w.sorted = scratch.Grow(&w.Env.Arena, w.sorted, len(places))
	sorted := w.sorted[:len(places)]
	for i, x := range places {
		sorted[i] = codes[x]
	}
	return sorted
}

// apply permutes numbers by places, an order that w has found. It overwrites w.words.
func (w *Worker[C]) apply(numbers, places []uint32) {
	for i, x := range numbers {
		w.words[i] = uint64(x)
	}
	for i, x := range places {
		numbers[i] = uint32(w.words[x])
	}
}

// digitCounts are the counters of all passes, and of one by lower bits.
type digitCounts [maxPasses + 1][1 << loops.MaxDigitBits]uint32

package bucket

import (
	"unsafe"

	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// Codes of which many are the least, or the greatest, fill one list of a matrix, and vectors give up:
// nulls have such a code. It is parted from the others, which are sorted by themselves.

// A code is a crowd's if leastCrowd of crowdSample codes are that one. Fewer than leastCrowded codes are not
// sampled: that takes 30 ns.
const crowdSample, leastCrowd, leastCrowded = 64, 2, 1024 // EPYC, 2026-11: bench/results/constants.md

// mayCrowd reports whether a crowd is looked for among n codes of a span.
func (w *Worker[C]) mayCrowd(n int, span C) bool {
	return !w.nested && n >= leastCrowded && span >= C(n)
}

// crowd returns the code at an end of the range [lowest, lowest + span] that many codes have.
func crowd[C Code](codes []C, lowest, span C) (code C, ok bool) {
	least, most, step := 0, 0, len(codes)/crowdSample
	for i := range crowdSample {
		switch codes[i*step] - lowest {
		case 0:
			least++
		case span:
			most++
		}
	}
	if most > least {
		return lowest + span, most >= leastCrowd
	}
	return lowest, least >= leastCrowd
}

// orderCrowd is order of codes of which many are a given one, at an end of their range.
func (w *Worker[C]) orderCrowd(codes []C, lowest, code C) []uint32 {
	n := len(codes)
	w.words, w.codes = scratch.Grow(&w.Env.Arena, w.words, (n+1)/2), scratch.Grow(&w.Env.Arena, w.codes, n)
	// Sound: two fit in a word, and memory of words holds no pointers.
	others := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(w.words))), n)
	places, own := w.Places(n), w.codes[:n]
	crowded := loops.PartCrowd(places, others, own, codes, code)
	inner := w.inner()
	inner.apart = true
	order := inner.orderOwn(own[:n-crowded])
	inner.apart = false
	rest := places[crowded:]
	if code != lowest {
		copy(places[n-crowded:], places[:crowded])
		rest = places[:n-crowded]
	}
	if order == nil {
		copy(rest, others)
		return places
	}
	for i, x := range order[:len(rest)] {
		rest[i] = others[x]
	}
	return places
}

// inner returns the workspace for codes of w.codes.
func (w *Worker[C]) inner() *Worker[C] {
	if w.long == nil {
		w.long = &Worker[C]{Env: w.Env, counts: w.counts, nested: true} // counts are free until w builds its next words
	}
	return w.long
}

// orderOwn is order of codes; nil if they are in order.
func (w *Worker[C]) orderOwn(codes []C) []uint32 {
	if len(codes) == 0 {
		return nil
	}
	if v := presorted.SummaryOf(codes); !v.Sorted() {
		return w.Order(codes, v.Min, v.Span())
	}
	return nil
}

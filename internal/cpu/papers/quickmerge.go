package papers

import (
	"math/bits"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// quickMerge sorts one equal part per worker by quicksort and merges the parts, each merge by
// all workers: the quick-merge sort of Żurek, Pietroń, Wielgosz and Wiatr, "The comparison of
// parallel sorting algorithms implemented on different hardware platforms" (2013), section 5.
func quickMerge[C engine.Code](env *engine.Env, pairs []pair[C]) ([]pair[C], error) {
	part := quickPart(len(pairs), env.Loop.Workers)
	err := env.Stage("quicksort", len(pairs), part, func(_, lo, hi int) { quicksort(env, pairs[lo:hi]) })
	if err = env.Stopped(err); err != nil || part >= len(pairs) {
		return pairs, err
	}
	m := merging[C]{pairs, takePairs[C](env, len(pairs)), runsOf(env, len(pairs), part)}
	return m.all(env)
}

// quickPart returns how many of n pairs a worker sorts.
func quickPart(n, workers int) int { return max(leastPart, (n-1)/max(1, workers)+1) }

// sizeQuickMerge sizes what quickMerge takes for n pairs of the given size.
func sizeQuickMerge(a *scratch.Area, n, workers int, size uintptr) {
	sizePairs(a, n, size)
	sizeRuns(a, n, quickPart(n, workers))
}

// leastPart is the least number of pairs that justifies a goroutine and a merge.
const leastPart = 1 << 12

// shortSort is the number of pairs up to which insertion sort takes over.
const shortSort = 24

// quicksort sorts pairs in place, unless the context is cancelled. After too many bad pivots a
// sorting network takes over, so no input takes quadratic time.
func quicksort[C engine.Code](env *engine.Env, pairs []pair[C]) {
	quicksortTo(env, pairs, 2*bits.Len(uint(len(pairs))))
}

// quicksortTo is quicksort with at most levels levels of partitions before the network.
func quicksortTo[C engine.Code](env *engine.Env, pairs []pair[C], levels int) {
	for len(pairs) > shortSort {
		if env.Loop.Err() != nil {
			return
		}
		if levels--; levels < 0 {
			bitonicHere(env, pairs)
			return
		}
		movePivot(pairs)
		at := partition(env, pairs)
		low, high := pairs[:at], pairs[at+1:]
		if len(low) > len(high) {
			low, high = high, low
		}
		quicksortTo(env, low, levels)
		pairs = high // iterate on the longer part, which bounds the recursion
	}
	insertionOf(pairs)
}

// sampled returns the position of sample i of 9 in n pairs.
func sampled(n, i int) int { return n / 9 * i }

// movePivot swaps the median of three medians of three samples to the front.
func movePivot[C engine.Code](pairs []pair[C]) {
	var median [3]int
	for i := range median {
		a, b, c := sampled(len(pairs), 3*i), sampled(len(pairs), 3*i+1), sampled(len(pairs), 3*i+2)
		median[i] = middle(pairs, a, b, c)
	}
	at := middle(pairs, median[0], median[1], median[2])
	pairs[0], pairs[at] = pairs[at], pairs[0]
}

// middle returns the position of the median of three pairs.
func middle[C engine.Code](pairs []pair[C], a, b, c int) int {
	if below(pairs[b], pairs[a]) == 1 {
		a, b = b, a
	}
	switch {
	case below(pairs[b], pairs[c]) == 1:
		return b
	case below(pairs[a], pairs[c]) == 1:
		return c
	}
	return a
}

// partition moves the pairs below the first one, the pivot, before it and returns the pivot's
// place. It has no branch on codes: every pair is swapped, with itself or with the first that
// is not below the pivot.
func partition[C engine.Code](env *engine.Env, pairs []pair[C]) int {
	pivot, at := pairs[0], 0 // pairs[1:at+1] are below the pivot
	for lo := 1; lo < len(pairs) && env.Loop.Err() == nil; lo += chunk {
		at = partitionBlock(pairs, lo, min(lo+chunk, len(pairs)), at, pivot)
	}
	pairs[0], pairs[at] = pairs[at], pivot
	return at
}

func partitionBlock[C engine.Code](pairs []pair[C], lo, hi, at int, pivot pair[C]) int {
	for i := lo; i < hi; i++ {
		p, q := &pairs[i], &pairs[at+1]
		code, place := p.code, p.at
		p.code, p.at = q.code, q.at
		q.code, q.at = code, place
		at += int(below(pair[C]{code, place}, pivot))
	}
	return at
}

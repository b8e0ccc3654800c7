package papers

import "example.com/sorter/internal/engine"

// networkTile is the number of pairs, a power of two, that a worker takes through several
// steps of the network while they are in its cache.
const networkTile = 1 << 12

// bitonic sorts by Batcher's bitonic network, all workers together: K. E.
// Batcher, "Sorting networks and their applications" (1968), after Żurek,
// Pietroń, Wielgosz and Wiatr, "The comparison of parallel sorting algorithms
// implemented on different hardware platforms" (2013), section 4. It makes
// O(n log² n) comparisons whatever the input, and takes no memory.
func bitonic[C engine.Code](env *engine.Env, pairs []pair[C]) ([]pair[C], error) {
	return pairs, network(pairs, func(step func(lo, hi int)) error {
		return env.Stage("network", len(pairs), networkTile, func(_, lo, hi int) { step(lo, hi) })
	})
}

// bitonicHere is bitonic on the calling goroutine, unless the context is cancelled.
func bitonicHere[C engine.Code](env *engine.Env, pairs []pair[C]) {
	_ = network(pairs, func(step func(lo, hi int)) error {
		for lo := 0; lo < len(pairs) && env.Loop.Err() == nil; lo += networkTile {
			step(lo, min(lo+networkTile, len(pairs)))
		}
		return env.Loop.Err()
	})
}

// network runs the steps of the network: it calls each once per step, which calls step for
// every tile. Steps that compare pairs of one tile are taken together.
//
// A merge begins by comparing two runs from their ends inwards; the papers sort every other
// run downwards instead. So every comparison puts the larger pair last, and the network for
// the next power of two sorts any number of pairs: missing pairs count as larger than all
// others and would never move.
func network[C engine.Code](pairs []pair[C], each func(step func(lo, hi int)) error) error {
	n := len(pairs)
	err := each(func(lo, hi int) { sortWithin(pairs[lo:hi]) })
	for run := 2 * networkTile; run < 2*n && err == nil; run *= 2 {
		err = each(func(lo, hi int) { fold(pairs, lo, hi, run) })
		for d := run / 4; d >= networkTile && err == nil; d /= 2 {
			err = each(func(lo, hi int) { halve(pairs, lo, hi, d) })
		}
		if err == nil {
			err = each(func(lo, hi int) { mergeWithin(pairs[lo:hi], networkTile/2) })
		}
	}
	return err
}

// sortWithin takes a tile through all steps.
func sortWithin[C engine.Code](tile []pair[C]) {
	for run := 2; run < 2*len(tile); run *= 2 {
		for lo := 0; lo < len(tile); lo += run {
			fold(tile, lo, lo+run/2, run)
		}
		mergeWithin(tile, run/4)
	}
}

// mergeWithin takes a tile through the steps from distance d down to 1.
func mergeWithin[C engine.Code](tile []pair[C], d int) {
	for ; d > 0; d /= 2 {
		for lo := 0; lo < len(tile); lo += 2 * d {
			halve(tile, lo, lo+d, d)
		}
	}
}

// fold compares the pairs [lo, hi) that lie in the front half of a run with their mirror
// images in the back half. hi-lo is a power of two, at most run/2.
func fold[C engine.Code](pairs []pair[C], lo, hi, run int) {
	if lo&(run/2) != 0 {
		return
	}
	mirror := 2*(lo&^(run-1)) + run // the mirror image of lo is mirror-1-lo
	lo = max(lo, mirror-len(pairs))
	for i := lo; i < hi; i++ {
		exchange(&pairs[i], &pairs[mirror-1-i])
	}
}

// halve compares the pairs [lo, hi) with those at distance d, unless they are the upper
// partners. hi-lo is a power of two, at most d.
func halve[C engine.Code](pairs []pair[C], lo, hi, d int) {
	if lo&d != 0 {
		return
	}
	for i, end := lo, min(hi, len(pairs)-d); i < end; i++ {
		exchange(&pairs[i], &pairs[i+d])
	}
}

// exchange puts two pairs in order, without a branch.
func exchange[C engine.Code](p, q *pair[C]) {
	mask := -below(*q, *p)
	code, at := (p.code^q.code)&C(mask), (p.at^q.at)&uint32(mask)
	p.code, q.code = p.code^code, q.code^code
	p.at, q.at = p.at^at, q.at^at
}

package papers

import (
	"sort"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// MergePath returns how many of the first k elements of two merged runs are of the first run;
// ties are taken from the first run first. That is where diagonal k crosses the merge path of
// Odeh, Green, Mwassi, Shmueli and Birk, "Merge path - parallel merging made simple" (2012).
// The runs have a and b elements, k <= a+b; before reports whether element j of the second is
// strictly less than element i of the first. With it workers merge ranges of any size
// independently. It takes O(log min(a, b)) calls of before and no memory.
func MergePath(a, b, k int, before func(j, i int) bool) int {
	least := max(0, k-b)
	return least + sort.Search(min(k, a)-least, func(x int) bool { return before(k-least-x-1, least+x) })
}

// mergePiece is the number of elements that a worker merges at a time: enough to make the
// search for the start cheap.
const mergePiece = 1 << 14

// merging is the runs of a merge sort and the memory they are merged to.
type merging[C engine.Code] struct {
	pairs, spare []pair[C] // pairs holds the runs; len(spare) == len(pairs)
	ends         []int     // where each run ends
}

// runsOf returns the ends of runs of each elements in a list of n.
func runsOf(env *engine.Env, n, each int) []int {
	ends := scratch.In[int](&env.Arena, sizeRuns(nil, n, each))
	for i := range ends {
		ends[i] = min((i+1)*each, n)
	}
	return ends
}

// sizeRuns sizes the ends of runs of each elements if there are n.
func sizeRuns(a *scratch.Area, n, each int) scratch.Memory {
	return a.Memory(n/each+min(1, n%each), unsafe.Sizeof(n))
}

// all merges all runs into one, all workers together.
func (m *merging[C]) all(env *engine.Env) ([]pair[C], error) {
	for len(m.ends) > 1 {
		err := env.Stage("merge", len(m.pairs), mergePiece, func(_, lo, hi int) { m.piece(lo, hi) })
		if err != nil {
			return nil, err
		}
		m.next()
	}
	return m.pairs, nil
}

// here merges all runs on the calling goroutine, unless the context is cancelled.
func (m *merging[C]) here(env *engine.Env) []pair[C] {
	for len(m.ends) > 1 && env.Loop.Err() == nil {
		for lo := 0; lo < len(m.pairs) && env.Loop.Err() == nil; lo += mergePiece {
			m.piece(lo, min(lo+mergePiece, len(m.pairs)))
		}
		m.next()
	}
	return m.pairs
}

// piece merges pairs of neighbouring runs, for the places [lo, hi) of the result.
func (m *merging[C]) piece(lo, hi int) {
	for r := sort.SearchInts(m.ends, lo+1) &^ 1; lo < hi; r += 2 {
		from, mid, end := 0, m.ends[r], m.ends[min(r+1, len(m.ends)-1)]
		if r > 0 {
			from = m.ends[r-1]
		}
		to := min(hi, end)
		mergePlaces(m.spare[lo:to], m.pairs[from:mid], m.pairs[mid:end], lo-from)
		lo = to
	}
}

// next makes the result of a round of merges the runs of the next round.
func (m *merging[C]) next() {
	half := m.ends[:(len(m.ends)+1)/2]
	for i := range half {
		half[i] = m.ends[min(2*i+1, len(m.ends)-1)]
	}
	m.ends = half
	m.pairs, m.spare = m.spare, m.pairs
}

// mergePlaces merges a and b for the places k, k+1, … of the result, into dst.
func mergePlaces[C engine.Code](dst, a, b []pair[C], k int) {
	before := func(j, i int) bool { return below(b[j], a[i]) == 1 }
	i := MergePath(len(a), len(b), k, before)
	end := MergePath(len(a), len(b), k+len(dst), before)
	merge(dst, a[i:end], b[k-i:k+len(dst)-end])
}

// merge merges a and b into dst. len(dst) == len(a) + len(b).
func merge[C engine.Code](dst, a, b []pair[C]) {
	if len(a) == 0 || len(b) == 0 || below(a[len(a)-1], b[0]) == 1 { // in order already
		copy(dst[copy(dst, a):], b)
		return
	}
	for h := min(len(a), len(b)); h > shortMerge; h = min(len(a), len(b)) {
		la, lb, n := len(a)-h, len(b)-h, len(dst)-h
		i, x := mergeEnds(dst[:h], dst[n:], a[:h], b[:h], a[la:], b[lb:])
		dst, a, b = dst[h:n], a[i:la+x], b[h-i:lb+h-x]
	}
	for len(a) > 0 && len(b) > 0 {
		if below(b[0], a[0]) == 1 {
			dst[0], b = b[0], b[1:]
		} else {
			dst[0], a = a[0], a[1:]
		}
		dst = dst[1:]
	}
	copy(dst[copy(dst, a):], b)
}

// shortMerge is the length up to which runs are merged with a branch per pair: few pairs are
// left, or nearly all come from one run.
const shortMerge = 8

// mergeEnds merges a and b from the front until low is full, and c and d from the back until
// high is full. All have the same length, so no run is exhausted. It returns how many pairs of
// a it took and how many of c it left.
//
// Each place depends on the comparison before it. Two such chains at a time take two thirds of
// the time of one; mispredicted branches would double it.
func mergeEnds[C engine.Code](low, high, a, b, c, d []pair[C]) (i, x int) {
	h := len(low)
	high, a, b, c, d = high[:h], a[:h], b[:h], c[:h], d[:h]
	last := h - 1
	x = last
	for k := range low {
		p, q := a[i], b[k-i]
		code, at := p.code, p.at
		first := below(p, q)
		if first == 0 { // one assignment to a condition: a conditional move
			code = q.code
		}
		if first == 0 {
			at = q.at
		}
		low[k] = pair[C]{code, at}
		i += int(first)

		p, q = c[x], d[last-k+last-x]
		code, at = p.code, p.at
		first = below(q, p)
		if first == 0 {
			code = q.code
		}
		if first == 0 {
			at = q.at
		}
		high[last-k] = pair[C]{code, at}
		x -= int(first)
	}
	return i, x + 1
}

package pipeline

import (
	"fmt"
	"sort"
	"sync/atomic"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/ranges"
)

// Unsorted is the error of [MergeChecked]: an element of a run comes before the one before it.
type Unsorted struct{ Run, At int }

// Error names the run and the element.
func (u *Unsorted) Error() string {
	return fmt.Sprintf("element %d of run %d is out of order", u.At, u.Run)
}

// MergeChecked is [Merge] of up to [ranges.MostRuns] runs, none of them empty, that are checked. The
// check reads codes that the merge needs anyway, and compares full keys only where codes tie. If a run is
// not sorted, the error is an [Unsorted] of the first such element, and dst is untouched.
func MergeChecked(cols []extract.Column, dst cpu.Payload, runs []cpu.Payload, two ranges.Two, o *call.Options) error {
	return mergeOf(cols, dst, checkedRuns(dst, runs), two, true, *o)
}

// MergeBytes bounds the scratch memory, in bytes, of a merge of n elements of a size in k runs.
func MergeBytes(cols []extract.Column, size uintptr, n, k int, o *call.Options) int64 {
	f := Facts{Verb: toMerge, n: n, runs: min(k, ranges.MostRuns), workers: workersFor(o, n), Words: extract.Words(cols, o.Order()), Sizes: []uintptr{size}}
	if len(f.Words) == 0 || n == 0 {
		return 0
	}
	p, _ := f.merging() // there is no limit that it could fail
	return p.bytes
}

// check returns an [Unsorted] of the first element that comes before the one before it in its run.
func (m *merger[C]) check(r *Request) error {
	var first atomic.Int64
	first.Store(int64(r.N))
	decisive := m.decisive()
	err := r.Stage("check", r.N, engine.Block, func(_, lo, hi int) {
		for i := sort.SearchInts(m.ends, lo+1); lo < hi; i++ {
			end := min(hi, m.ends[i])
			if start := m.ends[i] - m.moved[0].Runs[i].Len(); lo == start {
				lo++
			}
			if at := m.unsorted(lo, end, decisive); at < end {
				for {
					old := first.Load()
					if old <= int64(at) || first.CompareAndSwap(old, int64(at)) {
						return
					}
				}
			}
			lo = end
		}
	})
	at := int(first.Load())
	if err = r.Stopped(err); err != nil || at == r.N { // once a context has ended, keys are missing
		return err
	}
	run := sort.SearchInts(m.ends, at+1)
	return &Unsorted{Run: run, At: at - (m.ends[run] - m.moved[0].Runs[run].Len())}
}

// unsorted returns the first element of [lo, hi) that comes before the one before it, or hi.
func (m *merger[C]) unsorted(lo, hi int, decisive bool) int {
	if lo >= hi {
		return hi
	}
	last := m.first[lo-1]
	for i, c := range m.first[lo:hi] {
		if c <= last && (c < last || !decisive && m.compare(uint32(lo+i-1), uint32(lo+i)) > 0) {
			return lo + i
		}
		last = c
	}
	return hi
}

package cpu

import (
	"cmp"
	"slices"
	"sort"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// merged returns the segments of an input with the given runs: strays, which are sorted, merged
// with the kept elements. It returns nil if there are too many strays.
func (f *finder[C]) merged(runs []span) ([]segment, error) {
	if f.n < nearDropped {
		return nil, nil // no stray is admitted, and a fall drops two elements
	}
	kept, dropped, err := f.keep(runs)
	if err != nil {
		return nil, err
	}
	if dropped > f.n/nearDropped {
		scratch.Give(&f.env.Arena, kept, 1)
		return nil, nil
	}
	if err := f.keepMore(kept); err != nil {
		return nil, err
	}
	strays := outside(kept, f.n, scratch.PartIn[uint32](&f.env.Arena, f.memory.strays, dropped))
	if err := f.sort(strays); err != nil {
		return nil, err
	}
	ranks, err := f.ranks(kept, strays)
	if err != nil {
		return nil, err
	}
	return segments(kept, strays, ranks, scratch.PartIn[segment](&f.env.Arena, f.memory.segments, len(kept)+2*dropped)), nil
}

// sort sorts strays by their keys, stably.
func (f *finder[C]) sort(strays []uint32) error {
	if f.rest != nil {
		return f.sortKeys(strays)
	}
	return f.sortCodes(strays)
}

// sortKeys is sort by whole keys. Once the context is cancelled all elements compare equal,
// which ends the sort soon.
func (f *finder[C]) sortKeys(strays []uint32) error {
	calls, stop := 0, false
	slices.SortFunc(strays, func(i, j uint32) int {
		if calls++; calls%engine.Block == 0 {
			stop = f.env.Loop.Err() != nil
		}
		if stop {
			return 0
		}
		return cmp.Or(f.compare(i, j), cmp.Compare(i, j))
	})
	return f.env.Loop.Err()
}

// sortCodes is sort by codes.
func (f *finder[C]) sortCodes(strays []uint32) error {
	codes, before := scratch.PartIn[C](&f.env.Arena, f.memory.codes, len(strays)), scratch.PartIn[uint32](&f.env.Arena, f.memory.before, len(strays))
	copy(before, strays)
	for i, x := range strays {
		codes[i] = f.code(f.element(x))
	}
	v, err := surveyAll(f.env, "survey", len(codes), in(codes))
	if err != nil {
		return err
	}
	return orderCodes(f.env, codes, v, false, func(_, lo int, order []uint32, _ []C) {
		for i, x := range order {
			strays[lo+i] = before[x]
		}
	})
}

// rank is the number of kept elements before a stray, and the span of the next kept element.
type rank struct{ kept, span uint32 }

// ranks returns the ranks of strays, which are sorted.
func (f *finder[C]) ranks(kept []span, strays []uint32) ([]rank, error) {
	starts, sum := scratch.PartIn[uint32](&f.env.Arena, f.memory.starts, len(kept)+1), uint32(0)
	for i, s := range kept {
		starts[i], sum = sum, sum+s.hi-s.lo
	}
	starts[len(kept)] = sum
	ranks, each := scratch.PartIn[rank](&f.env.Arena, f.memory.ranks, len(strays)), engine.Block
	if f.alone {
		each = max(1, len(strays))
	}
	err := f.env.Stage("merge", len(strays), each, func(_, lo, hi int) {
		k := sort.Search(len(kept), func(k int) bool { return !f.before(kept[k].hi-1, strays[lo]) })
		for j := lo; j < hi; j++ {
			if j%engine.Block == 0 && f.env.Loop.Err() != nil {
				return
			}
			x := strays[j]
			for k < len(kept) && f.before(kept[k].hi-1, x) {
				k++
			}
			ranks[j] = rank{starts[k], uint32(k)}
			if k < len(kept) {
				ranks[j].kept += f.search(kept[k], x)
			}
		}
	})
	return ranks, f.env.Stopped(err)
}

// search returns the number of elements of a kept span that come before stray x.
func (f *finder[C]) search(s span, x uint32) uint32 {
	if f.rest != nil || f.all == nil {
		return uint32(sort.Search(int(s.hi-s.lo), func(i int) bool { return !f.before(s.lo+uint32(i), x) }))
	}
	return f.searchCodes(s, x)
}

// searchCodes is search by codes in memory, without branches on codes.
func (f *finder[C]) searchCodes(s span, x uint32) uint32 {
	limit := f.code(f.element(x)) // elements below it come before x
	if s.lo < x {                 // and equal ones
		if limit++; limit == 0 {
			return s.hi - s.lo
		}
	}
	lo, n := s.lo, s.hi-s.lo
	for n > 0 {
		half := (n + 1) / 2
		if f.all[f.element(lo+half-1)]^f.flip < limit {
			lo += half
		}
		n -= half
	}
	return lo - s.lo
}

// segments merges kept spans with strays by their ranks. cap(out) suffices for all segments.
func segments(kept []span, strays []uint32, ranks []rank, out []segment) []segment {
	out = out[:0]
	place, k, from := uint32(0), 0, uint32(0) // next place; next kept element: offset from in span k
	add := func(src, n uint32) {
		if n > 0 {
			out = append(out, segment{place, src, n, false})
			place += n
		}
	}
	done := uint32(0) // kept elements that are placed
	for j, x := range strays {
		for done < ranks[j].kept {
			s := kept[k]
			n := min(s.hi-s.lo-from, ranks[j].kept-done)
			add(s.lo+from, n)
			done, from = done+n, from+n
			if from == s.hi-s.lo {
				k, from = k+1, 0
			}
		}
		out = append(out, segment{place, x, 1, true})
		place++
	}
	for ; k < len(kept); k, from = k+1, 0 {
		add(kept[k].lo+from, kept[k].hi-kept[k].lo-from)
	}
	return out
}

package cpu

import (
	"cmp"
	"slices"
	"sort"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// merge sets the segments of l for an input with the given runs: strays, which are sorted,
// merged with the kept elements. It reports whether the strays are few enough.
func (f *finder[C]) merge(l *Layout, runs []span) (ok bool, err error) {
	if f.n < nearDropped {
		return false, nil // no stray is admitted, and a fall drops two elements
	}
	kept, dropped, err := f.keep(runs)
	if err != nil {
		return false, err
	}
	if dropped > f.n/nearDropped {
		scratch.Give(&f.env.Arena, kept, 1)
		return false, nil
	}
	ends, err := f.keepMore(kept)
	if err != nil {
		return false, err
	}
	strays := outside(kept, f.n, scratch.PartIn[uint32](&f.env.Arena, f.memory.strays, dropped))
	codes, err := f.sort(strays)
	if err != nil {
		return false, err
	}
	ranks, err := f.ranks(kept, ends, strays, codes)
	if err != nil {
		return false, err
	}
	l.strays.src, l.strays.dst = strays, ranks
	l.segments = segments(kept, l.strays, scratch.PartIn[segment](&f.env.Arena, f.memory.segments, len(kept)+2*dropped))
	return true, nil
}

// sort sorts strays by their keys, stably. It returns their codes, nil if codes do not decide.
func (f *finder[C]) sort(strays []uint32) ([]C, error) {
	if f.rest != nil {
		return nil, f.sortKeys(strays)
	}
	codes := scratch.PartIn[C](&f.env.Arena, f.memory.codes, len(strays))
	f.gather(codes, strays)
	if err := f.sortCodes(strays, codes); err != nil {
		return nil, err
	}
	f.gather(codes, strays)
	return codes, nil
}

// gather sets codes to those of the given elements.
func (f *finder[C]) gather(codes []C, elements []uint32) {
	for i, x := range elements {
		codes[i] = f.code(f.element(x))
	}
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

// sortCodes is sort by codes. It overwrites codes.
func (f *finder[C]) sortCodes(strays []uint32, codes []C) error {
	before := scratch.PartIn[uint32](&f.env.Arena, f.memory.before, len(strays))
	copy(before, strays)
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

// ranks returns the numbers of kept elements before strays, which are sorted. ends are the codes
// of the last elements of spans, codes those of strays; they are nil if codes do not decide.
func (f *finder[C]) ranks(kept []span, ends []C, strays []uint32, codes []C) ([]uint32, error) {
	starts, sum := scratch.PartIn[uint32](&f.env.Arena, f.memory.starts, len(kept)+1), uint32(0)
	for i, s := range kept {
		starts[i], sum = sum, sum+s.hi-s.lo
	}
	starts[len(kept)] = sum
	ranks, each := scratch.PartIn[uint32](&f.env.Arena, f.memory.ranks, len(strays)), engine.Block
	if f.alone {
		each = max(1, len(strays))
	}
	err := f.env.Stage("merge", len(strays), each, func(_, lo, hi int) {
		for ; lo < hi && f.env.Loop.Err() == nil; lo += engine.Block {
			hi := min(lo+engine.Block, hi)
			strays, next := strays[lo:hi], ranks[lo:hi]
			if codes != nil {
				nextSpans(kept, ends, strays, codes[lo:hi], next)
			} else {
				f.nextSpans(kept, strays, next)
			}
			// No branch of this loop depends on an element, so that cache misses overlap.
			for j, k := range next {
				if next[j] = starts[k]; int(k) < len(kept) {
					next[j] += f.search(kept[k], strays[j])
				}
			}
		}
	})
	return ranks, f.env.Stopped(err)
}

// nextSpans sets next[j] to the number of the first span whose last element does not come
// before stray j. len(strays) > 0.
func (f *finder[C]) nextSpans(kept []span, strays, next []uint32) {
	k := sort.Search(len(kept), func(k int) bool { return !f.before(kept[k].hi-1, strays[0]) })
	for j, x := range strays {
		for k < len(kept) && f.before(kept[k].hi-1, x) {
			k++
		}
		next[j] = uint32(k)
	}
}

// nextSpans is [finder.nextSpans] by the codes of the spans' last elements and of strays.
func nextSpans[C Code](kept []span, ends []C, strays []uint32, codes []C, next []uint32) {
	before := func(k int, c C, x uint32) bool { return ends[k] < c || ends[k] == c && kept[k].hi <= x }
	k := sort.Search(len(kept), func(k int) bool { return !before(k, codes[0], strays[0]) })
	for j, x := range strays {
		for c := codes[j]; k < len(kept) && before(k, c, x); k++ {
		}
		next[j] = uint32(k)
	}
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

// segments merges kept spans with strays. It sets strays.dst, which are ranks before, to places.
// cap(out) suffices for all segments.
func segments(kept []span, strays strays, out []segment) []segment {
	out = out[:0]
	place, k, from := uint32(0), 0, uint32(0) // next place; next kept element: offset from in span k
	add := func(src, n uint32) {
		if n > 0 {
			out = append(out, segment{dst: place, src: src, n: n})
			place += n
		}
	}
	done := uint32(0) // kept elements that are placed
	for j, x := range strays.src {
		for done < strays.dst[j] {
			s := kept[k]
			n := min(s.hi-s.lo-from, strays.dst[j]-done)
			add(s.lo+from, n)
			done, from = done+n, from+n
			if from == s.hi-s.lo {
				k, from = k+1, 0
			}
		}
		strays.dst[j] = place
		out = append(out, segment{dst: place, src: x, n: 1, stray: true})
		place++
	}
	for ; k < len(kept); k, from = k+1, 0 {
		add(kept[k].lo+from, kept[k].hi-kept[k].lo-from)
	}
	return out
}

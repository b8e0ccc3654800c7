package presorted

import (
	"cmp"
	"slices"
	"sort"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// merge sets the segments of l for an input with the given runs: strays, which are sorted,
// merged with the kept elements. It reports whether the strays are few enough.
func (f *finder[C]) merge(l *Moves, runs []span) (ok bool, err error) {
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
	starts := f.starts(kept)
	ranks, err := f.ranks(kept, ends, starts, strays, codes)
	if err != nil {
		return false, err
	}
	l.strays.src, l.strays.dst = strays, ranks
	l.segments = cut(kept, starts, ranks, scratch.PartIn[segment](&f.env.Arena, f.memory.segments, len(kept)+len(strays)))
	return true, nil
}

// sort sorts strays by their keys, stably. It returns their codes, nil if codes do not decide.
func (f *finder[C]) sort(strays []uint32) ([]C, error) {
	if f.rest != nil {
		return nil, f.sortKeys(strays)
	}
	if len(strays) == 0 {
		return nil, nil // keys have changed: each fall drops an element
	}
	codes := scratch.PartIn[C](&f.env.Arena, f.memory.codes, len(strays))
	before := scratch.PartIn[uint32](&f.env.Arena, f.memory.before, len(strays))
	f.gather(codes, strays)
	copy(before, strays)
	err := f.sortCodes(f.env, codes, func(lo int, order []uint32) {
		for i, x := range order {
			strays[lo+i] = before[x]
		}
	})
	if err != nil {
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

// starts returns the number of kept elements before each span, and the number of all.
func (f *finder[C]) starts(kept []span) []uint32 {
	starts, sum := scratch.PartIn[uint32](&f.env.Arena, f.memory.starts, len(kept)+1), uint32(0)
	for i, s := range kept {
		starts[i], sum = sum, sum+s.hi-s.lo
	}
	starts[len(kept)] = sum
	return starts
}

// ranks returns the numbers of kept elements before strays, which are sorted. ends are the codes
// of the last elements of spans, codes those of strays; they are nil if codes do not decide.
func (f *finder[C]) ranks(kept []span, ends []C, starts, strays []uint32, codes []C) ([]uint32, error) {
	ranks, each := scratch.PartIn[uint32](&f.env.Arena, f.memory.ranks, len(strays)), engine.Block
	if f.alone {
		each = max(1, len(strays))
	}
	err := f.env.Stage("merge", len(strays), each, func(_, lo, hi int) {
		for ; lo < hi && f.env.Loop.Err() == nil; lo += engine.Block {
			hi := min(lo+engine.Block, hi)
			if codes == nil {
				f.rank(kept, starts, strays[lo:hi], ranks[lo:hi])
			} else {
				f.rankByCodes(kept, ends, starts, strays[lo:hi], codes[lo:hi], ranks[lo:hi])
			}
		}
	})
	return ranks, f.env.Stopped(err)
}

// rank sets ranks[j] to the number of kept elements before stray j. len(strays) > 0.
func (f *finder[C]) rank(kept []span, starts, strays, ranks []uint32) {
	k := sort.Search(len(kept), func(k int) bool { return !f.before(kept[k].hi-1, strays[0]) })
	for j, x := range strays {
		for k < len(kept) && f.before(kept[k].hi-1, x) {
			k++
		}
		if ranks[j] = starts[k]; k < len(kept) {
			s := kept[k]
			ranks[j] += uint32(sort.Search(int(s.hi-s.lo), func(i int) bool { return !f.before(s.lo+uint32(i), x) }))
		}
	}
}

// rankByCodes is rank by codes. First it finds the spans by the codes of their last elements.
// Then no branch depends on an element, so that cache misses of the searches overlap.
func (f *finder[C]) rankByCodes(kept []span, ends []C, starts, strays []uint32, codes []C, ranks []uint32) {
	before := func(k, j int) bool { return ends[k] < codes[j] || ends[k] == codes[j] && kept[k].hi <= strays[j] }
	k := sort.Search(len(kept), func(k int) bool { return !before(k, 0) })
	for j := range strays {
		for k < len(kept) && before(k, j) {
			k++
		}
		ranks[j] = uint32(k)
	}
	for j, k := range ranks {
		ranks[j] = starts[k]
		if int(k) == len(kept) {
			continue
		}
		s, limit := kept[k], codes[j] // elements below the limit come before the stray
		if s.lo < strays[j] {         // and equal ones
			if limit++; limit == 0 {
				ranks[j] += s.hi - s.lo
				continue
			}
		}
		ranks[j] += f.below(s, limit)
	}
}

// below returns the number of elements of a kept span whose codes are below limit.
func (f *finder[C]) below(s span, limit C) uint32 {
	lo := s.lo
	for n := s.hi - s.lo; n > 0; {
		half := (n + 1) / 2
		to := lo + half
		if f.code(f.element(to-1)) < limit {
			lo = to
		}
		n -= half
	}
	return lo - s.lo
}

// cut cuts kept spans, which start at the given ranks, where strays go between their elements. It
// sets the ranks of the strays to their places. If keys have changed, a rank may be less than the
// one before it. len(out) == len(kept)+len(ranks).
func cut(kept []span, starts, ranks []uint32, out []segment) []segment {
	m, k, j, done := 0, 0, 0, uint32(0) // segments, spans, strays, kept elements
	for range out {                     // which is next, the end of a span or a stray, cannot be predicted: no branch
		end, rank, stray := starts[k+1], ^uint32(0), uint32(0)
		if j < len(ranks) {
			rank = max(done, ranks[j])
		}
		if rank <= end {
			stray = 1
		}
		next := min(rank, end)
		out[m] = segment{dst: done + uint32(j), src: kept[k].lo + done - starts[k], n: next - done}
		some := 0
		if next > done {
			some = 1
		}
		if done = next; j < len(ranks) {
			place := ranks[j]
			if stray > 0 {
				place = done + uint32(j)
			}
			ranks[j] = place
		}
		m, j, k = m+some, j+int(stray), k+1-int(stray)
	}
	return out[:m]
}

package presorted

import (
	"cmp"
	"slices"
	"sort"

	"example.com/sorter/internal/scratch"
)

// mostBlocks bounds the number of runs that may follow each other in another order; blockLen
// bounds their mean length from below.
const (
	mostBlocks = 1 << 10
	blockLen   = 1 << 10
)

// blocksOf bounds the number of runs that [finder.blocks] accepts for n elements.
func blocksOf(n int) int { return max(2, min(mostBlocks, n/blockLen)) }

// blocks returns the segments of runs that follow each other in another order, nil if there
// are too many runs or runs overlap. The longest segment moves in place.
func (f *finder[C]) blocks(runs []span) []segment {
	if len(runs) > blocksOf(f.n) {
		return nil
	}
	order := scratch.PartIn[span](&f.env.Arena, f.memory.order, len(runs))
	defer scratch.Give(&f.env.Arena, order, 1)
	copy(order, runs)
	slices.SortFunc(order, func(a, b span) int {
		return cmp.Or(f.compare(a.lo, b.lo), cmp.Compare(a.lo, b.lo))
	})
	all := scratch.PartIn[segment](&f.env.Arena, f.memory.blocks, 3*len(order))
	segments := f.chain(order, all[:0])
	if segments == nil || !placeBlocks(segments, f.n) {
		scratch.Give(&f.env.Arena, all, 1)
		return nil
	}
	return segments
}

// chain appends the runs, which are in order by their first elements, to segments, which is
// empty. It returns nil if runs overlap. cap(segments) >= 3*len(runs).
func (f *finder[C]) chain(runs []span, segments []segment) []segment {
	for i, r := range runs {
		next := segment{src: r.lo, n: r.hi - r.lo, aside: true}
		if i > 0 && f.before(r.lo, runs[i-1].hi-1) {
			last := &segments[len(segments)-1]
			end, begin := f.share(*last, next)
			if end == 0 || end == last.n || begin == 0 || begin == next.n {
				return nil
			}
			// Elements equal to the first of next lie at the end of last and at the beginning
			// of next. Those of next come first in the input.
			last.n -= end
			segments = append(segments,
				segment{src: next.src, n: begin, aside: true},
				segment{src: last.src + last.n, n: end, aside: true})
			next.src, next.n = next.src+begin, next.n-begin
		}
		segments = append(segments, next)
	}
	return segments
}

// share returns the numbers of elements at the end of a and at the beginning of b that equal
// the first element of b.
func (f *finder[C]) share(a, b segment) (end, begin uint32) {
	end = a.n - uint32(sort.Search(int(a.n), func(i int) bool { return f.compare(a.src+uint32(i), b.src) >= 0 }))
	begin = uint32(sort.Search(int(b.n), func(i int) bool { return f.compare(b.src+uint32(i), b.src) > 0 }))
	if f.compare(a.src+a.n-1, b.src) != 0 {
		end = 0
	}
	return end, begin
}

// placeBlocks sets the places of segments, which follow each other, and has the longest move
// in place. It reports whether they are all n elements.
func placeBlocks(segments []segment, n int) bool {
	place, longest := uint32(0), 0
	for i := range segments {
		segments[i].dst = place
		if place += segments[i].n; segments[i].n > segments[longest].n {
			longest = i
		}
	}
	segments[longest].aside = false
	return int(place) == n
}

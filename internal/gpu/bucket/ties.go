package bucket

import (
	"math"
	"math/bits"
	"slices"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/kernels"
)

// Sizes of buckets vary more than by chance where codes are equal, or crowd at a scale that the
// parts of a sample do not show. The measure is ties: the mean number of elements that share the
// bucket of an element besides those that uniform codes would put there. Then sizes vary as if
// random elements came in groups of 1 + ties.

// oversizeBudget is the number of oversize buckets that a sort may have; spilled elements count,
// too: given_up of partitions.cuh. At 76 ns each (H200) they take a third of a radix sort. That is less than a new beginning:
// when their number is known, half of the time of a radix sort is spent, and a quarter remains besides.
func oversizeBudget(in codes.Input) int {
	n := in.N
	if in.Wide {
		n *= 3
	}
	return max(n, 1<<21) >> 13
}

// evenCells returns the number of cells between the ends of a sample, two for each bucket of even codes, so that
// codes crowd in both or in neither. There are two for each part of the range, or more.
func evenCells(in codes.Input) int { return min(max(2*in.N/evenSlice, 2*kernels.Segments), 1<<19) }

// maxCells bounds the number of all cells: a sample fills a quarter of the words of its layout, or more.
func maxCells(in codes.Input) int { return 4 * evenCells(in) }

// allCells returns the number of all cells, as cells_for of sample.cuh does.
func allCells(in codes.Input, l *layout, low, high uint64) int {
	words := ((high-low)<<l.up|(1<<l.up-1))>>32 + 1
	return int(uint64(evenCells(in)) << 32 / words)
}

// cellBits returns the binary logarithm of the number of cells of words by a table, at most four for each bucket that
// is full and at most maxCells.
func cellBits(in codes.Input) int { return min(max(in.IndexBits()-9, 10), 18) }

// cellMost is Cells.most of sample.cuh: six times as many as each block of the given number has of
// uniform codes, which fill half of the parts, and a margin for chance.
func cellMost(in codes.Input, blocks int) int { return 12*samples(in)/(kernels.Segments*blocks) + 8 }

// fullPart is the lowest part of the range whose cells are not full of codes that are even by octave, unless these are fewer
// than 13.
const fullPart = 64

// fullParts returns the share of the second sample in parts of the range that have far more elements in one cell than in
// others, and than parts beside them have: 2.2 times as many, and five standard deviations. The cell's buckets are oversize, and
// may have more elements than can be sorted.
func (c *call) fullParts(l *layout, way Spreading) float64 {
	s, first, elements := &c.note.sample, 1, uint32(0)
	if way == Octaves {
		first = fullPart
	}
	even := 2.2 * kernels.Segments / float64(allCells(c.in, l, s.Low, s.High)) // of a part's elements
	for part := first; part < kernels.Segments-1; part++ {
		most, here := s.Fullest[part], s.Parts[part]
		full := func(others uint32) bool { // than others are
			beside := even * float64(others)
			more := float64(most) - beside - 4
			return more > 0 && more*more > 25*beside
		}
		if most >= 8 && full(here-most) && full(s.Parts[part-1]) && full(s.Parts[part+1]) {
			elements += here
		}
	}
	return float64(elements) / float64(samples(c.in))
}

// mostFull returns the largest share of fullParts with which a sort may succeed. A table follows some clusters. Of floats, 0
// are in full parts (2^25 and 2^26); of floats near 1000 cities a fifth, of elements in clusters of 1500 more than half.
func mostFull(way Spreading) float64 {
	if way == Quantiles {
		return 1. / 16
	}
	return 0
}

// samplesDiffer reports whether all elements of the second sample differ.
func samplesDiffer(in codes.Input) bool { return samples(in) <= in.N/4 }

// evenPairs is the expected number of pairs in the same cell, of elements of parts or segments with
// the given counts in the second sample. each returns the number of cells of a part.
func evenPairs(counts []uint32, each func(i int) float64) float64 {
	pairs := 0.0
	for i, count := range counts {
		if count > 1 {
			pairs += float64(count) * float64(count-1) / 2 / max(1, each(i))
		}
	}
	return pairs
}

// tiesOf returns the ties of elements of which pairs were counted in the same cell, if even ones are
// expected: 0 if the difference may be chance.
func (c *call) tiesOf(pairs uint64, even float64) float64 {
	m := float64(samples(c.in))
	return max(0, 2*(float64(pairs)-even-3*math.Sqrt(even))/(m*m)*float64(c.in.N))
}

// linearTies returns the ties of elements whose words are those of the layout of the sample.
func (c *call) linearTies() float64 {
	s := &c.note.sample
	blocks := c.sampleGrid()
	if !samplesDiffer(c.in) || int(slices.Max(s.Parts[:])) > cellMost(c.in, blocks)*blocks/2 {
		return c.wordTies() // not all were counted by cells; no spreading by this layout suits these
	}
	l := layoutFor(c.in.N, c.in.Wide, s.Low, s.High, unevenMargin)
	const part = 1 << 54 // words of one
	low, high := float64((s.Low-l.low)<<l.up)/part, float64((s.High-l.low)<<l.up|(1<<l.up-1))/part
	each := float64(allCells(c.in, &l, s.Low, s.High)) / kernels.Segments
	even := evenPairs(s.Parts[:], func(i int) float64 { // a part at an end of the sample's range is filled to there
		if filled := min(high, float64(i+1)) - max(low, float64(i)); filled > 0 && filled < 1 {
			return each * filled
		}
		return each
	})
	return max(c.tiesOf(s.Pairs, even), c.wordTies())
}

// mappedTies returns the ties of elements mapped by t, by the counts in the note.
func (c *call) mappedTies(t *table) float64 {
	if !samplesDiffer(c.in) {
		return 0
	}
	each := math.Ldexp(1, cellBits(c.in)-32) / kernels.Segments
	even := evenPairs(c.note.count[:len(t.low)], func(s int) float64 { return each * (float64(t.leading(s)) + 1) })
	return c.tiesOf(c.note.pairs, even)
}

// wordTies returns the mean number of other elements that have the leading word of an element.
func (c *call) wordTies() float64 {
	if !samplesDiffer(c.in) {
		return 0
	}
	return c.repetitions(c.note.sample.Ties[sample.SharedWord])
}

// localTies returns the mean number of other elements that a warp cannot tell from an element by the
// words of its first round. If codes are nearly in order, neighbours by code have almost the same
// positions, which then separate no equal codes; a sample rarely has two of them.
func (c *call) localTies() float64 {
	s, ties := &c.note.sample, c.wordTies()
	if s.Degree(c.in.N) < float64(c.in.N)/256 {
		ties = max(ties, 4*float64(c.in.N)/(float64((s.High-s.Low)>>bits.TrailingZeros64(s.Differ))+1)) // 4: in one run
	}
	return ties
}

// codeTies returns the mean number of other elements that have the code of an element, without codes
// that fill several samples, and without those of low octaves.
func (c *call) codeTies() float64 {
	if !samplesDiffer(c.in) {
		return 0
	}
	return c.repetitions(c.note.sample.Ties[sample.SharedCode])
}

// valueTies is codeTies by the number of values, if the first sample has few enough to estimate that:
// half of those that it can tell from more.
func (c *call) valueTies() float64 {
	if values := c.note.sample.Values(); values < 1<<15 {
		return float64(c.in.N) / float64(values)
	}
	return 0
}

// repetitions returns the mean number of other elements that are like an element if the given number of
// the elements looked up repeat an earlier one.
func (c *call) repetitions(repeats uint32) float64 {
	taken := float64(samples(c.in) / kernels.SampleLoads)
	load := sample.Ties * taken / math.Ldexp(1, tieBits(c.in)) // elements of a slot, at last
	return groupsFor(float64(repeats)/taken, load) * float64(c.in.N) / taken
}

// groupsFor returns the mean size of groups of samples with the same value, equally many by expectation, if the given share
// of them repeat an earlier one that is still in its slot. A slot gets load other elements in the time of the sample, in
// which a group of size x gets x. So an element finds one of its group, at time t, with the probability of
// x/(x+load) * (1 - exp(-(x+load)t)). Without the load of the time between two of a group, groups of 64 of 2^20 elements were
// taken for 83.
func groupsFor(share, load float64) float64 {
	low, high := 0.0, 1024.0
	for range 48 {
		x := (low + high) / 2
		if all := x + load; x/all*(1+math.Expm1(-all)/all) < share {
			low = x
		} else {
			high = x
		}
	}
	return low
}

// meanFor returns the mean size of buckets for elements with ties, at most standard, or ErrUneven
// if that would take too many buckets.
func (o *Options) meanFor(in codes.Input, standard int, ties float64) (int, error) {
	mean := min(o.mean(in.N, standard), tiedMean(ties))
	if mean < o.leastMean(in, standard) {
		return 0, ErrUneven
	}
	return mean, nil
}

// mappedMean returns the mean size of buckets for elements without ties that a table maps: mappedSlice, if that takes
// few enough buckets.
func mappedMean(in codes.Input) int { return max(mappedSlice, min(fullSlice, fewest(in.N))) }

// leastMean returns the least mean size of buckets. Smaller buckets take more time and memory: of
// 32-bit codes, which a radix sort orders fast, they would soon take more time than that.
func (o *Options) leastMean(in codes.Input, standard int) int {
	least := standard - standard/16
	if in.Wide {
		least = 480
	}
	return min(o.mean(in.N, standard), max(least, fewest(in.N)))
}

// tiedMean returns the mean size of buckets, 3.4 standard deviations below their capacity, for
// elements with ties.
func tiedMean(ties float64) int {
	s := 3.4 * math.Sqrt(1+ties)
	root := (math.Sqrt(s*s+4*kernels.LocalSize) - s) / 2
	return int(root * root)
}

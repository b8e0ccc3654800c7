package bucket

import (
	"math"
	"math/bits"
	"slices"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/kernels"
)

// table is a piecewise linear map from keys, (code, position), to words: struct Map of
// slices.cuh.
type table struct {
	wide bool
	low  []key // low ends of the segments, ascending; the first is the lowest key
	base [kernels.Segments]uint64
	rise [kernels.Segments]uint64
	cell [kernels.Segments + 4]uint16
}

// quantilesTable returns a table whose segments hold about equally many elements, by a sorted
// sample. A code that fills several samples gets a segment of its own. Long segments are cut,
// since their ends may be nearly empty.
func quantilesTable(wide bool, l *layout, sample []key) *table {
	const quantiles, parts, heavy = 512, 240, 4
	low := make([]key, 1, kernels.Segments)
	for q := range quantiles {
		low = append(low, sample[len(sample)*q/quantiles])
	}
	for c := 1; c < parts; c++ {
		if start, ok := l.partStart(c * kernels.Segments / parts); ok {
			low = append(low, start)
		}
	}
	low = append(low, beyond(sample, wide)...)
	low = cutGaps(low, sample)
	for q := range quantiles {
		low = cutUneven(low, sample[len(sample)*q/quantiles:len(sample)*(q+1)/quantiles])
	}
	for i := 0; i+heavy < len(sample) && len(low)+2 <= kernels.Segments; i++ {
		code := sample[i].Code
		if code != sample[i+heavy-1].Code || (i > 0 && code == sample[i-1].Code) {
			continue
		}
		low = append(low, key{Code: code})
		if code < codes.Top(wide) {
			low = append(low, key{Code: code + 1})
		}
	}
	slices.SortFunc(low, codes.CompareKeys)
	return newTable(wide, l, slices.Compact(low))
}

// cutGaps cuts ranges between samples that are far wider than those beside them, as beyond does: of
// floats of both signs, most of the range around zero is nearly empty, but not its ends.
func cutGaps(low []key, sample []key) []key {
	const beside, wide, spare = 8, 64, 128 // samples on a side; ratio of their distances; segments left for others
	for k := beside; k+1+beside < len(sample) && len(low) < kernels.Segments-spare; k++ {
		from, to := sample[k].Code, sample[k+1].Code
		before, after := (from-sample[k-beside].Code)/beside, (sample[k+1+beside].Code-to)/beside
		if before == 0 || after == 0 || (to-from)/wide < max(before, after) {
			continue
		}
		for _, d := range doublings(before, (to-from)/2) {
			low = append(low, key{Code: from + d})
		}
		for _, d := range doublings(after, (to-from)/2) {
			low = append(low, key{Code: to - d})
		}
	}
	return low
}

// cutUneven cuts a segment between samples until those of each half fill about the same range: where
// the exponent of floating-point numbers changes, density may change a thousandfold.
func cutUneven(low []key, sample []key) []key {
	const least, uneven, spare = 4, 3, 64 // samples of a segment; ratio of the halves; segments left for others
	middle := len(sample) / 2
	if len(sample) < least || len(low) > kernels.Segments-spare {
		return low
	}
	first, second := sample[middle].Code-sample[0].Code, sample[len(sample)-1].Code-sample[middle].Code
	if max(first, second)/uneven <= min(first, second) {
		return low
	}
	low = append(low, sample[middle])
	return cutUneven(cutUneven(low, sample[:middle]), sample[middle:])
}

// beyond cuts the ranges below and above the sample, where a few elements may lie close to it,
// at doubling distances from its outermost keys.
func beyond(sample []key, wide bool) []key {
	first, last := sample[0].Code, sample[len(sample)-1].Code
	ends := []key{{Code: last, Position: sample[len(sample)-1].Position}}
	for _, d := range doublings((sample[8].Code-first)/8, first) {
		ends = append(ends, key{Code: first - d})
	}
	for _, d := range doublings((last-sample[len(sample)-9].Code)/8, codes.Top(wide)-last) {
		ends = append(ends, key{Code: last + d})
	}
	return ends
}

// doublings returns up to 15 distances below limit, each twice the one before. The first is
// max(d, 1).
func doublings(d, limit uint64) (all []uint64) {
	for d = max(d, 1); d < limit && len(all) < 15; d *= 2 {
		all = append(all, d)
		if d > limit-d { // twice d is beyond the limit, and may wrap
			break
		}
	}
	return all
}

// newTable returns the table with these segments. Their shares are set later.
func newTable(wide bool, l *layout, low []key) *table {
	t := &table{wide: wide, low: low}
	s := 0
	for c := range kernels.Segments {
		start, ok := l.cellStart(c)
		for s+1 < len(low) && (!ok || codes.CompareKeys(low[s+1], start) <= 0) { // not ok: the last cell may have keys of any segment
			s++
		}
		t.cell[c] = uint16(s)
	}
	for c := kernels.Segments; c < len(t.cell); c++ {
		t.cell[c] = uint16(len(low) - 1)
	}
	return t
}

// share sizes each segment in proportion to the most elements that its sample count lets
// expect, and returns the sum of those.
func (t *table) share(count []uint32) (most float64) {
	const unit = 16 // weights are counted in 1/unit of an element
	share := make([]uint64, len(t.low))
	total := uint64(0)
	for s := range t.low {
		share[s] = uint64(unit * weight(float64(count[s])))
		total += share[s]
	}
	step := math.MaxUint64 / total
	before := uint64(0)
	for s := range t.low {
		t.base[s] = before * step
		t.rise[s] = share[s] * step / (t.leading(s) + 1)
		before += share[s]
	}
	return float64(total) / unit
}

// weight returns the greatest expected count of a segment with the given sample count.
func weight(count float64) float64 { return count + 3.5*math.Sqrt(count) + 4 }

// width returns the distance from the low end of segment s to its last key, as a 96-bit
// number.
func (t *table) width(s int) (high uint64, low uint32) {
	last := key{Code: math.MaxUint64, Position: math.MaxUint32} // itself a key, since none follows it: Key::end of slices.cuh
	if !t.wide {
		last.Code = math.MaxUint32
	}
	from, borrow := t.low[s], uint64(0)
	if s+1 < len(t.low) {
		last = t.low[s+1] // one key further, which changes only the last bit
	}
	if last.Position < from.Position {
		borrow = 1
	}
	return last.Code - from.Code - borrow, last.Position - from.Position
}

// skip returns the number of leading zero bits of segment s's width, of 64 bits, or of 96 for
// wide codes.
func (t *table) skip(s int) int {
	high, low := t.width(s)
	if !t.wide {
		return bits.LeadingZeros64(high<<32 | uint64(low))
	}
	if high > 0 {
		return bits.LeadingZeros64(high)
	}
	return 64 + bits.LeadingZeros32(low)
}

// leading returns the largest value of the leading 32 bits of a key's distance from segment
// s's low end.
func (t *table) leading(s int) uint64 {
	high, low := t.width(s)
	return t.lead(high, low, t.skip(s))
}

// lead returns the leading 32 bits of a distance after the first skip bits.
func (t *table) lead(high uint64, low uint32, skip int) uint64 {
	switch {
	case !t.wide:
		return (high<<32 | uint64(low)) << skip >> 32
	case skip < 32:
		return high << skip >> 32
	}
	return (high<<32 | uint64(low)) << (skip - 32) >> 32
}

// segmentMap is struct Map for one width of codes.
type segmentMap[W codes.Word] struct {
	code       [kernels.Segments]W
	base, rise [kernels.Segments]uint64
	position   [kernels.Segments]uint32
	cell       [kernels.Segments + 4]uint16
}

func put[W codes.Word](t *table, m *segmentMap[W]) {
	m.base, m.rise, m.cell = t.base, t.rise, t.cell
	for s, k := range t.low {
		m.code[s], m.position[s] = W(k.Code), k.Position
	}
}

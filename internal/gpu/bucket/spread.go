package bucket

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/kernels"
)

// The distribution of codes over their range, by the counts of a sample in equal parts of it.

// sampleBits returns the binary logarithm of the size of the second sample. Parts of the range
// should hold many codes each.
func sampleBits(in codes.Input) int {
	b := bits.Len(uint(in.N))
	if b <= 25 && !in.Wide && !in.Keys { // a radix sort of these takes little more time than the sample saves
		return min(max(b-3, 13), 17)
	}
	return min(max(b-7, min(b-3, 17), 13), 20)
}

func samples(in codes.Input) int { return 1 << sampleBits(in) }

// tieBits returns the binary logarithm of the slots in the table of ties: twice as many as elements
// are looked up.
func tieBits(in codes.Input) int { return sampleBits(in) - bits.Len(kernels.SampleLoads-1) + 1 }

// mostOfACode bounds the elements of one code if elements are codes alone. Slices end between
// two codes and so differ by at most 2 %.
const mostOfACode = 14

// crowded reports whether, at the densest part of the sample's range, codes have more than
// mostOfACode elements each.
func crowded(in codes.Input, s *sample.Note) bool {
	l := layoutFor(in.N, in.Wide, s.Low, s.High, unevenMargin)
	values := math.Ldexp(1, 64-l.up-bits.TrailingZeros64(s.Differ)) / kernels.Segments // distinct codes in a part of the range
	return float64(slices.Max(s.Parts[:]))/float64(samples(in))*float64(in.N) > mostOfACode*values
}

// even reports whether counts of m sampled elements in equal parts of the layout's words are
// consistent with codes spread evenly from lowest to highest.
func (l *layout) even(count []uint32, m int, lowest, highest uint64) bool {
	const group = 16 // parts: enough to see a slope of a few percent
	parts := math.Ldexp(float64(highest-lowest)+1, l.up) / math.Ldexp(1, 64) * kernels.Segments
	mean := float64(m) / parts
	return parts >= 2*group && !tooDense(1, mean, count) && !tooDense(group, group*mean, count)
}

// tooDense reports whether a group of parts exceeds its share by 2 % and five standard
// deviations.
func tooDense(group int, share float64, count []uint32) bool {
	limit := int(1.02*share + 5*math.Sqrt(share) + 3)
	sum := 0
	for _, c := range count[:group] {
		sum += int(c)
	}
	for i, c := range count[group:] {
		if sum > limit {
			return true
		}
		sum += int(c) - int(count[i])
	}
	return sum > limit
}

// smooth reports whether neighbouring parts of the range hold similar numbers of elements, so
// that each part can be taken as uniform: numbers differ by at most 12 %, six, and six
// standard deviations.
func smooth(count []uint32) bool {
	for i := 1; i < len(count); i++ {
		if !similar(count[i-1], count[i]) {
			return false
		}
	}
	return true
}

// similar reports whether two counts are consistent with numbers that differ by at most 12 %
// and six.
func similar(a, b uint32) bool {
	step, most := int(max(a, b)-min(a, b)), int(max(a, b))
	if 25*step <= 3*most+150 {
		return true
	}
	return float64(step) <= 0.12*float64(most)+6+6*math.Sqrt(float64(most))
}

// jagged reports whether density jumps up and down all over the range: then a table by a sample's quantiles
// has many segments in which it jumps. It jumps between parts whose numbers of elements differ by a third
// and by six standard deviations.
func jagged(count []uint32) bool {
	const most = 16 // turns from a jump up to one down, and back; floats have four
	turns, last := 0, 0
	for i := 1; i < len(count); i++ {
		a, b := float64(count[i-1]), float64(count[i])
		step := math.Abs(b - a)
		if step < max(a, b)/3 || step < 6*math.Sqrt(max(a, b)) {
			continue
		}
		if way := cmp.Compare(b, a); way != last {
			last = way
			turns++
		}
	}
	return turns > most
}

package selection

import (
	"math/bits"
	"slices"

	"example.com/sorter/internal/sortkey"
)

// A radix selection finds the code of a rank by its digits, the leading one first: it counts those of the codes in an
// interval, and goes on in the part whose digit is that of the rank.

// span is the codes from least to most.
type span[C sortkey.Code] struct{ least, most C }

func (s span[C]) has(c C) bool { return c-s.least <= s.most-s.least }

// digitShift returns the lowest bit of the leading digit, of a number of bits, of codes above the least.
func (s span[C]) digitShift(digit int) int { return max(0, bits.Len64(uint64(s.most-s.least))-digit) }

// part returns the codes with the given digit, which begins at bit shift.
func (s span[C]) part(digit, shift int) span[C] {
	least := s.least + C(digit)<<shift
	return span[C]{least, least + min(s.most-least, C(1)<<shift-1)}
}

// digitAt returns the digit of the code of rank k, by the counts of digits, and the number of codes with lesser ones.
func digitAt(counts []int, k int) (digit, before int) {
	for digit, n := range counts {
		if k < before+n {
			return digit, before
		}
		before += n
	}
	panic("sorter: the codes changed during a selection")
}

// fewCodes is a number of codes that are sorted rather than counted.
const fewCodes = 32

// kthCode returns the k-th smallest code, 1 <= k <= len(all), by 8-bit digits, until few codes are left: at most 9 passes.
func kthCode(all []candidate, k int) uint64 {
	in := span[uint64]{least: 1<<64 - 1}
	for _, c := range all {
		in.least, in.most = min(in.least, c.code), max(in.most, c.code)
	}
	switch {
	case k == 1:
		return in.least
	case len(all) <= fewCodes:
		return kthOfFew(all, in, k)
	}
	for in.least < in.most {
		var counts [256]int
		shift := in.digitShift(8)
		for _, c := range all {
			if in.has(c.code) {
				counts[uint8((c.code-in.least)>>(shift&63))]++
			}
		}
		digit, before := digitAt(counts[:], k-1)
		in, k = in.part(digit, shift), k-before
		if counts[digit] <= fewCodes {
			return kthOfFew(all, in, k)
		}
	}
	return in.least
}

// kthOfFew returns the k-th smallest of the codes in an interval, at most fewCodes.
func kthOfFew(all []candidate, in span[uint64], k int) uint64 {
	var few [fewCodes]uint64
	n := 0
	for _, c := range all {
		if in.has(c.code) {
			few[n%fewCodes] = c.code
			n++
		}
	}
	slices.Sort(few[:n])
	return few[k-1]
}

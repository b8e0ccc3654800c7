package top

import (
	"math/bits"
	"slices"

	"example.com/sorter/internal/sortkey"
)

// fewCodes is a number of codes that are sorted rather than counted.
const fewCodes = 32

// kth returns the k-th smallest of all codes, 1 <= k <= len(all): an 8-bit radix selection from the highest digit
// that differs on. Each turn counts the codes that may be the one, until few are left.
func kth[C sortkey.Code](all []C, k int) C {
	lo, hi := ^C(0), C(0)
	for _, c := range all {
		lo, hi = min(lo, c), max(hi, c)
	}
	for lo < hi && k > 1 {
		// The k-th smallest code is the k-th of those in [lo, hi].
		shift, span := max(0, bits.Len64(uint64(lo^hi))-8), hi-lo
		var count [256]int
		for _, c := range all {
			if c-lo <= span {
				count[uint8(c>>shift)]++
			}
		}
		digit := int(uint8(lo >> shift))
		for ; k > count[digit]; digit++ {
			k -= count[digit]
		}
		mask := C(1)<<shift - 1
		base := hi&^(C(255)<<shift|mask) | C(digit)<<shift
		lo, hi = max(lo, base), min(hi, base|mask)
		if count[digit] <= fewCodes {
			return kthOfFew(all, lo, hi, k)
		}
	}
	if k == 1 {
		return least(all, lo)
	}
	return lo
}

// kthOfFew returns the k-th smallest of the codes in [lo, hi], at most fewCodes.
func kthOfFew[C sortkey.Code](all []C, lo, hi C, k int) C {
	var few [fewCodes]C
	n := 0
	for _, c := range all {
		if c-lo <= hi-lo {
			few[n%fewCodes] = c
			n++
		}
	}
	slices.Sort(few[:n])
	return few[k-1]
}

// least returns the least code that is not below lo; there is one.
func least[C sortkey.Code](all []C, lo C) C {
	most := ^C(0)
	for _, c := range all {
		if c >= lo {
			most = min(most, c)
		}
	}
	return most
}

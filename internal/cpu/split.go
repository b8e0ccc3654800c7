package cpu

import (
	"math/bits"
	"slices"
	"unsafe"
)

// Codes that are not spread well enough for lists of vectors are split in three by AVX-512: those
// below a pivot, those equal to it, which need no more work, and those above. So codes of few values,
// or with many of one, take few rounds. The pivot is the median of a sample.

// shortest is the memory of the codes that sortShort sorts: up to 64 of 32 bits, or 32 of 64.
type shortest [32]uint64

// splitCodes sorts codes, with memory of as many.
func splitCodes[C Code](codes, above []C) {
	splitRounds(codes, above, 2*bits.Len(uint(len(codes))))
}

// splitRounds is splitCodes in at most so many rounds; a part that takes more has bad pivots, and is sorted by
// comparison.
func splitRounds[C Code](codes, above []C, rounds int) {
	for len(codes) > int(unsafe.Sizeof(shortest{})/unsafe.Sizeof(codes[0])) {
		if rounds--; rounds < 0 {
			slices.Sort(codes)
			return
		}
		pivot := pivotOf(codes)
		less, more := splitVectors(codes, above, pivot)
		equal := codes[less : len(codes)-more]
		for i := range equal {
			equal[i] = pivot
		}
		upper := codes[len(codes)-more:]
		copy(upper, above[:more])
		if codes = codes[:less]; less > more {
			codes, upper = upper, codes
		}
		splitRounds(codes, above, rounds)
		codes = upper
	}
	if len(codes) > 1 {
		sortShort(codes)
	}
}

// pivotOf returns the median of codes at even distances, of more of them where there are more codes.
func pivotOf[C Code](codes []C) C {
	n := len(codes)
	if n < 1024 {
		return median9(codes, 0, n/9)
	}
	step := n / 81
	var medians [9]C
	for i := range medians {
		medians[i] = median9(codes, 9*i*step, step)
	}
	return median9(medians[:], 0, 1)
}

// median9 returns the median of nine codes, the first at a place and the others a step apart each: the least of
// the greatest, the median of the medians and the greatest of the least of three times three, and of these the median.
func median9[C Code](codes []C, at, step int) C {
	var least, mid, most [3]C
	for i := range least {
		a, b, c := codes[at], codes[at+step], codes[at+2*step]
		a, b = min(a, b), max(a, b)
		least[i], mid[i], most[i] = min(a, c), max(a, min(b, c)), max(b, c)
		at += 3 * step
	}
	a, c := max(least[0], least[1], least[2]), min(most[0], most[1], most[2])
	low, high := min(mid[0], mid[1]), max(mid[0], mid[1])
	b := max(low, min(high, mid[2]))
	low, high = min(a, b), max(a, b)
	return max(low, min(high, c))
}

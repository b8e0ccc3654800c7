package dispatch

import (
	"math"

	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/internal/gpu/values"
	"example.com/sorter/kernels"
)

// Times are those of one H200, fitted to bench/results/h200 at n = 2^16 … 2^28. On other
// devices both algorithms are slower by about the same factor: both are bound by memory and
// shared memory.

// mergeBelow is the number of codes below which the merge sort is faster than the radix sort:
// it has few rounds then, and no pass per digit. 2026-11, H200: 0.6 of the time at 2^12 32-bit
// codes, the same at 2^14; for 64-bit codes the same between 2^15 and 2^16.
func mergeBelow(in codes.Input) int {
	if in.Wide {
		return 3 << 14
	}
	return 1 << 14
}

// mostSmallTiles is the number of codes up to which the radix sort has small tiles. 2026-12-01, H200, orders of uniform codes,
// small and large tiles in µs, of 32 bits: 46 and 58 at 2^16, 52 and 61 at 2^18, 60 and 64 at 2^19, 74 and 73 at 2^20; of 64 bits:
// 70 and 93 at 2^15, 88 and 103 at 2^18, 111 and 113 at 2^19.
const mostSmallTiles = 1 << 18

// radixBelow is the number of codes below which the radix sort runs without a sample. There it
// takes at most 1.3 times as long as the bucket sort on uniform codes, and down to a sixth on
// others. Up to 2^22 32-bit codes it is nowhere slower. Of 88 distributions of 2^21 64-bit codes 68 take longer with a
// sample, by 1.16 times on the mean of all; of 2^22, 49 do, and the mean is 0.96 (2026-11-29). Keys alone are half as
// many bytes, or fewer: at 2^20 the radix sort is faster on any of them, at 2^24 slower on uniform ones.
func radixBelow(in codes.Input) int {
	switch {
	case in.Wide:
		return 1<<21 + 1
	case in.Keys:
		return 1 << 23
	}
	return 5 << 20
}

// counts reports whether the radix sort counts digits beside the second sample, in case that is against buckets. 2026-12-01, H200,
// 2^24 codes: where it is, 32-bit orders take 0.96 to 0.99 of the time and keys 0.91 to 1.00; buckets take 1.01 and 1.02. Of
// twice as many bytes the count outlasts the sample, and buckets take 1.03 to 1.04.
func counts(in codes.Input) bool { return in.N <= mostCounted(in) }

func mostCounted(in codes.Input) int { return 1 << 26 / in.Size() }

// bucketTime estimates an attempt at the bucket sort after the sample, in ns. Nearly ordered
// codes crowd the same digits of a tile, less so if a tile has codes from all over the list.
func bucketTime(in codes.Input, a bucket.Attempt, nearlyOrdered bool) float64 {
	n, crowded, way, strided := float64(in.N), smallBuckets(in, a), a.Way, a.Strided
	switch {
	case nearlyOrdered && in.Wide:
		n, crowded = 1.3*n, crowded+45e3
	case nearlyOrdered && strided:
		n, crowded = 1.05*n, crowded+45e3
	case nearlyOrdered:
		n, crowded = 1.1*n, crowded+45e3
	}
	switch {
	case in.Keys && in.Wide && way == bucket.Linear:
		return crowded + 50e3 + 0.0197*n
	case in.Keys && in.Wide:
		return crowded + 100e3 + 0.0205*n
	case in.Keys && way == bucket.Linear:
		return crowded + 20e3 + 0.0134*n
	case in.Keys:
		return crowded + 60e3 + 0.0140*n
	case way == bucket.Linear && in.Wide:
		return crowded + 60e3 + 0.018*n
	case way == bucket.Linear:
		return crowded + 40e3 + 0.018*n
	case way == bucket.Sections:
		return crowded + 80e3 + 0.019*n
	case way == bucket.Octaves && in.Wide:
		return crowded + 80e3 + 0.0225*n
	case way == bucket.Octaves:
		return crowded + 80e3 + 0.0195*n
	}
	return crowded + 670e3 + 0.037*n
}

// smallBuckets estimates the time that an attempt takes more because of ties, in ns: each bucket takes
// the same time, and those with ties are sorted in two rounds or more.
func smallBuckets(in codes.Input, a bucket.Attempt) float64 {
	const round, full = 5.6, 920 // of a bucket among many: 0.4 ms for 2^26 elements
	buckets := float64(in.N) / float64(a.Mean)
	more := (buckets - float64(in.N)/full) * round
	switch {
	case a.Way == bucket.Quantiles: // codes are read at random in each bucket that has a tie
		more += buckets * 26 * -math.Expm1(-a.Ties*float64(a.Mean)/2)
	case a.Ties > 0.3 && a.Whole:
		more += buckets * 13
	case a.Ties > 0.3: // codes are read at random
		more += buckets * 26
	}
	return more
}

// worth reports whether an attempt at the bucket sort is expected to be faster than the radix sort,
// after the sample. One with a full bucket may be lost.
func worth(in codes.Input, a bucket.Attempt, s *sample.Note) bool {
	return !a.Full && bucketTime(in, a, s.NearlyOrdered()) < radixTime(in, s.Differ)
}

// leave returns which codes are left to the radix sort after the first sample, since the second one would take
// more time than buckets gain. Fewer than 2^25 32-bit codes, or 2^23 64-bit ones, are if uneven: floats, say, of which
// at 2^24 32-bit codes the bucket sort takes 0.93 to 1.2 of its time; and if leading words repeat so often that there is no plan
// for them: at 2^24 a pair of 4096 repeats if each word is that of two more codes.
func leave(in codes.Input) (l sample.Leave) {
	const sampled = 20e3 // of the second sample
	best := bucketTime(in, bucket.Attempt{Way: bucket.Linear, Mean: 920}, false) + sampled
	for l.Digits < 4 && radixTime(in, 1<<(8*(l.Digits+1))-1) <= best {
		l.Digits++
	}
	if !in.Wide && in.N < 1<<25 || in.Wide && in.N < 1<<23 { // more wide codes may be spread by octaves, whose leading words repeat, too
		l.Share, l.Repeats = 4, 5
	} else if !in.Wide || in.Keys { // quantiles divide one code by positions, but pay for 64-bit codes alone, and not for keys
		l.Heavy = kernels.EarlySamples / 32
	}
	return l
}

// few reports whether the sort of few values is expected to be faster than the radix sort of
// codes that differ in the given bits.
func few(in codes.Input, count int, differ uint64) bool {
	return count <= values.MaxValues && valuesTime(in, count) < min(radixTime(in, differ), bucketTime(in, bucket.Attempt{Way: bucket.Linear, Mean: 920}, false))
}

// fewByRadix reports whether codes of few values are left to the radix sort, where the device
// does not run the sort of few values.
func fewByRadix(in codes.Input, count int, differ uint64) bool {
	return count <= bucket.VeryFew && (in.Keys || bucketTime(in, bucket.Attempt{Way: bucket.Quantiles, Mean: 920}, false) >= radixTime(in, differ))
}

// valuesTime estimates the sort of codes of few values after the sample, in ns: a read of all
// codes that finds their values, and a pass by rank, or two.
func valuesTime(in codes.Input, count int) float64 {
	fixed, each := 60e3, 0.0024
	if in.Wide {
		each = 0.0036
	}
	switch {
	case in.Keys:
		each += 0.0015
	case count <= kernels.RadixDigits:
		each += 0.0042
	default:
		each += 0.0095
	}
	return fixed + each*float64(in.N)
}

// radixTime estimates a radix sort of codes that differ in the given bits, in ns. If both
// halves of 64-bit codes differ, the high halves move along in passes over the low ones; keys alone
// move whole.
func radixTime(in codes.Input, differ uint64) float64 {
	const place, carried = 1<<kernels.RadixBits - 1, 0.011
	fixed, begin, each, pass := 45e3, 0.0, 0.0017, 0.0056 // begin: of each pass
	switch {
	case in.Keys && in.Wide:
		fixed, begin, each, pass = 15e3, 5e3, 0.0035, 0.0063
	case in.Keys:
		pass = 0.0040
	case in.Wide:
		fixed, begin, each, pass = 15e3, 5e3, 0.0035, 0.0063
	}
	if !in.Keys && differ>>32 > 0 && uint32(differ) > 0 {
		each += carried
	}
	for ; differ > 0; differ >>= kernels.RadixBits {
		if differ&place != 0 {
			fixed += begin
			each += pass
		}
	}
	return fixed + each*float64(in.N)
}

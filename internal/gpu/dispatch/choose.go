package dispatch

import (
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/kernels"
)

// Times are those of one H200, fitted to bench/results/h200 at n = 2^16 … 2^28; on
// other devices both algorithms are slower by about the same factor, since both
// are bound by memory and shared memory.

// mergeBelow is from how many codes on the radix sort takes less time than the merge
// sort, whose rounds are few then, and which has no pass for each digit. 2026-11, H200:
// 0.6 of the time at 2^12 codes of 32 bits, the same at 2^14; of 64 bits the same between
// 2^15 and 2^16.
func mergeBelow(in codes.Input) int {
	if in.Wide {
		return 3 << 14
	}
	return 1 << 14
}

// radixBelow is from how many codes on a sample pays, before an algorithm is chosen. Below,
// the radix sort takes at most 1.3 times as long as the bucket sort would on even codes, and
// down to a sixth on others. Up to 2^22 short codes it is nowhere slower. Of short keys
// alone it has half as much to move, or less: at 2^20 it takes less time on any, at 2^24
// more on even ones.
func radixBelow(in codes.Input) int {
	switch {
	case in.Wide:
		return 1<<20 + 1
	case in.Keys:
		return 1 << 23
	}
	return 5 << 20
}

// bucketTime is the time of an attempt at the bucket sort after the sample, in ns.
// Nearly ordered codes crowd the same digits of a tile, less so if those of a tile are
// from all over the list.
func bucketTime(in codes.Input, way bucket.Spreading, nearlyOrdered, strided bool) float64 {
	n, crowded := float64(in.N), 0.0
	switch {
	case nearlyOrdered && in.Wide:
		n, crowded = 1.3*n, 45e3
	case nearlyOrdered && strided:
		n, crowded = 1.05*n, 45e3
	case nearlyOrdered:
		n, crowded = 1.1*n, 45e3
	}
	switch {
	case in.Keys && in.Wide && way == bucket.Linear:
		return crowded + 45e3 + 0.0197*n
	case in.Keys && in.Wide:
		return crowded + 100e3 + 0.0205*n
	case in.Keys && way == bucket.Linear:
		return crowded + 20e3 + 0.0134*n
	case in.Keys:
		return crowded + 60e3 + 0.0140*n
	case way == bucket.Linear:
		return crowded + 40e3 + 0.018*n
	case way == bucket.Sections:
		return crowded + 80e3 + 0.019*n
	}
	return crowded + 550e3 + 0.0275*n
}

// worth reports whether the bucket sort in a way is expected to take less time than the
// radix sort, after the sample.
func worth(in codes.Input, way bucket.Spreading, s *sample.Note, strided bool) bool {
	return bucketTime(in, way, s.NearlyOrdered(), strided) < radixTime(in, s.Differ)
}

// fewByRadix reports whether the radix sort takes codes of few values, in no order,
// whatever their sample.
func fewByRadix(in codes.Input) bool {
	return in.Keys || bucketTime(in, bucket.Quantiles, false, false) >= radixTime(in, codes.Top(in.Wide))
}

// radixTime is the time of a radix sort of codes that differ in those bits, in ns.
// Where both halves of wide codes do, the high ones are fetched at random, but not of
// keys alone, which move as they are.
func radixTime(in codes.Input, differ uint64) float64 {
	const place, fetch = 1<<kernels.RadixBits - 1, 0.023
	fixed, each, pass := 45e3, 0.0017, 0.0056
	switch {
	case in.Keys && in.Wide:
		fixed, each, pass = 60e3, 0.0035, 0.0059
	case in.Keys:
		pass = 0.0040
	case in.Wide:
		fixed, each = 60e3, 0.0035
	}
	if !in.Keys && differ>>32 > 0 && uint32(differ) > 0 {
		each += fetch
	}
	for ; differ > 0; differ >>= kernels.RadixBits {
		if differ&place != 0 {
			each += pass
		}
	}
	return fixed + each*float64(in.N)
}

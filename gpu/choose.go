package gpu

import "example.com/sorter/kernels"

// Which algorithm the engine takes where the caller leaves the choice. The times
// are those of one H200, fitted to the table of bench/gpu at n = 2^16 … 2^28; on
// other devices both algorithms are slower by about the same factor, since both
// are bound by memory and shared memory.

// mergeBelow is from how many codes on the radix sort takes less time than the merge
// sort, whose rounds are few then, and which has no pass for each digit: 2^12 codes of
// 32 bits take 0.029 ms and 0.047, 2^13 0.038 and 0.050, 2^14 0.049 and 0.046 to 0.058,
// by their distribution; of 64 bits 0.033 and 0.055 to 0.077, 2^15 0.063 and 0.064 to
// 0.093, 2^16 0.081 and 0.069 to 0.096.
func (in input) mergeBelow() int {
	if in.wide {
		return 3 << 14
	}
	return 1 << 14
}

// radixBelow is from how many codes on a look at a sample pays, before an
// algorithm is chosen. Below, the radix sort is at most 1.3 times slower than the
// bucket sort would be on even codes, and up to 6 times faster on others. Up to
// 2^22 short codes it is nowhere slower. Of short keys alone it has half as much to
// move, or less: at 2^20 it takes less time on any, at 2^24 more on even ones.
func (in input) radixBelow() int {
	switch {
	case in.wide:
		return 1<<20 + 1
	case in.keys:
		return 1 << 23
	}
	return 5 << 20
}

// nearlyBelow is the degree of disorder below which a tile has codes from all over the
// list. On an H200 that takes 1 % swapped codes of 32 bits, whose degree is n/75, from
// 0.445 to 0.404 ms at 2^24, from 1.425 to 1.341 at 2^26 and from 5.160 to 5.137 at 2^28,
// and lists shuffled in windows of 16 from 0.429, 1.395 and 5.109 to 0.382, 1.290 and
// 4.992; codes in no order, n/3, from 1.262 to 1.320 at 2^26. Of 64 bits, of which fewer
// lie in a sector, the gain is gone at 2^26: 1.685 and 1.746.
func (in input) nearlyBelow() float64 {
	if in.wide || in.keys {
		return 0
	}
	return float64(in.n) / 16
}

// bucketTime is the time of an attempt at the bucket sort behind the look, in ns.
// Nearly ordered codes crowd the same digits of a tile, less so if those of a tile are
// from all over the list.
func (in input) bucketTime(way Spreading, nearlyOrdered, strided bool) float64 {
	n, crowded := float64(in.n), 0.0
	switch {
	case nearlyOrdered && in.wide:
		n, crowded = 1.3*n, 45e3
	case nearlyOrdered && strided:
		n, crowded = 1.05*n, 45e3
	case nearlyOrdered:
		n, crowded = 1.1*n, 45e3
	}
	switch {
	case in.keys && in.wide && way == Linear:
		return crowded + 45e3 + 0.0197*n
	case in.keys && in.wide:
		return crowded + 100e3 + 0.0205*n
	case in.keys && way == Linear:
		return crowded + 20e3 + 0.0134*n
	case in.keys:
		return crowded + 60e3 + 0.0140*n
	case way == Linear:
		return crowded + 40e3 + 0.018*n
	case way == Sections:
		return crowded + 80e3 + 0.019*n
	}
	return crowded + 550e3 + 0.0275*n
}

// worth reports whether the bucket sort in a way is expected to take less time than the
// radix sort, behind the look.
func (w *workspace) worth(in input, way Spreading) bool {
	s := &w.note.sample
	return in.bucketTime(way, s.nearlyOrdered(), w.strides(in, way)) < in.radixTime(s.differ)
}

// fewByRadix reports whether the radix sort takes codes of few values, in no order,
// whatever a sample of them would tell.
func (in input) fewByRadix() bool {
	return in.keys || in.bucketTime(Quantiles, false, false) >= in.radixTime(top(in.wide))
}

// radixTime is the time of a radix sort of codes that differ in those bits, in ns.
// Where both halves of wide codes do, the high ones are fetched at random, but not of
// keys alone, which move as they are.
func (in input) radixTime(differ uint64) float64 {
	const place, fetch = 1<<kernels.RadixBits - 1, 0.023
	fixed, each, pass := 45e3, 0.0017, 0.0056
	switch {
	case in.keys && in.wide:
		fixed, each, pass = 60e3, 0.0035, 0.0059
	case in.keys:
		pass = 0.0040
	case in.wide:
		fixed, each = 60e3, 0.0035
	}
	if !in.keys && differ>>32 > 0 && uint32(differ) > 0 {
		each += fetch
	}
	for ; differ > 0; differ >>= kernels.RadixBits {
		if differ&place != 0 {
			each += pass
		}
	}
	return fixed + each*float64(in.n)
}

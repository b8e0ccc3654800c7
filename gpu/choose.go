package gpu

import "example.com/sorter/kernels"

// Which algorithm the engine takes where the caller leaves the choice. The times
// are those of one H200, fitted to the table of bench/gpu at n = 2^16 … 2^28; on
// other devices both algorithms are slower by about the same factor, since both
// are bound by memory and shared memory.

// radixBelow is from how many codes on a look at a sample pays, before an
// algorithm is chosen. Below, the radix sort is at most 1.3 times slower than the
// bucket sort would be on even codes, and up to 6 times faster on others. Of keys
// alone it has half as much to move, or less: at 1<<24 keys of 32 bits it took 0.38 ms
// and 0.34 ms where the other took 0.32 and, behind the look, 0.37.
func (in input) radixBelow() int {
	switch {
	case in.wide:
		return 1<<20 + 1
	case in.keys:
		return 1<<24 + 1
	}
	return 1<<22 - 1<<20
}

// bucketTime is the time of an attempt at the bucket sort behind the look, in ns.
// Nearly ordered codes crowd the same digits of a tile.
func (in input) bucketTime(a attempt, nearlyOrdered bool) float64 {
	n := float64(in.n)
	if nearlyOrdered {
		n *= 1.15
	}
	switch {
	case in.keys && in.wide:
		return 45e3 + 0.0195*n
	case in.keys:
		return 35e3 + 0.0155*n
	case a == linear:
		return 40e3 + 0.018*n
	case a == sections:
		return 80e3 + 0.019*n
	}
	return 450e3 + 0.028*n
}

// radixTime is the time of a radix sort of codes that differ in those bits, in ns.
func (in input) radixTime(differ uint64) float64 {
	const place = 1<<kernels.RadixBits - 1
	fixed, count, pass := 45e3, 0.0017, 0.0056
	switch {
	case in.keys && in.wide:
		fixed, count, pass = 60e3, 0.0035, 0.0059
	case in.keys:
		pass = 0.0040
	case in.wide:
		fixed, count, pass = 60e3, 0.0035, 0.0087
	}
	passes := 0
	for ; differ > 0; differ >>= kernels.RadixBits {
		if differ&place != 0 {
			passes++
		}
	}
	return fixed + (count+float64(passes)*pass)*float64(in.n)
}

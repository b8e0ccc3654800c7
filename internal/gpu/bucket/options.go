package bucket

import (
	"fmt"
	"sync/atomic"

	"example.com/sorter/kernels"
)

// Spreading is a method to spread elements over buckets.
type Spreading int

const (
	// BySample chooses by a sample of the codes.
	BySample Spreading = iota

	// Linear cuts the range of the codes into equal parts.
	Linear

	// Sections cuts the range into 32 equal sections, each section into as many equal partitions as
	// the sample suggests, and each partition into slices by the number of its elements.
	Sections

	// Octaves has the ranges from a power of two to the next as sections, and the bits of a
	// code below its highest one in their place: for codes spread evenly by magnitude.
	Octaves

	// Quantiles maps codes by a piecewise linear map that follows the quantiles of the sample.
	Quantiles
)

// String returns the name of s.
func (s Spreading) String() string {
	if s >= BySample && s <= Quantiles {
		return [...]string{"BySample", "Linear", "Sections", "Octaves", "Quantiles"}[s]
	}
	return fmt.Sprintf("Spreading(%d)", int(s))
}

// MinFill and MaxFill are the mean sizes of buckets that [Options] allow. At the largest,
// one bucket in fifty of random codes exceeds its capacity.
const MinFill, MaxFill = 128, 960

// Options selects parts of the sort. Results do not depend on them. The zero Options are the
// default; others serve to measure the gain of a part, see bench/results/algorithms.md.
type Options struct {
	// Spread is how elements are spread over buckets. If buckets are too uneven the next
	// spreading is tried; after two attempts, or the last spreading, the sort fails with ErrUneven.
	Spread Spreading

	// Fill is the mean number of elements of a bucket, MinFill to MaxFill; 0 for 890 to
	// 920, by spreading. A bucket holds up to 1024 elements and takes the same time for any
	// number. A lower mean takes more memory; a higher one makes more buckets oversize. With
	// more than 2^19 buckets the mean is raised.
	Fill int

	// Blind turns the check for order off: codes in order are sorted like others. Otherwise,
	// if a sample is sorted, reversed or equal, all codes are read once more, and the sort
	// ends if all are.
	Blind bool

	// Nearly, unless nil, is the degree of disorder below which codes count as nearly sorted.
	// A tile of the first split then gets small pieces from all over the list, since
	// adjacent codes would crowd its counters. 0 means no codes, math.Inf(1) all codes; the
	// authors of the sort use 10. Default: a sixteenth of n for orders of 32-bit codes, 0 for
	// others. It applies to codes spread by [Linear].
	//
	// The degree is the sum of the distances between neighbours, over the range: 1 for sorted
	// codes, n/3 for uniform unordered ones, and 2/3 more for each code that is moved to a
	// random place. It is estimated from 8192 pairs of neighbours, which usually miss moved
	// codes if these are fewer than one in 24000.
	Nearly *float64

	// Salt, unless nil, chooses the positions of samples; otherwise a random number does. It serves to
	// test lists that are even where they are sampled.
	Salt *uint64

	// Attempts, unless nil, counts attempts to spread elements.
	Attempts *Attempts
}

// mean returns the mean size of buckets for n elements, given the default. A pass has at most
// maxDigits * kernels.PartitionThreads buckets; plans may take twice as many as the elements fill.
func (o *Options) mean(n, standard int) int {
	if o.Fill == 0 {
		return standard
	}
	return max(o.Fill, min(standard, fewest(n)))
}

// fewest returns the least mean size of buckets with which all plans have enough digits.
func fewest(n int) int {
	const most = maxDigits * kernels.PartitionThreads / 2
	return (n + most - 1) / most
}

// Attempts counts attempts by spreading. Sorters may share it.
type Attempts struct{ begun, failed [Quantiles + 1]atomic.Int64 }

// Of returns how often elements were spread in the given way, and how often that failed, so
// that the next way was tried.
func (a *Attempts) Of(way Spreading) (begun, failed int64) {
	return a.begun[way].Load(), a.failed[way].Load()
}

// count counts one attempt, if a is not nil.
func (a *Attempts) count(way Spreading, failed bool) {
	if a == nil {
		return
	}
	a.begun[way].Add(1)
	if failed {
		a.failed[way].Add(1)
	}
}

// Sorter is the bucket sort with its options.
type Sorter struct{ Options }

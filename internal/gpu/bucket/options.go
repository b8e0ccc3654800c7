package bucket

import (
	"fmt"
	"sync/atomic"

	"example.com/sorter/kernels"
)

// Spreading is a way to spread elements over buckets.
type Spreading int

const (
	// BySample chooses by a sample of the codes.
	BySample Spreading = iota

	// Linear cuts the range of the codes into equal parts.
	Linear

	// Sections cuts it into 32 equal sections, each of them into as many equal
	// parts as the sample suggests, and those by the number of elements that came.
	Sections

	// Quantiles sends codes through a piecewise linear map that follows the
	// quantiles of the sample.
	Quantiles
)

// String returns the name of s.
func (s Spreading) String() string {
	if s >= BySample && s <= Quantiles {
		return [...]string{"BySample", "Linear", "Sections", "Quantiles"}[s]
	}
	return fmt.Sprintf("Spreading(%d)", int(s))
}

// LeastFill and MostFill are the mean sizes of buckets that [Options] allow. At the largest,
// one bucket in fifty of random codes exceeds its capacity.
const LeastFill, MostFill = 128, 960

// Options are ways to do parts of the sort. Orders do not depend on them. The zero Options
// are the standard; others serve to measure the gain of a part: ALGORITHMS.md has the table.
type Options struct {
	// Spread is how elements are spread over buckets. Where that leaves buckets too uneven
	// the next ways are tried, and at last the sort fails with ErrUneven.
	Spread Spreading

	// Fill is the mean number of elements of a bucket, which has room for 1024 and takes the
	// same time however few there are: LeastFill to MostFill, 0 for 890 to 920, by the way
	// that they are spread. Fewer elements take more memory; with more, more buckets are
	// oversize. Where there would be more than 2^19 buckets, they get more elements.
	Fill int

	// Blind leaves codes in order to be sorted like others. Otherwise all codes are read once
	// more if a sample of them is sorted, reversed or equal, and the sort ends if all are.
	Blind bool

	// Nearly, unless it is nil, is the degree of disorder below which codes are nearly
	// sorted: a tile of the first partition then gets small pieces from all over the list,
	// since adjacent codes would crowd its counters. 0 means none, math.Inf(1) all codes,
	// and the authors of the sort take 10. The standard is a sixteenth of their number for
	// orders of 32-bit codes, 0 for others. It concerns codes spread by [Linear].
	//
	// The degree is the sum of the distances between neighbours, over the range: 1 for
	// sorted codes, n/3 for even ones in no order, and 2/3 more for each code that is moved
	// to a random place. It is estimated from 8192 pairs of neighbours, which most often
	// show none of the moved codes if these are fewer than one in 24000.
	Nearly *float64

	// Attempts, unless it is nil, counts attempts to spread elements.
	Attempts *Attempts
}

// mean is the mean size of buckets of n elements, by the given standard. A pass has
// maxDigits * kernels.RoomThreads buckets at most; plans may take up to twice as many as
// the elements fill.
func (o *Options) mean(n, standard int) int {
	if o.Fill == 0 {
		return standard
	}
	const most = maxDigits * kernels.RoomThreads / 2
	return max(o.Fill, min(standard, (n+most-1)/most))
}

// Attempts counts attempts at each way to spread elements. It may be shared by sorters.
type Attempts struct{ begun, failed [Quantiles + 1]atomic.Int64 }

// Of returns how often elements were spread in the given way, and how often that left them
// too uneven, so that the next way was tried.
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

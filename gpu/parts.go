package gpu

import (
	"fmt"
	"math"
	"sync/atomic"

	"example.com/sorter/kernels"
)

// Options for parts of the bucket sort, to measure the gain of each: ALGORITHMS.md has
// the table.

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

// Spread sets how [sorter.BucketBitonic] spreads elements over buckets. Default:
// [BySample]. Where that leaves buckets too uneven the next ways are tried, and at last
// [sorter.Radix]: orders do not depend on it. [Engine.Attempts] counts both.
func Spread(way Spreading) Option {
	return func(e *Engine) error {
		if way < BySample || way > Quantiles {
			return fmt.Errorf("sorter: gpu: no %v", way)
		}
		e.parts.spread = way
		return nil
	}
}

// Mean sizes of buckets that [Fill] allows. At the largest, one bucket in fifty of random
// codes exceeds its capacity.
const leastFill, mostFill = 128, 960

// Fill sets the mean number of elements in a bucket of [sorter.BucketBitonic], which has
// room for 1024 and takes the same time however few there are. Range: 128 to 960. Default:
// 890 to 920, by the way that they are spread. Fewer elements take more memory; with more,
// more buckets are oversize. Where there would be more than 2^19 buckets, they get more
// elements.
func Fill(elements int) Option {
	return func(e *Engine) error {
		if elements < leastFill || elements > mostFill {
			return fmt.Errorf("sorter: gpu: %d elements a bucket: at least %d, at most %d", elements, leastFill, mostFill)
		}
		e.parts.fill = elements
		return nil
	}
}

// Presorted sets whether [sorter.BucketBitonic] reads all codes once more if a sample of
// them is sorted, reversed or equal, and ends there if all are. Default: true.
func Presorted(look bool) Option {
	return func(e *Engine) error { e.parts.blind = !look; return nil }
}

// NearlySorted sets the degree of disorder below which [sorter.BucketBitonic] treats codes
// as nearly sorted. It then reads them as its authors do: small pieces from all over the
// list for each tile of the first partition, since adjacent codes would crowd its
// counters. Range: 0 and above; 0 means none, math.Inf(1) all codes, and the authors take
// 10. Default: a sixteenth of their number for orders of 32-bit codes, 0 for others.
//
// The degree is the sum of the distances between neighbours, over the range: 1 for
// sorted codes, n/3 for even ones in no order, and 2/3 more for each code that is moved
// to a place at random. It is estimated from 8192 pairs of neighbours, which most often
// show none of the moved codes if these are fewer than one in 24000.
//
// It concerns codes that are spread by [Linear]; [sorter.Stats] has the shape "nearly
// sorted" where it was done. Orders do not depend on it, and it takes no more memory.
func NearlySorted(degree float64) Option {
	return func(e *Engine) error {
		if degree < 0 || math.IsNaN(degree) {
			return fmt.Errorf("sorter: gpu: no degree of disorder is below %v", degree)
		}
		e.parts.nearly = &degree
		return nil
	}
}

// parts is how the options say that a bucket sort is done.
type parts struct {
	spread Spreading
	fill   int // elements of a bucket; 0: the standard of the way
	blind  bool
	nearly *float64 // degree of disorder below which a tile's codes come from all over the list; nil: the standard
}

// mean is the mean size that buckets of n elements are to have where the standard
// is that. A pass has maxDigits * kernels.RoomThreads of them at most; plans may
// take up to twice as many as the elements fill.
func (p *parts) mean(n, standard int) int {
	if p.fill == 0 {
		return standard
	}
	const most = maxDigits * kernels.RoomThreads / 2
	return max(p.fill, min(standard, (n+most-1)/most))
}

// attempted counts attempts at a way.
type attempted struct{ begun, failed atomic.Int64 }

// Attempts returns how often, since e was opened, elements were spread in the given way,
// and how often that left them too uneven, so that the next way was tried.
func (e *Engine) Attempts(way Spreading) (begun, failed int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opened == nil || !isClosed(e.opened) || way <= BySample || way > Quantiles {
		return 0, 0
	}
	for _, d := range e.devs {
		begun += d.attempts[way].begun.Load()
		failed += d.attempts[way].failed.Load()
	}
	return begun, failed
}

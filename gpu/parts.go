package gpu

import (
	"fmt"
	"math"
	"sync/atomic"

	"example.com/sorter/kernels"
)

// Parts of the bucket sort that an engine may be told to do in another way than
// it would choose, to measure what each gives: ALGORITHMS.md has the table.

// Spreading is a way to spread elements over buckets.
type Spreading int

const (
	// BySample leaves the way to what a sample of the codes suggests.
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

// Spread sets how sorter.BucketBitonic spreads elements over buckets. Default:
// [BySample]. What some way leaves too uneven is tried again in those behind it,
// as always, and at last by sorter.Radix: orders do not depend on it.
// [Engine.Attempts] tells what became of it.
func Spread(way Spreading) Option {
	return func(e *Engine) error {
		if way < BySample || way > Quantiles {
			return fmt.Errorf("sorter: gpu: no %v", way)
		}
		e.parts.spread = way
		return nil
	}
}

// Mean sizes of buckets that an engine may be told to aim at. Of codes at random,
// one bucket in fifty exceeds its capacity at the most.
const leastFill, mostFill = 128, 960

// Fill sets how many elements sorter.BucketBitonic aims at in a bucket, which has
// place for 1024 and takes the same time however few there are: 128 to 960.
// Fewer elements take more memory; more of them are sorted as oversize. The
// default is 890 to 920, by the way that they are spread. Where that would make
// more than 2^19 buckets, they get more elements.
func Fill(elements int) Option {
	return func(e *Engine) error {
		if elements < leastFill || elements > mostFill {
			return fmt.Errorf("sorter: gpu: %d elements a bucket: at least %d, at most %d", elements, leastFill, mostFill)
		}
		e.parts.fill = elements
		return nil
	}
}

// Presorted sets whether sorter.BucketBitonic reads codes that look sorted,
// reversed or equal in a sample once more, and ends there if they are. Default:
// true.
func Presorted(look bool) Option {
	return func(e *Engine) error { e.parts.blind = !look; return nil }
}

// NearlySorted sets the degree of disorder below which sorter.BucketBitonic takes codes
// for nearly sorted, and reads them as its authors then do: small pieces from all over
// the list for each tile of the first partition, since adjacent codes would crowd its
// counters. 0 or more: 0 takes none, math.Inf(1) all, and those authors have 10. Default:
// a sixteenth of their number for orders of codes of 32 bits, 0 for others.
//
// The degree is the sum of the distances between neighbours, over the range: 1 for
// sorted codes, n/3 for even ones in no order, and 2/3 more for each code that is moved
// to a place at random. It is estimated from 8192 pairs of neighbours, which most often
// show none of the moved codes if these are fewer than one in 24000.
//
// It is for codes that are spread by [Linear]; sorter.Stats has the shape "nearly sorted"
// where it was done. Orders do not depend on it, and no more memory is taken.
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

// Attempts returns how often, since e was opened, elements were spread in some
// way, and how often that left them too uneven, and the next way had to follow.
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

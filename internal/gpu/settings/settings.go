// Package settings has the configuration of a GPU engine. Its options serve to measure single
// parts of the algorithms and to repeat tables of papers; options for programs are in package
// gpu.
package settings

import (
	"fmt"
	"math"

	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/samplesort"
	"example.com/sorter/kernels"
)

// Settings are set by options before an engine opens its devices.
type Settings struct {
	Ordinals   []int // devices; none: the first
	Memory     int   // bytes of device memory per sort; 0: all free memory
	Verify     bool  // every result is checked
	Algorithms dispatch.Options

	// For tests: the number of elements from which devices share a sort, the size in bytes
	// from which a device moves elements, and that of a copy from or to pinned memory of the
	// caller; 0: the default.
	ShareN, MoveBytes, DirectBytes int

	Staged bool // devices exchange elements by copies alone

	LeastTied int // rows that tie from which a device breaks ties, see LeastTied; 0: the default
}

// Option is a gpu.Option.
type Option = func(*Settings) error

// Spread sets how sorter.BucketBitonic spreads elements over buckets; default bucket.BySample.
// The result does not depend on it.
func Spread(way bucket.Spreading) Option {
	return func(s *Settings) error {
		if way < bucket.BySample || way > bucket.Quantiles {
			return fmt.Errorf("sorter: gpu: no %v", way)
		}
		s.Algorithms.Bucket.Spread = way
		return nil
	}
}

// NearlySorted sets the degree of disorder below which sorter.BucketBitonic treats codes
// as nearly sorted, see bucket.Options: 0 means none, math.Inf(1) all codes.
func NearlySorted(degree float64) Option {
	return func(s *Settings) error {
		if degree < 0 || math.IsNaN(degree) {
			return fmt.Errorf("sorter: gpu: no degree of disorder is below %v", degree)
		}
		s.Algorithms.Bucket.Nearly = &degree
		return nil
	}
}

// Staged makes several devices exchange elements by copies alone, as devices do whose kernels do
// not reach each other's memory.
func Staged() Option { return func(s *Settings) error { s.Staged = true; return nil } }

// LeastTied sets the number of rows of the host that tie in their first codes, at least, for a device to order them by
// further codes. Default: 65536, and a quarter of all; math.MaxInt leaves ties to the CPU.
func LeastTied(rows int) Option {
	return func(s *Settings) error {
		if rows <= 0 {
			return fmt.Errorf("sorter: gpu: %d rows that tie", rows)
		}
		s.LeastTied = rows
		return nil
	}
}

// Samples sets the number of samples that sorter.SampleSort takes of each tile of 8192
// elements, from samplesort.MinSamples to kernels.MaxSamples. That is also the number of
// buckets into which it splits the input, and each bucket that is still too large. Default:
// the smallest number with the fewest levels, 256 for 2^26 elements. Fewer samples are sorted
// sooner, but need more levels.
func Samples(perTile int) Option {
	return func(s *Settings) error {
		if perTile < samplesort.MinSamples || perTile > kernels.MaxSamples {
			return fmt.Errorf("sorter: gpu: %d samples of a tile: at least %d, at most %d", perTile, samplesort.MinSamples, kernels.MaxSamples)
		}
		s.Algorithms.Samples = perTile
		return nil
	}
}

// Unsalted makes samples have the same positions in every sort, for tests of lists that are even where
// they are sampled.
func Unsalted() Option {
	return func(s *Settings) error { s.Algorithms.Bucket.Salt = new(uint64); return nil }
}

package dispatch

import (
	"math"
	"testing"

	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/kernels"
)

// TestChoice compares the choice with measurements: the bucket sort and the radix
// sort in one run on an H200, 2026-11-21, in ms (bench/results/h200/parts.md). Those of
// keys alone are of runs of the same day, and those of nearly sorted 32-bit codes,
// whose tiles have codes from all over the list, of 2026-11-22.
func TestChoice(t *testing.T) {
	const all = uint64(1<<64 - 1)
	above := func(bit int) uint64 { return all << bit }
	for _, c := range []struct {
		name          string
		wide, keys    bool
		lg            int
		way           bucket.Spreading
		nearly        bool
		differ        uint64
		bucket, radix float64
	}{
		{"uniform", false, false, 22, bucket.Linear, false, 1<<32 - 1, 0.170, 0.167},
		{"gauss", false, false, 22, bucket.Sections, false, 1<<32 - 1, 0.199, 0.166},
		{"zipf", false, false, 22, bucket.Quantiles, false, 1<<24 - 1, 0.563, 0.140},
		{"1% swapped", false, false, 22, bucket.Linear, true, 1<<32 - 1<<10, 0.155, 0.116},
		{"uniform", false, false, 24, bucket.Linear, false, 1<<32 - 1, 0.423, 0.487},
		{"gauss", false, false, 24, bucket.Sections, false, 1<<32 - 1, 0.463, 0.483},
		{"zipf", false, false, 24, bucket.Quantiles, false, 1<<24 - 1, 0.969, 0.378},
		{"1% swapped", false, false, 24, bucket.Linear, true, 1<<32 - 1<<8, 0.404, 0.379},
		{"uniform", false, false, 26, bucket.Linear, false, 1<<32 - 1, 1.288, 1.685},
		{"gauss", false, false, 26, bucket.Sections, false, 1<<32 - 1, 1.397, 1.691},
		{"zipf", false, false, 26, bucket.Quantiles, false, 1<<24 - 1, 2.065, 1.277},
		{"1% swapped", false, false, 26, bucket.Linear, true, 1<<32 - 1<<6, 1.341, 1.757},
		{"log by quantiles", false, false, 28, bucket.Quantiles, false, 1<<32 - 1, 7.060, 6.313},
		{"log", false, false, 24, bucket.Octaves, false, 1<<32 - 1, 0.432, 0.475},
		{"log", false, false, 28, bucket.Octaves, false, 1<<32 - 1, 5.475, 6.279},
		{"zipf", true, false, 24, bucket.Octaves, false, 1<<40 - 1, 0.475, 0.834},
		{"uniform", true, false, 22, bucket.Linear, false, all, 0.166, 0.345},
		{"gauss", true, false, 22, bucket.Sections, false, all, 0.224, 0.292},
		{"zipf", true, false, 22, bucket.Quantiles, false, 1<<40 - 1, 0.817, 0.263},
		{"1% swapped", true, false, 22, bucket.Linear, true, above(42), 0.226, 0.158},
		{"uniform", true, false, 24, bucket.Linear, false, all, 0.417, 1.178},
		{"zipf", true, false, 24, bucket.Quantiles, false, 1<<40 - 1, 1.173, 0.834},
		{"1% swapped", true, false, 24, bucket.Linear, true, above(40), 0.544, 0.408},
		{"float normal", true, false, 26, bucket.Quantiles, false, all, 3.357, 4.357},
		{"1% swapped", true, false, 26, bucket.Linear, true, above(38), 1.689, 1.756},
		{"1% swapped", true, false, 28, bucket.Linear, true, above(36), 6.042, 6.961},
		{"uniform", false, true, 20, bucket.Linear, false, 1<<32 - 1, 0.117, 0.082},
		{"1% swapped", false, true, 20, bucket.Linear, true, 1<<32 - 1<<12, 0.118, 0.078},
		{"uniform", false, true, 24, bucket.Linear, false, 1<<32 - 1, 0.323, 0.382},
		{"gauss", false, true, 24, bucket.Sections, false, 1<<32 - 1, 0.392, 0.376},
		{"1% swapped", false, true, 24, bucket.Linear, true, 1<<32 - 1<<8, 0.390, 0.292},
		{"uniform", false, true, 28, bucket.Linear, false, 1<<32 - 1, 3.608, 4.896},
		{"gauss", false, true, 28, bucket.Sections, false, 1<<32 - 1, 3.857, 4.785},
		{"1% swapped", false, true, 28, bucket.Linear, true, 1<<32 - 1<<4, 4.407, 4.963},
		{"uniform", true, true, 24, bucket.Linear, false, all, 0.412, 0.971},
		{"gauss", true, true, 24, bucket.Sections, false, all, 0.497, 0.874},
		{"1% swapped", true, true, 24, bucket.Linear, true, above(40), 0.496, 0.434},
		{"uniform", true, true, 28, bucket.Linear, false, all, 5.326, 13.818},
		{"gauss", true, true, 28, bucket.Sections, false, all, 5.618, 12.166},
		{"1% swapped", true, true, 28, bucket.Linear, true, above(36), 5.727, 7.319},
	} {
		in := codes.Input{Wide: c.wide, Keys: c.keys, N: 1 << c.lg}
		a := bucket.Attempt{Way: c.way, Mean: 920, Strided: c.nearly && bucket.NearlyBelow(in) > 0}
		chosen := c.bucket
		if in.N < radixBelow(in) || radixTime(in, c.differ) < bucketTime(in, a, c.nearly) {
			chosen = c.radix
		}
		if best := min(c.bucket, c.radix); chosen > 1.05*best {
			t.Errorf("%s, 2^%d, wide %v, keys %v: chosen %.3f, best %.3f; the model has bucket %.3f, radix %.3f",
				c.name, c.lg, c.wide, c.keys, chosen, best, bucketTime(in, a, c.nearly)/1e6, radixTime(in, c.differ)/1e6)
		}
	}
}

// TestWorthOfWays has nearly ordered codes crowd digits, but where they are read so that they
// do not.
func TestWorthOfWays(t *testing.T) {
	in := codes.Input{N: 1 << 23}
	never, always := 0.0, math.Inf(1)
	for _, c := range []struct {
		nearly   *float64 // degree of disorder below which they are read so
		descents uint64   // of the sample
		differ   uint64
		way      bucket.Spreading
		want     bool
	}{
		{&never, 0, 1<<32 - 1, bucket.Linear, false},
		{&never, kernels.RangeSamples / 2, 1<<32 - 1, bucket.Linear, true},
		{&always, 0, 1<<32 - 1, bucket.Linear, true},
		{nil, 0, 1<<32 - 1, bucket.Linear, true},
		{&never, kernels.RangeSamples / 2, 1<<32 - 1, bucket.Sections, true},
		{&always, 0, 1<<32 - 1, bucket.Sections, false}, // which has one way to read
	} {
		s := &sample.Note{High: 1<<32 - 1, Differ: c.differ, Distance: kernels.RangeSamples << 32 / float64(in.N)} // a degree of 1
		s.Ascents, s.Descents = kernels.RangeSamples-c.descents, c.descents
		by := bucket.Sorter{Options: bucket.Options{Nearly: c.nearly}}
		if got := worth(in, bucket.Attempt{Way: c.way, Mean: 920, Strided: by.Strides(in, c.way, s)}, s); got != c.want {
			t.Errorf("%+v: worth it %v", c, got)
		}
	}
}

// Package sample samples codes on a device: their range, and sorted keys.
package sample

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// Note is the results of the sample kernels in pinned memory: struct SampleNote of sample.cuh.
// The keys of the first sample follow if they are fetched.
type Note struct {
	Low, High, Differ uint64
	Ascents, Descents uint64  // among kernels.RangeSamples pairs of neighbours
	Distance          float64 // sum of the distances of these pairs
	Parts             [kernels.Segments]uint32
	Octaves           [kernels.Segments]uint32 // counts of the lowest kernels.OctaveParts parts by equal parts of octaves
	Fullest           [kernels.Segments]uint32 // elements of the second sample in that cell of each part that has most; 0 for one
	Pairs             uint64                   // of elements of the second sample in the same cell
	Ties              [Ties]uint32             // of one in kernels.SampleLoads elements: those that share something with an earlier one, by kind; some are missed
	Seen              [3]uint32                // values in the first sample, at least once, twice, three times
	Ready             atomic.Uint32            // set once the device has written everything above
	Few               atomic.Uint32            // set before, if reports are early: the number of values, if few, or kernels.SeemsFlat and so on; SeemsOpen if nothing is known yet
	Keys
}

// What elements of a sample share.
const (
	SharedWord = iota // the leading word
	SharedCode        // the code; up to kernels.MostRepeats elements of each count
	Ties
)

// Keys are the keys of the first sample, whose positions ascend.
type Keys struct {
	Code     [kernels.RangeSamples]uint64
	Position [kernels.RangeSamples]uint32
}

// Values estimates the number of distinct values of all codes from how many of them the first
// sample has once and twice (Chao, "Nonparametric estimation of the number of classes in a
// population", 1984), twice that where some values are much rarer than others.
func (s *Note) Values() int {
	once, twice := int(s.Seen[0])-int(s.Seen[1]), int(s.Seen[1])-int(s.Seen[2])
	values := int(s.Seen[0]) + once*once/(2*max(twice, 1))
	if 2*once > 3*twice { // more than equally frequent values would have, if not far more than are sampled
		values *= 2
	}
	return values
}

// NearlyOrdered reports whether most neighbours are in one order.
func (s *Note) NearlyOrdered() bool {
	return 8*min(s.Ascents, s.Descents) < max(s.Ascents, s.Descents)
}

// Degree estimates the degree of disorder of n codes: the sum of the distances between
// neighbours, divided by the range.
func (s *Note) Degree(n int) float64 {
	return s.Distance / float64(max(s.High-s.Low, 1)) * float64(n) / kernels.RangeSamples
}

// Early is the reports of the first sample, at a pinned address, 0 for none: up to Most values of
// unordered codes, Most being at most kernels.MaxEarlyValues; codes that seem to be in order; and
// codes that are left to a radix sort, by Leave.
type Early struct {
	At   uint64
	Most int
	Leave
}

// Leave is which codes are left to a radix sort by a first sample alone: those that differ in up to Digits
// bytes, all in one half of 64-bit codes; and, if they have too many values for the sort of few, those of
// which a 64th part of the range has more than Share times its share, and those of which Repeats of
// kernels.EarlySamples leading words repeat an earlier one, or, where both are 0, those of which Heavy are one code that no
// spreading divides. Each may be 0, for none.
type Leave struct{ Digits, Share, Repeats, Heavy int }

// First takes the first sample alone, at positions by the salt, to device memory at.
func First(q *device.Queue, in codes.Input, salt uint64, at cuda.Ptr) {
	q.Run("sample_range"+codes.Width(in.Wide), kernels.RangeBlocks, kernels.SampleThreads, kernels.SampleShared, uint64(in.Codes), uint64(in.N), salt, uint64(at))
}

// Fetch copies the keys of the first sample to pinned memory.
func (k *Keys) Fetch(q *device.Queue, at cuda.Ptr) {
	q.ToHost(unsafe.Pointer(k), at+kernels.SampleCodesAt, 12*kernels.RangeSamples)
}

// Sorted returns the keys in order, their positions scaled. Positions ascend, so a stable sort
// by code suffices: radix passes over the digits that differ.
func (k *Keys) Sorted(stretch uint32) []codes.Key {
	const digit = 11
	memory := buffers.Get().(*[2][kernels.RangeSamples]codes.Key)
	defer buffers.Put(memory)
	keys, spare := memory[0][:], memory[1][:]
	differ := uint64(0)
	for i := range keys {
		keys[i] = codes.Key{Code: k.Code[i], Position: k.Position[i] * stretch}
		differ |= k.Code[i] ^ k.Code[0]
	}
	for shift := 0; differ>>shift > 0; shift += digit {
		var next [1 << digit]int
		for _, k := range keys {
			next[k.Code>>shift&(1<<digit-1)]++
		}
		sum := 0
		for d, c := range next {
			next[d] = sum
			sum += c
		}
		for _, k := range keys {
			d := k.Code >> shift & (1<<digit - 1)
			spare[next[d]] = k
			next[d]++
		}
		keys, spare = spare, keys
	}
	return slices.Clone(keys)
}

// buffers pools memory to sort samples in.
var buffers = sync.Pool{New: func() any { return new([2][kernels.RangeSamples]codes.Key) }}

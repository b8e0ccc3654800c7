package gpu

import (
	"fmt"
	"math"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/selection"
	"example.com/sorter/internal/gpu/transfer"
)

// Elements of some ranks, of codes in device memory.

// TopDevice writes the positions of the k lowest of n codes to order, and the codes to sorted. They are
// the first k results of [Engine.OrderDevice], 32-bit positions, and of [Engine.SortDevice]. Equal codes come in
// input order, so the result is the same in every run. Either of order and sorted may be 0, for results
// that are not wanted.
//
// A sample finds bounds, and one pass over the codes keeps those between, until few are left. With a k of up
// to 4096, 2^28 32-bit codes take 0.3 to 0.4 ms on an H200. If k is more than about n/8, or if a
// sample misses a rank, one in 100,000 does, all are ordered. It takes up to half a byte of device memory
// for each code; more for a k of more than about n/100, and the memory of an order if all are ordered.
//
// [Verify] does not apply. Waiting, concurrency and errors are those of OrderDevice. It panics if k is
// not in 0 … n, or if the engine takes no bits or n.
func (e *Engine) TopDevice(codes Ptr, bits, n, k int, order, sorted Ptr, after ...Stream) error {
	if k < 0 || k > n {
		panic(fmt.Sprintf("sorter: gpu: the lowest %d of %d codes", k, n))
	}
	in := selectionOf(codes, bits, n)
	in.Count = k
	return e.toCaller(engine.Auto, after, func(s *transfer.Session) error {
		return s.Sorter.Select(s.Workspace, in, selection.Result{Order: cuda.Ptr(order), Sorted: cuda.Ptr(sorted)})
	})
}

// NthDevice writes the positions of the codes of given ranks, from 0, of n codes to order. The i-th is that
// of rank ranks[i], as in the order of [Engine.OrderDevice]. sorted gets their codes. Either of
// order and sorted may be 0.
//
// Consecutive ranks are found together, others one after the other: each takes 0.7 ms of 2^28 32-bit codes
// on an H200, 1.0 of 64-bit codes. For more than six all codes are ordered. A rank takes up to 3 bytes of
// device memory for each code, or 5 for each 64-bit code.
//
// It panics if a rank is not in 0 … n-1. Everything else said of [Engine.TopDevice] holds.
func (e *Engine) NthDevice(codes Ptr, bits, n int, ranks []int, order, sorted Ptr, after ...Stream) error {
	for _, rank := range ranks {
		if rank < 0 || rank >= n {
			panic(fmt.Sprintf("sorter: gpu: rank %d of %d codes", rank, n))
		}
	}
	in := selectionOf(codes, bits, n)
	return e.toCaller(engine.Auto, after, func(s *transfer.Session) error {
		return s.Sorter.SelectRanks(s.Workspace, in, ranks, selection.Result{Order: cuda.Ptr(order), Sorted: cuda.Ptr(sorted)})
	})
}

// QuantilesDevice is [Engine.NthDevice] for the quantiles qs, in [0, 1], by the nearest rank. The quantile q
// is the code of rank ceil(q*n)-1, or 0 for q = 0, SQL's percentile_disc. It panics if a q is not in [0, 1], or
// if n is 0 and there is a q.
func (e *Engine) QuantilesDevice(codes Ptr, bits, n int, qs []float64, order, sorted Ptr, after ...Stream) error {
	ranks := make([]int, len(qs))
	for i, q := range qs {
		checkQuantile(q)
		ranks[i] = engine.QuantileRank(q, n)
	}
	return e.NthDevice(codes, bits, n, ranks, order, sorted, after...)
}

// TopWithinDevice writes the positions of the k lowest codes of each segment to order, and these codes to sorted.
// Each segment has k places there, the first ones are those of segment 0. The results are the first ones of
// [Engine.OrderWithinDevice], positions in the whole list, in stable order, the same in every run. Places after those of
// a shorter segment are not written. Either of order and sorted may be 0. offsets and segments are those of
// OrderWithinDevice.
//
// With a k of up to 1024 a block reads each segment once, and segments of more than 2^18 codes in pieces. All segments are
// sorted if k is larger, or if they have fewer than 256 codes on average. It takes no more than the results, unless one
// of them is not wanted and k is above 128, and for longer segments 8 bytes for each of k codes of each piece, or 12
// for 64-bit codes; if all are sorted, 4 bytes for each code and the memory of that sort.
//
// [Verify] does not apply. Waiting, concurrency and errors are those of OrderWithinDevice. It panics if k is negative, or
// k times segments is 2^40 or more, and as OrderWithinDevice does.
func (e *Engine) TopWithinDevice(codes Ptr, bits, n int, offsets Ptr, segments, k int, order, sorted Ptr, after ...Stream) error {
	all := segmentsOf(input{Codes: cuda.Ptr(codes), N: n}, bits, offsets, segments)
	if k < 0 || segments > 0 && int64(k) >= 1<<40/int64(segments) {
		panic(fmt.Sprintf("sorter: gpu: the lowest %d codes of each of %d segments", k, segments))
	}
	in := selection.WithinInput{Input: all, K: k}
	return e.toCaller(engine.Auto, after, func(s *transfer.Session) error {
		return s.Sorter.SelectWithin(s.Workspace, in, selection.Result{Order: cuda.Ptr(order), Sorted: cuda.Ptr(sorted)})
	})
}

// NthWithinDevice writes the positions of the codes of given ranks of each segment, from 0, to order, and these codes to sorted. Each
// segment has a place there for each rank, the first ones are those of segment 0. Places of ranks that a segment lacks are not
// written. Either of order and sorted may be 0.
//
// All segments are sorted, as by [Engine.OrderWithinDevice], whose offsets, waiting, concurrency and errors these are. It takes 4 bytes of device
// memory for each code and the memory of that sort. [Verify] does not apply. It panics if a rank is negative, if ranks times segments
// are 2^40 or more, and as OrderWithinDevice does.
func (e *Engine) NthWithinDevice(codes Ptr, bits, n int, offsets Ptr, segments int, ranks []int, order, sorted Ptr, after ...Stream) error {
	of := make([]uint64, len(ranks))
	for i, rank := range ranks {
		if rank < 0 {
			panic(fmt.Sprintf("sorter: gpu: rank %d", rank))
		}
		of[i] = uint64(rank)
	}
	return e.ranksWithin(input{Codes: cuda.Ptr(codes), N: n}, bits, offsets, segments, of, false, order, sorted, after)
}

// QuantilesWithinDevice is [Engine.NthWithinDevice] for the quantiles qs, in [0, 1], of each segment by the nearest rank, as
// [Engine.QuantilesDevice] has them. Places of empty segments are not written. It panics if a q is not in [0, 1].
func (e *Engine) QuantilesWithinDevice(codes Ptr, bits, n int, offsets Ptr, segments int, qs []float64, order, sorted Ptr, after ...Stream) error {
	of := make([]uint64, len(qs))
	for i, q := range qs {
		checkQuantile(q)
		of[i] = math.Float64bits(q)
	}
	return e.ranksWithin(input{Codes: cuda.Ptr(codes), N: n}, bits, offsets, segments, of, true, order, sorted, after)
}

func (e *Engine) ranksWithin(in input, bits int, offsets Ptr, segments int, of []uint64, quantiles bool, order, sorted Ptr, after []Stream) error {
	all := segmentsOf(in, bits, offsets, segments)
	if segments > 0 && int64(len(of)) >= 1<<40/int64(segments) {
		panic(fmt.Sprintf("sorter: gpu: %d ranks of each of %d segments", len(of), segments))
	}
	return e.toCaller(engine.Auto, after, func(s *transfer.Session) error {
		return s.Sorter.SelectRanksWithin(s.Workspace, all, of, quantiles, selection.Result{Order: cuda.Ptr(order), Sorted: cuda.Ptr(sorted)})
	})
}

func checkQuantile(q float64) {
	if !(q >= 0 && q <= 1) { // false for NaN
		panic(fmt.Sprintf("sorter: gpu: quantile %v, which is not in [0, 1]", q))
	}
}

// selectionOf returns codes of which no rank is wanted yet. It panics if there are too many.
func selectionOf(codes Ptr, bits, n int) selection.Input {
	in := input{Codes: cuda.Ptr(codes), N: n, Wide: bits == 64}
	if most, _ := dispatch.MaxN(engine.Auto, in); n < 0 || n > most || (bits != 32 && bits != 64) {
		panic(fmt.Sprintf("sorter: gpu: %d codes of %d bits: at most %d, of 32 or 64", n, bits, most))
	}
	return selection.Input{Input: in}
}

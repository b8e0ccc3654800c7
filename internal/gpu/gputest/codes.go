//go:build linux && (amd64 || arm64)

// Package gputest has what tests of the GPU engine's packages share: codes of all
// distributions, plain twins of kernels, and a device's workspace.
package gputest

import (
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/kernels"
)

// CodesOf makes n codes with some property, by name.
var CodesOf = map[string]func(r *rand.Rand, n int) []uint64{
	"uniform": func(r *rand.Rand, n int) []uint64 { return Fill(n, func(int) uint64 { return r.Uint64() }) },
	"gauss": func(r *rand.Rand, n int) []uint64 {
		return Fill(n, func(int) uint64 { return uint64(int64(r.NormFloat64()*1e17)) + 1<<63 })
	},
	"small range": func(r *rand.Rand, n int) []uint64 {
		return Fill(n, func(int) uint64 { return 1<<40 + r.Uint64N(uint64(n))<<32 })
	},
	"sorted":   func(r *rand.Rand, n int) []uint64 { return Fill(n, func(i int) uint64 { return uint64(i) << 34 }) },
	"reversed": func(r *rand.Rand, n int) []uint64 { return Fill(n, func(i int) uint64 { return uint64(n-i) << 34 }) },
	"flat":     func(r *rand.Rand, n int) []uint64 { return Fill(n, func(int) uint64 { return 42 << 32 }) },
	"nearly sorted": func(r *rand.Rand, n int) []uint64 {
		s := Fill(n, func(i int) uint64 { return uint64(i) << 34 })
		for range n / 100 {
			i, j := r.IntN(n), r.IntN(n)
			s[i], s[j] = s[j], s[i]
		}
		return s
	},
	"outliers": func(r *rand.Rand, n int) []uint64 {
		s := Fill(n, func(int) uint64 { return 1<<62 + r.Uint64()>>8 })
		s[0], s[n/2], s[n-1] = 1<<64-1, 0, 1
		return s
	},
	"few values and outliers": func(r *rand.Rand, n int) []uint64 {
		s := Fill(n, func(int) uint64 { return 7<<33 + r.Uint64N(4)<<32 })
		s[n/3], s[n/2], s[n-1] = 1<<64-1, 0, 1<<33
		return s
	},
	"16 values": func(r *rand.Rand, n int) []uint64 {
		return Fill(n, func(int) uint64 { return r.Uint64N(16) * 0x9e3779b97f4a7c15 })
	},
	"log": func(r *rand.Rand, n int) []uint64 {
		return Fill(n, func(int) uint64 { return uint64(math.Exp2(64*r.Float64())) - 1 })
	},
	"mostly one value": func(r *rand.Rand, n int) []uint64 {
		return Fill(n, func(int) uint64 { return r.Uint64() >> (r.IntN(50) / 40 * 63) })
	},
	"low half": func(r *rand.Rand, n int) []uint64 { return Fill(n, func(int) uint64 { return r.Uint64() >> 32 }) },
}

// Fill returns n codes.
func Fill(n int, f func(i int) uint64) []uint64 {
	s := make([]uint64, n)
	for i := range s {
		s[i] = f(i)
	}
	return s
}

// Fill32 returns the high halves of codes.
func Fill32(wide []uint64) []uint32 {
	s := make([]uint32, len(wide))
	for i, c := range wide {
		s[i] = uint32(c >> 32)
	}
	return s
}

// Stable is the order of codes.
func Stable[W codes.Word](codes []W) []uint32 {
	order := make([]uint32, len(codes))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int {
		switch {
		case codes[a] < codes[b]:
			return -1
		case codes[a] > codes[b]:
			return 1
		}
		return 0
	})
	return order
}

// SortedRuns is the plain twin of tile_sort: codes and positions, each part of that
// length in stable order.
func SortedRuns[W codes.Word](codes []W, length int) (sorted []W, positions []uint32) {
	for start := 0; start < len(codes); start += length {
		part := codes[start:min(start+length, len(codes))]
		for _, i := range Stable(part) {
			sorted = append(sorted, part[i])
			positions = append(positions, uint32(start)+i)
		}
	}
	return sorted, positions
}

// SomeCodes are all kinds of codes, or few in a short run, which is for the
// sanitizers: kernels that compare have the same accesses for all of them.
func SomeCodes() []string {
	if testing.Short() {
		return []string{"uniform", "16 values"}
	}
	return slices.Sorted(maps.Keys(CodesOf))
}

// IsWide reports whether codes have 64 bits.
func IsWide[W codes.Word]() bool {
	var w W
	return unsafe.Sizeof(w) == 8
}

// Unseen returns codes of which the samples (see Drawn, in sample.cuh) see some, and
// all others are of another kind. n < 1<<14 are few enough for both samples to be at
// the same places.
func Unseen(n int, seen func(r *rand.Rand) uint64, other func(i int) uint64) []uint64 {
	r := rand.New(rand.NewPCG(7, 8))
	codes := Fill(n, other)
	for k := range uint64(kernels.RangeSamples) {
		codes[Drawn(k, uint64(n))] = seen(r)
	}
	return codes
}

// Drawn is the k-th position of the first sample of n codes.
func Drawn(k, n uint64) uint64 { return dist.Drawn(k, bits.TrailingZeros(kernels.RangeSamples), n) }

// ShuffledBy is sorted codes, shuffled within windows.
func ShuffledBy(r *rand.Rand, n, window int) []uint64 {
	s := CodesOf["sorted"](r, n)
	for lo := 0; lo < n; lo += window {
		w := s[lo:min(lo+window, n)]
		r.Shuffle(len(w), func(i, j int) { w[i], w[j] = w[j], w[i] })
	}
	return s
}

// Outside has codes on both sides of the range of the first sample, fewer than there is
// place for.
func Outside(r *rand.Rand, n int) []uint64 {
	codes := Fill(n, func(int) uint64 { return 1<<62 + r.Uint64()>>2 })
	seen := map[uint64]bool{}
	for k := range uint64(kernels.RangeSamples) {
		seen[Drawn(k, uint64(n))] = true
	}
	step := max(16, n/3000)
	for i := range codes {
		if side := i % step; side < 2 && !seen[uint64(i)] {
			codes[i] = uint64(side)*3<<62 + uint64(i)<<33
		}
	}
	return codes
}

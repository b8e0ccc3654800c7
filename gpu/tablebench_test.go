package gpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.com/sorter/kernels"
)

// BenchmarkTable times what the host does for uneven codes.
func BenchmarkTable(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	var s sample
	for i := range s.code {
		s.code[i] = uint64(uint32(r.Uint64()) >> r.IntN(32))
		s.position[i] = uint32(i) << 11
	}
	s.low, s.high = 0, 1<<32-1
	l := layoutFor(1<<24, false, s.low, s.high, unevenMargin)
	keys := sortedSample(&s, l.stretch())
	t := quantilesTable(false, &l, keys)
	count := make([]uint32, kernels.Segments)
	for i := range count {
		count[i] = 256
	}
	var m segmentMap[uint32]
	b.Run("sort", func(b *testing.B) {
		for b.Loop() {
			sortedSample(&s, l.stretch())
		}
	})
	b.Run("table", func(b *testing.B) {
		for b.Loop() {
			quantilesTable(false, &l, keys)
		}
	})
	b.Run("share", func(b *testing.B) {
		for b.Loop() {
			t.share(count)
		}
	})
	b.Run("put", func(b *testing.B) {
		for b.Loop() {
			put(t, &m)
		}
	})
}

// BenchmarkSections times what the host does for smooth codes, which are as many as
// the name says.
func BenchmarkSections(b *testing.B) {
	for _, n := range []int{1 << 24, 1 << 28} {
		in := input{n: n}
		l := layoutFor(n, false, 0, 1<<32-1, unevenMargin)
		count := make([]uint32, kernels.Segments)
		for i := range count {
			x := 16 * (float64(i)/kernels.Segments - 0.5) // standard deviations
			count[i] = uint32(float64(in.samples()) * math.Exp(-x*x/2) * 16 / math.Sqrt(2*math.Pi) / kernels.Segments)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if l.even(count, in.samples(), 0, 1<<32-1) || !smooth(count) {
					b.Fatal("not smooth")
				}
				if _, err := sectionsPlan(false, l, count, in.samples(), sectionSlice, new(bounds)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

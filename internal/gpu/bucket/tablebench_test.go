package bucket

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/kernels"
)

// BenchmarkTable times the host's part for uneven codes.
func BenchmarkTable(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	var s sample.Note
	for i := range s.Code {
		s.Code[i] = uint64(uint32(r.Uint64()) >> r.IntN(32))
		s.Position[i] = uint32(i) << 11
	}
	s.Low, s.High = 0, 1<<32-1
	l := layoutFor(1<<24, false, s.Low, s.High, unevenMargin)
	keys := s.Sorted(l.stretch())
	t := quantilesTable(false, &l, keys)
	count := make([]uint32, kernels.Segments)
	for i := range count {
		count[i] = 256
	}
	var m segmentMap[uint32]
	b.Run("sort", func(b *testing.B) {
		for b.Loop() {
			s.Sorted(l.stretch())
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

// BenchmarkSections times the host's part for smooth codes, which are as many as
// the name says.
func BenchmarkSections(b *testing.B) {
	for _, n := range []int{1 << 24, 1 << 28} {
		in := codes.Input{N: n}
		l := layoutFor(n, false, 0, 1<<32-1, unevenMargin)
		count := make([]uint32, kernels.Segments)
		for i := range count {
			x := 16 * (float64(i)/kernels.Segments - 0.5) // standard deviations
			count[i] = uint32(float64(samples(in)) * math.Exp(-x*x/2) * 16 / math.Sqrt(2*math.Pi) / kernels.Segments)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if l.even(count, samples(in), 0, 1<<32-1) || !smooth(count) {
					b.Fatal("not smooth")
				}
				if _, err := sectionsPlan(false, l, noEnds, count, samples(in), sectionSlice, new(bounds)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

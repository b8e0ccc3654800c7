package vecsort

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// fewCodes are the codes of short lists, below, at and above the ends of signed and unsigned numbers.
var fewCodes = map[string]func(r *rand.Rand) uint64{
	"random":   func(r *rand.Rand) uint64 { return r.Uint64() },
	"3 values": func(r *rand.Rand) uint64 { return r.Uint64N(3) << 62 },
	"greatest": func(r *rand.Rand) uint64 { return ^uint64(0) - r.Uint64N(2)<<40 },
	"zeros":    func(r *rand.Rand) uint64 { return 0 },
	"ones":     func(r *rand.Rand) uint64 { return ^uint64(0) },
	"signs":    func(r *rand.Rand) uint64 { return 1<<63 - 1<<31 + r.Uint64N(3)<<30 },
	"bits":     func(r *rand.Rand) uint64 { return -r.Uint64N(2) },
}

// TestSortFew sorts lists of all lengths, at all alignments, in place and beside.
func TestSortFew(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		testSortFew(t, func(v uint64) uint32 { return uint32(v >> 32) })
		testSortFew(t, func(v uint64) uint64 { return v })
	})
}

func testSortFew[C uint32 | uint64](t *testing.T, code func(v uint64) C) {
	const guard = 20
	r := rand.New(rand.NewPCG(31, 32))
	for n := range MostFew[C]() + 1 {
		for name, draw := range fewCodes {
			at := r.IntN(guard)
			all := make([]C, n+2*guard)
			for i := range all {
				all[i] = code(draw(r))
			}
			own := slices.Clone(all)
			SortFew(own[at:at+n], own[at:at+n])
			want := slices.Clone(all)
			slices.Sort(want[at : at+n])
			if !slices.Equal(own, want) {
				t.Fatalf("%d codes of %T, %s, in place: %x, want %x", n, all[0], name, own, want)
			}
			other, to := make([]C, n+2*guard), guard-at
			for i := range other {
				other[i] = C(i)
			}
			beside := slices.Clone(other)
			copy(beside[to:], want[at:at+n])
			SortFew(other[to:to+n], all[at:at+n])
			if !slices.Equal(other, beside) {
				t.Fatalf("%d codes of %T, %s, beside: %x, want %x", n, all[0], name, other, beside)
			}
		}
	}
}

func BenchmarkSortFew(b *testing.B) {
	b.Run("32", func(b *testing.B) { benchmarkSortFew[uint32](b) })
	b.Run("64", func(b *testing.B) { benchmarkSortFew[uint64](b) })
}

// benchmarkSortFew sorts many lists, so that no list is known to the branch predictor.
func benchmarkSortFew[C uint32 | uint64](b *testing.B) {
	for _, n := range []int{8, 16, 32, 48, 64, 96, 128, 192, 256} {
		if n > MostFew[C]() {
			continue
		}
		source, codes := make([]C, 1<<14/n*n), make([]C, 1<<14)
		for i := range source {
			source[i] = C(rand.Uint64())
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				for at := 0; at < len(source); at += n {
					SortFew(codes[at:at+n], source[at:at+n])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(source)), "ns/code")
		})
	}
}

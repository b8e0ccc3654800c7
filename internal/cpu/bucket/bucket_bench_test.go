package bucket

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/sorter/internal/presorted"
)

// BenchmarkLocal sorts buckets of uniform codes: themselves, and by their order.
func BenchmarkLocal(b *testing.B) {
	benchmarkLocal[uint32](b, "32 bits")
	benchmarkLocal[uint64](b, "64 bits")
}

func benchmarkLocal[C Code](b *testing.B, name string) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{30, 100, 1000, 8192, 50_000} {
		codes, own := make([]C, n), make([]C, n)
		for i := range codes {
			codes[i] = C(r.Uint64())
		}
		w := Worker[C]{Env: newEnv()}
		v := presorted.SummaryOf(codes)
		perCode := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/code")
		}
		b.Run(fmt.Sprintf("sort/%s/%d", name, n), func(b *testing.B) {
			for b.Loop() {
				copy(own, codes)
				w.Sort(own, v.Min, v.Span())
			}
			perCode(b)
		})
		b.Run(fmt.Sprintf("order/%s/%d", name, n), func(b *testing.B) {
			for b.Loop() {
				w.Order(codes, v.Min, v.Span())
			}
			perCode(b)
		})
	}
}

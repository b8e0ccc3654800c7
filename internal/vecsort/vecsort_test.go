package vecsort

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSmoke(t *testing.T) {
	for _, l := range []int{16, 8} {
		lanes = l
		for n := 1; n < 20000; n += 1 + n/7 {
			r := rand.New(rand.NewPCG(1, 2))
			codes := make([]uint32, n)
			for i := range codes {
				codes[i] = r.Uint32()>>3 + 77
			}
			want := slices.Sorted(slices.Values(codes))
			m := New(make([]uint32, Memory(n)), n, (1<<32-1)>>3)
			if !m.DealCodes(codes, 77) {
				t.Errorf("%d: not dealt", n)
				continue
			}
			out := make([]uint32, n+Slack)
			got := m.Join(out, ^uint32(0))
			if !slices.Equal(got, want) {
				t.Fatalf("%d %d: %v %v", l, n, got[:min(n, 20)], want[:min(n, 20)])
			}
		}
	}
}

func BenchmarkCodes(b *testing.B) {
	for _, l := range []int{16, 8} {
		for _, n := range []int{100, 1000, 4096, 8192, 16384, 32768, 65536} {
			r := rand.New(rand.NewPCG(1, 2))
			codes := make([]uint32, n)
			for i := range codes {
				codes[i] = r.Uint32()
			}
			mem, out := make([]uint32, Memory(n)), make([]uint32, n+Slack)
			m := New(mem, n, 1<<32-1)
			b.Run(fmt.Sprintf("lanes=%d/deal/%d", l, n), func(b *testing.B) {
				lanes = l
				for b.Loop() {
					m = New(mem, n, 1<<32-1)
					m.DealCodes(codes, 0)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
			})
			next := slices.Clone(m.next)
			b.Run(fmt.Sprintf("lanes=%d/join/%d", l, n), func(b *testing.B) {
				lanes = l
				for b.Loop() {
					copy(m.next, next)
					m.Join(out, 1<<32-1)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
			})
			b.Run(fmt.Sprintf("lanes=%d/both/%d", l, n), func(b *testing.B) {
				lanes = l
				for b.Loop() {
					m = New(mem, n, 1<<32-1)
					m.DealCodes(codes, 0)
					m.Join(out, 1<<32-1)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
			})
		}
	}
}

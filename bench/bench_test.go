package main

import (
	"fmt"
	"testing"

	"example.com/sorter/internal/dist"
)

// benchSizes are those of go test -bench: a size in the first-level cache, one
// in the second, one beyond.
var benchSizes = []int{1e3, 1e5, 1e6}

// BenchmarkSort measures every contender on every case:
//
//	go test -bench 'Sort/struct24/uniform/n=1000000/' -count 6
//
// Names are Sort/case/distribution/n=…/contender. One iteration sorts all runs
// of the workload; MB/s and ns/element count their elements.
func BenchmarkSort(b *testing.B) {
	for _, c := range cases {
		b.Run(c.Slug, func(b *testing.B) {
			for _, name := range usualDists {
				b.Run(name, func(b *testing.B) { benchmarkDist(b, c, dist.Named(name)) })
			}
		})
	}
}

func benchmarkDist(b *testing.B, c benchCase, d dist.Dist) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			w := c.Build(values(d, n), n)
			for _, x := range w.Contenders {
				b.Run(x.Name, func(b *testing.B) { w.benchmark(b, c, x) })
			}
		})
	}
}

func (w *workload) benchmark(b *testing.B, c benchCase, x contender) {
	elements := w.N * w.Count
	b.SetBytes(int64(elements * c.Elem))
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		w.Restore()
		b.StartTimer()
		for run := range w.Count {
			x.Sort(run)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*elements), "ns/element")
	if err := w.Check(); err != nil {
		b.Fatal(err)
	}
}

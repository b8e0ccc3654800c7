package conformance_test

import (
	"fmt"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
)

// BenchmarkAlgorithms compares the ways in which the CPU orders codes: what
// Auto chooses, and the algorithms of the papers.
//
// One worker on an EPYC of 2022, ns per element, uniform codes, 10^5, 10^6 and 10^7 of
// them, medians of five runs of 0.4 s, Bitonic once; most others are within a tenth of
// their median:
//
//	            32 bits                 64 bits
//	Auto          9.6   12.9   10.2       10.1   12.8   11.9
//	Bitonic     217    289    424        227    301    504
//	QuickMerge   56.0   75.6   77.8       38.4   43.6   49.4
//	CPUBucket    25.3   39.9   50.0       25.3   38.2   41.3
//	Radix        13.6   19.8   20.1       21.7   55.8   49.8
//	MergeSort    53.2   46.9   53.4       50.6   53.6   60.2
//	SampleSort   43.0   50.0   56.5       53.4   63.2   69.9
//
// All but Auto win nowhere and are there to compare with.
func BenchmarkAlgorithms(b *testing.B) {
	sizes := []int{1e5, 1e6, 1e7}
	if !testkit.Long() {
		sizes = []int{2e4}
	}
	for _, n := range sizes {
		for _, name := range []string{"uniform", "gauss", "zipf", "nearly sorted", "16 values"} {
			values := dist.Named(name).Draw(n, dist.Rand(1))
			benchAlgorithms(b, fmt.Sprintf("n=%d/%s/bits=32", n, name), mapped(values, func(v uint64) uint32 { return uint32(v >> 32) }))
			benchAlgorithms(b, fmt.Sprintf("n=%d/%s/bits=64", n, name), values)
		}
	}
}

func benchAlgorithms[K sorter.Key](b *testing.B, name string, keys []K) {
	for a := sorter.Auto; a < engine.Algorithms; a++ {
		if !sorter.CPU().Runs(a) || a != sorter.Auto && !engine.OrdersCodes(a) {
			continue
		}
		b.Run(fmt.Sprintf("%s/%v", name, a), func(b *testing.B) {
			for b.Loop() {
				if _, err := sorter.OrderKeys(keys, sorter.Use(a), sorter.On(sorter.CPU())); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(keys)), "ns/element")
		})
	}
}

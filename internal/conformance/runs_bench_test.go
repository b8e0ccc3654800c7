package conformance_test

import (
	"fmt"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// runsCases are orders whose ties are found in different ways.
var runsCases = []struct {
	name string
	cols func(n int) []sorter.Column[int]
}{
	{"int64", func(n int) []sorter.Column[int] {
		return []sorter.Column[int]{sorter.AscOf(dist.Named("uniform").Draw(n, dist.Rand(1)))}
	}},
	{"float32, 1000 values", func(n int) []sorter.Column[int] {
		return []sorter.Column[int]{sorter.AscOf(mapped(drawBelow(n, 1000, 2), func(v uint64) float32 { return float32(v) }))}
	}},
	{"string", func(n int) []sorter.Column[int] {
		return []sorter.Column[int]{sorter.AscOf(mapped(drawBelow(n, uint64(n), 3), func(v uint64) string { return "a prefix of " + decimal(v) }))}
	}},
	{"int64 of 1000 values, float64 of 100", func(n int) []sorter.Column[int] {
		return []sorter.Column[int]{sorter.AscOf(drawBelow(n, 1000, 4)), sorter.AscOf(mapped(drawBelow(n, 100, 5), func(v uint64) float64 { return float64(v) }))}
	}},
}

// drawBelow returns n numbers below most.
func drawBelow(n int, most, seed uint64) []uint64 {
	r := dist.Rand(seed)
	all := make([]uint64, n)
	for i := range all {
		all[i] = r.Uint64N(most)
	}
	return all
}

// BenchmarkRuns orders with and without marks, and finds the runs by a comparison of neighbours.
func BenchmarkRuns(b *testing.B) {
	for _, n := range []int{10, 1000, testkit.Pick(1<<15, 1<<20)} {
		for _, c := range runsCases {
			cols := c.cols(n)
			p := make(perm.Perm, n)
			var all, first perm.Runs
			for _, v := range []struct {
				name string
				opts []sorter.Option
			}{
				{"bare", nil},
				{"marks", []sorter.Option{sorter.MarkRuns(&all)}},
				{"marks by 1", []sorter.Option{sorter.MarkRunsBy(1, &first), sorter.MarkRuns(&all)}},
			} {
				b.Run(fmt.Sprintf("%s/n=%d/%s", c.name, n, v.name), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						var err error
						if p, err = sorter.RowsBy(n, cols...).Order(append(v.opts[:len(v.opts):len(v.opts)], sorter.Into(p))...); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
				})
			}
		}
	}
}

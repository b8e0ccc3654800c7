package conformance_test

import (
	"fmt"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// BenchmarkSelect finds the first rows, and the median, beside the whole order.
func BenchmarkSelect(b *testing.B) {
	for _, n := range []int{1000, testkit.Pick(1<<15, 1<<20, 1<<20)} {
		for _, c := range runsCases {
			cols := c.cols(n)
			p := make(perm.Perm, n)
			for _, v := range []struct {
				name string
				run  func() error
			}{
				{"OrderN", func() (err error) { p, err = sorter.OrderN(n, cols, sorter.Into(p)); return err }},
				{"TopN of 100", func() error { _, err := sorter.TopN(n, 100, cols); return err }},
				{"median", func() error { _, err := sorter.NthN(n, n/2, cols); return err }},
			} {
				b.Run(fmt.Sprintf("%s/n=%d/%s", c.name, n, v.name), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if err := v.run(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
				})
			}
		}
	}
}

// BenchmarkPartitions takes the first rows of partitions, beside an order of all rows.
func BenchmarkPartitions(b *testing.B) {
	n := testkit.Pick(1<<15, 1_000_000, 1_000_000)
	r := dist.Rand(1)
	for _, parts := range []int{1000, 100_000} {
		partition, values := make([]int64, n), make([]int64, n)
		for i := range values {
			partition[i], values[i] = r.Int64N(int64(parts)), int64(r.Uint64())
		}
		of, by := []sorter.Column[int]{sorter.AscOf(partition)}, []sorter.Column[int]{sorter.AscOf(values)}
		var runs perm.Runs
		benchmarkRows(b, fmt.Sprintf("%d/OrderN", parts), n, func() error {
			_, err := sorter.OrderN(n, append(of[:1:1], by...), sorter.MarkRunsBy(1, &runs))
			return err
		})
		for _, k := range []int{1, 3, 10, 100} {
			benchmarkRows(b, fmt.Sprintf("%d/first %d", parts, k), n, func() error {
				_, _, err := sorter.TopNPer(n, k, of, by)
				return err
			})
		}
	}
}

// BenchmarkQuantiles takes quantiles, beside a sort of the keys.
func BenchmarkQuantiles(b *testing.B) {
	n := testkit.Pick(1<<15, 1_000_000, 1_000_000)
	r := dist.Rand(1)
	keys, sorted := make([]float64, n), make([]float64, n)
	for i := range keys {
		keys[i] = r.NormFloat64()
	}
	benchmarkRows(b, "copy and SortKeys", n, func() error {
		copy(sorted, keys)
		return sorter.SortKeys(sorted)
	})
	for _, count := range []int{1, 9, 99} {
		qs := make([]float64, count)
		for i := range qs {
			qs[i] = float64(i+1) / float64(count+1)
		}
		benchmarkRows(b, fmt.Sprint(count), n, func() error {
			_, err := sorter.Quantiles(keys, qs)
			return err
		})
	}
}

// BenchmarkDays orders rows in order by day within the days.
func BenchmarkDays(b *testing.B) {
	n := testkit.Pick(1<<15, 1_000_000, 1_000_000)
	for _, longest := range []int{3, 20, 2000, 200_000} {
		in := events(n, longest, false, dist.Rand(1))
		s := make([]event, n)
		for _, o := range eventOrders {
			cols := o.cols(in)
			benchmarkRows(b, fmt.Sprintf("%s/up to %d/OrderN", o.name, longest), n, func() error {
				_, err := sorter.OrderN(n, cols)
				return err
			})
			benchmarkRows(b, fmt.Sprintf("%s/up to %d/copy and Sort", o.name, longest), n, func() error {
				copy(s, in)
				return o.by.Sort(s)
			})
		}
	}
}

// benchmarkRows measures a call on n rows.
func benchmarkRows(b *testing.B, name string, n int, run func() error) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			if err := run(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
	})
}

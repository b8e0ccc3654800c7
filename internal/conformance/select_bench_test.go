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
	for _, n := range []int{1000, testkit.Pick(1<<15, 1<<20)} {
		for _, c := range runsCases {
			cols := c.cols(n)
			p := make(perm.Perm, n)
			for _, v := range []struct {
				name string
				run  func() error
			}{
				{"Rows.Order", func() (err error) { p, err = sorter.RowsBy(n, cols...).Order(sorter.Into(p)); return err }},
				{"Rows.Top of 100", func() error { _, err := sorter.RowsBy(n, cols...).Top(100); return err }},
				{"median", func() error { _, err := sorter.RowsBy(n, cols...).Nth([]int{n / 2}); return err }},
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
	n := testkit.Pick(1<<15, 1_000_000)
	r := dist.Rand(1)
	for _, parts := range []int{1000, 100_000} {
		partition, values := make([]int64, n), make([]int64, n)
		for i := range values {
			partition[i], values[i] = r.Int64N(int64(parts)), int64(r.Uint64())
		}
		of, by := []sorter.Column[int]{sorter.AscOf(partition)}, []sorter.Column[int]{sorter.AscOf(values)}
		var runs perm.Runs
		benchmarkRows(b, fmt.Sprintf("%d/Rows.Order", parts), n, func() error {
			_, err := sorter.RowsBy(n, append(of[:1:1], by...)...).Order(sorter.MarkRunsBy(1, &runs))
			return err
		})
		for _, k := range []int{1, 3, 10, 100} {
			benchmarkRows(b, fmt.Sprintf("%d/first %d", parts, k), n, func() error {
				_, _, err := sorter.RowsBy(n, by...).Per(of...).Top(k)
				return err
			})
		}
	}
}

// BenchmarkPlacesPer takes quantiles of partitions, beside an order of all rows.
func BenchmarkPlacesPer(b *testing.B) {
	n := testkit.Pick(1<<16, 1_000_000)
	r := dist.Rand(1)
	for _, parts := range []int{10, 1000, 20_000} {
		partition, text, values := make([]int32, n), make([]string, n), make([]int64, n)
		for i := range values {
			partition[i], values[i] = r.Int32N(int32(parts)), int64(r.Uint64())
			text[i] = fmt.Sprint("partition ", partition[i])
		}
		by := []sorter.Column[int]{sorter.AscOf(values)}
		for name, of := range map[string]sorter.Column[int]{"int32": sorter.AscOf(partition), "string": sorter.AscOf(text)} {
			cols := []sorter.Column[int]{of}
			var runs perm.Runs
			benchmarkRows(b, fmt.Sprintf("%s %d/Rows.Order", name, parts), n, func() error {
				_, err := sorter.RowsBy(n, append(cols, by...)...).Order(sorter.MarkRunsBy(1, &runs))
				return err
			})
			benchmarkRows(b, fmt.Sprintf("%s %d/first 3", name, parts), n, func() error {
				_, _, err := sorter.RowsBy(n, by...).Per(cols...).Top(3)
				return err
			})
			for _, count := range []int{1, 3, 9} {
				benchmarkRows(b, fmt.Sprintf("%s %d/%d quantiles", name, parts, count), n, func() error {
					_, err := sorter.RowsBy(n, by...).Per(cols...).Quantiles(quantiles(count))
					return err
				})
			}
		}
	}
}

// quantiles are count quantiles in equal distances.
func quantiles(count int) []float64 {
	qs := make([]float64, count)
	for i := range qs {
		qs[i] = float64(i+1) / float64(count+1)
	}
	return qs
}

// BenchmarkQuantiles takes quantiles, beside a sort of the keys, and rows at them, beside an order.
func BenchmarkQuantiles(b *testing.B) {
	r := dist.Rand(1)
	for _, n := range []int{3000, 1 << 16, testkit.Pick(1<<17, 1_000_000)} {
		for name, key := range map[string]func() float64{"normal": r.NormFloat64, "5 values": func() float64 { return float64(r.IntN(5)) }} {
			keys, sorted, p := make([]float64, n), make([]float64, n), make(perm.Perm, n)
			for i := range keys {
				keys[i] = key()
			}
			cols := []sorter.Column[int]{sorter.AscOf(keys)}
			name = fmt.Sprintf("%d/%s", n, name)
			benchmarkRows(b, name+"/copy and SortKeys", n, func() error {
				copy(sorted, keys)
				return sorter.SortKeys(sorted)
			})
			benchmarkRows(b, name+"/Rows.Order", n, func() error {
				_, err := sorter.RowsBy(n, cols...).Order(sorter.Into(p))
				return err
			})
			for _, count := range []int{1, 9, 99, 999} {
				qs := quantiles(count)
				benchmarkRows(b, fmt.Sprintf("%s/%d Quantiles", name, count), n, func() error {
					_, err := sorter.Quantiles(keys, qs)
					return err
				})
				benchmarkRows(b, fmt.Sprintf("%s/%d Rows.Quantiles", name, count), n, func() error {
					_, err := sorter.RowsBy(n, cols...).Quantiles(qs)
					return err
				})
			}
		}
	}
}

// BenchmarkDays orders rows in order by day within the days.
func BenchmarkDays(b *testing.B) {
	n := testkit.Pick(1<<15, 1_000_000)
	for _, longest := range []int{3, 20, 2000, 200_000} {
		in := events(n, longest, false, dist.Rand(1))
		s := make([]event, n)
		for _, o := range eventOrders {
			cols := o.cols(in)
			benchmarkRows(b, fmt.Sprintf("%s/up to %d/Rows.Order", o.name, longest), n, func() error {
				_, err := sorter.RowsBy(n, cols...).Order()
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

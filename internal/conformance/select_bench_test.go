package conformance_test

import (
	"fmt"
	"testing"

	"example.com/sorter"
	"example.com/sorter/perm"
)

// BenchmarkSelect finds the first rows, and the median, beside the whole order.
func BenchmarkSelect(b *testing.B) {
	for _, n := range []int{1000, 1 << 20} {
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

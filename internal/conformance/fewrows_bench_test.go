package conformance_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/perm"
)

// BenchmarkFewRows orders few rows of columns, as a query does, beside a stable sort of row
// numbers whose comparison is written by hand for the columns.
func BenchmarkFewRows(b *testing.B) {
	for _, n := range []int{3, 10, 30, 100} {
		r := dist.Rand(uint64(n))
		num, real, text, valid := make([]int64, n), make([]float64, n), make([]string, n), make([]bool, n)
		for i := range n {
			num[i], real[i], text[i], valid[i] = r.Int64N(int64(n)), r.Float64(), fmt.Sprint("row ", r.IntN(n)), r.IntN(10) > 0
		}
		null := func(i int) bool { return !valid[i] }
		for _, c := range []struct {
			name    string
			cols    func() []sorter.Column[int]
			compare func(a, b uint32) int
		}{
			{"int64", func() []sorter.Column[int] { return []sorter.Column[int]{sorter.AscOf(num)} },
				func(a, b uint32) int { return cmp.Compare(num[a], num[b]) }},
			{"string", func() []sorter.Column[int] { return []sorter.Column[int]{sorter.AscOf(text)} },
				func(a, b uint32) int { return cmp.Compare(text[a], text[b]) }},
			{"int64 and float64", func() []sorter.Column[int] { return []sorter.Column[int]{sorter.AscOf(num), sorter.AscOf(real)} },
				func(a, b uint32) int { return cmp.Or(cmp.Compare(num[a], num[b]), cmp.Compare(real[a], real[b])) }},
			{"int64 with nulls", func() []sorter.Column[int] { return []sorter.Column[int]{sorter.AscOf(num).NullsLast(null)} },
				func(a, b uint32) int {
					switch {
					case valid[a] && valid[b]:
						return cmp.Compare(num[a], num[b])
					case valid[a]:
						return -1
					case valid[b]:
						return 1
					}
					return 0
				}},
		} {
			var p perm.Perm
			b.Run(fmt.Sprintf("%d/%s/OrderN", n, c.name), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					p, _ = sorter.OrderN(n, c.cols(), sorter.Into(p))
				}
			})
			b.Run(fmt.Sprintf("%d/%s/slices", n, c.name), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					for i := range p {
						p[i] = uint32(i)
					}
					slices.SortStableFunc(p, c.compare)
				}
			})
		}
	}
}

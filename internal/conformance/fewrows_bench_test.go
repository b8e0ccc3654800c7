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

// BenchmarkFewRows orders few rows of columns, as a query does, by OrderN and by an Ordering, both made
// for each call, beside a stable sort of row numbers whose comparison is written by hand.
func BenchmarkFewRows(b *testing.B) {
	for _, n := range []int{3, 10, 30, 100} {
		type row struct {
			num   int64
			real  float64
			text  string
			valid bool
		}
		r := dist.Rand(uint64(n))
		num, real, text, valid, rows := make([]int64, n), make([]float64, n), make([]string, n), make([]bool, n), make([]row, n)
		for i := range n {
			num[i], real[i], text[i], valid[i] = r.Int64N(int64(n)), r.Float64(), fmt.Sprint("row ", r.IntN(n)), r.IntN(10) > 0
			rows[i] = row{num[i], real[i], text[i], valid[i]}
		}
		null := func(i int) bool { return !valid[i] }
		byNum, byReal := func(e row) int64 { return e.num }, func(e row) float64 { return e.real }
		byText, isNull := func(e row) string { return e.text }, func(e row) bool { return !e.valid }
		for _, c := range []struct {
			name    string
			orderN  func(p perm.Perm) (perm.Perm, error)
			by      func(p perm.Perm) (perm.Perm, error)
			compare func(a, b uint32) int
		}{
			{"int64", func(p perm.Perm) (perm.Perm, error) {
				return sorter.OrderN(n, []sorter.Column[int]{sorter.AscOf(num)}, sorter.Into(p))
			}, func(p perm.Perm) (perm.Perm, error) {
				return sorter.By(sorter.Asc(byNum)).Order(rows, sorter.Into(p))
			}, func(a, b uint32) int { return cmp.Compare(num[a], num[b]) }},
			{"string", func(p perm.Perm) (perm.Perm, error) {
				return sorter.OrderN(n, []sorter.Column[int]{sorter.AscOf(text)}, sorter.Into(p))
			}, func(p perm.Perm) (perm.Perm, error) {
				return sorter.By(sorter.Asc(byText)).Order(rows, sorter.Into(p))
			}, func(a, b uint32) int { return cmp.Compare(text[a], text[b]) }},
			{"int64 and float64", func(p perm.Perm) (perm.Perm, error) {
				return sorter.OrderN(n, []sorter.Column[int]{sorter.AscOf(num), sorter.AscOf(real)}, sorter.Into(p))
			}, func(p perm.Perm) (perm.Perm, error) {
				return sorter.By(sorter.Asc(byNum), sorter.Asc(byReal)).Order(rows, sorter.Into(p))
			}, func(a, b uint32) int { return cmp.Or(cmp.Compare(num[a], num[b]), cmp.Compare(real[a], real[b])) }},
			{"int64 with nulls", func(p perm.Perm) (perm.Perm, error) {
				return sorter.OrderN(n, []sorter.Column[int]{sorter.AscOf(num).NullsLast(null)}, sorter.Into(p))
			}, func(p perm.Perm) (perm.Perm, error) {
				return sorter.By(sorter.Asc(byNum).NullsLast(isNull)).Order(rows, sorter.Into(p))
			}, func(a, b uint32) int {
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
			for _, by := range []struct {
				name  string
				order func(p perm.Perm) (perm.Perm, error)
			}{{"OrderN", c.orderN}, {"By", c.by}} {
				b.Run(fmt.Sprintf("%d/%s/%s", n, c.name, by.name), func(b *testing.B) {
					b.ReportAllocs()
					for range b.N {
						p, _ = by.order(p)
					}
				})
			}
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

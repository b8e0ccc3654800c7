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

// BenchmarkFewRows orders few rows of columns, as a query does, by Rows.Order and by an Ordering, both made
// for each call, beside a stable sort of row numbers whose comparison is written by hand. Each call
// orders the next of 256 lists: a processor predicts the branches of one that is repeated.
func BenchmarkFewRows(b *testing.B) {
	for _, n := range []int{3, 10, 30, 100} {
		type row struct {
			num   int64
			real  float64
			text  string
			valid bool
		}
		type list struct {
			num   []int64
			real  []float64
			text  []string
			valid []bool
			rows  []row
			null  func(i int) bool
		}
		r := dist.Rand(uint64(n))
		lists := make([]list, 256)
		for k := range lists {
			l := &lists[k]
			for range n {
				e := row{r.Int64N(int64(n)), r.Float64(), fmt.Sprint("row ", r.IntN(n)), r.IntN(10) > 0}
				l.num, l.real, l.text = append(l.num, e.num), append(l.real, e.real), append(l.text, e.text)
				l.valid, l.rows = append(l.valid, e.valid), append(l.rows, e)
			}
			l.null = func(i int) bool { return !l.valid[i] }
		}
		byNum, byReal := func(e row) int64 { return e.num }, func(e row) float64 { return e.real }
		byText, isNull := func(e row) string { return e.text }, func(e row) bool { return !e.valid }
		for _, c := range []struct {
			name      string
			orderRows func(l *list, p perm.Perm) (perm.Perm, error)
			by        func(l *list, p perm.Perm) (perm.Perm, error)
			slices    func(l *list, p perm.Perm)
		}{
			{"int64", func(l *list, p perm.Perm) (perm.Perm, error) {
				return sorter.RowsBy(n, sorter.AscOf(l.num)).Order(sorter.Into(p))
			}, func(l *list, p perm.Perm) (perm.Perm, error) {
				return sorter.By(sorter.Asc(byNum)).Order(l.rows, sorter.Into(p))
			}, func(l *list, p perm.Perm) {
				num := l.num
				slices.SortStableFunc(p, func(a, b uint32) int { return cmp.Compare(num[a], num[b]) })
			}},
			{"string", func(l *list, p perm.Perm) (perm.Perm, error) {
				return sorter.RowsBy(n, sorter.AscOf(l.text)).Order(sorter.Into(p))
			}, func(l *list, p perm.Perm) (perm.Perm, error) {
				return sorter.By(sorter.Asc(byText)).Order(l.rows, sorter.Into(p))
			}, func(l *list, p perm.Perm) {
				text := l.text
				slices.SortStableFunc(p, func(a, b uint32) int { return cmp.Compare(text[a], text[b]) })
			}},
			{"int64 and float64", func(l *list, p perm.Perm) (perm.Perm, error) {
				return sorter.RowsBy(n, sorter.AscOf(l.num), sorter.AscOf(l.real)).Order(sorter.Into(p))
			}, func(l *list, p perm.Perm) (perm.Perm, error) {
				return sorter.By(sorter.Asc(byNum), sorter.Asc(byReal)).Order(l.rows, sorter.Into(p))
			}, func(l *list, p perm.Perm) {
				num, real := l.num, l.real
				slices.SortStableFunc(p, func(a, b uint32) int {
					return cmp.Or(cmp.Compare(num[a], num[b]), cmp.Compare(real[a], real[b]))
				})
			}},
			{"int64 with nulls", func(l *list, p perm.Perm) (perm.Perm, error) {
				return sorter.RowsBy(n, sorter.AscOf(l.num).NullsLast(l.null)).Order(sorter.Into(p))
			}, func(l *list, p perm.Perm) (perm.Perm, error) {
				return sorter.By(sorter.Asc(byNum).NullsLast(isNull)).Order(l.rows, sorter.Into(p))
			}, func(l *list, p perm.Perm) {
				num, valid := l.num, l.valid
				slices.SortStableFunc(p, func(a, b uint32) int {
					switch {
					case valid[a] && valid[b]:
						return cmp.Compare(num[a], num[b])
					case valid[a]:
						return -1
					case valid[b]:
						return 1
					}
					return 0
				})
			}},
		} {
			var p perm.Perm
			for _, by := range []struct {
				name  string
				order func(l *list, p perm.Perm) (perm.Perm, error)
			}{{"Rows.Order", c.orderRows}, {"By", c.by}} {
				b.Run(fmt.Sprintf("%d/%s/%s", n, c.name, by.name), func(b *testing.B) {
					b.ReportAllocs()
					for i := range b.N {
						p, _ = by.order(&lists[i%len(lists)], p)
					}
				})
			}
			b.Run(fmt.Sprintf("%d/%s/slices", n, c.name), func(b *testing.B) {
				b.ReportAllocs()
				for k := range b.N {
					for i := range p {
						p[i] = uint32(i)
					}
					c.slices(&lists[k%len(lists)], p)
				}
			})
		}
	}
}

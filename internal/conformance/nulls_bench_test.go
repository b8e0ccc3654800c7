package conformance_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// BenchmarkNulls orders rows by a column of which 10 % are null, beside the same column without
// nulls, in turns. Times are medians per row; "ratio" is that with nulls over that without. Choose
// by name, and give a number of repetitions:
//
//	go test -run - -bench 'Nulls/65536/' -benchtime 21x ./internal/conformance
func BenchmarkNulls(b *testing.B) {
	for _, n := range testkit.Pick([]int{20_000}, []int{65536, 1_000_000}) {
		for _, workers := range []int{1, 2} {
			for _, c := range nullCases(n) {
				b.Run(fmt.Sprintf("%d/workers=%d/%s", n, workers, c.name), func(b *testing.B) {
					run := func(sort func(opts ...sorter.Option) error) time.Duration {
						start := time.Now()
						if err := sort(sorter.Workers(workers)); err != nil {
							b.Fatal(err)
						}
						return time.Since(start)
					}
					var plain, nulls []time.Duration
					for range b.N {
						plain = append(plain, run(c.plain))
						nulls = append(nulls, run(c.nulls))
					}
					of := func(d []time.Duration) float64 {
						slices.Sort(d)
						return float64(d[len(d)/2].Nanoseconds()) / float64(n)
					}
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(of(plain), "plain-ns/row")
					b.ReportMetric(of(nulls), "nulls-ns/row")
					b.ReportMetric(of(nulls)/of(plain), "ratio")
				})
			}
		}
	}
}

// nullCase is a call by a column without nulls, and the same call with nulls.
type nullCase struct {
	name         string
	plain, nulls func(opts ...sorter.Option) error
}

func nullCases(n int) []nullCase {
	r := dist.Rand(uint64(n))
	wide, narrow, few, real, small := make([]int64, n), make([]int64, n), make([]int64, n), make([]float64, n), make([]int32, n)
	tiny, words, flags := make([]int8, n), make([]string, n), make([]bool, n)
	null, rising := make([]bool, n), make([]int64, n)
	for i := range n {
		wide[i], narrow[i], few[i], real[i], small[i] = int64(r.Uint64()), 1.6e18+r.Int64N(1e15), r.Int64N(100), r.NormFloat64(), int32(r.Uint32())
		tiny[i], words[i], flags[i] = int8(r.Uint32()), fmt.Sprint("row ", r.IntN(n)), r.IntN(2) == 0
		null[i], rising[i] = r.IntN(10) == 0, int64(i)
	}
	isNull := func(row int) bool { return null[row] }
	valid := make([]byte, n/8+1)
	for i := range n {
		if !null[i] {
			valid[i/8] |= 1 << (i % 8)
		}
	}
	p := perm.Identity(n)
	orderRows := func(cols ...sorter.Column[int]) func(opts ...sorter.Option) error {
		return func(opts ...sorter.Option) error {
			_, err := sorter.RowsBy(n, cols...).Order(append(opts, sorter.Into(p))...)
			return err
		}
	}
	both := func(name string, col sorter.Column[int], then ...sorter.Column[int]) nullCase {
		with := append([]sorter.Column[int]{col.NullsFirst(isNull)}, then...)
		return nullCase{"Rows.Order/" + name, orderRows(append([]sorter.Column[int]{col}, then...)...), orderRows(with...)}
	}
	bits := func(name string, col sorter.Column[int]) nullCase {
		return nullCase{"Rows.Order/" + name + " and a bitmap", orderRows(col), orderRows(col.NullsFirstBits(valid, 0))}
	}
	type row struct {
		key  int64
		null bool
		_    [2]int64
	}
	rows, sorted := make([]row, n), make([]row, n)
	for i := range rows {
		rows[i] = row{key: wide[i], null: null[i]}
	}
	sortBy := func(col sorter.Column[row]) func(opts ...sorter.Option) error {
		by := sorter.By(col)
		return func(opts ...sorter.Option) error {
			copy(sorted, rows)
			return by.Sort(sorted, opts...)
		}
	}
	key := sorter.Asc(func(r row) int64 { return r.key })
	equal, days := make([]int64, n), make([]int64, n)
	for i := range n {
		days[i] = int64(i * 365 / n)
	}
	later := func(name string, lead []int64, col sorter.Column[int]) []nullCase { // nulls in the second column
		by := func(col sorter.Column[int]) func(opts ...sorter.Option) error {
			return orderRows(sorter.AscOf(lead), col)
		}
		name = "Rows.Order/" + name
		return []nullCase{{name, by(col), by(col.NullsFirst(isNull))}, {name + " and a bitmap", by(col), by(col.NullsFirstBits(valid, 0))}}
	}
	cases := slices.Concat(
		later("int64 of 100 values, then int64", few, sorter.AscOf(wide)),
		later("int64 of 100 values, then float64", few, sorter.AscOf(real)),
		later("equal int64, then int64", equal, sorter.AscOf(wide)),
		later("days in order, then int64", days, sorter.AscOf(wide)),
	)
	return append(cases, []nullCase{
		both("int64", sorter.AscOf(wide)),
		bits("int64", sorter.AscOf(wide)),
		bits("float64", sorter.AscOf(real)),
		bits("int64 in order", sorter.AscOf(rising)),
		{"Rows.Order/int64 and a bitmap without nulls", orderRows(sorter.AscOf(wide)), orderRows(sorter.AscOf(wide).NullsFirstBits(slices.Repeat([]byte{255}, n/8+1), 0))},
		both("int64 of a narrow range", sorter.AscOf(narrow)),
		both("int64 of 100 values", sorter.AscOf(few)),
		both("int64 in order", sorter.AscOf(rising)),
		both("float64", sorter.AscOf(real)),
		both("int32", sorter.AscOf(small)),
		both("bool", sorter.AscOf(flags)),
		both("int8", sorter.AscOf(tiny)),
		both("int8, int32", sorter.AscOf(tiny), sorter.AscOf(small)),
		both("string", sorter.AscOf(words)),
		both("string, float64", sorter.AscOf(words), sorter.AscOf(real)),
		both("int64 by a function", sorter.Asc(func(row int) int64 { return wide[row] })),
		both("int64 of 100 values, int64", sorter.AscOf(few), sorter.AscOf(wide)),
		{"Sort/int64", sortBy(key), sortBy(key.NullsFirst(func(r row) bool { return r.null }))},
	}...)
}

package conformance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
)

// BenchmarkTurns makes unlike calls, each repeated alone and then in turns. Times are medians per row of
// 9 calls; "ratio" is that in turns over that alone:
//
//	go test -run - -bench Turns -benchtime 1x ./internal/conformance
func BenchmarkTurns(b *testing.B) {
	calls := turns()
	for _, t := range [][]int{{0, 1}, {0, 2}, {0, 3}, {4, 5}, {0, 1, 2, 3, 4, 5}} {
		var names []string
		var these []turn
		for _, i := range t {
			names, these = append(names, calls[i].name), append(these, calls[i])
		}
		b.Run(strings.Join(names, ", "), func(b *testing.B) { benchmarkTurns(b, these) })
	}
}

// turn is a call on some rows, which prepare makes anew.
type turn struct {
	name          string
	n             int
	prepare, call func()
}

func turns() []turn {
	type row struct{ id, day, price int64 }
	r := dist.Rand(1)
	rows, floats, texts := make([]row, 1_000_000), make([]float64, 2_000_000), make([]string, 400_000)
	for i := range rows {
		rows[i] = row{int64(i), int64(r.Uint64N(400)), int64(r.Uint64())}
	}
	for i := range floats {
		floats[i] = r.Float64()
	}
	for i := range texts {
		texts[i] = fmt.Sprintf("customer %d", r.Uint64N(1e9))
	}
	var offsets []int
	for i := 0; i <= 600_000; i += 300 {
		offsets = append(offsets, i)
	}
	ownRows, ownFloats, ownTexts := slices.Clone(rows), slices.Clone(floats), slices.Clone(texts)
	p := make([]uint32, len(rows))
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	return []turn{
		{"Sort 1M days", len(rows), func() { copy(ownRows, rows) }, func() {
			must(sorter.Sort(ownRows, func(e row) int64 { return e.day }))
		}},
		{"SortWithin 600k", 600_000, func() { copy(ownRows, rows) }, func() {
			must(sorter.By(sorter.Asc(func(e row) int64 { return e.price })).SortWithin(ownRows[:600_000], offsets))
		}},
		{"SortKeys 2M", len(floats), func() { copy(ownFloats, floats) }, func() { must(sorter.SortKeys(ownFloats)) }},
		{"Rows.Order 700k", 700_000, func() {}, func() {
			_, err := sorter.RowsBy(700_000, sorter.Asc(func(i int) int64 { return rows[i].day }),
				sorter.Asc(func(i int) int64 { return rows[i].price })).Order(sorter.Into(p))
			must(err)
		}},
		{"SortKeys 400k texts", len(texts), func() { copy(ownTexts, texts) }, func() { must(sorter.SortKeys(ownTexts)) }},
		{"SortKeys 300k texts", 300_000, func() { copy(ownTexts, texts) }, func() { must(sorter.SortKeys(ownTexts[:300_000])) }},
	}
}

func benchmarkTurns(b *testing.B, calls []turn) {
	alone := make([]float64, len(calls))
	for i := range calls {
		alone[i] = timeTurns(calls[i : i+1])[0]
	}
	for i, together := range timeTurns(calls) {
		b.Run(calls[i].name, func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(alone[i], "alone-ns/row")
			b.ReportMetric(together, "turns-ns/row")
			b.ReportMetric(together/alone[i], "ratio")
		})
	}
}

// timeTurns makes calls in turns and returns the median time of each per row, without the first three.
func timeTurns(calls []turn) (medians []float64) {
	sorter.Trim()
	times := make([][]float64, len(calls))
	for range 3 + 9 {
		for i, c := range calls {
			c.prepare()
			start := time.Now()
			c.call()
			times[i] = append(times[i], float64(time.Since(start).Nanoseconds())/float64(c.n))
		}
	}
	for _, t := range times {
		medians = append(medians, median(t[3:]))
	}
	return medians
}

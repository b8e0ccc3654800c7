package conformance_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// BenchmarkColumnLayouts orders rows by keys where they lie, beside the same keys in one slice, in
// turns. Times are medians per row; "ratio" is the first over the second. Choose by name, and give a
// number of repetitions:
//
//	go test -run - -bench ColumnLayouts -benchtime 9x ./internal/conformance
func BenchmarkColumnLayouts(b *testing.B) {
	n := 1_000_000
	if !testkit.Long() {
		n = 10_000
	}
	r := dist.Rand(1)
	ints := mapped(drawn64(n, 1<<63, r), func(v uint64) int64 { return int64(v << 1) })
	wide := mapped(drawn64(n, 1<<63, r), func(v uint64) sorter.Int128 { return sorter.Int128{Hi: int64(v << 1), Lo: v} })
	few := mapped(drawn64(n, 1000, r), func(v uint64) int64 { return int64(v) })
	texts := mapped(drawn64(n, uint64(n), r), func(v uint64) string { return fmt.Sprintf("customer %d", v) })
	octets := make([]byte, 16*n)
	for i := range octets {
		octets[i] = byte(r.Uint32())
	}
	data, offsets := testkit.ArenaOf[int32](texts)
	views, buffers := testkit.ViewsOf(texts, func(int) bool { return false }, r)
	one := func(c sorter.Column[int]) []sorter.Column[int] { return []sorter.Column[int]{c} }
	for _, c := range []struct {
		name        string
		cols, plain []sorter.Column[int]
	}{
		{"128 chunks of int64", one(sorter.Chunks(chunksOf(ints)).Asc()), one(sorter.AscOf(ints))},
		{"128 chunks of few int64, int64", append(one(sorter.Chunks(chunksOf(few)).Asc()), sorter.Chunks(chunksOf(ints)).Asc()), append(one(sorter.AscOf(few)), sorter.AscOf(ints))},
		{"128 chunks of string", one(sorter.Chunks(chunksOf(texts)).Asc()), one(sorter.AscOf(texts))},
		{"arena", one(sorter.Arena(data, offsets).Asc()), one(sorter.AscOf(texts))},
		{"views", one(sorter.Views(views, buffers...).Asc()), one(sorter.AscOf(texts))},
		{"Int128 beside int64", one(sorter.AscOf(wide)), one(sorter.AscOf(ints))},
		{"FixedBinary of 16 beside int64", one(sorter.FixedBinary(octets, 16).Asc()), one(sorter.AscOf(ints))},
	} {
		b.Run(c.name, func(b *testing.B) {
			order := func(cols []sorter.Column[int]) float64 {
				start := time.Now()
				if _, err := sorter.RowsBy(n, cols...).Order(sorter.Workers(1)); err != nil {
					b.Fatal(err)
				}
				return float64(time.Since(start).Nanoseconds()) / float64(n)
			}
			var times, plain []float64
			for range b.N {
				plain = append(plain, order(c.plain))
				times = append(times, order(c.cols))
			}
			slices.Sort(times)
			slices.Sort(plain)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(times[len(times)/2], "ns/row")
			b.ReportMetric(plain[len(plain)/2], "plain-ns/row")
			b.ReportMetric(times[len(times)/2]/plain[len(plain)/2], "ratio")
		})
	}
	b.Run("SortStableFunc of Int128", func(b *testing.B) {
		for b.Loop() {
			rows := ascending(n)
			slices.SortStableFunc(rows, func(a, b int) int {
				return cmp.Or(cmp.Compare(wide[a].Hi, wide[b].Hi), cmp.Compare(wide[a].Lo, wide[b].Lo))
			})
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
	})
}

// chunksOf returns s in 128 chunks.
func chunksOf[T any](s []T) (chunks [][]T) {
	for i := range 128 {
		chunks = append(chunks, slices.Clone(s[i*len(s)/128:(i+1)*len(s)/128]))
	}
	return chunks
}

package conformance_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
)

// BenchmarkSortFunc compares SortFunc with the sorts of slices, by a float64 and by strings of 24-byte
// elements.
func BenchmarkSortFunc(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10_000, 100_000, testkit.Pick(300_000, 10_000_000)} {
		for shape, s := range funcShapes {
			if !slices.Contains([]string{"uniform", "sorted", "100 values", "nearly sorted", "long saw"}, s.name) {
				continue
			}
			rows := drawFuncRows(shape, n)
			name := fmt.Sprintf("n=%d/%s", n, s.name)
			benchFunc(b, name+"/float", rows, compareFuncRows)
			benchFunc(b, name+"/string", mapped(rows, textOf), compareTexts)
		}
	}
}

func benchFunc[E any](b *testing.B, name string, in []E, compare func(a, b E) int) {
	for _, by := range []struct {
		name string
		sort func(s []E)
	}{
		{"slices.SortStableFunc", func(s []E) { slices.SortStableFunc(s, compare) }},
		{"slices.SortFunc", func(s []E) { slices.SortFunc(s, compare) }},
		{"1 worker", func(s []E) { _ = sorter.SortFunc(s, compare, sorter.Workers(1)) }},
		{"2 workers", func(s []E) { _ = sorter.SortFunc(s, compare, sorter.Workers(2)) }},
		{"all workers", func(s []E) { _ = sorter.SortFunc(s, compare) }},
	} {
		b.Run(name+"/"+by.name, func(b *testing.B) {
			s := make([]E, len(in))
			for b.Loop() {
				b.StopTimer()
				copy(s, in)
				b.StartTimer()
				by.sort(s)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(in)), "ns/element")
		})
	}
}

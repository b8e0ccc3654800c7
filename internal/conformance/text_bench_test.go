package conformance_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// named is an element with a string and what belongs to it.
type named struct {
	name string
	_    [2]uint64
}

func nameOf(e named) string { return e.name }

// BenchmarkTexts sorts strings that share long prefixes, beside the standard library.
// Each of the families comes as drawn, sorted and reversed:
//
//	go test -run - -bench 'Texts/prefixes/drawn' ./internal/conformance
func BenchmarkTexts(b *testing.B) {
	for _, t := range dist.Deep {
		n := 300_000
		switch {
		case !testkit.Long():
			n = 2000
		case t.Name == "long prefixes", t.Name == "prefixes of one text":
			n = 20_000
		}
		b.Run(t.Name, func(b *testing.B) { benchTexts(b, t.Draw(n, dist.Rand(1))) })
	}
	b.Run("1000 of a megabyte", func(b *testing.B) {
		r := dist.Rand(1)
		in := make([]string, testkit.Pick(50, 1000))
		for i := range in {
			in[i] = strings.Repeat("a", r.IntN(1<<20))
		}
		benchTexts(b, in)
	})
	b.Run("short", func(b *testing.B) {
		r := dist.Rand(1)
		n := testkit.Pick(20_000, 300_000)
		in := make([]string, n)
		for i := range in {
			in[i] = fmt.Sprintf("%x", r.Uint64())
		}
		benchTexts(b, in)
	})
}

func benchTexts(b *testing.B, in []string) {
	b.Run("drawn", func(b *testing.B) { benchText(b, in) })
	in = slices.Sorted(slices.Values(in))
	b.Run("sorted", func(b *testing.B) { benchText(b, in) })
	b.Run("smallest last", func(b *testing.B) { benchText(b, append(in[1:len(in):len(in)], in[0])) })
	slices.Reverse(in)
	b.Run("reversed", func(b *testing.B) { benchText(b, in) })
}

func benchText(b *testing.B, in []string) {
	entries := mapped(in, func(s string) named { return named{name: s} })
	for _, c := range []struct {
		name string
		sort func(s []string) error
	}{
		{"workers=1", func(s []string) error { return sorter.SortKeys(s, sorter.Workers(1)) }},
		{"workers=all", func(s []string) error { return sorter.SortKeys(s) }},
		{"slices.Sort", func(s []string) error { slices.Sort(s); return nil }},
	} {
		b.Run("strings/"+c.name, func(b *testing.B) { benchSorted(b, in, c.sort) })
	}
	for _, c := range []struct {
		name string
		sort func(s []named) error
	}{
		{"workers=1", func(s []named) error { return sorter.Sort(s, nameOf, sorter.Workers(1)) }},
		{"workers=all", func(s []named) error { return sorter.Sort(s, nameOf) }},
		{"slices.SortFunc", func(s []named) error {
			slices.SortFunc(s, func(a, b named) int { return cmp.Compare(a.name, b.name) })
			return nil
		}},
	} {
		b.Run("structs/"+c.name, func(b *testing.B) { benchSorted(b, entries, c.sort) })
	}
}

func benchSorted[E any](b *testing.B, in []E, sort func(s []E) error) {
	s := make([]E, len(in))
	for b.Loop() {
		b.StopTimer()
		copy(s, in)
		b.StartTimer()
		if err := sort(s); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(in)), "ns/element")
}

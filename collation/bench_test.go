package collation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/collation"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// words returns n words of 4 to 12 letters, one of eight with a mark.
func words(n int) []string {
	r := rand.New(rand.NewPCG(7, 8))
	plain, marked := []rune("etaoinshrdlucmfwypvbgkjqxz"), []rune("äöüéèåøñçß")
	all := make([]string, n)
	for i := range all {
		w := make([]rune, 4+r.IntN(9))
		for j := range w {
			w[j] = plain[r.IntN(1+r.IntN(len(plain)))]
		}
		if r.IntN(8) == 0 {
			w[r.IntN(len(w))] = marked[r.IntN(len(marked))]
		}
		all[i] = string(w)
	}
	return all
}

// BenchmarkSort sorts words in German order, beside both ways of package collate.
func BenchmarkSort(b *testing.B) {
	for _, n := range []int{1000, 100_000, 500_000} {
		in, c, collator := words(n), collation.New(language.German), collate.New(language.German)
		for _, by := range []struct {
			name string
			sort func(s []string)
		}{
			{"workers=1", func(s []string) { _ = c.Sort(s, sorter.Workers(1)) }},
			{"workers=2", func(s []string) { _ = c.Sort(s, sorter.Workers(2)) }},
			{"collate.SortStrings", collator.SortStrings},
			{"slices.SortFunc", func(s []string) { slices.SortFunc(s, collator.CompareString) }},
		} {
			b.Run(fmt.Sprintf("n=%d/%s", n, by.name), func(b *testing.B) {
				s := make([]string, n)
				for b.Loop() {
					copy(s, in)
					by.sort(s)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/text")
			})
		}
	}
}

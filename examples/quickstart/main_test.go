package main

import (
	"cmp"
	"slices"
	"testing"
)

func TestAgree(t *testing.T) {
	sorted := makeTrades(10_000)
	slices.SortStableFunc(sorted, func(a, b Trade) int { return cmp.Compare(a.Price, b.Price) })
	tie := 0
	for sorted[tie].Price != sorted[tie+1].Price {
		tie++
	}
	last := len(sorted) - 1
	for _, test := range []struct {
		name   string
		change func(s []Trade)
		ok     bool
	}{
		{"same", func([]Trade) {}, true},
		{"ties swapped", func(s []Trade) { s[tie], s[tie+1] = s[tie+1], s[tie] }, true},
		{"prices swapped", func(s []Trade) { s[0], s[last] = s[last], s[0] }, false},
		{"trade twice", func(s []Trade) { s[tie] = s[tie+1] }, false},
		{"trade changed", func(s []Trade) { s[last].Size++ }, false},
	} {
		other := slices.Clone(sorted)
		test.change(other)
		if err := agree(sorted, other); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

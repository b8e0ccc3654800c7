package main

import (
	"cmp"
	"slices"
	"testing"
	"time"
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

func TestSpread(t *testing.T) {
	times := []time.Duration{5e6, 1e6, 9e6, 2e6, 3e6}
	if s := spreadOf(times); s != (spread{3e6, 1e6, 9e6}) || s.String() != "     3.0 ms (1.0–9.0)" || times[0] != 5e6 {
		t.Errorf("%v of %v", s, times)
	}
}

// TestAlternate counts the turns, and holds each to the trades as they were made.
func TestAlternate(t *testing.T) {
	trades := makeTrades(1000)
	calls := 0
	c := contender{"slices.SortFunc", func(s []Trade) {
		calls++
		if !slices.Equal(s, trades) {
			t.Error("a turn begins with other trades")
		}
		slices.SortFunc(s, func(a, b Trade) int { return cmp.Compare(a.Price, b.Price) })
	}}
	a, b := alternate(c, c, trades)
	if len(a) != turns || len(b) != turns || calls != 2*turns {
		t.Errorf("%d and %d turns, %d calls", len(a), len(b), calls)
	}
}

package main

import (
	"regexp"
	"strings"
	"testing"

	"example.com/sorter/internal/dist"
)

// TestTable measures short lists of all distributions, whose results are checked, and reads the table.
func TestTable(t *testing.T) {
	every := regexp.MustCompile("")
	s := settings{sizes: []int{5000}, workers: []int{1, 2}, dists: every, calls: every, reps: 1, bound: 1e9}
	var b strings.Builder
	above, err := s.table(&b)
	if err != nil || above != 0 {
		t.Fatalf("%d above the bound, %v", above, err)
	}
	rows := 0
	for _, d := range append(dist.Shapes, dist.Users...) {
		if rows++; d.Has(32) {
			rows++
		}
	}
	if lines := strings.Count(b.String(), "\n"); lines != rows+2 {
		t.Errorf("%d lines of %d rows", lines, rows)
	}
}

// TestChosen asks for distributions that are held back, which are there by name only.
func TestChosen(t *testing.T) {
	for text, want := range map[string]bool{"": false, "held back": true, "salaries": true, "uniform": false} {
		held := false
		for _, k := range types {
			for _, d := range (settings{dists: regexp.MustCompile(text)}).chosen(k) {
				held = held || d.Untuned != ""
			}
		}
		if held != want {
			t.Errorf("%q: distributions that are held back: %v", text, held)
		}
	}
}

// TestChecks finds keys and rows that are not those of the input.
func TestChecks(t *testing.T) {
	keys := []float64{3, 1, 2}
	if same(keys, []float64{1, 2, 3}) != nil || same(keys, []float64{1, 2, 4}) == nil {
		t.Error("keys that differ")
	}
	m := buffers[float64]{order: make([]uint32, 3), rows: []row24[float64]{{key: 1, at: 1}, {key: 2, at: 2}, {key: 3, at: 0}}}
	if err := m.checkRows(keys); err != nil {
		t.Error(err)
	}
	m.rows[0], m.rows[1] = m.rows[1], m.rows[0]
	if m.checkRows(keys) == nil {
		t.Error("rows out of order")
	}
}

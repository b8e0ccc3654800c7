package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWalk measures short lists of all kinds, whose results are checked, and reads the table.
func TestWalk(t *testing.T) {
	every := regexp.MustCompile("")
	s := settings{sizes: []int{1, 3, 100}, kinds: every, shapes: every, verbs: every, rounds: 1, batch: 1, share: 1e9}
	rows, measured, err := s.walk(func(result) {})
	if err != nil || len(rows) != measured || measured < 3*len(shapes)*len(kinds()) {
		t.Fatalf("%d of %d rows, %v", len(rows), measured, err)
	}
	var b strings.Builder
	s.write(&b, rows, measured)
	if lines := strings.Count(b.String(), "\n|"); lines != measured+2 {
		t.Errorf("%d lines of %d rows", lines, measured)
	}
}

// TestLists draws lists of a shape, of which no two are the same where they are drawn.
func TestLists(t *testing.T) {
	for _, s := range shapes {
		all := s.lists(100, 1001)
		if len(all) != 1100 {
			t.Fatalf("%s: %d ranks", s.name, len(all))
		}
		switch s.name {
		case "random", "two values", "2 runs", "8 runs", "64 runs", "sorted, one moved", "reversed, one moved":
			if slices.Equal(all[:100], all[100:200]) {
				t.Errorf("%s: two lists are one", s.name)
			}
		}
	}
}

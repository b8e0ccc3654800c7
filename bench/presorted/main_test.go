package main

import (
	"regexp"
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

package main

import "testing"

// TestSortAll sorts lists that 32 bits count.
func TestSortAll(t *testing.T) {
	if err := sortAll(300_000, 300_000); err != nil {
		t.Error(err)
	}
}

func TestWrongSteps(t *testing.T) {
	s := make([]int, 1<<19)
	s[1], s[len(s)-2] = 1, -1 // a step down after the first, one to the last but one
	if n := wrongSteps(s, func(a, b int) bool { return a <= b }); n != 2 {
		t.Errorf("%d of 2 wrong steps", n)
	}
}

package main

import "testing"

// TestSortAll sorts lists that 32 bits count.
func TestSortAll(t *testing.T) {
	if err := sortAll(300_000, 300_000); err != nil {
		t.Error(err)
	}
}

package oracle_test

import (
	"cmp"
	"slices"
	"testing"

	"example.com/sorter/fuzz/oracle"
)

// TestStableRows guesses the order, and orders that differ from it in one way each.
func TestStableRows(t *testing.T) {
	const n = 100
	keys := make([]int, n)
	for i := range keys {
		keys[i] = i * 37 % 50
	}
	compares := 0
	compare := func(a, b int) int { compares++; return cmp.Compare(keys[a], keys[b]) }
	want := oracle.StableRows(n, nil, compare)
	right := make([]uint32, n)
	for i, row := range want {
		right[i] = uint32(row)
	}
	stable := slices.Repeat([]int{0}, n)
	for i := range stable {
		stable[i] = i
	}
	slices.SortStableFunc(stable, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	if !slices.Equal(want, stable) {
		t.Fatalf("without a guess: %v, want %v", want, stable)
	}
	for name, spoil := range map[string]func(guess []uint32) []uint32{
		"right":        func(guess []uint32) []uint32 { return guess },
		"reversed":     func(guess []uint32) []uint32 { slices.Reverse(guess); return guess },
		"tied rows":    func(guess []uint32) []uint32 { guess[6], guess[7] = guess[7], guess[6]; return guess },
		"other rows":   func(guess []uint32) []uint32 { guess[7], guess[8] = guess[8], guess[7]; return guess },
		"a row twice":  func(guess []uint32) []uint32 { guess[7] = guess[6]; return guess },
		"no such row":  func(guess []uint32) []uint32 { guess[n-1] = n; return guess },
		"too few rows": func(guess []uint32) []uint32 { return guess[:n-1] },
		"too many":     func(guess []uint32) []uint32 { return append(guess, guess[n-1]) },
	} {
		compares = 0
		if got := oracle.StableRows(n, spoil(slices.Clone(right)), compare); !slices.Equal(got, stable) {
			t.Errorf("guess with %s: %v, want %v", name, got, stable)
		}
		if name == "right" && compares != n-1 {
			t.Errorf("%d comparisons of a right guess of %d rows", compares, n)
		}
	}
}

package main

import (
	"slices"
	"testing"
)

// sorts reports whether comparators sort all zeros and ones of n values, which they then do for all
// values: the 0-1 principle. It evaluates 64 inputs at a time.
func sorts(pairs [][2]int, n int) bool {
	values := make([]uint64, n)
	for from := uint64(0); from < 1<<n; from += 64 {
		for i := range values {
			if values[i] = -(from >> i & 1); i < len(lowBits) {
				values[i] = lowBits[i]
			}
		}
		for _, c := range pairs {
			a, b := values[c[0]], values[c[1]]
			values[c[0]], values[c[1]] = a&b, a|b
		}
		for i := range n - 1 {
			if values[i]&^values[i+1] != 0 {
				return false
			}
		}
	}
	return true
}

// merges reports whether comparators sort n values of which both halves are sorted: all pairs of their
// numbers of ones.
func merges(pairs [][2]int, n int) bool {
	values := make([]uint64, n)
	for ones := range n/2 + 1 {
		for i := range n / 2 { // bit k: the second half has k ones
			values[i], values[n/2+i] = 0, ^uint64(0)<<(n/2-i)
			if i >= n/2-ones {
				values[i] = ^uint64(0)
			}
		}
		for _, c := range pairs {
			a, b := values[c[0]], values[c[1]]
			values[c[0]], values[c[1]] = a&b, a|b
		}
		for i := range n - 1 {
			if values[i]&^values[i+1]&(1<<(n/2+1)-1) != 0 {
				return false
			}
		}
	}
	return true
}

// inHalves reports whether comparators sort n values: both halves, then their merge, which begins with the
// first comparator of both.
func inHalves(pairs [][2]int, n int) bool {
	crosses := func(c [2]int) bool { return min(c[0], c[1]) < n/2 && max(c[0], c[1]) >= n/2 }
	at := slices.IndexFunc(pairs, crosses)
	var first, second [][2]int
	for _, c := range pairs[:at] {
		if c[0] < n/2 {
			first = append(first, c)
		} else {
			second = append(second, [2]int{c[0] - n/2, c[1] - n/2})
		}
	}
	return sorts(first, n/2) && sorts(second, n/2) && merges(pairs[at:], n)
}

// TestComparators proves the networks by the 0-1 principle, and shows that they have no comparator that is not
// needed: without any one of them, or with one exchanged, a network does not sort.
func TestComparators(t *testing.T) {
	for n := 2; n <= mostRows; n *= 2 {
		prove := sorts
		if n == mostRows {
			prove = inHalves
		}
		pairs := comparators(n)
		if !prove(pairs, n) {
			t.Fatalf("%d values are not sorted", n)
		}
		for i := range pairs {
			if prove(slices.Delete(slices.Clone(pairs), i, i+1), n) {
				t.Errorf("%d values are sorted without comparator %d", n, i)
			}
			exchanged := slices.Clone(pairs)
			exchanged[i] = [2]int{pairs[i][1], pairs[i][0]}
			if prove(exchanged, n) {
				t.Errorf("%d values are sorted with comparator %d exchanged", n, i)
			}
		}
	}
	for rows, want := range map[int]int{8: 19, 16: 63, 24: 127, 32: 191} {
		if got := len(network(rows)); got != want {
			t.Errorf("%d rows take %d comparators, want %d", rows, got, want)
		}
	}
}

package testkit

import "slices"

// SortStable sorts s as slices.SortStableFunc does, which takes one to three times as long: it
// compares more often, and swaps elements at each step of its merges.
func SortStable[S ~[]E, E any](s S, compare func(a, b E) int) {
	all, order := slices.Clone(s), make([]int32, len(s))
	for i := range order {
		order[i] = int32(i)
	}
	mergeSort(order, make([]int32, len(s)/2), all, compare)
	for to, from := range order {
		s[to] = all[from]
	}
}

// mergeSort sorts places of all; len(buffer) >= len(order)/2. Sorted and falling inputs take a few
// comparisons per place.
func mergeSort[E any](order, buffer []int32, all []E, compare func(a, b E) int) {
	if len(order) < 8 {
		for i := 1; i < len(order); i++ {
			for j := i; j > 0 && compare(all[order[j-1]], all[order[j]]) > 0; j-- {
				order[j-1], order[j] = order[j], order[j-1]
			}
		}
		return
	}
	half := len(order) / 2
	mergeSort(order[:half], buffer, all, compare)
	mergeSort(order[half:], buffer, all, compare)
	if compare(all[order[half-1]], all[order[half]]) <= 0 {
		return
	}
	left, right, at := buffer[:copy(buffer, order[:half])], order[half:], 0
	if compare(all[left[0]], all[right[len(right)-1]]) > 0 {
		at, right = copy(order, right), nil
	}
	for ; len(left) > 0; at++ {
		if len(right) > 0 && compare(all[left[0]], all[right[0]]) > 0 {
			order[at], right = right[0], right[1:]
		} else {
			order[at], left = left[0], left[1:]
		}
	}
}

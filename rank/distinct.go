package rank

import (
	"fmt"
	"iter"

	"example.com/sorter/perm"
)

// Distinct returns the first row of every run: each distinct row once, in order. Of equal rows
// it is the one that the order has first, with sorter.Stable the first of the input. It
// allocates the result. It panics unless p and runs have the same number of rows.
func Distinct(p perm.Perm, runs perm.Runs) []uint32 {
	same(p, runs)
	rows := make([]uint32, 0, runs.Len())
	for lo := range runs.All() {
		rows = append(rows, p[lo])
	}
	return rows
}

// Duplicates returns the runs of two rows or more: all rows that have a duplicate, those that
// are equal together, in order. The slices are parts of p, whose capacity is their length. It
// allocates nothing. The loop panics unless p and runs have the same number of rows.
func Duplicates(p perm.Perm, runs perm.Runs) iter.Seq[[]uint32] {
	return func(yield func(rows []uint32) bool) {
		same(p, runs)
		for lo, hi := range runs.All() {
			if hi-lo > 1 && !yield(p[lo:hi:hi]) {
				return
			}
		}
	}
}

// same panics unless runs are those of p's rows.
func same(p perm.Perm, runs perm.Runs) {
	if len(p) != runs.Rows() {
		panic(fmt.Sprintf("rank: runs of %d rows with an order of %d", runs.Rows(), len(p)))
	}
}

package rank

import "iter"

// Distinct returns the first row of each group of peers: every distinct row once, in order. Of equal
// rows it is the one that the order has first, with sorter.Stable the first of the input.
//
// It allocates the result. Peers has to be set: it panics unless Order and Peers have the same
// number of rows, and unless Partitions have it, too, or none.
func (w Window) Distinct() []uint32 {
	w.checkGroups()
	rows := make([]uint32, 0, w.Peers.Len())
	for lo := range w.groups {
		rows = append(rows, w.Order[lo])
	}
	return rows
}

// Duplicates returns the groups of two peers or more: all rows that have a duplicate, those that
// are equal together, in order. The slices are parts of Order, whose capacity is their length.
//
// It allocates nothing. The loop panics as [Window.Distinct] does.
func (w Window) Duplicates() iter.Seq[[]uint32] {
	return func(yield func(rows []uint32) bool) {
		w.checkGroups()
		for lo, hi := range w.groups {
			if hi-lo > 1 && !yield(w.Order[lo:hi:hi]) {
				return
			}
		}
	}
}

// groups yields the positions [lo, hi) of each group of peers. Runs of peers end with their partitions.
func (w Window) groups(yield func(lo, hi int) bool) {
	partitions := ends{runs: w.Partitions, n: len(w.Order)}
	for lo, end := range w.Peers.All() {
		for lo < end {
			hi := min(end, partitions.after(lo))
			if !yield(lo, hi) {
				return
			}
			lo = hi
		}
	}
}

// checkGroups panics unless the runs are those of the rows. Without peers all rows of a partition
// would be duplicates, which nobody asks for.
func (w Window) checkGroups() {
	w.checkRuns("partitions", w.Partitions)
	if n := w.Peers.Rows(); n != len(w.Order) {
		w.panicRuns("peers", n)
	}
}

// Package rank computes ranks, as SQL's window functions have them, from an order and its runs:
//
//	var w rank.Window // OVER (PARTITION BY country ORDER BY amount DESC)
//	w.Order, err = sorter.RowsBy(n, sorter.AscOf(country), sorter.DescOf(amount)).Order(
//		sorter.MarkRunsBy(1, &w.Partitions), sorter.MarkRuns(&w.Peers))
//	w.Rank(ranks)
package rank

import (
	"fmt"

	"example.com/sorter/perm"
)

// Window is an order of rows with its partitions and peers: the OVER clause of SQL. Its methods
// write the rank of row i to dst[i]: rows keep their places.
//
// Methods that rank take two passes over the order: one checks it, the other reads it and writes
// dst at random places; for rows that miss the cache that is a memory access each, overlapped by
// the processor. They allocate nothing per row. Above 65536 rows they run on up to GOMAXPROCS
// goroutines. They may be called concurrently with different dst, also on the same Window.
//
// They panic before anything is written unless dst, Order, Partitions and Peers have the same number
// of rows, and every index of Order is below it. That no index repeats is not checked.
//
// The zero Window has no rows, and takes a dst of none.
type Window struct {
	// Order has the rows in order, those of a partition next to each other. A nil Order has no rows.
	Order perm.Perm

	// Partitions are the runs of rows in one partition, such as those of [sorter.MarkRunsBy]. The
	// zero Runs stands for one partition of all rows: no PARTITION BY.
	//
	// [sorter.MarkRunsBy]: https://pkg.go.dev/example.com/sorter#MarkRunsBy
	Partitions perm.Runs

	// Peers are the runs of rows that are equal, such as those of [sorter.MarkRuns]. A run ends where
	// its partition ends. Peers have the same rank, except by RowNumber and NTile, which do not read
	// the field. The zero Runs stands for peers that are all rows of a partition: no ORDER BY.
	//
	// [sorter.MarkRuns]: https://pkg.go.dev/example.com/sorter#MarkRuns
	Peers perm.Runs
}

// check panics unless the window is that of n results, and its runs are those of its rows or have none.
func (w Window) check(n int) {
	if n != len(w.Order) {
		panic(fmt.Sprintf("rank: %d ranks with an order of %d rows", n, len(w.Order)))
	}
	w.checkRuns("partitions", w.Partitions)
	w.checkRuns("peers", w.Peers)
}

func (w Window) checkRuns(name string, r perm.Runs) {
	if n := r.Rows(); n != 0 && n != len(w.Order) {
		w.panicRuns(name, n)
	}
}

func (w Window) panicRuns(name string, n int) {
	panic(fmt.Sprintf("rank: %s of %d rows with an order of %d", name, n, len(w.Order)))
}

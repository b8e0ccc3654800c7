package rank

import (
	"fmt"
	"runtime"
	"sync"

	"example.com/sorter/perm"
)

// group is a run of peers in a partition. All numbers are positions in the order.
type group struct {
	part, end int // of the partition [part, end)
	lo, hi    int // of the peers [lo, hi)
}

// number is the type of a rank.
type number interface{ uint32 | float64 }

// eachGroup writes value(g) for every row of every group g.
func eachGroup[T number](dst []T, w Window, value func(g group) T) {
	p := w.Order
	eachPart(dst, w, func(from, to int, g group, peers *ends) {
		for g.lo = beginOf(w.Peers, from, g.part); from < to; g.lo = from {
			hi := peers.after(from)
			g.hi = min(hi, g.end)
			hi = min(hi, to)
			write(dst, p[from:hi], value(g))
			from = hi
		}
	})
}

// write writes one value for all rows.
func write[T number](dst []T, rows perm.Perm, value T) {
	for _, row := range rows {
		dst[row] = value
	}
}

// beginOf returns where the run of position i begins, or first if that is later.
func beginOf(r perm.Runs, i, first int) int {
	if i == first || r.Rows() == 0 {
		return first
	}
	lo, _ := r.At(i)
	return max(lo, first)
}

// after returns where the run of position i < n ends, where the zero Runs is one run of n rows.
func after(r perm.Runs, i, n int) int {
	if r.Rows() == 0 {
		return n
	}
	return r.Next(i + 1)
}

// ends finds where the runs of positions end that do not fall: a run of many partitions is read once.
type ends struct {
	runs  perm.Runs
	n     int // rows
	known int // end of the run of the last position
}

// after is that of the runs.
func (e *ends) after(i int) int {
	if e.known <= i {
		e.known = after(e.runs, i, e.n)
	}
	return e.known
}

// begun returns the number of groups of a partition that begin before position i > part.
func begun(peers perm.Runs, part, i int) int {
	if peers.Rows() == 0 {
		return 1
	}
	return 1 + peers.Count(part+1, i)
}

// piece is the least number of rows that justify another goroutine: starting one takes as long
// as a few thousand rows.
const piece = 1 << 15

// eachPart checks the window and calls body for positions [from, to) of every partition
// g.part … g.end-1, from several goroutines where there are many, each with its own ends of peers.
func eachPart[T number](dst []T, w Window, body func(from, to int, g group, peers *ends)) {
	w.check(len(dst))
	p, stripes := w.Order, 1
	if len(p) > 2*piece {
		stripes = min(runtime.GOMAXPROCS(0), len(p)/piece)
	}
	tops := make([]uint32, stripes)
	share(stripes, len(p), func(k, lo, hi int) {
		for _, row := range p[lo:hi] {
			tops[k] = max(tops[k], row)
		}
	})
	for _, top := range tops {
		if len(p) > 0 && uint64(top) >= uint64(len(p)) {
			panic(fmt.Sprintf("rank: index %d in an order of %d rows", top, len(p)))
		}
	}
	share(stripes, len(p), func(_, lo, hi int) {
		peers := ends{runs: w.Peers, n: len(p)}
		for part := beginOf(w.Partitions, lo, 0); lo < hi; part = lo {
			end := after(w.Partitions, lo, len(p))
			body(lo, min(end, hi), group{part: part, end: end}, &peers)
			lo = end
		}
	})
}

// share calls body for each of some ranges of n positions, all but the last on goroutines of
// their own.
func share(stripes, n int, body func(k, lo, hi int)) {
	var wait sync.WaitGroup
	each := n / stripes
	for k := range stripes - 1 {
		wait.Go(func() { body(k, k*each, (k+1)*each) })
	}
	body(stripes-1, (stripes-1)*each, n)
	wait.Wait()
}

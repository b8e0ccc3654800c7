// Package rank computes ranks, as SQL's window functions have them, from an order and its runs:
//
//	var parts, peers perm.Runs // OVER (PARTITION BY country ORDER BY amount DESC)
//	p, err := sorter.RowsBy(n, sorter.AscOf(country), sorter.DescOf(amount)).Order(
//		sorter.MarkRunsBy(1, &parts), sorter.MarkRuns(&peers))
//	rank.Min(ranks, p, parts, peers)
//
// The functions write the rank of row i to dst[i]: rows keep their places. parts are the runs of
// rows in one partition, peers those of rows that are equal, whose ranks are the same except by
// [RowNumber] and [NTile]. The zero [perm.Runs] stands for one run of all rows: without
// partitions, or without an order. Runs of peers end where a partition ends.
//
// All take two passes over the order: one checks p, the other reads p and writes dst at random
// places; for rows that miss the cache that is a memory access each, overlapped by the processor.
// They allocate nothing per row. Above 65536 rows they run on up to GOMAXPROCS goroutines. They may be called
// concurrently with different dst, also on the same order.
//
// They panic before anything is written unless dst, p, parts and peers have the same number of
// rows, and every index of p is below it. That no index repeats is not checked.
package rank

import "example.com/sorter/perm"

// RowNumber writes the position of every row in its partition, from 1: SQL's ROW_NUMBER, and
// with the zero Runs the ordinal rank. Peers are numbered as the order has them; with
// sorter.Stable that is the input order.
func RowNumber(dst []uint32, p perm.Perm, parts perm.Runs) {
	eachPart(dst, p, parts, func(from, to int, g group) {
		first := uint32(from - g.part + 1)
		for i, row := range p[from:to] {
			dst[row] = first + uint32(i)
		}
	})
}

// Min writes SQL's RANK, the "1224" of competitions. It is 1 and the number of rows of the partition
// that come before a row and are no peers of it.
func Min(dst []uint32, p perm.Perm, parts, peers perm.Runs) {
	eachGroup(dst, p, parts, peers, func(g group) uint32 { return uint32(g.lo - g.part + 1) })
}

// Max writes the number of rows of the partition up to the last peer of a row: the "1334" of
// competitions.
func Max(dst []uint32, p perm.Perm, parts, peers perm.Runs) {
	eachGroup(dst, p, parts, peers, func(g group) uint32 { return uint32(g.hi - g.part) })
}

// Dense writes the number of distinct rows of the partition up to a row: SQL's DENSE_RANK, the
// "1223" of competitions.
func Dense(dst []uint32, p perm.Perm, parts, peers perm.Runs) {
	check("peers", peers, p)
	eachPart(dst, p, parts, func(from, to int, g group) {
		for number := begun(peers, g.part, from+1); from < to; number++ {
			hi := min(after(peers, from, len(p)), to)
			write(dst, p[from:hi], uint32(number))
			from = hi
		}
	})
}

// Average writes the mean of the row numbers of the peers of a row: the rank of statistics.
func Average(dst []float64, p perm.Perm, parts, peers perm.Runs) {
	eachGroup(dst, p, parts, peers, func(g group) float64 {
		return (float64(g.lo-g.part) + float64(g.hi-g.part) + 1) / 2
	})
}

// Percent writes SQL's PERCENT_RANK, from 0 to 1. It is the share of the other rows of the partition
// that come before a row and are no peers of it. The only row of a partition has 0.
func Percent(dst []float64, p perm.Perm, parts, peers perm.Runs) {
	eachGroup(dst, p, parts, peers, func(g group) float64 {
		return float64(g.lo-g.part) / float64(max(1, g.end-g.part-1))
	})
}

// CumeDist writes SQL's CUME_DIST, above 0 and up to 1. It is the share of the rows of the partition
// that come before a row or are its peers.
func CumeDist(dst []float64, p perm.Perm, parts, peers perm.Runs) {
	eachGroup(dst, p, parts, peers, func(g group) float64 {
		return float64(g.hi-g.part) / float64(g.end-g.part)
	})
}

// NTile writes to which of k buckets a row belongs, from 1: SQL's NTILE. Buckets cut each
// partition, in order, into k parts whose lengths differ by at most 1, the longer ones first.
// Peers may be in different buckets. It panics if k is below 1.
func NTile(dst []uint32, k int, p perm.Perm, parts perm.Runs) {
	if k < 1 {
		panic("rank: NTile of less than one bucket")
	}
	eachPart(dst, p, parts, func(from, to int, g group) {
		n := g.end - g.part
		least, longer := n/k, n%k // rows of a bucket, and buckets with one more
		for at := from - g.part; at < to-g.part; {
			bucket, last := 0, 0
			if short := longer * (least + 1); at < short {
				bucket = at / (least + 1)
				last = (bucket + 1) * (least + 1)
			} else {
				bucket = longer + (at-short)/least
				last = short + (bucket-longer+1)*least
			}
			last = min(last, to-g.part)
			write(dst, p[g.part+at:g.part+last], uint32(bucket+1))
			at = last
		}
	})
}

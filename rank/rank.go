package rank

import "fmt"

// RowNumber writes SQL's ROW_NUMBER: the position of every row in its partition, from 1. Peers are
// numbered as the order has them; with sorter.Stable that is the input order.
func (w Window) RowNumber(dst []uint32) {
	eachPart(dst, w, func(from, to int, g group, _ *ends) {
		first := uint32(from - g.part + 1)
		for i, row := range w.Order[from:to] {
			dst[row] = first + uint32(i)
		}
	})
}

// Rank writes SQL's RANK, the "1224" of competitions. It is 1 and the number of rows of the partition
// that come before a row and are no peers of it.
func (w Window) Rank(dst []uint32) {
	eachGroup(dst, w, func(g group) uint32 { return uint32(g.lo - g.part + 1) })
}

// MaxRank writes the number of rows of the partition up to the last peer of a row: the "1334" of
// competitions. SQL has no name for it.
func (w Window) MaxRank(dst []uint32) {
	eachGroup(dst, w, func(g group) uint32 { return uint32(g.hi - g.part) })
}

// DenseRank writes SQL's DENSE_RANK, the "1223" of competitions: the number of distinct rows of the
// partition up to a row.
func (w Window) DenseRank(dst []uint32) {
	p := w.Order
	eachPart(dst, w, func(from, to int, g group, peers *ends) {
		for number := begun(w.Peers, g.part, from+1); from < to; number++ {
			hi := min(peers.after(from), to)
			write(dst, p[from:hi], uint32(number))
			from = hi
		}
	})
}

// AverageRank writes the mean of the row numbers of the peers of a row: the rank of statistics. SQL
// has no name for it.
func (w Window) AverageRank(dst []float64) {
	eachGroup(dst, w, func(g group) float64 {
		return (float64(g.lo-g.part) + float64(g.hi-g.part) + 1) / 2
	})
}

// PercentRank writes SQL's PERCENT_RANK, from 0 to 1. It is the share of the other rows of the partition
// that come before a row and are no peers of it. The only row of a partition has 0.
func (w Window) PercentRank(dst []float64) {
	eachGroup(dst, w, func(g group) float64 {
		return float64(g.lo-g.part) / float64(max(1, g.end-g.part-1))
	})
}

// CumeDist writes SQL's CUME_DIST, above 0 and up to 1. It is the share of the rows of the partition
// that come before a row or are its peers.
func (w Window) CumeDist(dst []float64) {
	eachGroup(dst, w, func(g group) float64 {
		return float64(g.hi-g.part) / float64(g.end-g.part)
	})
}

// NTile writes SQL's NTILE: to which of k buckets a row belongs, from 1. Buckets cut each
// partition, in order, into k parts whose lengths differ by at most 1, the longer ones first.
// Peers may be in different buckets. It panics if k is below 1.
func (w Window) NTile(dst []uint32, k int) {
	if k < 1 {
		panic(fmt.Sprintf("rank: NTile of %d buckets: need at least 1", k))
	}
	eachPart(dst, w, func(from, to int, g group, _ *ends) {
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
			write(dst, w.Order[g.part+at:g.part+last], uint32(bucket+1))
			at = last
		}
	})
}

package selection

import (
	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ways"
)

// This file has all ways of the package: of at most [cpu.SmallLen] elements. Each family has one, and the caller orders all elements where
// it is not done. They take pooled memory.

// FirstFew passes the numbers of the first k elements of s, at most [cpu.SmallLen], in order, to use, by the keys, of a
// kind, of a getter, which is nil where the elements are the keys. It is false if all are to be ordered: k is too large, or keys
// have no 64-bit code.
func FirstFew(kind sortkey.Kind, s cpu.Payload, k int, get column.Getter, o *call.Options, use func(first []uint32)) bool {
	return ways.Take(ways.SelectFew, !kind.Wide() && fitsFew(o, s.Len(), k), func() bool {
		firstFew(kind, s, k, get, o.Order(), use)
		return true
	})
}

// FirstFewBy is [FirstFew] by columns, of a batch of n elements. It is false unless one column with
// such a code decides.
func FirstFewBy(cols []extract.Column, n, k int, b extract.Batch, o *call.Options, use func(first []uint32)) bool {
	return ways.Take(ways.SelectFew, fitsFew(o, n, k) && inOneCode(cols, b), func() bool {
		col := cols[0].Under(o.Order())
		firstCodes(n, k, use, func(codes []uint64) { col.Codes(codes, b) })
		return true
	})
}

// RanksFew returns the numbers of the elements of ranks ks, by columns, of a batch of n elements, at most [cpu.SmallLen]. It is
// false if all are to be ordered.
func RanksFew(cols []extract.Column, n int, ks []int, b extract.Batch, o *call.Options) (rows []uint32, ok bool) {
	ok = ways.Take(ways.SelectRanks, fewRanks(n, len(ks)) && !o.Monitored() && inOneCode(cols, b), func() bool {
		rows = ranksBy(cols[0].Under(o.Order()), n, ks, b)
		return true
	})
	return rows, ok
}

// SelectsFew reports whether ranks of n elements whose codes decide are selected one by one, from copies of all codes.
func SelectsFew(n, ranks int) bool { return fewRanks(n, ranks) && ways.On(ways.SelectRanks) }

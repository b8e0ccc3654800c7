package selection

import (
	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ways"
)

// This file has all ways of the package: of numbers that lie side by side, and of at most [cpu.SmallLen] elements. Where one is not done, the
// caller selects by codes of all elements, or orders them. They take pooled memory.

// FirstFew passes the numbers of the first k elements of s, at most [cpu.SmallLen], in order, to use, by the keys, of a
// kind, of a getter, which is nil where the elements are the keys. It is false if all are to be ordered: k is too large, or keys
// have no 64-bit code.
func FirstFew(kind sortkey.Kind, s cpu.Payload, k int, get column.Getter, o *call.Options, use func(first []uint32)) bool {
	return ways.Take(ways.SelectFew, !kind.Wide() && fitsFew(o, s.Len(), k), func() bool {
		firstFew(kind, s, k, get, o.Order(), use)
		return true
	})
}

// FirstKeys moves the first k of keys that are numbers to the front, in order; false, with nothing moved, if that is left to another way.
func FirstKeys(kind sortkey.Kind, s cpu.Payload, k int, o *call.Options) bool {
	n := s.Len()
	return ways.Take(ways.SelectFew, 0 < k && k <= n/mostFirst && servesPlain(kind, n, o), func() bool {
		if sortkey.CodeBits[kind] == 32 {
			p := plainOf[uint32](kind, s.Raw().Data(), n, o.Order())
			return p.moveFirst(kind, k, o.Order())
		}
		p := plainOf[uint64](kind, s.Raw().Data(), n, o.Order())
		return p.moveFirst(kind, k, o.Order())
	})
}

// RanksOfKeys returns the rows of ranks ks by a column of numbers that lie side by side; false if that is left to another way.
func RanksOfKeys(cols []extract.Column, rows extract.Input, ks []int, o *call.Options) (found []uint32, ok bool) {
	if len(cols) != 1 || len(ks) == 0 || len(ks) > mostNearRanks || !servesPlain(cols[0].Kind(), rows.Len, o) {
		return nil, false
	}
	col := cols[0].Under(o.Order())
	at := col.KeysAt(rows)
	ok = ways.Take(ways.SelectRanks, at != nil, func() bool {
		if sortkey.CodeBits[col.Kind()] == 32 {
			p := plainOf[uint32](col.Kind(), at, rows.Len, col.Order)
			found, ok = p.rowsOf(ks)
			return ok
		}
		p := plainOf[uint64](col.Kind(), at, rows.Len, col.Order)
		found, ok = p.rowsOf(ks)
		return ok
	})
	return found, ok
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

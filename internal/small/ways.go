package small

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/internal/ways"
)

// This file has all ways of the package. Each family has one, before its general way: a sort of codes. They take no memory besides that of
// the workspace.

// nearTexts does the way of texts, whose codes w holds.
func nearTexts[K texts.Key](w *cpu.Small[uint64], index []uint32, keys []K, known int, whole bool, o sortkey.Order, c *Call) (same, ok bool) {
	ok = ways.Take(ways.SmallInOrder, mayOrder(w.Codes[:len(keys)]), func() (ok bool) {
		same, ok = orderNearTexts(w, index, keys, known, whole, o, c)
		return ok
	})
	return same, ok
}

// nearWords does the way of keys of fixed size, whose leading words w holds, and whose rest is compared.
func nearWords(w *cpu.Small[uint64], index []uint32, rest func(i, j uint32) int) (same, ok bool) {
	codes := w.Codes[:len(index)]
	ok = ways.Take(ways.SmallInOrder, mayOrder(codes), func() (ok bool) {
		if w.Near.Begin(codes); w.Near.CompareTies(rest) {
			same, ok = w.Near.OrderBy(index, codes, rest)
		}
		return ok
	})
	return same, ok
}

// inOrder does the way of rows, whose codes w holds; see [rows.sortNear].
func (w *rows) inOrder(lo, hi, k int, whole bool, keys stream.Raw) bool {
	return ways.Take(ways.SmallInOrder, w.mayBeInOrder(lo, hi, k, whole), func() bool { return w.sortNear(hi-lo, whole, keys) })
}

// mayOrder reports whether few codes are out of place.
func mayOrder(codes []uint64) bool { return presorted.MayOrder(len(codes), presorted.StepsOf(codes)) }

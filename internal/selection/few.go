package selection

import (
	"math/bits"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
)

// The first k of few elements by one column are selected by their codes in pooled memory, and only
// those that may be among them are ordered. Other calls on few elements order all.

// fitsFew reports whether the first k of n elements, at most [cpu.SmallLen], are selected.
func fitsFew(o *call.Options, n, k int) bool {
	return k > 0 && max(k, leastWays) <= n/4 && !o.Monitored()
}

// firstFew is [FirstFew] of a kind with a code of 64 bits at most.
func firstFew(kind sortkey.Kind, s cpu.Payload, k int, get column.Getter, o sortkey.Order, use func(first []uint32)) {
	switch b := (extract.Batch{Block: s.Raw()}); {
	case get == nil && sortkey.CodeBits[kind] <= 32:
		firstCodes(s.Len(), k, use, func(codes []uint32) { sortkey.EncodeAt(kind, codes, s.Raw().Data(), o) })
	case get == nil:
		firstCodes(s.Len(), k, use, func(codes []uint64) { sortkey.EncodeAt(kind, codes, s.Raw().Data(), o) })
	case sortkey.CodeBits[kind] <= 32:
		firstCodes(s.Len(), k, use, func(codes []uint32) { extract.Extract(kind, codes, b, get, o) })
	default:
		firstCodes(s.Len(), k, use, func(codes []uint64) { extract.Extract(kind, codes, b, get, o) })
	}
}

// inOneCode reports whether the elements of a batch are selected by the codes of one column.
func inOneCode(cols []extract.Column, b extract.Batch) bool {
	return extract.InOneCode(cols) && (b.Block.Data() != nil || cols[0].InMemory())
}

// mostFewRanks is the most ranks of few elements that are selected one by one.
const mostFewRanks = 2

// fewRanks reports whether ranks of n elements are few enough to be selected one by one.
func fewRanks(n, ranks int) bool {
	return n >= ranks*leastSelected && 0 < ranks && ranks <= mostFewRanks && bucket.Splits()
}

// leastSelected is the number of elements from which the selection of one takes less time than an order.
const leastSelected = 128

// ranksBy returns the numbers of the elements of ranks ks by a column of a batch.
func ranksBy(col extract.Column, n int, ks []int, b extract.Batch) []uint32 {
	if col.Nulls == column.NoNulls && col.Bits() <= 32 {
		return ranksOfCodes(n, ks, func(codes []uint32) { col.Codes32(codes, b) })
	}
	return ranksOfCodes(n, ks, func(codes []uint64) { col.Codes(codes, b) })
}

// ranksOfCodes returns the numbers of ranks ks of n codes.
func ranksOfCodes[C sortkey.Code](n int, ks []int, extract func(codes []C)) (rows []uint32) {
	all, moved, memory := cpu.GetSmall[C](), cpu.GetSmall[C](), cpu.GetSmall[C]()
	defer all.Put()
	defer moved.Put()
	defer memory.Put()
	codes := all.Codes[:n]
	extract(codes)
	for _, k := range ks {
		copy(moved.Codes, codes)
		code, before := bucket.SelectCode(moved.Codes[:n], memory.Codes[:n], k)
		row, _ := placeOf(codes, code, k-before)
		rows = append(rows, uint32(row))
	}
	return rows
}

// placeOf returns the place of equal code number k, from 0, of at most [cpu.SmallLen] codes, and k less the number of those before
// it; place is -1 if there are too few.
func placeOf[C sortkey.Code](codes []C, code C, k int) (place, left int) {
	var upTo, below [cpu.SmallLen / 64]uint64
	loops.UpTo(upTo[:], codes, code)
	if code > 0 {
		loops.UpTo(below[:], codes, code-1)
	}
	for w := range (len(codes) + 63) / 64 {
		some := upTo[w] &^ below[w]
		if n := bits.OnesCount64(some); k >= n {
			k -= n
			continue
		}
		for ; k > 0; k-- {
			some &= some - 1
		}
		return 64*w + bits.TrailingZeros64(some), 0
	}
	return -1, k
}

// firstCodes passes the numbers of the first k of n codes to use.
func firstCodes[C sortkey.Code](n, k int, use func(first []uint32), extract func(codes []C)) {
	all, found := cpu.GetSmall[C](), cpu.GetSmall[uint64]()
	defer all.Put()
	defer found.Put()
	codes := all.Codes[:n]
	extract(codes)
	m := collect(found, codes, C(leastOf(found.Codes, codes, k)))
	order := all.Index[:m]
	found.Order(order)
	for i, at := range order[:k] {
		order[i] = found.Index[at]
	}
	use(order[:k])
}

// collect writes the codes up to most and their numbers to found, in input order, and returns how
// many there are.
func collect[C sortkey.Code](found *cpu.Small[uint64], codes []C, most C) (n int) {
	var masks [cpu.SmallLen / 64]uint64
	loops.UpTo(masks[:(len(codes)+63)/64], codes, most)
	for w, passed := range masks[:(len(codes)+63)/64] {
		for ; passed != 0; passed &= passed - 1 {
			i := w*64 + bits.TrailingZeros64(passed)
			found.Codes[n], found.Index[n] = uint64(codes[i]), uint32(i)
			n++
		}
	}
	return n
}

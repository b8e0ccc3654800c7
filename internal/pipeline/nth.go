package pipeline

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/perm"
)

// The k-th row of an order is found by a radix selection: all workers count the leading digit of
// the codes that are still in question, until few are. One worker selects from those, by whole
// keys.

const (
	findBits = 11      // of a digit: its counters are half of a first-level cache
	fewFound = 1 << 16 // candidates that are not counted again
)

// mostFound returns the largest number of candidates, of n elements, that one worker selects
// from. It takes 10 ms at most. All workers order eight times as many elements in that time.
func mostFound(n int) int { return min(n, max(fewFound, min(n/8, 1<<20))) }

// NthByColumns returns the numbers of the elements of s of ranks ks, 0 <= ks[i] < s.Len(), by the
// columns of an ordering.
func NthByColumns(by *small.Ordering, s cpu.Payload, ks []int, o *call.Options) ([]uint32, error) {
	if own := *o; by.Len() > 0 && isSmall(o, s.Len()) {
		own.Into, own.Marks = nil, nil
		return rowsAt(ks)(by.Order(s, &own))
	}
	return nthRows(by.Columns(), extract.InputOf(s), ks, *o)
}

// NthRows is NthByColumns of the rows 0 … n-1 by columns of row numbers, which it changes.
func NthRows(cols []extract.Column, n int, ks []int, o *call.Options) ([]uint32, error) {
	extract.ForRows(cols, n)
	if own := *o; len(cols) > 0 && isSmall(o, n) {
		own.Into, own.Marks = nil, nil
		return rowsAt(ks)(small.OrderRows(cols, n, &own))
	}
	return nthRows(cols, extract.RowNumbers(n), ks, *o)
}

// mostShared is the number of rows whose order is memory for the rows that are picked from it, so
// that few take one allocation.
const mostShared = 16

// rowsAt returns what picks the rows of ranks ks of an order, in memory of the order if that is small.
func rowsAt(ks []int) func(p perm.Perm, err error) ([]uint32, error) {
	return func(p perm.Perm, err error) ([]uint32, error) {
		if err != nil {
			return nil, err
		}
		var few [mostShared]uint32
		rows, order := []uint32(p), few[:]
		if len(p) <= mostShared && len(ks) <= len(p) {
			copy(order, p)
			rows = rows[:len(ks):len(ks)]
		} else {
			rows, order = make([]uint32, len(ks)), p
		}
		for i, k := range ks {
			rows[i] = order[k]
		}
		return rows, nil
	}
}

// nthRows returns the numbers of the rows of ranks ks, 0 <= ks[i] < rows.Len.
func nthRows(cols []extract.Column, rows extract.Input, ks []int, o call.Options) ([]uint32, error) {
	numbers := slices.Clone(ks)
	if err := nthsOf(cols, rows, numbers, false, o); err != nil {
		return nil, err
	}
	picked := make([]uint32, len(ks))
	for i, row := range numbers {
		picked[i] = uint32(row)
	}
	return picked, nil
}

// nthsOf replaces each k of ks, 0 <= k < rows.Len, by the number of the row that comes k-th, or of one
// that ties with it if any is set.
func nthsOf(cols []extract.Column, rows extract.Input, ks []int, any bool, o call.Options) error {
	r, err := begin(o, rows.Len)
	defer r.end()
	if err == nil && rows.Len > maxPositions {
		err = tooLong(rows.Len)
	}
	if err != nil || len(cols) == 0 || len(ks) == 0 {
		return err
	}
	r.spareCodes(rows, cols)
	words := extract.Words(cols, o.Order())
	r.most, rows.Arena = 0, &r.Arena
	err = r.decide(facts{verb: toFind, k: len(ks), words: words, sizes: []uintptr{rows.Slice.Size()}, numbered: rows.Numbered})
	if err != nil {
		return err
	}
	if r.plan.movement == inPlace {
		index := scratch.Take[uint32](&r.Arena, r.n)
		err := orderInPlace(r, rows, words, index)
		pickNumbers(ks, index)
		return err
	}
	words[0].Open(rows, &r.Env)
	if words[0].Bits <= 32 {
		return nthsBy(r, rows, words, ks, extract.Source32(rows, &words[0]), any)
	}
	return nthsBy(r, rows, words, ks, extract.Source64(rows, &words[0]), any)
}

// pickNumbers replaces each k of ks by the k-th number of an order.
func pickNumbers(ks []int, index []uint32) {
	for i, k := range ks {
		ks[i] = int(index[k])
	}
}

// nthOrdered returns the order of all rows, by codes that are there, as places in the input.
func nthOrdered[C sortkey.Code](r *request, rows extract.Input, words []extract.Word, codes []C) ([]uint32, error) {
	index := scratch.Take[uint32](&r.Arena, r.n)
	words[0].Extracted = true
	return index, orderCodes(r, rows, words, index, func(dst []C, lo int) { copy(dst, codes[lo:]) })
}

// interval is the codes from least to most, of n elements. The k-th of these, from 0, is wanted.
type interval[C sortkey.Code] struct {
	least, most C
	n, k        int
}

// extractAll writes the codes of src and returns the interval that they are in.
func extractAll[C sortkey.Code](r *request, codes []C, src cpu.Source[C]) (interval[C], error) {
	var least, less atomic.Uint64 // less is the complement of the largest code
	least.Store(1<<64 - 1)
	less.Store(1<<64 - 1)
	err := r.Stage("extract", r.n, r.Loop.Turn(r.n, engine.Block, selectPiece)/engine.Block*engine.Block, func(_, lo, hi int) {
		lowest, highest := ^C(0), C(0)
		for at := lo; at < hi && r.Loop.Err() == nil; at += engine.Block {
			block := codes[at:min(at+engine.Block, hi)]
			src(block, at)
			for _, c := range block {
				lowest, highest = min(lowest, c), max(highest, c)
			}
		}
		lower(&least, uint64(lowest))
		lower(&less, ^uint64(highest))
	})
	return interval[C]{least: C(least.Load()), most: C(^less.Load())}, r.Stopped(err)
}

// lower sets a to the lesser of a and value.
func lower(a *atomic.Uint64, value uint64) {
	for {
		if before := a.Load(); before <= value || a.CompareAndSwap(before, value) {
			return
		}
	}
}

// digits are the counters of a digit, by worker.
type digits [][]int

func newDigits(r *request) digits {
	all := make(digits, max(1, r.Loop.Workers))
	for i := range all {
		all[i] = scratch.Take[int](&r.Arena, 1<<findBits)
	}
	return all
}

// narrow reduces the interval to the codes that share the k-th one's leading digit.
func (in *interval[C]) narrow(r *request, codes []C, counts digits) error {
	if err := in.count(r, codes, counts); err != nil {
		return err
	}
	*in = in.part(counts[0], in.shift())
	return nil
}

// shift is the lowest bit of the leading digit, of findBits, of codes above the least.
func (in *interval[C]) shift() int { return in.shiftOf(findBits) }

// shiftOf is shift of digits of the given number of bits.
func (in *interval[C]) shiftOf(digit int) int {
	return max(0, bits.Len64(uint64(in.most-in.least))-digit)
}

// count counts the leading digits of the codes of the interval, in the counters of the first worker.
func (in *interval[C]) count(r *request, codes []C, counts digits) error {
	least, span, shift := in.least, in.most-in.least, in.shift()
	for _, own := range counts {
		clear(own)
	}
	err := r.Stage("select", r.n, r.piece(r.n), func(worker, lo, hi int) {
		own := (*[1 << findBits]int)(counts[worker])
		for _, c := range codes[lo:hi] {
			if d := c - least; d <= span {
				own[d>>(shift&63)%(1<<findBits)]++
			}
		}
	})
	for _, own := range counts[1:] {
		for digit, n := range own {
			counts[0][digit] += n
		}
	}
	return err
}

// part returns the interval of the codes that share the k-th one's leading digit, which begins at bit
// shift, by their counts.
func (in *interval[C]) part(counts []int, shift int) interval[C] {
	k := in.k
	for digit, n := range counts {
		if k < n {
			least := in.least + C(digit)<<shift
			return interval[C]{least, least + min(in.most-least, C(1)<<shift-1), n, k}
		}
		k -= n
	}
	panic("sorter: the codes changed during a selection")
}

// kth returns the k-th element whose code is the interval's only one.
func (in *interval[C]) kth(r *request, codes []C) (int, error) {
	k := in.k
	for i, c := range codes {
		if i%selectPiece == 0 && r.Loop.Err() != nil {
			break
		}
		if c != in.least {
			continue
		}
		if k == 0 {
			return i, nil
		}
		k--
	}
	return 0, r.Loop.Err()
}

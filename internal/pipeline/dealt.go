package pipeline

import (
	"slices"
	"sync"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// Rows whose first word has few values are ordered by the other words first, all together, and then dealt by
// the first. A sort of each run of ties reads the other codes in random sequence, and a short run takes
// longer per row.

// A sample of dealtSample rows has dealtSteps rises and falls at least by the first word, so that rows are not
// in order by it. leastDealt rows share a value on average; mostDealt bounds the rows, of which digits are read in
// random sequence. Codes of 32 bits move at half the cost of those of later words: with several workers
// mostNarrow bounds the rows.
const mostNarrow = 1 << 17
const dealtSample, dealtSteps, leastDealt, mostDealt = 64, 4, 16, 1 << 22 // EPYC, 2026-11: bench/results/constants.md

// mayDeal reports whether rows may be dealt by the first word.
func (f *Facts) mayDeal() bool {
	called := func(l extract.Word) bool { return !l.InMemory || !l.Exact() }
	most := mostDealt
	if f.Words[0].Bits <= 32 && f.workers > 1 {
		most = mostNarrow
	}
	return 2 <= len(f.Words) && len(f.Words) <= mostDealtWords && leastDealt*dealtSample <= f.n && f.n <= most &&
		f.Numbered && !f.Picked && !f.marked && f.limit == 0 && !slices.ContainsFunc(f.Words, called)
}

// dealtDigits returns the digits of rows by the first word, none unless they are to be dealt.
func (r *Request) dealtDigits(rows extract.Input, words []extract.Word) (all cpu.Digits) {
	src := extract.Source64(rows, &words[0])
	var codes [dealtSample]uint64
	for i := range codes {
		// At places of equal distance, sorted runs of that length would pass for rows in order.
		place := uint64(i)<<32 | uint64(uint32(i)*0x9e3779b1)
		src(codes[i:i+1], int(uint64(rows.Len)*place>>32/dealtSample))
	}
	v := presorted.SummaryOf(codes[:])
	if !fewDigits(v.Span(), rows.Len) || min(v.Falls, v.Rises) < dealtSteps {
		return all
	}
	return r.digitsOf(rows, src, max(v.Min, cpu.MostDealt)-cpu.MostDealt)
}

// mostDealtWords bounds the words of rows that are dealt: of more, all are passes over all rows, while most rows differ
// in the first few.
const mostDealtWords = 4 // EPYC, 2026-11: 8 columns of 1000 values, 10^6 rows, take 55 instead of 37 ns dealt

// fewDigits reports whether n rows are dealt by digits of a span.
func fewDigits(span uint64, n int) bool { return span < uint64(min(cpu.MostDealt, n/leastDealt)) }

// digitsOf returns the digits of rows by codes of src, less base; none if there are too many values, or one below base.
func (r *Request) digitsOf(rows extract.Input, src cpu.Source[uint64], base uint64) (all cpu.Digits) {
	all.Of = scratch.Take[uint16](&r.Arena, rows.Len)
	var mu sync.Mutex
	least, most := ^uint64(0), uint64(0)
	err := r.Stage("digits", rows.Len, r.piece(rows.Len), func(_, lo, hi int) {
		var codes [extract.Piece]uint64
		a, b := ^uint64(0), uint64(0)
		for few := true; lo < hi && few; lo += len(codes) {
			some := codes[:min(len(codes), hi-lo)]
			src(some, lo)
			of := all.Of[lo:][:len(some)]
			for i, c := range some {
				a, b = min(a, c), max(b, c)
				of[i] = uint16(c - base)
			}
			few = a >= base && b-base < 1<<16
		}
		mu.Lock()
		defer mu.Unlock()
		least, most = min(least, a), max(most, b)
	})
	// Row 0 is sampled: its digit is below 2*MostDealt, so few digits are below 3*MostDealt.
	const _ = uint16(3 * cpu.MostDealt)
	if err != nil || least < base || !fewDigits(most-least, rows.Len) {
		scratch.Give(&r.Arena, all.Of, r.Loop.Workers)
		return all
	}
	all.Least, all.Values = uint16(least-base), int(most-least)+1
	return all
}

// orderDealt writes the order of rows: by the words after the first, and then by its digits.
func orderDealt(t *task) (done bool, err error) {
	r := t.r
	by := r.dealtDigits(t.rows, t.f.Words)
	if by.Values == 0 {
		return false, nil
	}
	order := scratch.Take[uint32](&r.Arena, r.N)
	err = orderRows(r, t.rows, t.f.Words[1:], order, nil)
	r.Found("") // that of the later words says nothing of rows
	if err == nil {
		err = cpu.Deal(&r.Env, t.index, order, by)
		r.Trace.Ties = r.N
	}
	scratch.Give(&r.Arena, order, r.Loop.Workers)
	scratch.Give(&r.Arena, by.Of, r.Loop.Workers)
	return true, err
}

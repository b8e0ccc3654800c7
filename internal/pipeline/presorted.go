package pipeline

import (
	"math/bits"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/ties"
)

// Rows whose first word is in order are ordered within its runs of ties, as segments are: no row
// leaves its run, and most runs fit the cache.

// orderRuns writes the order of rows to index, by words that decide within runs of ties; src makes
// the codes of the first of them.
func orderRuns(r *request, rows extract.Input, words []extract.Word, runs engine.Ties, index []uint32, src cpu.Source[uint64]) error {
	err := orderWithinBy(r, rows, words, cpu.RunsOf(runs, r.n), index, src)
	r.foundRuns(runs)
	return err
}

// tiedRows returns the number of rows in runs of two or more.
func tiedRows(runs engine.Ties) (n int) {
	for i, word := range runs {
		after := uint32(0)
		if i+1 < len(runs) {
			after = runs[i+1] << 31
		}
		n += bits.OnesCount32(word | word>>1 | after)
	}
	return n
}

// sortRuns sorts s by words that decide within runs of ties.
func sortRuns(r *request, s cpu.Payload, words []extract.Word, runs engine.Ties, src cpu.Source[uint64]) error {
	index := scratch.Take[uint32](&r.Arena, r.n)
	if err := orderRuns(r, extract.InputOf(s), words, runs, index, src); err != nil {
		return err
	}
	return cpu.MoveWithin(&r.Env, cpu.RunsOf(runs, r.n), s, index)
}

// leadTies and leadPacked are the rows of a sample that tie in a leading column for it to be taken apart: one that
// fills a code alone, and one that others share. Those others are ordered with it in the time that runs of 10 take (EPYC,
// 2026-11, int32 and float32: runs of 1000 take 9 ns a row instead of 20, shorter ones than 10 longer).
const leadTies, leadPacked = ties.LeadRows / 2, ties.LeadRows * 15 / 16

// leadApart returns the words of an order by cols: packed, or with the first column by itself if rows are in order by
// it and not by the others. It sets the runs of rows that tie there, which are then segments.
func (r *request) leadApart(rows extract.Input, cols []extract.Column, packed []extract.Word) []extract.Word {
	if len(packed) == 0 || rows.Len < 2*ties.LeadRows || extract.LeadingNulls(packed) != extract.NoNulls ||
		r.Marks != nil || r.Env.Limit > 0 || r.Backend != nil || r.Algorithm != engine.Auto {
		return packed
	}
	words, least := packed, leadTies
	if packed[0].Columns() > 1 {
		words, least = extract.WordsEnding(cols, r.Order(), func(i int) bool { return i == 0 }), leadPacked
	}
	if len(words) > 1 {
		if r.lead = ties.LeadRuns(&r.Env, rows, words, least); r.lead != nil {
			return words
		}
	}
	return packed
}

// orderLead writes the order of rows to index, by the words after the first within the runs of this.
func (r *request) orderLead(rows extract.Input, words []extract.Word, index []uint32) error {
	err := orderWithin(r, rows, words[1:], cpu.RunsOf(r.lead, r.n), index)
	r.foundRuns(r.lead)
	return err
}

// foundRuns reports that runs of ties were segments.
func (r *request) foundRuns(runs engine.Ties) {
	r.Trace.Found(engine.Segmented)
	r.Trace.Ties = tiedRows(runs)
}

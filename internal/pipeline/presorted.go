package pipeline

import (
	"math/bits"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/presorted/bywords"
	"example.com/sorter/internal/scratch"
)

// Rows whose first word is in order are ordered within its runs of ties, as segments are: no row
// leaves its run, and most runs fit the cache.

// orderRuns writes the order of rows to index, by words that decide within runs of bywords.
func orderRuns(r *Request, rows extract.Input, rest bywords.Rest, index []uint32) error {
	err := orderWithinBy(r, rows, rest.Words, cpu.RunsOf(rest.Runs, r.N), index, rest.Source)
	r.foundRuns(rest.Runs)
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

// sortRuns sorts s by words that decide within runs of bywords.
func sortRuns(r *Request, s cpu.Payload, rest bywords.Rest) error {
	index := scratch.Take[uint32](&r.Arena, r.N)
	if err := orderRuns(r, extract.InputOf(s), rest, index); err != nil {
		return err
	}
	return cpu.MoveWithin(&r.Env, cpu.RunsOf(rest.Runs, r.N), s, index)
}

// leadTies and leadPacked are the rows of a sample that tie in a leading column for it to be taken apart: one that
// fills a code alone, and one that others share. Those others are ordered with it in the time that runs of 10 take (EPYC,
// 2026-11, int32 and float32: runs of 1000 take 9 ns a row instead of 20, shorter ones than 10 longer).
const leadTies, leadPacked = bywords.LeadRows / 2, bywords.LeadRows * 15 / 16

// mayLead reports whether the first column may be taken apart.
func (f *Facts) mayLead() bool {
	return !f.part && !f.marked && f.free && f.n >= 2*bywords.LeadRows && extract.LeadingNulls(f.Words) == column.NoNulls &&
		f.lead != nil && f.lead()
}

// leadInOrder finds the runs of rows that tie in the first column if rows are in order by it, and not by the others.
func (t *task) leadInOrder() bool {
	r, words, least := t.r, t.f.Words, leadTies
	if words[0].Columns() > 1 {
		words, least = extract.WordsEnding(t.cols, r.Order(), func(i int) bool { return i == 0 }), leadPacked
	}
	if len(words) > 1 {
		t.leading, t.runs = words, bywords.LeadRuns(&r.Env, t.rows, words, least)
	}
	return t.runs != nil
}

// orderSegments writes the order of rows: runs of rows that tie in the first column are segments, which are ordered by
// the others.
func orderSegments(t *task) (done bool, err error) {
	r := t.r
	r.untranslated, r.used.CodeBits = t.rows.Picked != nil, t.leading[0].Bits
	err = OrderInSegments(r, t.rows, t.leading[1:], cpu.RunsOf(t.runs, r.N), t.index)
	r.foundRuns(t.runs)
	return true, r.translate(t.rows, t.index, err)
}

// foundRuns reports that runs of ties were segments.
func (r *Request) foundRuns(runs engine.Ties) {
	r.Found(engine.Segmented)
	r.Trace.Ties = tiedRows(runs)
}

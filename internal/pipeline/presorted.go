package pipeline

import (
	"math/bits"
	"sync/atomic"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
)

// Rows whose first word is in order are ordered within its runs of ties, as segments are: no row
// leaves its run, and most runs fit the cache.

// orderRuns writes the order of rows to index, by words that decide within runs of ties; src makes
// the codes of the first of them.
func orderRuns(r *run, rows extract.Input, words []extract.Word, runs engine.Ties, index []uint32, src cpu.Source[uint64]) error {
	err := orderWithinBy(r, rows, words, cpu.RunsOf(runs, r.n), index, src)
	r.Trace.Found(engine.Segmented)
	r.Trace.Ties = tiedRows(runs)
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
func sortRuns(r *run, s cpu.Payload, words []extract.Word, runs engine.Ties, src cpu.Source[uint64]) error {
	index := scratch.Take[uint32](&r.Arena, r.n)
	if err := orderRuns(r, extract.InputOf(s), words, runs, index, src); err != nil {
		return err
	}
	return cpu.MoveWithin(&r.Env, cpu.RunsOf(runs, r.n), s, index)
}

// leadSamples are the places, of leadSample rows each, at which a leading column is sampled. It is
// ordered apart if leadTies of the sample tie with their predecessors: with runs of 1000 rows that
// takes 9 ns a row instead of 20, with runs of 10 as long, with shorter ones longer (EPYC, 2026-11,
// int32 and float32).
const leadSamples, leadSample, leadTies = 16, 64, 16 * 63 * 15 / 16

// leadApart returns the words of an order by cols: packed, or with the first column by itself if it
// is in order and the others are not. Its runs are then segments. It reads columns that lie in slices
// only: other keys are asked for once.
func (r *run) leadApart(rows extract.Input, cols []extract.Column, packed []extract.Word) []extract.Word {
	if len(packed) == 0 || packed[0].Columns() < 2 || !packed[0].Given || rows.Len < 2*leadSamples*leadSample ||
		extract.LeadingNulls(packed) != extract.NoNulls ||
		r.Marks != nil || r.Env.Limit > 0 || r.Backend != nil || r.Algorithm != engine.Auto {
		return packed
	}
	apart := extract.WordsEnding(cols, r.Order(), func(i int) bool { return i == 0 })
	lead := r.codesOf(rows, &apart[0])
	if up, ties := lead.sampled(); !up || ties < leadTies {
		return packed
	}
	if up, _ := r.codesOf(rows, &packed[0]).sampled(); up || !lead.inOrder(r) {
		return packed
	}
	return apart
}

// leadCodes are the codes of a word of n rows.
type leadCodes struct {
	n   int
	src cpu.Source[uint64]
}

func (r *run) codesOf(rows extract.Input, word *extract.Word) leadCodes {
	own := extract.Fresh([]extract.Word{*word})
	own[0].Open(rows, &r.Env)
	return leadCodes{rows.Len, extract.Source64(rows, &own[0])}
}

// sampled reports whether a sample rises, and how many codes of it tie with their predecessors.
func (c leadCodes) sampled() (rises bool, ties int) {
	var codes [leadSample]uint64
	last := uint64(0)
	for i := range leadSamples {
		c.src(codes[:], (c.n-leadSample)/(leadSamples-1)*i)
		steps := cpu.StepsOf(codes[:])
		if codes[0] < last || steps.Falls > 0 {
			return false, ties
		}
		last, ties = codes[leadSample-1], ties+steps.Ties
	}
	return true, ties
}

// inOrder reports whether all codes rise.
func (c leadCodes) inOrder(r *run) bool {
	var falls atomic.Bool
	err := r.Stage("survey", c.n, r.piece(c.n), func(_, lo, hi int) {
		var codes [extract.Piece + 1]uint64
		for lo = max(lo-1, 0); lo < hi && !falls.Load(); lo += extract.Piece { // with the one before
			some := codes[:min(len(codes), hi-lo)]
			c.src(some, lo)
			if cpu.StepsOf(some).Falls > 0 {
				falls.Store(true)
			}
		}
	})
	return err == nil && !falls.Load()
}

package bywords

import (
	"math/bits"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// Keys that lie in memory are read twice for less than their codes take to be stored: rows that are in order by
// the first word are found before a sort begins.

// A sample has leadSample rows at each of leadSamples places. LeadRows is their number.
const leadSamples, leadSample, LeadRows = 16, 64, 16 * 64

// LeadRuns returns the runs of rows that tie in the first of two words or more. It returns nil if one of these holds:
//
//   - rows are not in order by the first word
//   - keys of the first two words do not lie in memory
//   - fewer than leastTied rows of a sample tie with their predecessors
//   - these are in order by later words, too
//
// It stores no codes. There are 2*LeadRows rows or more.
func LeadRuns(env *engine.Env, rows extract.Input, words []extract.Word, leastTied int) engine.Ties {
	if !words[0].InMemory || !words[1].InMemory {
		return nil
	}
	words = extract.Fresh(words)
	words[0].Open(rows, env)
	if words[0].Bits <= 32 {
		return leadRuns(env, rows, words, leastTied, extract.Source32(rows, &words[0]))
	}
	return leadRuns(env, rows, words, leastTied, extract.Source64(rows, &words[0]))
}

func leadRuns[C sortkey.Code](env *engine.Env, rows extract.Input, words []extract.Word, leastTied int, src cpu.Source[C]) engine.Ties {
	l := &words[0]
	mark := func(w *runFinder[C], runs engine.Ties, lo, hi int) (tied int, falls bool) {
		switch {
		case l.FindsTies():
			return w.texts(runs, rows, lo, hi)
		case l.Exact():
			return markBlock(runs, w.codesOf(src, lo&^31, hi), lo)
		}
		return w.compare(runs, w.codesOf(src, lo, hi), lo)
	}
	sampled := func(w *runFinder[C], runs engine.Ties) bool {
		var tied [leadSamples]uint64
		ties := 0
		for i := range tied {
			lo := leadPlace(i, rows.Len)
			if _, falls := mark(w, runs, lo, lo+leadSample); falls {
				return false
			}
			tied[i] = uint64(runs[lo/32]) | uint64(runs[lo/32+1])<<32
			ties += bits.OnesCount64(tied[i])
		}
		return ties >= leastTied && disordered(env, rows, words[1:], &tied)
	}
	return findRuns(env, l, rows.Len, sampled, mark)
}

// leadPlace returns the first row of the i-th part of a sample of n rows: it has a predecessor, and a word of marks
// begins with it.
func leadPlace(i, n int) int { return (n-leadSample-32)/(leadSamples-1)*i&^31 + 32 }

// block returns memory for the codes of rows [lo, hi) and of row lo-1, if there is one.
func (w *runFinder[C]) block(lo, hi int) []C {
	if w.codes == nil {
		w.codes = scratch.Take[C](&w.env.Arena, runBlock+1)
	}
	return w.codes[:hi-max(lo-1, 0)]
}

// codesOf returns the codes of rows [lo, hi) after that of row lo-1, if there is one.
func (w *runFinder[C]) codesOf(src cpu.Source[C], lo, hi int) []C {
	codes := w.block(lo, hi)
	src(codes, max(lo-1, 0))
	return codes
}

// texts marks the rows [lo, hi) whose texts equal those of their predecessors. Their codes have 64 bits.
func (w *runFinder[C]) texts(runs engine.Ties, rows extract.Input, lo, hi int) (tied int, falls bool) {
	codes := sortkey.As[uint64](w.block(lo, hi))
	rows.Block(w.word, lo, hi, func(b extract.Batch) {
		at, seen := w.word.Full.(extract.TieFinder).PrefixTied(codes[:hi-lo], b, lo == 0, w.ofBlock())
		markRows(runs, at)
		tied, falls = len(at), seen.Falls > 0
	})
	return tied, falls
}

// disordered reports whether words find a row of a sample, one of those with bits in tied, below its predecessor. It
// ends at a word whose keys do not lie in memory, and after one whose codes leave open which keys tie.
func disordered(env *engine.Env, rows extract.Input, words []extract.Word, tied *[leadSamples]uint64) bool {
	var codes [leadSample + 1]uint64
	for k := range words {
		l := &words[k]
		if !l.InMemory {
			break
		}
		l.Open(rows, env)
		src := extract.Source64(rows, l)
		for i := range tied {
			var up, down [leadSample / 64]uint64
			src(codes[:], leadPlace(i, rows.Len)-1)
			presorted.StepBits(up[:], down[:], codes[:])
			if down[0]&tied[i] != 0 {
				return true
			}
			tied[i] &^= up[0]
		}
		if !l.Exact() {
			break
		}
	}
	return false
}

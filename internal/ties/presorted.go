package ties

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// Rows whose first word is in order are sorted run by run: each run of rows that tie there is a
// segment, which lies in one place and is ordered by the words after the first.

// leastTied is the share of rows, 1/leastTied, that tie with their predecessors at least. With
// fewer only the ties are read.
const leastTied = 4

// GoesOn reports whether the words after the first decide: if all first codes are equal and hold
// whole keys, or, where runs of rows tie in the first word, within these runs. See [Breaker.Runs].
func (f Refiner[C]) GoesOn(codes []C, flat bool) bool {
	t := f.Breaker
	switch l := &t.Words[0]; {
	case len(t.Words) == 1:
		return false
	case flat && l.Exact():
		return t.Words[1].Early.Codes != nil
	case !t.Early || len(codes) < 2*engine.Block:
		return false
	}
	return findRuns(t, codes)
}

// Runs returns the rows that tie with their predecessors in the first word, nil if all do.
func (t *Breaker) Runs() engine.Ties { return t.runs }

// findRuns finds the runs of rows that tie in the first word, whose codes are in order. It reports
// whether whole keys are in order, too, and enough rows tie.
func findRuns[C sortkey.Code](t *Breaker, codes []C) bool {
	n, l := len(codes), &t.Words[0]
	runs := engine.Ties(scratch.Take[uint32](&t.Env.Arena, engine.TieWords(n)))
	clear(runs)
	var tied atomic.Int64
	var fall atomic.Bool
	whole := l.Whole()
	err := t.Env.Stage("runs", n, cpu.GatherPiece(t.Env, n), func(_, lo, hi int) {
		if whole {
			tied.Add(int64(markRuns(runs, codes, lo, hi)))
			return
		}
		for ; lo < hi && !fall.Load() && t.Env.Loop.Err() == nil; lo += engine.Block {
			count, falls := t.compareRuns(runs, sortkey.As[uint64](codesOf(codes, lo, min(lo+engine.Block, hi))), lo)
			if tied.Add(int64(count)); falls {
				fall.Store(true)
			}
		}
	})
	if err != nil || t.Env.Loop.Err() != nil || fall.Load() || tied.Load() < int64(n/leastTied) {
		scratch.Give(&t.Env.Arena, runs, 1)
		return false
	}
	t.runs = runs
	return true
}

// codesOf returns the codes of rows [lo, hi) after that of row lo-1, if there is one.
func codesOf[C sortkey.Code](codes []C, lo, hi int) []C { return codes[max(lo-1, 0):hi] }

// markRuns marks the rows [lo, hi) whose codes tie with their predecessors, and returns how many do.
func markRuns[C sortkey.Code](runs engine.Ties, codes []C, lo, hi int) (tied int) {
	for from := lo &^ 31; from < hi; from += engine.Block { // neighbouring workers share a word
		tied += markBlock(runs, codesOf(codes, from, min(from+engine.Block, hi)), from, lo)
	}
	return tied
}

// markBlock is markRuns for at most a block of rows from a multiple of 32 on, by the codes of these
// after that of the row before. It leaves out the rows before lo.
func markBlock[C sortkey.Code](runs engine.Ties, codes []C, from, lo int) (tied int) {
	var rises, falls [engine.Block / 64]uint64
	cpu.StepBits(rises[:], falls[:], codes)
	rows, shift, carry := len(codes)-1, 0, uint64(0)
	if from == 0 { // the first row has no step: bit i is of row i+1
		rows, shift, carry = rows+1, 1, 1
	}
	for at := 0; at < rows; at += 64 {
		steps := rises[at/64] | falls[at/64]
		changed := steps<<shift | carry
		carry = steps >> (64 - shift)
		for k := at; k < min(at+64, rows); k += 32 {
			word := ^uint32(changed >> (k - at))
			first, end := max(lo-from-k, 0), rows-k
			if word = word >> first << first; end < 32 {
				word &= 1<<end - 1
			}
			tied += bits.OnesCount32(word)
			if first == 0 && end >= 32 {
				runs[(from+k)/32] = word
			} else if word != 0 {
				atomic.OrUint32(&runs[(from+k)/32], word)
			}
		}
	}
	return tied
}

// compareRuns marks the rows from lo on whose whole keys of the first word equal those of their
// predecessors, and returns how many do. falls reports that one is less.
func (t *Breaker) compareRuns(runs engine.Ties, codes []uint64, lo int) (tied int, falls bool) {
	w := t.spareWorker()
	defer t.spare.Put(w)
	if w.tied == nil {
		w.tied = scratch.In[uint32](&t.Env.Arena, layOutTied(nil))
	}
	at, _ := tiesOf(w.tied, codes, uint32(max(lo, 1)))
	l := &t.Words[0]
	at, seen := l.Full.Follow(at, l.PrefixBits)
	for i := 0; i < len(at); {
		word, first := uint32(0), int(at[i])/32
		for ; i < len(at) && int(at[i])/32 == first; i++ {
			word |= 1 << (at[i] % 32)
		}
		atomic.OrUint32(&runs[first], word)
	}
	return len(at), seen.Falls > 0
}

// Rest returns the words after the first and the source of the codes of the second.
func (t *Breaker) Rest() ([]extract.Word, cpu.Source[uint64]) {
	rest := slices.Clone(t.Words[1:])
	if t.Words[1].Early.Codes == nil || t.Words[1].Given { // keys that lie in slices are read twice for less
		rest[0].Open(t.Input, t.Env)
		return rest, extract.Source64(t.Input, &rest[0])
	}
	rest[0].Early, rest[0].Begun = extract.Early{}, true
	return rest, func(dst []uint64, lo int) { copy(dst, t.codesEarly(1, lo, len(dst))) }
}

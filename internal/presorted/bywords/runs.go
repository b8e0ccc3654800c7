package bywords

import (
	"bytes"
	"math/bits"
	"slices"
	"sync/atomic"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// Rows whose first word is in order are sorted run by run: each run of rows that tie there is a
// segment, which lies in one place and is ordered by the words after the first.

// leastTiedRows is the share of rows, 1/leastTiedRows, that tie with their predecessors at least. With
// fewer only the ties are read.
const leastTiedRows = 4

// RestDecides reports whether the words after the first decide, if all first codes are equal. See [Steps.Rest].
func (t *Steps[C]) RestDecides() bool {
	return len(t.Words) > 1 && t.Words[0].Exact() && t.Words[1].Early.Codes != nil
}

// RunsDecide reports whether the words after the first decide within runs of rows that tie in it, for first codes
// in order. See [Steps.Rest].
func (t *Steps[C]) RunsDecide(codes []C) bool {
	if n := len(codes); len(t.Words) == 1 || !t.Early || n < 2*engine.Block || codes[0] == codes[n-1] && t.Words[0].Exact() {
		return false
	}
	mark := func(w *runFinder[C], runs engine.Ties, lo, hi int) (tied int, falls bool) {
		return w.compare(runs, codesOf(codes, lo, hi), lo)
	}
	if t.Words[0].Whole() {
		mark = func(_ *runFinder[C], runs engine.Ties, lo, hi int) (tied int, falls bool) {
			return markBlock(runs, codesOf(codes, lo&^31, hi), lo)
		}
	}
	t.runs = findRuns(t.Env, &t.Words[0], len(codes), nil, mark)
	return t.runs != nil
}

// runFinder is the workspace of one worker that finds runs.
type runFinder[C sortkey.Code] struct {
	env   *engine.Env
	word  *extract.Word
	codes []C      // of a block and the row before it, taken when first used
	tied  []uint32 // rows of a block that tie, taken when first used
}

// runBlock is the number of rows that are marked at a time: their codes stay in the first-level cache.
const runBlock = engine.Block / 4

// runMarker marks the rows [lo, hi), within a block from lo&^31 on, that tie with their predecessors. It returns
// how many do, and whether one is less.
type runMarker[C sortkey.Code] func(w *runFinder[C], runs engine.Ties, lo, hi int) (tied int, falls bool)

// findRuns finds the runs of n rows that tie in a word; nil unless rows are in order by it and enough tie.
// Unless sampled is nil, it has to hold first.
func findRuns[C sortkey.Code](env *engine.Env, l *extract.Word, n int, sampled func(w *runFinder[C], runs engine.Ties) bool, mark runMarker[C]) engine.Ties {
	runs := engine.Ties(scratch.Take[uint32](&env.Arena, engine.TieWords(n)))
	clear(runs)
	work := make([]runFinder[C], max(1, env.Loop.Workers))
	for i := range work {
		work[i].env, work[i].word = env, l
	}
	defer func() {
		for i := range work {
			scratch.Give(&env.Arena, work[i].codes, 1)
			scratch.Give(&env.Arena, work[i].tied, 1)
		}
	}()
	var tied atomic.Int64
	var fall atomic.Bool
	if sampled != nil && !sampled(&work[0], runs) {
		fall.Store(true)
	}
	err := env.Stage("runs", n, cpu.GatherPiece(env, n), func(worker, lo, hi int) {
		for lo < hi && !fall.Load() && env.Loop.Err() == nil {
			end := min(lo&^31+runBlock, hi)
			count, falls := mark(&work[worker], runs, lo, end)
			if tied.Add(int64(count)); falls {
				fall.Store(true)
			}
			lo = end
		}
	})
	if err != nil || env.Loop.Err() != nil || fall.Load() || tied.Load() < int64(n/leastTiedRows) {
		scratch.Give(&env.Arena, runs, 1)
		return nil
	}
	return runs
}

// codesOf returns the codes of rows [lo, hi) after that of row lo-1, if there is one.
func codesOf[C sortkey.Code](codes []C, lo, hi int) []C { return codes[max(lo-1, 0):hi] }

// markBlock marks those of at most a block of rows, from lo&^31 on, whose codes tie with their predecessors, and
// returns how many do, and whether one is less. It has their codes after that of the row before, and leaves out the
// rows before lo.
func markBlock[C sortkey.Code](runs engine.Ties, codes []C, lo int) (tied int, fell bool) {
	var rises, falls [runBlock / 64]uint64
	presorted.StepBits(rises[:], falls[:], codes)
	from := lo &^ 31
	rows, shift, carry, fall := len(codes)-1, 0, uint64(0), uint64(0)
	if from == 0 { // the first row has no step: bit i is of row i+1
		rows, shift, carry = rows+1, 1, 1
	}
	for at := 0; at < rows; at += 64 {
		fall |= falls[at/64]
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
				atomic.OrUint32(&runs[(from+k)/32], word) // neighbouring workers share a word
			}
		}
	}
	return tied, fall != 0
}

// ofBlock returns memory for the rows of a block that tie.
func (w *runFinder[C]) ofBlock() []uint32 {
	if w.tied == nil {
		w.tied = scratch.In[uint32](&w.env.Arena, sizeTied(nil))
	}
	return w.tied
}

// compare marks the rows from lo on whose whole keys equal those of their predecessors, by codes after that
// of row lo-1.
func (w *runFinder[C]) compare(runs engine.Ties, codes []C, lo int) (tied int, falls bool) {
	at, byCodes := tiesOf(w.ofBlock(), codes, uint32(max(lo, 1)))
	at, seen := w.word.Full.Follow(at, w.word.PrefixBits)
	markRows(runs, at)
	return len(at), byCodes.Falls+seen.Falls > 0
}

// markRows marks rows that tie.
func markRows(runs engine.Ties, at []uint32) {
	for i := 0; i < len(at); {
		word, first := uint32(0), int(at[i])/32
		for ; i < len(at) && int(at[i])/32 == first; i++ {
			word |= 1 << (at[i] % 32)
		}
		atomic.OrUint32(&runs[first], word)
	}
}

// Rest is what decides after the first word, where that is in order.
type Rest struct {
	Words  []extract.Word
	Source cpu.Source[uint64] // of the codes of the first of them
	Runs   engine.Ties        // of rows that tie in the word before, within which Words decide; nil: all do
}

// Rest returns the words after the first.
func (t *Steps[C]) Rest() Rest {
	rest := Rest{Words: slices.Clone(t.Words[1:]), Runs: t.runs}
	if t.Words[1].Early.Codes == nil || t.Words[1].InMemory { // keys that lie in slices are read twice for less
		rest.Words[0].Open(t.Input, t.Env)
		rest.Source = extract.Source64(t.Input, &rest.Words[0])
		return rest
	}
	early := t.Words[1].Early
	rest.Words[0].Early, rest.Words[0].Extracted = extract.Early{}, true
	rest.Source = func(dst []uint64, lo int) {
		if hi := lo + len(dst); bytes.IndexByte(early.Done[lo:hi], 1) < 0 { // none is known, and none is asked for again
			t.Input.Block(&t.Words[1], lo, hi, func(b extract.Batch) { t.Words[1].Codes(dst, b) })
			return
		}
		copy(dst, t.ReadRange(1, lo, len(dst)))
	}
	return rest
}

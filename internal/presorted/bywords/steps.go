// Package bywords compares neighbours by whole keys, word by word, for package presorted. It also finds the runs of rows
// that tie in the first word, where rows are in order by that.
package bywords

import (
	"sort"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// Nearly sorted inputs, ascending or descending, are found while the first codes are extracted.
// Neighbours whose codes tie are compared by full keys and later columns, until there are too
// many rises and too many falls. A separate pass would read every element again.
//
// Codes are stored, although an input in order needs none. Dropping them, and making them again where
// needed from the fields that keys equal, was no faster: 14.3 instead of 15.4 ns for 40-byte elements by a
// name and a float64, but 3.6 instead of 2.0 for 24-byte elements by a float32 (one worker of an EPYC,
// 2026-11). Calls of key functions and comparisons take the time.

// mostBlockSteps limits the comparison of ties: those of a block with more steps in the rarer direction are not compared.
// Comparisons extract codes of later words early, which then move with the elements: 9 bytes per element and word (one
// worker of an EPYC, 2026-11, ns per row by a string of 4096, then a float64: random 53 and 44, one in 20 a stray 47 and 40).
const mostBlockSteps = engine.Block / 128

// Steps compares neighbours by whole keys, word by word, while the codes of the first word are extracted. It is a
// [cpu.KeyComparer].
type Steps[C sortkey.Code] struct {
	*extract.Keys
	Source cpu.Source[C] // of the codes of the first word
	Early  bool          // later words are compared, too, and codes of these kept
	spare  scratch.Spares[worker]
	own    *extract.Reader // of Compare, taken when first used unless there is one word
	runs   engine.Ties     // of the first word, see Rest
}

// worker is the workspace of one worker.
type worker struct {
	extract.Reader
	tied  []uint32              // elements that tie with the one before
	ties  engine.Ties           // where they are marked
	some  [extract.Piece]uint32 // those and the ones before, where few follow each other
	codes [extract.Piece]uint64 // their codes
}

// workerBytes is the size of a workspace.
const workerBytes = int64(unsafe.Sizeof(worker{}))

// Bytes bounds the memory, in bytes, of the workspaces of steps, for elements of the given size.
func Bytes(workers int, element uintptr, words []extract.Word) int64 {
	var a scratch.Area
	if !extract.Decisive(words) {
		a.Times(workers, func() {
			a.Hold(workerBytes)
			sizeTied(&a)
			if len(words) > 1 {
				extract.SizeReader(&a, element)
			}
		})
	}
	return a.Bytes()
}

// work returns a workspace. The caller puts it back.
func (t *Steps[C]) work() *worker {
	w := t.spare.Get()
	if w == nil {
		w = new(worker)
		t.Env.Arena.Hold(workerBytes)
	}
	return w
}

// Compare compares two elements whose first codes are equal. It extracts missing codes of
// later words.
func (t *Steps[C]) Compare(i, j uint32) int {
	if !t.Concurrent() && t.own == nil {
		t.own = &t.work().Reader
	}
	return t.Keys.Compare(t.own, i, j)
}

// Concurrent reports whether there is one word: then Compare extracts nothing.
func (t *Steps[C]) Concurrent() bool { return len(t.Words) == 1 }

// Finer returns the codes of texts after the bytes that all of them share.
func (t *Steps[C]) Finer(codes []C, least, most C) cpu.Source[C] {
	l := &t.Words[0]
	if wide, ok := any(codes).([]uint64); !ok || !l.SkipShared(t.Env, wide, uint64(least), uint64(most)) {
		return nil
	}
	return func(dst []C, lo int) { l.Again(sortkey.As[uint64](dst), lo) }
}

// Follow is that of a [cpu.KeyComparer].
func (t *Steps[C]) Follow(codes []C, lo, fresh int, ties engine.Ties) (seen presorted.Steps) {
	w := t.work()
	defer t.spare.Put(w)
	w.ties = ties
	if w.tied == nil {
		w.tied = scratch.In[uint32](&t.Env.Arena, sizeTied(nil))
	}
	known, tied := len(codes)-fresh, w.tied
	if l := &t.Words[0]; fresh > 0 && l.FindsTies() {
		t.Input.Block(l, lo+known, lo+len(codes), func(b extract.Batch) {
			tied, seen = l.Full.(extract.TieFinder).PrefixTied(sortkey.As[uint64](codes[known:]), b, known == 0, tied)
		})
		if t.Env.Loop.Err() != nil {
			return seen // and codes are left out
		}
		if seen.Disorder() > mostBlockSteps {
			return unfinished(tied, seen)
		}
		return t.followAfter(w, tied, 0, seen)
	}
	t.Source(codes[known:], lo+known)
	if t.Env.Loop.Err() != nil {
		return seen // and codes are left out
	}
	if t.Early && len(t.Words) > 1 && t.Words[0].Exact() {
		if seen = presorted.StepsOf(codes); seen.Ties*leastTiedBlock >= len(codes) && seen.Disorder() <= mostBlockSteps {
			return t.followBits(w, codes, lo, seen)
		}
	}
	if tied, seen = tiesOf(tied, codes, uint32(lo+1)); seen.Disorder() > mostBlockSteps {
		return unfinished(tied, seen)
	}
	return t.followTied(w, tied, 0, seen)
}

// sizeTied sizes the elements of a block that tie.
func sizeTied(a *scratch.Area) scratch.Memory { return a.Memory(engine.Block, 4) }

// unfinished counts elements whose comparison was not finished as rises, as ties and as falls.
func unfinished(tied []uint32, seen presorted.Steps) presorted.Steps {
	return seen.Plus(presorted.Steps{Rises: len(tied), Ties: len(tied), Falls: len(tied)})
}

// tiesOf counts the steps of elements first, first+1, … by codes; codes[0] is that of element
// first-1. It returns the elements that tie with their predecessors, in memory of out;
// len(out) >= len(codes)-1.
func tiesOf[C sortkey.Code](out []uint32, codes []C, first uint32) (tied []uint32, seen presorted.Steps) {
	if seen = presorted.StepsOf(codes); seen.Ties == 0 {
		return out[:0], seen
	}
	if seen.Ties == len(codes)-1 {
		for i := range codes[1:] {
			out[i] = first + uint32(i)
		}
		return out[:seen.Ties], presorted.Steps{}
	}
	n, last := 0, codes[0]
	for i, c := range codes[1:] { // no branch: which codes tie cannot be predicted
		out[n] = first + uint32(i)
		if c == last {
			n++
		}
		last = c
	}
	seen.Ties = 0
	return out[:n], seen
}

// followTied adds to seen the steps of the elements at, which tie with their predecessors on
// the codes of word and of all words before it. It overwrites at.
func (t *Steps[C]) followTied(w *worker, at []uint32, word int, seen presorted.Steps) presorted.Steps {
	if l := &t.Words[word]; len(at) > 0 && !l.Whole() {
		still, steps := l.Full.Follow(at, l.PrefixBits)
		at, seen = still, seen.Plus(steps)
	}
	return t.followAfter(w, at, word, seen)
}

// followAfter is followTied for elements that tie on the full keys of word, too.
func (t *Steps[C]) followAfter(w *worker, at []uint32, word int, seen presorted.Steps) presorted.Steps {
	switch word++; {
	case len(at) == 0:
		return seen
	case word == len(t.Words):
		return w.ofTies(at, seen)
	case !t.Early:
		return unfinished(at, seen)
	}
	return t.followWord(w, at, word, seen)
}

// ofTies adds to seen the steps of the elements at, which tie with their predecessors, and marks them if no
// other rises.
func (w *worker) ofTies(at []uint32, seen presorted.Steps) presorted.Steps {
	switch n := len(at); {
	case n == 0 || seen.Rises > 0:
	case int(at[n-1]-at[0]) == n-1: // all are neighbours
		w.ties.SetAll(int(at[0]), int(at[0])+n)
	default:
		for _, x := range at {
			w.ties.Set(int(x))
		}
	}
	return seen.Plus(presorted.Steps{Ties: len(at)})
}

// followWord is followTied for elements that tie on everything before word. It compares the
// codes of word.
func (t *Steps[C]) followWord(w *worker, at []uint32, word int, seen presorted.Steps) presorted.Steps {
	t.Open(word, true)
	still := at[:0]
	for len(at) > 0 {
		k, n := rowOf(at)
		var tied []uint32
		var steps presorted.Steps
		if n > column.OnStack {
			tied, steps = followRow(at[:k], t.ReadRange(word, int(at[0])-1, n))
		} else {
			k = min(len(at), extract.Piece/2)
			tied, steps = t.followFew(w, at[:k], word)
		}
		still, seen = append(still, tied...), seen.Plus(steps)
		at = at[k:]
	}
	return t.followTied(w, still, word, seen)
}

// followRow counts the steps of the elements at by codes, which start with the code of element
// at[0]-1. It returns the elements that tie with their predecessors, in memory of at.
func followRow(at []uint32, codes []uint64) (tied []uint32, seen presorted.Steps) {
	if len(codes) == len(at)+1 { // all are neighbours
		if seen = presorted.StepsOf(codes); seen.Ties == 0 {
			return at[:0], seen
		}
	}
	n, falls, first := 0, 0, at[0]
	for _, x := range at { // no branch, as in tiesOf
		i := int(x - first)
		a, b := codes[i], codes[i+1]
		at[n] = x
		if a == b {
			n++
		}
		if b < a {
			falls++
		}
	}
	return at[:n], presorted.Steps{Rises: len(at) - n - falls, Falls: falls}
}

// followFew counts the steps of at most piece/2 elements by their codes at word. It returns
// the elements that tie with their predecessors, in memory of at. It extracts the codes of all
// of them in one call, for elements of which few are neighbours.
func (t *Steps[C]) followFew(w *worker, at []uint32, word int) (tied []uint32, seen presorted.Steps) {
	pairs := w.some[:0]
	for _, x := range at {
		if len(pairs) == 0 || pairs[len(pairs)-1] != x-1 {
			pairs = append(pairs, x-1)
		}
		pairs = append(pairs, x)
	}
	codes := w.codes[:len(pairs)]
	t.ReadOnce(&w.Reader, codes, pairs, word)
	tied, k := at[:0], 0
	for _, x := range at {
		for pairs[k] != x {
			k++
		}
		switch {
		case codes[k-1] == codes[k]:
			tied = append(tied, x)
		case codes[k-1] < codes[k]:
			seen.Rises++
		default:
			seen.Falls++
		}
	}
	return tied, seen
}

// longRow is the least length of a row of neighbours without a gap that is taken by itself.
const longRow = 64

// rowOf returns the length k of the first row of at: neighbours, or if these are few, ascending elements
// at most two apart. n is the number of elements from at[0]-1 to the last of the row, fewer than a
// block. All of the row tie with their predecessors.
func rowOf(at []uint32) (k, n int) {
	most := min(len(at), engine.Block-2)
	k = sort.Search(most, func(i int) bool { return int(at[i]-at[0]) > i })
	if k >= longRow || k == len(at) {
		return k, k + 1
	}
	for k = 1; k < len(at) && at[k]-at[k-1] <= 2 && at[k]-at[0] < engine.Block-2; k++ {
	}
	return k, int(at[k-1]-at[0]) + 2
}

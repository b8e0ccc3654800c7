package ties

import (
	"bytes"
	"cmp"
	"sort"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
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

// mostBlockSteps limits the comparison of ties: if a block has more than len/mostBlockSteps
// steps in the rarer direction, its ties are not compared. Comparisons extract codes of later
// words early, which then move with the elements: 9 bytes per element and word.
const mostBlockSteps = 16

// follow is Follow of a [cpu.KeyComparer] for the first word, whose codes come from src.
func follow[C sortkey.Code](t *Breaker, src cpu.Source[C], codes []C, lo, fresh int, ties engine.Ties) (seen presorted.Steps) {
	w := t.spareWorker()
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
		return t.followAfter(w, tied, 0, seen)
	}
	src(codes[known:], lo+known)
	if t.Env.Loop.Err() != nil {
		return seen // and codes are left out
	}
	if t.Early && len(t.Words) > 1 && t.Words[0].Exact() {
		if seen = presorted.StepsOf(codes); seen.Ties*leastTiedBlock >= len(codes) && seen.Disorder() <= len(codes)/mostBlockSteps {
			return followBits(t, w, codes, lo, seen)
		}
	}
	if tied, seen = tiesOf(tied, codes, uint32(lo+1)); seen.Disorder() > len(codes)/mostBlockSteps {
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
func (t *Breaker) followTied(w *Worker, at []uint32, word int, seen presorted.Steps) presorted.Steps {
	if l := &t.Words[word]; len(at) > 0 && !l.Whole() {
		still, steps := l.Full.Follow(at, l.PrefixBits)
		at, seen = still, seen.Plus(steps)
	}
	return t.followAfter(w, at, word, seen)
}

// followAfter is followTied for elements that tie on the full keys of word, too.
func (t *Breaker) followAfter(w *Worker, at []uint32, word int, seen presorted.Steps) presorted.Steps {
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
func (w *Worker) ofTies(at []uint32, seen presorted.Steps) presorted.Steps {
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
func (t *Breaker) followWord(w *Worker, at []uint32, word int, seen presorted.Steps) presorted.Steps {
	t.Open(word, true)
	still := at[:0]
	for len(at) > 0 {
		k, n := rowOf(at)
		var tied []uint32
		var steps presorted.Steps
		if n > extract.OnStack {
			tied, steps = followRow(at[:k], t.codesEarly(word, int(at[0])-1, n))
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
func (t *Breaker) followFew(w *Worker, at []uint32, word int) (tied []uint32, seen presorted.Steps) {
	pairs := w.some[:0]
	for _, x := range at {
		if len(pairs) == 0 || pairs[len(pairs)-1] != x-1 {
			pairs = append(pairs, x-1)
		}
		pairs = append(pairs, x)
	}
	codes := w.early[:len(pairs)]
	t.codesOnce(w, codes, pairs, &t.Words[word])
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

// compare compares two elements whose first codes are equal. It extracts missing codes of
// later words.
func (t *Breaker) compare(i, j uint32) int {
	for word := range t.Words {
		l := &t.Words[word]
		if word > 0 {
			if a, b := t.earlyPair(word, i, j); a != b {
				return cmp.Compare(a, b)
			}
		}
		if !l.Whole() {
			if c := l.Full.Compare(i, j); c != 0 {
				return c
			}
		}
	}
	return 0
}

// earlyPair returns the codes of two elements at word.
func (t *Breaker) earlyPair(word int, i, j uint32) (a, b uint64) {
	l := &t.Words[word]
	if l.Early.Codes == nil {
		t.Open(word, true)
	}
	if l.Early.Done[i]&l.Early.Done[j] == 0 {
		var codes [2]uint64
		t.codesOnce(&t.Work[0], codes[:], []uint32{i, j}, l)
	}
	return l.Early.Codes[i], l.Early.Codes[j]
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

// allDone are the marks of extract.Piece elements whose codes are all extracted.
var allDone = bytes.Repeat([]byte{1}, extract.Piece)

// codesEarly returns the codes of n elements from first on at word, extracting those that are
// missing. If the context is cancelled, codes may be missing.
func (t *Breaker) codesEarly(word, first, n int) []uint64 {
	l := &t.Words[word]
	codes, done := l.Early.Codes[first:first+n], l.Early.Done[first:first+n]
	for lo := 0; lo < n && t.Env.Loop.Err() == nil; {
		some := done[lo:min(lo+extract.Piece, n)]
		switch known := bytes.IndexByte(some, 1); {
		case known == 0:
			if known = bytes.IndexByte(some, 0); known < 0 {
				known = len(some)
			}
			lo += known
			continue
		case known > 0:
			some = some[:known]
		}
		hi := lo + copy(some, allDone)
		t.Input.Block(l, first+lo, first+hi, func(b extract.Batch) { l.Codes(codes[lo:hi], b) })
		lo = hi
	}
	return codes
}

// earlyAlong moves early codes by the same partition as the elements.
func earlyAlong[C sortkey.Code](env *engine.Env, e *extract.Early, p *cpu.Placement[C]) (err error) {
	if e.Codes == nil {
		return nil
	}
	if e.Codes, err = cpu.Along(env, p, e.Codes); err == nil {
		e.Done, err = cpu.Along(env, p, e.Done)
	}
	return err
}

// codesOnce writes the codes of at most extract.Piece elements at word l and extracts those
// that are missing.
func (t *Breaker) codesOnce(w *Worker, dst []uint64, part []uint32, l *extract.Word) {
	e := &l.Early
	late := w.late[:0]
	for _, at := range part {
		if e.Done[at] == 0 {
			e.Done[at] = 1
			late = append(late, at)
		}
	}
	t.takeBlock(w)
	switch n := len(late); {
	case n > 0 && extract.Consecutive(late):
		l.Codes(e.Codes[late[0]:][:n], t.Input.Some(l, w.block, late))
	case n > 0:
		fresh := w.fresh[:n]
		l.Codes(fresh, t.Input.Some(l, w.block, late))
		for i, at := range late {
			e.Codes[at] = fresh[i]
		}
	}
	for i, at := range part {
		dst[i] = e.Codes[at]
	}
}

package pipeline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/ranges"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/sortkey"
)

// Merge merges runs, each sorted by cols, into dst, two slices by two. Ties take earlier runs
// first. It changes the slice of runs.
func Merge(cols []extract.Column, dst cpu.Payload, runs []cpu.Payload, two ranges.Two, o *call.Options) error {
	runs = checkedRuns(dst, runs)
	if extract.InOneCode(cols) && IsSmall(o, dst.Len()) {
		return small.Merge(cols[0], dst, runs, two, o)
	}
	return mergeOf(cols, dst, runs, two, false, *o)
}

// mergeOf merges runs, which are checked or not.
func mergeOf(cols []extract.Column, dst cpu.Payload, runs []cpu.Payload, two ranges.Two, check bool, o call.Options) error {
	return do(o, dst.Len(), func(r *Request) error {
		moved := ranges.Moved{Dst: dst, Runs: slices.Clone(runs), Two: two} // runs are on the caller's stack
		return mergeRows(r, mergeJob{words: extract.Words(cols, o.Order()), moved: []ranges.Moved{moved}, check: check})
	})
}

// checkedRuns returns the runs that are not empty. It panics if a merge of runs into dst is a
// programming error.
func checkedRuns(dst cpu.Payload, runs []cpu.Payload) []cpu.Payload {
	n, all := 0, runs[:0]
	for _, s := range runs {
		if n += s.Len(); n < 0 { // of elements without a size
			n = math.MaxInt
		}
		if dst.Raw().Overlaps(s.Raw()) {
			panic("sorter: merging into a slice that overlaps a run")
		}
		if s.Len() > 0 {
			all = append(all, s)
		}
	}
	if n != dst.Len() {
		panic(fmt.Sprintf("sorter: merging runs of %d elements into %d", n, dst.Len()))
	}
	return all
}

// mergeJob is a merge of runs, none of them empty.
type mergeJob struct {
	words   []extract.Word
	moved   []ranges.Moved // the first has the keys; the runs of all have the same lengths
	codes32 func(dst []uint32, b extract.Batch)
	codes64 func(dst []uint64, b extract.Batch) // instead of those of the first word, unless both are nil
	check   bool                                // runs that are not sorted are an error; no merge of parts, or of a copy, does that
}

// mergeRows merges runs.
func mergeRows(r *Request, j mergeJob) error {
	write, err := prepareMerge(r, j)
	if err != nil {
		return err
	}
	r.Commit() // from here on the merge finishes
	return write()
}

// prepareMerge does everything that can fail, and returns what writes the elements.
func prepareMerge(r *Request, j mergeJob) (write func() error, err error) {
	f := Facts{Verb: toMerge, Words: j.words, runs: len(j.moved[0].Runs), apply: j.moved[0].Dst.ApplyBytes()}
	for _, p := range j.moved {
		f.Sizes = append(f.Sizes, p.Dst.Size())
	}
	if err := r.Decide(f); err != nil {
		return nil, err
	}
	switch {
	case len(j.words) == 0: // all elements are equal
		return func() error { return r.concatenate(j.moved[0].Dst, j.moved[0].Runs) }, nil
	case r.Plan.Movement == parted:
		return prepareParts(r, j)
	case r.Plan.Movement == aside:
		return sortAside(r, j)
	}
	m := runsOf(j.moved)
	m.checked = j.check
	if lead := &j.words[0]; lead.Bits <= 32 {
		if j.codes32 == nil {
			j.codes32 = lead.Codes32
		}
		return prepareCodes(r, &merger[uint32]{mergedRuns: m, words: j.words}, j.codes32)
	} else if j.codes64 == nil {
		j.codes64 = lead.Codes
	}
	return prepareCodes(r, &merger[uint64]{mergedRuns: m, words: j.words}, j.codes64)
}

// mergedRuns are the runs of a merge. Elements are numbered run after run.
type mergedRuns struct {
	moved   []ranges.Moved
	ends    []int // of the runs
	checked bool  // for order
}

func runsOf(moved []ranges.Moved) mergedRuns {
	m := mergedRuns{moved: moved, ends: make([]int, len(moved[0].Runs))}
	n := 0
	for i, s := range moved[0].Runs {
		n += s.Len()
		m.ends[i] = n
	}
	return m
}

// parts passes n elements from lo on to use, run by run.
func (m *mergedRuns) parts(lo, n int, use func(done int, part cpu.Payload)) {
	for i, done := sort.SearchInts(m.ends, lo+1), 0; done < n; i++ {
		s := m.moved[0].Runs[i]
		from := lo + done - m.ends[i] + s.Len()
		to := min(s.Len(), from+n-done)
		use(done, s.Part(from, to))
		done += to - from
	}
}

// merger holds the codes of sorted runs.
type merger[C sortkey.Code] struct {
	mergedRuns
	words []extract.Word
	first []C        // of the first word
	later [][]uint64 // of the others
	whole []bool     // by word: equal codes mean equal keys
}

// prepareCodes prepares a merge by the codes of m's words, of which codes makes the first. It
// extracts each key once, and all words before the merge: ties may need them anywhere.
func prepareCodes[C sortkey.Code](r *Request, m *merger[C], codes func(dst []C, b extract.Batch)) (write func() error, err error) {
	for i := range m.words {
		word := &m.words[i]
		word.Open(extract.Input{Len: r.N}, &r.Env)
		if i == 0 {
			m.first, err = codesOfRuns(r, &m.mergedRuns, codes)
		} else {
			var later []uint64
			later, err = codesOfRuns(r, &m.mergedRuns, word.Codes)
			m.later = append(m.later, later)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := m.skipShared(r); err != nil {
		return nil, err
	}
	if m.checked {
		if err := m.check(r); err != nil {
			return nil, err
		}
	}
	all := ranges.Runs[C]{Codes: m.first, Ends: m.ends}
	if !m.decisive() {
		all.Compare = m.compare
	}
	if len(m.words) == 2 && m.whole[0] && m.whole[1] {
		all.Later, _ = any(m.later[0]).([]C)
	}
	cuts, err := all.Cut(&r.Env, r.Plan.grain)
	return func() error { return all.Merge(&r.Env, cuts, r.Plan.grain, m.moved...) }, err
}

// codesOfRuns returns the codes of all elements.
func codesOfRuns[C sortkey.Code](r *Request, m *mergedRuns, codes func(dst []C, b extract.Batch)) ([]C, error) {
	all := scratch.Take[C](&r.Arena, r.N)
	err := r.Stage("extract", r.N, engine.Block, func(_, lo, hi int) {
		m.parts(lo, hi-lo, func(done int, part cpu.Payload) {
			at := lo + done
			codes(all[at:at+part.Len()], extract.Batch{Block: part.Raw(), Lo: at})
		})
	})
	return all, r.Stopped(err)
}

// skipShared makes the codes of the first word again, from the bytes after those that all keys share,
// if many of them tie.
func (m *merger[C]) skipShared(r *Request) error {
	codes, ok := any(m.first).([]uint64)
	if !ok || !m.words[0].SkipSharedOf(codes, m.ends) {
		return nil
	}
	return r.Stopped(r.Stage("extract", r.N, engine.Block, func(_, lo, hi int) { m.words[0].Again(codes[lo:hi], lo) }))
}

// decisive reports whether equal codes of the first word mean that elements tie. It notes which words
// hold whole keys.
func (m *merger[C]) decisive() bool {
	m.whole = make([]bool, len(m.words))
	for i := range m.words {
		m.whole[i] = m.words[i].Whole()
	}
	return len(m.words) == 1 && m.whole[0]
}

// compare compares two elements whose first codes are equal.
func (m *merger[C]) compare(i, j uint32) int {
	for n := range m.words {
		if n > 0 {
			if codes := m.later[n-1]; codes[i] != codes[j] {
				return cmp.Compare(codes[i], codes[j])
			}
		}
		if !m.whole[n] {
			if c := m.words[n].Full.Compare(i, j); c != 0 {
				return c
			}
		}
	}
	return 0
}

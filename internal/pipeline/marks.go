package pipeline

import (
	"fmt"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
	"example.com/sorter/perm"
)

// Runs of equal rows are the ties that an order finds anyway. A word of the codes ends with each
// group of columns whose runs are asked for, so that equal codes are equal columns.

// markedWords returns the words of an order by cols, and memory for the runs that are asked for.
func (r *run) markedWords(cols []extract.Column) []extract.Word {
	if r.Marks == nil {
		return extract.Words(cols, r.Order())
	}
	words := extract.WordsEnding(cols, r.Order(), func(i int) bool {
		for m := r.Marks; m != nil; m = m.Next {
			if m.Columns == i+1 {
				return true
			}
		}
		return false
	})
	for m := r.Marks; m != nil; m = m.Next {
		if m.Columns > len(cols) {
			panic(fmt.Sprintf("sorter: runs by %d columns of an order by %d", m.Columns, len(cols)))
		}
		if last := lastWord(words, m); last >= 0 {
			if r.marks == nil {
				r.marks = make(ties.Marks, len(words))
			}
			if r.marks[last] == nil {
				r.marks[last] = make(engine.Ties, engine.TieWords(r.n))
			}
		}
	}
	return words
}

// lastWord returns the number of the last word that decides where the runs of m begin, -1 if
// all rows are one run.
func lastWord(words []extract.Word, m *call.Marks) int {
	if m.Columns == call.AllColumns {
		return len(words) - 1
	}
	last, left := -1, m.Columns
	for ; left > 0; left -= words[last].Columns() {
		last++
	}
	return last
}

// putRuns delivers the runs that are asked for.
func (r *run) putRuns(words []extract.Word) {
	if r.Marks == nil {
		return
	}
	all := make([]perm.Runs, len(words)+1) // by word, of -1 first
	for m := r.Marks; m != nil; m = m.Next {
		last := lastWord(words, m)
		if all[last+1].Rows() == 0 && r.n > 0 {
			all[last+1] = r.runsBy(last)
		}
		*m.Runs = all[last+1]
	}
}

// runsBy returns the runs of rows that tie in all words up to last, in the memory of the marks.
func (r *run) runsBy(last int) perm.Runs {
	if last < 0 {
		return perm.RunsAt([]int{0, r.n})
	}
	starts := r.marks[last]
	for i, tied := range starts {
		starts[i] = ^tied
	}
	return perm.RunsOf(r.n, starts)
}

// orderMarked is orderCodes that marks ties. It makes no use of keys that are in order already:
// those do not pass through the codes of their ties.
func orderMarked[C sortkey.Code](r *run, rows extract.Input, words []extract.Word, index []uint32, src cpu.Source[C]) error {
	for _, tied := range r.marks {
		clear(tied) // a device that failed may have set some
	}
	if extract.Decisive(words) {
		return cpu.Order(&r.Env, rows.Len, src, nil, true, func(_, lo int, order []uint32, codes []C) {
			copy(index[lo:], order)
			engine.MarkTies(r.marks[0], lo, false, codes)
		})
	}
	breaker := ties.New(&r.Env, rows, words)
	breaker.Mark(r.marks, index)
	err := cpu.Order(&r.Env, rows.Len, src, nil, true, func(worker, lo int, order []uint32, codes []C) {
		final := index[lo : lo+len(order)]
		copy(final, order)
		ties.Refine(breaker, worker, final, codes, extract.Place{})
	})
	return breaker.Finish(err)
}

// tieMarks returns memory for the ties that an engine marks, nil if nobody needs them.
func (r *run) tieMarks(words []extract.Word) engine.Ties {
	switch {
	case r.marks != nil && r.marks[0] != nil && words[0].Exact():
		return r.marks[0]
	case extract.Decisive(words):
		return nil
	}
	marks := scratch.Take[uint32](&r.Arena, engine.TieWords(r.n))
	clear(marks)
	return marks
}

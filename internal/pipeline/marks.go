package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
)

// markedWords returns the words of an order by cols, and takes memory for the runs that are asked
// for.
func (r *run) markedWords(cols []extract.Column) []extract.Word {
	if r.Marks == nil {
		return extract.Words(cols, r.Order())
	}
	words := ties.MarkedWords(r.Marks, cols, r.Order())
	r.marks = ties.NewMarks(r.Marks, r.n, words)
	return words
}

// putRuns delivers the runs that are asked for, see [ties.PutRuns].
func (r *run) putRuns(words []extract.Word, offsets []int) {
	ties.PutRuns(r.Marks, r.marks, words, r.n, offsets)
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

package pipeline

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/ties"
)

// markedWords returns the words of an order by cols, for the runs that are asked for.
func (r *request) markedWords(cols []extract.Column) []extract.Word {
	if r.Marks == nil {
		return extract.Words(cols, r.Order())
	}
	return ties.MarkedWords(r.Marks, cols, r.Order())
}

// takeMarks takes memory for the runs that are asked for.
func (r *request) takeMarks(words []extract.Word) { r.marks = ties.NewMarks(r.Marks, r.n, words) }

// putRuns delivers the runs that are asked for, see [ties.PutRuns].
func (r *request) putRuns(words []extract.Word, offsets []int) {
	ties.PutRuns(r.Marks, r.marks, words, r.n, offsets)
}

// tieMarks returns memory for the ties that an engine marks, nil if nobody needs them.
func (r *request) tieMarks(words []extract.Word) engine.Ties {
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

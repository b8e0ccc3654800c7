package pipeline

import (
	"fmt"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
	"example.com/sorter/perm"
)

// SortWithin sorts each segment of s, offsets[i] to offsets[i+1], by cols. Other elements keep
// their places.
func SortWithin(cols []extract.Column, s cpu.Payload, offsets []int, o *call.Options) error {
	s = s.Part(0, rowsWithin(offsets, s.Len()))
	return do(*o, s.Len(), func(r *Request) error {
		words, segments := extract.Words(cols, o.Order()), cpu.NewSegments(offsets)
		err := r.Decide(Facts{Verb: toSortWithin, Words: words, Sizes: []uintptr{s.Size()}, Segments: segments})
		if err != nil || len(words) == 0 {
			return err
		}
		index := scratch.Take[uint32](&r.Arena, r.N)
		if err := OrderInSegments(r, extract.InputOf(s), words, segments, index); err != nil {
			return err
		}
		return cpu.MoveWithin(&r.Env, segments, s, index)
	})
}

// OrderWithin returns the order of the rows 0 … n-1 that sorts those of each segment, offsets[i] to
// offsets[i+1], by columns of row numbers, which it changes. Other rows keep their places.
func OrderWithin(cols []extract.Column, n int, offsets []int, o *call.Options) (perm.Perm, error) {
	end := rowsWithin(offsets, n)
	extract.ForRows(cols, n)
	rows := extract.RowNumbers(end)
	r, err := Begin(*o, end)
	defer r.End()
	if err == nil && n > MaxPositions {
		err = TooLong(n)
	}
	if err != nil {
		return nil, err
	}
	r.SpareCodes(rows, cols)
	words, segments := r.markedWords(cols), cpu.Segments{}
	if end > 0 {
		segments = cpu.NewSegments(offsets)
	}
	rows.Arena = &r.Arena
	err = r.Decide(Facts{Verb: ToOrderWithin, Words: words, Sizes: []uintptr{rows.Slice.Size()}, Numbered: true, Segments: segments})
	if err == nil {
		err = Addressable(n, 4)
	}
	if err != nil {
		return nil, err
	}
	r.marks = ties.NewMarks(r.Marks, n, words)
	p := column.Result(rows.Slice.Raw(), n, o.Into, extract.Specs(cols))
	from := end // the first row that need not keep its place
	if end > 0 && len(words) > 0 {
		from = segments.First()
	}
	for i := range p[:from] {
		p[i] = uint32(i)
	}
	for i := end; i < n; i++ {
		p[i] = uint32(i)
	}
	if from < end {
		err = OrderInSegments(r, rows, words, segments, p[:end])
	}
	if err != nil {
		return nil, err
	}
	ties.PutRuns(r.Marks, r.marks, words, n, offsets)
	return p, nil
}

// markWithin returns what marks the ties of segments whose codes decide alone, nil if nobody asks.
func markWithin[C sortkey.Code](r *Request, index []uint32) func(worker int, order []uint32, codes []C) {
	if r.marks == nil {
		return nil
	}
	return func(_ int, order []uint32, codes []C) {
		engine.MarkTies(r.marks[0], cap(index)-cap(order), false, codes) // order is a slice of index
	}
}

// rowsWithin returns where the last segment ends. It panics unless offsets ascend from 0 or
// above to n or below.
func rowsWithin(offsets []int, n int) int {
	last := 0
	for i, at := range offsets {
		if at < last {
			panic(fmt.Sprintf("sorter: offsets[%d] is %d, below %d", i, at, last))
		}
		last = at
	}
	if last > n {
		panic(fmt.Sprintf("sorter: segments end at %d of %d elements", last, n))
	}
	return last
}

// OrderInSegments writes the order of the rows of segments to index.
func OrderInSegments(r *Request, rows extract.Input, words []extract.Word, s cpu.Segments, index []uint32) error {
	words[0].Open(rows, &r.Env)
	if words[0].Bits <= 32 {
		return orderWithinBy(r, rows, words, s, index, extract.Source32(rows, &words[0]))
	}
	return orderWithinBy(r, rows, words, s, index, extract.Source64(rows, &words[0]))
}

func orderWithinBy[C sortkey.Code](r *Request, rows extract.Input, words []extract.Word, s cpu.Segments, index []uint32, src cpu.Source[C]) error {
	if extract.Decisive(words) {
		return cpu.OrderWithin(&r.Env, s, index, src, markWithin[C](r, index))
	}
	breaker := ties.New(&r.Env, rows, words)
	breaker.Mark(r.marks, index)
	return breaker.Finish(cpu.OrderWithin(&r.Env, s, index, src, func(worker int, order []uint32, codes []C) {
		ties.Refine(breaker, worker, order, codes, extract.Level{})
	}))
}

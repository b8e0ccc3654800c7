package pipeline

import (
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

// orderOf returns the order of rows as a permutation that is the caller's.
func orderOf(cols []extract.Column, rows extract.Input, o call.Options) (perm.Perm, error) {
	r, err := Begin(o, rows.Len)
	defer r.End()
	if err != nil {
		return nil, err
	}
	t := r.orderTask(rows, cols)
	t.begin = func() error {
		if err := Addressable(rows.Len, 4); err != nil {
			return err
		}
		t.index = column.Result(rows.Slice.Raw(), rows.Len, o.Into, extract.Specs(cols))
		r.result, r.Plan.bytes, r.Env.Held = o.Held, r.Plan.bytes+o.Held, 0
		r.Arena.Hold(r.result)
		return nil
	}
	if err := r.observed(t.run(orderPlanned)); err != nil {
		return nil, err
	}
	return t.index, nil
}

// orderTask returns the task to order rows by columns, which it changes.
func (r *Request) orderTask(rows extract.Input, cols []extract.Column) *task {
	rows.Arena = &r.Arena
	t := r.newTask(Facts{Verb: toOrder, Words: r.markedWords(cols), Sizes: []uintptr{rows.Slice.Size()}, Numbered: rows.Numbered,
		Picked: rows.Picked != nil}, rows)
	t.cols, t.f.lead, t.f.narrow, t.f.spare = cols, t.leadInOrder, t.mayNarrow, func() bool { return r.mayHaveSpare(cols, true) }
	return t
}

// orderPlanned writes the order of rows in the general way, and delivers the runs that are asked for.
func orderPlanned(t *task) error {
	r := t.r
	r.takeMarks(t.f.Words)
	err := OrderTo(r, t.rows, t.f.Words, t.index)
	if err == nil {
		ties.PutRuns(r.Marks, r.marks, t.f.Words, r.N, []int{0, r.N})
	}
	return err
}

// orderSelected reorders numbers of rows, all below n, by columns of row numbers.
func orderSelected(cols []extract.Column, selected []uint32, n int, o call.Options) error {
	return do(o, len(selected), func(r *Request) error {
		var index []uint32
		err := r.Nest(r.N, func(own *Request) error {
			own.Env.Held += scratch.Size(r.N, 4) // of index, which is taken once the plan fits beside it
			extract.ForPicked(cols, selected)
			t := own.orderTask(extract.RowNumbers(n).Pick(selected), cols)
			t.begin = func() error {
				index = scratch.Take[uint32](&r.Arena, r.N)
				t.index = index
				return nil
			}
			err := t.run(orderPlanned)
			r.adoptPlan(own)
			return err
		})
		if err != nil {
			return err
		}
		r.Commit() // from here on the call finishes
		return r.Stage("write", r.N, r.piece(r.N), func(_, lo, hi int) { copy(selected[lo:hi], index[lo:hi]) })
	})
}

// OrderTo writes the order of rows to index, by their numbers, in place if that is the plan.
func OrderTo(r *Request, rows extract.Input, words []extract.Word, index []uint32) (err error) {
	r.untranslated = rows.Picked != nil
	switch {
	case len(words) == 0 || len(index) == 0:
		for i := range index {
			index[i] = uint32(i)
		}
	case r.Plan.Movement == InPlace:
		err = OrderInPlace(r, rows, words, index)
	default:
		err = orderRows(r, rows, words, index, nil)
	}
	return r.translate(rows, index, err)
}

// markedWords returns the words of an order by cols, for the runs that are asked for.
func (r *Request) markedWords(cols []extract.Column) []extract.Word {
	return ties.MarkedWords(r.Marks, cols, r.Order())
}

// takeMarks takes memory for the runs that are asked for.
func (r *Request) takeMarks(words []extract.Word) { r.marks = ties.NewMarks(r.Marks, r.N, words) }

// tieMarks returns memory for the ties that an engine marks, nil if nobody needs them.
func (r *Request) tieMarks(words []extract.Word) engine.Ties {
	switch {
	case !extract.Decisive(words):
	case r.marks != nil:
		return r.marks[0]
	default:
		return nil
	}
	marks := scratch.Take[uint32](&r.Arena, engine.TieWords(r.N))
	clear(marks)
	return marks
}

// sortInPlace sorts with the least memory: codes and index are ordered in place, and all
// elements follow the cycles of the index. Keys are those of all[0].
func sortInPlace(r *Request, words []extract.Word, all ...cpu.Payload) error {
	index := scratch.Take[uint32](&r.Arena, r.N)
	if err := OrderInPlace(r, extract.InputOf(all[0]), words, index); err != nil {
		return err
	}
	return r.apply(index, all...)
}

// apply moves elements along the cycles of an index.
func (r *Request) apply(index []uint32, all ...cpu.Payload) error {
	bytes := int64(0)
	for _, s := range all {
		bytes = max(bytes, s.ApplyBytes())
	}
	r.Arena.Hold(bytes)
	r.Commit() // from here on the sort finishes
	return r.Stage("apply", 1, 1, func(int, int, int) {
		for _, s := range all {
			s.Apply(index, r.Loop.Workers)
		}
	})
}

// OrderInPlace writes the order of rows to index with no more scratch than
// [Facts.inPlaceBytes].
func OrderInPlace(r *Request, rows extract.Input, words []extract.Word, index []uint32) error {
	words[0].Open(rows, &r.Env)
	if words[0].Bits <= 32 {
		return orderCodesInPlace(r, rows, words, index, extract.Source32(rows, &words[0]))
	}
	return orderCodesInPlace(r, rows, words, index, extract.Source64(rows, &words[0]))
}

func orderCodesInPlace[C sortkey.Code](r *Request, rows extract.Input, words []extract.Word, index []uint32, src cpu.Source[C]) error {
	codes, err := cpu.OrderInPlace(&r.Env, index, src)
	switch decisive := extract.Decisive(words); {
	case err != nil:
		return err
	case !decisive:
		return ties.RefineSorted(&r.Env, rows, words, index, codes, r.marks)
	case r.marks != nil:
		return ties.MarkSorted(&r.Env, codes, r.marks[0])
	}
	return nil
}

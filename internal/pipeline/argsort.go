package pipeline

import (
	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/presorted/bywords"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
	"example.com/sorter/perm"
)

// orderOf returns the order of rows as a permutation that is the caller's.
func orderOf(cols []extract.Column, rows extract.Input, o call.Options) (perm.Perm, error) {
	r, err := begin(o, rows.Len)
	defer r.end()
	if err != nil {
		return nil, err
	}
	t := r.orderTask(rows, cols)
	t.begin = func() error {
		if cap(o.Into) < rows.Len {
			if err := addressable(rows.Len, 4); err != nil {
				return err
			}
		}
		t.index = column.Result(rows.Slice.Raw(), rows.Len, o.Into, extract.Specs(cols))
		r.result, r.plan.bytes, r.Env.Held = o.Held, r.plan.bytes+o.Held, 0
		r.Arena.Hold(r.result)
		return nil
	}
	if err := r.observed(t.run(orderPlanned)); err != nil {
		return nil, err
	}
	return t.index, nil
}

// orderTask returns the task to order rows by columns, which it changes.
func (r *request) orderTask(rows extract.Input, cols []extract.Column) *task {
	rows.Arena = &r.Arena
	t := r.newTask(facts{verb: toOrder, words: r.markedWords(cols), sizes: []uintptr{rows.Slice.Size()}, numbered: rows.Numbered,
		picked: rows.Picked != nil}, rows)
	t.cols, t.f.lead, t.f.narrow, t.f.spare = cols, t.leadInOrder, t.mayNarrow, func() bool { return r.mayHaveSpare(cols, true) }
	return t
}

// orderPlanned writes the order of rows in the general way, and delivers the runs that are asked for.
func orderPlanned(t *task) error {
	r := t.r
	r.takeMarks(t.f.words)
	err := orderTo(r, t.rows, t.f.words, t.index)
	if err == nil {
		r.putRuns(t.f.words, []int{0, r.n})
	}
	return err
}

// orderSelected reorders numbers of rows, all below n, by columns of row numbers.
func orderSelected(cols []extract.Column, selected []uint32, n int, o call.Options) error {
	r, err := begin(o, len(selected))
	defer r.end()
	if err != nil || r.n == 0 {
		return err
	}
	var index []uint32
	err = r.nest(r.n, func(own *request) error {
		own.Env.Held += scratch.Size(r.n, 4) // of index, which is taken once the plan fits beside it
		extract.ForPicked(cols, selected)
		t := own.orderTask(extract.RowNumbers(n).Pick(selected), cols)
		t.begin = func() error {
			index = scratch.Take[uint32](&r.Arena, r.n)
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
	return r.Stage("write", r.n, r.piece(r.n), func(_, lo, hi int) { copy(selected[lo:hi], index[lo:hi]) })
}

// orderTo writes the order of rows to index, by their numbers, in place if that is the plan.
func orderTo(r *request, rows extract.Input, words []extract.Word, index []uint32) (err error) {
	r.untranslated = rows.Picked != nil
	switch {
	case len(words) == 0 || len(index) == 0:
		for i := range index {
			index[i] = uint32(i)
		}
	case r.plan.movement == inPlace:
		err = orderInPlace(r, rows, words, index)
	default:
		err = orderRows(r, rows, words, index, nil)
	}
	return r.translate(rows, index, err)
}

// orderCodes orders rows on the CPU by the codes of src, those of words[0], and marks ties if
// runs are asked for. Then it makes no use of keys that are in order already: those do not pass
// through the codes of their ties. The order has places in the input, unless numbers are wanted and
// the codes decide alone: then numbers are written while places are in the cache.
func orderCodes[C sortkey.Code](r *request, rows extract.Input, words []extract.Word, index []uint32, src cpu.Source[C]) error {
	for _, tied := range r.marks {
		clear(tied) // a device that failed may have set some
	}
	if extract.Decisive(words) {
		if !r.untranslated {
			rows.Picked = nil
		}
		r.untranslated = false
		return cpu.Order(&r.Env, rows.Len, src, r.marks != nil, func(_, lo int, order []uint32, codes []C) {
			rows.Translate(index[lo:lo+len(order)], order)
			if r.marks != nil {
				engine.MarkTies(r.marks[0], lo, false, codes)
			}
		})
	}
	breaker := ties.New(&r.Env, rows, words)
	breaker.Mark(r.marks, index)
	sink := func(worker, lo int, order []uint32, codes []C) {
		final := index[lo : lo+len(order)]
		copy(final, order)
		ties.Refine(breaker, worker, final, codes, extract.Level{})
	}
	if r.marks != nil {
		return breaker.Finish(cpu.Order(&r.Env, rows.Len, src, true, sink))
	}
	keys := &bywords.Steps[C]{Keys: &breaker.Keys, Source: src, Early: !r.tight}
	tied, err := cpu.OrderByKeys[C](&r.Env, rows.Len, src, keys, sink)
	if !tied || err != nil {
		return breaker.Finish(err)
	}
	rest := keys.Rest()
	if rest.Runs != nil {
		return orderRuns(r, rows, rest, index)
	}
	err = orderCodes(r, rows, rest.Words, index, rest.Source)
	r.Trace.Ties = r.n
	return err
}

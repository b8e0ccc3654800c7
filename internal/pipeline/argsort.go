package pipeline

import (
	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
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
	r.spareCodes(rows, cols, true)
	words := r.leadApart(rows, cols, r.markedWords(cols))
	err = r.decideOrder(&rows, words, false)
	if err == nil && cap(o.Into) < rows.Len {
		err = addressable(rows.Len, 4)
	}
	if err != nil {
		return nil, err
	}
	p := extract.Result(rows.Slice.Raw(), rows.Len, o.Into, cols...)
	r.plan.bytes, r.Env.Held = r.plan.bytes+o.Held, 0
	r.Arena.Hold(o.Held) // that of p
	if err := r.observed(orderAndMark(r, rows, words, p)); err != nil {
		return nil, err
	}
	return p, nil
}

// decideOrder makes the plan of an order of rows, which may be a part of others.
func (r *request) decideOrder(rows *extract.Input, words []extract.Word, part bool) error {
	rows.Arena = &r.Arena
	return r.decide(facts{verb: toOrder, words: words, sizes: []uintptr{rows.Slice.Size()}, numbered: rows.Numbered,
		picked: rows.Picked != nil, part: part, sampled: r.sampled(*rows, words)})
}

// orderAndMark writes the order of rows to index and delivers the runs that are asked for.
func orderAndMark(r *request, rows extract.Input, words []extract.Word, index []uint32) error {
	if r.plan.movement == nullsApart {
		return orderApart(r, rows, words, index)
	}
	r.takeMarks(words)
	err := orderTo(r, rows, words, index)
	if err == nil {
		r.putRuns(words, []int{0, r.n})
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
		rows := extract.RowNumbers(n).Pick(selected)
		own.spareCodes(rows, cols, true)
		words := own.leadApart(rows, cols, own.markedWords(cols))
		if err := own.decideOrder(&rows, words, false); err != nil {
			return err
		}
		index = scratch.Take[uint32](&r.Arena, r.n)
		err := orderAndMark(own, rows, words, index)
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
	case len(words) == 0:
		for i := range index {
			index[i] = uint32(i)
		}
	case r.plan.movement == inPlace:
		err = orderInPlace(r, rows, words, index)
	default:
		err = orderRows(r, rows, words, index, nil)
	}
	if err != nil || !r.untranslated {
		return err
	}
	return r.Stage("rows", r.n, r.piece(r.n), func(_, lo, hi int) { rows.Translate(index[lo:hi], index[lo:hi]) })
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
		return cpu.Order(&r.Env, rows.Len, src, nil, r.marks != nil, func(_, lo int, order []uint32, codes []C) {
			rows.Translate(index[lo:lo+len(order)], order)
			if r.marks != nil {
				engine.MarkTies(r.marks[0], lo, false, codes)
			}
		})
	}
	breaker := ties.New(&r.Env, rows, words)
	breaker.Mark(r.marks, index)
	var keys cpu.KeyComparer[C]
	if r.marks == nil {
		breaker.Early = !r.tight
		keys = ties.Refiner[C]{Breaker: breaker, Src: src}
	}
	err := cpu.Order(&r.Env, rows.Len, src, keys, true, func(worker, lo int, order []uint32, codes []C) {
		final := index[lo : lo+len(order)]
		copy(final, order)
		ties.Refine(breaker, worker, final, codes, extract.Level{})
	})
	if err == cpu.ErrTied {
		rest, src := breaker.Rest()
		if runs := breaker.Runs(); runs != nil {
			return orderRuns(r, rows, rest, runs, index, src)
		}
		err = orderCodes(r, rows, rest, index, src)
		r.Trace.Ties = r.n
		return err
	}
	return breaker.Finish(err)
}

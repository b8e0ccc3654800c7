package pipeline

import (
	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
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
	words := r.markedWords(cols)
	rows.Arena = &r.Arena
	err = r.decide(facts{verb: toOrder, words: words, sizes: []uintptr{rows.Slice.Size()}, numbered: rows.Numbered,
		sampled: r.sampled(rows, words)})
	if err == nil && cap(o.Into) < rows.Len {
		err = addressable(rows.Len, 4)
	}
	if err != nil {
		return nil, err
	}
	p := extract.Result(rows.Slice.Raw(), rows.Len, o.Into, cols...)
	if r.plan.movement == nullsApart {
		if err := orderApart(r, rows, words, p); err != nil {
			return nil, err
		}
		return p, nil
	}
	r.takeMarks(words)
	if err := orderTo(r, rows, words, p); err != nil {
		return nil, err
	}
	r.putRuns(words, []int{0, r.n})
	return p, nil
}

// orderTo writes the order of rows to index, in place if that is the plan.
func orderTo(r *run, rows extract.Input, words []extract.Word, index []uint32) (err error) {
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
	if err != nil || rows.Picked == nil || r.named {
		return err
	}
	return r.Stage("rows", r.n, r.piece(r.n), func(_, lo, hi int) { rows.Name(index[lo:hi], index[lo:hi]) })
}

// orderCodes orders rows on the CPU by the codes of src, those of words[0], and marks ties if
// runs are asked for. Then it makes no use of keys that are in order already: those do not pass
// through the codes of their ties.
func orderCodes[C sortkey.Code](r *run, rows extract.Input, words []extract.Word, index []uint32, src cpu.Source[C]) error {
	for _, tied := range r.marks {
		clear(tied) // a device that failed may have set some
	}
	if extract.Decisive(words) {
		r.named = true
		return cpu.Order(&r.Env, rows.Len, src, nil, r.marks != nil, func(_, lo int, order []uint32, codes []C) {
			rows.Name(index[lo:lo+len(order)], order)
			if r.marks != nil {
				engine.MarkTies(r.marks[0], lo, false, codes)
			}
		})
	}
	breaker := ties.New(&r.Env, rows, words)
	breaker.Mark(r.marks, index)
	var keys cpu.KeyComparer[C]
	if r.marks == nil {
		breaker.Early = r.Env.Limit == 0 && r.Fits(extract.EarlyBytes(r.n, words))
		keys = ties.Refiner[C]{Breaker: breaker, Src: src}
	}
	err := cpu.Order(&r.Env, rows.Len, src, keys, true, func(worker, lo int, order []uint32, codes []C) {
		final := index[lo : lo+len(order)]
		copy(final, order)
		ties.Refine(breaker, worker, final, codes, extract.Place{})
	})
	if err == cpu.ErrTied {
		rest, src := breaker.Rest()
		err = orderCodes(r, rows, rest, index, src)
		r.Trace.Ties = r.n
		return err
	}
	return breaker.Finish(err)
}

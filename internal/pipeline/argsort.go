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
func orderOf(cols []extract.Column, rows extract.Input, cfg call.Options) (perm.Perm, error) {
	r, err := begin(cfg, rows.Len, rows.Slice.Size())
	defer r.end()
	if err != nil {
		return nil, err
	}
	words := extract.Words(cols, cfg.Order())
	rows.Arena, r.numbered = &r.Arena, rows.Numbered
	fits, err := orderable(r, words)
	if err == nil && cap(cfg.Into) < rows.Len {
		err = addressable(rows.Len, 4)
	}
	if err != nil {
		return nil, err
	}
	p := extract.Result(rows.Slice.Raw(), rows.Len, cfg.Into, cols...)
	r.used.Algorithm = engine.IndexGather.String()
	if err := orderRows(r, rows, words, p, fits); err != nil {
		return nil, err
	}
	return p, nil
}

// orderable reports whether the memory limit allows an order by words that is not in place.
// It returns an error where the limit allows none in place either.
func orderable(r *run, words []extract.Word) (fits bool, err error) {
	if len(words) == 0 {
		return true, nil
	}
	if fits, err = enough(r, engine.Auto, words); err == nil && !fits {
		err = r.require(leastOrder(r, words))
	}
	return fits, err
}

// orderRows writes the order of rows under words to index, in place unless more fits.
func orderRows(r *run, rows extract.Input, words []extract.Word, index []uint32, fits bool) error {
	if len(words) == 0 {
		for i := range index {
			index[i] = uint32(i)
		}
		return nil
	}
	if r.used.CodeBits = words[0].Bits; !fits {
		return orderInPlace(r, rows, words, index)
	}
	return orderOn(r, orderer(r, engine.Auto, rows, words), rows, words, index, nil)
}

// orderCodes orders rows on the CPU by the codes of src, those of words[0].
func orderCodes[C sortkey.Code](r *run, rows extract.Input, words []extract.Word, index []uint32, src cpu.Source[C]) error {
	if extract.Decisive(words) {
		return cpu.Order(&r.Env, rows.Len, src, nil, false, func(_, lo int, order []uint32, _ []C) { copy(index[lo:], order) })
	}
	breaker := ties.New(&r.Env, rows, words)
	breaker.Early = r.Env.Limit == 0 && r.Fits(extract.EarlyBytes(r.n, words))
	err := cpu.Order(&r.Env, rows.Len, src, ties.Refiner[C]{Breaker: breaker, Src: src}, true, func(worker, lo int, order []uint32, codes []C) {
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

package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/presorted/bywords"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/internal/ties"
)

// orderRows writes the order of rows to index. Unless payload is nil, the engine of the plan
// may move it.
func orderRows(r *Request, rows extract.Input, words []extract.Word, index []uint32, payload *devicePayload) error {
	words[0].Open(rows, &r.Env)
	if r.Plan.ownWay() && payload == nil {
		t := r.newTask(Facts{Words: words, Numbered: rows.Numbered, Picked: rows.Picked != nil}, rows)
		t.index = index
		for w, _ := t.f.shortcut(toIndexRows); w != nil; w, _ = t.f.shortcut(toIndexRows) {
			if done, err := w.Try(t); done || err != nil {
				return err
			}
		}
	}
	if words[0].Bits <= 32 {
		return orderBy(r, rows, words, index, payload, extract.Source32(rows, &words[0]))
	}
	return orderBy(r, rows, words, index, payload, extract.Source64(rows, &words[0]))
}

// orderBy orders codes by the engine of the plan. If that fails and the plan may fall back, the
// CPU orders them.
func orderBy[C sortkey.Code](r *Request, rows extract.Input, words []extract.Word, index []uint32, payload *devicePayload, src cpu.Source[C]) error {
	if r.Plan.ownWay() {
		return OrderCodes(r, rows, words, index, src)
	}
	if r.Plan.mayFallBack && !words[0].InMemory {
		src = once(r, src)
	}
	job := &engine.Job{N: rows.Len, Bits: words[0].Bits, Algorithm: r.Plan.algorithm, Env: &r.Env,
		Emit: func(lo int, order []uint32) { copy(index[lo:], order) },
		Room: r.Allow,
	}
	exchange[C](job, touching(index, src), nil)
	job.Ties = r.tieMarks(words)
	var further *ties.Further
	if !extract.Decisive(words) {
		further = ties.NewFurther(&r.Env, rows, words, index, job.Ties, r.marks, r.keeps())
		job.Further = further.Offer()
	}
	settled := false
	settle := func() error {
		if settled = true; further == nil {
			return nil
		}
		return further.Refine()
	}
	if payload == nil {
		job.Index, job.Plain = index, words[0].Plain(rows)
	}
	if job.Plain != nil {
		job.Plain.Pass = func(lo, hi int) { touch(index[lo:hi]) }
	}
	payload.offer(job, settle)
	done, err := r.orderedBy(job)
	if !done {
		payload.restore(r)
	}
	switch {
	case err != nil:
		return err
	case !done:
		further.Drop()
		return orderBy(r, rows, words, index, payload, src)
	case settled:
		return nil
	}
	return settle()
}

// keeps returns what becomes of codes of later words that a key function makes for a device.
func (r *Request) keeps() ties.Keeps {
	switch {
	case !r.Plan.mayFallBack:
		return ties.Forget
	case r.tight:
		return ties.Refuse
	}
	return ties.Keep
}

// OrderCodes orders rows on the CPU by the codes of src, those of words[0], and marks ties if
// runs are asked for. Then it makes no use of keys that are in order already: those do not pass
// through the codes of their ties. The order has places in the input, unless the codes decide alone:
// then numbers are written while places are in the cache.
func OrderCodes[C sortkey.Code](r *Request, rows extract.Input, words []extract.Word, index []uint32, src cpu.Source[C]) error {
	if extract.Decisive(words) {
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
	err = OrderCodes(r, rows, rest.Words, index, rest.Source)
	r.Trace.Ties = r.N
	return err
}

// touching returns src, which also writes to each page of the result for the codes that it
// extracts. The system takes as long to clear fresh pages of a large result as codes take to
// reach the device. During extraction workers wait for the device anyway; later the device's
// order would wait for the pages.
func touching[C sortkey.Code](index []uint32, src cpu.Source[C]) cpu.Source[C] {
	return func(dst []C, lo int) {
		touch(index[lo : lo+len(dst)])
		src(dst, lo)
	}
}

// touch writes to each page of a part of the result.
func touch(index []uint32) {
	const page = 4 << 10 / 4 // numbers on the smallest of pages
	for i := 0; i < len(index); i += page {
		index[i] = 0
	}
}

// orderedBy runs the job on the engine of the plan. If that fails and the plan may fall back,
// done is false without an error, and the engine of the plan is now the CPU.
func (r *Request) orderedBy(job *engine.Job) (done bool, err error) {
	r.used.Engine = r.Plan.engine.Name()
	if err = r.Plan.engine.Order(r.Context(), job); err == nil {
		return true, nil
	}
	r.Revoke()
	if ctx := r.Loop.Err(); ctx != nil {
		return false, ctx
	}
	if !r.Plan.mayFallBack {
		return false, err
	}
	r.Plan.engine, r.Plan.mayFallBack = cpu.Host, false
	r.used.Fallback, r.used.Engine = err, cpu.Host.Name()
	r.Trace = engine.Trace{Stages: r.Trace.Stages, Vectors: r.Trace.Vectors}
	for _, tied := range r.marks {
		clear(tied) // the device may have set some
	}
	return false, nil
}

// once stores the codes that src extracts, so that the CPU can pull them again: a key function
// is called only once per element.
func once[C sortkey.Code](r *Request, src cpu.Source[C]) cpu.Source[C] {
	stored := scratch.Take[C](&r.Arena, r.N)
	have := make([]bool, (r.N+engine.Block-1)/engine.Block)
	return func(dst []C, lo int) {
		if done := &have[lo/engine.Block]; !*done {
			src(dst, lo)
			stream.CopyPast(stored, lo, dst)
			*done = true
			return
		}
		copy(dst, stored[lo:])
	}
}

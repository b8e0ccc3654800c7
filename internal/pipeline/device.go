package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/internal/ties"
)

// orderOn orders rows on a backend, nil for the CPU engine in its own way. If it
// fails and the caller did not insist on it, the CPU finishes. The engine may move the
// payload itself, unless that is nil.
func orderOn(r *run, b engine.Backend, rows extract.Input, words []extract.Word, index []uint32, payload *devicePayload) error {
	words[0].Open(rows, &r.Env)
	if words[0].Bits <= 32 {
		return orderCodesOn(r, b, rows, words, index, payload, extract.Source32(rows, &words[0]))
	}
	return orderCodesOn(r, b, rows, words, index, payload, extract.Source64(rows, &words[0]))
}

func orderCodesOn[C sortkey.Code](r *run, b engine.Backend, rows extract.Input, words []extract.Word, index []uint32, payload *devicePayload, src cpu.Source[C]) error {
	if b == nil {
		return orderCodes(r, rows, words, index, src)
	}
	if r.mayFinish(b) && !words[0].Given {
		src = once(r, src)
	}
	job := &engine.Job{N: rows.Len, Bits: words[0].Bits, Algorithm: r.Algorithm, Env: &r.Env,
		Emit: func(lo int, order []uint32) { copy(index[lo:], order) },
		Room: r.room,
	}
	exchange[C](job, touching(index, src), nil)
	if !extract.Decisive(words) {
		job.Ties = scratch.Take[uint32](&r.Arena, engine.TieWords(rows.Len))
		clear(job.Ties)
	}
	settled := false
	settle := func() error {
		if settled = true; job.Ties == nil {
			return nil
		}
		return ties.RefineTied(&r.Env, rows, words, index, job.Ties)
	}
	payload.offer(job, settle)
	done, err := r.orderedBy(b, job)
	if !done {
		payload.restore(r)
	}
	switch {
	case err != nil:
		return err
	case !done && r.Algorithm.OrdersCodes():
		return orderCodesOn(r, cpu.Host, rows, words, index, payload, src)
	case !done:
		return orderCodes(r, rows, words, index, src)
	case settled:
		return nil
	}
	return settle()
}

// touching makes a source that writes to the pages of the result where it has
// the codes for. Fresh pages of a large result take the system as long to clear
// as codes take to reach the device. Meanwhile workers wait for slots; later the order would
// wait for the pages.
func touching[C sortkey.Code](index []uint32, src cpu.Source[C]) cpu.Source[C] {
	const page = 4 << 10 / 4 // numbers on the smallest of pages
	return func(dst []C, lo int) {
		for i := lo; i < lo+len(dst); i += page {
			index[i] = 0
		}
		src(dst, lo)
	}
}

// room returns an error unless a call may take so many bytes besides those that it needs.
func (r *run) room(bytes int64) error { return r.require(r.needed + bytes) }

// orderedBy has b do the job. If b fails and the caller did not insist on it,
// the job is not done and the CPU has to finish.
func (r *run) orderedBy(b engine.Backend, job *engine.Job) (done bool, err error) {
	r.used.Engine = b.Name()
	if err = b.Order(r.Context(), job); err == nil {
		return true, nil
	}
	r.Revoke()
	if ctx := r.Loop.Err(); ctx != nil {
		return false, ctx
	}
	if !r.mayFinish(b) {
		return false, err
	}
	r.used.Fallback = err
	r.used.Engine = cpu.Host.Name()
	r.Trace = engine.Trace{Stages: r.Trace.Stages}
	return false, nil
}

// once keeps the codes that src extracts, for the CPU to pull them again: a key function
// is called once.
func once[C sortkey.Code](r *run, src cpu.Source[C]) cpu.Source[C] {
	kept := scratch.Take[C](&r.Arena, r.n)
	have := make([]bool, (r.n+engine.Block-1)/engine.Block)
	return func(dst []C, lo int) {
		if done := &have[lo/engine.Block]; !*done {
			src(dst, lo)
			stream.CopyPast(kept, lo, dst)
			*done = true
			return
		}
		copy(dst, kept[lo:])
	}
}

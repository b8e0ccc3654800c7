package pipeline

import (
	"sync/atomic"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/presorted/bywords"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
)

// SortRows sorts s by cols.
func SortRows(cols []extract.Column, s cpu.Payload, o call.Options) error {
	return do(o, s.Len(), func(r *Request) error { return sortColumns(r, s, cols) })
}

// sortColumns sorts s by cols.
func sortColumns(r *Request, s cpu.Payload, cols []extract.Column) error {
	words := extract.Words(cols, r.Order())
	if len(words) == 0 {
		return nil
	}
	return SortWords(r, s, words)
}

// SortWords sorts s by words.
func SortWords(r *Request, s cpu.Payload, words []extract.Word) error {
	t := r.newTask(Facts{Verb: toSort, Words: words, Sizes: []uintptr{s.Size()}, apply: s.ApplyBytes()}, extract.InputOf(s))
	t.elements, t.f.fields = s, t.fieldsInOrder
	return t.run(sortPlanned)
}

// sortPlanned sorts elements in the general way.
func sortPlanned(t *task) error {
	switch r, s, words := t.r, t.elements, t.f.Words; r.Plan.Movement {
	case chunked:
		return sortChunks(r, s, words)
	case InPlace:
		return sortInPlace(r, words, s)
	case withCodes:
		return moveRows(r, s, words)
	default:
		return gatherRows(r, s, words)
	}
}

// moveRows sorts s on the CPU and moves elements with their codes.
func moveRows(r *Request, s cpu.Payload, words []extract.Word) error {
	words[0].Open(extract.InputOf(s), &r.Env)
	if words[0].Bits <= 32 {
		return moveCodes(r, s, words, extract.Source32(extract.InputOf(s), &words[0]))
	}
	return moveCodes(r, s, words, extract.Source64(extract.InputOf(s), &words[0]))
}

func moveCodes[C sortkey.Code](r *Request, s cpu.Payload, words []extract.Word, src cpu.Source[C]) error {
	if extract.Decisive(words) {
		return cpu.Move(&r.Env, s, src)
	}
	breaker := ties.New(&r.Env, extract.InputOf(s), words)
	refiner := &ties.Refiner[C]{Breaker: breaker, Steps: bywords.Steps[C]{Keys: &breaker.Keys, Source: src, Early: !r.tight}}
	tied, err := cpu.MoveRefined[C](&r.Env, s, src, refiner)
	if !tied || err != nil {
		return err
	}
	rest := refiner.Rest()
	if rest.Runs != nil {
		return sortRuns(r, s, rest)
	}
	err = moveCodes(r, s, rest.Words, rest.Source)
	r.Trace.Ties = r.N
	return err
}

// gatherRows orders an index, then moves the elements of s by it.
func gatherRows(r *Request, s cpu.Payload, words []extract.Word) error {
	n := s.Len()
	index, rows := scratch.Take[uint32](&r.Arena, n), extract.InputOf(s)
	var payload *devicePayload
	if r.Plan.engine != cpu.Host {
		rows.Aside = s.Take(&r.Arena, n)
		payload = elementPayload(s, rows.Aside, words)
	}
	if err := orderRows(r, rows, words, index, payload); err != nil {
		return err
	}
	switch {
	case payload.moved():
		return payload.finish(r, index)
	case r.inOrder(index):
		return nil
	case rows.Aside.Data() != nil:
		return gatherBack(r, s, rows.Aside, index)
	}
	return gatherThrough(r, index, gathered{s, s.Take(&r.Arena, n)})
}

// gathered are elements, and memory of the same length to gather them into.
type gathered struct{ elements, sorted cpu.Payload }

// gatherThrough moves elements through an index: to scratch memory and back.
func gatherThrough(r *Request, index []uint32, all ...gathered) error {
	n := len(index)
	err := r.Stage("gather", n, r.piece(n), func(_, lo, hi int) {
		for _, g := range all {
			g.sorted.Part(lo, hi).Gather(g.elements, index[lo:hi])
		}
	})
	if err != nil {
		return err
	}
	r.Commit() // from here on the sort finishes
	return r.Stage("write", n, r.piece(n), func(_, lo, hi int) {
		for _, g := range all {
			g.elements.CopyPast(lo, g.sorted.Part(lo, hi))
		}
	})
}

// inOrder reports whether an order is that of the input.
func (r *Request) inOrder(index []uint32) bool {
	n := len(index)
	if n == 0 || index[0] != 0 || index[n-1] != uint32(n-1) {
		return n == 0
	}
	var moved atomic.Bool
	err := r.Stage("detect", n, r.piece(n), func(_, lo, hi int) {
		for i := lo; i < hi && !moved.Load(); i += engine.Block {
			if !presorted.InPlaces(index[i:min(i+engine.Block, hi)], i) {
				moved.Store(true)
			}
		}
	})
	return err == nil && !moved.Load()
}

// gatherBack gathers the elements into s from aside, a copy that was made while keys were
// extracted. At that time elements were in the cache, and workers would have waited for the
// device. A gather into scratch memory would move the elements twice after the device is done.
func gatherBack(r *Request, s, aside cpu.Payload, index []uint32) error {
	if err := r.Loop.Err(); err != nil {
		return err
	}
	r.Commit() // from here on the sort finishes
	return r.Stage("gather", s.Len(), r.piece(s.Len()), func(_, lo, hi int) {
		s.Part(lo, hi).GatherPast(aside, index[lo:hi])
	})
}

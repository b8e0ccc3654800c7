package pipeline

import (
	"sync/atomic"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
)

// sortRows sorts s by cols.
func sortRows(cols []extract.Column, s cpu.Payload, cfg call.Options) error {
	r, err := begin(cfg, s.Len(), s.Size())
	defer r.end()
	if err != nil || s.Len() == 0 {
		return err
	}
	words := extract.Words(cols, cfg.Order())
	if len(words) == 0 {
		return nil
	}
	return sortWords(r, s, words)
}

// sortWords sorts s by words.
func sortWords(r *run, s cpu.Payload, words []extract.Word) error {
	size := s.Size()
	r.used.CodeBits = words[0].Bits
	algorithm := r.algorithmFor(size)
	switch fits, err := enough(r, algorithm, words, size); {
	case err != nil:
		return err
	case !fits:
		return sortInPlace(r, s, words)
	}
	b := orderer(r, algorithm, extract.InputOf(s), words, size)
	if algorithm == engine.BucketRadix && b == nil {
		r.used.Algorithm = engine.BucketRadix.String()
		return moveRows(r, s, words)
	}
	r.used.Algorithm = engine.IndexGather.String()
	return gatherRows(r, b, s, words)
}

// moveRows sorts s on the CPU and moves elements with their codes.
func moveRows(r *run, s cpu.Payload, words []extract.Word) error {
	words[0].Open(extract.InputOf(s), &r.Env)
	if words[0].Bits <= 32 {
		return moveCodes(r, s, words, extract.Source32(extract.InputOf(s), &words[0]))
	}
	return moveCodes(r, s, words, extract.Source64(extract.InputOf(s), &words[0]))
}

func moveCodes[C sortkey.Code](r *run, s cpu.Payload, words []extract.Word, src cpu.Source[C]) error {
	if extract.Decisive(words) {
		return cpu.Move(&r.Env, s, src)
	}
	breaker := ties.New(&r.Env, extract.InputOf(s), words)
	breaker.Early = r.Env.Limit == 0 && r.Fits(extract.EarlyBytes(r.n, words))
	err := cpu.MoveRefined[C](&r.Env, s, src, ties.Refiner[C]{Breaker: breaker, Src: src})
	if err == cpu.ErrTied {
		rest, src := breaker.Rest()
		err = moveCodes(r, s, rest, src)
		r.Trace.Ties = r.n
	}
	return err
}

// gatherRows sorts s through an index, which b makes: order first, then move.
func gatherRows(r *run, b engine.Backend, s cpu.Payload, words []extract.Word) error {
	n := s.Len()
	index, rows := scratch.Take[uint32](&r.Arena, n), extract.InputOf(s)
	var payload *devicePayload
	if b != nil && b != cpu.Host {
		rows.Aside = s.Take(&r.Arena, n)
		payload = carriedElements(s, rows.Aside, words)
	}
	if err := orderOn(r, b, rows, words, index, payload); err != nil {
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
	sorted := s.Take(&r.Arena, n)
	err := r.Stage("gather", n, r.piece(n), func(_, lo, hi int) { sorted.Part(lo, hi).Gather(s, index[lo:hi]) })
	if err != nil {
		return err
	}
	r.Commit() // from here on the sort finishes
	return r.Stage("write", n, r.piece(n), func(_, lo, hi int) { s.Part(lo, hi).Copy(sorted.Part(lo, hi)) })
}

// inOrder reports whether an order is that of the input.
func (r *run) inOrder(index []uint32) bool {
	n := len(index)
	if n == 0 || index[0] != 0 || index[n-1] != uint32(n-1) {
		return n == 0
	}
	var moved atomic.Bool
	err := r.Stage("detect", n, r.piece(n), func(_, lo, hi int) {
		for i := lo; i < hi && !moved.Load(); i += engine.Block {
			if part := index[i:min(i+engine.Block, hi)]; part[0] != uint32(i) || !extract.Consecutive(part) {
				moved.Store(true)
			}
		}
	})
	return err == nil && !moved.Load()
}

// gatherBack writes the elements to s in order, from a copy that was made while
// their keys were extracted: then they were in the cache, and the workers were
// going to wait for a device. A gather into scratch would move them once more, when
// every worker waits for it.
func gatherBack(r *run, s, aside cpu.Payload, index []uint32) error {
	if err := r.Loop.Err(); err != nil {
		return err
	}
	r.Commit() // from here on the sort finishes
	return r.Stage("gather", s.Len(), r.piece(s.Len()), func(_, lo, hi int) {
		s.Part(lo, hi).GatherPast(aside, index[lo:hi])
	})
}

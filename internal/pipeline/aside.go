package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/ranges"
)

// sortAside prepares a merge of very many runs: it sorts a copy of all elements. Such a merge
// has no further payload.
func sortAside(r *request, j mergeJob) (write func() error, err error) {
	dst := j.moved[0].Dst
	all := dst.Take(&r.Arena, r.n)
	if err := r.concatenate(all, j.moved[0].Runs); err != nil {
		return nil, err
	}
	err = r.nest(r.n, func(own *request) error {
		own.onHost()
		return sortWords(own, all, j.words)
	})
	return func() error { return r.copyAll(dst, all) }, r.Stopped(err)
}

// concatenate copies runs to dst.
func (r *request) concatenate(dst cpu.Payload, runs []cpu.Payload) error {
	m := runsOf([]ranges.Moved{{Runs: runs}})
	return r.Stage("copy", r.n, r.piece(r.n), func(_, lo, hi int) {
		m.parts(lo, hi-lo, func(done int, part cpu.Payload) { dst.Part(lo+done, lo+done+part.Len()).Copy(part) })
	})
}

// copyAll copies src to dst.
func (r *request) copyAll(dst, src cpu.Payload) error {
	n := dst.Len()
	return r.Stage("copy", n, r.piece(n), func(_, lo, hi int) { dst.Part(lo, hi).Copy(src.Part(lo, hi)) })
}

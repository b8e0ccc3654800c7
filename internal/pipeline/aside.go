package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/ranges"
)

// sortAside merges very many runs: it sorts a copy of all elements. dst is untouched before.
func sortAside(r *run, words []extract.Word, dst cpu.Payload, runs []cpu.Payload) error {
	all := dst.Take(&r.Arena, r.n)
	if err := r.concatenate(all, runs); err != nil {
		return err
	}
	own := r.within(r.n)
	err := sortWords(own, all, words)
	r.adopt(own)
	if err = r.Stopped(err); err != nil {
		return err
	}
	r.Commit()
	return r.Stage("write", r.n, r.piece(r.n), func(_, lo, hi int) { dst.Part(lo, hi).Copy(all.Part(lo, hi)) })
}

// concatenate copies runs to dst.
func (r *run) concatenate(dst cpu.Payload, runs []cpu.Payload) error {
	m := runsOf(ranges.Moved{Runs: runs})
	return r.Stage("copy", r.n, r.piece(r.n), func(_, lo, hi int) {
		m.parts(lo, hi-lo, func(done int, part cpu.Payload) { dst.Part(lo+done, lo+done+part.Len()).Copy(part) })
	})
}

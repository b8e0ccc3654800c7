package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
)

// sortInPlace sorts with the least memory: codes and index are ordered in
// place, and the elements follow the cycles of the index.
func sortInPlace(r *run, s cpu.Payload, words []extract.Word) error {
	index := scratch.Take[uint32](&r.Arena, s.Len())
	if err := orderInPlace(r, extract.InputOf(s), words, index); err != nil {
		return err
	}
	return applyIndex(r, s, index)
}

// applyIndex moves the elements of s to their places, in place.
func applyIndex(r *run, s cpu.Payload, index []uint32) error {
	r.Arena.Hold(s.ApplyBytes())
	r.Commit() // from here on the sort finishes
	return r.Stage("apply", 1, 1, func(int, int, int) { s.Apply(index, r.Loop.Workers) })
}

// orderInPlace writes the order of rows to index with no more scratch than
// [facts.inPlaceBytes].
func orderInPlace(r *run, rows extract.Input, words []extract.Word, index []uint32) error {
	words[0].Open(rows, &r.Env)
	if words[0].Bits <= 32 {
		return orderCodesInPlace(r, rows, words, index, extract.Source32(rows, &words[0]))
	}
	return orderCodesInPlace(r, rows, words, index, extract.Source64(rows, &words[0]))
}

func orderCodesInPlace[C sortkey.Code](r *run, rows extract.Input, words []extract.Word, index []uint32, src cpu.Source[C]) error {
	codes, err := cpu.OrderInPlace(&r.Env, index, src)
	if err != nil || extract.Decisive(words) {
		return err
	}
	return ties.RefineSorted(&r.Env, rows, words, index, codes)
}

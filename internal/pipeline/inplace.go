package pipeline

import (
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
)

// leastOrder bounds the memory, in bytes, of orderInPlace.
func leastOrder(r *run, words []extract.Word) int64 {
	bytes := max(cpu.InPlaceBytes(r.n, extract.CodeSize(words)), ties.LargeRunBytes(words, r.n)) + extract.FullBytes(r.n, words) + ties.Bytes(r.Loop.Workers, r.element, words, r.n)
	if r.numbered && !extract.AllGiven(words) {
		bytes += int64(r.Loop.Workers) * scratch.Size(engine.Block, unsafe.Sizeof(r.n))
	}
	return bytes
}

// leastIndex is leastOrder with the index itself.
func leastIndex(r *run, words []extract.Word) int64 {
	return leastOrder(r, words) + scratch.Size(r.n, 4)
}

// sortInPlace sorts with the least memory: codes and index are ordered in
// place, and the elements follow the cycles of the index.
func sortInPlace(r *run, s cpu.Payload, words []extract.Word) error {
	r.used.Algorithm = "InPlace"
	if err := r.require(leastIndex(r, words) + s.ApplyBytes()); err != nil {
		return err
	}
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
// leastOrder, which the caller has required.
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

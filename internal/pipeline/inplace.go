package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
)

// sortInPlace sorts with the least memory: codes and index are ordered in place, and all
// elements follow the cycles of the index. Keys are those of all[0].
func sortInPlace(r *request, words []extract.Word, all ...cpu.Payload) error {
	index := scratch.Take[uint32](&r.Arena, r.n)
	if err := orderInPlace(r, extract.InputOf(all[0]), words, index); err != nil {
		return err
	}
	apply := int64(0)
	for _, s := range all {
		apply = max(apply, s.ApplyBytes())
	}
	r.Arena.Hold(apply)
	r.Commit() // from here on the sort finishes
	return r.Stage("apply", 1, 1, func(int, int, int) {
		for _, s := range all {
			s.Apply(index, r.Loop.Workers)
		}
	})
}

// orderInPlace writes the order of rows to index with no more scratch than
// [facts.inPlaceBytes].
func orderInPlace(r *request, rows extract.Input, words []extract.Word, index []uint32) error {
	words[0].Open(rows, &r.Env)
	if words[0].Bits <= 32 {
		return orderCodesInPlace(r, rows, words, index, extract.Source32(rows, &words[0]))
	}
	return orderCodesInPlace(r, rows, words, index, extract.Source64(rows, &words[0]))
}

func orderCodesInPlace[C sortkey.Code](r *request, rows extract.Input, words []extract.Word, index []uint32, src cpu.Source[C]) error {
	codes, err := cpu.OrderInPlace(&r.Env, index, src)
	switch decisive := extract.Decisive(words); {
	case err != nil:
		return err
	case !decisive:
		return ties.RefineSorted(&r.Env, rows, words, index, codes, r.marks)
	case r.marks != nil:
		return ties.MarkSorted(&r.Env, codes, r.marks[0])
	}
	return nil
}

package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/presorted"
)

// ownTexts reports whether elements are strings, and their own keys.
func (f *facts) ownTexts() bool {
	return f.backend == nil && f.algorithm == engine.Auto && extract.OwnTexts(f.words)
}

// textsInOrder sorts strings that are in order, or nearly. Unlike the keys of other elements these may be read as
// often as it pays. So neighbours are compared first, which takes less time than to make codes and to compare those
// that tie. The comparison ends once too many are out of order.
func textsInOrder(t *task) (done bool, err error) {
	r := t.r
	texts := texts.NewSteps(cpu.Slice[string](t.elements), r.Descending, &r.Loop)
	l, err := presorted.Detect(&r.Env, r.n, texts.Follow, texts.Compare)
	if l == nil || err != nil {
		return false, err
	}
	return true, cpu.Settle(&r.Env, t.elements, l, texts.Equal)
}

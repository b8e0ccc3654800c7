package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/presorted"
)

// ownTexts reports whether elements are strings, and their own keys.
func (f *Facts) ownTexts() bool {
	return f.backend == nil && f.algorithm == engine.Auto && extract.OwnTexts(f.Words)
}

// textsInOrder sorts strings that are in order, or nearly. Unlike the keys of other elements these may be read as
// often as it pays. So neighbours are compared first, which takes less time than to make codes and to compare those
// that tie. The comparison ends once too many are out of order.
func textsInOrder(t *task) (done bool, err error) {
	r := t.r
	texts := texts.NewSteps(cpu.Slice[string](t.elements), r.Descending, &r.Loop)
	l, err := presorted.Detect(&r.Env, r.N, texts.Follow, texts.Compare)
	if l == nil || err != nil {
		return false, err
	}
	return true, cpu.Settle(&r.Env, t.elements, l, texts.Equal)
}

// Fields may be read as often as it pays, unlike keys of functions. So neighbours are compared where
// they lie, before codes are made and scratch is taken for them. Other inputs show in a sample.

func (f *Facts) fieldsMayBeInOrder() bool { return f.ownWay() && f.fields != nil && f.fields() }

// fieldsInOrder reports whether all words are fields, and a sample is in order by them, or nearly.
func (t *task) fieldsInOrder() bool {
	fields, ok := extract.NewFieldSteps(t.elements, t.f.Words, &t.r.Loop)
	return ok && fields.Ordered()
}

// fieldsInOrder sorts elements that are in order, or nearly, by their fields.
func fieldsInOrder(t *task) (done bool, err error) {
	fields, _ := extract.NewFieldSteps(t.elements, t.f.Words, &t.r.Loop)
	l, err := presorted.Detect(&t.r.Env, t.r.N, fields.Follow, fields.Compare)
	if l == nil || err != nil {
		return false, err
	}
	return true, cpu.Settle(&t.r.Env, t.elements, l, func(i, j uint32) bool { return fields.Compare(i, j) == 0 })
}

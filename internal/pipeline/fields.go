package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/presorted"
)

// Fields may be read as often as it pays, unlike keys of functions. So neighbours are compared where
// they lie, before codes are made and scratch is taken for them. Other inputs show in a sample.

func (f *facts) fieldsMayBeInOrder() bool { return f.ownWay() && f.fields != nil && f.fields() }

// fieldsInOrder reports whether all words are fields, and a sample is in order by them, or nearly.
func (t *task) fieldsInOrder() bool {
	fields, ok := extract.NewFieldSteps(t.elements, t.f.words, &t.r.Loop)
	return ok && fields.Ordered()
}

// fieldsInOrder sorts elements that are in order, or nearly, by their fields.
func fieldsInOrder(t *task) (done bool, err error) {
	fields, _ := extract.NewFieldSteps(t.elements, t.f.words, &t.r.Loop)
	l, err := presorted.Detect(&t.r.Env, t.r.n, fields.Follow, fields.Compare)
	if l == nil || err != nil {
		return false, err
	}
	return true, cpu.Settle(&t.r.Env, t.elements, l, func(i, j uint32) bool { return fields.Compare(i, j) == 0 })
}

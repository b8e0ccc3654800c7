package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
)

// settleByFields sorts s if it is in order, or nearly, by words that are fields of the elements. It
// reports false, and leaves s alone, if it is not.
//
// Fields may be read as often as it pays, unlike keys of functions. So neighbours are compared where
// they lie, before codes are made and scratch is taken for them. Other inputs show in a sample.
func settleByFields(r *request, s cpu.Payload, words []extract.Word) (done bool, err error) {
	fields, ok := extract.NewFieldSteps(s, words, &r.Loop)
	if !ok || r.n > r.most || cpu.MovesBytes(r.n, r.Loop.Workers, s.Size()) > r.plan.bytes || !fields.Ordered() {
		return false, nil
	}
	l, err := cpu.Detect(&r.Env, r.n, fields.Follow, fields.Compare)
	if l == nil || err != nil {
		return false, err
	}
	return true, cpu.Settle(&r.Env, s, l, func(i, j uint32) bool { return fields.Compare(i, j) == 0 })
}

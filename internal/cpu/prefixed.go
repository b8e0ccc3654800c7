package cpu

import (
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// prefixed is elements whose codes are prefixes of their keys, until these are sorted by codes.
type prefixed[C Code] struct {
	env     *engine.Env
	keys    KeyComparer[C]
	codes   []C
	v       presorted.Survey[C]
	deliver func(l *presorted.Moves) error // of the order by whole keys; nil: elements are in it
	tied    bool                           // the caller sorts by the rest of the keys
}

// extractPrefixes returns n elements with their codes of src. n > 0.
func extractPrefixes[C Code](env *engine.Env, n int, src Source[C], keys KeyComparer[C]) (*prefixed[C], error) {
	codes := takeAligned[C](env, sizeCodes(nil, n, unsafe.Sizeof(C(0))))
	t := &prefixed[C]{env: env, keys: keys, codes: codes}
	var err error
	if comparesKeys() {
		t.v, err = extractAndCompare(env, codes, src, keys)
	} else {
		t.v, err = extract(env, codes, src)
	}
	return t, err
}

// tie returns whether elements tie by whole keys.
func (t *prefixed[C]) tie(i, j uint32) bool {
	return t.codes[i] == t.codes[j] && notGeneric(t.keys).Compare(i, j) == 0
}

func (t *prefixed[C]) compared() bool { return t.v.ByKeys != nil }

func (t *prefixed[C]) sorted() bool { return t.v.Sorted() }

func (t *prefixed[C]) flat() bool { return t.v.Sorted() && t.v.Min == t.v.Max }

// moveByKeys moves elements that whole keys find in order, or nearly.
func (t *prefixed[C]) moveByKeys() (done bool, err error) {
	if t.v.InOrder() {
		return true, t.deliver(nil)
	}
	l, err := presorted.FindByKeys(t.env, t.codes, t.v, t.keys)
	if l == nil {
		return false, err
	}
	return true, t.deliver(l)
}

// checkBytes bounds the memory of the comparisons of neighbours by whole keys. That of moves is their [sizeFinding].
func checkBytes(s sizes) int64 {
	var a scratch.Area
	presorted.SizeCheck(&a, s.n)
	return a.Bytes()
}

func (t *prefixed[C]) goOnByRest() (done bool, err error) { return t.goOn(t.keys.RestDecides()) }

func (t *prefixed[C]) goOnByRuns() (done bool, err error) { return t.goOn(t.keys.RunsDecide(t.codes)) }

// goOn ends the sort if the caller sorts by the rest of the keys.
func (t *prefixed[C]) goOn(tied bool) (done bool, err error) {
	if t.tied = tied; tied {
		scratch.Give(&t.env.Arena, t.codes, t.env.Loop.Workers)
	}
	return tied, nil
}

// refine makes codes again if keys have finer ones.
func (t *prefixed[C]) refine() (done bool, err error) {
	src := t.keys.Finer(t.codes, t.v.Min, t.v.Max)
	if src == nil {
		return false, t.env.Loop.Err()
	}
	finer, err := extract(t.env, t.codes, src)
	finer.ByKeys, t.v = t.v.ByKeys, finer
	return true, err
}

package sorter

import (
	"sync"

	"example.com/sorter/internal/engine"
)

// textKey is how strings and byte slices of any name are kept, so that no named type
// instantiates a sort of its own.
type textKey interface{ string | []byte }

// smallTexts is a workspace for breaking the ties of strings on the calling goroutine,
// with nothing allocated.
type smallTexts[K textKey] struct {
	env  engine.Env
	kept keptStrings[K]
	ties *ties
	pool *sync.Pool
}

var smallStrings, smallBytes sync.Pool

// getSmallTexts returns a workspace for keys, to be given back with put.
func getSmallTexts[K textKey](keys []K, o order) *smallTexts[K] {
	pool := &smallStrings
	if kindOf[K]() == kindBytes {
		pool = &smallBytes
	}
	w, ok := pool.Get().(*smallTexts[K])
	if !ok {
		w = &smallTexts[K]{kept: keptStrings[K]{store: &store[K]{}}, pool: pool}
		w.ties = newTies(&w.env, rows{}, []level{{kept: &w.kept}})
	}
	w.kept.order, w.kept.keys = o, keys
	return w
}

// put gives the workspace back, without the keys.
func (w *smallTexts[K]) put() {
	w.kept.keys = nil
	w.pool.Put(w)
}

// orderTiedTexts is orderTied of strings.
func orderTiedTexts[K textKey](index []uint32, codes []uint64, keys []K, o order) {
	var w *smallTexts[K]
	for from, end := tiedRun(index, codes, 0); from < end; from, end = tiedRun(index, codes, end) {
		run := index[from:end]
		switch {
		case len(run) <= tinySort:
			sortFewKeys(run, keys, o.desc)
			continue
		case textsInOrder(run, keys, o.desc):
			continue
		case w == nil:
			w = getSmallTexts(keys, o)
		}
		w.ties.refineRun(&w.ties.work[0], tie{run, place{tail: true}})
	}
	if w != nil {
		w.put()
	}
}

// orderFewTexts is orderTiedFew of strings.
func orderFewTexts[K textKey](index []uint32, codes []uint64, keys []K, o order) {
	for from, end := tiedRun(index, codes, 0); from < end; from, end = tiedRun(index, codes, end) {
		sortFewKeys(index[from:end], keys, o.desc)
	}
}

// sortFewKeys orders at most tinySort keys, numbered by order.
func sortFewKeys[K textKey](order []uint32, keys []K, desc bool) {
	var room [tinySort]string
	texts := room[:len(order)]
	for i, x := range order {
		texts[i] = textOf(&keys[x])
	}
	sortFew(texts, order, 0, desc)
}

// textsInOrder reports whether the keys numbered by index do not fall.
func textsInOrder[K textKey](index []uint32, keys []K, desc bool) bool {
	for i, x := range index[1:] {
		if falls(textOf(&keys[index[i]]), textOf(&keys[x]), desc) {
			return false
		}
	}
	return true
}

// stringsInOrder reports whether keys do not fall.
func stringsInOrder(keys []string, desc bool) bool {
	for i := 1; i < len(keys); i++ {
		if falls(keys[i-1], keys[i], desc) {
			return false
		}
	}
	return true
}

// falls reports whether b comes before a.
func falls(a, b string, desc bool) bool {
	if desc {
		a, b = b, a
	}
	return b < a
}

package sorter

import (
	"sync"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/parallel"
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
func getSmallTexts[K textKey](keys []K, o order, c *smallCall) *smallTexts[K] {
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
	if loop := c.asked(); loop != nil {
		w.env.Loop.Ctx, w.kept.paces.key = loop.Ctx, &c.both[0]
	}
	return w
}

// put gives the workspace back, without anything that belongs to the call.
func (w *smallTexts[K]) put() {
	w.kept.keys = nil
	w.env.Loop.Ctx, w.kept.paces.key = nil, nil
	w.pool.Put(w)
}

// orderTiedTexts is orderTied of strings.
func orderTiedTexts[K textKey](index []uint32, codes []uint64, keys []K, o order, c *smallCall) {
	var w *smallTexts[K]
	for from, end := tiedRun(index, codes, 0); from < end && c.err() == nil; from, end = tiedRun(index, codes, end) {
		run := index[from:end]
		switch {
		case sortFewKeys(run, keys, o.desc):
			continue
		case textsInOrder(run, keys, o.desc, c.asked()):
			continue
		case w == nil:
			w = getSmallTexts(keys, o, c)
		}
		w.ties.refineRun(&w.ties.work[0], tie{run, place{tail: true}})
	}
	if w != nil {
		w.put()
	}
}

// orderFewTexts is orderTiedFew of strings. Only those to be compared in turns need more
// than the stack.
func orderFewTexts[K textKey](index []uint32, codes []uint64, keys []K, o order, c *smallCall) {
	for from, end := tiedRun(index, codes, 0); from < end && c.err() == nil; from, end = tiedRun(index, codes, end) {
		if !sortFewKeys(index[from:end], keys, o.desc) {
			orderLongTexts(index, codes, keys, o, c)
			return
		}
	}
}

// orderLongTexts is orderTiedTexts with copies, so that index and keys may be on the
// stack.
func orderLongTexts[K textKey](index []uint32, codes []uint64, keys []K, o order, c *smallCall) {
	order := append([]uint32(nil), index...)
	orderTiedTexts(order, codes, append([]K(nil), keys...), o, c)
	copy(index, order)
}

// sortFewKeys orders keys, numbered by order; false if they are more than tinySort, or so
// long that they are to be compared in turns.
func sortFewKeys[K textKey](order []uint32, keys []K, desc bool) bool {
	if len(order) > tinySort {
		return false
	}
	var room [tinySort]string
	texts, longest := room[:len(order)], 0
	for i, x := range order {
		texts[i] = textOf(&keys[x])
		longest = max(longest, len(texts[i]))
	}
	if longest > textTurn {
		return false
	}
	sortFew(texts, order, 0, desc)
	return true
}

// textsInOrder reports whether the keys numbered by index do not fall.
func textsInOrder[K textKey](index []uint32, keys []K, desc bool, loop *parallel.Loop) bool {
	for i, x := range index[1:] {
		if falls(textOf(&keys[index[i]]), textOf(&keys[x]), desc, loop) {
			return false
		}
	}
	return true
}

// stringsInOrder reports whether keys do not fall.
func stringsInOrder(keys []string, desc bool, loop *parallel.Loop) bool {
	for i := 1; i < len(keys); i++ {
		if falls(keys[i-1], keys[i], desc, loop) {
			return false
		}
	}
	return true
}

// falls reports whether b comes before a. The context of loop may cancel it.
func falls(a, b string, desc bool, loop *parallel.Loop) bool {
	if desc {
		a, b = b, a
	}
	if loop == nil {
		return b < a
	}
	return compareTexts(loop, b, a) < 0
}

package small

import (
	"slices"
	"sync"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
)

// smallTexts is pooled memory for breaking the ties of strings on the calling goroutine,
// without allocations.
type smallTexts[K texts.Key] struct {
	env  engine.Env
	full extract.Strings[K] // the keys
	ties *ties.Breaker
	pool *sync.Pool
}

var smallStrings, smallBytes sync.Pool

// getSmallTexts returns a workspace for keys. The caller returns it by put.
func getSmallTexts[K texts.Key](keys []K, o sortkey.Order, c *Call) *smallTexts[K] {
	pool := &smallStrings
	if sortkey.KindOf[K]() == sortkey.Bytes {
		pool = &smallBytes
	}
	w, ok := pool.Get().(*smallTexts[K])
	if !ok {
		w = &smallTexts[K]{pool: pool}
		w.ties = ties.New(&w.env, extract.Input{}, []extract.Word{{Full: &w.full}})
	}
	w.full.Order, w.full.Keys = o, keys
	if loop := c.asked(); loop != nil {
		w.env.Loop.Ctx, w.full.Paces.Key = loop.Ctx, &c.both[0]
	}
	return w
}

// put clears the workspace's references to the call and returns it to its pool.
func (w *smallTexts[K]) put() {
	w.full.Keys = nil
	w.env.Loop.Ctx, w.full.Paces.Key = nil, nil
	w.pool.Put(w)
}

// orderTiedTexts orders runs of index whose prefixes, the codes, tie, by whole strings. index
// is sorted by codes.
func orderTiedTexts[K texts.Key](index []uint32, codes []uint64, keys []K, o sortkey.Order, c *Call) {
	var w *smallTexts[K]
	for from, end := tiedRun(index, codes, 0); from < end && c.err() == nil; from, end = tiedRun(index, codes, end) {
		run := index[from:end]
		switch {
		case sortFewKeys(run, keys, o.Desc):
			continue
		case textsInOrder(run, keys, o.Desc, c.asked()):
			continue
		case w == nil:
			w = getSmallTexts(keys, o, c)
		}
		w.ties.RefineTie(&w.ties.Work[0], ties.Tie{Order: run, Level: extract.Level{Tail: true}})
	}
	if w != nil {
		w.put()
	}
}

// orderFewTexts writes the order of at most tinySort texts to index, and their first bytes to codes. It reports
// whether they may be out of order, and whether those with equal codes are equal. It allocates only if a tying
// text is longer than extract.TextTurn.
func orderFewTexts[K texts.Key](index []uint32, codes []uint64, keys []K, o sortkey.Order, c *Call) (moved, whole bool) {
	whole = texts.CodesOf(codes, keys, o)
	moved = rank(index, codes)
	c.tied(index, codes)
	if whole {
		return moved, true
	}
	for from, end := tiedRun(index, codes, 0); from < end && c.err() == nil; from, end = tiedRun(index, codes, end) {
		if !sortFewKeys(index[from:end], keys, o.Desc) {
			orderLongTexts(index, codes, keys, o, c)
			break
		}
	}
	return !ascend(index), false
}

// ascend reports whether an order is that of the input.
func ascend(order []uint32) bool { return slices.Equal(order, numbers[:len(order)]) }

// orderLongTexts is orderTiedTexts with copies, so that index and keys may be on the
// stack.
func orderLongTexts[K texts.Key](index []uint32, codes []uint64, keys []K, o sortkey.Order, c *Call) {
	order := append([]uint32(nil), index...)
	orderTiedTexts(order, codes, append([]K(nil), keys...), o, c)
	copy(index, order)
}

// sortFewKeys sorts order by keys; false if it has more than tinySort elements, or a key is
// longer than extract.TextTurn, so that comparisons have to check the context.
func sortFewKeys[K texts.Key](order []uint32, keys []K, desc bool) bool {
	switch {
	case len(order) == 2: // most runs are
		return sortTwoKeys(order, keys, desc)
	case len(order) > tinySort:
		return false
	}
	longest := 0
	for _, x := range order {
		longest = max(longest, len(sortkey.TextOf(&keys[x])))
	}
	switch {
	case longest > texts.Turn:
		return false
	case longest > mostInserted:
		sortFewLong(order, keys, desc)
	default:
		insertKeys(order, keys, desc)
	}
	return true
}

// mostInserted is the number of bytes up to which texts are compared whole (EPYC, 2 processors, 2026-11: ten texts
// of 77 bytes 33 instead of 43 ns). Of longer ones no byte is compared twice.
const mostInserted = 128

// insertKeys is sortFewKeys by whole comparisons.
func insertKeys[K texts.Key](order []uint32, keys []K, desc bool) {
	for i := 1; i < len(order); i++ {
		x, j := order[i], i
		key := sortkey.TextOf(&keys[x])
		for ; j > 0 && falls(sortkey.TextOf(&keys[order[j-1]]), key, desc, nil); j-- {
			order[j] = order[j-1]
		}
		order[j] = x
	}
}

// sortFewLong is sortFewKeys of at most tinySort texts by the bytes that they share.
func sortFewLong[K texts.Key](order []uint32, keys []K, desc bool) {
	var memory [tinySort]string
	few := memory[:len(order)]
	for i, x := range order {
		few[i] = sortkey.TextOf(&keys[x])
	}
	texts.SortFew(few, order, 0, desc)
}

// sortTwoKeys is sortFewKeys of two.
func sortTwoKeys[K texts.Key](order []uint32, keys []K, desc bool) bool {
	a, b := sortkey.TextOf(&keys[order[0]]), sortkey.TextOf(&keys[order[1]])
	if max(len(a), len(b)) > texts.Turn {
		return false
	}
	if falls(a, b, desc, nil) {
		order[0], order[1] = order[1], order[0]
	}
	return true
}

// textsInOrder reports whether no key numbered by index comes before its predecessor.
func textsInOrder[K texts.Key](index []uint32, keys []K, desc bool, loop *parallel.Loop) bool {
	for i, x := range index[1:] {
		if falls(sortkey.TextOf(&keys[index[i]]), sortkey.TextOf(&keys[x]), desc, loop) {
			return false
		}
	}
	return true
}

// stringsInOrder returns the number of keys up to the first that comes before its predecessor.
func stringsInOrder(keys []string, desc bool, loop *parallel.Loop) int {
	i := 1
	if loop == nil && !desc { // with nothing but a comparison in the loop
		for i < len(keys) && keys[i] >= keys[i-1] {
			i++
		}
		return min(i, len(keys))
	}
	for i < len(keys) && !falls(keys[i-1], keys[i], desc, loop) {
		i++
	}
	return min(i, len(keys))
}

// falls reports whether b comes before a. It checks the context of loop, unless that is nil.
func falls(a, b string, desc bool, loop *parallel.Loop) bool {
	if desc {
		a, b = b, a
	}
	if loop == nil {
		return b < a
	}
	return texts.Compare(loop, b, a) < 0
}

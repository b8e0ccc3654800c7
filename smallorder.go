package sorter

import (
	"math/bits"
	"sync"

	"example.com/sorter/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/perm"
)

// smallOrder is a workspace for ordering what fits the cache by the columns of
// one Ordering, on the calling goroutine and with nothing allocated.
type smallOrder[E any] struct {
	env    engine.Env
	levels []level[E]
	ties   *ties[E]
	codes  []uint64
	index  []uint32
	pool   *sync.Pool
}

// smallOrders are the pools of an Ordering's workspaces, by the options that
// change columns.
type smallOrders [4]sync.Pool

// small returns a workspace for n elements, to be given back with put.
func (o Ordering[E]) smallOrder(n int, cfg config) *smallOrder[E] {
	i := 0
	if cfg.descending {
		i |= 1
	}
	if cfg.nansLast {
		i |= 2
	}
	pool := &o.smalls[i]
	if w, ok := pool.Get().(*smallOrder[E]); ok && len(w.codes) >= n {
		return w
	}
	room := 1 << bits.Len(uint(max(n, 64)-1))
	w := &smallOrder[E]{levels: levels(o.cols, cfg), codes: make([]uint64, room), index: make([]uint32, room), pool: pool}
	for i := range w.levels {
		w.levels[i].open(rows[E]{n: room}, &w.env)
	}
	w.ties = newTies(&w.env, rows[E]{}, w.levels)
	return w
}

// order returns the order of s, which belongs to w.
func (w *smallOrder[E]) order(s []E) []uint32 {
	codes, index := w.codes[:len(s)], w.index[:len(s)]
	w.levels[0].codes(codes, batch[E]{block: s})
	for i := range index {
		index[i] = uint32(i)
	}
	w.ties.rows = sliceRows(s)
	w.ties.work[0].pairs.Sort(&w.env, codes, index)
	if !decisive(w.levels) {
		refine(w.ties, 0, index, codes, place{})
	}
	return index
}

// put gives the workspace back, without anything that belongs to the caller of
// order on n elements. After a panic it is left to the garbage collector.
func (w *smallOrder[E]) put(n int) {
	for i := range w.levels {
		if l := &w.levels[i]; !l.exact() {
			l.kept.forget(n)
		}
	}
	w.ties.forget()
	w.pool.Put(w)
}

// small reports whether a workspace orders n elements.
func (o Ordering[E]) small(n int, cfg config) bool { return len(o.cols) > 0 && cfg.small(n) }

func (o Ordering[E]) sortSmall(s []E, cfg config) {
	w := o.smallOrder(len(s), cfg)
	cpu.FollowCycles(s, w.order(s))
	w.put(len(s))
}

func (o Ordering[E]) orderSmall(s []E, cfg config) perm.Perm {
	p := result(s, len(s), cfg.into, o.cols...)
	w := o.smallOrder(len(s), cfg)
	copy(p, w.order(s))
	w.put(len(s))
	return p
}

func (o Ordering[E]) topSmall(s []E, k int, cfg config) {
	w := o.smallOrder(len(s), cfg)
	toFront(s, w.order(s)[:k])
	w.put(len(s))
}

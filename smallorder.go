package sorter

import (
	"math/bits"
	"sync"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/perm"
)

// smallOrder is a workspace for ordering elements that fit the cache by the columns of
// one Ordering, on the calling goroutine and without allocations.
type smallOrder struct {
	env    engine.Env
	levels []level
	ties   *ties
	codes  []uint64
	index  []uint32
	pool   *sync.Pool
}

// ordering is an [Ordering] of elements whose type it does not know.
type ordering struct {
	cols   []column
	smalls *smallOrders
}

// smallOrders are the pools of an Ordering's workspaces, by the options that
// change columns.
type smallOrders [4]sync.Pool

// small returns a workspace for n elements, to be given back with put.
func (o ordering) smallOrder(n int, cfg config) *smallOrder {
	i := 0
	if cfg.descending {
		i |= 1
	}
	if cfg.nansLast {
		i |= 2
	}
	pool := &o.smalls[i]
	if w, ok := pool.Get().(*smallOrder); ok && len(w.codes) >= n {
		return w
	}
	room := 1 << bits.Len(uint(max(n, 64)-1))
	w := &smallOrder{levels: levels(o.cols, cfg), codes: make([]uint64, room), index: make([]uint32, room), pool: pool}
	for i := range w.levels {
		w.levels[i].open(rows{n: room}, &w.env)
	}
	w.ties = newTies(&w.env, rows{}, w.levels)
	return w
}

// order returns the order of s, which belongs to w.
func (w *smallOrder) order(s cpu.Payload) []uint32 {
	codes, index := w.codes[:s.Len()], w.index[:s.Len()]
	w.levels[0].codes(codes, batch{block: s.Raw()})
	if len(codes) < 2 {
		clear(index)
		return index
	}
	for i := range index {
		index[i] = uint32(i)
	}
	w.ties.rows.s, w.ties.rows.n = s, s.Len()
	w.ties.work[0].pairs.Sort(&w.env, codes, index)
	if !decisive(w.levels) {
		refine(w.ties, 0, index, codes, place{})
	}
	return index
}

// put gives the workspace back, without anything that belongs to the caller of
// order on n elements. After a panic it is left to the garbage collector.
func (w *smallOrder) put(n int) {
	for i := range w.levels {
		if l := &w.levels[i]; !l.exact() {
			l.kept.forget(n)
		}
	}
	w.ties.forget()
	w.pool.Put(w)
}

// small reports whether a workspace orders n elements.
func (o ordering) small(n int, cfg config) bool { return len(o.cols) > 0 && cfg.small(n) }

func (o ordering) sortSmall(s cpu.Payload, cfg config) {
	w := o.smallOrder(s.Len(), cfg)
	s.FollowCycles(w.order(s))
	w.put(s.Len())
}

func (o ordering) orderSmall(s cpu.Payload, cfg config) perm.Perm {
	p := result(s.Raw(), s.Len(), cfg.into, o.cols...)
	w := o.smallOrder(s.Len(), cfg)
	copy(p, w.order(s))
	w.put(s.Len())
	return p
}

func (o ordering) topSmall(s cpu.Payload, k int, cfg config, front func(order []uint32)) {
	w := o.smallOrder(s.Len(), cfg)
	front(w.order(s)[:k])
	w.put(s.Len())
}

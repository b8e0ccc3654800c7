package sorter

import (
	"math/bits"
	"sync"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
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
// change columns, and by whether a context may cancel calls of key functions.
type smallOrders [8]sync.Pool

// workspace returns a workspace for n elements, to be given back with put.
func (o ordering) workspace(n int, cfg *config) *smallOrder {
	i := 0
	if cfg.descending {
		i |= 1
	}
	if cfg.nansLast {
		i |= 2
	}
	if !cfg.cancellable() {
		return o.taken(&o.smalls[i], n, cfg)
	}
	w := o.taken(&o.smalls[i|4], n, cfg)
	w.env.Loop.Ctx = cfg.ctx
	for i := range w.levels {
		w.levels[i].restart(n)
	}
	return w
}

// taken returns a workspace of a pool.
func (o ordering) taken(pool *sync.Pool, n int, cfg *config) *smallOrder {
	if w, ok := pool.Get().(*smallOrder); ok && len(w.codes) >= n {
		return w
	}
	w := newSmallOrder(1<<bits.Len(uint(max(n, 64)-1)), o.cols, cfg)
	w.pool = pool
	return w
}

// newSmallOrder returns a workspace with room for that many elements.
func newSmallOrder(room int, cols []column, cfg *config) *smallOrder {
	w := &smallOrder{levels: levels(cols, *cfg), codes: make([]uint64, room), index: make([]uint32, room)}
	w.env.Arena.Hold(scratch.Size(room, 8) + scratch.Size(room, 4))
	if cfg.cancellable() {
		w.env.Loop.Ctx = cfg.ctx
	}
	for i := range w.levels {
		w.levels[i].open(rows{n: room}, &w.env)
	}
	w.ties = newTies(&w.env, rows{}, w.levels)
	return w
}

// order returns the order of s, which belongs to w.
func (w *smallOrder) order(s cpu.Payload, c *smallCall) ([]uint32, error) {
	codes, index := w.codes[:s.Len()], w.index[:s.Len()]
	w.levels[0].codes(codes, batch{block: s.Raw()})
	if err := w.env.Loop.Err(); err != nil {
		return nil, err
	}
	if len(codes) < 2 {
		clear(index)
	} else {
		w.sort(s, codes, index, c)
	}
	c.ordered(w)
	return index, w.env.Loop.Err()
}

// sort writes the order of s, two elements or more, to index by codes of the first level.
func (w *smallOrder) sort(s cpu.Payload, codes []uint64, index []uint32, c *smallCall) {
	for i := range index {
		index[i] = uint32(i)
	}
	w.ties.rows.s, w.ties.rows.n = s, s.Len()
	w.ties.work[0].pairs.Sort(&w.env, codes, index)
	if !decisive(w.levels) {
		c.tiedInOrder(codes)
		refine(w.ties, 0, index, codes, place{})
	}
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
	w.env.Loop.Ctx = nil
	w.pool.Put(w)
}

// ordered passes the order of s to use, unless the call was cancelled.
func (o ordering) ordered(s cpu.Payload, cfg *config, use func(order []uint32)) error {
	c := startSmall(cfg, s.Len(), noFunction)
	defer c.end()
	w := o.workspace(s.Len(), cfg)
	order, err := w.order(s, c)
	if err == nil {
		use(order)
	}
	w.put(s.Len())
	return err
}

// small reports whether a workspace orders n elements.
func (o ordering) small(n int, cfg *config) bool { return len(o.cols) > 0 && cfg.small(n) }

func (o ordering) sort(s cpu.Payload, cfg config) error {
	if !o.small(s.Len(), &cfg) {
		return sortRows(o.cols, s, cfg)
	}
	return o.ordered(s, &cfg, s.FollowCycles)
}

func (o ordering) order(s cpu.Payload, cfg config) (perm.Perm, error) {
	if !o.small(s.Len(), &cfg) {
		return orderOf(o.cols, sliceRows(s), cfg)
	}
	p := result(s.Raw(), s.Len(), cfg.into, o.cols...)
	if err := o.ordered(s, &cfg, func(order []uint32) { copy(p, order) }); err != nil {
		return nil, err
	}
	return p, nil
}

func (o ordering) top(s cpu.Payload, k int, cfg config, front func(order []uint32)) error {
	switch {
	case k <= 0 || !o.small(s.Len(), &cfg):
		return topRows(o.cols, s, k, cfg, front)
	case k >= s.Len():
		return o.ordered(s, &cfg, s.FollowCycles)
	}
	return o.ordered(s, &cfg, func(order []uint32) { front(order[:k]) })
}

// smallNumbers are the rows that OrderN orders on the small path. Nobody writes to them
// after they are made.
var smallNumbers = sync.OnceValue(func() []int {
	all := make([]int, cpu.SmallLen)
	for i := range all {
		all[i] = i
	}
	return all
})

// orderRowsSmall returns the order of n row numbers by columns of which each call has its
// own, so that only what does not depend on them is pooled.
func orderRowsSmall(cols []column, n int, cfg config) (perm.Perm, error) {
	s := cpu.PayloadOf(smallNumbers()[:n])
	p := result(s.Raw(), n, cfg.into, cols...)
	c := startSmall(&cfg, n, keyFunction)
	defer c.end()
	if err := orderNumbers(p, cols, s, &cfg, c); err != nil {
		return nil, err
	}
	return p, nil
}

// orderNumbers writes the order of row numbers to p. One column whose codes decide needs
// nothing that is the call's own.
func orderNumbers(p perm.Perm, cols []column, s cpu.Payload, cfg *config, c *smallCall) error {
	if len(cols) == 1 && cols[0].bits() <= 64 {
		cols[0] = cols[0].under(*cfg)
		cols[0].paces = c.paces()
		return orderColumn(p, &cols[0], s, c)
	}
	w := newSmallOrder(s.Len(), cols, cfg)
	if cfg.cancellable() {
		for i := range w.levels {
			w.levels[i].restart(s.Len())
		}
	}
	order, err := w.order(s, c)
	copy(p, order)
	return err
}

// orderColumn writes the order of s by a column whose codes decide to p.
func orderColumn(p perm.Perm, by *column, s cpu.Payload, c *smallCall) error {
	w := cpu.GetSmall[uint64]()
	by.codes(w.Codes[:s.Len()], batch{block: s.Raw()})
	err := c.err()
	if err == nil {
		w.Order(p)
	}
	c.bitsOf(by.bits())
	c.took(w.Scratch())
	w.Put()
	return err
}

package small

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
	"example.com/sorter/perm"
)

// workspace is pooled memory for ordering at most cpu.SmallLen elements by the columns of
// one Ordering, on the calling goroutine and without allocations.
type workspace struct {
	env   engine.Env
	words []extract.Word
	ties  *ties.Breaker
	codes []uint64
	index []uint32
	pool  *sync.Pool
}

// Ordering is an ordering of the public package without the type of its elements.
type Ordering struct {
	Cols  []extract.Column
	Pools *Pools
}

// Pools are the pools of an Ordering's workspaces, made when they are first asked for. They take longer
// to make than the first call takes without.
type Pools struct {
	made atomic.Pointer[pools]
	used atomic.Bool // by a call that took no workspace
}

// unused reports whether no call but this one has asked.
func (p *Pools) unused() bool { return !p.used.Load() && p.used.CompareAndSwap(false, true) }

// get returns the pools.
func (p *Pools) get() *pools {
	if made := p.made.Load(); made != nil {
		return made
	}
	p.made.CompareAndSwap(nil, new(pools))
	return p.made.Load()
}

// pools are the pools of an Ordering's workspaces, by whether a context may cancel calls of key
// functions, and by the options that change columns.
type pools [2][2 * sortkey.NaNPlaces]sync.Pool

// taken returns a workspace for n elements. The caller returns it by put.
func (o Ordering) taken(n int, cfg *call.Options) *workspace {
	i := 2 * int(cfg.NaNs)
	if cfg.Descending {
		i++
	}
	if !cfg.Cancellable() {
		return o.from(&o.Pools.get()[0][i], n, cfg)
	}
	w := o.from(&o.Pools.get()[1][i], n, cfg)
	w.restart(n, cfg)
	return w
}

// restart prepares a workspace for a call on n elements that a context may cancel.
func (w *workspace) restart(n int, cfg *call.Options) {
	w.env.Loop.Ctx = cfg.Ctx
	for i := range w.words {
		w.words[i].Restart(n)
	}
}

// from returns a workspace of a pool.
func (o Ordering) from(pool *sync.Pool, n int, cfg *call.Options) *workspace {
	if w, ok := pool.Get().(*workspace); ok && len(w.codes) >= n {
		return w
	}
	w := newWorkspace(1<<bits.Len(uint(max(n, 64)-1)), extract.Words(o.Cols, cfg.Order()), cfg)
	w.pool = pool
	return w
}

// newWorkspace returns a workspace for up to size elements.
func newWorkspace(size int, words []extract.Word, cfg *call.Options) *workspace {
	w := &workspace{words: words, codes: make([]uint64, size), index: make([]uint32, size)}
	w.env.Arena.Hold(scratch.Size(size, 8) + scratch.Size(size, 4))
	if cfg.Cancellable() {
		w.env.Loop.Ctx = cfg.Ctx
	}
	for i := range w.words {
		w.words[i].Open(extract.Input{Len: size}, &w.env)
	}
	w.ties = ties.New(&w.env, extract.Input{}, w.words)
	return w
}

// order returns the order of s, in memory of w.
func (w *workspace) order(s cpu.Payload, c *Call) ([]uint32, error) {
	codes, index := w.codes[:s.Len()], w.index[:s.Len()]
	w.words[0].Codes(codes, extract.Batch{Block: s.Raw()})
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

// sort writes the order of s, two elements or more, to index by codes of the first word.
func (w *workspace) sort(s cpu.Payload, codes []uint64, index []uint32, c *Call) {
	for i := range index {
		index[i] = uint32(i)
	}
	w.ties.Input.Slice, w.ties.Input.Len = s, s.Len()
	w.ties.Work[0].Pairs.Sort(&w.env, codes, index)
	if !extract.Decisive(w.words) {
		c.tiedInOrder(codes)
		ties.Refine(w.ties, 0, index, codes, extract.Place{})
	}
}

// put returns the workspace to its pool, after it has cleared references to the n elements
// of the caller. After a panic of a key function the workspace is left to the collector.
func (w *workspace) put(n int) {
	for i := range w.words {
		if l := &w.words[i]; !l.Exact() {
			l.Full.Forget(n)
		}
	}
	w.ties.Forget()
	w.env.Loop.Ctx = nil
	w.pool.Put(w)
}

// ordered passes the order of s to use, unless the call was cancelled.
func (o Ordering) ordered(s cpu.Payload, cfg *call.Options, use func(order []uint32)) error {
	if n := s.Len(); ServesFew(cfg, n) {
		var order [tinySort]uint32
		o.orderFew(&order, s, cfg)
		// Sound: use does not keep the order.
		use(unsafe.Slice((*uint32)(cpu.Hidden(unsafe.Pointer(&order))), n))
		return nil
	}
	if cfg.Report == nil && o.Pools.unused() {
		return orderedOnce(o.Cols, s, cfg, use)
	}
	c := begin(cfg, s.Len(), NoFunction)
	defer c.end()
	w := o.taken(s.Len(), cfg)
	order, err := w.order(s, c)
	if err == nil {
		use(order)
	}
	w.put(s.Len())
	return err
}

// orderFew writes the order of at most tinySort elements to order.
func (o Ordering) orderFew(order *[tinySort]uint32, s cpu.Payload, cfg *call.Options) {
	for i := range order {
		order[i] = uint32(i)
	}
	few{extract.ListOf(o.Cols), extract.FewOf{Block: s.Raw()}, cfg.Order()}.sort(order[:s.Len()], 0, true)
}

// Sort sorts s.
func (o Ordering) Sort(s cpu.Payload, cfg *call.Options) error {
	if ServesFew(cfg, s.Len()) {
		var order [tinySort]uint32
		o.orderFew(&order, s, cfg)
		s.FollowFew(&order)
		return nil
	}
	return o.ordered(s, cfg, s.FollowCycles)
}

// Order returns the order of s.
func (o Ordering) Order(s cpu.Payload, cfg *call.Options) (perm.Perm, error) {
	if cfg.Marks != nil {
		return orderMarked(o.Cols, s, cfg)
	}
	p := extract.Result(s.Raw(), s.Len(), cfg.Into, o.Cols...)
	if err := o.ordered(s, cfg, func(order []uint32) { copy(p, order) }); err != nil {
		return nil, err
	}
	return p, nil
}

// Top moves the first k elements of s to the front, by front.
func (o Ordering) Top(s cpu.Payload, k int, cfg *call.Options, front func(order []uint32)) error {
	if k >= s.Len() {
		return o.Sort(s, cfg)
	}
	return o.ordered(s, cfg, func(order []uint32) { front(order[:k]) })
}

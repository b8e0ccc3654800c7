package sorter

import (
	"sync"
	"time"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/perm"
)

// small reports whether n elements take the small path: the calling goroutine alone,
// with pooled memory. This is the one place that decides which options that path serves:
//
//   - [Stable], [Descending], [NaNsLast] and [Into] are part of the sort itself.
//   - [Workers] is met by one goroutine, [On] the CPU and [Use] of Auto by the path.
//   - [WithContext] and [Report] are met by a [smallCall].
//   - [MemoryLimit] is not served: pooled workspaces have room for cpu.SmallLen
//     elements, however small the limit.
//   - [OnProgress] is not: key functions may be slow, and only stages report progress.
//   - [On] a device and [Use] of a named algorithm ask for something else to run.
//
// TestSmallOptions fails for an option that is not listed there.
func (c *config) small(n int) bool {
	return n <= cpu.SmallLen && c.limit == 0 && c.progress == nil && c.algorithm == Auto &&
		(c.backend == nil || c.backend == CPU())
}

// bare reports whether the small path sorts n elements and no option asks for more than
// the result.
func (c *config) bare(n int) bool {
	return n <= cpu.SmallLen && c.backend == nil && c.stats == nil &&
		c.limit == 0 && c.progress == nil && c.algorithm == Auto && c.ctx == nil
}

// cancellable reports whether a context may end the call.
func (c *config) cancellable() bool { return c.ctx != nil && c.ctx.Done() != nil }

func (c *config) order() order { return order{c.descending, c.nansLast} }

// smallCall is a call on the small path that has a context to ask or statistics to
// report. A nil one has neither. They are pooled.
type smallCall struct {
	loop  parallel.Loop
	both  [2]pace // of the key function, and of the null function
	calls bool    // there are any, and a context to ask before their calls

	cancellable bool // by the context of loop

	stats   *Stats
	started time.Duration // since epoch
	n       int
	bits    int
	ties    int
	scratch int64
}

var smallCalls = sync.Pool{New: func() any {
	c := new(smallCall)
	c.both[0].loop, c.both[1].loop = &c.loop, &c.loop
	return c
}}

// functions says who calls the caller's functions.
type functions bool

const (
	keyFunction functions = true  // the smallCall sets their pace
	noFunction  functions = false // there are none, or an Ordering's workspace does
)

// startSmall begins a call on n elements, to be ended by end.
func startSmall(cfg *config, n int, f functions) *smallCall {
	if cfg.ctx == nil && cfg.stats == nil {
		return nil
	}
	c := smallCalls.Get().(*smallCall)
	c.loop.Ctx, c.stats, c.n = cfg.ctx, cfg.stats, n
	c.cancellable = cfg.cancellable()
	if c.calls = bool(f) && c.cancellable; c.calls {
		c.paces().restart(n)
	}
	if c.stats != nil {
		c.started = time.Since(epoch)
	}
	return c
}

// end reports, also while a panic of a key function unwinds.
func (c *smallCall) end() {
	if c == nil {
		return
	}
	if c.stats != nil {
		c.report()
	}
	c.loop.Ctx, c.stats, c.bits, c.ties, c.scratch = nil, nil, 0, 0, 0
	smallCalls.Put(c)
}

// report fills the statistics, field by field: a literal is made on the stack and copied.
func (c *smallCall) report() {
	st := c.stats
	*st = Stats{}
	st.Engine, st.Algorithm, st.Elements, st.CodeBits = CPU().Name(), smallName, c.n, c.bits
	st.Workers, st.Ties, st.Scratch = 1, c.ties, c.scratch
	st.Total = time.Since(epoch) - c.started
}

// smallName is what Stats calls the algorithms of the small path.
const smallName = "Small"

// err is the error of the context.
func (c *smallCall) err() error {
	if c == nil || c.loop.Ctx == nil {
		return nil
	}
	return c.loop.Ctx.Err()
}

// asked is the loop whose context comparisons ask, nil if nothing cancels them.
func (c *smallCall) asked() *parallel.Loop {
	if c == nil || !c.cancellable {
		return nil
	}
	return &c.loop
}

// pace is that of the key function, nil if nothing cancels it.
func (c *smallCall) pace() *pace {
	if c == nil || !c.calls {
		return nil
	}
	return &c.both[0]
}

// paces are those of the functions of a column.
func (c *smallCall) paces() paces {
	if c == nil || !c.calls {
		return paces{}
	}
	return paces{&c.both[0], &c.both[1]}
}

// took notes scratch memory.
func (c *smallCall) took(bytes int64) {
	if c != nil {
		c.scratch += bytes
	}
}

// tied counts the elements whose codes, in the order of index, tie.
func (c *smallCall) tied(index []uint32, codes []uint64) {
	if c == nil || c.stats == nil {
		return
	}
	for from, end := tiedRun(index, codes, 0); from < end; from, end = tiedRun(index, codes, end) {
		c.ties += end - from
	}
}

// tiedInOrder is tied of codes that are in order.
func (c *smallCall) tiedInOrder(codes []uint64) {
	if c == nil || c.stats == nil {
		return
	}
	for i := range codes {
		if i > 0 && codes[i-1] == codes[i] || i+1 < len(codes) && codes[i+1] == codes[i] {
			c.ties++
		}
	}
}

// ordered notes a workspace of an Ordering.
func (c *smallCall) ordered(w *smallOrder) {
	c.bitsOf(w.levels[0].bits)
	c.took(w.env.Arena.Peak())
}

// bitsOf notes the width of the leading code.
func (c *smallCall) bitsOf(bits int) {
	if c != nil {
		c.bits = bits
	}
}

// start begins a call by keys of type K, to be ended by end. It asks the context, unless
// key functions ask it before their first call. The call is nil if nothing asks again
// and nobody reads statistics.
func start[K Key](cfg *config, n int, f functions) (*smallCall, error) {
	k := kindOf[K]()
	if f == noFunction && cfg.stats == nil && k != kindString && k != kindBytes {
		if cfg.ctx == nil {
			return nil, nil
		}
		return nil, cfg.ctx.Err()
	}
	c := startSmall(cfg, n, f)
	keyed(c, k)
	if f == keyFunction {
		return c, nil
	}
	return c, c.err()
}

// keyed notes the width of the leading code of keys of a kind.
func keyed(c *smallCall, k kind) {
	if c == nil || c.stats == nil {
		return
	}
	if c.bits = 64; !k.wide() {
		c.bits = codeBits[k]
	}
}

// sortWatched is [Sort] on the small path with options that watch it.
func sortWatched[K Key](s cpu.Payload, get getter, cfg config) error {
	c := startSmall(&cfg, s.Len(), keyFunction)
	defer c.end()
	keyed(c, kindOf[K]())
	return sortSmall[K](s, get, cfg.order(), c)
}

// sortKeysWatched is [SortKeys] on the small path. It asks the context once, and further
// only where keys are strings.
func sortKeysWatched[K Key](keys []K, cfg config) error {
	c, err := start[K](&cfg, len(keys), noFunction)
	defer c.end()
	if err != nil {
		return err
	}
	return sortKeysSmall(keys, cfg.order(), cfg.stable, c)
}

// sortPairsWatched is [SortPairs] on the small path. It asks the context as
// sortKeysWatched does.
func sortPairsWatched[K Key, V any](keys []K, values []V, cfg config) error {
	c, err := start[K](&cfg, len(keys), noFunction)
	defer c.end()
	if err != nil {
		return err
	}
	return sortPairsSmall(keys, values, cfg.order(), c)
}

// orderWatched is [Order] on the small path.
func orderWatched[K Key](s cpu.Payload, get getter, f functions, cfg config) (perm.Perm, error) {
	p := result(s.Raw(), s.Len(), cfg.into)
	c, err := start[K](&cfg, s.Len(), f)
	defer c.end()
	if err == nil {
		err = orderSmall[K](p, s, get, cfg.order(), c)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// topWatched is [TopK] on the small path.
func topWatched[K Key](s cpu.Payload, k int, get getter, f functions, cfg config, front func(order []uint32)) error {
	c, err := start[K](&cfg, s.Len(), f)
	defer c.end()
	if err != nil {
		return err
	}
	return topSmall[K](s, k, get, cfg.order(), front, c)
}

package small

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
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
	early []extract.Early // by word, made when first used
	near  presorted.Near
	pool  *sync.Pool
}

// Ordering is an ordering of the public package without the type of its elements. A nil Ordering has no
// columns. Pools of workspaces are made when they are first asked for: that takes longer than the first
// call takes without.
type Ordering struct {
	pools    once[pools]
	cols     once[[]extract.Column]
	used     atomic.Bool    // by a call that took no workspace
	n        uint8          // columns in few
	Compares once[Compares] // of the public package
	more     []extract.Spec // all columns, if they are more than few has room for
	few      [2]extract.Spec
}

// once is a value that is made when it is first asked for. An Ordering of one call stays on the stack: the
// compiler sees that no call keeps its address, except for operations on an atomic.Pointer.
type once[T any] struct{ made atomic.Pointer[T] }

// hidden is sound: atomic operations keep no address. See [cpu.Hidden].
func (o *once[T]) hidden() *atomic.Pointer[T] {
	return (*atomic.Pointer[T])(cpu.Hidden(unsafe.Pointer(&o.made)))
}

// Load returns the value, nil if there is none.
func (o *once[T]) Load() *T { return o.hidden().Load() }

// Make returns the value, which is new if there was none.
func (o *once[T]) Make(new *T) *T {
	if made := o.hidden(); !made.CompareAndSwap(nil, new) {
		return made.Load()
	}
	return new
}

// Compares are the comparisons of two elements, by column: functions of their type.
type Compares []func()

// Init makes o the ordering of elements by columns.
func (o *Ordering) Init(cols []extract.Spec) {
	extract.CheckMade(cols)
	if len(cols) > len(o.few) {
		o.more = slices.Clone(cols)
	} else {
		o.put(cols)
	}
}

// put writes the few columns of o. A copy by the runtime takes as long as a row.
func (o *Ordering) put(cols []extract.Spec) {
	switch o.n = uint8(len(cols)); len(cols) {
	case 2:
		o.few[1] = cols[1]
		fallthrough
	case 1:
		o.few[0] = cols[0]
	}
}

// specs returns the columns as the program made them.
func (o *Ordering) specs() []extract.Spec {
	if o.more != nil {
		return o.more
	}
	return o.few[:o.n]
}

// Len returns the number of columns.
func (o *Ordering) Len() int {
	if o == nil {
		return 0
	}
	return len(o.specs())
}

// Join returns the ordering by the columns of o, then by those of next. Both may be nil.
func (o *Ordering) Join(next *Ordering) *Ordering {
	var all []extract.Spec
	for _, from := range [...]*Ordering{o, next} {
		if from != nil {
			all = append(all, from.specs()...)
		}
	}
	joined := new(Ordering)
	joined.Init(all)
	return joined
}

// Columns returns the columns. They are read-only.
func (o *Ordering) Columns() []extract.Column {
	if o.Len() == 0 {
		return nil
	}
	if made := o.cols.Load(); made != nil {
		return *made
	}
	all := extract.AppendColumns(make([]extract.Column, 0, len(o.specs())), o.specs())
	return *o.cols.Make(&all)
}

// byKeys reports whether n elements are ordered faster by [Ordering.orderedOnce] than by words in a workspace: by the
// whole codes of one column, and by 64-bit keys, whose codes have no room for nulls, once nulls are parted from them.
func (o *Ordering) byKeys(n int) bool {
	first := o.specs()[0]
	switch kind := first.Kind(); {
	case kind.Wide():
		return false
	case first.Nulls() != extract.NoNulls:
		return sortkey.CodeBits[kind] == 64
	}
	return o.Len() == 1 && n >= leastByKeys
}

// leastByKeys is the number of elements from which [Ordering.byKeys] serves one column without nulls: of 100 the
// order takes 0.82 of the time, of 30 as long (EPYC, 2026-11-26).
const leastByKeys = 64

// unused reports whether no call but this one has asked.
func (o *Ordering) unused() bool { return !o.used.Load() && o.used.CompareAndSwap(false, true) }

// madePools returns the pools.
func (o *Ordering) madePools() *pools {
	if made := o.pools.Load(); made != nil {
		return made
	}
	return o.pools.Make(new(pools))
}

// pools are the pools of an Ordering's workspaces, by whether a context may cancel calls of key
// functions, and by the options that change columns.
type pools [2][2 * sortkey.NaNPlaces]sync.Pool

// taken returns a workspace for n elements. The caller returns it by put.
func (o *Ordering) taken(n int, cfg *call.Options) *workspace {
	i := 2 * int(cfg.NaNs)
	if cfg.Descending {
		i++
	}
	if !cfg.Cancellable() {
		return o.from(&o.madePools()[0][i], n, cfg)
	}
	w := o.from(&o.madePools()[1][i], n, cfg)
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
func (o *Ordering) from(pool *sync.Pool, n int, cfg *call.Options) *workspace {
	if w, ok := pool.Get().(*workspace); ok && len(w.codes) >= n {
		return w
	}
	w := newWorkspace(1<<bits.Len(uint(max(n, 64)-1)), extract.Words(o.Columns(), cfg.Order()), cfg)
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

// order returns the order of s, in memory of w, and whether s is in order.
func (w *workspace) order(s cpu.Payload, c *Call) (order []uint32, same bool, err error) {
	codes, index := w.codes[:s.Len()], w.index[:s.Len()]
	w.words[0].Codes(codes, extract.Batch{Block: s.Raw()})
	if err := w.env.Loop.Err(); err != nil {
		return nil, false, err
	}
	if len(codes) < 2 {
		clear(index)
	} else {
		same = w.sort(s, codes, index, c)
	}
	c.ordered(w)
	return index, same, w.env.Loop.Err()
}

// sort writes the order of s, two elements or more, to index by codes of the first word. It reports whether s
// is found to be in order.
func (w *workspace) sort(s cpu.Payload, codes []uint64, index []uint32, c *Call) (same bool) {
	w.ties.Input.Slice, w.ties.Input.Len = s, s.Len()
	if c == nil && !w.ties.Marked() && w.mayBeNear(codes) {
		if same, ok := w.sortNear(s, codes, index); ok {
			return same
		}
	}
	for i := range index {
		index[i] = uint32(i)
	}
	w.ties.Work[0].Pairs.Sort(&w.env, codes, index)
	if !extract.Decisive(w.words) {
		c.tiedInOrder(codes)
		ties.Refine(w.ties, 0, index, codes, extract.Level{})
	}
	return false
}

// leastTiedWords is the share of elements, 1/leastTiedWords, that tie with their predecessors in the first word at least
// for the later words of all to be extracted.
const leastTiedWords = 8

// mayBeNear reports whether codes of the first word are in order, except for few, and many tie.
func (w *workspace) mayBeNear(codes []uint64) bool {
	if extract.Decisive(w.words) {
		return false
	}
	seen := presorted.StepsOf(codes)
	return seen.Ties*leastTiedWords >= len(codes) && presorted.MayOrder(len(codes), seen)
}

// sortNear writes the order of s to index if all but few elements are in order, by codes of the first word. It
// extracts the codes of later words for all elements, up to the word that decides between neighbours.
func (w *workspace) sortNear(s cpu.Payload, codes []uint64, index []uint32) (same, ok bool) {
	byCodes := func(i, j uint32) int { return cmp.Compare(codes[i], codes[j]) }
	if w.near.Begin(codes); !w.near.MayMerge(index, byCodes) {
		return false, false
	}
	w.openEarly(s.Len())
	for k := range w.words {
		l := &w.words[k]
		if k > 0 {
			if w.near.Ties() == 0 {
				break
			}
			w.extractAll(l, s)
			w.near.Add(l.Early.Codes[:s.Len()])
		}
		if !l.Whole() && !w.near.CompareTies(l.Full.Compare) {
			return false, false
		}
	}
	if w.env.Loop.Err() != nil {
		return false, false
	}
	return w.near.Order(index, func(i, j uint32) int {
		if c := byCodes(i, j); c != 0 {
			return c
		}
		return w.ties.Compare(&w.ties.Work[0].Reader, i, j)
	})
}

// openEarly prepares the words after the first for codes of n elements.
func (w *workspace) openEarly(n int) {
	if w.early == nil {
		w.early = make([]extract.Early, len(w.words))
		for k := 1; k < len(w.words); k++ {
			w.early[k] = extract.Early{Codes: make([]uint64, len(w.codes)), Done: make([]byte, len(w.codes))}
		}
		w.env.Arena.Hold(extract.EarlyBytes(len(w.codes), w.words))
	}
	for k := 1; k < len(w.words); k++ {
		clear(w.early[k].Done[:n])
		w.words[k].Early = w.early[k]
	}
}

// extractAll extracts the codes of all elements at a word that openEarly has prepared.
func (w *workspace) extractAll(l *extract.Word, s cpu.Payload) {
	l.Codes(l.Early.Codes[:s.Len()], extract.Batch{Block: s.Raw()})
	copy(l.Early.Done[:s.Len()], allDone)
}

// allDone are the marks of elements whose codes are all extracted.
var allDone = bytes.Repeat([]byte{1}, cpu.SmallLen)

// put returns the workspace to its pool, after it has cleared references to the n elements
// of the caller. After a panic of a key function the workspace is left to the collector.
func (w *workspace) put(n int) {
	for i := range w.words {
		l := &w.words[i]
		if l.Early = (extract.Early{}); !l.Exact() {
			l.Full.Forget(n)
		}
	}
	w.ties.Forget()
	w.env.Loop.Ctx = nil
	w.pool.Put(w)
}

// ordered passes the order of s to use, and whether s is known to be in order, unless the call was cancelled.
func (o *Ordering) ordered(s cpu.Payload, cfg *call.Options, use func(order []uint32, same bool)) error {
	if cfg.Report == nil && (o.byKeys(s.Len()) || o.unused()) {
		return o.orderedOnce(s, cfg, use)
	}
	c := begin(cfg, s.Len(), NoFunction)
	defer c.end()
	w := o.taken(s.Len(), cfg)
	order, same, err := w.order(s, c)
	if err == nil {
		use(order, same)
	}
	w.put(s.Len())
	return err
}

// OrderFew returns the order of at most tinySort elements.
func (o *Ordering) OrderFew(s stream.Raw, cfg *call.Options) perm.Perm {
	p := extract.ResultOf(s, cfg.Into, o.specs())
	o.orderFew(p, s, cfg)
	return p
}

// orderFew orders at most tinySort elements of s, numbered by order.
func (o *Ordering) orderFew(order []uint32, s stream.Raw, cfg *call.Options) {
	var f few
	f.cols, f.from.Block, f.order = extract.ListOf(o.specs()), s, cfg.Order()
	f.sortAll(order)
}

// SortFew sorts at most tinySort elements.
func (o *Ordering) SortFew(s cpu.Payload, cfg *call.Options) {
	if s.Len() < 2 {
		return
	}
	var order [tinySort]uint32
	o.orderFew(order[:s.Len()], s.Raw(), cfg)
	if !ascend(order[:s.Len()]) {
		s.FollowFew(&order)
	}
}

// Sort sorts s.
func (o *Ordering) Sort(s cpu.Payload, cfg *call.Options) error {
	if ServesFew(cfg, s.Len()) {
		o.SortFew(s, cfg)
		return nil
	}
	return o.ordered(s, cfg, func(order []uint32, same bool) {
		if !same {
			s.FollowCycles(order)
		}
	})
}

// Order returns the order of s.
func (o *Ordering) Order(s cpu.Payload, cfg *call.Options) (perm.Perm, error) {
	if ServesFew(cfg, s.Len()) {
		return o.OrderFew(s.Raw(), cfg), nil
	}
	if cfg.Marks != nil {
		return orderMarked(o.Columns(), s, cfg)
	}
	p := extract.ResultOf(s.Raw(), cfg.Into, o.specs())
	if err := o.ordered(s, cfg, func(order []uint32, _ bool) { copy(p, order) }); err != nil {
		return nil, err
	}
	return p, nil
}

// Top moves the first k elements of s to the front, by front.
func (o *Ordering) Top(s cpu.Payload, k int, cfg *call.Options, front func(order []uint32)) error {
	if k >= s.Len() {
		return o.Sort(s, cfg)
	}
	if ServesFew(cfg, s.Len()) {
		var order [tinySort]uint32
		o.orderFew(order[:s.Len()], s.Raw(), cfg)
		// Sound: front does not keep the order.
		front(unsafe.Slice((*uint32)(cpu.Hidden(unsafe.Pointer(&order))), k))
		return nil
	}
	return o.ordered(s, cfg, func(order []uint32, _ bool) { front(order[:k]) })
}

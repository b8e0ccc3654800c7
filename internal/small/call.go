package small

import (
	"context"
	"sync"
	"time"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/perm"
)

// Serves reports whether n elements take the small path: the calling goroutine alone,
// with pooled memory. This is the one place that decides which options that path serves:
//
//   - [Stable], [Descending], [NaNsFirst], [NaNsLast] and [Into] are part of the sort itself.
//   - [MarkRuns] and [MarkRunsBy] are met by marked.go.
//   - [Workers] is met by one goroutine, [On] the CPU and [Use] of Auto by the path.
//   - [WithContext] and [Report] are met by a [Call].
//   - [MemoryLimit] is not served: pooled workspaces hold cpu.SmallLen elements,
//     however small the limit.
//   - [OnProgress] is not: key functions may be slow, and only stages report progress.
//   - [On] a device and [Use] of a named algorithm are not: they name another path.
//
// TestSmallOptions fails for an option that is not listed there.
func Serves(c *call.Options, n int) bool {
	return n <= cpu.SmallLen && c.Limit == 0 && c.Progress == nil && c.Algorithm == engine.Auto &&
		(c.Backend == nil || c.Backend == cpu.Host)
}

// Call is a call on the small path with a context to check or statistics to report.
// A nil Call has neither. Calls are pooled.
type Call struct {
	loop  parallel.Loop
	both  [2]extract.Pace // of the key function, and of the null function
	calls bool            // key functions are called, and a context is checked before their calls

	cancellable bool // by the context of loop

	report  call.Reporter
	started time.Duration // since epoch
	n       int
	bits    int
	ties    int
	scratch int64
	stats   call.Stats // reported last
}

var calls = sync.Pool{New: func() any {
	c := &Call{stats: call.Stats{Engine: cpu.Host.Name(), Algorithm: "Small", Workers: 1}}
	c.both[0].Loop, c.both[1].Loop = &c.loop, &c.loop
	return c
}}

// functions reports whether a Call sets the pace of the caller's functions.
type functions bool

const (
	keyFunction functions = true  // the Call sets their pace
	noFunction  functions = false // there are none
)

// begin begins a call on n elements, to be ended by end.
func begin(cfg *call.Options, n int, f functions) *Call {
	if !cfg.Monitored() {
		return nil
	}
	c := calls.Get().(*Call)
	c.loop.Ctx, c.report, c.n = cfg.Ctx, cfg.Report, n
	c.cancellable = cfg.Cancellable()
	if c.calls = bool(f) && c.cancellable; c.calls {
		c.paces().Restart(n)
	}
	if c.report != nil {
		c.started = time.Since(extract.Epoch)
	}
	return c
}

// end reports statistics, also if a key function panics.
func (c *Call) end() {
	if c == nil {
		return
	}
	if st := &c.stats; c.report != nil {
		st.Elements, st.CodeBits, st.Ties, st.Scratch = c.n, c.bits, c.ties, c.scratch
		st.Total = time.Since(extract.Epoch) - c.started
		c.report.Report(st)
	}
	c.loop.Ctx, c.report, c.bits, c.ties, c.scratch = nil, nil, 0, 0, 0
	calls.Put(c)
}

// context is the context of the call, nil if there is none.
func (c *Call) context() context.Context {
	if c == nil {
		return nil
	}
	return c.loop.Ctx
}

// err is the error of the context.
func (c *Call) err() error {
	if c == nil || c.loop.Ctx == nil {
		return nil
	}
	return c.loop.Ctx.Err()
}

// asked is the loop whose context comparisons check, nil if nothing can cancel them.
func (c *Call) asked() *parallel.Loop {
	if c == nil || !c.cancellable {
		return nil
	}
	return &c.loop
}

// pace is the pace of the key function, nil if nothing can cancel it.
func (c *Call) pace() *extract.Pace {
	if c == nil || !c.calls {
		return nil
	}
	return &c.both[0]
}

// paces are the paces of the functions of a column.
func (c *Call) paces() extract.Paces {
	if c == nil || !c.calls {
		return extract.Paces{}
	}
	return extract.Paces{Key: &c.both[0], Null: &c.both[1]}
}

// countScratch adds to the scratch memory that is reported.
func (c *Call) countScratch(bytes int64) {
	if c != nil {
		c.scratch += bytes
	}
}

// tied counts the elements whose codes, in the order of index, tie.
func (c *Call) tied(index []uint32, codes []uint64) {
	if c != nil && c.report != nil {
		c.ties += countTied(index, codes)
	}
}

// countTied returns the number of elements that tie. Without its loop, tied is inlined.
func countTied(index []uint32, codes []uint64) (n int) {
	for from, end := tiedRun(index, codes, 0); from < end; from, end = tiedRun(index, codes, end) {
		n += end - from
	}
	return n
}

// counts reports whether ties of the k-th column are counted: those of the first, for Report.
func (c *Call) counts(k int) bool { return k == 0 && c != nil && c.report != nil }

// tiedRows counts rows that tie in the k-th column.
func (c *Call) tiedRows(k, n int) {
	if c.counts(k) {
		c.ties += n
	}
}

// bitsOf records the width of the leading code.
func (c *Call) bitsOf(bits int) {
	if c != nil {
		c.bits = bits
	}
}

// start begins a call by keys of a kind, to be ended by end. It checks the context, unless
// it is checked before the first call of a key function. The Call is nil if the context is
// not checked again and no statistics are reported.
func start(k sortkey.Kind, o *call.Options, n int, f functions) (*Call, error) {
	if f == noFunction && o.Report == nil && k != sortkey.String && k != sortkey.Bytes {
		return nil, o.Context().Err()
	}
	c := begin(o, n, f)
	if c != nil {
		c.keyed(k)
	}
	if f == keyFunction {
		return c, nil
	}
	return c, c.err()
}

// keyed records the width of the leading code of keys of a kind.
func (c *Call) keyed(k sortkey.Kind) {
	if c.bits = 64; !k.Wide() {
		c.bits = sortkey.CodeBits[k]
	}
}

// SortWith is [Sort] with options. A [Call] takes as long as a few elements, so a few are sorted
// under a context without one.
func SortWith(k sortkey.Kind, s cpu.Payload, get column.Getter, o *call.Options) error {
	switch {
	case !o.Monitored():
		return Sort(k, s, get, o.Order(), nil)
	case o.Report == nil && s.Len() <= tinySort && !k.Wide():
		return sortTiny(k, s, get, o.Order(), o.Ctx, nil)
	}
	c, err := start(k, o, s.Len(), keyFunction)
	defer c.end()
	if err != nil {
		return err
	}
	return Sort(k, s, get, o.Order(), c)
}

// SortKeysWith is [SortKeys] with options. It checks the context once, and again only if
// keys are strings or byte slices.
func SortKeysWith(k sortkey.Kind, s cpu.Payload, o *call.Options) error {
	if !o.Monitored() {
		return SortKeys(k, s, o.Order(), o.Stable, nil)
	}
	c, err := start(k, o, s.Len(), noFunction)
	defer c.end()
	if err != nil {
		return err
	}
	return SortKeys(k, s, o.Order(), o.Stable, c)
}

// SortPairsWith is [SortPairs] with options. It checks the context as SortKeysWith does.
func SortPairsWith(k sortkey.Kind, keys, values cpu.Payload, o *call.Options) error {
	if !o.Monitored() {
		return SortPairs(k, keys, values, o.Order(), nil)
	}
	c, err := start(k, o, keys.Len(), noFunction)
	defer c.end()
	if err != nil {
		return err
	}
	return SortPairs(k, keys, values, o.Order(), c)
}

// getterOf returns a getter, that of elements which are keys for none, and the functions that it calls.
func getterOf(k sortkey.Kind, get column.Getter) (column.Getter, functions) {
	if get == nil {
		return column.Own(k), noFunction
	}
	return get, keyFunction
}

// OrderWith is [Order] with options. Elements are keys if get is nil.
func OrderWith(k sortkey.Kind, s cpu.Payload, get column.Getter, o *call.Options) (perm.Perm, error) {
	get, f := getterOf(k, get)
	if o.Marks != nil {
		return orderByColumns([]extract.Column{extract.ColumnAs(k, get)}, column.FewOf{Block: s.Raw()}, s, o)
	}
	p := column.Result(s.Raw(), s.Len(), o.Into, column.SpecList{})
	if !o.Monitored() {
		return p, Order(k, p, s, get, o.Order(), nil)
	}
	c, err := start(k, o, s.Len(), f)
	defer c.end()
	if err == nil {
		err = Order(k, p, s, get, o.Order(), c)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// TopWith is [Top] with options. Elements are keys if get is nil.
func TopWith(k sortkey.Kind, s cpu.Payload, n int, get column.Getter, o *call.Options, front func(order []uint32)) error {
	get, f := getterOf(k, get)
	if !o.Monitored() {
		return Top(k, s, n, get, o.Order(), front, nil)
	}
	c, err := start(k, o, s.Len(), f)
	defer c.end()
	if err != nil {
		return err
	}
	return Top(k, s, n, get, o.Order(), front, c)
}

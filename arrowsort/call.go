package arrowsort

import (
	"context"
	"math"
	"math/bits"
	"runtime"
	"sync"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/parallel"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

type optionsKey struct{}

// WithOptions returns a context with which the functions of this package sort under options of
// package sorter. They come after those that ctx has already: [sorter.Workers], [sorter.On], [sorter.Use],
// [sorter.MemoryLimit], [sorter.Report] and [sorter.OnProgress]. The sort of a dictionary's
// values comes before that of the rows, so a report is that of the rows. The order is given by
// sort keys: of options that change it or receive a result ([sorter.Descending],
// [sorter.NaNsLast], [sorter.MarkRuns] and the like) the effect is unspecified. Without [sorter.Workers] there are
// as many goroutines as the execution context of ctx says, with 0 of them GOMAXPROCS. It panics if ctx or an
// option is nil.
func WithOptions(ctx context.Context, options ...sorter.Option) context.Context {
	checkContext(ctx)
	for _, option := range options {
		if option == nil {
			panic("arrowsort: nil option")
		}
	}
	before, _ := ctx.Value(optionsKey{}).([]sorter.Option)
	return context.WithValue(ctx, optionsKey{}, append(before[:len(before):len(before)], options...))
}

// call is the environment of one call.
type call struct {
	ctx     context.Context
	mem     memory.Allocator
	workers int // goroutines, unless options have another number
	// mostText is the number of bytes up to which 32-bit offsets do not overflow.
	mostText int64
	shares   bool // rows that are picked may share a dictionary with their input
	options  []sorter.Option
	after    []func() // to be called at the end
}

// checkContext panics if ctx is nil.
func checkContext(ctx context.Context) {
	if ctx == nil {
		panic("arrowsort: nil context")
	}
}

// newCall returns the environment of a call with ctx. The caller closes it.
func newCall(ctx context.Context) *call {
	checkContext(ctx)
	given, _ := ctx.Value(optionsKey{}).([]sorter.Option)
	c := &call{ctx: ctx, mem: compute.GetAllocator(ctx), mostText: math.MaxInt32}
	c.workers = max(1, min(compute.GetExecCtx(ctx).NumParallel, runtime.GOMAXPROCS(0)))
	c.options = append(c.options, sorter.Workers(c.workers), sorter.Stable(), sorter.WithContext(ctx))
	c.options = append(c.options, given...)
	return c
}

// fork returns a call of the same environment for one more goroutine, which closes it.
func (c *call) fork() *call {
	return &call{ctx: c.ctx, mem: c.mem, workers: c.workers, mostText: c.mostText, shares: c.shares, options: c.options}
}

// with returns the options of the call, and more.
func (c *call) with(more ...sorter.Option) []sorter.Option {
	return append(c.options[:len(c.options):len(c.options)], more...)
}

// close releases the resources of the call.
func (c *call) close() {
	for _, f := range c.after {
		f()
	}
	c.after = nil
}

// owned releases a at the end of the call.
func owned[A interface{ Release() }](c *call, a A) A {
	c.after = append(c.after, a.Release)
	return a
}

// pools hold scratch between calls, by the bits of its length in words.
var pools [bits.UintSize]sync.Pool

// scratch returns memory for n elements without pointers, of unspecified contents, until the end
// of the call.
func scratch[T any](c *call, n int) []T {
	if n == 0 {
		return nil
	}
	var zero T
	words := (n*int(unsafe.Sizeof(zero)) + 7) / 8
	pool := &pools[bits.Len(uint(words))]
	block, _ := pool.Get().(*[]uint64)
	if block == nil || cap(*block) < words {
		fresh := make([]uint64, words)
		block = &fresh
	}
	c.after = append(c.after, func() { pool.Put(block) })
	// Sound: the block is long enough, and aligned for every T without pointers of 8 bytes or less.
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(*block))), n)
}

const (
	grain = 1 << 15 // the least number of rows that justify a goroutine
	block = 1 << 17 // rows between two checks of the context: about a millisecond
)

// stripes calls body for ranges [lo, hi) of n rows that are multiples of 64, each from a goroutine
// of its own, at most c.workers. A panic in one of them is raised again here, after all have ended.
func (c *call) stripes(n int, body func(lo, hi int)) {
	count := max(1, min(c.workers, n/grain))
	each := max((n/count+63)&^63, 1)
	loop := parallel.Loop{Workers: c.workers}
	_ = loop.Run("", max(n, 1), each, func(_, lo, hi int) { body(lo, min(hi, n)) }) // it is never cancelled
}

// share is stripes that end early if the context is cancelled. The caller checks that before it
// relies on the results.
func (c *call) share(n int, body func(lo, hi int)) {
	c.stripes(n, func(lo, hi int) {
		for ; lo < hi && !c.cancelled(); lo += block {
			body(lo, min(lo+block, hi))
		}
	})
}

// cancelled reports whether the context is.
func (c *call) cancelled() bool { return c.ctx.Err() != nil }

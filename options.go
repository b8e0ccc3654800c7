package sorter

import (
	"context"
	"fmt"
	"math"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/papers"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/perm"
)

// Option changes one property of one call. Options are applied in order; the
// last of a kind wins. Without any, the best engine sorts in ascending order, with ties
// in a deterministic order. Values out of range panic when the option is made, and a nil
// Option when the call begins.
type Option func(*config)

// config are the options of one call.
type config = call.Options

// apply applies options to c in turn, and returns c. The caller has c on its stack: it takes 12 ns
// to copy one.
//
// Sound: an option keeps no pointer to the config, which would be on the heap otherwise. To the
// compiler the argument is a number, and to the option it is a pointer, which is adjusted when the
// stack moves: not before the call, as nothing is called in between.
func apply(c *config, opts []Option) *config {
	for _, o := range opts {
		if o == nil {
			panic("sorter: nil option")
		}
		(*(*func(uintptr))(unsafe.Pointer(&o)))(uintptr(unsafe.Pointer(c)))
	}
	if observer.Load() != nil {
		observe(c)
	}
	return c
}

// Stable makes elements with equal keys keep their input order, on every engine.
// Default: ties come in an order that is deterministic for an engine, an algorithm and a
// number of elements. It costs nothing on the CPU, whose algorithms are all stable,
// except in [SortKeys] and [SortPairs] of floats.
func Stable() Option {
	return func(c *config) { c.Stable = true }
}

// Descending puts the largest key first. Stable ties still keep their input
// order. In an [Ordering] it reverses every column; nulls stay where their column puts
// them. It costs nothing: codes are complemented when they are made.
func Descending() Option {
	return func(c *config) { c.Descending = true }
}

// NaNsFirst puts NaN keys before all others, ascending and descending alike. Default: NaNs
// come first in ascending order, as in [cmp.Compare], and therefore last in descending order.
// Vectors of floats, such as [2]float32, have the places for each of their floats.
// A [Column] keeps the place that it was given by a method of its own.
// Of NaNsFirst, [NaNsLast] and [TotalOrder] the last wins. It costs nothing.
func NaNsFirst() Option {
	return func(c *config) { c.NaNs = sortkey.NaNsFirst }
}

// NaNsLast puts NaN keys after all others, ascending and descending alike. Everything else
// said of [NaNsFirst] holds.
func NaNsLast() Option {
	return func(c *config) { c.NaNs = sortkey.NaNsLast }
}

// TotalOrder orders floats by the total order of IEEE 754; see [Column.TotalOrder]. Everything else
// said of [NaNsFirst] holds.
func TotalOrder() Option {
	return func(c *config) { c.NaNs = sortkey.TotalOrder }
}

// On runs the sort on b. If b cannot, the call returns b's error: it does not fall back
// to the CPU. Under a [MemoryLimit] that is too small for b it returns [ErrMemoryLimit].
// Default: the planner chooses between the CPU and the registered devices, and the CPU
// finishes a sort in which a device fails. [Merge], [SortFunc], [OrderFunc], and [TopK] of at most a
// 32nd of the elements, run on the CPU whatever b. It panics if b is nil.
func On(b Backend) Option {
	if b == nil {
		panic("sorter: On(nil)")
	}
	return func(c *config) { c.Backend = b }
}

// Use sorts by one named algorithm instead of the planner's choice, on an engine that
// has it. Results do not depend on it: it is meant for measuring. Default: [Auto].
//
// The error is [ErrNoDevice] if no engine has the algorithm or has a device. If a device
// fails and the CPU lacks the algorithm, it is the device's error. A sort in place, see
// [MemoryLimit], has one algorithm only, which [Stats] names. [Merge], [SortFunc], [OrderFunc] and
// small [TopK] ignore it, see [On]. It panics if a is no algorithm.
func Use(a Algorithm) Option {
	if a >= engine.Algorithms {
		panic(fmt.Sprintf("sorter: Use(%d): no such algorithm", uint8(a)))
	}
	papers.Link()
	return func(c *config) { c.Algorithm = a }
}

// WithContext stops the call when ctx is cancelled. Calls that return an error return
// that of ctx within 50 ms, or after the calls of key and null functions, or of a comparison, then running.
// No goroutine is left and the slice is untouched. Where such calls differ in how long
// they take, each worker may begin fifteen more. Default: none. It costs 0.5 ns per call.
//
// Once sorted elements are being written back the sort finishes and returns nil.
// [SortKeys] in place, under a [MemoryLimit], writes from the start, so it asks ctx once,
// before that. [IsSorted] has no error to return and runs to its end. It panics if ctx
// is nil.
func WithContext(ctx context.Context) Option {
	if ctx == nil {
		panic("sorter: WithContext(nil)")
	}
	return func(c *config) { c.Ctx = ctx }
}

// Workers bounds the goroutines that work at a time, the caller's included.
// Default, and with 0: runtime.GOMAXPROCS(0). Range: 0 and above; with 1 no goroutine is
// started, and the key function runs on the caller's goroutine only.
func Workers(n int) Option {
	if n < 0 {
		panic(fmt.Sprintf("sorter: Workers(%d): need at least 0", n))
	}
	return func(c *config) { c.Workers = int32(min(n, math.MaxInt32)) }
}

// MemoryLimit bounds the scratch memory of the call in bytes: codes, indices, payload
// and tables. Default: no limit. Range: 1 and above.
//
// A sort that would need more works in place, which takes several times longer. If even
// that does not fit, or on a device (see [On]), it returns [ErrMemoryLimit] with the
// slice untouched. The result of an argsort is not counted, nor is memory that the key
// function allocates.
func MemoryLimit(bytes int64) Option {
	if bytes < 1 {
		panic(fmt.Sprintf("sorter: MemoryLimit(%d): need at least 1 byte", bytes))
	}
	cpu.LinkApply()
	return func(c *config) { c.Limit = bytes }
}

// Report fills st with statistics of the call, also when it fails. It costs a few
// clock readings, and nothing is allocated for up to 4096 elements. Default: none. It
// panics if st is nil.
func Report(st *Stats) Option {
	if st == nil {
		panic("sorter: Report(nil)")
	}
	return func(c *config) { c.Report = (*reportTo)(st) }
}

// OnProgress calls f while the sort runs, at most every 20 ms and at the end of each stage. There
// is one call at a time, on the goroutine that does the work. f must be quick and must not panic.
// Default: none. It panics if f is nil.
func OnProgress(f func(Progress)) Option {
	if f == nil {
		panic("sorter: OnProgress(nil)")
	}
	progress := func(stage string, done, total int) { f(Progress{stage, done, total}) }
	return func(c *config) { c.Progress = progress }
}

// Into makes the calls that return a permutation write it to the memory of p. They return p[:n]
// for n elements if cap(p) >= n, whatever the length of p. These calls are [Order], [OrderKeys],
// [OrderFunc], [Ordering.Order], [Rows.Order] and [Rows.Within]. Default, and with less capacity: new memory.
// Stability and cost are those of the call.
//
// Nothing is allocated for the result. The system clears every page of new memory when
// it is first written to, which can take longer than a device takes to sort. Programs
// that sort repeatedly keep the result of one call for the next:
//
//	p, err = sorter.OrderKeys(keys, sorter.Into(p))
//
// Nothing else may use that memory during the call, key functions included, so no two
// calls at a time may have it. On an error the result is nil, and after an error or a
// panic the contents of p's memory are unspecified; the keys are untouched. It panics if
// the memory holds the elements, or a column of [AscOf] or [Keys]. Calls that return
// no permutation ignore it: a list of options may serve several calls.
func Into(p perm.Perm) Option {
	return func(c *config) { c.Into = p }
}

// MarkRuns makes the calls that return a permutation fill r with where runs of equal rows begin in
// it. These calls are [Order], [OrderKeys], [OrderFunc], [Ordering.Order], [Rows.Order] and
// [Rows.Within]. So does [Rows.Sort] for its result.
//
// Rows are equal that tie in every column, as [Ordering.Compare] has it. So NaNs equal each other,
// −0 equals +0, and nulls of a column equal each other. Package rank computes ranks and distinct
// rows from them. It is [MarkRunsBy] with all columns.
func MarkRuns(r *perm.Runs) Option { return markRuns(call.AllColumns, r) }

// MarkRunsBy makes the calls that return a permutation fill r with where runs begin of rows that
// are equal in the first k columns. With k = 0 all rows are one run. Runs of [Rows.Within] end with
// their segments, and rows outside of these are runs of one. Several such options may be given: one
// sort by (country, amount) has the partitions, by one column, and the rows of equal rank in each,
// by all.
//
// It costs little: an order finds its ties anyway, and marks them while their codes are in the
// cache. Its cost: column k+1 starts a new code, and wide keys (above 64 bits) that are in order
// already lose their fast path. r takes one bit of new
// memory per row, which is not counted as scratch. Calls that run at the same time need a
// different r each.
//
// It panics if k is negative or r is nil, and the call if it orders by fewer than k columns. On
// an error or a panic r is as it was. Calls that return no permutation ignore it.
func MarkRunsBy(k int, r *perm.Runs) Option {
	if k < 0 {
		panic(fmt.Sprintf("sorter: MarkRunsBy(%d): need at least 0 columns", k))
	}
	return markRuns(k, r)
}

func markRuns(columns int, r *perm.Runs) Option {
	if r == nil {
		panic("sorter: nil runs")
	}
	return func(c *config) { c.Marks = &call.Marks{Columns: columns, Runs: r, Next: c.Marks} }
}

// Progress is the state of one stage of a sort, see [OnProgress].
type Progress struct {
	Stage       string // the name that Stats gives the stage
	Done, Total int    // elements, or in some stages stripes or buckets of them
}

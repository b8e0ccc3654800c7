package sorter

import (
	"fmt"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/top"
)

// Top keeps the first k elements of a stream, however long it is.
//
// They are those of a stable sort of the stream, cut at k: of elements that tie, the one pushed first is taken
// and comes first.
//
// Elements are compared with the k-th of those held before anything else happens to them. By a number in a
// field, see [ByFields], they are compared where they lie; otherwise codes of the first column are made and
// compared. Only what passes is copied. So an element takes a few nanoseconds at most, or its key function's
// time, and one that gets in as much as a selection among two.
//
// It has memory for k elements and a block, which is k and 4096 elements, at least 4352, and 16 bytes for each. A
// push of more than 2048 elements that get in takes as much again until it returns. An element is dropped, and no
// longer referred to, when a selection finds k others before it: by the next call after as many as k were added, at
// least 256, and by [Top.Bound] and [Top.Result].
//
// Everything runs on the calling goroutine, except the sort of a large result. A Top is not safe for concurrent
// use. Goroutines that read parts of a stream have a Top each, which [Top.Merge] joins.
//
// No call fails. A panic of a key function reaches the caller, and the Top is as it was before the call. Columns
// after the first are extracted only where elements tie, so a panic may come from a later call than that which
// pushed the element.
type Top[E any] struct{ own *top.Accumulator }

// NewTop returns an empty Top of the first k elements of an order.
//
// Of opts it takes those that change the order, [Descending], [NaNsFirst], [NaNsLast] and [TotalOrder], and
// [Workers] for the sort of the result. Others have no effect: it is always stable and runs on the CPU.
//
// By an Ordering of row numbers, with columns such as those of [AscOf], row numbers are pushed: those that pass
// a filter. Such columns must not change.
//
// It takes no memory for elements that are not pushed, so k may be a generous bound. It panics if k is negative
// or above 2^31-1.
func NewTop[E any](o Ordering[E], k int, opts ...Option) *Top[E] {
	if k < 0 || k > top.MostK {
		panic(fmt.Sprintf("sorter: NewTop of %d elements", k))
	}
	var options config
	apply(&options, opts)
	return &Top[E]{top.New(o.own, k, &elements[E]{comparators[E](o.own.Columns(), &options)}, &options)}
}

// Push adds the elements of s to the stream. s is not kept.
//
// Batches of a few hundred elements and more are the fastest. The first column's key function is called once per
// element, or not at all where the first column is a field. Other key functions, and for elements that are held
// all of them, may be called again.
func (t *Top[E]) Push(s ...E) { t.own.Push(cpu.PayloadOf(s)) }

// Bound returns the k-th element: what does not come before it cannot get in. ok is false while fewer than k
// are held, and for a k of 0.
//
// So a scan may skip a block whose least element, by statistics that are known of it, does not come before e:
// [Ordering.Compare] decides. It takes time proportional to k if elements got in since the last call, and
// otherwise none.
func (t *Top[E]) Bound() (e E, ok bool) {
	if at := t.own.Bound(); at != nil {
		return *(*E)(at), true // sound: it is the address of an element
	}
	return e, false
}

// Merge adds the first k elements of another Top, which is left alone, after all elements of t.
//
// The result is that of one Top to which t's stream was pushed, and then other's. It takes the time of a push of
// as many elements, without calls of key functions where the first column decides.
//
// It panics if the Tops have a different k, options of a different order, or an [Ordering] that is not the same
// value or a copy of it: functions cannot be compared. It panics if other is nil.
func (t *Top[E]) Merge(other *Top[E]) {
	if other == nil {
		panic("sorter: Merge of a nil Top")
	}
	if !t.own.Same(other.own) {
		panic(fmt.Sprintf("sorter: Merge of the first %d elements and the first %d, which must be as many, by one Ordering", t.own.K(), other.own.K()))
	}
	t.own.Merge(other.own)
}

// Result returns the first k elements pushed so far, in order, or all if they are fewer. t goes on.
//
// They are in new memory. It takes a selection and a sort of k elements, whose key functions are called again.
func (t *Top[E]) Result() []E {
	held, slots := t.own.Cut()
	first := make([]E, len(slots))
	s := cpu.PayloadOf(first)
	s.Gather(held, slots)
	options := t.own.Options()
	if err := pipeline.SortByColumns(t.own.Ordering(), s, &options); err != nil {
		panic(err) // the options that it has lead to no error
	}
	return first
}

// elements are the operations of accumulators that depend on the type of elements.
type elements[E any] struct{ compares []func(a, b E) int }

func (*elements[E]) Make(n int) cpu.Payload { return cpu.PayloadOf(make([]E, n)) }

func (*elements[E]) Put(dst cpu.Payload, slots []uint32, src cpu.Payload, at []uint32) {
	to, from := cpu.Slice[E](dst), cpu.Slice[E](src)
	for i, slot := range slots {
		to[slot] = from[at[i]]
	}
}

func (*elements[E]) Drop(p cpu.Payload, slots []uint32) {
	s, zero := cpu.Slice[E](p), *new(E)
	for _, slot := range slots {
		s[slot] = zero
	}
}

func (e *elements[E]) Compare(a, b unsafe.Pointer) int {
	x, y := (*E)(a), (*E)(b) // sound: they are addresses of elements
	for _, compare := range e.compares {
		if c := compare(*x, *y); c != 0 {
			return c
		}
	}
	return 0
}

// comparators returns the comparisons of two elements by columns, in the order of a call.
func comparators[E any](cols []extract.Column, o *config) []func(a, b E) int {
	compares := make([]func(a, b E) int, len(cols))
	for i := range cols {
		c := cols[i].Under(o.Order())
		compares[i] = comparator[E](&c)
	}
	return compares
}

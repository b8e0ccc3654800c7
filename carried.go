package sorter

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// carried are the elements of a slice that an engine may move itself. What it has
// written can be undone: a copy was made while keys were extracted.
type carried[E any] struct {
	s, aside []E
	written  atomic.Bool

	mu   sync.Mutex
	left []span // places of which it emitted positions
}

// span is places [lo, hi) of an order.
type span struct{ lo, hi int }

// carriedBy returns what an engine may take along of s, ordered by lv; nil if that holds
// pointers, which the collector must find where they are, or if there are several
// levels: what ties by the first would have travelled for nothing.
func carriedBy[E any](s, aside []E, lv []level[E]) *carried[E] {
	if scratch.HasPointers[E]() || len(lv) > 1 {
		return nil
	}
	return &carried[E]{s: s, aside: aside}
}

// offer lets the engine move the elements, if c is not nil. It emits positions to
// index where it does not, and has ties settled before it moves any.
func (c *carried[E]) offer(job *engine.Job, settle func() error) {
	if c == nil {
		return
	}
	emit := job.Emit
	job.Emit = func(lo int, order []uint32) {
		emit(lo, order)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.left = append(c.left, span{lo, lo + len(order)})
	}
	size, all := int(unsafe.Sizeof(*new(E))), bytesOf(c.s)
	job.Elements = &engine.Elements{
		Size:   size,
		Pull:   func(dst []byte, lo int) { copy(dst, all[lo*size:]) },
		Settle: settle,
		Push: func(lo int, elements []byte) {
			c.written.Store(true)
			cpu.CopyPast(all, lo*size, elements)
		},
	}
}

// moved reports whether the engine has moved elements.
func (c *carried[E]) moved() bool { return c != nil && c.written.Load() }

// finish moves what the engine has left, behind what it has moved.
func (c *carried[E]) finish(r *run, index []uint32) error {
	r.Loop.Ctx = nil // the sort finishes
	return r.Stage("gather", len(c.left), 1, func(_, i, _ int) {
		lo, hi := c.left[i].lo, c.left[i].hi
		cpu.GatherPast(c.s[lo:hi], c.aside, index[lo:hi])
	})
}

// restore makes the slice what it was, if the engine has begun to write it.
func (c *carried[E]) restore(r *run) {
	if c == nil {
		return
	}
	if c.written.Load() {
		r.restore(func(lo, hi int) { copy(c.s[lo:hi], c.aside[lo:hi]) })
	}
	c.written.Store(false)
	c.left = nil
}

// bytesOf views elements that hold no pointers as bytes.
func bytesOf[E any](s []E) []byte {
	// Sound: the memory of s is that long, any byte of it may be read and written,
	// and so may values of E that were copied as bytes.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(E))))
}

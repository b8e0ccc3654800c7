package sorter

import (
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
}

// carriedBy returns what an engine may take along of s; nil if that holds pointers,
// which the collector must find where they are.
func carriedBy[E any](s, aside []E) *carried[E] {
	if scratch.HasPointers[E]() {
		return nil
	}
	return &carried[E]{s: s, aside: aside}
}

// elements returns what the engine is offered, nil if c is.
func (c *carried[E]) elements() *engine.Elements {
	if c == nil {
		return nil
	}
	size := int(unsafe.Sizeof(*new(E)))
	all := bytesOf(c.s)
	return &engine.Elements{
		Size: size,
		Pull: func(dst []byte, lo int) { copy(dst, all[lo*size:]) },
		Push: func(lo int, elements []byte) {
			c.written.Store(true)
			cpu.CopyPast(all, lo*size, elements)
		},
	}
}

// moved reports whether the engine has moved the elements.
func (c *carried[E]) moved() bool { return c != nil && c.written.Load() }

// restore makes the slice what it was, if the engine has begun to write it.
func (c *carried[E]) restore(r *run) {
	if c.moved() {
		r.restore(func(lo, hi int) { copy(c.s[lo:hi], c.aside[lo:hi]) })
		c.written.Store(false)
	}
}

// bytesOf views elements that hold no pointers as bytes.
func bytesOf[E any](s []E) []byte {
	// Sound: the memory of s is that long, any byte of it may be read and written,
	// and so may values of E that were copied as bytes.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(E))))
}

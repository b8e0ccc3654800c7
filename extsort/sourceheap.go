package extsort

import (
	"slices"

	"example.com/sorter"
)

// heap has all sources of a merge, the one with the least key first. A source without a key is last. Of keys
// that tie, that of an earlier source is less. Keys only grow.
type heap[E any] struct {
	order sorter.Ordering[E]
	all   []*source[E]
	by    int // byFirst or byLast
	stack []int
	moved []int
}

const (
	byFirst = iota // by the first element that is in no window
	byLast         // by the last one that a window may have
)

// keys are the elements by which a source is in the heaps; nil: none.
type keys[E any] [2]*E

// less reports whether the key of x comes before that of y.
func (h *heap[E]) less(x, y *source[E]) bool {
	a, b := x.keys[h.by], y.keys[h.by]
	if a == nil || b == nil {
		return b == nil && (a != nil || x.index < y.index)
	}
	c := h.order.Compare(*a, *b)
	return c < 0 || c == 0 && x.index < y.index
}

// fix restores the heap after the keys of some sources grew: from the last of them on to the first, since that
// holds where a heap is below each.
func (h *heap[E]) fix(some []*source[E]) {
	if len(some) > len(h.all)/8 {
		for i := len(h.all)/2 - 1; i >= 0; i-- {
			h.down(i)
		}
		return
	}
	h.moved = h.moved[:0]
	for _, s := range some {
		h.moved = append(h.moved, s.place[h.by])
	}
	slices.Sort(h.moved)
	for _, i := range slices.Backward(h.moved) {
		h.down(i)
	}
}

// down moves the source at i down to its place.
func (h *heap[E]) down(i int) {
	s := h.all[i]
	for child := 2*i + 1; child < len(h.all); child = 2*i + 1 {
		if child+1 < len(h.all) && h.less(h.all[child+1], h.all[child]) {
			child++
		}
		if !h.less(h.all[child], s) {
			break
		}
		h.put(i, h.all[child])
		i = child
	}
	h.put(i, s)
}

func (h *heap[E]) put(i int, s *source[E]) { h.all[i], s.place[h.by] = s, i }

// upTo passes each source to use for whose key in holds. Where it does not, it does not for greater keys.
func (h *heap[E]) upTo(in func(s *source[E]) bool, use func(s *source[E])) {
	h.stack = append(h.stack[:0], 0)
	for len(h.stack) > 0 {
		i := h.stack[len(h.stack)-1]
		h.stack = h.stack[:len(h.stack)-1]
		if i >= len(h.all) || h.all[i].keys[h.by] == nil || !in(h.all[i]) {
			continue
		}
		use(h.all[i])
		h.stack = append(h.stack, 2*i+2, 2*i+1)
	}
}

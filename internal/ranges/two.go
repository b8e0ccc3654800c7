package ranges

import "example.com/sorter/internal/cpu"

// Two merges two slices of elements of one type, without an index. Ties take the first slice
// first.
type Two interface {
	merge32(dst, a, b cpu.Payload, x, y []uint32)
	merge64(dst, a, b cpu.Payload, x, y []uint64)
	mergeBy(dst, a, b cpu.Payload, before func(j, i int) bool)
}

// TwoOf is the [Two] of elements of type E.
type TwoOf[E any] struct{}

func (TwoOf[E]) merge32(dst, a, b cpu.Payload, x, y []uint32) {
	mergeExact(cpu.Slice[E](dst), cpu.Slice[E](a), cpu.Slice[E](b), x, y)
}

func (TwoOf[E]) merge64(dst, a, b cpu.Payload, x, y []uint64) {
	mergeExact(cpu.Slice[E](dst), cpu.Slice[E](a), cpu.Slice[E](b), x, y)
}

// mergeExact merges elements whose keys are their codes, x and y.
func mergeExact[E any, C cpu.Code](dst, a, b []E, x, y []C) {
	i, j, k := 0, 0, 0
	for k < len(dst) && i < len(x) && j < len(y) {
		if y[j] < x[i] {
			dst[k] = b[j]
			j++
		} else {
			dst[k] = a[i]
			i++
		}
		k++
	}
	k += copy(dst[k:], a[i:])
	copy(dst[k:], b[j:])
}

// mergeBy merges elements of which before reports whether element j of b comes before element
// i of a.
func (TwoOf[E]) mergeBy(to, first, second cpu.Payload, before func(j, i int) bool) {
	dst, a, b := cpu.Slice[E](to), cpu.Slice[E](first), cpu.Slice[E](second)
	i, j := 0, 0
	for k := range dst {
		if j == len(b) || i < len(a) && !before(j, i) {
			dst[k] = a[i]
			i++
		} else {
			dst[k] = b[j]
			j++
		}
	}
}

// MergeTwo merges a and b, whose keys are the codes x and y, into dst.
func MergeTwo(t Two, dst, a, b cpu.Payload, x, y []uint64) { t.merge64(dst, a, b, x, y) }

// two merges the n elements of two slices to place at.
func (w *worker[C]) two(at, n int) {
	a, b, p := w.slices[0], w.slices[1], &w.moved[0]
	dst, first, second := p.Dst.Part(at, at+n), w.elements(p, a), w.elements(p, b)
	if w.Compare != nil {
		p.Two.mergeBy(dst, first, second, func(j, i int) bool { return w.after(a.lo+i, b.lo+j, true) })
		return
	}
	switch x, y := w.Codes[a.lo:a.hi], w.Codes[b.lo:b.hi]; x := any(x).(type) {
	case []uint32:
		p.Two.merge32(dst, first, second, x, any(y).([]uint32))
	case []uint64:
		p.Two.merge64(dst, first, second, x, any(y).([]uint64))
	}
}

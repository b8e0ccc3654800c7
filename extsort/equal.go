package extsort

import (
	"fmt"
	"slices"
)

// equal is what becomes of elements that tie in every column.
type equal uint8

const (
	keepAll equal = iota
	keepFirst
	keepLast
	combined
)

// UniqueLast makes [Merge] and [Incremental] keep, of elements that tie in every column, the last. It is of the last source that
// has one. So newer sources replace what older ones have. Of [Unique], UniqueLast and
// [Combine] the last option holds. With it the last element of a batch waits for the next, which may tie.
// [New] panics if it is given.
func UniqueLast() Option {
	return func(o *options) { o.equal, o.unique = keepLast, false }
}

// Combine makes [Merge] and [Incremental] replace elements that tie in every column by one. That of a, b and c, in
// this order, is f(f(a, b), c). The result of f has to tie with both. Several goroutines call f at a time. Of [Unique], [UniqueLast]
// and Combine the last option holds. With it the last element of a batch waits for the next, which may tie. It panics
// if f is nil, Merge if f is of another type of elements, and [New] if it is given.
func Combine[E any](f func(a, b E) E) Option {
	if f == nil {
		panic("extsort: Combine(nil)")
	}
	return func(o *options) { o.equal, o.unique, o.combine = combined, false, f }
}

// Eager makes [Merge] hand out the first element as soon as every source has given one or has ended. Further ones
// follow as soon as no source may come before them, as far as the caller keeps up. The default waits for some
// hundred elements of each source, which are merged faster. [New] panics if it is given.
func Eager() Option { return func(o *options) { o.eager = true } }

// refuseStreams panics if options are for [Merge] only.
func (o *options) refuseStreams() {
	if o.eager || o.equal == keepLast || o.equal == combined {
		panic("extsort: UniqueLast, Combine and Eager are options of Merge and Incremental")
	}
}

// combinerOf returns the function of [Combine], or nil.
func combinerOf[E any](o *options) func(a, b E) E {
	if o.equal != combined {
		return nil
	}
	f, ok := o.combine.(func(a, b E) E)
	if !ok {
		panic(fmt.Sprintf("extsort: Combine of a %T for elements of type %T", o.combine, *new(E)))
	}
	return f
}

// compact leaves one of the elements of a window that tie. Those that come first, with which an element of the
// window before may tie, are not combined.
func (m *streams[E]) compact(w *window[E]) {
	ties := func(a, b E) bool { return m.order.Compare(a, b) == 0 }
	switch m.equal {
	case keepFirst:
		w.out = slices.CompactFunc(w.out, ties)
	case keepLast:
		n := 0
		for i, e := range w.out {
			if i > 0 && !ties(w.out[i-1], e) {
				n++
			}
			w.out[n] = e
		}
		w.out = w.out[:n+1]
	case combined:
		w.raw = 1
		for w.raw < len(w.out) && ties(w.out[w.raw-1], w.out[w.raw]) {
			w.raw++
		}
		n := w.raw
		for i := n; i < len(w.out); i++ {
			if n > w.raw && ties(w.out[n-1], w.out[i]) {
				w.out[n-1] = m.combine(w.out[n-1], w.out[i])
				continue
			}
			w.out[n] = w.out[i]
			n++
		}
		w.out = w.out[:n]
	}
}

// held is the last element of the windows so far, which may tie with the first of the next. It has been handed
// out if the first of them is kept, and otherwise not.
type held[E any] struct {
	m    *streams[E]
	last []E // or none
}

// settle returns the elements that are to be handed out after a window.
func (h *held[E]) settle(w *window[E]) []E {
	out := w.out
	if h.m.equal == keepAll {
		return out
	}
	tied := len(h.last) > 0 && h.m.order.Compare(h.last[0], out[0]) == 0
	if h.m.equal == keepFirst {
		if tied {
			out = out[1:]
		}
		if len(out) > 0 {
			h.last = append(h.last[:0], out[len(out)-1])
		}
		return out
	}
	from := 1 // of out in the memory, from the first element on
	if h.m.equal == combined {
		first := out[0]
		if tied {
			first = h.m.combine(h.last[0], first)
		}
		for _, e := range out[1:w.raw] {
			first = h.m.combine(first, e)
		}
		out[w.raw-1] = first
		from = w.raw
	}
	to := 1 + len(out)
	if !tied {
		if from--; len(h.last) > 0 {
			w.memory[from] = h.last[0]
		} else {
			from++
		}
	}
	h.last = append(h.last[:0], w.memory[to-1])
	return w.memory[from : to-1]
}

// rest returns what is left after the last window.
func (h *held[E]) rest() []E {
	if h.m.equal == keepFirst {
		return nil
	}
	return h.last
}

package cpu

import (
	"sort"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Sink takes the positions of the elements that come lo-th, lo+1-th, …, from
// several workers, in disjoint ranges in any sequence. If ties are asked for,
// it also takes the elements' codes, and ranges begin and end between different
// codes; otherwise, and where order is known to be final, codes is nil. The
// slices belong to the engine again when the sink returns.
type Sink[C Code] func(worker, lo int, order []uint32, codes []C)

// Order orders n elements by the codes of src, ties in input order, and passes
// the result to sink; watch may be nil. It takes 2 codes and 1 index of scratch
// per element, and another index if a bucket goes through a second round.
func Order[C Code](env *engine.Env, n int, src Source[C], watch Watch[C], ties bool, sink Sink[C]) error {
	if n == 0 {
		return nil
	}
	codes := dstOf[C](env, n)
	v, err := extract(env, codes, src, watch)
	if err != nil {
		return err
	}
	return orderCodes(env, codes, v, ties, sink)
}

// OrderBytes bounds the memory, in bytes, of [Order] by codes of the given size.
func OrderBytes(n, workers int, code uintptr) int64 {
	return scratch.AlignedSize(n, code) + orderingBytes(n, workers, alone(n, workers, 0), code, 4)
}

// orderCodes is [Order] for codes that were surveyed as v.
func orderCodes[C Code](env *engine.Env, codes []C, v survey[C], ties bool, sink Sink[C]) error {
	ties = ties && !v.inOrder() && !v.falling() // both are final
	o := newOrdering(env, len(codes), have(codes), ties, func(worker int, p part, codes []C) { sink(worker, p.lo, p.numbers(), codes) })
	return o.arrange(env, extent{hi: len(codes)}, v)
}

// forward writes the numbers from lo on, backward those from hi down.
func forward(order []uint32, lo int) {
	for i := range order {
		order[i] = uint32(lo + i)
	}
}

func backward(order []uint32, hi int) {
	for i := range order {
		order[i] = uint32(hi - i)
	}
}

// turn copies what there is of s to the other side.
func (o *ordering[C]) turn(env *engine.Env, s extent) error {
	from, to := o.sides[s.side], o.sides[1-s.side]
	numbers := to.numbers()
	return env.Stage("emit", s.hi-s.lo, chunk, func(_, lo, hi int) {
		copy(numbers[s.lo+lo:s.lo+hi], from.numbers()[s.lo+lo:])
		if o.ties {
			copy(to.codes()[s.lo+lo:s.lo+hi], from.codes()[s.lo+lo:])
		}
	})
}

// emit delivers an order of s that is known without sorting: known writes which
// of its elements take the places from lo on; nil says that they are in order.
// Parts end between different codes if there are ties to be found.
func (o *ordering[C]) emit(env *engine.Env, s extent, known func(order []uint32, lo int)) error {
	n := s.hi - s.lo
	if s.named && s.side == 0 && (known != nil || o.ties) {
		// The elements of a part come from anywhere in s, the codes that it ends
		// between from the next, and where it is delivered may be where their numbers
		// and codes are: these are read from the other side.
		if err := o.turn(env, s); err != nil {
			return err
		}
		s.side = 1
	}
	if known == nil {
		known = forward
	}
	codes, names := o.codes(s), o.names(s)
	code := func(i int) C { // of place i
		var at [1]uint32
		known(at[:], i)
		return codes[at[0]]
	}
	// end returns the first position from i on where a part may end.
	end := func(i int) int {
		if i >= n || i == 0 || !o.ties {
			return min(i, n)
		}
		c := code(i - 1)
		return i + sort.Search(n-i, func(k int) bool { return code(i+k) != c })
	}
	return env.Stage("emit", n, maxLocal, func(worker, lo, hi int) {
		lo, hi = end(lo), end(hi)
		if lo >= hi {
			return
		}
		order := o.work[s.first+worker].room(hi - lo)
		known(order, lo)
		o.send(s.first+worker, s, names, part{s.lo, s.lo + lo, s.lo + hi, order})
	})
}

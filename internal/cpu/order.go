package cpu

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
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
	codes := stream.Take[C](&env.Arena, n)
	v, err := extract(env, codes, src, watch)
	if err != nil {
		return err
	}
	if watch == nil || v.inOrder() {
		return orderCodes(env, codes, v, ties, sink)
	}
	switch l, err := detectWatched(env, codes, watch, v); {
	case err != nil:
		return err
	case l != nil:
		work := locals[C](env)
		var tie func(i, j uint32) bool
		if l.ties {
			tie = func(i, j uint32) bool { return codes[i] == codes[j] && watch.Compare(i, j) == 0 }
		}
		room := func(worker, lo, hi int) []uint32 { return work[worker].room(hi - lo) }
		return l.emit(env, maxLocal, tie, room, func(worker, lo int, order []uint32) { sink(worker, lo, order, nil) })
	case v.min == v.max && watch.Skips():
		scratch.Give(&env.Arena, codes, env.Loop.Workers)
		return ErrTied
	}
	return orderCodes(env, codes, v, ties, sink)
}

// OrderBytes bounds the memory, in bytes, of [Order] by codes of the given size.
func OrderBytes(n, workers int, code uintptr) int64 {
	return scratch.AlignedSize(n, code) + orderingBytes(n, workers, alone(n, workers, 0), code, 4)
}

// orderCodes is [Order] for codes that were surveyed as v.
func orderCodes[C Code](env *engine.Env, codes []C, v survey[C], ties bool, sink Sink[C]) error {
	ties = ties && !v.inOrder() // which is final
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

// turn copies the numbers of s to the other side, and its codes if they are needed.
func (o *ordering[C]) turn(env *engine.Env, s extent, codes bool) error {
	from, to := o.sides[s.side], o.sides[1-s.side]
	numbers := to.numbers()
	return env.Stage("emit", s.hi-s.lo, chunk, func(_, lo, hi int) {
		copy(numbers[s.lo+lo:s.lo+hi], from.numbers()[s.lo+lo:])
		if codes {
			copy(to.codes()[s.lo+lo:s.lo+hi], from.codes()[s.lo+lo:])
		}
	})
}

// emit delivers the order that l lays out of s, nil if all are in order. Parts end
// between different codes if there are ties to be found.
func (o *ordering[C]) emit(env *engine.Env, s extent, l *Layout) error {
	if s.named && s.side == 0 && (l != nil || o.ties) {
		// The elements of a part come from anywhere in s, the codes that it ends
		// between from the next, and where it is delivered may be where their numbers
		// and codes are: these are read from the other side.
		if err := o.turn(env, s, o.ties || l != nil && l.ties); err != nil {
			return err
		}
		s.side = 1
	}
	known := l != nil
	if !known {
		l = whole(s.hi - s.lo)
	}
	codes, names := o.codes(s), o.names(s)
	var tie func(i, j uint32) bool
	if o.ties || l.ties {
		tie = func(i, j uint32) bool { return codes[i] == codes[j] }
	}
	if !known && (s.named || s.side == 1) { // their numbers, or places after a partition, are the order
		return l.parts(env, maxLocal, tie, func(worker, lo, hi int) {
			o.send(s.first+worker, s, names, part{base: s.lo + lo, lo: s.lo + lo, hi: s.lo + hi})
		})
	}
	room := func(worker, lo, hi int) []uint32 { return o.work[s.first+worker].room(hi - lo) }
	return l.emit(env, maxLocal, tie, room, func(worker, lo int, order []uint32) {
		o.send(s.first+worker, s, names, part{s.lo, s.lo + lo, s.lo + lo + len(order), order})
	})
}

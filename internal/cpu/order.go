package cpu

import (
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// Sink takes the input positions of the elements that come lo-th, lo+1-th, … in the order.
// Several workers call it for disjoint ranges in any sequence. If ties are asked for, codes
// are those of the elements, and ranges begin and end where the code changes; codes is nil if
// ties are not asked for or the order is final. Both slices are valid until the sink returns.
type Sink[C Code] func(worker, lo int, order []uint32, codes []C)

// Order orders n elements by the codes of src, ties in input order, and passes the result to
// sink. Scratch is 2 codes and 1 index per element, and another index if a
// bucket needs a second round.
func Order[C Code](env *engine.Env, n int, src Source[C], ties bool, sink Sink[C]) error {
	if n == 0 {
		return nil
	}
	codes := takeAligned[C](env, sizeCodes(nil, n, unsafe.Sizeof(C(0))))
	v, err := extract(env, codes, src)
	if err != nil {
		return err
	}
	return orderCodes(env, codes, v, ties, sink)
}

// OrderByKeys is [Order] of elements whose ties sink breaks. If codes are in order, and the rest of the keys
// decides, tied is set, and nothing was passed to sink.
func OrderByKeys[C Code](env *engine.Env, n int, src Source[C], keys KeyComparer[C], sink Sink[C]) (tied bool, err error) {
	if n == 0 {
		return false, nil
	}
	t, err := extractPrefixes(env, n, src, keys)
	if err != nil {
		return false, err
	}
	t.deliver = func(l *presorted.Moves) error {
		if l == nil {
			return orderCodes(env, t.codes, t.v, true, sink)
		}
		work := bucket.Workers[C](env)
		var tie func(i, j uint32) bool
		if l.HasTies() {
			tie = t.tie
		}
		memory := func(worker, lo, hi int) []uint32 { return work[worker].Places(hi - lo) }
		return l.Emit(env, bucket.MaxLen, tie, memory, func(worker, lo int, order []uint32) { sink(worker, lo, order, nil) })
	}
	if done, err := (&task{prefixes: t}).try(prefixWays); done || err != nil {
		return t.tied, err
	}
	return false, orderCodes(env, t.codes, t.v, true, sink)
}

// OrderBytes bounds the memory, in bytes, of [Order] by codes of the given size.
func OrderBytes(n, workers int, code uintptr) int64 {
	var a scratch.Area
	sizeCodes(&a, n, code)
	sizeTried(&a, sizes{n, workers, code}, prefixWays)
	sizeFinding(&a, n, workers, code)
	sizeOrdering(&a, n, workers, alone(n, workers, 0), true, code, 4)
	return a.Bytes()
}

// orderCodes is [Order] for codes that were surveyed as v.
func orderCodes[C Code](env *engine.Env, codes []C, v presorted.Survey[C], ties bool, sink Sink[C]) error {
	ties = ties && !v.InOrder() // that order is final
	o := newOrdering(env, len(codes), eager(codes), ties, func(worker int, p section, codes []C) { sink(worker, p.lo, p.numbers(), codes) })
	return o.arrange(env, extent{hi: len(codes)}, v)
}

// copyAcross copies the numbers of s, which is on side 0, to side 1, and the codes if codes is set.
func (o *ordering[C]) copyAcross(env *engine.Env, s extent, codes bool) error {
	from, to := o.sides[0], o.sides[1]
	numbers := to.numbers()
	return env.Stage("emit", s.hi-s.lo, engine.Chunk, func(_, lo, hi int) {
		copy(numbers[s.lo+lo:s.lo+hi], from.numbers()[s.lo+lo:])
		if codes {
			copy(to.codes()[s.lo+lo:s.lo+hi], from.codes()[s.lo+lo:])
		}
	})
}

// emit delivers the order that l gives the elements of s; nil means that they are in order.
// Parts end between different codes if o.ties.
func (o *ordering[C]) emit(env *engine.Env, s extent, l *presorted.Moves) error {
	if s.numbered && s.side == 0 && (l != nil || o.ties) {
		// Delivery may overwrite the numbers and codes of side 0. A part has elements from all
		// over s, and finding its end takes the next code. So both are read from the other
		// side.
		if err := o.copyAcross(env, s, o.ties || l != nil && l.HasTies()); err != nil {
			return err
		}
		s.side = 1
	}
	known := l != nil
	if !known {
		l = presorted.Whole(s.hi - s.lo)
	}
	codes, numbers := o.codes(s), o.numbersOf(s)
	var tie func(i, j uint32) bool
	if o.ties || l.HasTies() {
		tie = func(i, j uint32) bool { return codes[i] == codes[j] }
	}
	if !known && (s.numbered || s.side == 1) { // the numbers, or the places after a partition, are the order
		return l.Parts(env, bucket.MaxLen, tie, func(worker, lo, hi int) {
			o.send(s.first+worker, s, numbers, section{base: s.lo + lo, lo: s.lo + lo, hi: s.lo + hi})
		})
	}
	memory := func(worker, lo, hi int) []uint32 { return o.work[s.first+worker].Places(hi - lo) }
	return l.Emit(env, bucket.MaxLen, tie, memory, func(worker, lo int, order []uint32) {
		o.send(s.first+worker, s, numbers, section{s.lo, s.lo + lo, s.lo + lo + len(order), order})
	})
}

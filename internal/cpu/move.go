package cpu

import (
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

// Move sorts s by the codes of src, ties in input order. It partitions elements with their
// codes into buckets of scratch and writes each sorted bucket back to s. Scratch is 2 codes
// and 1 element per element, 1 index more if the sort can be cancelled or a bucket needs a
// second round, and another index if a bucket needs a third round or is found to be in order
// after the second. Until the first bucket is written back, s is untouched; from then on the
// sort cannot be cancelled.
func Move[C Code](env *engine.Env, s Payload, src Source[C]) error {
	n := s.n
	if n == 0 {
		return nil
	}
	codes := takeAligned[C](env, sizeCodes(nil, n, unsafe.Sizeof(C(0))))
	v, err := extract(env, codes, src)
	if err != nil {
		return err
	}
	if v.Sorted() {
		v.Report(env)
		return nil
	}
	switch l, err := movesOf(env, codes, v); {
	case err != nil:
		return err
	case l != nil:
		return Settle(env, s, l, func(i, j uint32) bool { return codes[i] == codes[j] })
	case alone(n, env.Loop.Workers, s.Size()):
		return moveLocally(env, s, codes, v)
	}
	payload := s.takeAligned(env, sizePayload(nil, n, s.Size()))
	o := newOrdering(env, n, eager(codes), false, func(_ int, p section, _ []C) { gather(env, s, payload, p) })
	b, err := split(env, 0, n, in(codes), v, bucketTarget(n, env.Loop.Workers, maxBuckets), func(env *engine.Env, b *buckets[C]) error {
		return partitionElements(env, b, s, in(codes), payload, o.sides[1].codes())
	})
	if err != nil {
		return err
	}
	if env.Loop.Cancellable() {
		return orderThenGather(env, b, o, s, payload)
	}
	return o.finish(env, b, extent{side: 1, hi: n})
}

// MoveBytes bounds the memory, in bytes, of [Move] for elements and codes of the given
// sizes.
func MoveBytes(n, workers int, size, code uintptr) int64 {
	var a scratch.Area
	sizeCodes(&a, n, code)
	a.Either(
		func() {
			sizeFinding(&a, n, workers, code)
			sizeSettle(&a, n, size)
		},
		func() { // a search without moves has given its memory back
			sizePayload(&a, n, size)
			sizeOrdering(&a, n, workers, alone(n, workers, size), false, code, size)
		},
	)
	return a.Bytes()
}

// sizePayload sizes n elements of the given size to partition into.
func sizePayload(a *scratch.Area, n int, size uintptr) scratch.Memory { return a.Aligned(n, size) }

// orderThenGather finishes a sort that can be cancelled. It orders all buckets before the
// first element is written back, so that the part that cannot be cancelled is short.
func orderThenGather[C Code](env *engine.Env, b *buckets[C], o *ordering[C], s, payload Payload) error {
	index := o.sides[0].numbers() // see write
	o.deliver = func(_ int, p section, _ []C) { p.write(index[p.lo:p.hi]) }
	if err := o.finish(env, b, extent{side: 1, hi: s.n}); err != nil {
		return err
	}
	return b.gatherAll(env, func(lo, hi int) {
		gather(env, s, payload, section{0, lo, hi, index[lo:hi]})
	})
}

// write writes the numbers of the partitioned elements to index, part p of the order. index
// may alias numbers that a round has written. Safe: a round stays within the places of its
// bucket, and a bucket that is delivered in parts reads its numbers from the other side (see
// ordering.emit).
func (p section) write(index []uint32) {
	for i := range index {
		if p.order == nil {
			index[i] = uint32(p.lo + i)
		} else {
			index[i] = uint32(p.base) + p.order[i]
		}
	}
}

// Refiner orders the elements whose codes tie.
type Refiner[C Code] interface {
	KeyComparer[C]
	// Along is called before a partition moves the elements. The refiner may then move further
	// arrays in the same way, by [Along].
	Along(p *Placement[C]) error
	// Moved is called after the partition; payload holds the elements.
	Moved(payload Payload)
	// Refine orders the runs of equal codes in order. It may leave runs to Finish. order
	// begins and ends where the code changes.
	Refine(worker int, order []uint32, codes []C)
	// Finish orders the runs that Refine left. No other stage is running.
	Finish(err error) error
}

// Placement is where a partition put every element.
type Placement[C Code] struct {
	buckets *buckets[C]
	first   []stream.Slots // write positions before the partition
	codes   []C            // of the input
}

// Along returns a copy of src, from env's scratch, moved by the same partition as the
// elements. It gives src back.
func Along[T any, C Code](env *engine.Env, p *Placement[C], src []T) ([]T, error) {
	dst := takeAligned[T](env, sizePayload(nil, len(src), unsafe.Sizeof(*new(T))))
	err := env.Scoped(func(env *engine.Env) error {
		b := *p.buckets
		b.next = copyOf(env, sizeSlots(nil, len(p.first)), p.first)
		return partitionAlong(env, &b, p.codes, src, dst)
	})
	scratch.Give(&env.Arena, src, env.Loop.Workers)
	return dst, err
}

// sizeAlong sizes [Along] for n elements of the given size.
func sizeAlong(a *scratch.Area, n, workers int, size, code uintptr) {
	stripes := stripesOf(n, workers, 0).count
	sizePayload(a, n, size)
	sizeSlots(a, stripes)
	engine.SizeBuffers(a, workers, code)
	sizeCombiners(a, stripes, n, mostBuckets(n, workers), size, 0)
}

func copyOf[T any](env *engine.Env, m scratch.Memory, s []T) []T {
	own := scratch.In[T](&env.Arena, m)
	copy(own, s)
	return own
}

// MoveRefinedBytes bounds the memory, in bytes, of [MoveRefined] for elements and codes of
// the given sizes, and of its refiner's call of [Along] for items of size along, 0 for none.
func MoveRefinedBytes(n, workers int, size, code, along uintptr) int64 {
	var a scratch.Area
	sizeCodes(&a, n, code) // given back before the first side has codes
	sizeTried(&a, sizes{n, workers, code}, prefixWays)
	single := alone(n, workers, size)
	inPlace := func() { // see gatherRefined, and Settle
		sizeFinding(&a, n, workers, code)
		sizeSettle(&a, n, size)
		if single {
			sizeSorting(&a, n, 1, true, code)
		} else {
			sizeSorting(&a, n, workers, true, code)
		}
	}
	partitioned := func() {
		if single {
			return
		}
		sizePayload(&a, n, size)
		sizeSlots(&a, stripesOf(n, workers, 0).count)
		sizeAlong(&a, n, workers, along, code)
		sizeOrdering(&a, n, workers, false, true, code, size)
	}
	a.Either(inPlace, partitioned)
	return a.Bytes()
}

// MoveRefined is [Move] for codes that do not decide alone: it passes ties to r while they are
// in the cache. Scratch is 2 codes, 1 index and 1 element per element, and another index if a
// bucket needs a third round or is found to be in order after the second. If codes are in
// order, and the rest of the keys decides, tied is set, and nothing was moved.
func MoveRefined[C Code](env *engine.Env, s Payload, src Source[C], r Refiner[C]) (tied bool, err error) {
	n := s.n
	t, err := extractPrefixes[C](env, n, src, r)
	if err != nil {
		return false, err
	}
	t.deliver = func(l *presorted.Moves) error {
		if l == nil {
			t.v.Report(env)
			return nil
		}
		return Settle(env, s, l, t.tie)
	}
	if done, err := (&task{prefixes: t}).try(prefixWays); done || err != nil {
		return t.tied, err
	}
	codes, v := t.codes, t.v
	var l *presorted.Moves
	if !v.Sorted() {
		l, err = movesOf(env, codes, v)
	}
	switch {
	case err != nil:
		return false, err
	case l != nil || v.Sorted() || alone(n, env.Loop.Workers, s.Size()):
		return false, gatherRefined(env, s, codes, v, l, r)
	}
	payload, outer := Payload{}, env // taken after r.Along, which gives memory back
	o := newOrdering(env, n, lazily[C](env, sizeCodes(nil, n, unsafe.Sizeof(C(0)))), true, nil)
	b, err := split(env, 0, n, in(codes), v, bucketTarget(n, env.Loop.Workers, maxBuckets), func(env *engine.Env, b *buckets[C]) error {
		if err := r.Along(&Placement[C]{b, copyOf(env, sizeSlots(nil, b.count), b.next), codes}); err != nil {
			return err
		}
		payload = s.takeAligned(outer, sizePayload(nil, n, s.Size()))
		return partitionElements(env, b, s, in(codes), payload, o.sides[1].codes())
	})
	if err != nil {
		return false, err
	}
	r.Moved(payload)
	scratch.Give(&env.Arena, codes, 1)
	index := o.sides[0].numbers() // see write
	o.deliver = func(worker int, p section, codes []C) {
		order := index[p.lo:p.hi]
		p.write(order)
		r.Refine(worker, order, codes)
	}
	err = o.finish(env, b, extent{side: 1, hi: n})
	if err = r.Finish(err); err != nil {
		return false, err
	}
	return false, b.gatherAll(env, func(lo, hi int) {
		gather(env, s, payload, section{0, lo, hi, index[lo:hi]})
	})
}

// gatherRefined finishes MoveRefined without a partition: for few elements, or by the moves l.
func gatherRefined[C Code](env *engine.Env, s Payload, codes []C, v presorted.Survey[C], l *presorted.Moves, r Refiner[C]) (err error) {
	index := scratch.In[uint32](&env.Arena, sizeIndex(nil, s.n))
	o := newOrdering(env, len(codes), eager(codes), true, func(worker int, p section, codes []C) {
		order := index[p.lo:p.hi]
		p.write(order)
		r.Refine(worker, order, codes)
	})
	if all := (extent{hi: s.n}); l != nil {
		err = o.emit(env, all, l)
	} else {
		err = o.arrange(env, all, v)
	}
	if err = r.Finish(err); err != nil {
		return err
	}
	return gatherBack(env, s, index)
}

// moveLocally sorts elements that fit the cache, on the calling goroutine.
func moveLocally[C Code](env *engine.Env, s Payload, codes []C, v presorted.Survey[C]) error {
	return env.Stage("buckets", 1, 1, func(int, int, int) {
		w := bucket.Worker[C]{Env: env}
		order := w.Order(codes, v.Min, v.Span())
		payload := s.take(env, presorted.SizeFollow(nil, s.n, s.Size()))
		payload.Copy(s)
		gather(env, s, payload, section{0, 0, s.n, order})
	})
}

// sizeIndex sizes an order of n elements.
func sizeIndex(a *scratch.Area, n int) scratch.Memory { return a.Memory(n, 4) }

// sizeSettle sizes the order of n elements of the given size, and the memory that they
// are gathered in or copied aside to.
func sizeSettle(a *scratch.Area, n int, size uintptr) {
	sizeIndex(a, n)
	presorted.SizeFollow(a, n, size)
}

// Settle moves the elements of s to the places of l, ties in input order. It takes scratch for
// strays and for elements that cross chunks; if ties have to be compared, 1 index and 1 element
// per element. Until the first element moves, s is untouched and the sort can be cancelled, except that
// a reversed input moves at once.
func Settle(env *engine.Env, s Payload, l *presorted.Moves, tie func(i, j uint32) bool) error {
	if done, err := l.Settle(env, s.elements()); done {
		return err
	}
	index := scratch.In[uint32](&env.Arena, sizeIndex(nil, s.n))
	if err := l.Write(env, index, tie); err != nil {
		return err
	}
	return gatherBack(env, s, index)
}

// SettleBytes bounds the memory, in bytes, of [presorted.Detect] and [Settle] for n elements of the
// given size.
func SettleBytes(n, workers int, size uintptr) int64 {
	var a scratch.Area
	presorted.SizeDetect(&a, n, workers)
	sizeSettle(&a, n, size)
	return a.Bytes()
}

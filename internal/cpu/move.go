package cpu

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

// Move sorts s by the codes of src, ties in input order: elements travel with
// their codes into buckets of scratch and from there, in order, back to s. It
// takes 2 codes and 1 element of scratch per element, an index if the sort can
// be cancelled or a bucket goes through a second round, and another index if
// one goes through a third or then turns out to be in order. Until the buckets
// are written back, s is untouched; from then on the context is not asked again.
func Move[C Code](env *engine.Env, s Payload, src Source[C]) error {
	n := s.n
	if n == 0 {
		return nil
	}
	codes := stream.Take[C](&env.Arena, n)
	v, err := extract(env, codes, src, nil)
	if err != nil {
		return err
	}
	if v.sorted() {
		found(env, v)
		return nil
	}
	switch l, err := detectIn(env, codes, v); {
	case err != nil:
		return err
	case l != nil:
		return Settle(env, s, l, func(i, j uint32) bool { return codes[i] == codes[j] })
	case alone(n, env.Loop.Workers, s.Size()):
		return moveLocally(env, s, codes, v)
	}
	payload := s.takeAligned(env, n)
	o := newOrdering(env, n, have(codes), false, func(_ int, p part, _ []C) { gather(s, payload, p) })
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
	single := alone(n, workers, size)
	bytes := scratch.AlignedSize(n, code) + scratch.AlignedSize(n, size) + orderingBytes(n, workers, single, code, size)
	if single {
		bytes += scratch.Size(n, 4) // of a layout
	}
	return bytes
}

// found records an input that was in order.
func found[C Code](env *engine.Env, v survey[C]) {
	env.Trace.Found(engine.Sorted)
	if v.min == v.max && (v.watched == nil || v.watched.rises == 0) {
		env.Trace.Found(engine.Flat)
	}
}

// gather writes a part of the order from the partitioned elements to the whole list.
func gather(whole, src Payload, p part) {
	dst := whole.Part(p.lo, p.hi)
	if p.order == nil {
		dst.Copy(src.Part(p.lo, p.hi))
		return
	}
	src = src.From(p.base)
	size := whole.Size()
	streamed := size >= streamedBytes && stream.Past(whole.n*int(size))
	dst.by.gather(dst.data, src.data, src.n, p.order[:dst.n], streamed)
}

// streamedBytes is the element size from which a gather from a bucket, which is in
// the cache, stores past the caches. Measured at n = 10^7, 2 workers: 64-byte
// elements gain 4 of 55 ns a core, 24-byte elements lose 1 of 27, 16-byte ones 0.7
// of 25.
const streamedBytes = 64

// GatherPiece is how many of n elements a worker gathers in one go from a whole list.
func GatherPiece(env *engine.Env, n int) int { return env.Loop.Turn(n, LeastTurn, 1<<15) }

// orderThenGather finishes a sort that may be cancelled: all buckets are
// ordered before the first element is written back, which makes the part that
// cannot be cancelled as short as it can be.
func orderThenGather[C Code](env *engine.Env, b *buckets[C], o *ordering[C], s, payload Payload) error {
	index := o.sides[0].numbers() // see write
	o.deliver = func(_ int, p part, _ []C) { p.write(index[p.lo:p.hi]) }
	if err := o.finish(env, b, extent{side: 1, hi: s.n}); err != nil {
		return err
	}
	return b.gatherAll(env, func(lo, hi int) {
		gather(s, payload, part{0, lo, hi, index[lo:hi]})
	})
}

// gatherAll runs the last stage of a sort, bucket by bucket. It is not
// cancelled any more.
func (b *buckets[C]) gatherAll(env *engine.Env, bucket func(lo, hi int)) error {
	env.Commit()
	return env.Stage("gather", b.len(), 1, func(_, i, _ int) { bucket(b.bounds(i)) })
}

// write writes the numbers of the partitioned elements to their final places.
// These may be where a round has put numbers, since rounds keep to the places
// of a bucket, and a bucket that is delivered in parts does not read its numbers
// there (see ordering.emit).
func (p part) write(index []uint32) {
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
	Watch[C]
	// Along tells that elements will be known by their numbers after a
	// partition, for [Along] to place what belongs to them.
	Along(p *Placement[C]) error
	// Moved tells that the elements are in payload now.
	Moved(payload Payload)
	// Refine orders the runs of equal codes in order, which begins and ends
	// between different codes, except for what it leaves to Finish.
	Refine(worker int, order []uint32, codes []C)
	// Finish orders what Refine left. No other stage is running.
	Finish(err error) error
}

// Placement is where a partition put every element.
type Placement[C Code] struct {
	buckets *buckets[C]
	first   []stream.Slots // the partition's positions before it ran
	codes   []C            // of the input
}

// Along returns src, taken from env, partitioned like the elements, and gives
// src back.
func Along[T any, C Code](env *engine.Env, p *Placement[C], src []T) ([]T, error) {
	dst := stream.Take[T](&env.Arena, len(src))
	err := env.Scoped(func(env *engine.Env) error {
		b := *p.buckets
		b.next = copyOf(env, p.first)
		return partitionAlong(env, &b, p.codes, src, dst)
	})
	scratch.Give(&env.Arena, src, env.Loop.Workers)
	return dst, err
}

// alongBytes bounds the memory, in bytes, of [Along] for n elements of the given size.
func alongBytes(n, workers int, size, code uintptr) int64 {
	stripes := stripesOf(n, workers, 0).count
	combiners := int64(stripes) * stream.CombinersBytes(n, mostBuckets(n, workers), size, 0)
	return scratch.AlignedSize(n, size) + stream.SlotsBytes(stripes) + engine.BuffersBytes(workers, code) + combiners
}

func copyOf[T any](env *engine.Env, s []T) []T {
	own := scratch.Take[T](&env.Arena, len(s))
	copy(own, s)
	return own
}

// MoveRefinedBytes bounds the memory, in bytes, of [MoveRefined] for elements and codes of
// the given sizes, and of its refiner's call of [Along] for what is of a further size, 0
// for none.
func MoveRefinedBytes(n, workers int, size, code, along uintptr) int64 {
	bytes := MoveBytes(n, workers, size, code)
	if alone(n, workers, size) {
		return bytes
	}
	return bytes + stream.SlotsBytes(stripesOf(n, workers, 0).count) + alongBytes(n, workers, along, code)
}

// MoveRefined is [Move] for codes that do not decide alone: elements that tie
// are passed to r while they are in the cache. It takes 2 codes, 1 index and 1
// element of scratch per element, and another index if a bucket goes through a
// third round or turns out to be in order after the second.
func MoveRefined[C Code](env *engine.Env, s Payload, src Source[C], r Refiner[C]) error {
	n := s.n
	codes := stream.Take[C](&env.Arena, n)
	v, err := extract[C](env, codes, src, r)
	switch {
	case err != nil:
		return err
	case v.inOrder():
		found(env, v)
		return nil
	}
	switch l, err := detectWatched(env, codes, r, v); {
	case err != nil:
		return err
	case l != nil:
		return Settle(env, s, l, func(i, j uint32) bool { return codes[i] == codes[j] && r.Compare(i, j) == 0 })
	}
	if v.min == v.max && r.Skips() {
		scratch.Give(&env.Arena, codes, env.Loop.Workers)
		return ErrTied
	}
	var l *Layout
	if !v.sorted() {
		l, err = detectIn(env, codes, v)
	}
	switch {
	case err != nil:
		return err
	case l != nil || v.sorted() || alone(n, env.Loop.Workers, s.Size()):
		return gatherRefined(env, s, codes, v, l, r)
	}
	payload, outer := Payload{}, env // taken when what goes along has been placed
	o := newOrdering(env, n, room[C](env, n), true, nil)
	b, err := split(env, 0, n, in(codes), v, bucketTarget(n, env.Loop.Workers, maxBuckets), func(env *engine.Env, b *buckets[C]) error {
		if err := r.Along(&Placement[C]{b, copyOf(env, b.next), codes}); err != nil {
			return err
		}
		payload = s.takeAligned(outer, n)
		return partitionElements(env, b, s, in(codes), payload, o.sides[1].codes())
	})
	if err != nil {
		return err
	}
	r.Moved(payload)
	scratch.Give(&env.Arena, codes, 1)
	index := o.sides[0].numbers() // see write
	o.deliver = func(worker int, p part, codes []C) {
		order := index[p.lo:p.hi]
		p.write(order)
		r.Refine(worker, order, codes)
	}
	err = o.finish(env, b, extent{side: 1, hi: n})
	if err = r.Finish(err); err != nil {
		return err
	}
	return b.gatherAll(env, func(lo, hi int) {
		gather(s, payload, part{0, lo, hi, index[lo:hi]})
	})
}

// gatherRefined finishes MoveRefined without a partition: the elements are few,
// or laid out by l.
func gatherRefined[C Code](env *engine.Env, s Payload, codes []C, v survey[C], l *Layout, r Refiner[C]) (err error) {
	index := scratch.Take[uint32](&env.Arena, s.n)
	o := newOrdering(env, len(codes), have(codes), true, func(worker int, p part, codes []C) {
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

// gatherBack moves the elements of s to their places, element i becoming the one
// numbered by index[i], through scratch.
func gatherBack(env *engine.Env, s Payload, index []uint32) error {
	payload, chunk := s.Take(&env.Arena, s.n), chunkOf(env, s.n)
	err := env.Stage("gather", s.n, chunk, func(_, lo, hi int) {
		gather(payload, s, part{0, lo, hi, index[lo:hi]})
	})
	if err != nil {
		return err
	}
	env.Commit()
	return env.Stage("write", s.n, chunk, func(_, lo, hi int) { s.Part(lo, hi).Copy(payload.Part(lo, hi)) })
}

// moveLocally sorts elements that fit the cache on the calling goroutine.
func moveLocally[C Code](env *engine.Env, s Payload, codes []C, v survey[C]) error {
	return env.Stage("buckets", 1, 1, func(int, int, int) {
		w := local[C]{env: env}
		order := w.order(codes, v.min, v.width())
		payload := s.Take(&env.Arena, s.n)
		payload.Copy(s)
		gather(s, payload, part{0, 0, s.n, order})
	})
}

// Reverse reverses s on all workers.
func Reverse(env *engine.Env, s Payload) error {
	env.Commit()
	half := s.n / 2
	return env.Stage("reverse", half, chunkOf(env, half), func(_, lo, hi int) {
		front, back := s.Part(lo, hi), s.Part(s.n-hi, s.n-lo)
		s.by.exchange(front.data, back.data, front.n)
	})
}

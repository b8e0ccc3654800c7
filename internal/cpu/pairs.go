package cpu

import (
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// SortPairs sorts keys that are fully determined by their codes, and values with them, ties in
// input order. It partitions codes and values into buckets of scratch, writes sorted values
// back and decodes the keys from sorted codes. Scratch is 1 code and 1 value per pair, 1 code
// and 1 index more if the sort can be cancelled or a bucket needs a second round, and another
// index as [Move] does. Until the first bucket is written back both slices are untouched; from
// then on the sort cannot be cancelled.
func SortPairs[C Code](env *engine.Env, k Keys[C], values Payload) error {
	v, done, err := k.survey(env)
	if done || err != nil {
		return err
	}
	l, err := k.moves(env, v)
	if err != nil {
		return err
	}
	k = k.plain(&v)
	o := newOrdering(env, k.Len, lazily[C](env, sizeCodes(nil, k.Len, unsafe.Sizeof(v.Min))), true, nil)
	moved := o.sides[1].codes()
	switch {
	case l != nil:
		return followPairs(env, k, moved, l, values)
	case alone(k.Len, env.Loop.Workers, values.Size()+unsafe.Sizeof(v.Min)):
		return sortPairsLocally(env, k, v, moved, values)
	}
	payload := values.takeAligned(env, sizePayload(nil, k.Len, values.Size()))
	b, err := split(env, 0, k.Len, k.View, v, bucketTarget(k.Len, env.Loop.Workers, maxBuckets), func(env *engine.Env, b *buckets[C]) error {
		return partitionElements(env, b, values, k.View, payload, moved)
	})
	if err != nil {
		return err
	}
	all := extent{side: 1, hi: k.Len}
	if !env.Loop.Cancellable() {
		o.deliver = func(_ int, p section, codes []C) {
			gather(env, values, payload, p)
			k.Write(p.lo, codes)
		}
		return o.finish(env, b, all)
	}
	index, sorted := o.sides[0].numbers(), o.sides[0].codes() // see write
	o.deliver = func(_ int, p section, codes []C) {
		p.write(index[p.lo:p.hi])
		copy(sorted[p.lo:], codes)
	}
	if err := o.finish(env, b, all); err != nil {
		return err
	}
	return b.gatherAll(env, func(lo, hi int) {
		gather(env, values, payload, section{0, lo, hi, index[lo:hi]})
		k.Write(lo, sorted[lo:hi])
	})
}

// SortPairsBytes bounds the memory, in bytes, of [SortPairs] for values and codes of the
// given sizes.
func SortPairsBytes(n, workers int, size, code uintptr) int64 {
	var a scratch.Area
	engine.SizeBuffers(&a, workers, code) // of the survey
	sizeFinding(&a, n, workers, code)
	moved := func() { sizeCodes(&a, n, code) }
	followed := func() { // see followPairs
		moved()
		sizeSettle(&a, n, size)
		presorted.SizeFollow(&a, n, code)
	}
	sorted := func() {
		if alone(n, workers, size+code) {
			moved()
			presorted.SizeFollow(&a, n, size)
			sizeSorting(&a, n, 1, true, code)
			return
		}
		sizeCodes(&a, n, code) // of the first side
		sizePayload(&a, n, size)
		sizeOrdering(&a, n, workers, false, true, code, size)
	}
	a.Either(followed, sorted)
	return a.Bytes()
}

// followPairs moves keys and values to the places of l. If l has ties, it writes the codes to
// codes first, to compare them while keys move.
func followPairs[C Code](env *engine.Env, k Keys[C], codes []C, l *presorted.Moves, values Payload) error {
	if l.HasTies() {
		err := env.Stage("extract", k.Len, engine.Chunk, func(_, lo, hi int) { view[C](k.View).copy(codes[lo:hi], lo) })
		if err != nil {
			return err
		}
	}
	if err := Settle(env, values, l, func(i, j uint32) bool { return codes[i] == codes[j] }); err != nil {
		return err
	}
	return l.Follow(env, k.Own.elements())
}

// sortPairsLocally sorts pairs that fit the cache, on the calling goroutine.
func sortPairsLocally[C Code](env *engine.Env, k Keys[C], v presorted.Survey[C], codes []C, values Payload) error {
	return env.Stage("buckets", 1, 1, func(int, int, int) {
		view[C](k.View).copy(codes, 0)
		w := bucket.Worker[C]{Env: env}
		order := w.Order(codes, v.Min, v.Span())
		payload := values.take(env, presorted.SizeFollow(nil, k.Len, values.Size()))
		payload.Copy(values)
		gather(env, values, payload, section{0, 0, k.Len, order})
		k.Write(0, w.Pick(codes, order))
	})
}

package cpu

import (
	"cmp"
	"slices"
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// A partition round leaves buckets of two kinds. Most fit the cache and are sorted there. The
// others, which span a single cell or come from a long input, need a further round. One worker
// runs it alone while others handle other buckets; a bucket so large that the others would
// wait for it at the end is shared by all workers. A round of one worker has no barriers, and
// its counters stay in its cache (16 cores of a Xeon 2023, 2026-11: 141 ms instead of 1089 for
// an order of 10^8 float32 keys; bench/results/constants.md).

// sharedFrom returns the bucket size from which all workers share a round, given n elements in
// total: half a worker's share of n, and enough for stripes with many counters.
func sharedFrom(n, workers int) int {
	if workers <= 1 {
		return bucket.MaxLen + 1
	}
	return max(n/(2*workers), 4*bucket.MaxLen)
}

// schedule returns the buckets that one worker handles alone, in descending size, and the buckets
// that all workers share.
func (b *buckets[C]) schedule(workers int) (alone, shared []int) {
	alone = make([]int, 0, b.len())
	least := sharedFrom(b.n, workers)
	for i := range b.len() {
		if !b.local(i) && b.size(i) >= least {
			shared = append(shared, i)
		} else if !b.local(i) {
			alone = append(alone, i)
		}
	}
	slices.SortFunc(alone, func(i, k int) int { return cmp.Compare(b.size(k), b.size(i)) })
	for i := range b.len() {
		if b.local(i) {
			alone = append(alone, i)
		}
	}
	return alone, shared
}

// local reports whether bucket i needs no further round.
func (b *buckets[C]) local(i int) bool {
	_, span := b.codes(i)
	return span == 0 || b.size(i) <= bucket.MaxLen
}

// finish handles every bucket: local ones by local, others by again, which gets an environment
// of its own and the number of that environment's first worker.
func (b *buckets[C]) finish(env *engine.Env, local func(worker, i int), again func(env *engine.Env, first, i int) error) error {
	alone, shared := b.schedule(env.Loop.Workers)
	rounds := make([]int, max(1, env.Loop.Workers)) // by worker
	err := env.Stage("buckets", len(alone), 1, func(worker, k, _ int) {
		i := alone[k]
		if b.local(i) {
			local(worker, i)
			return
		}
		_ = env.Alone(func(own *engine.Env) error { // again fails only if the context is cancelled, which Stopped reports
			err := again(own, worker, i)
			rounds[worker] = max(rounds[worker], own.Trace.Rounds)
			return err
		})
	})
	for _, i := range shared {
		if err = env.Stopped(err); err != nil {
			return err
		}
		err = env.Scoped(func(own *engine.Env) error {
			err := again(own, 0, i)
			rounds[0] = max(rounds[0], own.Trace.Rounds)
			return err
		})
	}
	env.Trace.Rounds = max(env.Trace.Rounds, slices.Max(rounds))
	return env.Stopped(err)
}

// side is memory for the codes and numbers of all elements, taken at first use. An ordering
// has two sides. Every round partitions from one to the other, within the places of its
// bucket, so all rounds together need no more than two.
type side[C Code] struct {
	codes   func() []C
	numbers func() []uint32
}

// sizeSides sizes the sides of an ordering of n elements, except the codes of side 0: the
// codes of side 1, and the numbers of each.
func sizeSides(a *scratch.Area, n int, code uintptr) (codes, first, second scratch.Memory) {
	return a.Aligned(n, code), a.Aligned(n, 4), a.Aligned(n, 4)
}

// ordering is an order being computed.
type ordering[C Code] struct {
	sides [2]side[C]
	work  []bucket.Worker[C] // by worker
	ties  bool               // deliver takes codes, and parts end where the code changes

	// deliver takes the parts of the order. It may overwrite the numbers and codes of side 0
	// at the places of the part.
	deliver func(worker int, p section, codes []C)
}

// extent is the elements at places [lo, hi) of one side.
type extent struct {
	side     int
	lo, hi   int
	numbered bool // the side has their numbers; otherwise numbers are places
	first    int  // number of the environment's first worker
}

// section is the order of the places lo … hi-1: element base + order[i] goes to place lo + i. If
// order is nil the elements stay at their places.
type section struct {
	base, lo, hi int
	order        []uint32
}

// numbers returns the numbers of the elements of p. It overwrites p.order.
func (p section) numbers() []uint32 {
	if p.base > 0 {
		for i := range p.order {
			p.order[i] += uint32(p.base)
		}
	}
	return p.order
}

// newOrdering returns an ordering of n elements. codes is memory for codes on side 0; it may
// hold them already.
func newOrdering[C Code](env *engine.Env, n int, codes func() []C, ties bool, deliver func(worker int, p section, codes []C)) *ordering[C] {
	moved, first, second := sizeSides(nil, n, unsafe.Sizeof(C(0)))
	return &ordering[C]{
		sides:   [2]side[C]{{codes, lazily[uint32](env, first)}, {lazily[C](env, moved), lazily[uint32](env, second)}},
		work:    bucket.Workers[C](env),
		ties:    ties,
		deliver: deliver,
	}
}

// sizeOrdering sizes the ordering of n codes of the given size that are there, and
// have no moves that are found: by one worker, or by a partition that moves numbers or
// elements of the other size with them. If ties is set, deliver takes codes.
func sizeOrdering(a *scratch.Area, n, workers int, single, ties bool, code, other uintptr) {
	if single {
		sizeSorting(a, n, 1, ties, code)
		return
	}
	sizeWays(a, sizes{n, workers, code}, orderWays, func() {
		sizeSides(a, n, code)
		sizeRounds(a, n, workers, code, other, func() { sizeSorting(a, n, workers, ties, code) })
	})
}

// sizeSorting sizes the workspaces in which workers sort and deliver n elements, with their
// codes if ties is set.
func sizeSorting(a *scratch.Area, n, workers int, ties bool, code uintptr) {
	bucket.SizeWorkers(a, n, workers, n, code)
	if ties {
		bucket.SizePicked(a, n, workers, code)
	}
}

// codes returns the codes of an extent.
func (o *ordering[C]) codes(s extent) []C { return o.sides[s.side].codes()[s.lo:s.hi] }

// arrange orders the elements of s, whose codes were surveyed as v.
func (o *ordering[C]) arrange(env *engine.Env, s extent, v presorted.Survey[C]) error {
	codes := o.codes(s)
	n := len(codes)
	if v.Sorted() {
		v.Report(env)
		return o.emit(env, s, nil)
	}
	switch l, err := movesOf(env, codes, v); {
	case err != nil:
		return err
	case l != nil:
		return o.emit(env, s, l)
	case alone(n, env.Loop.Workers, 0):
		return o.locally(env, s, v)
	}
	narrow, _ := any(codes).([]uint32)
	round := &orderRound{env, narrow, uint32(v.Span()), s.lo, !s.numbered && !o.ties, func(worker int, p section) { o.deliver(worker, p, nil) }}
	if done, err := (&task{codes: round}).try(orderWays); done || err != nil {
		return err
	}
	from, to := o.sides[s.side], o.sides[1-s.side]
	b, err := split(env, s.lo, n, in(codes), v, bucketTarget(n, env.Loop.Workers, maxOrderBuckets), func(env *engine.Env, b *buckets[C]) error {
		if s.numbered {
			return partitionElements(env, b, PayloadOf(from.numbers()[s.lo:s.hi]), in(codes), PayloadOf(to.numbers()), to.codes())
		}
		return partitionIndices(env, b, s.lo, codes, to.numbers(), to.codes())
	})
	if err != nil {
		return err
	}
	return o.finish(env, b, extent{1 - s.side, s.lo, s.hi, true, s.first})
}

// locally orders elements that fit the cache, on the calling goroutine.
func (o *ordering[C]) locally(env *engine.Env, s extent, v presorted.Survey[C]) error {
	return env.Stage("buckets", 1, 1, func(int, int, int) {
		order := o.work[s.first].Order(o.codes(s), v.Min, v.Span())
		o.send(s.first, s, o.numbersOf(s), section{s.lo, s.lo, s.hi, order})
	})
}

// finish orders the buckets of s.
func (o *ordering[C]) finish(env *engine.Env, b *buckets[C], s extent) error {
	return b.finish(env, func(worker, i int) {
		lo, hi := b.bounds(i)
		if lo == hi {
			return
		}
		p, codes := section{base: lo, lo: lo, hi: hi}, o.codes(s)[lo-s.lo:hi-s.lo]
		if lowest, span := b.spread(i, codes); span > 0 {
			p.order = o.work[s.first+worker].Order(codes, lowest, span)
		}
		o.send(s.first+worker, s, o.numbersOf(s), p)
	}, func(env *engine.Env, first, i int) error {
		lo, hi := b.bounds(i)
		own := extent{s.side, lo, hi, s.numbered, s.first + first}
		v, err := presorted.SurveyCodes(env, "survey", hi-lo, in(o.codes(own)))
		if err != nil {
			return err
		}
		return o.arrange(env, own, v)
	})
}

// numbersOf returns the numbers of elements by their places on the side of s, nil if numbers are
// places.
func (o *ordering[C]) numbersOf(s extent) []uint32 {
	if !s.numbered {
		return nil
	}
	return o.sides[s.side].numbers()
}

// send delivers a part of s whose order is by places of its side. It replaces places by
// numbers, unless numbers is nil, and adds the codes if o.ties.
func (o *ordering[C]) send(worker int, s extent, numbers []uint32, p section) {
	var codes []C
	if o.ties {
		codes = o.sides[s.side].codes()[p.base:]
		if p.order == nil {
			codes = codes[:p.hi-p.lo]
		} else {
			codes = o.work[worker].Pick(codes, p.order)
		}
	}
	if numbers != nil {
		numbers = numbers[p.base:]
		if p.order == nil {
			p.order = numbers[:p.hi-p.lo]
		} else {
			for i, x := range p.order {
				p.order[i] = numbers[x]
			}
		}
		p.base = 0
	}
	o.deliver(worker, p, codes)
}

// sizeRounds sizes all rounds of partition of n codes of the given size. The first is that
// of all workers, with a payload of size other, 0 for none. Once it has given its memory back,
// the rounds inside it follow, of each worker alone or of all together, and the memory that
// local sizes for sorting buckets.
func sizeRounds(a *scratch.Area, n, workers int, code, other uintptr, local func()) {
	a.Either(
		func() { sizePlan(a, n, workers, code, other) },
		func() {
			local()
			if n <= bucket.MaxLen {
				return
			}
			// A round searches for moves, and plans if there are none.
			later := func(n, workers int) {
				a.Either(
					func() { sizeFinding(a, n, workers, code) },
					func() { sizePlan(a, n, workers, code, 4) },
					func() { sizePlan(a, n, workers, code, 0) },
				)
			}
			least := sharedFrom(n, workers)
			shared := func() { // one after another
				if n >= least {
					later(n, workers)
				}
			}
			alone := func() { // see schedule
				if workers > 1 {
					a.Times(min(workers, n/bucket.MaxLen), func() { later(min(n, least), 1) })
				}
			}
			a.Either(shared, alone)
		},
	)
}

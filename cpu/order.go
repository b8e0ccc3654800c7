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
// per element.
func Order[C Code](env *engine.Env, n int, src Source[C], watch Watch[C], ties bool, sink Sink[C]) error {
	if n == 0 {
		return nil
	}
	codes := scratch.Take[C](&env.Arena, n)
	v, err := extract(env, codes, src, watch)
	if err != nil {
		return err
	}
	return arrange(env, codes, v, ties, sink)
}

// orderTarget is the number of elements of a bucket without payload. Measured
// on 2 cores with 2 MiB of second-level cache, n = 10^7: half as many lost.
const orderTarget = 8192

// arrange orders the positions of codes, which were surveyed as v.
func arrange[C Code](env *engine.Env, codes []C, v survey[C], ties bool, sink Sink[C]) error {
	n := len(codes)
	ties = ties && !v.inOrder() && !v.falling() // both are final
	switch {
	case v.sorted() && !v.falling(): // codes all equal may hide falling keys
		found(env, v)
		return emitRuns(env, codes, ties, sink, forward)
	case v.reversed(n) || v.falling():
		env.Trace.Found("reversed")
		return emitRuns(env, codes, ties, sink, func(order []uint32, lo int) { backward(order, n-1-lo) })
	case n <= 2*orderTarget:
		return arrangeLocally(env, codes, v, ties, sink)
	}
	if m, err := nearly(env, codes, v); err != nil {
		return err
	} else if m != nil {
		return emitRuns(env, codes, ties, sink, m.order)
	}
	b, err := plan(env, n, in(codes), v, orderTarget)
	if err != nil {
		return err
	}
	index, moved := dstOf[uint32](env, n), dstOf[C](env, n)
	if err := partitionIndices(env, b, codes, index, moved); err != nil {
		return err
	}
	out := newOutputs(env, ties, sink)
	return b.finish(env, moved, ties, func(worker int, p part) {
		out.send(worker, p, index, moved)
	})
}

// arrangeLocally orders codes that fit the cache on the calling goroutine.
func arrangeLocally[C Code](env *engine.Env, codes []C, v survey[C], ties bool, sink Sink[C]) error {
	return env.Stage("buckets", 1, 1, func(int, int, int) {
		w := local[C]{env: env}
		words, mask := w.order(codes, v.min, v.width())
		newOutputs(env, ties, sink).send(0, part{0, 0, len(codes), words, mask}, nil, codes)
	})
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

// emitRuns sends an order that is known without sorting: known writes that of
// the places from lo on. Pieces end between different codes.
func emitRuns[C Code](env *engine.Env, codes []C, ties bool, sink Sink[C], known func(order []uint32, lo int)) error {
	n := len(codes)
	out := newOutputs(env, ties, sink)
	code := func(i int) C { // of place i
		var at [1]uint32
		known(at[:], i)
		return codes[at[0]]
	}
	// end returns the first position from i on where a range may end.
	end := func(i int) int {
		if i >= n || i == 0 || !ties {
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
		order, sorted := out.room(worker, hi-lo)
		known(order, lo)
		for i := range sorted {
			sorted[i] = codes[order[i]]
		}
		sink(worker, lo, order, sorted)
	})
}

// outputs holds what each worker passes to a sink.
type outputs[C Code] struct {
	env    *engine.Env
	ties   bool
	sink   Sink[C]
	orders [][]uint32
	codes  [][]C
}

func newOutputs[C Code](env *engine.Env, ties bool, sink Sink[C]) *outputs[C] {
	workers := max(1, env.Loop.Workers)
	return &outputs[C]{env, ties, sink, make([][]uint32, workers), make([][]C, workers)}
}

// room returns buffers for n elements; the codes are nil without ties.
func (o *outputs[C]) room(worker, n int) ([]uint32, []C) {
	if len(o.orders[worker]) < n {
		o.orders[worker] = scratch.Take[uint32](&o.env.Arena, n+n/4)
		if o.ties {
			o.codes[worker] = scratch.Take[C](&o.env.Arena, n+n/4)
		}
	}
	if !o.ties {
		return o.orders[worker][:n], nil
	}
	return o.orders[worker][:n], o.codes[worker][:n]
}

// send passes on a part of the order, its positions translated by index unless
// that is nil. Codes are those of the partitioned elements.
func (o *outputs[C]) send(worker int, p part, index []uint32, codes []C) {
	if p.words == nil {
		o.sink(worker, p.lo, index[p.lo:p.hi], codes[p.lo:p.hi])
		return
	}
	order, sorted := o.room(worker, p.hi-p.lo)
	if index == nil {
		for i, x := range p.words {
			order[i] = x & p.mask
		}
	} else {
		index = index[p.base:]
		for i, x := range p.words {
			order[i] = index[x&p.mask]
		}
	}
	codes = codes[p.base:]
	for i := range sorted {
		sorted[i] = codes[p.words[i]&p.mask]
	}
	o.sink(worker, p.lo, order, sorted)
}

// part is the order of a part of the partitioned elements: places lo … hi-1
// are taken by the elements base + word&mask for each word, or by those that
// are there already if words is nil.
type part struct {
	base, lo, hi int
	words        []uint32
	mask         uint32
}

// finish orders every bucket of the partitioned codes and delivers the parts,
// which end between different codes if ties are asked for. Buckets too large
// for the cache, which span a single cell of the histogram, are arranged by
// themselves afterwards.
func (b *buckets[C]) finish(env *engine.Env, codes []C, ties bool, deliver func(worker int, p part)) error {
	work := locals[C](env)
	large := make([]bool, b.len())
	err := env.Stage("buckets", b.len(), 1, func(worker, i, _ int) {
		lo, hi := b.bounds(i)
		lowest, width := b.codes(i)
		switch {
		case width == 0 || hi-lo == 1:
			deliver(worker, part{lo, lo, hi, nil, 0})
		case hi-lo > maxLocal:
			large[i] = true
		case hi > lo:
			words, mask := work[worker].order(codes[lo:hi], lowest, width)
			deliver(worker, part{lo, lo, hi, words, mask})
		}
	})
	for i := range large {
		if err == nil && large[i] {
			err = b.finishLarge(env, i, codes, ties, deliver)
		}
	}
	return stopped(env, err)
}

// finishLarge orders bucket i by partitioning it again.
func (b *buckets[C]) finishLarge(env *engine.Env, i int, codes []C, ties bool, deliver func(worker int, p part)) error {
	base, end := b.bounds(i)
	v, err := surveyAll(env, "survey", end-base, in(codes[base:end]))
	if err != nil {
		return err
	}
	return arrange(env, codes[base:end], v, ties, func(worker, lo int, order []uint32, _ []C) {
		deliver(worker, part{base, base + lo, base + lo + len(order), order, 1<<32 - 1})
	})
}

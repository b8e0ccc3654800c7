// Package papers has CPU algorithms of papers, one per file, for comparisons and for callers
// that name one.
package papers

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

// pair is a code and the position of its element. No two pairs are equal. So an algorithm that
// is not stable still gives the stable order, and no input has duplicates.
type pair[C engine.Code] struct {
	code C
	at   uint32
}

// below returns 1 if p comes before q, otherwise 0. It is the borrow of a subtraction, since a
// branch on codes is mispredicted every other time.
func below[C engine.Code](p, q pair[C]) uint64 {
	_, borrow := bits.Sub64(uint64(p.at), uint64(q.at), 0)
	_, borrow = bits.Sub64(uint64(p.code), uint64(q.code), borrow)
	return borrow
}

// chunk is the number of pairs that are moved between two checks of the context.
const chunk = 32 * engine.Block

// algorithm returns the function that orders pairs by a, nil if there is none. Its result is
// the slice given or memory of the arena.
func algorithm[C engine.Code](a engine.Algorithm) func(env *engine.Env, pairs []pair[C]) ([]pair[C], error) {
	switch a {
	case engine.Bitonic:
		return bitonic[C]
	case engine.QuickMerge:
		return quickMerge[C]
	case engine.CPUBucket:
		return bucketSort[C]
	case engine.Radix:
		return radix[C]
	case engine.MergeSort:
		return mergeSort[C]
	case engine.SampleSort:
		return sampleSort[C]
	}
	return nil
}

// Bytes bounds the memory, in bytes, of ordering n codes of the given size by a
// named algorithm.
func Bytes(a engine.Algorithm, n, workers int, code uintptr) int64 {
	size := unsafe.Sizeof(pair[uint64]{})
	if code == 4 {
		size = unsafe.Sizeof(pair[uint32]{})
	}
	var m scratch.Area
	sizePairs(&m, n, size)
	engine.SizeBuffers(&m, workers, code) // of the codes that come
	engine.SizeBuffers(&m, workers, code) // of the codes and positions that go
	engine.SizeBuffers(&m, workers, 4)
	switch a {
	case engine.QuickMerge:
		sizeQuickMerge(&m, n, workers, size)
	case engine.CPUBucket:
		sizePairs(&m, n, size)
		sizePass(&m, n, workers, size)
		m.Times(mostNested, func() { sizeEnds(&m) })
	case engine.Radix:
		sizePairs(&m, n, size)
		sizePass(&m, n, workers, size)
		sizeEnds(&m)
	case engine.MergeSort:
		sizePairs(&m, n, size)
		sizeRuns(&m, n, tileLen)
	case engine.SampleSort:
		sizePairs(&m, n, size)
		sizeSamples(&m, n, workers, size)
	}
	return m.Bytes()
}

// sizePairs sizes n pairs of the given size.
func sizePairs(a *scratch.Area, n int, size uintptr) scratch.Memory { return a.Aligned(n, size) }

// takePairs takes n pairs.
func takePairs[C engine.Code](env *engine.Env, n int) []pair[C] {
	size := unsafe.Sizeof(pair[C]{})
	return stream.Take[pair[C]](&env.Arena, sizePairs(nil, n, size).Len(size))
}

// Runs reports whether this package has a.
func Runs(a engine.Algorithm) bool {
	switch a {
	case engine.Bitonic, engine.QuickMerge, engine.CPUBucket, engine.Radix, engine.MergeSort, engine.SampleSort:
		return true
	}
	return false
}

// linked is [order] in programs that call [Link]; nil in others, which are 160 KB smaller.
var linked atomic.Pointer[func(job *engine.Job) error]

var ordered = order

// Link makes the algorithms of this package part of the program. It comes before a call of [Order].
func Link() {
	if linked.Load() == nil { // calls of several goroutines then only read
		linked.Store(&ordered)
	}
}

// Order orders the codes of job by job.Algorithm, for which [Runs] must hold; ties stay in
// input order. Scratch is bounded by [Bytes].
func Order(job *engine.Job) error { return (*linked.Load())(job) }

func order(job *engine.Job) error {
	if job.Bits <= 32 {
		return orderBy(job, job.Codes32)
	}
	return orderBy(job, job.Codes64)
}

// orderBy orders the codes of src.
func orderBy[C engine.Code](job *engine.Job, src func(dst []C, lo int)) error {
	env := job.Env
	env.Trace.Algorithm = job.Algorithm.String()
	if job.N == 0 {
		return nil
	}
	pairs := takePairs[C](env, job.N)
	codes := engine.NewBuffers[C](env)
	err := env.Stage("extract", job.N, engine.Block, func(worker, lo, hi int) {
		block := codes.Of(worker)[:hi-lo]
		src(block, lo)
		for i, c := range block {
			pairs[lo+i] = pair[C]{c, uint32(lo + i)}
		}
	})
	if err = env.Stopped(err); err != nil {
		return err
	}
	pairs, err = algorithm[C](job.Algorithm)(env, pairs)
	if err = env.Stopped(err); err != nil {
		return err
	}
	return emitPairs(job, pairs)
}

// copyPairs copies src to dst on the calling goroutine, unless the context is cancelled.
func copyPairs[C engine.Code](env *engine.Env, dst, src []pair[C]) {
	for len(src) > 0 && env.Loop.Err() == nil {
		n := copy(dst, src[:min(chunk, len(src))])
		dst, src = dst[n:], src[n:]
	}
}

// emitPairs emits the positions of ordered pairs, and marks ties if the job takes them.
func emitPairs[C engine.Code](job *engine.Job, pairs []pair[C]) error {
	orders, codes := engine.NewBuffers[uint32](job.Env), engine.NewBuffers[C](job.Env)
	return job.Stage("emit", len(pairs), engine.Block, func(worker, lo, hi int) {
		order := orders.Of(worker)[:hi-lo]
		for i, p := range pairs[lo:hi] {
			order[i] = p.at
		}
		job.Emit(lo, order)
		if job.Ties == nil {
			return
		}
		block := codes.Of(worker)[:hi-lo]
		for i, p := range pairs[lo:hi] {
			block[i] = p.code
		}
		engine.MarkTies(job.Ties, lo, lo > 0 && pairs[lo-1].code == pairs[lo].code, block)
	})
}

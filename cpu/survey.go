package cpu

import (
	"math/bits"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// leastChunk and chunk bound the number of elements that a worker claims at a time.
const leastChunk, chunk = 4 * engine.Block, 32 * engine.Block

// LeastTurn is the fewest elements that are worth a worker of their own, in any stage.
const LeastTurn = engine.Block

// chunkOf is how many of n elements a worker claims at a time: whole blocks.
func chunkOf(env *engine.Env, n int) int {
	return env.Loop.Turn(n, leastChunk, chunk) / engine.Block * engine.Block
}

// survey is what one pass over codes tells about their order.
type survey[C Code] struct {
	min, max C
	descents int   // positions i with code[i] < code[i-1]
	steps    Steps // by whole keys, if they were watched
}

// inOrder and falling say that whole keys are in order, or strictly falling.
func (v survey[C]) inOrder() bool { return v.steps != 0 && v.steps&Fall == 0 }
func (v survey[C]) falling() bool { return v.steps == Fall }

// sorted and reversed say whether n codes are in order, or strictly falling
// (so that reversing them is stable).
func (v survey[C]) sorted() bool        { return v.descents == 0 }
func (v survey[C]) reversed(n int) bool { return v.descents == n-1 }

// width is the number of bits that distinguish the codes.
func (v survey[C]) width() int { return bits.Len64(uint64(v.max - v.min)) }

// look surveys codes, which must not be empty.
func look[C Code](codes []C) survey[C] {
	v, n := lookVectors(codes)
	if n == 0 {
		v, n = survey[C]{min: codes[0], max: codes[0]}, 1
	}
	last := codes[n-1]
	for _, c := range codes[n:] {
		v.min, v.max = min(v.min, c), max(v.max, c)
		if c < last {
			v.descents++
		}
		last = c
	}
	return v
}

// view returns codes [lo, hi), at most [engine.Block] of them: either where
// they are, or made anew in buf, which has room for a block.
type view[C Code] func(lo, hi int, buf []C) []C

// in views codes that are in memory.
func in[C Code](codes []C) view[C] {
	return func(lo, hi int, _ []C) []C { return codes[lo:hi] }
}

// copy writes the codes from lo on to dst.
func (v view[C]) copy(dst []C, lo int) {
	for len(dst) > 0 {
		part := dst[:min(engine.Block, len(dst))]
		copy(part, v(lo, lo+len(part), part)) // in part, or somewhere else
		dst, lo = dst[len(part):], lo+len(part)
	}
}

// extract fills codes from src, each element once, and surveys and watches them
// while they are in the cache. len(codes) > 0.
func extract[C Code](env *engine.Env, codes []C, src Source[C], watch Watch[C]) (survey[C], error) {
	w := watcher[C]{env: env, watch: watch, codes: codes}
	v, err := surveyAll(env, "extract", len(codes), func(lo, hi int, _ []C) []C {
		w.extract(src, lo, hi)
		return codes[lo:hi]
	}, buffers[C]{})
	if err == nil {
		w.seams()
		v.steps = w.steps()
	}
	return v, stopped(env, err)
}

// surveyAll surveys n > 0 codes, viewing each once, with buffers if codes are made anew.
func surveyAll[C Code](env *engine.Env, stage string, n int, codes view[C], buffers buffers[C]) (survey[C], error) {
	chunk := chunkOf(env, n)
	pieces := make([]piece[C], (n+chunk-1)/chunk)
	err := env.Stage(stage, n, chunk, func(worker, lo, hi int) {
		var p piece[C]
		for at := lo; at < hi && env.Loop.Err() == nil; at += engine.Block {
			p.add(codes(at, min(at+engine.Block, hi), buffers.of(worker)))
		}
		pieces[lo/chunk] = p
	})
	if err = stopped(env, err); err != nil {
		return survey[C]{}, err
	}
	all := pieces[0]
	for _, p := range pieces[1:] {
		all.join(p)
	}
	return all.survey, nil
}

// piece is a surveyed piece of the input.
type piece[C Code] struct {
	survey[C]
	any         bool // whether it has codes
	first, last C
}

// add surveys a block that follows the piece.
func (p *piece[C]) add(block []C) {
	p.join(piece[C]{look(block), true, block[0], block[len(block)-1]})
}

// join appends the piece q, which is not empty.
func (p *piece[C]) join(q piece[C]) {
	if !p.any {
		*p = q
		return
	}
	if q.first < p.last {
		p.descents++
	}
	p.descents += q.descents
	p.min, p.max, p.last = min(p.min, q.min), max(p.max, q.max), q.last
}

// buffers holds a block of codes for each worker, made when first used. The zero value
// has none.
type buffers[C Code] struct {
	env *engine.Env
	own [][]C
}

func newBuffers[C Code](env *engine.Env) buffers[C] {
	return buffers[C]{env, make([][]C, max(1, env.Loop.Workers))}
}

func (b buffers[C]) of(worker int) []C {
	if b.own == nil {
		return nil
	}
	if b.own[worker] == nil {
		b.own[worker] = scratch.Take[C](&b.env.Arena, engine.Block)
	}
	return b.own[worker]
}

// buffersBytes bounds the scratch memory, in bytes, of buffers of elements of the given size.
func buffersBytes(workers int, size uintptr) int64 {
	return int64(max(1, workers)) * scratch.Size(engine.Block, size)
}

// stopped returns err, or the context's error: a body that stops in the middle
// of its range because the context was cancelled looks finished to the loop.
func stopped(env *engine.Env, err error) error {
	if err != nil {
		return err
	}
	return env.Loop.Err()
}

package cpu

import (
	"math/bits"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/ways"
)

// leastChunk and chunk bound the number of elements that a worker claims at a time. A [chunkMarks]
// has one bit for each of at most 32 blocks.
const leastChunk, leastKeyChunk, chunk = 4 * engine.Block, 16 * engine.Block, 32 * engine.Block

// LeastTurn is the least number of elements that justify another worker, in any stage.
const LeastTurn = engine.Block

// chunkOf returns how many of n elements a worker claims at a time: whole blocks.
func chunkOf(env *engine.Env, n int) int {
	return env.Loop.Turn(n, leastChunk, chunk) / engine.Block * engine.Block
}

// keyChunkOf is chunkOf for a survey of n keys in a slice. One worker surveys leastKeyChunk of them in
// the time that it takes to wake another (EPYC, 2 processors, 2026-11: 22 µs instead of 31 for a sort of
// 9 thousand; bench/results/constants.md).
func keyChunkOf(env *engine.Env, n int) int {
	blocks := (n + engine.Block - 1) / engine.Block
	return max(chunkOf(env, n), min(leastKeyChunk, blocks*engine.Block))
}

// survey is the result of one pass over codes.
type survey[C Code] struct {
	min, max C
	marks
	byKeys *marks // by whole keys; nil if not compared to the end
}

// marks counts the falls and rises of codes, or of whole keys, by block.
type marks struct {
	falls  int  // positions i with code[i] < code[i-1]
	rises  int  // positions i with code[i] > code[i-1]
	tied   bool // some elements may equal their predecessors
	each   int  // elements of a chunk, a multiple of engine.Block
	chunks []chunkMarks
	ties   engine.Ties // if rises is 0, the elements that equal their predecessors; nil: not known
}

// chunkMarks is the marks of a chunk of the input: at most 32 blocks.
type chunkMarks struct {
	falls, rises int
	fell, rose   uint32 // bit b: block b has a code below, or above, its predecessor
	tied         bool
}

// add adds the falls and rises of a block.
func (m *chunkMarks) add(block, falls, rises int) {
	m.falls, m.rises = m.falls+falls, m.rises+rises
	if falls > 0 {
		m.fell |= 1 << block
	}
	if rises > 0 {
		m.rose |= 1 << block
	}
}

// sum adds the counts of all chunks.
func (m *marks) sum() {
	m.falls, m.rises = 0, 0
	for i := range m.chunks {
		p := &m.chunks[i]
		m.falls, m.rises, m.tied = m.falls+p.falls, m.rises+p.rises, m.tied || p.tied
	}
}

// scattered reports whether more than mostScattered blocks have a step in the rarer direction. A
// moves by whole keys would compare all elements of such blocks again.
func (m *marks) scattered() bool {
	n := 0
	for i := range m.chunks {
		p := &m.chunks[i]
		steps := p.fell
		if m.rises < m.falls {
			steps = p.rose
		}
		n += bits.OnesCount32(steps)
	}
	return n > m.mostScattered()
}

// mostScattered returns a quarter of the blocks.
func (m *marks) mostScattered() int { return len(m.chunks) * (m.each / engine.Block) / 4 }

// sorted reports whether codes are in order.
func (m *marks) sorted() bool { return m.falls == 0 }

// inOrder reports whether whole keys are in order.
func (v survey[C]) inOrder() bool { return v.byKeys != nil && v.byKeys.falls == 0 }

// span returns how far codes exceed their minimum at most, and width its number of bits.
func (v survey[C]) span() C { return v.max - v.min }

func (v survey[C]) width() int { return bits.Len64(uint64(v.span())) }

// summary is the survey of one list of codes. It is returned in registers: a whole survey
// costs a sort of a hundred codes 25 ns (EPYC of 2022).
type summary[C Code] struct {
	min, max     C
	falls, rises int // as in marks
}

// sorted reports whether codes are in order.
func (v summary[C]) sorted() bool { return v.falls == 0 }

// ties returns how many of n codes equal their predecessors.
func (v summary[C]) ties(n int) int { return n - 1 - v.falls - v.rises }

// reversed reports whether n codes strictly fall.
func (v summary[C]) reversed(n int) bool { return v.falls == n-1 }

// span returns how far codes exceed their minimum at most.
func (v summary[C]) span() C { return v.max - v.min }

// summaryOf returns the summary of codes; len(codes) > 0.
func summaryOf[C Code](codes []C) summary[C] { return summaryFlipped(codes, 0) }

// Bounds returns the least and the greatest of codes; len(codes) > 0.
func Bounds[C Code](codes []C) (least, most C) {
	v := summaryOf(codes)
	return v.min, v.max
}

// summaryFlipped returns the summary of the codes word ^ flip; len(words) > 0.
func summaryFlipped[C Code](words []C, flip C) summary[C] {
	v, n := summaryVectors(words, flip)
	if n == 0 {
		v, n = summary[C]{min: words[0] ^ flip, max: words[0] ^ flip}, 1
	}
	last := words[n-1] ^ flip
	for _, w := range words[n:] {
		c := w ^ flip
		v.min, v.max = min(v.min, c), max(v.max, c)
		switch {
		case c < last:
			v.falls++
		case c > last:
			v.rises++
		}
		last = c
	}
	return v
}

// view returns codes [lo, hi), at most [engine.Block] of them: in place, or made in buf, which
// holds a block.
type view[C Code] func(lo, hi int, buf []C) []C

// in returns a view of codes in memory.
func in[C Code](codes []C) view[C] {
	return func(lo, hi int, _ []C) []C { return codes[lo:hi] }
}

// copy writes the codes from lo on to dst.
func (v view[C]) copy(dst []C, lo int) {
	for len(dst) > 0 {
		part := dst[:min(engine.Block, len(dst))]
		copy(part, v(lo, lo+len(part), part)) // the view may return part itself
		dst, lo = dst[len(part):], lo+len(part)
	}
}

// extract fills codes from src, each once. It surveys them, and compares neighbours by keys,
// while they are in the cache. len(codes) > 0.
func extract[C Code](env *engine.Env, codes []C, src Source[C], keys KeyComparer[C]) (survey[C], error) {
	if !ways.On(ways.KeysInOrder) {
		keys = nil
	}
	w := newPresortedCheck(env, keys, codes)
	v, err := surveyAll(env, "extract", len(codes), func(lo, hi int, _ []C) []C {
		w.extract(src, lo, hi)
		return codes[lo:hi]
	})
	if err == nil {
		v.byKeys = w.end()
	}
	return v, env.Stopped(err)
}

// refine makes codes, surveyed as v, again if keys have finer ones, and surveys those.
func refine[C Code](env *engine.Env, codes []C, v survey[C], keys KeyComparer[C]) (survey[C], error) {
	if !ways.On(ways.FinerCodes) {
		return v, nil
	}
	src := keys.Finer(codes, v.min, v.max)
	if src == nil {
		return v, env.Loop.Err()
	}
	ways.Took(ways.FinerCodes)
	finer, err := surveyAll(env, "extract", len(codes), func(lo, hi int, _ []C) []C {
		src(codes[lo:hi], lo)
		return codes[lo:hi]
	})
	finer.byKeys = v.byKeys
	return finer, err
}

// surveyAll surveys n > 0 codes, viewing each once.
func surveyAll[C Code](env *engine.Env, stage string, n int, codes view[C]) (survey[C], error) {
	return surveyWords(env, stage, n, chunkOf(env, n), words[C]{view: codes})
}

// surveyWords is surveyAll for words, in chunks.
func surveyWords[C Code](env *engine.Env, stage string, n, chunk int, words words[C]) (survey[C], error) {
	buffers, flip := words.buffers(env), words.flip
	defer buffers.Give()
	surveys := make([]chunkSurvey[C], (n+chunk-1)/chunk)
	found := survey[C]{marks: marks{each: chunk, chunks: make([]chunkMarks, len(surveys))}}
	err := env.Stage(stage, n, chunk, func(worker, lo, hi int) {
		var p chunkSurvey[C]
		for at := lo; at < hi && env.Loop.Err() == nil; at += engine.Block {
			block := words.view(at, min(at+engine.Block, hi), buffers.Of(worker))
			p.add(&found.chunks[lo/chunk], (at-lo)/engine.Block, summaryFlipped(block, flip), block[0]^flip, block[len(block)-1]^flip)
		}
		surveys[lo/chunk] = p
	})
	if err = env.Stopped(err); err != nil {
		return survey[C]{}, err
	}
	found.min, found.max = surveys[0].min, surveys[0].max
	for i := range surveys {
		p := &surveys[i]
		if i > 0 {
			step(&found.chunks[i], 0, surveys[i-1].last, p.first)
		}
		found.min, found.max = min(found.min, p.min), max(found.max, p.max)
	}
	found.sum()
	found.tied = found.falls+found.rises < n-1
	return found, nil
}

// chunkSurvey is the survey of a chunk of the input.
type chunkSurvey[C Code] struct {
	min, max    C
	first, last C
	any         bool // whether it has codes
}

// add adds block b, surveyed as v, which follows the blocks before it.
func (p *chunkSurvey[C]) add(m *chunkMarks, b int, v summary[C], first, last C) {
	if !p.any {
		p.min, p.max, p.first, p.any = v.min, v.max, first, true
	} else {
		p.min, p.max = min(p.min, v.min), max(p.max, v.max)
		step(m, b, p.last, first)
	}
	p.last = last
	m.add(b, v.falls, v.rises)
}

// step adds the step from a to b, the first code of a block.
func step[C Code](m *chunkMarks, block int, a, b C) {
	switch {
	case b < a:
		m.add(block, 1, 0)
	case b > a:
		m.add(block, 0, 1)
	}
}

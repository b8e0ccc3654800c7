package presorted

import (
	"math/bits"

	"example.com/sorter/internal/engine"
)

// Survey is the result of one pass over codes: their range, and where they step.
type Survey[C engine.Code] struct {
	Min, Max C
	Marks
	ByKeys *Marks // by whole keys; nil if not compared to the end
}

// InOrder reports whether whole keys are in order.
func (v *Survey[C]) InOrder() bool { return v.ByKeys != nil && v.ByKeys.Sorted() }

// Span returns how far codes exceed their minimum at most, and Width its number of bits.
func (v *Survey[C]) Span() C { return v.Max - v.Min }

func (v *Survey[C]) Width() int { return bits.Len64(uint64(v.Span())) }

// Report records that the input is in order.
func (v *Survey[C]) Report(env *engine.Env) {
	env.Found(engine.Sorted)
	if v.Min == v.Max && (v.ByKeys == nil || v.ByKeys.Rises == 0) {
		env.Found(engine.Flat)
	}
}

// Words is a view of codes: code == word ^ Flip.
type Words[C engine.Code] struct {
	View func(lo, hi int, buf []C) []C // words [lo, hi), at most a block: in place, or made in buf
	Made bool                          // View makes words in buf instead of returning memory
	Flip C

	// One of them may be set: all the words, or a function that returns the code of element i.
	All []C
	At  func(i uint32) C
}

// InMemory returns words in memory.
func InMemory[C engine.Code](all []C, flip C) Words[C] {
	return Words[C]{View: func(lo, hi int, _ []C) []C { return all[lo:hi] }, Flip: flip, All: all}
}

// buffers returns buffers for the words, none if they are in memory.
func (w *Words[C]) buffers(env *engine.Env) engine.Buffers[C] {
	if !w.Made {
		return engine.Buffers[C]{}
	}
	return engine.NewBuffers[C](env)
}

// code returns the code of element i.
func (w *Words[C]) code(i uint32) C {
	if w.All != nil {
		return w.All[i] ^ w.Flip
	}
	return w.At(i)
}

// SurveyCodes surveys n > 0 codes, viewing each once.
func SurveyCodes[C engine.Code](env *engine.Env, stage string, n int, codes func(lo, hi int, buf []C) []C) (Survey[C], error) {
	return SurveyWords(env, stage, n, env.ChunkOf(n), Words[C]{View: codes})
}

// SurveyWords is [SurveyCodes] of words, in chunks: whole blocks, at most [engine.Chunk] elements.
func SurveyWords[C engine.Code](env *engine.Env, stage string, n, chunk int, words Words[C]) (Survey[C], error) {
	buffers, flip := words.buffers(env), words.Flip
	defer buffers.Give()
	surveys := make([]chunkSurvey[C], (n+chunk-1)/chunk)
	found := Survey[C]{Marks: newMarks(n, chunk)}
	err := env.Stage(stage, n, chunk, func(worker, lo, hi int) {
		var p chunkSurvey[C]
		for at := lo; at < hi && env.Loop.Err() == nil; at += engine.Block {
			block := words.View(at, min(at+engine.Block, hi), buffers.Of(worker))
			p.add(&found.chunks[lo/chunk], (at-lo)/engine.Block, summaryFlipped(block, flip), block[0]^flip, block[len(block)-1]^flip)
		}
		surveys[lo/chunk] = p
	})
	if err = env.Stopped(err); err != nil {
		return Survey[C]{}, err
	}
	found.Min, found.Max = surveys[0].min, surveys[0].max
	for i := range surveys {
		p := &surveys[i]
		if i > 0 {
			step(&found.chunks[i], 0, surveys[i-1].last, p.first)
		}
		found.Min, found.Max = min(found.Min, p.min), max(found.Max, p.max)
	}
	found.sum()
	found.Tied = found.Falls+found.Rises < n-1
	return found, nil
}

// chunkSurvey is the survey of a chunk of the input.
type chunkSurvey[C engine.Code] struct {
	min, max    C
	first, last C
	any         bool // whether it has codes
}

// add adds block b, surveyed as v, which follows the blocks before it.
func (p *chunkSurvey[C]) add(m *chunkMarks, b int, v Summary[C], first, last C) {
	if !p.any {
		p.min, p.max, p.first, p.any = v.Min, v.Max, first, true
	} else {
		p.min, p.max = min(p.min, v.Min), max(p.max, v.Max)
		step(m, b, p.last, first)
	}
	p.last = last
	m.add(b, v.Falls, v.Rises)
}

// step adds the step from a to b, the first code of a block.
func step[C engine.Code](m *chunkMarks, block int, a, b C) {
	switch {
	case b < a:
		m.add(block, 1, 0)
	case b > a:
		m.add(block, 0, 1)
	}
}

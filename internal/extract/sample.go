package extract

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
)

// sample holds the codes of the sampled chunks. They are not extracted again: a key
// function is called once.
type sample struct {
	at    []int    // the first elements of the chunks, ascending
	codes []uint64 // presorted.SampleLen of each
}

// SampleRows returns what a sample of rows says, by the codes of l, their first word. l keeps the codes
// that it extracts.
func SampleRows(env *engine.Env, rows Input, l *Word) engine.Sample {
	l.Open(rows, env)
	src := Source64(rows, l)
	sample := presorted.SampleOf(rows.Len, l.InMemory, func(lo, hi int, buf []uint64) []uint64 {
		src(buf[:hi-lo], lo)
		if !l.InMemory {
			l.sample.at = append(l.sample.at, lo)
			l.sample.codes = append(l.sample.codes, buf[:hi-lo]...)
		}
		return buf[:hi-lo]
	})
	if env.Loop.Err() != nil {
		return engine.Mixed
	}
	return sample
}

// known returns the sampled codes of elements in [lo, hi), which is at most a block: those
// of elements [lo+i, lo+j).
func (g *sample) known(lo, hi int) (codes []uint64, i, j int) {
	for k, at := range g.at {
		from, to := max(at, lo), min(at+presorted.SampleLen, hi)
		if from < to {
			return g.codes[k*presorted.SampleLen+from-at : k*presorted.SampleLen+to-at], from - lo, to - lo
		}
	}
	return nil, hi - lo, hi - lo
}

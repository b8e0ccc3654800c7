package extract

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/sortkey"
)

// Elements in order, or strictly falling, are sorted by the CPU engine: it reads them in less
// time than their codes take to reach a device. So before a device is chosen, a few chunks of
// the input are sampled, up to the first that is out of order. For other inputs that is nearly
// always the first chunk.

// sampleLen is the number of elements in a chunk; samples is the largest number of chunks,
// at most one per sampleStep elements. No engine.Block overlaps two chunks.
const sampleLen, samples, sampleStep = 64, 16, 1 << 13

// InOrder reports whether a sample of n elements is in order, or strictly falling,
// by its codes.
func InOrder[C sortkey.Code](n int, codes func(lo, hi int, buf []C) []C) bool {
	if n < 2*engine.Block {
		return false
	}
	var buf [sampleLen]C
	pieces := min(max(n/sampleStep, 2), samples)
	up, down := true, true
	var last C
	for i := range pieces {
		lo := (n - sampleLen) / (pieces - 1) * i
		for k, c := range codes(lo, lo+sampleLen, buf[:]) {
			if i+k > 0 {
				up, down = up && last <= c, down && last > c
			}
			last = c
		}
		if !up && !down {
			return false
		}
	}
	return true
}

// sample holds the codes of the sampled chunks. They are not extracted again: a key
// function is called once.
type sample struct {
	at    []int    // the first elements of the chunks, ascending
	codes []uint64 // sampleLen of each
}

// SampleInOrder reports whether a sample of rows is in order by the codes of l, their first
// word. l keeps the codes that it extracts.
func SampleInOrder(env *engine.Env, rows Input, l *Word) bool {
	l.Open(rows, env)
	src := Source64(rows, l)
	ordered := InOrder(rows.Len, func(lo, hi int, buf []uint64) []uint64 {
		src(buf[:hi-lo], lo)
		if !l.InMemory {
			l.sample.at = append(l.sample.at, lo)
			l.sample.codes = append(l.sample.codes, buf[:hi-lo]...)
		}
		return buf[:hi-lo]
	})
	return ordered && env.Loop.Err() == nil
}

// known returns the sampled codes of elements in [lo, hi), which is at most a block: those
// of elements [lo+i, lo+j).
func (g *sample) known(lo, hi int) (codes []uint64, i, j int) {
	for k, at := range g.at {
		from, to := max(at, lo), min(at+sampleLen, hi)
		if from < to {
			return g.codes[k*sampleLen+from-at : k*sampleLen+to-at], from - lo, to - lo
		}
	}
	return nil, hi - lo, hi - lo
}

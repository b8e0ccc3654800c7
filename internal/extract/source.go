package extract

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/sortkey"
)

// Source32 and Source64 extract the codes of l, the first word, except those that
// a sample has extracted already.
func Source32(rows Input, l *Word) cpu.Source[uint32] {
	return sourceOf(rows, l, l.Codes32)
}

// Source64 is [Source32] of codes of up to 64 bits.
func Source64(rows Input, l *Word) cpu.Source[uint64] {
	return sourceOf(rows, l, l.Codes)
}

// sourceOf is not inlined: its closure would be compiled at each call and for each type of
// elements.
//
//go:noinline
func sourceOf[C sortkey.Code](rows Input, l *Word, codes func(dst []C, b Batch)) cpu.Source[C] {
	return func(dst []C, lo int) {
		rows.Block(l, lo, lo+len(dst), func(b Batch) {
			known, i, j := l.sample.known(lo, lo+len(dst))
			if i > 0 {
				codes(dst[:i], b.part(0, i))
			}
			for k, c := range known {
				dst[i+k] = C(c)
			}
			if j < len(dst) {
				codes(dst[j:], b.part(j, len(dst)))
			}
		})
	}
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

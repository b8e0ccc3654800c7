package extract

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
)

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

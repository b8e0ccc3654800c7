package extract

import (
	"slices"

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

// SampleRows returns what a sample of rows says, by the codes of their first word, which keeps those that it
// extracts. Where all of these are alike, few values or an order are those of further keys in memory.
func SampleRows(env *engine.Env, rows Input, words []Word) engine.Sample {
	sample, alike := sampleWord(env, rows, &words[0])
	for i := 0; alike && words[i].InMemory; i++ {
		if l := &words[i]; !l.Exact() {
			if !inOrder(l, rows.Len) {
				sample = engine.Few
			}
			break
		}
		if i+1 == len(words) || !words[i+1].InMemory {
			break
		}
		if sample, alike = sampleWord(env, rows, &words[i+1]); sample != engine.Ordered {
			sample = engine.Few
		}
	}
	if env.Loop.Err() != nil {
		return engine.Mixed
	}
	return sample
}

// sampleWord returns what a sample of codes says, and whether all are alike.
func sampleWord(env *engine.Env, rows Input, l *Word) (sample engine.Sample, alike bool) {
	l.Open(rows, env)
	src, first := Source64(rows, l), uint64(0)
	sample = presorted.SampleOf(rows.Len, l.InMemory, func(lo, hi int, buf []uint64) []uint64 {
		codes := buf[:hi-lo]
		src(codes, lo)
		if !l.InMemory {
			l.sample.at = append(l.sample.at, lo)
			l.sample.codes = append(l.sample.codes, codes...)
		}
		if lo == 0 {
			first, alike = codes[0], true
		}
		alike = alike && !slices.ContainsFunc(codes, func(c uint64) bool { return c != first })
		return codes
	})
	return sample, alike
}

// inOrder reports whether a sample of n elements whose codes are alike is in order by their full keys, except for a few.
func inOrder(l *Word, n int) bool {
	return presorted.SampleSteps(n, func(lo, hi int) presorted.Steps {
		var memory [presorted.SampleLen]uint32
		at := memory[:hi-lo]
		for i := range at {
			at[i] = uint32(lo + i)
		}
		_, seen := l.Full.Follow(at, l.PrefixBits)
		return seen
	})
}

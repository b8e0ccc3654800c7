package extract

import (
	"sync"

	"example.com/sorter/internal/engine"
)

// This file makes codes of all elements, in their sequence, for those that tie in the codes before.

// FurtherCodes returns the most codes after the first ones that an engine gets. Of a text it counts one.
func FurtherCodes(words []Word) int {
	n := len(words) - 1
	for i := range words {
		if !words[i].Exact() {
			n++
		}
	}
	return min(n, engine.MostFurther)
}

// FullCodes writes the codes of full keys of the elements from lo on, at a result of [FullKeys.ForAll].
func (l *Word) FullCodes(dst []uint64, lo int, p Level) {
	at := ascending.Get().(*[Piece]uint32)
	defer ascending.Put(at)
	for i := 0; i < len(dst); i += Piece {
		some := at[:min(Piece, len(dst)-i)]
		for k := range some {
			some[k] = uint32(lo + i + k)
		}
		l.Full.Codes(dst[i:i+len(some)], some, p)
	}
}

// ascending are buffers for the numbers of elements.
var ascending = sync.Pool{New: func() any { return new([Piece]uint32) }}

// PastShared returns p, a result of [FullKeys.ForAll], after the bytes that the keys of n elements share; all of
// them tie.
func (l *Word) PastShared(env *engine.Env, n int, p Level) Level {
	if keys, ok := l.Full.(sharedKeys); ok {
		p.Depth = max(p.Depth, sharedByAll(env, keys, n))
	}
	return p
}

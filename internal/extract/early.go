package extract

import "example.com/sorter/internal/scratch"

// Early holds the codes of a word that were needed before its turn: for each
// element at most once, by whoever comes first, and kept for the word's turn.
type Early struct {
	Codes []uint64
	Done  []byte // by element: 1 if its code is there
}

// NewEarly makes room for the codes of n elements, none of which is there.
func NewEarly(n int, arena *scratch.Arena) Early {
	e := Early{scratch.Take[uint64](arena, n), scratch.Take[byte](arena, n)}
	clear(e.Done)
	return e
}

// EarlyBytes bounds the memory, in bytes, of codes that are made before their words' turn.
func EarlyBytes(n int, words []Word) int64 {
	return int64(max(1, len(words))-1) * (scratch.Size(n, 8) + scratch.Size(n, 1))
}

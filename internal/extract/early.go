package extract

import "example.com/sorter/internal/scratch"

// Early holds codes of a word that were extracted before the ties of the words before it
// were known. Each code is extracted at most once and read again when these ties are broken.
type Early struct {
	Codes []uint64
	Done  []byte // by element: 1 if its code is there
}

// NewEarly takes memory for the codes of n elements. None of them is extracted yet.
func NewEarly(n int, arena *scratch.Arena) Early {
	e := Early{scratch.Take[uint64](arena, n), scratch.Take[byte](arena, n)}
	clear(e.Done)
	return e
}

// EarlyBytes bounds the memory, in bytes, of the Early codes of all words after the first.
func EarlyBytes(n int, words []Word) int64 {
	return int64(max(1, len(words))-1) * (scratch.Size(n, 8) + scratch.Size(n, 1))
}

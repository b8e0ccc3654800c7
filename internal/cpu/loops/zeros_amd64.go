package loops

import "example.com/sorter/internal/processor"

// zeroVectors is [ZeroPlaces] of the first done words, by vector instructions, as long as there is room for
// 64 places; done is 0 without AVX2.
func zeroVectors(places []uint32, set []uint64, lo uint32) (k, done int) {
	if !processor.AVX2 || len(places) < 64 || len(set) == 0 {
		return 0, 0
	}
	// Sound: it reads len(set) words at most. A word is read where there is room for 64 places from the
	// next on, and its bytes write eight places each, after 56 others of the word at most.
	return zeroPlaces(&places[0], len(places), &set[0], len(set), lo, &bitPlaces)
}

//go:noescape
func zeroPlaces(places *uint32, room int, set *uint64, words int, lo uint32, table *[256]uint64) (k, done int)

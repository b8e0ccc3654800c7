package sortkey

import (
	"unsafe"

	"example.com/sorter/internal/processor"
)

// flipVectors writes the first n words of src, a multiple of four vectors, with some bits flipped;
// n is 0 if there are too few words or no AVX2. len(dst) >= len(src).
func flipVectors[C Code](dst, src []C, flip C) (n int) {
	const bytes = 128 // of four vectors
	turns := len(src) * int(unsafe.Sizeof(flip)) / bytes
	if !processor.AVX2 || turns == 0 {
		return 0
	}
	wide := uint64(flip)
	if unsafe.Sizeof(flip) == 4 {
		wide |= wide << 32
	}
	// Sound: turns*bytes are at most the bytes of src, and dst has as many.
	flipBytes(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), turns, wide)
	return turns * bytes / int(unsafe.Sizeof(flip))
}

// flipBytes copies turns > 0 times 128 bytes, each 8 of them with the bits of flip flipped. dst may be
// src.
//
//go:noescape
func flipBytes(dst, src unsafe.Pointer, turns int, flip uint64)

package presorted

import (
	"slices"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/processor"
)

// summaryVectors returns the summary of the first n words, by vector instructions; n is 0 if
// there are too few words or no AVX2.
func summaryVectors[C engine.Code](words []C, flip C) (v Summary[C], n int) {
	const vector = 32 // bytes
	lanes := vector / int(unsafe.Sizeof(flip))
	vectors := (len(words) - 1) / lanes
	if !processor.AVX2 || vectors < 4 {
		return v, 0
	}
	n = vectors*lanes + 1
	// Sound: words has n elements, which are all that is read; the conversions are
	// to the types that the sizes of C say it has.
	if at := unsafe.Pointer(unsafe.SliceData(words)); lanes == 8 {
		var found [4][8]uint32
		survey32((*uint32)(at), vectors, uint32(flip), &found)
		v.Falls = n - 1
		for i := range lanes {
			v.Falls += int(int32(found[2][i]))
			v.Rises += int(int32(found[3][i] - found[2][i]))
		}
		v.Min, v.Max = C(slices.Min(found[0][:])), C(slices.Max(found[1][:]))
	} else {
		var found [4][4]uint64
		survey64((*uint64)(at), vectors, uint64(flip), &found)
		for i := range lanes {
			v.Falls += int(found[2][i])
			v.Rises += int(found[3][i])
		}
		v.Min, v.Max = C(slices.Min(found[0][:])), C(slices.Max(found[1][:]))
	}
	return v, n
}

// survey32 and survey64 survey the first word and vectors > 0 vectors after it.

//go:noescape
func survey32(words *uint32, vectors int, flip uint32, found *[4][8]uint32)

//go:noescape
func survey64(words *uint64, vectors int, flip uint64, found *[4][4]uint64)

// fallVectors writes the bits of [fallBits] for the first n codes after words[0] with vector
// instructions; n is 0 if there are too few words or no AVX2.
func fallVectors[C engine.Code](found []uint64, words []C, flip C) (n int) {
	bytes := (len(words) - 1) / 8
	if !processor.AVX2 || bytes == 0 {
		return 0
	}
	// Sound: 8*bytes+1 words are read, at most all; 8*bytes bits are written, at most those of
	// found. The conversions are to the types that the sizes of C say it has.
	_ = found[(bytes-1)/8]
	if at := unsafe.Pointer(unsafe.SliceData(words)); unsafe.Sizeof(flip) == 4 {
		falls32((*uint32)(at), bytes, uint32(flip), &found[0])
	} else {
		falls64((*uint64)(at), bytes, uint64(flip), &found[0])
	}
	return 8 * bytes
}

// falls32 and falls64 write a number of bytes > 0, for 8 words each after the first word.

//go:noescape
func falls32(words *uint32, bytes int, flip uint32, found *uint64)

//go:noescape
func falls64(words *uint64, bytes int, flip uint64, found *uint64)

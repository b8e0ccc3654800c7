package loops

import (
	"unsafe"

	"example.com/sorter/internal/processor"
)

// partCrowdVectors is [PartCrowd] of the first n codes, by vector instructions; n is 0 without AVX2, and for
// 32-bit codes, of which few have crowds.
func partCrowdVectors[C Code](places, others []uint32, own, codes []C, code C) (crowded, n int) {
	turns := len(codes) / 4
	if !processor.AVX2 || turns == 0 || unsafe.Sizeof(code) == 4 {
		return 0, 0
	}
	_, _, _ = places[4*turns-1], others[4*turns-1], own[4*turns-1]
	// Sound: a vector is written at its own place or before, within 4*turns elements, and the conversions are
	// to the type that the size of C says it has.
	from, to := (*uint64)(unsafe.Pointer(unsafe.SliceData(codes))), (*uint64)(unsafe.Pointer(unsafe.SliceData(own)))
	return partCrowd64(from, turns, uint64(code), &laneMoves, &bitPlaces, &places[0], &others[0], to), 4 * turns
}

// laneMoves has, for each set of four 64-bit lanes, the 32-bit lanes of these that come first.
var laneMoves = func() (all [16]uint64) {
	for set := range all {
		for lane, places := 0, bitPlaces[set]; lane < 4; lane++ {
			low := 2 * (places >> (8 * lane) & 3)
			all[set] |= (low | (low+1)<<8) << (16 * lane)
		}
	}
	return all
}()

//go:noescape
func partCrowd64(codes *uint64, turns int, code uint64, moves *[16]uint64, sets *[256]uint64, places, others *uint32, own *uint64) (crowded int)

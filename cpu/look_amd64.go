package cpu

import (
	"slices"
	"unsafe"

	"example.com/sorter/internal/processor"
)

// lookVectors is look at the first codes, as many as it returns besides what it
// found; 0 are nothing found.
func lookVectors[C Code](codes []C) (v survey[C], n int) {
	const vector = 32 // bytes
	lanes := vector / int(unsafe.Sizeof(codes[0]))
	vectors := (len(codes) - 1) / lanes
	if !processor.AVX2 || vectors < 4 {
		return v, 0
	}
	n = vectors*lanes + 1
	// Sound: codes has n elements, which are all that is read; the conversions are
	// to the types that the sizes of C say it has.
	if at := unsafe.Pointer(unsafe.SliceData(codes)); lanes == 8 {
		var found [3][8]uint32
		look32((*uint32)(at), vectors, &found)
		v.descents = n - 1
		for _, less := range found[2] {
			v.descents += int(int32(less))
		}
		v.min, v.max = C(slices.Min(found[0][:])), C(slices.Max(found[1][:]))
	} else {
		var found [3][4]uint64
		look64((*uint64)(at), vectors, &found)
		for _, more := range found[2] {
			v.descents += int(more)
		}
		v.min, v.max = C(slices.Min(found[0][:])), C(slices.Max(found[1][:]))
	}
	return v, n
}

// look32 and look64 look at the first code and vectors > 0 vectors behind it.

//go:noescape
func look32(codes *uint32, vectors int, found *[3][8]uint32)

//go:noescape
func look64(codes *uint64, vectors int, found *[3][4]uint64)

package loops

import "unsafe"

// SplitBelow moves codes below pivot to the front of codes and those above it to other, both in input order, and counts
// them. SplitAbove is the same for those above it and those below it. len(other) >= len(codes) > 0.
func SplitBelow[C Code](codes, other []C, pivot C) (below, above int) {
	_ = other[len(codes)-1]
	// Sound: the loops read len(codes) codes and write within as many of both slices; the conversions are
	// to the types that the sizes of C say it has.
	from, to := unsafe.Pointer(unsafe.SliceData(codes)), unsafe.Pointer(unsafe.SliceData(other))
	if unsafe.Sizeof(pivot) == 4 {
		return splitBelow32((*uint32)(from), len(codes), uint32(pivot), (*uint32)(to))
	}
	return splitBelow64((*uint64)(from), len(codes), uint64(pivot), (*uint64)(to))
}

func SplitAbove[C Code](codes, other []C, pivot C) (above, below int) {
	_ = other[len(codes)-1]
	// Sound as in SplitBelow.
	from, to := unsafe.Pointer(unsafe.SliceData(codes)), unsafe.Pointer(unsafe.SliceData(other))
	if unsafe.Sizeof(pivot) == 4 {
		return splitAbove32((*uint32)(from), len(codes), uint32(pivot), (*uint32)(to))
	}
	return splitAbove64((*uint64)(from), len(codes), uint64(pivot), (*uint64)(to))
}

// The functions of 32 and 64 bits take n > 0 codes.

//go:noescape
func splitBelow32(codes *uint32, n int, pivot uint32, other *uint32) (stayed, moved int)

//go:noescape
func splitAbove32(codes *uint32, n int, pivot uint32, other *uint32) (stayed, moved int)

//go:noescape
func splitBelow64(codes *uint64, n int, pivot uint64, other *uint64) (stayed, moved int)

//go:noescape
func splitAbove64(codes *uint64, n int, pivot uint64, other *uint64) (stayed, moved int)

package loops

import (
	"math/bits"
	"unsafe"
)

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

// SplitInPlace moves codes below pivot to the front, in any sequence, and counts them. Their bytes are [LeastInPlace] or more.
func SplitInPlace[C Code](codes []C, pivot C) (below int) {
	_ = codes[LeastInPlace/unsafe.Sizeof(pivot)-1]
	// Sound: the loops read and write len(codes) codes, which are eight vectors or more; the conversions are to the types that the
	// sizes of C say it has.
	at := unsafe.Pointer(unsafe.SliceData(codes))
	if unsafe.Sizeof(pivot) == 4 {
		return splitInPlace32((*uint32)(at), len(codes), uint32(pivot), &splitMoves)
	}
	return splitInPlace64((*uint64)(at), len(codes), uint64(pivot), &splitMoves)
}

// splitMoves has, for each set of eight lanes, these, and then the others.
var splitMoves = func() (all [256]uint64) {
	for set := range all {
		all[set] = bitPlaces[set] | bitPlaces[255^set]<<(8*bits.OnesCount8(uint8(set)))
	}
	return all
}()

//go:noescape
func splitInPlace32(codes *uint32, n int, pivot uint32, moves *[256]uint64) (below int)

//go:noescape
func splitInPlace64(codes *uint64, n int, pivot uint64, moves *[256]uint64) (below int)

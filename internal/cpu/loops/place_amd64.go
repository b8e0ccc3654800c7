package loops

import (
	"unsafe"

	"example.com/sorter/internal/processor"
)

// placesInLoops reports that elements move to their buckets in assembly: on AMD's processors alone. A Xeon
// gains nothing (bench/results/constants.md, manyWorkers).
var placesInLoops = processor.AMD

// placesLines reports that 64-byte elements do, as whole lines (Xeon, 16 workers, 2026-11-25: 3.8 instead of
// 4.6 ns per element, by words of 16 bytes 4.0; bench/results/constants.md).
var placesLines = processor.AVX512

// PlaceOf returns the loop for elements and codes of the given sizes; nil if there is none.
func PlaceOf(size, code uintptr) Place {
	if !placesInLoops || size%8 != 0 || size/8 >= uintptr(len(placeLoops)) {
		return nil
	}
	return placeLoops[size/8][code/8]
}

// PlaceLinesOf returns the loop that stores 64-byte elements past the caches.
func PlaceLinesOf(code uintptr) Place {
	switch {
	case placesLines:
		return [...]Place{placeWholeLines32, placeWholeLines64}[code/8]
	case placesInLoops:
		return [...]Place{placeLines32, placeLines64}[code/8]
	}
	return nil
}

// PlaceIndicesOf returns the loop for 32-bit numbers and codes of the given size.
func PlaceIndicesOf(code uintptr) PlaceIndices {
	if !placesInLoops {
		return nil
	}
	return [...]PlaceIndices{placeIndices32, placeIndices64}[code/8]
}

// placeLoops are loops by size of an element in words, and of a code.
var placeLoops = [...][2]Place{
	1: {place8x32, place8x64},
	2: {place16x32, place16x64},
	3: {place24x32, place24x64},
	4: {place32x32, place32x64},
	5: {place40x32, place40x64},
	6: {place48x32, place48x64},
}

//go:noescape
func place8x32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func place16x32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func place24x32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func place32x32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func place40x32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func place48x32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func placeLines32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func placeWholeLines32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func place8x64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func place16x64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func place24x64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func place32x64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func place40x64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func place48x64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func placeLines64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func placeWholeLines64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func placeIndices32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, first uint64, dst, dstCodes unsafe.Pointer, places int) (ok bool)

//go:noescape
func placeIndices64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, first uint64, dst, dstCodes unsafe.Pointer, places int) (ok bool)

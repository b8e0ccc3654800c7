package loops

import "unsafe"

// Place moves n > 0 elements from src, and their codes, to dst and dstCodes. An element takes the
// next place of the bucket that table gives the cell (code - least) >> shift. It stops at an element
// whose place is not below places, which is at most the length of dst and of dstCodes.
type Place func(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, src, dst, dstCodes unsafe.Pointer, places int) (ok bool)

// PlaceIndices is a [Place] of elements that are the numbers first, first+1, …
type PlaceIndices func(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, first uint64, dst, dstCodes unsafe.Pointer, places int) (ok bool)

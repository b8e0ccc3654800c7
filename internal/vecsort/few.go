package vecsort

import (
	"slices"
	"unsafe"
)

// MostFew returns the most codes that [SortFew] sorts.
func MostFew[C uint32 | uint64]() int { return fewBytes / int(unsafe.Sizeof(C(0))) }

// fewBytes is the memory of rows that one network sorts.
const fewBytes = 16 * 64

// SortFew writes codes in order to dst, which is as long. They may be the same memory, or overlap.
// len(codes) <= MostFew[C]().
func SortFew[C uint32 | uint64](dst, codes []C) {
	if !sortFew(dst, codes) {
		copy(dst, codes)
		slices.Sort(dst)
	}
}

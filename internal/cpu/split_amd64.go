package cpu

import (
	"unsafe"

	"example.com/sorter/internal/processor"
	"example.com/sorter/internal/vecsort"
)

// splits reports whether codes can be split.
func splits() bool { return processor.AVX512 && vecsort.Enabled() }

// splitVectors moves codes below pivot to the front of codes and those above it to above, both in input
// order, and counts them. len(above) >= len(codes) > 0.
func splitVectors[C Code](codes, above []C, pivot C) (less, more int) {
	_ = above[len(codes)-1]
	// Sound: the loops read len(codes) codes and write within as many of both slices; the conversions are
	// to the types that the sizes of C say it has.
	from, to := unsafe.Pointer(unsafe.SliceData(codes)), unsafe.Pointer(unsafe.SliceData(above))
	if unsafe.Sizeof(pivot) == 4 {
		return split32((*uint32)(from), len(codes), uint32(pivot), (*uint32)(to))
	}
	return split64((*uint64)(from), len(codes), uint64(pivot), (*uint64)(to))
}

// sortShort sorts codes that fit in shortest: the place of each is the number of codes below it.
func sortShort[C Code](codes []C) {
	var from, to shortest
	for i := range from {
		from[i] = ^uint64(0)
	}
	// Sound: shortest is as long as the loops read, and no code is placed after the last.
	own := unsafe.Slice((*C)(unsafe.Pointer(&from)), unsafe.Sizeof(from)/unsafe.Sizeof(codes[0]))
	places := unsafe.Slice((*C)(unsafe.Pointer(&to)), len(own))
	copy(own, codes)
	if unsafe.Sizeof(codes[0]) == 4 {
		place32((*uint32)(unsafe.Pointer(&to)), (*uint32)(unsafe.Pointer(&from)), len(codes))
	} else {
		place64((*uint64)(unsafe.Pointer(&to)), (*uint64)(unsafe.Pointer(&from)), len(codes))
	}
	var last C
	for i, c := range places[:len(codes)] { // places of further equal codes are 0
		last = max(last, c)
		codes[i] = last
	}
}

// split32 and split64 are splitVectors of n > 0 codes.

//go:noescape
func split32(codes *uint32, n int, pivot uint32, above *uint32) (less, more int)

//go:noescape
func split64(codes *uint64, n int, pivot uint64, above *uint64) (less, more int)

// place32 and place64 write each of the first n > 0 codes to the place that is the number of codes below it,
// among 64 or 32 of them.

//go:noescape
func place32(places, codes *uint32, n int)

//go:noescape
func place64(places, codes *uint64, n int)

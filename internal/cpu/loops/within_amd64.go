package loops

import "unsafe"

// Within writes the codes from least to most to dst, in input order, and counts those below least, and those written. It overwrites up to
// [WithinSlack] places after them: len(dst) >= len(codes) + WithinSlack.
func Within[C Code](dst, codes []C, least, most C) (below, within int) {
	if len(codes) == 0 {
		return 0, 0
	}
	_ = dst[len(codes)+WithinSlack-1]
	// Sound: the loops read len(codes) codes and store a vector, of up to WithinSlack codes, after each number of codes that are within; the
	// conversions are to the types that the sizes of C say it has.
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(codes))
	if unsafe.Sizeof(least) == 4 {
		return within32((*uint32)(to), (*uint32)(from), len(codes), uint32(least), uint32(most))
	}
	return within64((*uint64)(to), (*uint64)(from), len(codes), uint64(least), uint64(most))
}

//go:noescape
func within32(dst, codes *uint32, n int, least, most uint32) (below, within int)

//go:noescape
func within64(dst, codes *uint64, n int, least, most uint64) (below, within int)

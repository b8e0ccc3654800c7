package loops

import (
	"unsafe"

	"example.com/sorter/internal/processor"
)

// Sound: all loops read n codes of the size that their names say, and add to counters below
// mask < 1<<MaxDigitBits. A scatter writes to the places that the counts of the same codes gave: codes of
// a bucket are memory of its worker, which nobody else writes to.

// scatterLoop is [Scatter] in assembly. It reports whether there is such a loop.
func scatterLoop[C Code](dst, src []C, next *[1 << MaxDigitBits]uint32, lowest C, shift, digit int) bool {
	if !processor.BMI2 || len(src) == 0 {
		return false
	}
	to, from := unsafe.Pointer(&dst[:len(src)][0]), unsafe.Pointer(&src[0])
	if unsafe.Sizeof(lowest) == 4 {
		scatter32(to, from, len(src), &next[0], uint64(lowest), uint64(shift), 1<<digit-1)
	} else {
		scatter64(to, from, len(src), &next[0], uint64(lowest), uint64(shift), 1<<digit-1)
	}
	return true
}

// digitsLoop is [Digits] in assembly.
func digitsLoop[C Code](codes []C, first, second *[1 << MaxDigitBits]uint32, lowest C, low, digit int) bool {
	if !processor.BMI2 || len(codes) == 0 {
		return false
	}
	from := unsafe.Pointer(&codes[0])
	if unsafe.Sizeof(lowest) == 4 {
		digits32(from, len(codes), &first[0], &second[0], uint64(lowest), uint64(low), uint64(digit), 1<<digit-1)
	} else {
		digits64(from, len(codes), &first[0], &second[0], uint64(lowest), uint64(low), uint64(digit), 1<<digit-1)
	}
	return true
}

// buildLoop is [Build] in assembly.
func buildLoop[C Code](words []uint64, codes []C, first, second *[1 << MaxDigitBits]uint32, lowest C, drop, low, digit int) bool {
	if !processor.BMI2 || len(codes) == 0 {
		return false
	}
	to, from := &words[:len(codes)][0], unsafe.Pointer(&codes[0])
	if unsafe.Sizeof(lowest) == 4 {
		build32(to, from, len(codes), &first[0], &second[0], uint64(lowest), uint64(drop), uint64(low), uint64(digit), 1<<digit-1)
	} else {
		build64(to, from, len(codes), &first[0], &second[0], uint64(lowest), uint64(drop), uint64(low), uint64(digit), 1<<digit-1)
	}
	return true
}

//go:noescape
func scatter32(dst, src unsafe.Pointer, n int, next *uint32, lowest, shift, mask uint64)

//go:noescape
func scatter64(dst, src unsafe.Pointer, n int, next *uint32, lowest, shift, mask uint64)

//go:noescape
func digits32(src unsafe.Pointer, n int, first, second *uint32, lowest, low, digit, mask uint64)

//go:noescape
func digits64(src unsafe.Pointer, n int, first, second *uint32, lowest, low, digit, mask uint64)

//go:noescape
func build32(words *uint64, src unsafe.Pointer, n int, first, second *uint32, lowest, drop, low, digit, mask uint64)

//go:noescape
func build64(words *uint64, src unsafe.Pointer, n int, first, second *uint32, lowest, drop, low, digit, mask uint64)

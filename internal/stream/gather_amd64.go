package stream

import "unsafe"

// gatherLoop gathers n > 0 elements past the caches, an even number of those whose size is an odd
// multiple of 8. dst is aligned to 16 bytes. It reads gatherAhead numbers of index beyond n. It
// stops at a number that is not below elements, the length of src, and returns the number gathered.
type gatherLoop func(dst, src unsafe.Pointer, index *uint32, n, elements int) (done int)

// gatherAhead is how many elements later a prefetched element is gathered (EPYC, 2 workers, 2026-11-25,
// a gather from a bucket: 2.2 instead of 2.5 ns per 24-byte element with 48; bench/results/constants.md).
const gatherAhead = 128

// gatherLoops are loops by size of an element in words.
var gatherLoops = [...]gatherLoop{2: gather16, 3: gather24, 4: gather32, 5: gather40, 6: gather48, 8: gather64}

// gatherLoopOf returns the loop for elements of the given size; nil if there is none.
func gatherLoopOf(size uintptr) gatherLoop {
	if size%8 != 0 || size/8 >= uintptr(len(gatherLoops)) {
		return nil
	}
	return gatherLoops[size/8]
}

//go:noescape
func gather16(dst, src unsafe.Pointer, index *uint32, n, elements int) (done int)

//go:noescape
func gather24(dst, src unsafe.Pointer, index *uint32, n, elements int) (done int)

//go:noescape
func gather32(dst, src unsafe.Pointer, index *uint32, n, elements int) (done int)

//go:noescape
func gather40(dst, src unsafe.Pointer, index *uint32, n, elements int) (done int)

//go:noescape
func gather48(dst, src unsafe.Pointer, index *uint32, n, elements int) (done int)

//go:noescape
func gather64(dst, src unsafe.Pointer, index *uint32, n, elements int) (done int)

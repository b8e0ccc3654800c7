// Package fetch asks for elements to come into the cache before they are read
// through an index.
//
// A core has room for a dozen missing lines of the first-level cache, which
// bounds how many random reads it waits for at a time. What is asked for into the
// second-level cache has more room there, so that reads behind it find it near.
package fetch

import "unsafe"

// Group is how many elements to ask for in one go, and Ahead how many elements
// later to read them. Gathers of elements of 16, 24 and 64 bytes, 24 million of
// them with 16 workers on 16 cores of a Xeon of 2023, are 1.18, 1.21 and 1.03 times
// as fast as without, and with 16 ahead 1.09, 1.16 and 1.07; into the first-level
// cache 1.08, 1.16 and 1.16; past the second 0.95, 0.95 and 1.04. On 2 cores of an
// EPYC of 2022, 3 million elements: 1.8, 2.3 and 2.2 times; into the first-level
// cache no faster than without.
const Group, Ahead = 16, 48

// from is the bytes from which elements do not stay in a second-level cache, and
// most the size of one beyond which its lines follow each other long enough for
// the processor to see it.
const from, most = 4 << 20, 256

// Pays reports whether to ask for elements of src ahead of random reads.
func Pays[E any](src []E) bool {
	size := unsafe.Sizeof(*new(E))
	return fetches && size > 0 && size <= most && uintptr(len(src)) >= from/size
}

// Gather sets dst[i] = src[index[i]], asking for elements ahead if that pays.
// len(index) >= len(dst).
func Gather[E any](dst, src []E, index []uint32) {
	index = index[:len(dst)]
	if Pays(src) {
		for ; len(index) >= Ahead+Group; dst, index = dst[Group:], index[Group:] {
			Elements(src, index[Ahead:][:Group])
			gather(dst[:Group], src, index)
		}
	}
	gather(dst, src, index)
}

func gather[E any](dst, src []E, index []uint32) {
	for i, v := range index[:len(dst)] {
		dst[i] = src[v]
	}
}

// Elements asks for the elements of src numbered by index, which is not empty.
// Numbers beyond src do no harm.
func Elements[E any](src []E, index []uint32) {
	if fetches {
		// Sound: nothing is read or written.
		lines(unsafe.Pointer(unsafe.SliceData(src)), &index[0], len(index), unsafe.Sizeof(*new(E)))
	}
}

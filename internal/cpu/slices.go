package cpu

import (
	"unsafe"

	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

// Elements of several slices have numbers of 32 bits: the number of the slice in the upper
// half, the place in the slice in the lower half.

// InSlice returns the number of an element of a slice. Both arguments are below 1<<16.
func InSlice(slice, place int) uint32 { return uint32(slice)<<16 | uint32(place) }

// SliceOf returns the slice of an element, and its place there.
func SliceOf(number uint32) (slice, place int) { return int(number >> 16), int(uint16(number)) }

// GatherSlices sets p[i] to the element that the lower half of words[i] numbers. slices are the
// addresses of the slices, of elements of p's type. len(words) == p.Len().
func (p Payload) GatherSlices(slices []unsafe.Pointer, words []uint64) {
	p.by.gatherSlices(p.data, slices, words[:p.n])
}

//go:noinline
func (*elements[E]) gatherSlices(dst unsafe.Pointer, slices []unsafe.Pointer, words []uint64) {
	to := at[E](dst, len(words))
	done := gatherSlicesPast(to, slices, words)
	gatherSlices(to[done:], slices, words[done:])
}

// gatherSlices is sound if numbers are those of elements: places are not checked.
func gatherSlices[E any](dst []E, slices []unsafe.Pointer, words []uint64) {
	dst = dst[:len(words)]
	for i, w := range words {
		dst[i] = *elementOf[E](slices, w)
	}
}

func elementOf[E any](slices []unsafe.Pointer, word uint64) *E {
	return (*E)(unsafe.Add(slices[uint32(word)>>16], uintptr(uint16(word))*unsafe.Sizeof(*new(E))))
}

// gatherSlicesPast gathers whole cache lines past the caches and returns the number of elements
// written, which may be 0. Elements before the first whole line are written by plain stores.
func gatherSlicesPast[E any](dst []E, slices []unsafe.Pointer, words []uint64) int {
	const group = 16 // elements gathered before they are stored
	size := unsafe.Sizeof(*new(E))
	log, ok := stream.CombineLog(size)
	if !ok || size%4 != 0 || len(dst) < 4*group || scratch.HasPointers[E]() {
		return 0
	}
	head := 0
	for uintptr(unsafe.Pointer(&dst[head]))%64 != 0 {
		if head++; head == 1<<log {
			return 0 // no element of dst begins at a line
		}
	}
	gatherSlices(dst[:head], slices, words[:head])
	var few [group]E
	done := head
	for ; done+group <= len(dst); done += group {
		for i, w := range words[done : done+group] {
			few[i%group] = *elementOf[E](slices, w)
		}
		// Sound: E holds no pointers, and 16 elements of a multiple of 4 bytes are
		// whole lines, of which the first begins at one of dst.
		stream.Lines(unsafe.Pointer(&dst[done]), unsafe.Pointer(&few), int(group*size/64))
	}
	stream.Fence()
	return done
}

package cpu

import (
	"unsafe"

	"example.com/sorter/internal/processor"
)

// fillLoop puts n > 0 codes into buffers of mask+1 places each. A code takes the next place of the
// bucket that table gives the cell (code - least) >> shift. The loop ends after the code that fills
// the buffer of bucket k, and returns the number of codes left; [allFilled] if no buffer is full;
// [outOfBuffers] at a place that is not below places, the length of buf.
type fillLoop func(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64) (left int, k uint32)

// fillIndicesLoop is a fillLoop that also puts the numbers first, first+1, … into the same places of
// indices.
type fillIndicesLoop func(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64, indices unsafe.Pointer, first uint64) (left int, k uint32)

const allFilled, outOfBuffers = -1, -2

// fillsInLoops reports that codes are put into buffers in assembly.
var fillsInLoops = processor.BMI2

// fillLoopOf returns the loop for codes of the given size; nil if there is none.
func fillLoopOf(code uintptr) fillLoop {
	if !fillsInLoops {
		return nil
	}
	return [...]fillLoop{fill32, fill64}[code/8]
}

// fillIndicesLoopOf returns the loop for codes of the given size; nil if there is none.
func fillIndicesLoopOf(code uintptr) fillIndicesLoop {
	if !fillsInLoops {
		return nil
	}
	return [...]fillIndicesLoop{fillIndices32, fillIndices64}[code/8]
}

//go:noescape
func fill32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64) (left int, k uint32)

//go:noescape
func fill64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64) (left int, k uint32)

//go:noescape
func fillIndices32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64, indices unsafe.Pointer, first uint64) (left int, k uint32)

//go:noescape
func fillIndices64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64, indices unsafe.Pointer, first uint64) (left int, k uint32)

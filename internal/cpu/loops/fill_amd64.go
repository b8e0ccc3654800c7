package loops

import (
	"unsafe"

	"example.com/sorter/internal/processor"
)

// fillsInLoops reports that codes are put into buffers in assembly.
var fillsInLoops = processor.BMI2

// FillOf returns the loop for codes of the given size; nil if there is none.
func FillOf(code uintptr) Fill {
	if !fillsInLoops {
		return nil
	}
	return [...]Fill{fill32, fill64}[code/8]
}

// FillIndicesOf returns the loop for codes of the given size; nil if there is none.
func FillIndicesOf(code uintptr) FillIndices {
	if !fillsInLoops {
		return nil
	}
	return [...]FillIndices{fillIndices32, fillIndices64}[code/8]
}

//go:noescape
func fill32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64) (left int, k uint32)

//go:noescape
func fill64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64) (left int, k uint32)

//go:noescape
func fillIndices32(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64, indices unsafe.Pointer, first uint64) (left int, k uint32)

//go:noescape
func fillIndices64(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64, indices unsafe.Pointer, first uint64) (left int, k uint32)

package loops

import "unsafe"

// Fill puts n > 0 codes into buffers of mask+1 places each. A code takes the next place of the
// bucket that table gives the cell (code - least) >> shift. The loop ends after the code that fills
// the buffer of bucket k, and returns the number of codes left; [AllFilled] if no buffer is full;
// [OutOfBuffers] at a place that is not below places, the length of buf.
type Fill func(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64) (left int, k uint32)

// FillIndices is a Fill that also puts the numbers first, first+1, … into the same places of
// indices.
type FillIndices func(codes unsafe.Pointer, n int, least, shift uint64, table *uint16, next *uint32, buf unsafe.Pointer, places int, mask uint64, indices unsafe.Pointer, first uint64) (left int, k uint32)

// AllFilled and OutOfBuffers are results of a [Fill].
const AllFilled, OutOfBuffers = -1, -2

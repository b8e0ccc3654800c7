package stream

import "unsafe"

// streams says that Lines avoids the read for ownership.
const streams = true

// Lines copies lines > 0 cache lines of 64 bytes past the caches. dst is
// aligned to a line and none of it is in use by another goroutine. The stores
// are of SSE2, which every amd64 has.
//
//go:noescape
func Lines(dst, src unsafe.Pointer, lines int)

// Fence orders the stores of Lines before all that follow, such as
// those that tell other goroutines of them.
func Fence()

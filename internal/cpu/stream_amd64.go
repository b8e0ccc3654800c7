package cpu

import "unsafe"

// streams says that streamLines avoids the read for ownership.
const streams = true

// streamLines copies lines > 0 cache lines of 64 bytes past the caches. dst is
// aligned to a line and none of it is in use by another goroutine. The stores
// are of SSE2, which every amd64 has.
//
//go:noescape
func streamLines(dst, src unsafe.Pointer, lines int)

// streamFence orders the stores of streamLines before all that follow, such as
// those that tell other goroutines of them.
func streamFence()

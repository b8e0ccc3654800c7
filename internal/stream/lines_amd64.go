package stream

import "unsafe"

// streams reports that Lines avoids the read for ownership.
const streams = true

// Lines copies lines > 0 cache lines of 64 bytes past the caches, in words of 16 bytes. dst is aligned to a line,
// and no other goroutine uses it meanwhile.
//
//go:noescape
func Lines(dst, src unsafe.Pointer, lines int)

// Fence orders the stores of Lines before all later stores, such as those that signal other
// goroutines.
func Fence()

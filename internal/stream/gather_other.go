//go:build !amd64

package stream

import "unsafe"

const gatherAhead = 0

func gatherLoopOf(uintptr) func(dst, src unsafe.Pointer, index *uint32, n, elements int) (done int) {
	return nil
}

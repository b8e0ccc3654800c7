//go:build cgo && linux && (amd64 || arm64)

package cu

import (
	"unsafe"

	"example.com/sorter/gpu"
	"gorgonia.org/cu"
)

// StreamOf returns a stream of gorgonia.org/cu as one that [gpu.Engine.OrderDevice] follows. It stays the caller's.
func StreamOf(s cu.Stream) gpu.Stream {
	// Sound: the handle is an address in memory of the driver, and becomes a number.
	return gpu.Stream(unsafe.Pointer(s.C()))
}

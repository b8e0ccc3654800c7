// Package gather moves elements through an order, on a device.
package gather

import (
	"fmt"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// Modules are the kernels that move elements.
var Modules = []*device.Module{{Image: kernels.Gather, Kernels: map[string]int{
	"gather_elements_u32": kernels.GatherShared, "gather_elements_u64": kernels.GatherShared, "gather_elements_u128": kernels.GatherShared,
}}}

// WordOf returns the size in bytes of the largest word that divides size and to which memory
// is aligned; 0 if the device has none.
func WordOf(size int, memory ...cuda.Ptr) int {
	bits := uint64(size)
	for _, p := range memory {
		bits |= uint64(p)
	}
	for bytes := 16; bytes >= 4 && size > 0; bytes /= 2 {
		if bits%uint64(bytes) == 0 {
			return bytes
		}
	}
	return 0
}

// Elements enqueues the gather of elements first to first+n of an order, each of the given
// size, to sorted.
func Elements(w *device.Workspace, stream cuda.Stream, elements, order cuda.Ptr, first, n, size int, sorted cuda.Ptr) error {
	bytes := WordOf(size, elements, sorted)
	grid := max(1, min(16*w.Info.SMs, (n+kernels.GatherTile-1)/kernels.GatherTile))
	return w.RunOn(stream, fmt.Sprint("gather_elements_u", 8*bytes), grid, kernels.GatherThreads, kernels.GatherShared,
		uint64(elements), uint64(order), uint64(first), uint64(n), uint64(size/bytes), uint64(sorted))
}

// Package gpu sorts on NVIDIA GPUs. Importing it for effect registers the first
// device for automatic choice:
//
//	import _ "example.com/sorter/gpu"
//
// Nothing is loaded until the first sort that is worth a device, no toolkit and
// no cgo is needed, and a program runs with or without a GPU. [Open] gives an
// engine of one's own, for sorter.On.
//
// # How it works
//
// Keys become codes on the host, straight into pinned memory, and travel to the
// device while later ones are still being extracted. There an element is one
// 64-bit word, the normalised code above its input position. One or two
// partitions by slices of the value range, chosen from a sample, bring the
// elements into buckets of up to 1024, and a warp sorts each bucket by a
// bitonic network over packed 32-bit words. The order comes back in pieces that
// are handed on as they arrive. kernels/bucket.cuh describes the phases.
//
// Lists that do not fit one pass are sorted in chunks that are merged, see
// [Memory].
//
// Elements are all different, since each holds its position; so the order is
// stable and the same every time, although the partitions keep no order.
package gpu

import (
	"runtime"
	"time"

	"example.com/sorter/internal/engine"
)

func init() { engine.Register(&Engine{}) }

// worthN is from how many elements an argsort is given to the device. Transfers
// at 55 GB/s each way and the sort take about 0.3 ns an element then, and the
// fixed cost is some 100 µs.
const worthN = 1 << 20

// openingN is from how many elements for each processor a sort waits for the
// device to be opened, once in a process: that takes about 0.4 s, in which the
// CPU engine orders them. Smaller sorts go on without.
const openingN = 1 << 25

// noDriver is how soon it shows that a driver is missing.
const noDriver = 20 * time.Millisecond

// Worth reports whether a sort of n codes is likely to be faster here. Elements
// that have to move on the host anyway gain little: the CPU engine moves them
// while it sorts. The first sort that is large enough has the device opened,
// in the background.
func (e *Engine) Worth(n, bits int, payload uintptr) bool {
	if n < worthN || payload > 0 {
		return false
	}
	opened := e.open()
	select {
	case <-opened:
	default:
		if n/runtime.GOMAXPROCS(0) < openingN {
			return false
		}
		select {
		case <-opened:
		case <-time.After(noDriver):
			return true
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.unusable() == nil
}

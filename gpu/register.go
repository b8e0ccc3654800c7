// Package gpu sorts on NVIDIA GPUs. Importing it for effect registers the first
// device for automatic choice:
//
//	import _ "example.com/sorter/gpu"
//
// Nothing is loaded until the first sort that is worth a device. No toolkit and no cgo is
// needed, and a program runs with or without a GPU. [Open] returns an engine for
// [sorter.On].
//
// # How it works
//
// Keys become codes on the host, straight into pinned memory, and are uploaded while later
// ones are still being extracted. On the device an element is one 64-bit word, the
// normalised code above its input position. One or two partitions by slices of the value
// range, chosen from a sample, bring the elements into buckets of up to 1024. A warp sorts
// each bucket by a bitonic network over packed 32-bit words. The order is downloaded in
// pieces that are handed on as they arrive. Small elements may be uploaded with their
// codes; then they are downloaded in place of the order. kernels/bucket.cuh describes the
// phases.
//
// Lists that do not fit one pass are sorted in chunks that are merged, see
// [Memory]. Several devices can share a sort, see [Device].
//
// Elements are all different, since each holds its position. So the order is stable and
// the same every time, although the partitions keep no order. Keys that equal their codes
// are sorted without positions, in elements of 4 or 8 bytes.
package gpu

import (
	"runtime"
	"time"

	"example.com/sorter/internal/engine"
)

func init() { engine.Register(&Engine{}) }

// worthN is from how many elements a sort has the device opened, and, as long as
// nothing is measured, an argsort or keys alone are given to it: transfers at
// 55 GB/s each way and the sort take about 0.3 ns an element then, and the fixed
// cost is some 100 µs.
const worthN = 1 << 20

// openingN is from how many elements for each processor a sort waits for the
// device to be opened, once in a process: that takes about 0.4 s, in which the
// CPU engine orders them. Smaller sorts go on without.
const openingN = 1 << 25

// noDriver is how soon it shows that a driver is missing.
const noDriver = 20 * time.Millisecond

// Worth implements the library's side of [sorter.Backend]: it reports whether a sort is
// likely to be faster here than on the CPU engine, by the model of model.go once that is
// measured. The first sort that is large enough has the device opened, in the background,
// and the next has both engines measured, in the background too.
func (e *Engine) Worth(w engine.Work) bool {
	if w.N < leastN || !e.ready(w) {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.opened != nil && !isClosed(e.opened):
		return true // it is so large that it waits
	case e.unusable() != nil:
		return false
	}
	e.calibrate(w)
	if e.model == nil || w.Payload > 0 && e.payload == nil {
		return w.N >= worthN && w.Payload == 0
	}
	device, onCPU := e.model.estimate(w, e.payload)
	return device < onCPU
}

// leastN is from how many elements a device may ever be faster.
const leastN = 1 << curveStart

// ready reports whether the device is open, or w is to wait for it. Work that is
// large enough has it opened.
func (e *Engine) ready(w engine.Work) bool {
	if w.N < worthN {
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.opened != nil && isClosed(e.opened)
	}
	opened := e.open()
	if isClosed(opened) {
		return true
	}
	if w.Payload > 0 || w.N/runtime.GOMAXPROCS(0) < openingN {
		return false
	}
	select {
	case <-opened:
	case <-time.After(noDriver):
	}
	return true
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

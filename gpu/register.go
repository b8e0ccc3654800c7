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
	"context"
	"runtime"
	"time"

	"example.com/sorter/internal/costmodel"
	"example.com/sorter/internal/engine"
)

func init() { engine.Register(&Engine{}) }

// noDriver is how soon it shows that a driver is missing.
const noDriver = 20 * time.Millisecond

// Worth implements the library's side of [sorter.Backend]: it reports whether a sort is
// likely to be faster here than on the CPU engine, by the measured costs of both. The first
// sort that is large enough has the device opened, in the background, and the next has both
// engines measured, in the background too.
func (e *Engine) Worth(w engine.Work) bool {
	if w.N < costmodel.LeastN || !e.ready(w) {
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
	return e.costs.Worth(w)
}

// ready reports whether the device is open, or w is to wait for it. Work that is
// large enough has it opened.
func (e *Engine) ready(w engine.Work) bool {
	if w.N < costmodel.OpenN {
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.opened != nil && isClosed(e.opened)
	}
	opened := e.open()
	if isClosed(opened) {
		return true
	}
	if !costmodel.Waits(w, runtime.GOMAXPROCS(0)) {
		return false
	}
	select {
	case <-opened:
	case <-time.After(noDriver):
	}
	return true
}

// calibrate has the costs of w measured in the background, unless they are, or
// something is being measured. e.mu is held, and the device works.
func (e *Engine) calibrate(w engine.Work) {
	if e.measuring || !e.costs.Missing(w) {
		return
	}
	e.measuring = true
	e.users.Add(1)
	known := e.costs
	go func() {
		defer e.users.Done()
		var costs costmodel.Costs
		err := e.with(context.Background(), engine.Auto, func(w *workspace) (err error) {
			costs, err = known.Measure(onePass{e, w})
			return err
		})
		e.mu.Lock()
		defer e.mu.Unlock()
		if err == nil {
			e.costs, e.measuring = costs, false
		}
	}()
}

// onePass is a device as the cost model measures it.
type onePass struct {
	engine    *Engine
	workspace *workspace
}

func (d onePass) Order(job *engine.Job) error { return d.workspace.order(d.engine, job) }

func (d onePass) Piece(n int, job *engine.Job, size int) int { return grain(n, job, size) }

// Calibration returns the planner's measurements of the device and of the CPU engine, ""
// before there are any. Package costmodel explains the numbers.
func (e *Engine) Calibration() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.costs.String()
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

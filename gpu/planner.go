package gpu

import (
	"context"
	"runtime"
	"time"

	"example.com/sorter/internal/costmodel"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/transfer"
)

// noDriver is the time in which a missing driver is noticed.
const noDriver = 20 * time.Millisecond

// Worth implements the library's side of [sorter.Backend]: it reports whether a sort is likely
// to be faster here than on the CPU engine, by the measured costs of both. The first large
// sort opens the device in the background; the next one measures both engines, in the
// background too.
func (e *Engine) Worth(w engine.Work) bool {
	if w.N < costmodel.LeastN || !e.ready(w) {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.opened != nil && !isClosed(e.opened):
		return true // w is large enough to wait
	case e.unusable() != nil:
		return false
	}
	e.calibrate(w)
	return e.costs.Worth(w)
}

// ready reports whether the device is open or w is to wait for it. If w is large enough, it
// starts to open the device.
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

// calibrate measures the costs of w in the background, unless they are known or a measurement
// is running. e.mu is held, and the device works.
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
		err := e.with(context.Background(), engine.Auto, func(s *transfer.Session) (err error) {
			costs, err = known.Measure(onePass{s})
			return err
		})
		e.mu.Lock()
		defer e.mu.Unlock()
		if err == nil {
			e.costs, e.measuring = costs, false
		}
	}()
}

// onePass is a device as the cost model sees it.
type onePass struct{ session *transfer.Session }

func (d onePass) Order(job *engine.Job) error { return d.session.OrderInOnePass(job) }

func (d onePass) Piece(n int, job *engine.Job, size int) int { return transfer.Grain(n, job, size) }

// Calibration returns the planner's measurements of the device and of the CPU engine as text,
// "" before there are any. Package costmodel explains the numbers.
func (e *Engine) Calibration() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.costs.String()
}

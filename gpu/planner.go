package gpu

import (
	"context"
	"errors"
	"runtime"
	"time"

	"example.com/sorter/internal/costmodel"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/multi"
	"example.com/sorter/internal/gpu/transfer"
)

// noDriver is the time in which a missing driver is noticed.
const noDriver = 20 * time.Millisecond

// Worth implements the library's side of [sorter.Backend]: it reports whether a sort is likely
// to be faster here than on the CPU engine. [costmodel.Costs.Choose] decides, by costs that are
// expected of the machine until they are measured. The first large sort opens the device in the
// background; later ones measure both engines, in the background too.
func (e *Engine) Worth(w engine.Work) bool {
	if w.N < costmodel.LeastN {
		return false // most sorts: no lock
	}
	choice, opened := e.choose(w)
	if opened == nil || !choice.Device {
		return choice.Device
	}
	select { // w is large enough to wait
	case <-opened:
		choice, _ = e.choose(w) // now the device is known
		return choice.Device
	case <-time.After(noDriver):
		return true
	}
}

// choose decides about w and begins measurements in the background. opened is not nil if
// the device is being opened.
func (e *Engine) choose(w engine.Work) (choice costmodel.Choice, opened <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	at := e.stage()
	choice = e.costs.Choose(w, at, e.since(at))
	if at == costmodel.Open && w.N >= costmodel.OpenN { // shorter sorts disturb no measurement
		e.busy = later(e.busy, time.Now().Add(e.costs.Time(w, choice.Device)))
	}
	if choice.Measure {
		e.calibrate(w)
	}
	if choice.Open {
		e.begin(true)
	}
	if at == costmodel.Closed || at == costmodel.Opening {
		opened = e.opened
	}
	return choice, opened
}

// since returns how long ago opening began, 0 if it has not. e.mu is held.
func (e *Engine) since(at costmodel.Stage) time.Duration {
	if at == costmodel.Closed {
		return 0
	}
	return time.Since(e.began)
}

// stage returns how far the devices are. e.mu is held.
func (e *Engine) stage() costmodel.Stage {
	switch {
	case e.closed:
		return costmodel.Failed
	case e.opened == nil:
		return costmodel.Closed
	case !isClosed(e.opened):
		return costmodel.Opening
	case e.unusable() != nil:
		return costmodel.Failed
	}
	return costmodel.Open
}

// expectations are what an engine expects of its devices until it has sorted.
type expectations struct {
	costmodel.Costs // of the first device
	costmodel.Sharing
}

// expect returns what is expected of devices, from their driver's numbers and copies. With warm it
// also takes the memory of long sorts, so that the first does not wait for it.
func expect(devs []*dispatch.Sorter, warm bool) (e expectations, err error) {
	var sessions []transfer.Session
	for _, d := range devs {
		w, err := d.Workspace(context.Background())
		if err != nil {
			return e, err
		}
		defer w.Done()
		sessions = append(sessions, transfer.Session{Workspace: w, Sorter: d})
	}
	s := &sessions[0]
	up, down, err := s.Link()
	if err == nil && warm {
		err = s.Warm(runtime.GOMAXPROCS(0))
	}
	if err == nil && len(sessions) > 1 {
		e.Rates, err = multi.Measure(sessions)
	}
	switch {
	case err == nil:
		for _, s := range sessions {
			s.Quiet()
		}
	case !errors.Is(err, cuda.OutOfMemory): // a device that is full now need not be so later
		return e, err
	}
	e.First = costmodel.Facts{
		Up: up, Down: down,
		Memory: 2 * float64(s.Info.MemoryClock) / 1e6 * float64(s.Info.MemoryBus) / 8,
		Cycles: float64(s.Info.SMs) * float64(s.Info.Clock) / 1e6,
	}
	e.Costs = costmodel.Expect(e.First)
	return e, nil
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
		costs, err := known.Measure(idle{e}, w)
		e.mu.Lock()
		defer e.mu.Unlock()
		if err == nil {
			e.costs, e.measuring = costs, false
		}
	}()
}

// idle is a device as the cost model sees it, while nobody else sorts on it. A session lasts for one
// sort: the program's next one finds its memory.
type idle struct{ e *Engine }

// quiet is how long the program sorts nothing before it is taken to be idle.
const quiet = 5 * time.Millisecond

func (d idle) Pause() error {
	for {
		d.e.mu.Lock()
		left, closed := time.Until(d.e.busy)+quiet, d.e.closed
		d.e.mu.Unlock()
		switch {
		case closed:
			return errClosed
		case left <= 0:
			return nil
		}
		time.Sleep(min(left, quiet))
	}
}

func (d idle) Order(job *engine.Job) error {
	return d.e.with(context.Background(), engine.Auto, func(s *transfer.Session) error { return s.OrderInOnePass(job) })
}

func (d idle) Piece(n int, job *engine.Job, size int) int { return transfer.Grain(n, job, size) }

// Observe implements the library's side of [sorter.Backend]: later sorts like w are judged by the
// time that it took.
func (e *Engine) Observe(w engine.Work, onEngine bool, took time.Duration) {
	if w.N < costmodel.LeastN {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if at := e.stage(); at != costmodel.Opening && at != costmodel.Open {
		return
	}
	e.seen.Add(w, onEngine, float64(took))
	if w.N >= costmodel.OpenN {
		e.busy = time.Now()
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Calibration returns the planner's costs of the device and of the CPU engine as text. They are those
// expected of the machine until some are measured. It is "" before the device is open.
// Package costmodel explains the numbers.
func (e *Engine) Calibration() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.costs.String()
}

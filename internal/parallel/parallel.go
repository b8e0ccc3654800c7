// Package parallel runs the stages of a sort on several goroutines. It handles cancellation,
// panics and progress for all of them.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Loop is the state that the stages of one sort share. The zero value runs on the calling
// goroutine and cannot be cancelled.
type Loop struct {
	Ctx      context.Context                     // nil: never cancelled; set before the first stage
	Workers  int                                 // goroutines at most, the caller's included
	Progress func(stage string, done, total int) // nil: none; calls are serialized, at most one per 20 ms

	finishing bool // the sort can no longer be cancelled

	mu   sync.Mutex // serializes Progress
	last time.Time  // of the last Progress call, under mu
}

// Err returns the context's error while the sort can be cancelled. A body that handles a long
// range in one call should ask at least every few hundred microseconds.
func (l *Loop) Err() error {
	if !l.Cancellable() {
		return nil
	}
	return l.Ctx.Err()
}

// Cancellable reports whether a context may still end the work.
func (l *Loop) Cancellable() bool { return l.Ctx != nil && !l.finishing }

// Finish ends cancellation: later stages run to their end. No stage may be running.
func (l *Loop) Finish() { l.finishing = true }

// Resume allows cancellation again. No stage may be running.
func (l *Loop) Resume() { l.finishing = false }

// Inherit makes l a loop within outer, with the given number of workers.
func (l *Loop) Inherit(outer *Loop, workers int) {
	l.Ctx, l.finishing, l.Workers = outer.Ctx, outer.finishing, workers
}

// Turn returns how many of n elements a worker takes at a time, from least to most: few enough
// that each worker gets several turns, unless these would be shorter than least.
func (l *Loop) Turn(n, least, most int) int {
	return min(max(n/(4*max(1, l.Workers)), least), most)
}

// Run calls body for [0, n) cut into ranges of grain elements (the last one shorter), each
// once, on at most l.Workers goroutines numbered from 0. With one worker or one range it
// starts no goroutine. It returns when all goroutines have, with the context's error if ranges
// were left out. A panic in body is raised again on the calling goroutine with its value; a
// runtime.Goexit ends the calling goroutine; both after all workers stopped.
func (l *Loop) Run(stage string, n, grain int, body func(worker, lo, hi int)) error {
	pieces := (n-1)/grain + 1
	crew := min(max(l.Workers, 1), pieces)
	if crew <= 1 {
		return l.serial(stage, n, grain, body)
	}
	r := round{loop: l, stage: stage, n: n, grain: grain, body: body}
	r.wait.Add(crew - 1)
	for w := 1; w < crew; w++ {
		go func() {
			defer r.wait.Done()
			r.work(w)
		}()
	}
	func() {
		defer r.wait.Wait() // also when Goexit unwinds this goroutine
		r.work(0)
	}()
	if r.panicked {
		panic(r.value)
	}
	if r.exited {
		runtime.Goexit()
	}
	if int(r.done.Load()) < n {
		return l.Err()
	}
	return nil
}

func (l *Loop) serial(stage string, n, grain int, body func(worker, lo, hi int)) error {
	for lo := 0; lo < n; {
		if err := l.Err(); err != nil {
			return err
		}
		hi := lo + min(grain, n-lo)
		body(0, lo, hi)
		l.report(stage, hi, n)
		lo = hi
	}
	return nil
}

// report calls Progress unless another worker is in it or it was called within the interval.
// The end of a stage is always reported.
func (l *Loop) report(stage string, done, total int) {
	if l.Progress == nil {
		return
	}
	if done == total {
		l.mu.Lock()
	} else if !l.mu.TryLock() {
		return
	}
	defer l.mu.Unlock()
	if now := time.Now(); done == total || now.Sub(l.last) >= 20*time.Millisecond {
		l.last = now
		l.Progress(stage, done, total)
	}
}

// round is one Run on several goroutines.
type round struct {
	loop     *Loop
	stage    string
	n, grain int
	body     func(worker, lo, hi int)

	wait sync.WaitGroup
	next atomic.Int64 // first element not yet claimed
	done atomic.Int64 // elements finished
	stop atomic.Bool  // set by a panic or Goexit: claim no further range

	mu       sync.Mutex
	panicked bool
	value    any
	exited   bool
}

func (r *round) work(worker int) {
	finished := false
	defer func() {
		if finished {
			return
		}
		r.stop.Store(true)
		value := recover()
		r.mu.Lock()
		defer r.mu.Unlock()
		if value == nil { // panic(nil) is a *runtime.PanicNilError since Go 1.21
			r.exited = true
		} else if !r.panicked {
			r.panicked, r.value = true, value
		}
	}()
	for !r.stop.Load() && r.loop.Err() == nil {
		next := r.next.Add(int64(r.grain)) - int64(r.grain) // a 32-bit int may not hold the sum
		if next >= int64(r.n) {
			break
		}
		lo := int(next)
		hi := lo + min(r.grain, r.n-lo)
		r.body(worker, lo, hi)
		r.loop.report(r.stage, int(r.done.Add(int64(hi-lo))), r.n)
	}
	finished = true
}

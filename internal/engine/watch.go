package engine

import (
	"context"
	"sync/atomic"
)

// Watcher runs a stage of a call, for what follows a process while it runs. ctx is the context of the call, nil if it
// has none.
type Watcher func(ctx context.Context, name string, stage func())

var watcher atomic.Pointer[Watcher]

// Watch sets the function that runs stages; nil: none. So the code of traces and of profiles is only in programs that
// follow their sorts.
func Watch(w Watcher) {
	if w == nil {
		watcher.Store(nil)
		return
	}
	watcher.Store(&w)
}

// watched runs a stage by a watcher.
func (e *Env) watched(w *Watcher, name string, n, grain int, body func(worker, lo, hi int)) (err error) {
	(*w)(e.Loop.Ctx, name, func() { err = e.Loop.Run(name, n, grain, body) })
	return err
}

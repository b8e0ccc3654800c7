package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/vecsort"
	"example.com/sorter/internal/ways"
)

// Some calls are cancelled, and key functions of some panic. Then the data is as it was, which each verb checks after
// any error.

// keyFault ends a call at one of its key functions' calls: by a panic, whose value it is, or by a cancelled context.
type keyFault struct {
	at     int64              // call of a key function, from 1
	cancel context.CancelFunc // nil: a panic
	calls  atomic.Int64
}

// step is a call of a key function.
func (f *keyFault) step() {
	if f.calls.Add(1) != f.at {
		return
	}
	if f.cancel == nil {
		panic(f)
	}
	f.cancel()
}

func (f *keyFault) fired() bool { return f != nil && f.calls.Load() >= f.at }

// keyCalled is to be called by key functions.
func keyCalled(calls *atomic.Pointer[keyFault]) {
	if f := calls.Load(); f != nil {
		f.step()
	}
}

// pollFault is a context that is cancelled when a call asks for its error the given time.
type pollFault struct {
	context.Context
	cancel context.CancelFunc
	at     int64
	polls  atomic.Int64
}

func (f *pollFault) Err() error {
	if f.polls.Add(1) >= f.at {
		f.cancel()
	}
	return f.Context.Err()
}

func (f *pollFault) fired() bool { return f != nil && f.polls.Load() >= f.at }

// errKeyPanic stands for the panic of a keyFault.
var errKeyPanic = errors.New("the key function panicked")

// drawFault draws the context of a call, nil if there is none, and how it ends early.
func (x *drawnCall) drawFault(o *optionsDrawn, n, cols int) context.Context {
	at := 1 + x.Int64N([]int64{3, int64(n + 1), int64(n*max(cols, 1) + 1)}[x.IntN(3)])
	switch x.sought.ending(x.IntN(24)) {
	case 0, 1, 2, 3:
		if x.offers(o, "WithContext(neverCancelled)") {
			return neverCancelled
		}
	case 4, 5:
		if x.offers(o, "WithContext(cancelled at key call %d)", at) {
			ctx, cancel := context.WithCancel(context.Background())
			o.fault = &keyFault{at: at, cancel: cancel}
			return ctx
		}
	case 6, 7:
		if x.offers(o, "panic at key call %d", at) {
			o.fault = &keyFault{at: at}
		}
	case 8:
		if polls := 1 + x.Int64N(1<<x.IntN(8)); x.offers(o, "WithContext(cancelled at poll %d)", polls) {
			o.poll = &pollFault{at: polls}
			o.poll.Context, o.poll.cancel = context.WithCancel(context.Background())
			return o.poll
		}
	}
	return nil
}

// faulted reports whether an error is that of the call's fault.
func (x *drawnCall) faulted(err error) bool {
	if errors.Is(err, context.Canceled) {
		return x.fault.fired() && x.fault.cancel != nil || x.poll.fired()
	}
	return errors.Is(err, errKeyPanic)
}

// called calls the library, without ways and instructions that are off. A panic that was drawn becomes an error.
func called[R any](x *drawnCall, f func() (R, error)) (r R, err error) {
	x.times++
	if x.off != 0 {
		defer ways.SwitchOff(x.off)()
	}
	if x.vectors != "" {
		defer vecsort.Restrict(x.vectors)()
	}
	if x.poll == nil && (x.fault == nil || x.fault.fired()) {
		x.tookWays(ways.Watch(func() { r, err = f() }))
		return r, err
	}
	crew := testkit.NewCrew()
	x.keyCalls.Store(x.fault)
	x.tookWays(ways.Watch(func() { r, err = caught(x, f) }))
	x.keyCalls.Store(nil)
	if !testkit.Eventually(func() bool { return crew.Count() <= 1 }) {
		x.fail("%d goroutines are left", crew.Count()-1)
	}
	return r, err
}

// calledFor is called of a call that returns an error only.
func calledFor(x *drawnCall, f func() error) error {
	_, err := called(x, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

// caught returns errKeyPanic for the panic of the call's fault.
func caught[R any](x *drawnCall, f func() (R, error)) (r R, err error) {
	defer func() {
		switch value := recover(); {
		case value == nil && err == nil && x.fault.fired() && x.fault.cancel == nil && !x.survived:
			x.fail("the panic of a key function did not reach the caller")
		case value == nil:
		case x.fault != nil && value == any(x.fault):
			r, err = *new(R), errKeyPanic
		default:
			x.fail("panic: %v\n%s", value, debug.Stack())
			err = fmt.Errorf("panic: %v", value)
		}
	}()
	return f()
}

// tookWays notes the ways of a call, of which none may be off.
func (x *drawnCall) tookWays(taken ways.Set) {
	if wrong := taken & x.off; wrong != 0 {
		x.fail("%v were taken, and are off", wrong)
	}
	for w := range ways.Way(ways.Ways) {
		if taken.Has(w) {
			x.taken = append(x.taken, w.String())
		}
	}
}

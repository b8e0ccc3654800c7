package extsort

import "runtime"

// attempt is how steps on other goroutines ended that a goroutine waits for.
type attempt struct {
	err      error
	panicked bool
	value    any // of the panic; nil for runtime.Goexit
}

// try calls step, and notes its error or its panic.
func (a *attempt) try(step func() error) {
	ended := make(chan struct{})
	go func() { // of its own, where runtime.Goexit ends
		defer close(ended)
		a.note(step)
	}()
	<-ended
}

// note calls step on this goroutine, which runtime.Goexit in it ends.
func (a *attempt) note(step func() error) {
	a.panicked = true
	defer func() { a.value = recover() }()
	a.err = step()
	a.panicked = false
}

func (a *attempt) failed() bool { return a.err != nil || a.panicked }

// outcome returns the error, or raises the panic again on this goroutine.
func (a *attempt) outcome() error {
	switch {
	case a.panicked && a.value == nil:
		runtime.Goexit()
	case a.panicked:
		panic(a.value)
	}
	return a.err
}

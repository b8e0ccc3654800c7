package arrowsort

import "runtime"

// ending is how a function has ended on a goroutine.
type ending struct {
	returned bool
	value    any // of a panic; nil: none, or runtime.Goexit
}

// of calls f.
func (e *ending) of(f func()) {
	defer func() {
		if !e.returned {
			e.value = recover()
		}
	}()
	f()
	e.returned = true
}

// repeat ends the calling goroutine as that of the function, unless it has returned.
func (e *ending) repeat() {
	switch {
	case e.returned:
	case e.value != nil:
		panic(e.value)
	default:
		runtime.Goexit()
	}
}

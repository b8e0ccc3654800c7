package arrowsort

import (
	"runtime"
	"sync"
)

// inParallel calls f(0), …, f(n-1), each on a goroutine, the first on the caller's. It returns
// when all have. A panic in one of them is raised again on the calling goroutine with its value, and a
// runtime.Goexit ends that.
func inParallel(n int, f func(i int)) {
	var all sync.WaitGroup
	ends := make([]ending, n)
	for i := 1; i < n; i++ {
		all.Go(func() { ends[i].of(func() { f(i) }) })
	}
	func() {
		defer all.Wait() // also when f(0) panics: the memory of the call is in use
		f(0)
	}()
	for i := 1; i < n; i++ {
		ends[i].repeat()
	}
}

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

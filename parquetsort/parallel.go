package parquetsort

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
		defer all.Wait()
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

func workers() int { return runtime.GOMAXPROCS(0) }

// batch is rows, or why there are none.
type batch[E any] struct {
	rows     []E
	err      error
	panicked any
}

// batchOf calls next.
func batchOf[E any](next func(memory []E) ([]E, error), memory []E) (b batch[E]) {
	defer func() { b.panicked = recover() }()
	b.rows, b.err = next(memory)
	return b
}

// last reports whether no batch follows.
func (b batch[E]) last() bool { return len(b.rows) == 0 || b.err != nil || b.panicked != nil }

// ahead calls use with the batches of next, up to one that is empty. While use runs, next makes
// the following batch, in the memory of the last but one. No goroutine is left when ahead returns.
// Panics of next reach the caller, and so does its runtime.Goexit.
func ahead[E any](next func(memory []E) ([]E, error), use func([]E) error) error {
	made, free := make(chan batch[E]), make(chan []E, 2)
	free <- nil
	free <- nil
	go func() {
		defer close(made)
		for memory := range free {
			b := batchOf(next, memory)
			if made <- b; b.last() {
				return
			}
		}
	}()
	defer func() {
		close(free)
		for range made { // until the goroutine has ended
		}
	}()
	for b := range made {
		if b.panicked != nil {
			panic(b.panicked)
		}
		if b.last() {
			return b.err
		}
		if err := use(b.rows); err != nil {
			return err
		}
		free <- b.rows
	}
	runtime.Goexit() // as next did: no batch was the last
	return nil
}

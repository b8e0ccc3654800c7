package main

import "sync"

// ahead returns next, called by a goroutine of its own that is some values ahead: one, and those
// that wait. end ends the goroutine, and has to be called.
func ahead[T any](waiting int, next func() (value T, more bool, err error)) (from func() (value T, more bool, err error), end func()) {
	type result struct {
		value T
		more  bool
		err   error
	}
	results, stop := make(chan result, waiting), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			var r result
			r.value, r.more, r.err = next()
			select {
			case <-stop:
				return
			case results <- r:
			}
			if !r.more || r.err != nil {
				return
			}
		}
	})
	from = func() (value T, more bool, err error) {
		r := <-results
		return r.value, r.more, r.err
	}
	end = func() {
		close(stop)
		wg.Wait()
	}
	return from, end
}

// pipeline produces values until more is false, works on several at a time, and consumes the
// results in the order of the values. produce runs on a goroutine of its own, consume on that
// of the caller. It returns the first error, when all goroutines have ended.
func pipeline[T, U any](workers int, produce func() (value T, more bool, err error), work func(T) (U, error), consume func(U) error) error {
	type job struct {
		value  T
		result U
		err    error
		done   chan struct{}
	}
	jobs, ordered := make(chan *job), make(chan *job, workers)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for j := range jobs {
				j.result, j.err = work(j.value)
				close(j.done)
			}
		})
	}
	wg.Go(func() {
		defer close(jobs)
		defer close(ordered)
		for {
			value, more, err := produce()
			if err == nil && !more {
				return
			}
			j := &job{value: value, err: err, done: make(chan struct{})}
			select {
			case <-stop:
				return
			case ordered <- j:
			}
			if err != nil {
				close(j.done)
				return
			}
			jobs <- j
		}
	})
	err := func() error {
		for j := range ordered {
			if <-j.done; j.err != nil {
				return j.err
			}
			if err := consume(j.result); err != nil {
				return err
			}
		}
		return nil
	}()
	close(stop)
	wg.Wait()
	return err
}

// receive returns a value that waits, or zero.
func receive[T any](from chan T) (value T) {
	select {
	case value = <-from:
	default:
	}
	return value
}

// offer sends a value if there is room for it.
func offer[T any](to chan T, value T) {
	select {
	case to <- value:
	default:
	}
}

package parquetsort

import "runtime"

// batch is what next has made, or why there is none.
type batch[B any] struct {
	of       B
	more     bool
	err      error
	panicked any
}

// batchOf calls next.
func batchOf[B any](next func(memory B) (B, bool, error), memory B) (b batch[B]) {
	defer func() { b.panicked = recover() }()
	b.of, b.more, b.err = next(memory)
	return b
}

// last reports whether no batch follows.
func (b batch[B]) last() bool { return !b.more || b.err != nil || b.panicked != nil }

// ahead calls use with the batches of next, until that says that there are no more. While use runs, next makes
// the following batch, in the memory of the last but one, zero for the first two. No goroutine is left when ahead
// returns. Panics of next reach the caller, and so does its runtime.Goexit.
func ahead[B any](next func(memory B) (B, bool, error), use func(B) error) error {
	made, free := make(chan batch[B]), make(chan B, 2)
	free <- *new(B)
	free <- *new(B)
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
		if err := use(b.of); err != nil {
			return err
		}
		free <- b.of
	}
	runtime.Goexit() // as next did: no batch was the last
	return nil
}

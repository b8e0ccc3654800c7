package extsort

import (
	"errors"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.com/sorter"
)

// All ends the input and yields the elements in order. An error is yielded once, as the last
// pair, with a zero element. If it is one of writing the last run, All may be called again
// after [Sorter.Retry]; otherwise a Sorter hands its elements out once.
//
// While the loop runs, goroutines read and sort the next parts. They have ended when the loop
// has, also by break or panic.
func (s *Sorter[E]) All() iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		for batch, err := range s.Batches() {
			if err != nil {
				yield(*new(E), err)
				return
			}
			for _, e := range batch {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// Batches is [Sorter.All] with many elements at a time. Each batch is valid until the next.
func (s *Sorter[E]) Batches() iter.Seq2[[]E, error] {
	return func(yield func([]E, error) bool) {
		if err := s.batches(yield); err != nil {
			yield(nil, err)
		}
	}
}

// batches yields the batches until yield returns false.
func (s *Sorter[E]) batches(yield func([]E, error) bool) error {
	if err := s.end(); err != nil {
		return err
	}
	var m *merge[E]
	if len(s.runs) > 0 {
		var err error
		if m, err = s.mergeRuns(s.layout.part); err != nil {
			return err
		}
	}
	s.handed = true
	defer s.release()
	start := time.Now()
	defer func() {
		s.stats.Merge = time.Since(start)
		s.reportTo()
	}()
	if m == nil {
		if batch := s.fill; len(batch) > 0 {
			s.fill = nil
			yield(batch, nil)
		}
		return nil
	}
	s.stats.Parts = m.parts()
	done, left := int64(0), s.limit
	return public(s.run(m, func(i int, part []E) (bool, error) {
		s.stats.Largest = max(s.stats.Largest, len(part))
		n := len(part)
		if s.unique {
			part = compact(s.order, part)
		}
		if s.limit > 0 {
			part = part[:min(int64(len(part)), left)]
			left -= int64(len(part))
		}
		s.stats.Dropped += int64(n - len(part))
		if len(part) > 0 && !yield(part, nil) || s.limit > 0 && left == 0 {
			return false, nil
		}
		done += int64(n)
		s.tell("merge", done, m.total)
		return true, m.free(i + 1)
	}))
}

// end ends the input: all that waits is sorted, and written if anything was.
func (s *Sorter[E]) end() error {
	if s.handed || s.closed {
		return ErrEnded
	}
	if err := s.err(); err != nil {
		return err
	}
	if err := s.settle(); err != nil {
		return err
	}
	if err := s.waitForRun(); err != nil {
		return err
	}
	if len(s.runs) > 0 && len(s.fill) > 0 {
		if err := s.writeRun(); err != nil {
			return err
		}
		return s.waitForRun()
	}
	return nil
}

// release frees what the elements took, once they are handed out.
func (s *Sorter[E]) release() {
	s.memory, s.fill, s.buf, s.runs = nil, nil, nil, nil
	s.closing = errors.Join(s.closing, s.store.Close())
}

// loaded is a part that a worker has read, or why it has not.
type loaded[E any] struct {
	part, buf []E
	err       error
	panicked  bool
	value     any // of the panic; nil for runtime.Goexit
}

// run reads and sorts the parts of m on several goroutines and calls take for each, in order,
// until it returns false or an error. It raises the panics of key functions again. All
// goroutines have ended when it returns.
func (s *Sorter[E]) run(m *merge[E], take func(i int, part []E) (bool, error)) error {
	slots, parts := s.layout.parts, m.parts()
	buffers := make(chan []E, slots)
	for i := range slots {
		n := s.layout.part
		buffers <- s.memory[i*n : i*n : (i+1)*n]
	}
	// A worker has a buffer before it takes the number of a part. So the parts on their way
	// are successive and at most as many as the buffers: each has a channel of its own.
	ready := make([]chan loaded[E], slots)
	for i := range ready {
		ready[i] = make(chan loaded[E], 1)
	}
	stop := make(chan struct{})
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(slots-2, parts) {
		workers.Go(func() {
			opts, block := s.sortOptions(1), make([]E, m.blockLen())
			for {
				select {
				case buf := <-buffers:
					i := int(next.Add(1)) - 1
					if i >= parts {
						return
					}
					ready[i%slots] <- m.loadSafely(i, buf, block, opts)
				case <-stop:
					return
				}
			}
		})
	}
	defer workers.Wait()
	defer close(stop)
	for i := range parts {
		l := <-ready[i%slots]
		switch {
		case l.panicked && l.value == nil:
			runtime.Goexit()
		case l.panicked:
			panic(l.value)
		case l.err != nil:
			return l.err
		}
		s.stats.Read += int64(len(bytesOf(l.part)))
		if more, err := take(i, l.part); !more || err != nil {
			return err
		}
		buffers <- l.buf
	}
	return nil
}

// loadSafely is load that returns the panics of key functions. On a goroutine of its own,
// that is where Goexit ends.
func (m *merge[E]) loadSafely(i int, buf, block []E, opts []sorter.Option) (l loaded[E]) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.buf, l.panicked = buf, true
		defer func() { l.value = recover() }()
		l.part, l.err = m.load(i, buf, block, opts)
		l.panicked = false
	}()
	<-done
	return l
}

// blockLen returns the number of elements of the largest block.
func (m *merge[E]) blockLen() int {
	n := 0
	for _, r := range m.runs {
		n = max(n, r.block)
	}
	return n
}

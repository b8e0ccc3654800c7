package extsort

import (
	"errors"
	"iter"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.com/sorter/internal/spill"
)

// All ends the input and yields the elements in order. An error is yielded once, as the last
// pair, with a zero element. If it is one of writing the last run, All may be called again
// after [Sorter.Retry]; otherwise a Sorter hands its elements out once.
//
// While the loop runs, goroutines read and sort the next parts. They have ended when the loop
// has, also by break or panic.
func (s *Sorter[E]) All() iter.Seq2[E, error] {
	return elements(s.Batches())
}

// elements yields the elements of batches.
func elements[E any](batches iter.Seq2[[]E, error]) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		for batch, err := range batches {
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
		if m, err = s.mergeForParts(s.layout.part); err != nil {
			return err
		}
	}
	batch := s.handOut()
	s.running = true
	defer func() {
		s.running = false
		s.release()
	}()
	start := time.Now()
	defer func() {
		s.stats.Merge = time.Since(start)
		s.reportTo()
	}()
	if m == nil {
		if len(batch) > 0 {
			yield(batch, nil)
		}
		return nil
	}
	s.stats.Parts = m.parts()
	done, left := int64(0), int64(math.MaxInt64)
	if s.limit > 0 {
		left = s.limit
	}
	return public(s.run(m, func(i int, part []E) (bool, error) {
		s.stats.Largest = max(s.stats.Largest, len(part))
		n := len(part)
		part = s.wanted(part, &left)
		s.stats.Dropped += int64(n - len(part))
		if len(part) > 0 && !yield(part, nil) || left == 0 {
			return false, nil
		}
		if s.closed {
			return false, ErrEnded
		}
		done += int64(n)
		s.tell("merge", done, m.total)
		m.free(i + 1)
		return true, nil
	}))
}

// wanted returns the elements of a sorted part that Unique and the left ones of Limit allow,
// and counts down left.
func (s *Sorter[E]) wanted(part []E, left *int64) []E {
	if s.unique {
		part = compact(s.order, part)
	}
	part = part[:min(int64(len(part)), *left)]
	*left -= int64(len(part))
	return part
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

// handOut returns the elements that are in memory only. From now on no others are accepted:
// the memory is for parts.
func (s *Sorter[E]) handOut() []E {
	batch := s.fill
	s.handed, s.fill = true, nil
	return batch
}

// release frees the memory and the files of the elements, once they are handed out.
func (s *Sorter[E]) release() {
	if s.arena != nil {
		s.arena.Release(s.layout.workers)
	}
	s.arena, s.memory, s.fill, s.buf, s.runs = nil, nil, nil, nil, nil
	s.closing = errors.Join(s.closing, s.store.Close())
}

// work is a part on its way from the readers to the consumer, or why it is not.
type work[E any] struct {
	i      int // its number
	buf    []E
	part   []E // in buf
	slices int // of runs, that it has

	err      error
	panicked bool
	value    any // of the panic; nil for runtime.Goexit
}

// try calls step, and notes its error or its panic.
func (w *work[E]) try(step func() error) {
	ended := make(chan struct{})
	go func() { // of its own, where runtime.Goexit ends
		defer close(ended)
		w.panicked = true
		defer func() { w.value = recover() }()
		w.err = step()
		w.panicked = false
	}()
	<-ended
}

func (w *work[E]) failed() bool { return w.err != nil || w.panicked }

// run reads the parts of m on several goroutines, sorts them on others and calls take for
// each, in order, until it returns false or an error. It raises the panics of key functions
// again. All goroutines have ended when it returns.
func (s *Sorter[E]) run(m *merge[E], take func(i int, part []E) (bool, error)) error {
	l := &s.layout
	buffers, toSort := make(chan []E, l.parts), make(chan *work[E], l.parts)
	for i := range l.parts {
		buffers <- s.memory[i*l.part : i*l.part : (i+1)*l.part]
	}
	// A reader has a buffer before it takes the number of a part. So the parts on their way
	// are successive and at most as many as the buffers: each has a channel of its own.
	ready := make([]chan *work[E], l.parts)
	for i := range ready {
		ready[i] = make(chan *work[E], 1)
	}
	stop := make(chan struct{})
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(l.readers, m.parts()) {
		all.Go(func() {
			reader := m.reader()
			for {
				select {
				case <-stop:
					return
				case buf := <-buffers:
					w := &work[E]{i: int(next.Add(1)) - 1, buf: buf}
					if w.i >= m.parts() {
						return
					}
					w.try(func() (err error) {
						w.part, w.slices, err = m.load(w.i, buf, reader)
						return err
					})
					toSort <- w
				}
			}
		})
	}
	for range min(l.workers, m.parts()) {
		all.Go(func() {
			opts := s.sortOptions(1)
			for {
				select {
				case <-stop:
					return
				case w := <-toSort:
					if !w.failed() && w.slices > 1 {
						w.try(func() error { return s.order.Sort(w.part, opts...) })
					}
					ready[w.i%l.parts] <- w
				}
			}
		})
	}
	defer all.Wait()
	defer close(stop)
	for i := range m.parts() {
		w := <-ready[i%l.parts]
		switch {
		case w.panicked && w.value == nil:
			runtime.Goexit()
		case w.panicked:
			panic(w.value)
		case w.err != nil:
			return w.err
		}
		s.stats.Read += int64(len(bytesOf(w.part)))
		if more, err := take(i, w.part); !more || err != nil {
			return err
		}
		buffers <- w.buf
	}
	return nil
}

// reader returns a reader for blocks of all runs.
func (m *merge[E]) reader() *spill.Reader {
	block := 0
	for _, r := range m.runs {
		block = max(block, r.bytes.Block())
	}
	return spill.NewReader(spill.Aligned(make([]byte, spill.ReaderBytes(block)+spill.Align)))
}

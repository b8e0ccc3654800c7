package extsort

import (
	"cmp"
	"errors"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/spill"
)

// All ends the input and yields the elements in order. An error is yielded once, as the last
// pair, with a zero element. If it is one of writing the last run, All may be called again
// after [Sorter.Retry]; otherwise a Sorter hands its elements out once.
//
// While the loop runs, goroutines read and sort the next parts. They have ended when the loop
// has, also by break or panic.
func (s *Sorter[E]) All() iter.Seq2[E, error] {
	return s.elements(s.Batches())
}

// elements yields the elements of batches. They are the caller's.
func (s *Sorter[E]) elements(batches iter.Seq2[[]E, error]) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		for batch, err := range batches {
			if err != nil {
				yield(*new(E), err)
				return
			}
			s.form.Own(batch)
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
		left := false // by break, also after Close in the loop
		err := s.batches(func(batch []E, err error) bool {
			left = !yield(batch, err)
			return !left
		})
		if err != nil && !left {
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
		if m, err = s.mergeForParts(0); err != nil {
			return err
		}
	}
	all := s.handOut()
	s.running = true
	defer func() {
		s.running = false
		s.free()
		if s.closed {
			s.endKeeping()
		}
	}()
	start := time.Now()
	defer func() {
		s.stats.Merge = time.Since(start)
		s.reportTo()
	}()
	if m == nil {
		done, err := s.yieldAll(all, yield)
		if done {
			s.consume(int64(all.Len()))
		}
		return err
	}
	s.stats.Parts = m.parts()
	done, handed, left, stopped := int64(0), int64(0), int64(math.MaxInt64), false
	if s.limit > 0 {
		left = s.limit
	}
	err := s.run(m, m.closeFiles, func(i int, part rows[E]) (bool, error) {
		n := part.Len()
		s.stats.Largest = max(s.stats.Largest, n)
		s.want(part, &left)
		handed += int64(part.Len())
		more := part.Hand(0, part.Len(), func(batch []E) bool { return yield(batch, nil) && !s.closed })
		if s.closed {
			return false, ErrEnded
		}
		if !more || left == 0 {
			stopped = !more
			return false, nil
		}
		done += int64(n)
		s.tell("merge", done, m.total)
		m.free(i + 1)
		return true, nil
	})
	if err == nil && !stopped {
		s.consume(handed)
	}
	return public(err)
}

// consume notes that all elements were handed out: a number of them, the others were dropped.
func (s *Sorter[E]) consume(handed int64) {
	s.consumed.Store(true)
	s.stats.Dropped = s.stats.Elements - handed
}

// want drops the elements of a sorted part that Unique and the left ones of Limit do not allow,
// and counts down left.
func (s *Sorter[E]) want(part rows[E], left *int64) {
	if s.unique {
		part.Compact(nil)
	}
	if int64(part.Len()) > *left {
		part.Truncate(int(*left))
	}
	*left -= int64(part.Len())
}

// end ends the input: all that waits is sorted, and written if anything was.
func (s *Sorter[E]) end() error {
	if s.handed || s.closed {
		return ErrEnded
	}
	if err := s.err(); err != nil {
		return err
	}
	if s.shared != nil {
		if err := s.endSharing(); err != nil {
			return err
		}
	}
	if err := s.settleFill(); err != nil {
		return err
	}
	if err := s.waitForRun(); err != nil {
		return err
	}
	if len(s.runs) > 0 && s.fill.Len() > 0 {
		if err := s.writeFill(); err != nil {
			return err
		}
		if err := s.waitForRun(); err != nil {
			return err
		}
	}
	if s.keeping != nil { // some may be of appenders of an earlier process
		s.byAppender()
	}
	return nil
}

// byAppender puts the runs in the order of their appenders.
func (s *Sorter[E]) byAppender() {
	slices.SortStableFunc(s.runs, func(x, y *run[E]) int { return cmp.Compare(x.appender, y.appender) })
}

// handOut returns the elements that are in memory only. From now on no others are accepted:
// the memory is for parts.
func (s *Sorter[E]) handOut() rows[E] {
	s.handed, s.slice, s.pack = true, nil, nil
	return s.fill
}

// free frees the memory and the files of the elements, once they are handed out.
func (s *Sorter[E]) free() {
	if s.out != nil {
		s.out.from.Release()
	}
	for _, b := range s.parts {
		b.Release()
	}
	if s.fill != nil {
		s.fill.Release()
	}
	s.form.Release()
	if s.endLimit != nil {
		s.endLimit()
	}
	s.stopSharing()
	s.out, s.slice, s.pack, s.parts, s.buf, s.runs = nil, nil, nil, nil, nil, nil
	s.closeStore()
}

func (s *Sorter[E]) closeStore() { s.closing = errors.Join(s.closing, s.store.Close()) }

// work is a part on its way from the readers to the consumer, or why it is not.
type work[E any] struct {
	i      int // its number
	part   rows[E]
	slices int // of runs, that it has

	attempt
}

// run reads the parts of m on several goroutines, sorts them on others and calls take for
// each, in order, until it returns false or an error. One of them calls loaded once all parts are
// read. It raises the panics of key functions again. All goroutines have ended when it returns.
func (s *Sorter[E]) run(m *merge[E], loaded func(), take func(i int, part rows[E]) (bool, error)) error {
	p := m.p
	buffers, toSort := make(chan rows[E], p.buffers), make(chan *work[E], p.buffers)
	all, loaders := s.form.Buffers(p), m.loaders(min(p.readers, m.parts()))
	defer func() {
		for _, b := range all {
			b.Release()
		}
		for _, from := range loaders {
			from.close()
		}
	}()
	for _, b := range all {
		buffers <- b
	}
	// A reader has a buffer before it takes the number of a part. So the parts on their way
	// are successive and at most as many as the buffers: each has a channel of its own.
	ready := make([]chan *work[E], p.buffers)
	for i := range ready {
		ready[i] = make(chan *work[E], 1)
	}
	stop := make(chan struct{})
	var next, read atomic.Int64
	var crew sync.WaitGroup
	for _, from := range loaders {
		crew.Go(func() {
			for {
				select {
				case <-stop:
					return
				case part := <-buffers:
					w := &work[E]{i: int(next.Add(1)) - 1, part: part}
					if w.i >= m.parts() {
						return
					}
					w.try(func() (err error) {
						w.slices, err = m.loadPart(w.i, part, from)
						return err
					})
					all := !w.failed() && int(read.Add(1)) == m.parts()
					if toSort <- w; all {
						loaded()
					}
				}
			}
		})
	}
	for range min(p.workers, m.parts()) {
		crew.Go(func() {
			opts := s.sortOptions(1)
			for {
				select {
				case <-stop:
					return
				case w := <-toSort:
					if !w.failed() {
						w.try(func() error { return w.part.Sort(w.slices <= 1, opts) })
					}
					ready[w.i%p.buffers] <- w
				}
			}
		})
	}
	defer crew.Wait()
	defer close(stop)
	for i := range m.parts() {
		w := <-ready[i%p.buffers]
		if err := w.outcome(); err != nil {
			return err
		}
		if more, err := take(i, w.part); !more || err != nil {
			return err
		}
		w.part.Reset()
		buffers <- w.part
	}
	return nil
}

// loaders returns n loaders of successive parts. Their memory is contiguous, for huge pages.
func (m *merge[E]) loaders(n int) []*loader {
	all, ends := make([]*loader, n), newEnds(m.runs, n, m.p.ends)
	memory := scratch.Pages(n * m.p.reader)
	for i := range all {
		own := memory[i*m.p.reader:][:m.p.reader]
		all[i] = &loader{reader: spill.NewReader(own, m.s.layout.packing), memory: own, ends: ends}
		if len(ends.blocks) > 0 {
			all[i].end = make([]byte, 0, longest(m.runs))
		}
		if m.p.ahead > 0 {
			all[i].ahead = scratch.Pages(2 * m.p.ahead)
			all[i].reader.ReadAhead(all[i].ahead)
		}
	}
	return all
}

// close ends the reads of a loader and gives its memory back.
func (from *loader) close() {
	from.reader.Close()
	scratch.Drop(from.memory)
	scratch.Drop(from.ahead)
}

// yieldAll yields rows that are in order, and reports whether it has yielded all.
func (s *Sorter[E]) yieldAll(all rows[E], yield func([]E, error) bool) (done bool, err error) {
	closed := false
	done = all.Hand(0, all.Len(), func(batch []E) bool {
		more := yield(batch, nil)
		closed = more && s.closed
		return more && !closed
	})
	if closed {
		return false, ErrEnded
	}
	return done, nil
}

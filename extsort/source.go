package extsort

import (
	"fmt"
	"iter"

	"example.com/sorter/internal/scratch"
)

// source is one source of a merge of streams. A goroutine copies its batches to blocks. Full ones, and
// all with [Eager], are published to those who cut windows.
type source[E any] struct {
	index int

	// Of the goroutine that reads.
	attempt
	fill *block[E]
	n    int   // elements in fill
	tail E     // the last element that was published
	read int64 // elements before fill

	// Shared, under the mutex of the streams.
	queue  []*block[E] // published, and not passed by windows
	spare  []*block[E]
	blocks int  // that exist
	have   int  // elements that are published, and in no window
	hungry bool // the next window waits for it
	waits  bool // for a block
	noted  bool // it is among those that changed
	over   bool // it has ended or failed
	ended  bool
	room   chan struct{}

	// Of those who cut windows.
	seen  []seen[E]
	at    int  // in the first block of the queue
	final bool // nothing follows what is seen
	dirty bool // keys are about to grow
	keys  keys[E]
	place [2]int // in the heaps
}

// block is memory for successive elements of a source.
type block[E any] struct {
	all    []E   // its whole length
	base   int64 // number of the first element
	n      int   // published
	queued bool
	closed bool // no more follow
	passed bool // by windows, which may still refer to it
	refs   int  // regions of windows
}

// seen is a block as it was published.
type seen[E any] struct {
	*block[E]
	n int
}

// leastBlock is the number of elements of the first block of a source at least: many sources are short.
const leastBlock = 8

// read copies the batches of a source to blocks.
func (m *streams[E]) read(s *source[E], in iter.Seq2[[]E, error]) error {
	for batch, err := range in {
		if err != nil {
			if publish := m.publish(s, true); publish != nil {
				return publish
			}
			return &SourceError{s.index, err}
		}
		if m.halted() {
			return nil
		}
		for len(batch) > 0 {
			if s.fill == nil {
				if s.fill = m.take(s, len(batch)); s.fill == nil {
					return nil
				}
			}
			n := copy(s.fill.all[s.n:], batch)
			s.n, batch = s.n+n, batch[n:]
			if full := s.n == len(s.fill.all); full || m.eager && len(batch) == 0 {
				if err := m.publish(s, full); err != nil {
					return err
				}
			}
		}
	}
	return m.publish(s, true)
}

// take returns an empty block for a source that has some elements, once there is one; nil: the merge ends.
func (m *streams[E]) take(s *source[E], n int) *block[E] {
	for {
		if m.halted() {
			return nil
		}
		m.mu.Lock()
		if last := len(s.spare) - 1; last >= 0 {
			b := s.spare[last]
			s.spare = s.spare[:last]
			m.mu.Unlock()
			*b = block[E]{all: b.all, base: s.read}
			return b
		}
		if s.blocks < m.layout.blocks {
			s.blocks++
			m.mu.Unlock()
			size := m.layout.block
			if s.read == 0 {
				size = min(size, max(n, leastBlock))
			}
			return &block[E]{all: scratch.Take[E](&m.arena, size), base: s.read}
		}
		s.waits = true
		m.mu.Unlock()
		select {
		case <-s.room:
		case <-m.stop:
		}
	}
}

// halted reports whether the loop over the merge has ended.
func (m *streams[E]) halted() bool {
	select {
	case <-m.stop:
		return true
	default:
		return false
	}
}

// publish hands the elements of the block that is filled to those who cut windows. It checks that the first
// of them does not come before the one before it. The others are checked when they are merged.
func (m *streams[E]) publish(s *source[E], closed bool) error {
	b := s.fill
	if b == nil {
		return nil
	}
	n, next := s.n, s.read+int64(b.n)
	if b.n < n {
		if next > 0 && m.order.Compare(s.tail, b.all[b.n]) > 0 {
			return &OrderError{s.index, next}
		}
		s.tail = b.all[n-1]
	}
	if closed {
		s.fill, s.read, s.n = nil, s.read+int64(n), 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !b.queued {
		s.queue, b.queued = append(s.queue, b), true
	}
	s.have += n - b.n
	b.n, b.closed = n, closed
	m.note(s, s.have >= m.goal())
	return nil
}

// goal is the number of elements that a window waits for, of each source that has not ended.
func (m *streams[E]) goal() int {
	if m.eager {
		return 1
	}
	return m.layout.block
}

// note notes that a source has changed, and whether it has enough for the next window.
func (m *streams[E]) note(s *source[E], enough bool) {
	if !s.noted {
		s.noted, m.changed = true, append(m.changed, s)
	}
	if s.hungry && enough {
		s.hungry = false
		if m.pending.Add(-1) == 0 {
			select {
			case m.ready <- struct{}{}:
			default:
			}
		}
	}
}

// finish notes the end of a source. A block that is published in part is closed.
func (m *streams[E]) finish(s *source[E]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b := s.fill; b != nil && b.queued {
		b.closed = true
	}
	if s.over = true; s.failed() {
		m.failures = append(m.failures, s)
	} else {
		s.ended = true
	}
	m.note(s, true)
}

// release gives the blocks of a window back, whose elements were copied.
func (m *streams[E]) release(w *window[E]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range w.regions {
		r.block.refs--
		m.reuse(r.source, r.block)
	}
	clear(w.regions)
	w.regions = w.regions[:0]
}

// reuse gives a block back to its source if nothing refers to it.
func (m *streams[E]) reuse(s *source[E], b *block[E]) {
	if b.refs > 0 || !b.passed {
		return
	}
	if len(b.all) < m.layout.block { // the first one
		scratch.Give(&m.arena, b.all, 1)
		s.blocks--
	} else {
		s.spare = append(s.spare, b)
	}
	if s.waits {
		s.waits = false
		select {
		case s.room <- struct{}{}:
		default:
		}
	}
}

// SourceError is the error of a source of [Merge].
type SourceError struct {
	Source int // its number, from 0
	Err    error
}

// Error names the source.
func (e *SourceError) Error() string { return fmt.Sprintf("extsort: source %d: %v", e.Source, e.Err) }

// Unwrap returns the error of the source.
func (e *SourceError) Unwrap() error { return e.Err }

// OrderError reports an element that comes before the one before it, where that cannot be.
type OrderError struct {
	Source  int   // of Merge, from 0; 0 for a Sorter and Incremental
	Element int64 // its number in the source, from 0
}

// Error names the source and the element.
func (e *OrderError) Error() string {
	return fmt.Sprintf("extsort: source %d is out of order at element %d", e.Source, e.Element)
}

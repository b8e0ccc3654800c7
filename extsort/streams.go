package extsort

import (
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
)

// Merge merges sources, each in order, into one stream in order. It is stable: elements that tie come
// by source, then by their places in it.
//
// A source yields batches of any length, or an error as its last pair, such as [Sorter.Batches], [Part.Batches]
// or another Merge; [Elements] makes one of single elements. A batch is copied before the source goes
// on, which may then use its memory again. What elements point to has to stay. Of the result, each batch is
// valid until the next.
//
// Each source runs on a goroutine of its own and is read ahead, up to [MemoryLimit]: slow ones wait at the same
// time. Elements up to the least that a source may still undercut are merged together, by their codes and
// in the caches of [Workers] goroutines, so the time per element hardly depends on the number of
// sources. Key functions are called once per element, for others again to find where a merge
// ends, and by several goroutines at a time. [MemoryLimit] counts elements, codes and the state of sources, and
// not what elements point to. Nothing is on disk.
//
// [Unique], [UniqueLast] and [Combine] say what becomes of elements that tie, [Eager] that the first element
// comes early. [Limit], [WithContext], [Report] and [OnProgress] hold as well; other options have no effect.
//
// An error is yielded once, as the last pair: a [SourceError] after all elements that come before the
// source's next, an [OrderError] if a source is not in order, which is always found, the context's, or
// [ErrMemoryLimit]. Panics of sources, key functions and the function of Combine reach the caller. When
// the loop ends, also by break, all sources have ended: one that waits is waited for, unless it heeds a context. Merge panics
// if a source is nil.
func Merge[E any](o sorter.Ordering[E], sources []iter.Seq2[[]E, error], opts ...Option) iter.Seq2[[]E, error] {
	for i, in := range sources {
		if in == nil {
			panic(fmt.Sprintf("extsort: source %d is nil", i))
		}
	}
	options := optionsOf(opts)
	combine := combinerOf[E](&options)
	sources = slices.Clone(sources)
	return func(yield func([]E, error) bool) {
		m := &streams[E]{options: options, order: o, cols: columnsOf(o), combine: combine}
		m.run(sources, yield)
	}
}

// Elements makes a source of [Merge] of single elements. Its batches have one element, in the same memory.
func Elements[E any](in iter.Seq2[E, error]) iter.Seq2[[]E, error] {
	if in == nil {
		panic("extsort: Elements(nil)")
	}
	return func(yield func([]E, error) bool) {
		one := make([]E, 1)
		for e, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			if one[0] = e; !yield(one, nil) {
				return
			}
		}
	}
}

// streams are the sources of one loop over a merge, which is cut into windows. A window has the
// elements up to a bound, of all sources: the least of the last elements of those that have more to
// come. Windows are merged by workers, several at a time, and handed out in order.
type streams[E any] struct {
	options
	order   sorter.Ordering[E]
	cols    []extract.Column
	combine func(a, b E) E // nil: elements that tie are kept, or one of them is
	layout  streamLayout
	arena   scratch.Arena // of blocks and results
	sources []*source[E]
	stats   Stats

	stop    chan struct{} // closed: nobody goes on
	halt    func()        // closes it, once
	merging sync.WaitGroup
	reading sync.WaitGroup

	mu       sync.Mutex   // of blocks, and what sources share
	pending  atomic.Int64 // sources that the next window waits for; changed under mu
	ready    chan struct{}
	changed  []*source[E] // since the last window
	failures []*source[E]

	turn  sync.Mutex // held while a window is cut
	made  int        // windows
	over  bool       // no other window follows
	first heap[E]    // by the first elements that are in no window
	last  heap[E]    // by the last ones that a window may have
	dirty []*source[E]

	free chan *window[E]
	done []chan *window[E] // in order, by turns
}

// run hands the stream out.
func (m *streams[E]) run(sources []iter.Seq2[[]E, error], yield func([]E, error) bool) {
	if err := m.begin(sources); err != nil {
		yield(nil, err)
		return
	}
	m.handOut(yield)
	m.raise()
}

// raise raises the first panic that nobody has met, of a source or of a window after the last that was handed out.
func (m *streams[E]) raise() {
	for _, s := range m.sources {
		if s.value != nil {
			panic(s.value)
		}
	}
	for _, done := range m.done {
		select {
		case w := <-done:
			if w.value != nil {
				panic(w.value)
			}
		default:
		}
	}
}

// begin starts the sources and the workers.
func (m *streams[E]) begin(sources []iter.Seq2[[]E, error]) (err error) {
	if err = m.err(); err != nil {
		return err
	}
	if m.layout, err = m.layOut(len(sources)); err != nil {
		return err
	}
	l := &m.layout
	m.stats.Memory = l.bytes
	m.stop, m.ready = make(chan struct{}), make(chan struct{}, 1)
	m.halt = sync.OnceFunc(func() { close(m.stop) })
	m.free, m.done = make(chan *window[E], l.windows()), make([]chan *window[E], l.windows())
	for i := range m.done {
		m.free <- new(window[E])
		m.done[i] = make(chan *window[E], 1)
	}
	all := make([]source[E], len(sources))
	m.sources = make([]*source[E], len(sources))
	for i := range all {
		s := &all[i]
		s.index, s.room, s.hungry, s.dirty = i, make(chan struct{}, 1), true, true
		m.sources[i] = s
	}
	m.pending.Store(int64(len(sources)))
	m.dirty = slices.Clone(m.sources)
	m.first = heap[E]{order: m.order, all: slices.Clone(m.sources), by: byFirst}
	m.last = heap[E]{order: m.order, all: slices.Clone(m.sources), by: byLast}
	for i, s := range m.sources {
		s.place = [2]int{i, i}
	}
	for i, s := range m.sources {
		m.reading.Go(func() {
			defer m.finish(s)
			s.note(func() error { return m.read(s, sources[i]) })
		})
	}
	for range l.workers {
		m.merging.Go(m.work)
	}
	return nil
}

// end ends all goroutines.
func (m *streams[E]) end() {
	m.halt()
	m.merging.Wait()
	m.reading.Wait()
	m.arena.Release(m.layout.workers)
}

// work cuts windows, one worker at a time, and merges them.
func (m *streams[E]) work() {
	for {
		var w *window[E]
		select {
		case <-m.stop:
			return
		case w = <-m.free:
		}
		m.turn.Lock()
		if m.over {
			m.turn.Unlock()
			return
		}
		number := m.made
		m.made++
		w.reset()
		w.try(func() error { return m.cut(w) })
		if s := w.failure; s != nil {
			w.attempt = s.attempt
		}
		m.over = w.failed() || w.end
		m.turn.Unlock()
		if !w.failed() && !w.end {
			w.try(func() error { return m.merge(w) })
		}
		m.done[number%len(m.done)] <- w
	}
}

// handOut hands the windows out, in order. All goroutines have ended when it returns.
func (m *streams[E]) handOut(yield func([]E, error) bool) {
	start := time.Now()
	defer func() {
		m.end()
		m.stats.Merge = time.Since(start)
		if m.report != nil {
			*m.report = m.stats
		}
	}()
	var cancelled <-chan struct{}
	if m.ctx != nil {
		cancelled = m.ctx.Done()
	}
	left := m.limit
	give := func(batch []E) bool {
		if m.limit > 0 {
			batch = batch[:min(int64(len(batch)), left)]
			left -= int64(len(batch))
		}
		m.stats.Dropped -= int64(len(batch))
		return (len(batch) == 0 || yield(batch, nil)) && (m.limit == 0 || left > 0)
	}
	held := held[E]{m: m}
	for i := 0; ; i++ {
		var w *window[E]
		select {
		case w = <-m.done[i%len(m.done)]:
		case <-cancelled:
		}
		if err := m.err(); err != nil {
			yield(nil, err)
			return
		}
		if err := w.outcome(); err != nil {
			yield(nil, err)
			return
		}
		if w.end {
			give(held.rest())
			return
		}
		m.stats.Elements += int64(w.n)
		m.stats.Dropped += int64(w.n)
		m.stats.Parts++
		m.stats.Largest = max(m.stats.Largest, w.n)
		if !give(held.settle(w)) {
			return
		}
		if m.progress != nil {
			m.progress(Progress{"merge", m.stats.Elements, 0})
		}
		m.free <- w
	}
}

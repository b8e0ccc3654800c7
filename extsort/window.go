package extsort

import (
	"cmp"
	"errors"
	"slices"
	"sort"

	"example.com/sorter"
	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/ranges"
	"example.com/sorter/internal/scratch"
)

// window is a part of the result of a merge of streams.
type window[E any] struct {
	attempt
	failure *source[E] // which ends the merge
	end     bool       // the window is empty, and the last
	n       int        // elements of the sources
	touched []*source[E]
	regions []region[E] // by source, then place
	runs    []cpu.Payload
	memory  []E // of the result, and one element before it
	out     []E // the result
	raw     int // the first elements of out that tie, and are not combined yet
}

// region is a part of a block.
type region[E any] struct {
	source *source[E]
	block  *block[E]
	lo, hi int
}

func (w *window[E]) reset() {
	w.attempt, w.failure, w.end, w.n, w.touched, w.regions, w.raw = attempt{}, nil, false, 0, w.touched[:0], w.regions[:0], 0
}

// horizon is the number of blocks of a source that a window may have elements of.
const horizon = 2

// errHalted is the error of a window that nobody waits for.
var errHalted = errors.New("extsort: the merge has ended")

// cut makes the next window. It waits until each source has elements, has ended or has failed.
func (m *streams[E]) cut(w *window[E]) error {
	for m.pending.Load() > 0 {
		select {
		case <-m.ready:
		case <-m.stop:
			return errHalted
		}
	}
	if w.failure = m.update(); w.failure != nil {
		return w.failure.err
	}
	m.first.fix(m.dirty)
	m.last.fix(m.dirty)
	m.collect(w)
	for _, s := range m.dirty {
		s.dirty = false
	}
	m.dirty = m.dirty[:0]
	w.end = w.n == 0
	m.pass(w)
	return nil
}

// update takes over what sources have published. It returns the first source that has failed and has no elements left.
func (m *streams[E]) update() (failed *source[E]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.changed {
		s.noted, s.final = false, s.ended
		m.touch(s)
	}
	m.changed = m.changed[:0]
	for _, s := range m.failures {
		if s.have == 0 && (failed == nil || s.index < failed.index) {
			failed = s
		}
	}
	for _, s := range m.dirty {
		m.see(s)
	}
	return failed
}

// touch notes that the keys of a source grow.
func (m *streams[E]) touch(s *source[E]) {
	if !s.dirty {
		s.dirty, m.dirty = true, append(m.dirty, s)
	}
}

// see passes blocks of which nothing is left, takes over those that are published, and sets the keys.
func (m *streams[E]) see(s *source[E]) {
	for len(s.queue) > 0 && s.queue[0].closed && s.at == s.queue[0].n {
		b := s.queue[0]
		s.queue, s.at, b.passed = slices.Delete(s.queue, 0, 1), 0, true
		m.reuse(s, b)
	}
	s.seen = s.seen[:0]
	for _, b := range s.queue {
		s.seen = append(s.seen, seen[E]{b, b.n})
	}
	s.keys = keys[E]{}
	if len(s.seen) == 0 {
		return
	}
	if b := s.seen[0]; s.at < b.n {
		s.keys[byFirst] = &b.all[s.at]
	}
	if b := s.seen[min(horizon, len(s.seen))-1]; !s.final || len(s.seen) > horizon {
		s.keys[byLast] = &b.all[b.n-1]
	}
}

// collect sets the regions of a window: the elements up to the least of the last elements of sources, and
// of those that tie with it the ones of sources up to that.
func (m *streams[E]) collect(w *window[E]) {
	if len(m.sources) == 0 {
		return
	}
	to := m.last.all[0]
	bound := to.keys[byLast]
	within := func(e *E, s *source[E]) bool {
		if bound == nil {
			return true
		}
		c := m.order.Compare(*e, *bound)
		return c < 0 || c == 0 && s.index <= to.index
	}
	m.first.upTo(
		func(s *source[E]) bool { return within(s.keys[byFirst], s) },
		func(s *source[E]) { w.touched = append(w.touched, s) },
	)
	slices.SortFunc(w.touched, func(x, y *source[E]) int { return cmp.Compare(x.index, y.index) })
	for _, s := range w.touched {
		lo := s.at
		for _, b := range s.seen[:min(horizon, len(s.seen))] {
			hi := b.n
			if lo < hi && !within(&b.all[hi-1], s) {
				hi = lo + sort.Search(hi-1-lo, func(i int) bool { return !within(&b.all[lo+i], s) })
			}
			if lo < hi {
				w.regions = append(w.regions, region[E]{s, b.block, lo, hi})
				w.n += hi - lo
			}
			if hi < b.n {
				break
			}
			lo = 0
		}
	}
}

// pass takes the elements of a window from their sources. Of those that have too few left, the next window
// waits for more.
func (m *streams[E]) pass(w *window[E]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range w.regions {
		s := r.source
		s.have -= r.hi - r.lo
		r.block.refs++
		for s.queue[0] != r.block { // nothing is left of it
			b := s.queue[0]
			s.queue, b.passed = slices.Delete(s.queue, 0, 1), true
			m.reuse(s, b)
		}
		s.at = r.hi
	}
	for _, s := range w.touched {
		m.touch(s)
		if !s.hungry && !s.over && s.have < m.goal() {
			s.hungry = true
			m.pending.Add(1)
		}
	}
}

const (
	// fewRegions is the number of regions up to which they are merged as runs, however short they are.
	fewRegions = 64

	// shortRegion is the number of elements of a region, on average, below which a window of more regions is
	// sorted (2 cores of a Xeon, 2026-11: 1000 runs of 65 elements of 24 bytes take 40 ns per element to sort and 62 to
	// merge, 100 of 160 take 22 and 27, 100 of 650 take 30 and 16).
	shortRegion = 200
)

// merge writes the elements of a window in order.
func (m *streams[E]) merge(w *window[E]) error {
	if cap(w.memory) <= w.n {
		if w.memory != nil {
			scratch.Give(&m.arena, w.memory[:1], 1)
		}
		w.memory = scratch.Take[E](&m.arena, 1+w.n+min(w.n/4, m.layout.window-w.n))
	}
	w.out = w.memory[1 : 1+w.n]
	if err := m.arrange(w); err != nil {
		return err
	}
	m.release(w)
	m.compact(w)
	return nil
}

// arrange writes the elements of the regions, which it checks, to the result.
func (m *streams[E]) arrange(w *window[E]) error {
	if n := len(w.regions); n > ranges.MostRuns || n > fewRegions && w.n < shortRegion*n {
		return m.sort(w)
	}
	w.runs = w.runs[:0]
	for _, r := range w.regions {
		w.runs = append(w.runs, cpu.PayloadOf(r.elements()))
	}
	err := pipeline.MergeChecked(m.cols, cpu.PayloadOf(w.out), w.runs, ranges.TwoOf[E]{}, &call.Options{Workers: 1, Ctx: m.ctx})
	if unsorted := (*pipeline.Unsorted)(nil); errors.As(err, &unsorted) {
		return w.regions[unsorted.Run].outOfOrder(unsorted.At)
	}
	return err
}

// sort sorts a copy of the elements of many short regions.
func (m *streams[E]) sort(w *window[E]) error {
	at := 0
	for i := range w.regions {
		all := w.regions[i].elements()
		for j := 1; j < len(all); j++ {
			if m.order.Compare(all[j-1], all[j]) > 0 {
				return w.regions[i].outOfOrder(j)
			}
		}
		at += copy(w.out[at:], all)
	}
	opts := []sorter.Option{sorter.Stable(), sorter.Workers(1)}
	if m.ctx != nil {
		opts = append(opts, sorter.WithContext(m.ctx))
	}
	return m.order.Sort(w.out, opts...)
}

func (r *region[E]) elements() []E { return r.block.all[r.lo:r.hi] }

// outOfOrder is the error that an element of a region is out of order.
func (r *region[E]) outOfOrder(at int) error {
	return &OrderError{r.source.index, r.block.base + int64(r.lo+at)}
}

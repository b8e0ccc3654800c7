package extsort

import (
	"fmt"
	"iter"

	"example.com/sorter/internal/spill"
)

// Part is a range of the result. Different parts may be read by different goroutines.
type Part[E any] struct {
	s        *Sorter[E]
	m        *merge[E] // nil: all of it is in rest
	from, to int       // parts of m
	start    int64
	n        int64
	buf      []E // for a part of m
	rest     []E
	handed   bool
}

// Parts ends the input and returns n disjoint ranges of the result, in order, for n
// goroutines: one after the other they are what [Sorter.All] yields. They are of about equal
// length, some of them empty where elements are few. With both Limit and Unique the first has
// all of them. It panics if n is not positive.
//
// Parts share the memory of the sort. Their space on disk is free after Close, which ends
// them; no loop over a part may be running then.
func (s *Sorter[E]) Parts(n int) ([]*Part[E], error) {
	if n <= 0 {
		panic(fmt.Sprintf("extsort: %d parts", n))
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	parts := make([]*Part[E], n)
	if len(s.runs) == 0 {
		all := s.handOut()
		for i := range parts {
			lo, hi := len(all)/n*i+min(i, len(all)%n), len(all)/n*(i+1)+min(i+1, len(all)%n)
			parts[i] = &Part[E]{s: s, start: int64(lo), n: int64(hi - lo), rest: all[lo:hi:hi]}
		}
		return parts, nil
	}
	if n > len(s.memory) {
		return nil, fmt.Errorf("%w: %d parts in memory for %d elements", ErrMemoryLimit, n, len(s.memory))
	}
	length := partFor(&s.layout, s.order, n)
	m, err := s.mergeForParts(length)
	if err != nil {
		return nil, err
	}
	starts, err := m.starts(n, s.limit > 0 && s.unique)
	if err != nil {
		return nil, public(err)
	}
	s.handOut()
	for i := range parts {
		lo, hi := starts[i], starts[i+1]
		p := &Part[E]{s: s, m: m, from: lo.part, to: hi.part, start: lo.place, n: hi.place - lo.place}
		if s.limit > 0 && !s.unique {
			p.start = min(p.start, s.limit)
			p.n = min(p.n, s.limit-p.start)
		}
		p.buf = s.memory[i*length : i*length : (i+1)*length]
		parts[i] = p
	}
	return parts, nil
}

// boundary is where a range of the result begins.
type boundary struct {
	part  int   // of the merge
	place int64 // in the result
}

// starts returns where n ranges of parts begin, and where the last ends. If together is set,
// the first has all.
func (m *merge[E]) starts(n int, together bool) ([]boundary, error) {
	reader := m.reader()
	all := make([]boundary, n+1)
	for i := range all {
		b := boundary{part: m.parts() * i / n}
		if together && i > 0 {
			b.part = m.parts()
		}
		for k, r := range m.runs {
			place, err := m.place(m.cuts[b.part], k, r, reader)
			if err != nil {
				return nil, err
			}
			b.place += place
		}
		all[i] = b
	}
	return all, nil
}

// place returns the place of a cut in run k.
func (m *merge[E]) place(c *cut[E], k int, r *run[E], from *spill.Reader) (int64, error) {
	block, place := m.locate(c, k, r)
	if place >= 0 {
		return place, nil
	}
	err := from.Read(r.bytes, block, block+1, func(_ int, p []byte) {
		place = m.settleIn(c, k, elementsOf[E](p), int64(block)*int64(r.block))
	})
	return place, err
}

// Start returns the place of the first element of p in the result. With Unique, elements that
// are dropped before it count.
func (p *Part[E]) Start() int64 { return p.start }

// Len returns the number of elements of p. With Unique, those that will be dropped count.
func (p *Part[E]) Len() int64 { return p.n }

// All yields the elements of p in order, once; see [Sorter.All]. It reads and sorts on the
// calling goroutine.
func (p *Part[E]) All() iter.Seq2[E, error] { return elements(p.Batches()) }

// Batches is [Part.All] with many elements at a time. Each batch is valid until the next.
func (p *Part[E]) Batches() iter.Seq2[[]E, error] {
	return func(yield func([]E, error) bool) {
		if err := p.batches(yield); err != nil {
			yield(nil, public(err))
		}
	}
}

func (p *Part[E]) batches(yield func([]E, error) bool) error {
	if p.handed || p.s.closed {
		return ErrEnded
	}
	p.handed = true
	if p.m == nil {
		if len(p.rest) > 0 {
			yield(p.rest, nil)
		}
		return nil
	}
	s, reader, opts, left := p.s, p.m.reader(), p.s.sortOptions(1), p.n
	if s.limit > 0 && s.unique {
		left = s.limit
	}
	for i := p.from; i < p.to && left > 0; i++ {
		part, slices, err := p.m.load(i, p.buf, reader)
		if err == nil && slices > 1 {
			err = s.order.Sort(part, opts...)
		}
		if err != nil {
			return err
		}
		part = s.wanted(part, &left)
		if len(part) > 0 && !yield(part, nil) {
			return nil
		}
	}
	return nil
}

package extsort

import (
	"fmt"
	"iter"
)

// Part is a range of the result. Different parts may be read by different goroutines. Copies of a
// Part are the same range, which is read once.
type Part[E any] struct{ in *partOf[E] }

// partOf is what copies of a Part share.
type partOf[E any] struct {
	s        *Sorter[E]
	m        *merge[E] // nil: it is in all
	from, to int       // parts of m
	start    int64
	n        int64
	part     rows[E] // for a part of m
	all      rows[E] // without m: the elements in memory
	handed   bool
}

// Parts ends the input and returns n disjoint ranges of the result, in order, for n
// goroutines. One after the other they are the elements that [Sorter.All] yields. They are of about equal
// length. The last of them are empty where elements are few, or where the memory has no room for n
// parts at a time. With both Limit and Unique the first has all of them. It panics if n is not positive.
//
// Parts share the memory of the sort. Their space on disk is free after Close, which ends
// them; no loop over a part may be running then.
func (s *Sorter[E]) Parts(n int) ([]Part[E], error) {
	if n <= 0 {
		panic(fmt.Sprintf("extsort: %d parts", n))
	}
	if err := s.end(); err != nil {
		return nil, err
	}
	parts := make([]Part[E], n)
	s.partsLeft.Store(int64(n))
	if len(s.runs) == 0 {
		all := s.handOut()
		n := all.Len()
		for i := range parts {
			lo, hi := n/len(parts)*i+min(i, n%len(parts)), n/len(parts)*(i+1)+min(i+1, n%len(parts))
			parts[i].in = &partOf[E]{s: s, start: int64(lo), n: int64(hi - lo), all: all}
		}
		return parts, nil
	}
	m, err := s.mergeForParts(n)
	if err != nil {
		return nil, err
	}
	ranges := m.p.buffers
	if s.limit > 0 && s.unique {
		ranges = 1
	}
	starts, err := m.starts(n, ranges)
	if err != nil {
		return nil, public(err)
	}
	s.stats.Parts = m.parts()
	s.handOut()
	s.parts = s.form.Buffers(m.p)
	for i := range parts {
		lo, hi := starts[i], starts[i+1]
		p := &partOf[E]{s: s, m: m, from: lo.part, to: hi.part, start: lo.place, n: hi.place - lo.place}
		if s.limit > 0 && !s.unique {
			p.start = min(p.start, s.limit)
			p.n = min(p.n, s.limit-p.start)
		}
		if i < len(s.parts) {
			p.part = s.parts[i]
		}
		parts[i].in = p
	}
	return parts, nil
}

// boundary is where a range of the result begins.
type boundary struct {
	part  int   // of the merge
	place int64 // in the result
}

// starts returns where n ranges of parts begin, and where the last ends. Those after the first few
// are empty.
func (m *merge[E]) starts(n, few int) ([]boundary, error) {
	from := m.loaders(1)[0]
	defer from.close()
	all := make([]boundary, n+1)
	for i := range all {
		b := boundary{part: m.parts() * min(i, few) / few}
		for k, r := range m.runs {
			place, err := m.place(m.cuts[b.part], k, r, from)
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
func (m *merge[E]) place(c *cut[E], k int, r *run[E], from *loader) (int64, error) {
	block, place := m.locate(c, k, r)
	if place >= 0 {
		return place, nil
	}
	err := from.reader.Read(r.bytes, block, block+1, func(_, _ int, p []byte) (err error) {
		place, err = m.settleIn(c, k, r, block, block, p, from)
		return err
	})
	return place, err
}

// Start returns the place of the first element of p in the result. With Unique, elements that
// are dropped before it count.
func (p Part[E]) Start() int64 { return p.in.start }

// Len returns the number of elements of p. With Unique, those that will be dropped count.
func (p Part[E]) Len() int64 { return p.in.n }

// All yields the elements of p in order, once; see [Sorter.All]. It reads and sorts on the
// calling goroutine.
func (p Part[E]) All() iter.Seq2[E, error] { return p.in.s.elements(p.Batches()) }

// Batches is [Part.All] with many elements at a time. Each batch is valid until the next.
func (p Part[E]) Batches() iter.Seq2[[]E, error] {
	return func(yield func([]E, error) bool) {
		if err := p.in.batches(yield); err != nil {
			yield(nil, public(err))
		}
	}
}

func (p *partOf[E]) batches(yield func([]E, error) bool) error {
	if p.handed || p.s.closed {
		return ErrEnded
	}
	p.handed = true
	s := p.s
	if p.m == nil {
		if p.all.Hand(int(p.start), int(p.start+p.n), func(batch []E) bool { return yield(batch, nil) }) {
			p.end(p.n)
		}
		return nil
	}
	from, opts, left, handed := p.m.loaders(1)[0], s.sortOptions(1), p.n, int64(0)
	defer from.close()
	if s.limit > 0 && s.unique {
		left = s.limit
	}
	for i := p.from; i < p.to && left > 0; i++ {
		p.part.Reset()
		slices, err := p.m.loadPart(i, p.part, from)
		if err == nil {
			err = p.part.Sort(slices <= 1, opts)
		}
		if err != nil {
			return err
		}
		p.note(p.part.Len())
		s.want(p.part, &left)
		handed += int64(p.part.Len())
		if !p.part.Hand(0, p.part.Len(), func(batch []E) bool { return yield(batch, nil) }) {
			return nil
		}
	}
	p.end(handed)
	return nil
}

// note counts a range of keys of n elements.
func (p *partOf[E]) note(n int) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.s.stats.Largest = max(p.s.stats.Largest, n)
}

// end notes that all elements of a part were handed out, a number of them.
func (p *partOf[E]) end(handed int64) {
	all := p.s.partsHanded.Add(handed)
	if p.s.partsLeft.Add(-1) == 0 {
		p.s.consume(all)
	}
}

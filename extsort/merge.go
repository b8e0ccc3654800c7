package extsort

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"example.com/sorter/internal/spill"
)

// merge is a merge of adjacent runs. Splitters, taken from the indices of the runs, cut their
// elements into parts: disjoint ranges of the order. The slices of a part are read from all
// runs, one after the other, and sorted again, stably: that is the merge of the slices. Each
// part fits a buffer, whatever the keys, since a splitter is an element at a place of a run:
// elements that tie with it are on both sides, by run and place.
type merge[E any] struct {
	s     *Sorter[E]
	runs  []*run[E]
	p     plan
	total int64
	cuts  []*cut[E] // between parts; one before the first and one after the last

	together bool // elements that tie are in one part

	mu     sync.Mutex
	closed bool // all parts are read, and the files are closed
}

// cut is a place in each run: elements that come before the splitter are before it, and those
// that tie with it if they are in an earlier run, or earlier in its own.
type cut[E any] struct {
	splitter *E // nil: all places are known
	run      int
	places   []atomic.Int64 // 1 + the place in each run; as long as it is unknown, -1 - the block in which it lies
}

// newMerge cuts runs into the parts of a plan. The error is ErrMemoryLimit if what is
// uncertain of the runs is too much for that. The first elements of all blocks are the samples. If
// together is set, elements that tie are in one part: those of a run do not.
func (s *Sorter[E]) newMerge(runs []*run[E], p plan, together bool) (*merge[E], error) {
	apart := uncertain(runs, p.each, together)
	if !fits(runs, p, together) {
		return nil, fmt.Errorf("%w: in %d runs %d bytes lie between samples, the longest block has %d, and a part %d",
			tooLittle(s.options.memory, 0), len(runs), apart, longest(runs), p.part)
	}
	s.beyond = max(s.beyond, p.beyond)
	m := &merge[E]{s: s, runs: runs, p: p, together: together}
	front, end := m.newCut(nil, 0), m.newCut(nil, 0)
	for k, r := range runs {
		m.total += r.n
		front.settle(k, 0)
		end.settle(k, r.n)
	}
	m.cuts = append(m.cuts, front)
	// Between two samples of a run is less than a block.
	target := p.part - apart
	held := int64(0)
	all, err := s.samplesOf(runs, together)
	defer all.end()
	for i := 0; err == nil && len(all.heads) > 0; i++ {
		if i%4096 == 0 && s.err() != nil {
			return nil, s.err()
		}
		run := all.heads[0]
		bytes := runs[run].counted(all.fronts[run].block, p.each)
		if held+bytes > target && held > 0 {
			if err := m.cutAt(all); err != nil {
				return nil, err
			}
			held = 0
		}
		held += bytes
		err = all.take()
	}
	if err != nil {
		return nil, err
	}
	m.cuts = append(m.cuts, end)
	return m, nil
}

func (m *merge[E]) newCut(splitter *E, run int) *cut[E] {
	return &cut[E]{splitter: splitter, run: run, places: make([]atomic.Int64, len(m.runs))}
}

// cutAt adds a cut at the next sample. Places that are not those of a block are found when a part is
// read, unless the splitter is on disk.
func (m *merge[E]) cutAt(t *samples[E]) error {
	run := t.heads[0]
	c := m.newCut(t.fronts[run].first, run)
	for k, r := range m.runs {
		before := t.before(k)
		switch {
		case before == 0, k == run && !m.together, r.start(before)-r.start(before-1) == 1:
			c.settle(k, r.start(before))
		case t.held(run):
			c.places[k].Store(-int64(before))
		default:
			if err := m.search(c, k, r, before-1, t.from); err != nil {
				return err
			}
		}
	}
	if !t.held(run) {
		c.splitter = nil // its memory is used again
	}
	m.cuts = append(m.cuts, c)
	return nil
}

// search finds the place of a cut in a block of run k.
func (m *merge[E]) search(c *cut[E], k int, r *run[E], block int, from *loader) error {
	return from.reader.Read(r.bytes, block, block+1, func(_, _ int, p []byte) error {
		_, err := m.settleIn(c, k, r, block, block, p, from)
		return err
	})
}

// settle sets the place in run k, unless it is known, and returns it. So both parts that a cut
// bounds agree on it, whatever the key functions return.
func (c *cut[E]) settle(k int, place int64) int64 {
	if known := c.places[k].Load(); known <= 0 {
		c.places[k].CompareAndSwap(known, place+1)
	}
	return c.places[k].Load() - 1
}

// parts returns the number of parts.
func (m *merge[E]) parts() int { return len(m.cuts) - 1 }

// eachOf returns the bytes of an element of runs on average, rounded up. Parts are cut by their
// bytes, of which an element counts as having that many at least: so a part has neither more
// bytes nor more elements than its buffer. Elements with a block of their own are left out: a
// few long ones would make many short ones count for much.
func eachOf[E any](runs []*run[E]) int64 {
	bytes, n := int64(0), int64(0)
	for _, r := range runs {
		bytes, n = bytes+r.severalBytes, n+r.several
	}
	if n == 0 {
		for _, r := range runs {
			bytes, n = bytes+r.bytes.Size(), n+r.n
		}
	}
	return max((bytes+n-1)/max(n, 1), runs[0].least, 1)
}

// longest returns the bytes of the largest block of runs.
func longest[E any](runs []*run[E]) int {
	block := 0
	for _, r := range runs {
		block = max(block, r.bytes.Block())
	}
	return block
}

// uncertain bounds the bytes by which a part may be longer than its samples say: those between
// two samples of each run. A single run is cut at its samples, and a block of one element has
// nothing between. If elements that tie are together, a part has a block of each run that was counted
// for the part before: one whose first element ties with the splitter.
func uncertain[E any](runs []*run[E], each int64, together bool) int64 {
	if len(runs) == 1 {
		return 0
	}
	all := int64(0)
	for _, r := range runs {
		switch {
		case together:
			all += r.largest(each)
		case r.spread > 0:
			all += max(int64(r.spread), int64(r.inBlock)*each)
		}
	}
	return all
}

// largest bounds the bytes that a block counts as.
func (r *run[E]) largest(each int64) int64 {
	return max(int64(r.bytes.Block()), int64(r.inBlock)*each)
}

// fits reports whether runs can be cut into the parts of a plan: half of one is not uncertain, and
// there is room for each block.
func fits[E any](runs []*run[E], p plan, together bool) bool {
	apart := uncertain(runs, p.each, together)
	return apart <= p.part/2 && apart+largest(runs, p.each) <= p.part
}

// largest bounds the bytes that a block of runs counts as.
func largest[E any](runs []*run[E], each int64) int64 {
	block := int64(0)
	for _, r := range runs {
		block = max(block, r.largest(each))
	}
	return block
}

// counted returns the bytes that the elements of a block count as.
func (r *run[E]) counted(block int, each int64) int64 {
	return max(r.bytes.Offset(block+1)-r.bytes.Offset(block), (r.start(block+1)-r.start(block))*each)
}

// errKeys reports key functions that returned something else the second time.
var errKeys = errors.New("extsort: key functions have changed their results")

// loadPart reads part i into part, which is empty: slices of all runs, in their order. It returns
// the number of slices that have elements.
func (m *merge[E]) loadPart(i int, part rows[E], from *loader) (slices int, err error) {
	for k, r := range m.runs {
		if err := m.s.err(); err != nil {
			return 0, err
		}
		if m.p.ahead > 0 {
			m.readAhead(i*len(m.runs)+k, from)
		}
		n := part.Len()
		if err = m.slice(part, k, r, m.cuts[i], m.cuts[i+1], from); err != nil {
			return 0, err
		}
		if part.Len() > n {
			slices++
		}
	}
	return slices, nil
}

// readAhead lets two fetches be under way or unread when a slice is needed: of a number, of all parts.
func (m *merge[E]) readAhead(number int, from *loader) {
	for number >= from.half && from.fetched < m.parts()*len(m.runs) {
		from.half = from.fetched
		from.fetched = m.fetch(from.fetched, from)
	}
}

// fetch begins to read slices of one part, from a number on, for which there is memory. It returns the
// number of the first slice after them.
func (m *merge[E]) fetch(number int, from *loader) int {
	i, k := number/len(m.runs), number%len(m.runs)
	next, left := k, int64(m.p.ahead)
	for from.wanted = from.wanted[:0]; next < len(m.runs) && len(from.wanted) < spill.MostRanges; next++ {
		g, ok := m.wanted(i, next, from)
		if !ok {
			continue
		}
		n := g.Space()
		if n > left {
			if g = g.First(left); len(from.wanted) == 0 && g.From < g.To {
				from.wanted = append(from.wanted, g) // the rest is read when it is needed
			}
			break
		}
		left -= n
		from.wanted = append(from.wanted, g)
	}
	from.reader.Fetch(from.wanted)
	return number + max(next-k, 1)
}

// wanted returns the blocks of run k that slice will read for part i, or false if it reads none.
func (m *merge[E]) wanted(i, k int, from *loader) (spill.Range, bool) {
	r := m.runs[k]
	first, last, begin, end := m.blocks(k, r, m.cuts[i], m.cuts[i+1])
	if begin < 0 && from.ends.keeps(k) || from.ends.has(k, first) {
		first++ // its block was, or will be, read for the part before
	}
	return spill.Range{Run: r.bytes, From: first, To: last + 1}, first <= last && (begin < 0 || begin != end)
}

// slice appends the elements of a run between two cuts to part. It reads the blocks in which
// the cuts lie as well, and finds the places there.
func (m *merge[E]) slice(part rows[E], k int, r *run[E], lo, hi *cut[E], from *loader) error {
	first, last, begin, end := m.blocks(k, r, lo, hi)
	if begin >= 0 && begin == end {
		return nil
	}
	if last < first-1 || last < first && begin < 0 {
		return errKeys
	}
	if last < first { // the cut is the one before, or wrong
		if hi.settle(k, begin) != begin {
			return errKeys
		}
		return nil
	}
	n := part.Len()
	take := func(block, to int, p []byte) (err error) {
		at, stop := r.start(block), r.start(to)
		if begin < 0 {
			if begin, err = m.settleIn(lo, k, r, block, block, p, from); err != nil {
				return err
			}
		}
		if end < 0 && last < to {
			if end, err = m.settleIn(hi, k, r, last, block, p, from); err != nil {
				return err
			}
		}
		if end >= 0 {
			stop = min(stop, end)
		}
		start := max(begin, at)
		if begin > stop && end >= 0 {
			return errKeys
		}
		if start < stop {
			err = part.Load(r, block, to, p, start, stop)
		}
		if last < to && end < r.start(last+1) {
			at := r.bytes.Offset(block)
			from.ends.put(k, last, p[r.bytes.Offset(last)-at:r.bytes.Offset(last+1)-at])
		}
		return err
	}
	unread := first
	if p := from.endOf(k, first); p != nil {
		if err := take(first, first+1, p); err != nil {
			return err
		}
		unread++
	}
	if err := from.reader.Read(r.bytes, unread, last+1, take); err != nil {
		return err
	}
	if int64(part.Len()-n) != end-begin { // the next part begins at end
		return errKeys
	}
	return nil
}

// blocks returns the first and the last block of run k that has elements between two cuts, as far as
// these are known, and the places of the cuts, or -1.
func (m *merge[E]) blocks(k int, r *run[E], lo, hi *cut[E]) (first, last int, begin, end int64) {
	first, begin = m.locate(lo, k, r)
	last, end = m.locate(hi, k, r)
	if begin >= 0 {
		first = r.blockAt(begin)
	}
	return first, last, begin, end
}

// locate returns where a cut is in run k: its place if it is known, or -1; and the block in
// which its last element before the cut lies.
func (m *merge[E]) locate(c *cut[E], k int, r *run[E]) (block int, place int64) {
	if place = c.places[k].Load() - 1; place < 0 {
		return int(-place - 2), -1
	}
	return r.blockAt(max(place-1, 0)), place
}

// settleIn finds the place of a cut in a block of run k, among blocks from a number on that have
// bytes p.
func (m *merge[E]) settleIn(c *cut[E], k int, r *run[E], block, from int, p []byte, d *loader) (int64, error) {
	at := r.bytes.Offset(from)
	p = p[r.bytes.Offset(block)-at : r.bytes.Offset(block+1)-at]
	n, err := m.s.form.Find(d, p, c.splitter, m.tiesBefore(c, k))
	if err != nil {
		return 0, err
	}
	return c.settle(k, r.start(block)+int64(n)), nil
}

// tiesBefore reports whether elements of run k that tie with the splitter are before the cut.
// If they stay together none is: each run has one.
func (m *merge[E]) tiesBefore(c *cut[E], k int) bool { return k < c.run && !m.together }

// free gives the space of the blocks before cut i back, unless the runs are kept. The block before
// the cut stays: later cuts, which are not before this one, may be searched in it.
func (m *merge[E]) free(i int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.s.keeping != nil || m.closed {
		return
	}
	for k, r := range m.runs {
		block, _ := m.locate(m.cuts[i], k, r)
		r.bytes.Free(block)
	}
}

// closeFiles closes the files of the runs, which are read, unless the runs are kept. That takes a file
// system as long as the writes of many parts, which go on meanwhile.
func (m *merge[E]) closeFiles() {
	m.mu.Lock()
	m.closed = m.s.keeping == nil
	m.mu.Unlock()
	if m.closed {
		m.s.closeStore()
	}
}

package extsort

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/scratch"
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
	if !fits(runs, p, together) || !s.sampled(runs) {
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

// mergeForParts returns the merge of all runs, in parts for the buffers of a plan: of one in
// which up to n goroutines read and sort parts, as many as there is memory for, or for n = 0 different
// ones. Where the blocks of the runs are too many for that, it merges adjacent runs into longer ones
// before.
func (s *Sorter[E]) mergeForParts(n int) (*merge[E], error) {
	s.limitScratch() // also of runs that an earlier process wrote
	for before := 0; ; {
		scratch.Trim() // of other sorts and merges: those of the parts take blocks of other sizes
		n = s.rangesFor(n)
		p, ok := s.planFor(s.runs, n, s.unique, 0)
		if block := largest(s.runs, p.each); len(s.runs) == 1 && (block > p.part || !s.sampled(s.runs)) {
			return nil, fmt.Errorf("%w: parts of %d bytes for blocks of %d", tooLittle(s.options.memory, 0), p.part, block)
		}
		if ok && s.sampled(s.runs) {
			if n == 0 {
				p = s.aheadFor(p, s.runs)
			} else {
				p.ends = max(-p.less, 0) / int64(n)
			}
			m, err := s.newMerge(s.runs, p, s.unique)
			return m, public(err)
		}
		need := uncertain(s.runs, p.each, s.unique) - p.part/2
		if need <= 0 { // that is not the reason
			need = math.MaxInt64 / 2
		}
		if before < 2 {
			before = len(s.runs)
		}
		var err error
		if before, err = s.shorten(before, need, p.each); err != nil {
			return nil, err
		}
	}
}

// rangesFor returns how many goroutines may read and sort parts, at most n: a part of each has room for
// a block.
func (s *Sorter[E]) rangesFor(n int) int {
	return n - sort.Search(max(n-1, 0), func(fewer int) bool {
		p := s.form.Plan(s.runs, n-fewer, s.unique, 0)
		return p.part >= largest(s.runs, p.each)
	})
}

// shorten merges groups of adjacent runs that end before a number into one run each, until some bytes of
// elements more are certain or none are left. It returns the number of the first new run. Later runs
// come first: they have longer blocks.
func (s *Sorter[E]) shorten(before int, bytes, each int64) (int, error) {
	for bytes > 0 && before >= 2 {
		from := s.groupBefore(before, bytes, each)
		apart := uncertain(s.runs[from:before], each, s.unique)
		if err := s.mergeGroup(from, before); err != nil {
			return 0, err
		}
		bytes -= apart - s.runs[from].largest(each)
		before = from
	}
	return before, nil
}

// groupBefore returns the number of the first of the runs to merge that end before a number: as many as
// buffers allow, two at least, or fewer if that makes some bytes certain.
func (s *Sorter[E]) groupBefore(before int, bytes, each int64) int {
	from := before - 2
	for ; from > 0 && s.mergeable(s.runs[from-1:before]); from-- {
		group := s.runs[from:before]
		if uncertain(group, each, s.unique)-2*largest(group, each) >= bytes {
			break
		}
	}
	return from
}

// mergeGroup merges the runs [from, to) into one. They stay until it is on disk.
func (s *Sorter[E]) mergeGroup(from, to int) error {
	group := slices.Clone(s.runs[from:to])
	r, err := s.mergeInto(group)
	if err != nil {
		return public(err)
	}
	r.appender = group[len(group)-1].appender
	s.runs = slices.Replace(s.runs, from, to, r)
	s.stats.Merges++
	if s.keeping != nil {
		s.keeping.dirty = true
		if err := s.save(); err != nil {
			return err
		}
	}
	for _, old := range group {
		old.bytes.Free(old.bytes.Blocks())
	}
	return nil
}

// mergeable reports whether the buffers allow to merge runs.
func (s *Sorter[E]) mergeable(runs []*run[E]) bool {
	_, ok := s.planFor(runs, 0, false, s.indexOf(runs))
	return ok && s.sampled(runs)
}

// planFor returns a plan of a merge of runs, and whether it fits the memory that the indices of all runs, some
// bytes more, and the cuts of the merge leave. Parts leave them an eighth of the limit at most: shorter parts
// are merges of fewer runs, and those that are left take indices, too.
func (s *Sorter[E]) planFor(runs []*run[E], n int, together bool, more int64) (plan, bool) {
	indices := s.indexBytes() + more - s.layout.index
	planOf := func(taken int64) plan { return s.planOf(runs, n, together, max(min(taken, s.options.memory/8), 0)) }
	missing := func(p plan) int64 { return indices + cutsBytes(runs, p, together) - p.less - s.form.Unused(p) }
	p := planOf(indices)
	if fits(runs, p, together) {
		if more := missing(p); more > 0 {
			p = planOf(p.less + more + more/16) // of shorter parts there are more
		}
	}
	if !fits(runs, p, together) && len(runs) <= 2 { // no merge makes them fewer
		p = planOf(0)
	}
	if !fits(runs, p, together) {
		return p, false
	}
	if n == 0 && s.coded != nil {
		p = s.withEnds(p, runs, together)
	}
	p.beyond = max(missing(p), 0)
	p.less = indices + cutsBytes(runs, p, together) - p.beyond
	return p, true
}

// planOf returns a plan whose parts are as short as is wanted.
func (s *Sorter[E]) planOf(runs []*run[E], n int, together bool, less int64) plan {
	p := s.form.Plan(runs, n, together, less)
	p.part = partLen(runs, p, together)
	return p
}

// withEnds returns a plan of shorter parts that leave memory for the last blocks of all runs, which are then read
// once, or p if that is much or the runs do not fit such parts.
func (s *Sorter[E]) withEnds(p plan, runs []*run[E], together bool) plan {
	ends := endsBytes(runs, p.readers) - max(s.form.Unused(p), 0)
	if ends <= 0 || ends > s.options.memory/8 {
		return p
	}
	shorter := s.planOf(runs, 0, together, p.less+ends)
	shorter.less = p.less
	if !fits(runs, shorter, together) || shorter.workers < p.workers {
		return p
	}
	return shorter
}

// cutsBytes bounds the memory of the cuts of a merge: of each run the place, and the splitter.
func cutsBytes[E any](runs []*run[E], p plan, together bool) int64 {
	all := int64(0)
	for _, r := range runs {
		all += max(r.bytes.Size(), r.n*p.each)
	}
	target := p.part - uncertain(runs, p.each, together)
	parts := all/max(target-largest(runs, p.each), target/2, 1) + 2
	return parts * (allocated(8*len(runs)) + int64(unsafe.Sizeof(cut[E]{})) + 16)
}

// indexOf bounds the memory of the index of a run into which others are merged.
func (s *Sorter[E]) indexOf(runs []*run[E]) int64 {
	n, bytes, index, blocks := int64(0), int64(0), int64(0), int64(0)
	for _, r := range runs {
		n, bytes, blocks = n+r.n, bytes+r.bytes.Size(), blocks+int64(r.bytes.Blocks())
		index += r.bytes.Memory() + s.form.IndexBytes(r)
	}
	length := n
	if s.coded != nil { // blocks have up to a number of bytes
		length = bytes + bytes/4
	}
	return index / blocks * min(length/int64(s.form.Block(n, bytes))+1, blocks)
}

// mergeInto merges runs into a new one. With Unique, no elements of it tie.
func (s *Sorter[E]) mergeInto(runs []*run[E]) (*run[E], error) {
	p, _ := s.planFor(runs, 0, false, s.indexOf(runs))
	p.less = max(p.less, 0) // what indices leave is for that of the new run
	p = s.aheadFor(p, runs)
	m, err := s.newMerge(runs, p, false)
	if err != nil {
		return nil, err
	}
	bytes := int64(0)
	for _, r := range runs {
		bytes += r.bytes.Size()
	}
	w, err := s.form.NewWriter(m.total, bytes, s.form.Block(m.total, bytes), s.nextNumber())
	if err != nil {
		return nil, err
	}
	defer w.discard()
	var last *E // of the parts before
	err = s.run(m, func() {}, func(_ int, part rows[E]) (bool, error) {
		if n := part.Len(); s.unique && n > 0 {
			part.Compact(last)
			s.stats.Dropped += int64(n - part.Len())
			if part.Len() > 0 {
				e, err := part.Last()
				if err != nil {
					return false, err
				}
				last = &e
			}
		}
		return true, part.Write(w)
	})
	if err == nil && s.unique {
		err = w.shorten()
	}
	if err != nil {
		return nil, err
	}
	return w.close()
}

// partLen returns the bytes of a part of a plan: as few as are wanted.
func partLen[E any](runs []*run[E], p plan, together bool) int64 {
	return min(p.part, wantedPart(runs, p, together))
}

// wantedPart returns the fewest bytes of a part that is merged at speed: as many as the cache holds, or
// more for slices that are long enough to be read at speed.
func wantedPart[E any](runs []*run[E], p plan, together bool) int64 {
	const cache, slice = 2 << 20, spill.MostRead * 2 / 3
	apart := uncertain(runs, p.each, together)
	return max(cache, slice*int64(len(runs)), 2*apart, apart+largest(runs, p.each))
}

// leastAhead is the number of bytes that are read with one wait from which on it pays, if they are not
// half a part.
const leastAhead = 4 << 20

// fewestAhead is the number of bytes for which reading ahead pays at all.
const fewestAhead = 64 << 10

// readsAhead reports whether the system reads blocks of all runs ahead, and that pays: parts have more
// slices than are read at a time without it.
func (s *Sorter[E]) readsAhead(runs []*run[E]) bool {
	return !slices.ContainsFunc(runs, func(r *run[E]) bool { return !r.bytes.ReadsAhead() }) && s.overlap(runs)
}

// overlap reports whether more than mostReaders runs have elements about a key, on average of middle
// samples of up to 16 runs. It is one where the input was in order.
func (s *Sorter[E]) overlap(runs []*run[E]) bool {
	step := max((len(runs)+15)/16, 1)
	left := (mostReaders + 1) * ((len(runs) + step - 1) / step)
	for k := 0; k < len(runs); k += step {
		middle := runs[k].firsts
		for _, r := range runs {
			last := len(r.firsts) - 1
			if len(middle) > 0 && last >= 0 {
				if x := middle[len(middle)/2]; s.order.Compare(r.firsts[0], x) > 0 || s.order.Compare(x, r.firsts[last]) > 0 {
					continue
				}
			}
			if left--; left == 0 {
				return true
			}
		}
	}
	return false
}

// aheadFor returns a plan in which one reader has memory for all slices of two parts, or for many of
// them, if there is that much. What a plan leaves is for the last blocks of parts.
func (s *Sorter[E]) aheadFor(p plan, runs []*run[E]) plan {
	if one, ok := s.oneReader(p, runs); ok {
		return one
	}
	p.ends = max(min(endsBytes(runs, p.readers), s.unused(p, runs)), 0)
	return p
}

// oneReader returns a plan of one reader that reads ahead, or false if there is too little memory.
func (s *Sorter[E]) oneReader(p plan, runs []*run[E]) (plan, bool) {
	if !s.readsAhead(runs) {
		return p, false
	}
	most := p.part
	for _, r := range runs {
		most += 2 * int64(r.bytes.Block()+spill.Align)
	}
	least := min(p.part/2, leastAhead) / spill.Align * spill.Align
	p.readers = 1
	free := s.unused(p, runs)
	p.ends = max(min(endsBytes(runs, 1), free/2), 0)
	p.ahead = int(min((free-p.ends)/2, most) / spill.Align * spill.Align)
	return p, int64(p.ahead) >= max(least, fewestAhead)
}

// unused returns the memory that a merge of a plan leaves.
func (s *Sorter[E]) unused(p plan, runs []*run[E]) int64 {
	free := s.form.Unused(p)
	if s.unique {
		free -= int64(longest(runs)) // the last element of the part before
	}
	return free
}

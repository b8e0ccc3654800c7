package extsort

import (
	"errors"
	"fmt"
	"sort"
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
	total int64
	cuts  []*cut[E] // between parts; one before the first and one after the last
}

// cut is a place in each run: elements that come before the splitter are before it, and those
// that tie with it if they are in an earlier run, or earlier in its own.
type cut[E any] struct {
	splitter *E // nil: at the front of the runs, or at their end
	run      int
	places   []atomic.Int64 // 1 + the place in each run, or 0 as long as it is unknown
}

// newMerge cuts runs into parts of at most most elements. The error is ErrMemoryLimit if that
// is less than twice what is uncertain of runs. Samples of the indices are sorted in the
// memory, of which nothing else may be in use.
func (s *Sorter[E]) newMerge(runs []*run[E], most int) (*merge[E], error) {
	if apart := s.uncertain(runs); apart > most/2 {
		return nil, fmt.Errorf("%w: %d runs have samples %d elements apart, and a part has %d", ErrMemoryLimit, len(runs), apart, most)
	}
	m := &merge[E]{s: s, runs: runs}
	samples, err := s.takeSamples(runs)
	if err != nil {
		return nil, err
	}
	front, end := m.newCut(nil, 0), m.newCut(nil, 0)
	for k, r := range runs {
		m.total += r.n
		front.settle(k, 0)
		end.settle(k, r.n)
	}
	m.cuts = append(m.cuts, front)
	// Between two samples of a run are fewer elements than its samples are apart.
	target := int64(most - s.uncertain(runs))
	held := int64(0)
	for i := range samples.order {
		run, at, n := samples.at(i)
		if held+n > target && held > 0 {
			c := m.newCut(&runs[run].firsts[at/int64(runs[run].block)], run)
			if !s.unique {
				c.settle(run, at)
			}
			m.cuts = append(m.cuts, c)
			held = 0
		}
		held += n
	}
	m.cuts = append(m.cuts, end)
	return m, nil
}

func (m *merge[E]) newCut(splitter *E, run int) *cut[E] {
	return &cut[E]{splitter: splitter, run: run, places: make([]atomic.Int64, len(m.runs))}
}

// settle sets the place in run k, unless it is known, and returns it. So both parts that a cut
// bounds agree on it, whatever the key functions return.
func (c *cut[E]) settle(k int, place int64) int64 {
	c.places[k].CompareAndSwap(0, place+1)
	return c.places[k].Load() - 1
}

// parts returns the number of parts.
func (m *merge[E]) parts() int { return len(m.cuts) - 1 }

// samples are elements of the runs at regular distances, and their order.
type samples[E any] struct {
	runs   []*run[E]
	from   []int // the first sample of each run
	stride int   // blocks from one sample to the next
	order  []uint32
}

// takeSamples sorts samples of runs, at most as many as a run has elements.
func (s *Sorter[E]) takeSamples(runs []*run[E]) (*samples[E], error) {
	t := &samples[E]{runs: runs, stride: s.stride(runs)}
	list := s.memory[:0]
	for _, r := range runs {
		t.from = append(t.from, len(list))
		for b := 0; b < len(r.firsts); b += t.stride {
			list = append(list, r.firsts[b])
		}
	}
	order, err := s.order.Order(list, s.sort...)
	t.order = order
	return t, err
}

// stride returns how many blocks the samples of runs are apart.
func (s *Sorter[E]) stride(runs []*run[E]) int {
	all := 0
	for _, r := range runs {
		all += len(r.firsts)
	}
	return 1 + all/max(s.layout.fill-len(runs), 1)
}

// uncertain bounds the elements by which a part may be longer than its samples say: those
// between two samples of each run. A single run is cut at its samples.
func (s *Sorter[E]) uncertain(runs []*run[E]) int {
	if len(runs) == 1 {
		return 0
	}
	n, stride := 0, s.stride(runs)
	for _, r := range runs {
		n += stride * r.block
	}
	return n
}

// at returns the run of the i-th sample in order, its place there, and the number of elements
// up to the next sample of that run.
func (t *samples[E]) at(i int) (run int, place, n int64) {
	x := int(t.order[i])
	run = sort.Search(len(t.from), func(i int) bool { return t.from[i] > x }) - 1 // the last that begins at x or before
	r := t.runs[run]
	place = int64((x - t.from[run]) * t.stride * r.block)
	return run, place, min(int64(t.stride*r.block), r.n-place)
}

// errKeys reports key functions that returned something else the second time.
var errKeys = errors.New("extsort: key functions have changed their results")

// load reads part i into buf: slices of all runs, in their order. It returns the number of
// slices that have elements.
func (m *merge[E]) load(i int, buf []E, from *spill.Reader) (part []E, slices int, err error) {
	part = buf[:0]
	for k, r := range m.runs {
		if err := m.s.err(); err != nil {
			return nil, 0, err
		}
		n := len(part)
		if part, err = m.slice(part, k, r, m.cuts[i], m.cuts[i+1], from); err != nil {
			return nil, 0, err
		}
		if len(part) > n {
			slices++
		}
	}
	return part, slices, nil
}

// slice appends the elements of a run between two cuts to part. It reads the blocks in which
// the cuts lie as well, and finds the places there.
func (m *merge[E]) slice(part []E, k int, r *run[E], lo, hi *cut[E], from *spill.Reader) ([]E, error) {
	size := int64(r.block)
	first, begin := m.locate(lo, k, r)
	last, end := m.locate(hi, k, r)
	if begin >= 0 {
		first = int(begin / size)
	}
	if begin >= 0 && begin == end {
		return part, nil
	}
	if last < first-1 || last < first && begin < 0 {
		return part, errKeys
	}
	if last < first && hi.settle(k, begin) != begin { // the cut is the one before, or wrong
		return part, errKeys
	}
	n := len(part)
	var failed error
	err := from.Read(r.bytes, first, last+1, func(block int, p []byte) {
		s, at := elementsOf[E](p), int64(block)*size
		if begin < 0 {
			begin = m.settleIn(lo, k, s[:min(len(s), r.block)], at)
		}
		stop := at + int64(len(s))
		if end < 0 && stop > int64(last)*size {
			inLast := int64(last)*size - at
			end = m.settleIn(hi, k, s[inLast:], at+inLast)
		}
		if end >= 0 {
			stop = min(stop, end)
		}
		start := max(begin, at)
		if begin > stop && end >= 0 || int(stop-start) > cap(part)-len(part) {
			failed = errKeys
		} else if start < stop {
			part = append(part, s[start-at:stop-at]...)
		}
	})
	if err == nil {
		err = failed
	}
	if err == nil && first <= last && int64(len(part)-n) != end-begin { // the next part begins at end
		err = errKeys
	}
	return part, err
}

// locate returns where a cut is in run k: its place if it is known, or -1; and the block in
// which its last element before the cut lies.
func (m *merge[E]) locate(c *cut[E], k int, r *run[E]) (block int, place int64) {
	if place = c.places[k].Load() - 1; place < 0 {
		if block = r.blockOf(m.s.order, c.splitter, m.tiesBefore(c, k)); block >= 0 {
			return block, -1
		}
		place = c.settle(k, 0)
	}
	return int(max(place-1, 0) / int64(r.block)), place
}

// settleIn finds the place of a cut among elements of run k, of which the first is at a place.
func (m *merge[E]) settleIn(c *cut[E], k int, s []E, at int64) int64 {
	return c.settle(k, at+int64(placeIn(m.s.order, s, c.splitter, m.tiesBefore(c, k))))
}

// tiesBefore reports whether elements of run k that tie with the splitter are before the cut.
// Where one of them is wanted they stay together: each run has few.
func (m *merge[E]) tiesBefore(c *cut[E], k int) bool { return k < c.run && !m.s.unique }

// free gives the space of the blocks before cut i back. The block before the cut stays: later
// cuts, which are not before this one, may be searched in it.
func (m *merge[E]) free(i int) {
	size := int64(unsafe.Sizeof(*new(E)))
	for k, r := range m.runs {
		block, _ := m.locate(m.cuts[i], k, r)
		r.bytes.Free(int64(block) * int64(r.block) * size)
	}
}

// mergeForParts returns the merge of all runs, in parts of at most part elements. Where the
// blocks of the runs are too many for that, it merges adjacent runs into longer ones before.
func (s *Sorter[E]) mergeForParts(part int) (*merge[E], error) {
	scratch.Trim() // of the sorts of runs: those of parts take blocks of other sizes
	for {
		if block := s.stride(s.runs) * s.runs[0].block; len(s.runs) == 1 && block > part {
			return nil, fmt.Errorf("%w: parts of %d elements in blocks of %d", ErrMemoryLimit, part, block)
		}
		if most := s.partLen(part, s.runs); s.uncertain(s.runs) <= most/2 {
			return s.newMerge(s.runs, most)
		}
		if err := s.shorten(); err != nil {
			return nil, err
		}
	}
}

// shorten merges groups of adjacent runs, as long as buffers allow and of two at least, into
// one run each. The runs of a group stay until their merge is on disk.
func (s *Sorter[E]) shorten() error {
	for i := 0; i < len(s.runs)-1; i++ {
		n := 2
		for ; i+n < len(s.runs) && s.uncertain(s.runs[i:i+n+1]) <= s.layout.part/2; n++ {
		}
		group := s.runs[i : i+n]
		r, err := s.mergeInto(group)
		if err != nil {
			return public(err)
		}
		for _, old := range group {
			old.bytes.Free(old.bytes.Size())
		}
		s.runs = append(append(s.runs[:i:i], r), s.runs[i+n:]...)
		s.stats.Merges++
	}
	return nil
}

// mergeInto merges runs into a new one.
func (s *Sorter[E]) mergeInto(runs []*run[E]) (*run[E], error) {
	m, err := s.newMerge(runs, s.partLen(s.layout.part, runs))
	if err != nil {
		return nil, err
	}
	w, err := s.newRunWriter(m.total, s.blockLen(), s.nextNumber())
	if err != nil {
		return nil, err
	}
	defer w.discard()
	err = s.run(m, func(_ int, part []E) (bool, error) { return true, w.append(part) })
	if err != nil {
		return nil, err
	}
	r, err := w.close()
	if err == nil {
		s.stats.Written += r.bytes.Size()
	}
	return r, err
}

// partLen returns the number of elements of a part of runs, in a buffer of most: as few as the
// cache holds, but in slices that are long enough to be read at speed.
func (s *Sorter[E]) partLen(most int, runs []*run[E]) int {
	const cache, slice = 2 << 20, 1 << 20 // bytes
	n := max(cache, slice*len(runs)) / int(unsafe.Sizeof(*new(E)))
	return min(most, max(n, 2*s.uncertain(runs)))
}

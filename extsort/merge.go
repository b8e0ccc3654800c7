package extsort

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"example.com/sorter"
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
	cuts  []cut[E] // between parts; one before the first and one after the last
}

// cut is a place in each run.
type cut[E any] struct {
	splitter E
	run      int   // that the splitter is in
	at       int64 // and where
	once     sync.Once
	places   []int64
	err      error
	fixed    bool // places are given
}

// newMerge cuts runs into parts of at most most elements. The samples of the indices are
// sorted in memory, of which nothing else may be in use.
func (s *Sorter[E]) newMerge(runs []*run[E], most int, memory []E) (*merge[E], error) {
	m := &merge[E]{s: s, runs: runs}
	samples, err := takeSamples(s.order, runs, memory[:cap(memory)], s.sort)
	if err != nil {
		return nil, err
	}
	begin, end := make([]int64, len(runs)), make([]int64, len(runs))
	for i, r := range runs {
		m.total += r.n
		end[i] = r.n
	}
	m.cuts = append(m.cuts, cut[E]{places: begin, fixed: true})
	// Between two samples of a run are fewer elements than its samples are apart.
	target := max(int64(most)-samples.uncertain, 1)
	held := int64(0)
	for i := range samples.order {
		run, at, n := samples.at(i)
		if held+n > target && held > 0 {
			m.cuts = append(m.cuts, cut[E]{splitter: runs[run].firsts[at/int64(runs[run].block)], run: run, at: at})
			held = 0
		}
		held += n
	}
	m.cuts = append(m.cuts, cut[E]{places: end, fixed: true})
	return m, nil
}

// parts returns the number of parts.
func (m *merge[E]) parts() int { return len(m.cuts) - 1 }

// samples are elements of the runs at regular distances, and their order.
type samples[E any] struct {
	runs      []*run[E]
	from      []int // the first sample of each run
	stride    int   // blocks from one sample to the next
	order     []uint32
	uncertain int64 // the sum of the elements between two samples of each run
}

// takeSamples sorts samples of the runs, in memory: half of it at most.
func takeSamples[E any](o sorter.Ordering[E], runs []*run[E], memory []E, opts []sorter.Option) (*samples[E], error) {
	t := &samples[E]{runs: runs, stride: stride(runs, cap(memory)/2)}
	list := memory[:0]
	for _, r := range runs {
		t.from = append(t.from, len(list))
		for b := 0; b < len(r.firsts); b += t.stride {
			list = append(list, r.firsts[b])
		}
		t.uncertain += int64(t.stride * r.block)
	}
	order, err := o.Order(list, opts...)
	t.order = order
	return t, err
}

// stride returns how many blocks apart the samples of runs are, so that there are at most most.
func stride[E any](runs []*run[E], most int) int {
	all := 0
	for _, r := range runs {
		all += len(r.firsts)
	}
	return 1 + all/max(most-len(runs), 1)
}

// at returns the run of the i-th sample in order, its place there, and the number of elements
// up to the next sample of that run.
func (t *samples[E]) at(i int) (run int, place, n int64) {
	x := int(t.order[i])
	for lo, hi := 0, len(t.from); ; { // the last run that begins at x or before
		if hi-lo == 1 {
			run = lo
			break
		}
		if mid := (lo + hi) / 2; t.from[mid] <= x {
			lo = mid
		} else {
			hi = mid
		}
	}
	r := t.runs[run]
	place = int64((x - t.from[run]) * t.stride * r.block)
	return run, place, min(int64(t.stride*r.block), r.n-place)
}

// places returns where cut i is in each run. It is found once, so that both parts that it
// bounds agree, whatever the key functions return.
func (m *merge[E]) places(i int, block []E) ([]int64, error) {
	c := &m.cuts[i]
	if c.fixed {
		return c.places, nil
	}
	c.once.Do(func() {
		places := make([]int64, len(m.runs))
		for k, r := range m.runs {
			switch {
			case m.s.unique: // ties stay together: a run has few of each
				places[k], c.err = r.find(m.s.order, &c.splitter, false, block)
			case k == c.run:
				places[k] = c.at
			default:
				places[k], c.err = r.find(m.s.order, &c.splitter, k < c.run, block)
			}
			if c.err != nil {
				return
			}
		}
		c.places = places
	})
	return c.places, c.err
}

// errKeys reports key functions that returned something else the second time.
var errKeys = errors.New("extsort: a part is larger than its elements allow: key functions have changed their results")

// load reads part i into buf and sorts it. block is memory of a block of every run.
func (m *merge[E]) load(i int, buf, block []E, opts []sorter.Option) ([]E, error) {
	lo, err := m.places(i, block)
	if err != nil {
		return nil, err
	}
	hi, err := m.places(i+1, block)
	if err != nil {
		return nil, err
	}
	n, slices := 0, 0
	for k, r := range m.runs {
		size := int(hi[k] - lo[k])
		if size < 0 || n+size > cap(buf) {
			return nil, fmt.Errorf("%w (part %d)", errKeys, i)
		}
		if size == 0 {
			continue
		}
		if err := m.s.err(); err != nil {
			return nil, err
		}
		if err := r.read(buf[n:n+size:n+size], lo[k], block); err != nil {
			return nil, err
		}
		n += size
		slices++
	}
	part := buf[:n]
	if slices > 1 {
		if err := m.s.order.Sort(part, opts...); err != nil {
			return nil, err
		}
	}
	return part, nil
}

// free gives the space of the blocks before cut i back. The block before the cut stays: later
// cuts, which are not before this one, may be searched in it.
func (m *merge[E]) free(i int) error {
	places, size := m.cuts[i].places, int64(unsafe.Sizeof(*new(E)))
	for k, r := range m.runs {
		last := max(places[k]-1, 0)
		if err := r.bytes.Free((last - last%int64(r.block)) * size); err != nil {
			return err
		}
	}
	return nil
}

// mergeRuns returns the merge of all runs, in parts for a number of buffers. Where the blocks
// of the runs are too many for a buffer, it merges adjacent runs into longer ones before.
func (s *Sorter[E]) mergeRuns(part int) (*merge[E], error) {
	for {
		n, apart := 0, stride(s.runs, s.layout.fill)
		for held := 0; n < len(s.runs) && (n < 2 || held+apart*s.runs[n].block <= part/2); n++ {
			held += apart * s.runs[n].block
		}
		if n == len(s.runs) {
			return s.newMerge(s.runs, s.partLen(part), s.memory)
		}
		if err := s.shorten(n); err != nil {
			return nil, err
		}
	}
}

// shorten merges groups of at most n adjacent runs into one each. The runs of a group stay
// until their merge is on disk.
func (s *Sorter[E]) shorten(n int) error {
	for i := 0; i < len(s.runs)-1; i++ {
		group := s.runs[i:min(i+n, len(s.runs))]
		r, err := s.mergeInto(group)
		if err != nil {
			return public(err)
		}
		for _, old := range group {
			if err := old.bytes.Free(old.bytes.Size()); err != nil {
				return public(err)
			}
		}
		s.runs = append(append(s.runs[:i:i], r), s.runs[i+len(group):]...)
		s.stats.Merges++
	}
	return nil
}

// mergeInto merges runs into a new one.
func (s *Sorter[E]) mergeInto(runs []*run[E]) (*run[E], error) {
	m, err := s.newMerge(runs, s.partLen(s.layout.part), s.memory)
	if err != nil {
		return nil, err
	}
	w, err := s.newRunWriter(m.total, s.blockLen(), s.nextNumber())
	if err != nil {
		return nil, err
	}
	err = s.run(m, func(_ int, part []E) (bool, error) { return true, w.append(part) })
	if err != nil {
		return nil, w.discard(err)
	}
	r, err := w.close()
	if err == nil {
		s.stats.Written += r.bytes.Size()
	}
	return r, err
}

// partLen returns the number of elements of a part, of a buffer of most: as few as the cache
// holds, but slices that are long enough to be read at speed.
func (s *Sorter[E]) partLen(most int) int {
	const cache, slice = 2 << 20, 256 << 10 // bytes
	blocks, apart := 0, stride(s.runs, s.layout.fill)
	for _, r := range s.runs {
		blocks += apart * r.block
	}
	n := max(cache, slice*len(s.runs)) / int(unsafe.Sizeof(*new(E)))
	return min(most, max(n, 2*blocks))
}

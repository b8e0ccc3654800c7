package extsort

import (
	"slices"
	"sort"

	"example.com/sorter"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/spill"
)

// samples merges the first elements of the blocks of runs. Those that no index holds are read from
// disk, once each and some of a run at a time, in the memory that parts have later.
type samples[E any] struct {
	order  sorter.Ordering[E]
	runs   []*run[E]
	heads  []int // heap of the runs that have more, by the samples in fronts
	fronts []front[E]
	group  int // number of the next sample, where those that tie have the same; 0: ties are not numbered

	f    *coded[E] // of elements on disk
	from *loader   // nil: there are none
}

// front is the next sample of a run.
type front[E any] struct {
	block int
	first *E
	group int // of the sample before
	held  int // samples before it that are in memory

	from   int // the block of the first of read
	read   []E
	memory []byte // of read
	most   int64  // bytes of the blocks that are read at a time
}

// samplesOf returns the samples of runs. If together is set, those that tie get the same number.
func (s *Sorter[E]) samplesOf(runs []*run[E], together bool) (*samples[E], error) {
	t := &samples[E]{order: s.order, runs: runs, fronts: make([]front[E], len(runs)), f: s.coded}
	if together {
		t.group = 1
	}
	t.share()
	for k, r := range runs {
		if r.bytes.Blocks() > 0 {
			t.heads = append(t.heads, k)
			if err := t.find(k); err != nil {
				return t, err
			}
		}
	}
	for i := len(t.heads)/2 - 1; i >= 0; i-- {
		t.down(i)
	}
	return t, nil
}

// sampled reports whether there is memory for a sample of each run: for those on disk.
func (s *Sorter[E]) sampled(runs []*run[E]) bool {
	all, _ := onDisk(runs)
	return all == 0 || all+s.coded.samplesReader(longest(runs)) <= s.coded.memory.total
}

// onDisk returns the bytes of the largest blocks of runs whose first element is on disk only, and how many
// runs have such.
func onDisk[E any](runs []*run[E]) (bytes int64, n int64) {
	for _, r := range runs {
		if r.onDisk > 0 {
			bytes, n = bytes+int64(r.onDisk), n+1
		}
	}
	return bytes, n
}

// samplesReader returns the memory of a reader of blocks of up to some bytes.
func (f *coded[E]) samplesReader(block int) int64 {
	return f.s.layout.packing.ReaderBytes(block + 4*spill.Align)
}

// share divides the memory of parts among the runs that have samples on disk.
func (t *samples[E]) share() {
	least, n := onDisk(t.runs)
	if n == 0 {
		return
	}
	f, block := t.f, longest(t.runs)
	free := f.memory.total - least - f.samplesReader(block)
	more := min(free/(n+1), spill.MostRead)
	size := max(block, int(more)) + 4*spill.Align
	memory := scratch.Pages(size)
	t.from = &loader{reader: spill.NewReader(memory, f.s.layout.packing), memory: memory}
	for k, r := range t.runs {
		if r.onDisk > 0 {
			t.fronts[k].most = int64(r.onDisk) + more
		}
	}
}

// end frees the memory: its pages at once, since parts take as much. No cut has an element of it.
func (t *samples[E]) end() {
	if t.from == nil {
		return
	}
	scratch.Drop(t.from.memory)
	for i := range t.fronts {
		own := t.fronts[i].memory
		scratch.Drop(own[:cap(own)])
	}
	t.from, t.fronts = nil, nil
}

// held reports whether the next sample of run k stays in memory.
func (t *samples[E]) held(k int) bool { return t.runs[k].holds(t.fronts[k].block, t.fronts[k].held) }

// holds reports whether the first element of a block is in memory, where some number of those before is.
func (r *run[E]) holds(block, before int) bool {
	return r.held == nil || before < len(r.held) && r.held[before] == block
}

// before returns the number of blocks of run k whose first elements lie before the next sample, and with
// numbers do not tie with it.
func (t *samples[E]) before(k int) int {
	f := &t.fronts[k]
	if t.group > 0 && f.group == t.group {
		return f.block - 1
	}
	return f.block
}

// take takes the next sample in order. Of those that tie, earlier runs are first.
func (t *samples[E]) take() error {
	k := t.heads[0]
	f := &t.fronts[k]
	if f.group = t.group; t.group > 0 && !t.ties() {
		t.group++
	}
	if t.held(k) {
		f.held++
	}
	if f.block++; f.block < t.runs[k].bytes.Blocks() {
		if err := t.find(k); err != nil {
			return err
		}
	} else {
		last := len(t.heads) - 1
		t.heads[0], t.heads = t.heads[last], t.heads[:last]
	}
	t.down(0)
	return nil
}

// ties reports whether the sample after the next ties with it. It is of another run.
func (t *samples[E]) ties() bool {
	for _, k := range t.heads[min(1, len(t.heads)):min(3, len(t.heads))] {
		if t.order.Compare(*t.fronts[k].first, *t.fronts[t.heads[0]].first) == 0 {
			return true
		}
	}
	return false
}

// find sets the next sample of run k.
func (t *samples[E]) find(k int) error {
	r, f := t.runs[k], &t.fronts[k]
	if t.held(k) {
		f.first = &r.firsts[f.held]
		return nil
	}
	if f.block >= f.from+len(f.read) {
		if err := t.readAhead(r, f); err != nil {
			return err
		}
	}
	f.first = &f.read[f.block-f.from]
	return nil
}

// readAhead reads the next samples of a run, up to one that is in memory.
func (t *samples[E]) readAhead(r *run[E], f *front[E]) error {
	begin, end := r.bytes.Offset(f.block), r.bytes.Blocks()
	if f.held < len(r.held) {
		end = r.held[f.held]
	}
	n := 1 + sort.Search(end-f.block-1, func(i int) bool { return r.bytes.Offset(f.block+i+2)-begin > f.most })
	f.from = f.block
	clear(f.read)
	f.read = f.read[:0]
	if t.f.lender != nil {
		f.memory = slices.Grow(f.memory[:0], int(f.most))
	}
	return t.from.reader.Read(r.bytes, f.from, f.from+n, func(block, to int, p []byte) error {
		at := r.bytes.Offset(block)
		for ; block < to; block++ {
			src, _ := split(p[r.bytes.Offset(block)-at:])
			e, err := t.f.sample(src, &f.memory)
			if err != nil {
				return err
			}
			f.read = append(f.read, e)
		}
		return nil
	})
}

// sample returns the element of an encoding, which may have its bytes in memory with room for them.
func (f *coded[E]) sample(src []byte, memory *[]byte) (E, error) {
	if f.lender == nil {
		return f.decodeCopy(src)
	}
	n := len(*memory)
	*memory = append(*memory, src...)
	return f.lender.Lend((*memory)[n:len(*memory):len(*memory)]), nil
}

// down restores the heap below i.
func (t *samples[E]) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heads); child++ {
			if t.comesBefore(t.heads[child], t.heads[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		t.heads[i], t.heads[least] = t.heads[least], t.heads[i]
		i = least
	}
}

// comesBefore reports whether the sample of run x comes before that of run y.
func (t *samples[E]) comesBefore(x, y int) bool {
	c := t.order.Compare(*t.fronts[x].first, *t.fronts[y].first)
	return c < 0 || c == 0 && x < y
}

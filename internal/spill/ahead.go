package spill

import "sort"

// Range is blocks [From, To) of a run.
type Range struct {
	Run      *Run
	From, To int
}

// Space returns the memory that the blocks take when they are read ahead.
func (g Range) Space() int64 {
	if g.From >= g.To {
		return 0
	}
	lo := g.Run.off + g.Run.place(g.From)
	return roundUp(g.Run.off+g.Run.place(g.To)) - lo/Align*Align
}

// First returns the blocks of g, from the first on, that take at most some bytes of memory.
func (g Range) First(bytes int64) Range {
	n := sort.Search(g.To-g.From, func(i int) bool { return Range{g.Run, g.From, g.From + i + 1}.Space() > bytes })
	return Range{g.Run, g.From, g.From + n}
}

// ReadsAhead reports whether Fetch can read blocks of the run ahead.
func (r *Run) ReadsAhead() bool { return readsAhead(r.volume.file) }

// ahead holds blocks that are read before Read wants them: those of many ranges with one wait. A thread
// that waits for each of them waits again for a processor, which others are busy on.
type ahead struct {
	halves [2]half
	last   int // half of the last call of Fetch
}

// half is half of the memory, and what is read to it.
type half struct {
	memory  []byte // aligned
	batch   batch
	reads   []request
	ranges  []Range
	reading bool // not all reads are known to have ended
}

// request is a read of bytes at an offset of a file. Both are aligned.
type request struct {
	file File
	p    []byte
	off  int64
	done bool
}

// MostRanges is the most ranges of a call of Fetch.
const MostRanges = 64

// ReadAhead lets Fetch use memory, which begins with a page: half of it at a time.
func (d *Reader) ReadAhead(memory []byte) {
	memory = Aligned(memory)
	n := len(memory) / 2 / Align * Align
	d.ahead = &ahead{halves: [2]half{{memory: memory[:n]}, {memory: memory[n : 2*n]}}}
}

// Close waits until all reads ahead have ended. Read may not be called afterwards.
func (d *Reader) Close() {
	if d.ahead == nil {
		return
	}
	for i := range d.ahead.halves {
		d.ahead.halves[i].batch.close()
	}
}

// Fetch begins to read ranges, at most MostRanges with blocks that fit half of the memory, for later
// calls of Read. Those of the call before the last are not read any more. What cannot be read is left to
// Read, with its error.
func (d *Reader) Fetch(ranges []Range) {
	a := d.ahead
	a.last = 1 - a.last
	h := &a.halves[a.last]
	h.wait()
	h.reads, h.ranges = h.reads[:0], append(h.ranges[:0], ranges...)
	free := h.memory
	for _, g := range ranges {
		lo, n := g.Run.off+g.Run.place(g.From), g.Space()
		h.reads = append(h.reads, request{file: g.Run.volume.file, p: free[:n:n], off: lo / Align * Align})
		free = free[n:]
	}
	h.batch.begin(h.reads)
	h.reading = true
}

// wait waits until all reads have ended.
func (h *half) wait() {
	if !h.reading {
		return
	}
	h.reading = false
	h.batch.wait(h.reads)
	for i, g := range h.ranges {
		if h.reads[i].done {
			g.Run.store.read.Add(g.Run.place(g.To) - g.Run.place(g.From))
		}
	}
}

// find returns the number of blocks of a run, from one on, that were read ahead, and their bytes on
// disk.
func (a *ahead) find(r *Run, from int) (n int, p []byte) {
	if a == nil {
		return 0, nil
	}
	for i := range a.halves {
		h := &a.halves[i]
		for k, g := range h.ranges {
			if g.Run != r || from < g.From || from >= g.To {
				continue
			}
			if h.wait(); h.reads[k].done {
				return g.To - from, h.reads[k].p[r.off+r.place(from)-h.reads[k].off:]
			}
		}
	}
	return 0, nil
}

package extsort

import (
	"sort"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/spill"
)

// run is a sorted run on disk, and the index that finds elements in it.
type run[E any] struct {
	bytes   *spill.Run
	n       int64
	block   int     // elements of each block; 0: starts says
	starts  []int64 // place of the first element of each block; nil if all have one length
	firsts  []E     // the first element of each block, or of those in held
	held    []int   // nil: all blocks
	onDisk  int     // most bytes of a block whose first element is not in firsts
	target  int     // bytes of a block of several, if they are coded
	room    int64   // bytes of memory for further first elements
	indexed int64   // bytes of memory of firsts
	inBlock int     // most elements of a block
	spread  int     // most bytes of a block of several elements

	least int64 // bytes that an element counts as at least; 0: as many as it has

	appender int // number of the one whose elements it has

	several, severalBytes int64 // elements of these blocks, and their bytes
}

// start returns the place of the first element of a block, or of the end.
func (r *run[E]) start(block int) int64 {
	switch {
	case r.starts == nil:
		return min(int64(block)*int64(r.block), r.n)
	case block == len(r.starts):
		return r.n
	}
	return r.starts[block]
}

// blockAt returns the block of a place.
func (r *run[E]) blockAt(place int64) int {
	if r.starts == nil {
		return int(place / int64(r.block))
	}
	return sort.Search(len(r.starts), func(i int) bool { return r.starts[i] > place }) - 1
}

// after reports whether x lies after the cut.
func after[E any](o sorter.Ordering[E], x E, e *E, ties bool) bool {
	c := o.Compare(x, *e)
	return c > 0 || c == 0 && !ties
}

// runWriter writes a run.
type runWriter[E any] struct {
	run   *run[E]
	out   *spill.Writer
	n     int64  // elements written
	block []byte // of coded elements, that is not complete: in memory of out, or in own
	own   []byte
	most  int // bytes of a block of several coded elements

	in, mostIn int // elements of the block, and the most
}

// openRun begins a run of a number of bytes, in blocks of one size if that is not 0.
func (s *Sorter[E]) openRun(bytes int64, block int, number uint64) (*runWriter[E], error) {
	if s.buf == nil {
		s.buf = scratch.Pages(s.layout.buffer)
	}
	out, err := s.store.NewWriter(bytes, block, number, spill.Aligned(s.buf))
	if err != nil {
		return nil, err
	}
	return &runWriter[E]{run: &run[E]{spread: block}, out: out}, nil
}

func (w *runWriter[E]) close() (*run[E], error) {
	if err := w.endBlock(w.block); err != nil {
		return nil, err
	}
	bytes, err := w.out.Close()
	if err != nil {
		return nil, err
	}
	w.run.bytes = bytes
	w.run.trim()
	return w.run, nil
}

// trim gives the memory back that the index does not need.
func (r *run[E]) trim() {
	r.starts, r.firsts, r.held = spill.Trim(r.starts), spill.Trim(r.firsts), spill.Trim(r.held)
}

// shorten ends a run of fewer elements than were announced.
func (w *runWriter[E]) shorten() error {
	err := w.endBlock(w.block)
	w.out.Shorten()
	if w.run.n = w.n; w.run.block > 0 { // all blocks are of several elements
		w.run.several, w.run.severalBytes = w.n, w.n*int64(unsafe.Sizeof(*new(E)))
	}
	return err
}

// endBlock writes a block of coded elements, unless it has none.
func (w *runWriter[E]) endBlock(block []byte) error {
	if w.in == 0 {
		return nil
	}
	w.run.counts(w.in, len(block))
	w.in = 0
	return w.out.AppendBlock(block)
}

// beginBlock begins a block of coded elements.
func (w *runWriter[E]) beginBlock() {
	if w.block = w.out.Reserve(w.most); w.block != nil {
		return
	}
	if w.own == nil {
		w.own = make([]byte, 0, w.most)
	}
	w.block = w.own
}

// counts notes a block of n coded elements, the last in starts.
func (r *run[E]) counts(n, bytes int) {
	if last := len(r.held) - 1; r.held != nil && (last < 0 || r.held[last] < len(r.starts)-1) {
		r.onDisk = max(r.onDisk, bytes)
	}
	if r.inBlock = max(r.inBlock, n); n > 1 {
		r.spread = max(r.spread, bytes)
		r.several, r.severalBytes = r.several+int64(n), r.severalBytes+int64(bytes)
	}
}

// discard gives the space of a run back, unless it was written to its end. It is deferred:
// key functions may panic before.
func (w *runWriter[E]) discard() {
	if w.run.bytes == nil {
		w.out.Discard()
	}
}

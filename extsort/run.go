package extsort

import (
	"sort"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/spill"
)

// run is a sorted run on disk, and the index that finds elements in it.
type run[E any] struct {
	bytes  *spill.Run
	n      int64
	block  int // elements of a block
	firsts []E // the first element of each block
}

// bytesOf returns the memory of elements without pointers.
func bytesOf[E any](s []E) []byte {
	// Sound: the memory of s is that long, and its elements hold no pointers.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(E))))
}

// runWriter writes a run.
type runWriter[E any] struct {
	run *run[E]
	out *spill.Writer
	n   int64
}

// newRunWriter begins a run of n elements in blocks of the given length.
func (s *Sorter[E]) newRunWriter(n int64, block int, number uint64) (*runWriter[E], error) {
	size := int(unsafe.Sizeof(*new(E)))
	out, err := s.store.NewWriter(n*int64(size), block*size, number, spill.Aligned(s.buf))
	if err != nil {
		return nil, err
	}
	r := &run[E]{n: n, block: block, firsts: make([]E, 0, (n+int64(block)-1)/int64(block))}
	return &runWriter[E]{run: r, out: out}, nil
}

// blockLen returns the number of elements of a block of the next run. It grows with what was
// written, so that the indices grow with the logarithm of the input only.
func (s *Sorter[E]) blockLen() int {
	each := int64(unsafe.Sizeof(*new(E))) + 8 // of the index, for a block
	target := max(s.layout.index/(4*each), 1)
	return int(min(max(int64(s.layout.block), s.stats.Elements/target), int64(max(s.layout.part/8, 1))))
}

func (w *runWriter[E]) append(s []E) error {
	b := int64(w.run.block)
	for i := (b - w.n%b) % b; i < int64(len(s)); i += b {
		w.run.firsts = append(w.run.firsts, s[i])
	}
	w.n += int64(len(s))
	return w.out.Append(bytesOf(s))
}

func (w *runWriter[E]) close() (*run[E], error) {
	bytes, err := w.out.Close()
	if err != nil {
		return nil, err
	}
	w.run.bytes = bytes
	return w.run, nil
}

// discard gives the space of a run back, unless it was written to its end. It is deferred:
// key functions may panic before.
func (w *runWriter[E]) discard() {
	if w.run.bytes == nil {
		w.out.Discard()
	}
}

// blockOf returns the block in which a cut lies, of elements that come before e, or with ties
// of those that do not come after it: the last block whose first element is before the cut.
// It is -1 if the cut is at the front.
func (r *run[E]) blockOf(o sorter.Ordering[E], e *E, ties bool) int {
	return sort.Search(len(r.firsts), func(i int) bool { return after(o, r.firsts[i], e, ties) }) - 1
}

// placeIn returns the number of elements of s before that cut.
func placeIn[E any](o sorter.Ordering[E], s []E, e *E, ties bool) int {
	return sort.Search(len(s), func(i int) bool { return after(o, s[i], e, ties) })
}

// after reports whether x lies after the cut.
func after[E any](o sorter.Ordering[E], x E, e *E, ties bool) bool {
	c := o.Compare(x, *e)
	return c > 0 || c == 0 && !ties
}

// elementsOf returns the elements in bytes that were those of elements.
func elementsOf[E any](p []byte) []E {
	// Sound: p holds whole elements; the caller has aligned it for E.
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(p))), len(p)/int(unsafe.Sizeof(*new(E))))
}

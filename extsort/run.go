package extsort

import (
	"errors"
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
		return nil, w.discard(err)
	}
	w.run.bytes = bytes
	return w.run, nil
}

// discard gives the space of an incomplete run back and returns err, the reason.
func (w *runWriter[E]) discard(err error) error { return errors.Join(err, w.out.Discard()) }

// read fills dst with the elements from lo on. block is memory of at least a block.
func (r *run[E]) read(dst []E, lo int64, block []E) error {
	for len(dst) > 0 {
		b := int64(r.block)
		first, skip := lo/b, lo%b
		n := min(b, r.n-first*b)
		if skip == 0 && int64(len(dst)) >= n { // whole blocks, read in place
			whole := min(int64(len(dst))/b*b, r.n-lo)
			if lo+int64(len(dst)) == r.n {
				whole = int64(len(dst))
			}
			n = max(n, whole)
			if err := r.bytes.Read(bytesOf(dst[:n]), int(first)); err != nil {
				return err
			}
			dst, lo = dst[n:], lo+n
			continue
		}
		if err := r.bytes.Read(bytesOf(block[:n]), int(first)); err != nil {
			return err
		}
		k := int64(copy(dst, block[skip:n]))
		dst, lo = dst[k:], lo+k
	}
	return nil
}

// find returns the number of elements that come before e, or with ties those that do not come
// after it. block is memory of at least a block.
func (r *run[E]) find(o sorter.Ordering[E], e *E, ties bool, block []E) (int64, error) {
	least := 0 // of Compare(x, e), for x to stay behind the cut
	if ties {
		least = 1
	}
	after := func(x E) bool { return o.Compare(x, *e) >= least }
	// The cut is in the last block whose first element is before it, or at its end.
	i := sort.Search(len(r.firsts), func(i int) bool { return after(r.firsts[i]) })
	if i == 0 {
		return 0, nil
	}
	lo := int64(i-1) * int64(r.block)
	part := block[:min(int64(r.block), r.n-lo)]
	if err := r.read(part, lo, nil); err != nil {
		return 0, err
	}
	return lo + int64(sort.Search(len(part), func(i int) bool { return after(part[i]) })), nil
}

package extsort

import (
	"sort"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/spill"
)

// fixed keeps elements without pointers as they are in memory.
type fixed[E any] struct {
	s      *Sorter[E]
	memory []E            // two halves while runs are made, then the buffers of parts; nil before the first run
	arena  *scratch.Arena // of memory, or of the first rows
	half   int            // of memory, that is filled
	most   int64          // bytes
}

// slice is rows of elements without pointers.
type slice[E any] struct {
	f       *fixed[E]
	all     []E
	inOrder bool
}

func (f *fixed[E]) size() int64 { return int64(unsafe.Sizeof(*new(E))) }

func (f *fixed[E]) input() rows[E] { return &slice[E]{f: f} }

// take returns pooled memory for n elements, which begins with those of old, and gives the
// memory of old back.
func (f *fixed[E]) take(n int, old []E) []E {
	before := f.arena
	f.arena = new(scratch.Arena)
	all := scratch.Take[E](f.arena, n)
	copy(all, old)
	if before != nil {
		before.Release(f.s.layout.workers)
	}
	return all
}

// grow makes room for more elements, and four times those that there are, up to the elements
// of a run. So a short input takes little memory, and a long one is seldom copied.
func (r *slice[E]) grow(more int) {
	f, l := r.f, &r.f.s.layout
	n := min(max(4*len(r.all), len(r.all)+more, leastGrown), l.fill)
	r.all = f.take(n, r.all)[:len(r.all)]
	f.most = min(2*int64(n)*f.size()+scratchBytes(f.s.order, n, l.workers), l.bytes)
}

// leastGrown is the number of elements that the first Append makes room for.
const leastGrown = 1024

// next takes the memory of the whole sort for the second run. What the rows had is given back
// before the scratch memory of another sort is taken.
func (f *fixed[E]) next(full rows[E]) rows[E] {
	if f.memory == nil {
		r := full.(*slice[E])
		f.memory = f.take(2*f.s.layout.fill, r.all)
		r.all = f.halfOf(0)[:len(r.all)]
		f.most = f.s.layout.bytes
		scratch.Trim()
	}
	f.half = 1 - f.half
	return &slice[E]{f: f, all: f.halfOf(f.half)}
}

// halfOf returns an empty half of the memory.
func (f *fixed[E]) halfOf(half int) []E {
	n := f.s.layout.fill
	return f.memory[half*n : half*n : (half+1)*n]
}

func (f *fixed[E]) waits(rows[E]) bool { return false }

func (f *fixed[E]) written(rows[E]) {}

// block returns a number of elements.
func (f *fixed[E]) block(int64, int64) int {
	l, each := &f.s.layout, f.size()+8 // of the index, for a block
	target := max(l.index/(4*each), 1)
	return int(min(max(int64(l.block), f.s.stats.Elements/target), int64(max(l.part/8, 1))))
}

func (f *fixed[E]) newWriter(n, bytes int64, block int, number uint64) (*runWriter[E], error) {
	w, err := f.s.newWriter(bytes, block*int(f.size()), number)
	if err != nil {
		return nil, err
	}
	w.run.n, w.run.block, w.run.inBlock = n, block, block
	w.run.several, w.run.severalBytes = n, bytes
	w.run.firsts = make([]E, 0, (n+int64(block)-1)/int64(block))
	return w, nil
}

func (f *fixed[E]) samples(n int) ([]E, func()) { return f.memory[:n], func() {} }

func (f *fixed[E]) mostSamples() int { return f.s.layout.fill }

func (f *fixed[E]) find(_ *loader, p []byte, e *E, ties bool) (int, error) {
	all := elementsOf[E](p)
	return sort.Search(len(all), func(i int) bool { return after(f.s.order, all[i], e, ties) }), nil
}

func (f *fixed[E]) plan(runs []*run[E], n int) plan {
	l, size := &f.s.layout, f.size()
	p := plan{readers: l.readers, workers: l.workers, buffers: l.parts, part: int64(l.part) * size, each: size}
	if n > 0 {
		p = plan{buffers: n, part: int64(partFor(l, f.s.order, n)) * size, each: size}
	}
	p.reader = spill.ReaderBytes(longest(runs)) + spill.Align
	return p
}

func (f *fixed[E]) buffers(p plan) []rows[E] {
	all := make([]rows[E], p.buffers)
	for i := range all {
		n := p.elements()
		all[i] = &slice[E]{f: f, all: f.memory[i*n : i*n : (i+1)*n]}
	}
	return all
}

func (f *fixed[E]) held() int64 { return f.most }

func (f *fixed[E]) own([]E) {}

func (f *fixed[E]) release() {
	if f.arena != nil {
		f.arena.Release(f.s.layout.workers)
	}
	f.arena, f.memory = nil, nil
}

func (r *slice[E]) len() int { return len(r.all) }

func (r *slice[E]) bytes() int64 { return int64(len(bytesOf(r.all))) }

func (r *slice[E]) append(e []E) (int, error) {
	if len(r.all) == cap(r.all) && cap(r.all) < r.f.s.layout.fill {
		r.grow(len(e))
	}
	n := min(len(e), cap(r.all)-len(r.all))
	if n > 0 {
		r.all, r.inOrder = append(r.all, e[:n]...), false
	}
	return n, nil
}

func (r *slice[E]) roomy() bool { return len(r.all) <= cap(r.all)/2 }

func (r *slice[E]) load(run *run[E], from, _ int, p []byte, begin, end int64) error {
	if end-begin > int64(cap(r.all)-len(r.all)) {
		return errKeys
	}
	at := run.start(from)
	r.all = append(r.all, elementsOf[E](p)[begin-at:end-at]...)
	return nil
}

func (r *slice[E]) reset() { r.all = r.all[:0] }

func (r *slice[E]) sort(inOrder bool, opts []sorter.Option) error {
	if !inOrder && r.f.size() > 0 {
		if err := r.f.s.order.Sort(r.all, opts...); err != nil {
			return err
		}
	}
	r.inOrder = true
	return nil
}

func (r *slice[E]) sorted() bool { return r.inOrder }

func (r *slice[E]) compact() {
	n := 0
	for i, e := range r.all {
		if i == 0 || r.f.s.order.Compare(r.all[n-1], e) != 0 {
			r.all[n] = e
			n++
		}
	}
	r.all = r.all[:n]
}

func (r *slice[E]) truncate(n int) { r.all = r.all[:n] }

func (r *slice[E]) last() (E, error) { return r.all[len(r.all)-1], nil }

func (r *slice[E]) hand(lo, hi int, yield func([]E) bool) bool {
	return lo == hi || yield(r.all[lo:hi:hi])
}

func (r *slice[E]) write(w *runWriter[E]) error {
	b := int64(w.run.block)
	for i := (b - w.n%b) % b; i < int64(len(r.all)); i += b {
		w.run.firsts = append(w.run.firsts, r.all[i])
	}
	w.n += int64(len(r.all))
	return w.out.Append(bytesOf(r.all))
}

func (r *slice[E]) release() {}

// bytesOf returns the memory of elements without pointers.
func bytesOf[E any](s []E) []byte {
	// Sound: the memory of s is that long, and its elements hold no pointers.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(E))))
}

// elementsOf returns the elements in bytes that were those of elements.
func elementsOf[E any](p []byte) []E {
	// Sound: p holds whole elements; the caller has aligned it for E.
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(p))), len(p)/int(unsafe.Sizeof(*new(E))))
}

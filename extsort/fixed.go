package extsort

import (
	"fmt"
	"sort"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/spill"
)

// fixed keeps elements without pointers as they are in memory.
type fixed[E any] struct {
	s *Sorter[E]
	// memory is two halves while runs are made, then the buffers of parts; nil before the first run, and after one that
	// Sync has begun early.
	memory []E
	arena  *scratch.Arena // of memory, or of the first rows
	half   int            // of memory, that is filled
	most   int64          // bytes

	sharing *account      // of appenders; nil: there are none
	pieces  scratch.Arena // of them
}

// slice is rows of elements without pointers.
type slice[E any] struct {
	f       *fixed[E]
	all     []E
	grows   bool // all takes memory as it is needed
	inOrder bool

	// Of appenders: elements that wait in pieces, for memory where they are sorted.
	pieces  [][]E
	waiting int
	whole   scratch.Arena // of all, also of a run that Sync has begun early
}

func (f *fixed[E]) size() int64 { return int64(unsafe.Sizeof(*new(E))) }

func (f *fixed[E]) Input() rows[E] { return &slice[E]{f: f, grows: true} }

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
	switch { // memory is of the parts of merges that failed
	case len(f.memory) >= 2*l.fill:
		r.all, r.grows = f.halfOf(f.half), false
		return
	case f.memory != nil:
		f.free()
	}
	n := min(max(4*len(r.all), len(r.all)+more, leastGrown), l.fill)
	r.all = f.take(n, r.all)[:len(r.all)]
	f.Count(min(2*int64(n)*f.size()+scratchBytes(f.s.order, n, l.workers, l.limit), l.bytes))
}

// leastGrown is the number of elements that the first Append makes room for.
const leastGrown = 1024

// Next takes the memory of the whole sort for the second run. What the rows had is given back
// before the scratch memory of another sort is taken.
func (f *fixed[E]) Next(full rows[E]) rows[E] {
	if f.sharing != nil {
		f.sharing.begin(full.Memory(), full.Len())
		return f.Input()
	}
	if f.memory == nil {
		r := full.(*slice[E])
		if len(r.all) <= f.s.layout.fill/earlyShare && f.s.lent == 0 {
			r.moveOut()
			f.free()
			return f.Input()
		}
		f.memory = f.take(2*f.s.layout.fill, r.all)
		r.all = f.memory[:len(r.all)]
		f.most = f.s.layout.bytes
		scratch.DropIdle()
	}
	f.half = 1 - f.half
	return &slice[E]{f: f, all: f.halfOf(f.half)}
}

// earlyShare is the part of a run up to which a run that Sync begins does not make [fixed.Next] take the memory of the whole
// sort: beside its copy, the next elements take less than that while they grow.
const earlyShare = 4

// moveOut copies the elements to memory of their own, until they are written.
func (r *slice[E]) moveOut() {
	all := scratch.Take[E](&r.whole, len(r.all))
	copy(all, r.all)
	r.all = all
}

// halfOf returns an empty half of the memory, for as many elements as can be sorted beside the indices.
func (f *fixed[E]) halfOf(half int) []E {
	l := &f.s.layout
	n := l.fill
	if less := f.s.lent; less > 0 {
		free := scratchBytes(f.s.order, n, l.workers, l.limit) - less
		n = (n+1)/2 + sort.Search(n/2, func(more int) bool {
			return scratchBytes(f.s.order, (l.fill+1)/2+more+1, l.workers, l.limit) > free
		})
		if missing := scratchBytes(f.s.order, n, l.workers, l.limit) - free; missing > 0 {
			f.s.beyond = max(f.s.beyond, f.s.excess()-less+missing)
		}
	}
	return f.memory[half*l.fill:][:0:n]
}

func (f *fixed[E]) Waits(rows[E]) bool { return false }

func (f *fixed[E]) Written(r rows[E]) {
	r.Release()
	if f.sharing != nil {
		f.sharing.out = 0
	}
}

// Share writes the filled half, if the memory is in halves.
func (f *fixed[E]) Share(fill rows[E]) (rows[E], error) {
	s, r := f.s, f.Input()
	switch {
	case f.memory == nil:
		r.Adopt(f.pieceOf(fill.(*slice[E]).all))
	case fill.Len() > 0:
		if err := s.settleFill(); err != nil {
			return nil, err
		}
		next, err := s.writeRun(s.fill, nil)
		if err != nil {
			return nil, err
		}
		s.fill = next // not for Append, which does not lock
		fallthrough
	default:
		if err := s.waitForRun(); err != nil {
			return nil, err
		}
	}
	f.free()
	total := s.options.memory - s.options.memory/indexShare - s.layout.writer
	f.sharing = &account{total: total, copies: 2, many: boundsOf(s.order, total, s.layout.workers, s.options.memory)}
	return r, nil
}

// pieceOf returns a copy of elements.
func (f *fixed[E]) pieceOf(all []E) piece[E] {
	p := f.NewPiece(len(all), len(all))
	p.all = append(p.all, all...)
	return p
}

func (f *fixed[E]) Join(all []*Appender[E]) rows[E] {
	joined, taken := &slice[E]{f: f}, int64(0)
	for _, a := range all {
		r := a.rows.(*slice[E])
		joined.pieces, joined.waiting, taken = append(joined.pieces, r.pieces...), joined.waiting+r.waiting, taken+r.Memory()
	}
	if !f.sharing.fits(taken, joined.waiting) {
		taken = 0
		for i, left := 0, joined.waiting; left > 0; i++ {
			taken, left = taken+f.PieceBytes(cap(joined.pieces[i])), left-cap(joined.pieces[i])
		}
		if !f.sharing.fits(taken, joined.waiting) {
			return nil
		}
		joined.moveUp()
	}
	return joined
}

// pieceShare is the part of the memory that a piece has, and pieceMost the most bytes.
const (
	pieceShare = 256
	pieceMost  = 256 << 10
)

func (f *fixed[E]) PieceLen(int, int64, int64) (size, most int) {
	n := int(min(f.sharing.total/pieceShare, pieceMost) / f.size())
	return max(n, 1), max(n, 1)
}

func (f *fixed[E]) PieceBytes(size int) int64 { return scratch.Size(size, unsafe.Sizeof(*new(E))) }

func (f *fixed[E]) NewPiece(size, most int) piece[E] {
	return piece[E]{all: scratch.Take[E](&f.pieces, size)[:0], size: size, most: most}
}

func (f *fixed[E]) Account() *account { return f.sharing }

func (f *fixed[E]) Count(bytes int64) { f.most = max(f.most, bytes) }

// Block returns a number of elements.
func (f *fixed[E]) Block(int64, int64) int {
	l, each := &f.s.layout, f.size()+f.s.store.IndexBytes() // of the index, for a block
	target := max(l.index/(4*each), 1)
	return int(min(max(int64(l.block), f.s.stats.Elements/target), int64(max(l.part/9, 1)))) // half of the memory can merge two runs, too
}

func (f *fixed[E]) NewWriter(n, bytes int64, block int, number uint64) (*runWriter[E], error) {
	w, err := f.s.openRun(bytes, block*int(f.size()), number)
	if err != nil {
		return nil, err
	}
	w.run.n, w.run.block, w.run.inBlock = n, block, block
	w.run.several, w.run.severalBytes = n, bytes
	w.run.firsts = make([]E, 0, (n+int64(block)-1)/int64(block))
	return w, nil
}

// Restore reads all blocks of a run, of which it keeps the first elements.
func (f *fixed[E]) Restore(bytes *spill.Run, same bool, n int64) (*run[E], error) {
	size := int(f.size())
	if !same || bytes.Block()%size != 0 || n*int64(size) != bytes.Size() {
		return nil, fmt.Errorf("%w: a run of %d elements has %d bytes", ErrCorrupt, n, bytes.Size())
	}
	block := bytes.Block() / size
	r := &run[E]{bytes: bytes, n: n, block: block, inBlock: block, spread: bytes.Block(), several: n, severalBytes: bytes.Size()}
	from := spill.NewReader(scratch.Pages(spill.BytesFor(bytes)), f.s.layout.packing)
	err := from.Read(bytes, 0, bytes.Blocks(), func(_, _ int, p []byte) error {
		all := elementsOf[E](p)
		var last *E
		if n := len(r.firsts); n > 0 {
			last = &r.firsts[n-1]
		}
		for i := 0; i < len(all); i += block {
			if err := f.s.inOrder(last, &all[i]); err != nil {
				return err
			}
			r.firsts = append(r.firsts, all[i])
			last = &all[i]
		}
		return nil
	})
	return r, err
}

func (f *fixed[E]) IndexBytes(r *run[E]) int64 {
	return int64(cap(r.firsts)) * f.size()
}

// forParts returns memory for buffers of n elements, or of as many as there are in all runs.
func (f *fixed[E]) forParts(buffers, n int) (memory []E, each int) {
	all := int64(0)
	for _, r := range f.s.runs {
		all += r.n
	}
	n = int(min(int64(n), all))
	if len(f.memory) < buffers*n { // there were appenders, or Sync began a run early
		f.free()
		f.memory = f.take(buffers*n, nil)
		l := &f.s.layout
		f.most = max(f.most, min(l.bytes, f.PieceBytes(buffers*n)+int64(l.workers)*scratchBytes(f.s.order, n, l.workers, l.limit)))
	}
	return f.memory, n
}

func (f *fixed[E]) Find(_ *loader, p []byte, e *E, ties bool) (int, error) {
	all := elementsOf[E](p)
	return sort.Search(len(all), func(i int) bool { return after(f.s.order, all[i], e, ties) }), nil
}

func (f *fixed[E]) Plan(runs []*run[E], n int, together bool, less int64) plan {
	l, size := &f.s.layout, f.size()
	p := plan{readers: l.readers, workers: l.workers, handing: 1, buffers: l.parts, part: int64(l.part) * size, each: size}
	if n > 0 {
		p = plan{readers: n, workers: n, handing: n, buffers: n, part: int64(partFor(l, f.s.order, n)) * size, each: size}
	}
	p.reader, p.less = l.readerFor(longest(runs), p.readers), less
	if n == 0 && p.part < wantedPart(runs, p, together) && f.s.readsAhead(runs) {
		for workers := l.workers; workers >= 1; workers-- {
			if long := f.longParts(runs, p, workers); long.part > p.part {
				p = long
			}
			if fits(runs, p, together) {
				break
			}
		}
	}
	for n == 0 && p.workers > 1 && f.Unused(p) < 0 {
		p.workers--
	}
	return p
}

// longParts returns a plan with the longest parts that leave memory to read ahead half of one at a time:
// with fewer buffers and one reader.
func (f *fixed[E]) longParts(runs []*run[E], p plan, workers int) plan {
	p.readers, p.workers, p.buffers = 1, workers, workers+2
	ends := endsBytes(runs, 1)
	part := sort.Search(2*f.s.layout.fill/p.buffers, func(n int) bool {
		p.part = int64(n+1) * f.size()
		return f.Unused(p) < ends+p.part
	})
	p.part = int64(part) * f.size()
	return p
}

func (f *fixed[E]) Unused(p plan) int64 {
	l := &f.s.layout
	return l.forMerge(f.size()) - p.less - mergeBytes(l, f.s.order, p.elements(), p.workers, p.readers, p.reader)
}

func (f *fixed[E]) Buffers(p plan) []rows[E] {
	all := make([]rows[E], p.buffers)
	memory, n := f.forParts(p.buffers, p.elements())
	for i := range all {
		all[i] = &slice[E]{f: f, all: memory[i*n : i*n : (i+1)*n]}
	}
	return all
}

func (f *fixed[E]) Held() int64 { return f.most }

func (f *fixed[E]) Own([]E) {}

// free gives the memory of rows and parts back.
func (f *fixed[E]) free() {
	if f.arena != nil {
		f.arena.Release(f.s.layout.workers)
	}
	f.arena, f.memory = nil, nil
}

func (f *fixed[E]) Release() {
	f.free()
	f.pieces.Release(f.s.layout.workers)
}

func (r *slice[E]) Len() int { return len(r.all) + r.waiting }

func (r *slice[E]) Bytes() int64 { return int64(r.Len()) * r.f.size() }

func (r *slice[E]) Memory() int64 {
	all := int64(0)
	for _, p := range r.pieces {
		all += r.f.PieceBytes(cap(p))
	}
	if len(r.all) > 0 {
		all += r.f.PieceBytes(len(r.all))
	}
	return all
}

func (r *slice[E]) Adopt(p piece[E]) {
	r.Reopen()
	if len(p.all) == 0 {
		scratch.Give(&r.f.pieces, p.all, 1)
		return
	}
	r.pieces, r.waiting, r.inOrder = append(r.pieces, p.all), r.waiting+len(p.all), false
}

// Reopen turns elements of appenders that are in order into a piece.
func (r *slice[E]) Reopen() {
	if len(r.all) > 0 {
		p := r.f.pieceOf(r.all)
		r.pieces, r.waiting, r.all, r.inOrder = append(r.pieces, p.all), len(p.all), nil, false
		r.whole.Release(1)
	}
}

// gather copies pieces to memory where they can be sorted.
func (r *slice[E]) gather() {
	r.all = scratch.Take[E](&r.whole, r.waiting)[:0]
	for _, p := range r.pieces {
		r.all = append(r.all, p...)
	}
	r.waiting = 0
}

// moveUp moves the elements of pieces to the front of these, and gives those that are then empty back. No
// element moves to a later place.
func (r *slice[E]) moveUp() {
	to, filled := 0, 0
	for _, from := range r.pieces {
		for len(from) > 0 {
			p := r.pieces[to]
			n := copy(p[filled:cap(p)], from)
			filled, from = filled+n, from[n:]
			if r.pieces[to] = p[:filled]; filled == cap(p) {
				to, filled = to+1, 0
			}
		}
	}
	if filled > 0 {
		to++
	}
	for _, p := range r.pieces[to:] {
		scratch.Give(&r.f.pieces, p, 1)
	}
	r.pieces = r.pieces[:to]
}

// freePieces gives the memory of pieces back.
func (r *slice[E]) freePieces() {
	for _, p := range r.pieces {
		scratch.Give(&r.f.pieces, p, 1)
	}
	r.pieces = nil
}

func (r *slice[E]) append(e []E) int {
	if r.grows && len(r.all) == cap(r.all) && cap(r.all) < r.f.s.layout.fill {
		r.grow(len(e))
	}
	n := min(len(e), cap(r.all)-len(r.all))
	if n > 0 {
		r.all, r.inOrder = append(r.all, e[:n]...), false
	}
	return n
}

func (r *slice[E]) HalfFree() bool { return len(r.all) <= cap(r.all)/2 }

func (r *slice[E]) Load(run *run[E], from, _ int, p []byte, begin, end int64) error {
	if end-begin > int64(cap(r.all)-len(r.all)) {
		return errKeys
	}
	at := run.start(from)
	r.all = append(r.all, elementsOf[E](p)[begin-at:end-at]...)
	return nil
}

func (r *slice[E]) Reset() { r.all = r.all[:0] }

func (r *slice[E]) Sort(inOrder bool, opts []sorter.Option) error {
	if len(r.pieces) > 0 {
		n := r.waiting
		r.gather()
		defer func() {
			if !r.inOrder {
				r.all, r.waiting = nil, n
				r.whole.Release(1)
			}
		}()
	}
	if !inOrder {
		if err := r.f.s.order.Sort(r.all, opts...); err != nil {
			return err
		}
	}
	r.inOrder = true
	r.freePieces()
	return nil
}

func (r *slice[E]) Sorted() bool { return r.inOrder }

func (r *slice[E]) Compact(before *E) {
	n := 0
	for _, e := range r.all {
		if before == nil || r.f.s.order.Compare(*before, e) != 0 {
			r.all[n] = e
			before = &r.all[n]
			n++
		}
	}
	r.all = r.all[:n]
}

func (r *slice[E]) Truncate(n int) { r.all = r.all[:n] }

func (r *slice[E]) Last() (E, error) { return r.all[len(r.all)-1], nil }

func (r *slice[E]) LastBytes() int64 { return 0 }

func (r *slice[E]) Hand(lo, hi int, yield func([]E) bool) bool {
	return lo == hi || yield(r.all[lo:hi:hi])
}

func (r *slice[E]) Write(w *runWriter[E]) error {
	b := int64(w.run.block)
	for i := (b - w.n%b) % b; i < int64(len(r.all)); i += b {
		w.run.firsts = append(w.run.firsts, r.all[i])
	}
	w.n += int64(len(r.all))
	return w.out.Append(bytesOf(r.all))
}

func (r *slice[E]) Release() {
	r.freePieces()
	r.whole.Release(r.f.s.layout.workers)
}

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

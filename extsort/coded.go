package extsort

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"unsafe"

	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/spill"
)

// coded keeps elements as a codec encodes them, each after its length. Elements are decoded
// where they are compared.
type coded[E any] struct {
	s      *Sorter[E]
	codec  Codec[E]
	lender lender[E] // the codec, or nil if decoded elements have memory of their own

	memory  account
	one     bounds // of scratch memory of sorts of parts
	chunk   int    // bytes of memory to take at a time
	least   int    // bytes of a block of the first runs
	largest int64  // bytes of an element
	most    int64  // bytes of memory

	sharing bool          // there are appenders
	pieces  scratch.Arena // of them
}

// pack is rows of encoded elements.
type pack[E any] struct {
	f      *coded[E]
	own    scratch.Arena // memory of chunks
	chunks [][]byte      // each an element or more; the last is filled
	taken  int64         // bytes of chunks
	n      int           // elements
	size   int64         // bytes of them
	most   int           // elements, as long as no chunk is added
	fixed  bool          // no chunk may be added: the buffer of a part
	buf    []byte        // of an element that is encoded

	decoded scratch.Arena // of the fields below
	all     []E           // decoded
	starts  []uint64      // of all: number of the chunk and place there
	numbers []uint32      // memory of order
	order   []uint32      // of all; nil: not in order
}

// newCoded returns the form of elements of a codec.
func newCoded[E any](s *Sorter[E], c Codec[E]) (*coded[E], error) {
	f := &coded[E]{s: s, codec: c}
	f.lender, _ = c.(lender[E])
	limit := s.options.memory
	if f.layOut(limit) {
		return f, nil
	}
	return nil, tooLittle(limit, leastWhere(limit, f.layOut))
}

// layOut divides a limit of memory, and reports whether it is enough.
func (f *coded[E]) layOut(limit int64) bool {
	s := f.s
	workers := int(min(int64(s.crew()), max(2, limit/workerBytes)))
	s.layout = layout{workers: workers, readers: 1, index: limit / indexShare, buffer: int(min(max(limit/indexShare, 8<<10), spill.CodedBufferBytes(limit)+spill.Align))}
	if limit >= manyReaders {
		s.layout.readers = 4
	}
	s.layout.packing = packingOf(s.compress, limit, workers, s.packs)
	s.layout.writer = int64(s.layout.buffer) + s.layout.packing.WriterBytes()
	f.least = int(min(max(limit>>14, 256), 64<<10))
	if s.layout.packing.Active() {
		f.least = max(f.least, min(packedBlock, int(limit>>9)))
	}
	total := limit - s.layout.index - s.layout.writer - int64(f.least)
	if total < leastFill*(2*f.elementBytes()+64) {
		return false
	}
	f.chunk = chunkBytes(total/64, 4<<20)
	f.memory = account{total: total, copies: f.copies(), each: f.elementBytes(), places: indexBytes, many: boundsOf(s.order, total, workers, limit)}
	f.one = boundsOf(s.order, total, 1, limit)
	f.largest = f.longestTaken()
	return f.largest >= int64(f.least)
}

// longestTaken returns the bytes of the longest element that fits.
func (f *coded[E]) longestTaken() int64 {
	return int64(sort.Search(int(min(f.memory.total, math.MaxInt)), func(n int) bool { return !f.takes(int64(n) + 1) }))
}

// takes reports whether elements of up to some bytes fit: a run of one, where another is written and
// appenders have pieces, and the merge of two runs whatever their other elements are. Blocks of several
// elements may be longer: so whatever a sort has written, it can resume.
func (f *coded[E]) takes(bytes int64) bool {
	block := int(bytes) + binary.MaxVarintLen64
	run := f.memory
	run.total -= run.total / 8
	return run.fits(scratch.Size(max(block, f.chunk), 1), 1) &&
		2*int64(block)+f.samplesReader(block) <= f.memory.total && f.mergeable(max(block, f.mostBlock()))
}

// mergeable reports whether two runs can be merged whose largest block has some bytes. It is of one element, if
// it is longer than mostBlock.
func (f *coded[E]) mergeable(block int) bool {
	for each := int64(leastEach); each <= f.memory.total/4; each *= 2 {
		p := f.divide(plan{readers: 1, workers: 1, handing: 1, buffers: 1, each: each}, block)
		if apart := 2 * max(int64(f.mostBlock()), int64(f.mostIn(f.mostBlock()))*each); apart <= p.part/2 && apart+int64(block) <= p.part {
			return true
		}
	}
	return false
}

// tooLong returns the error of an element of some bytes, which names the limit that has room for it.
func (f *coded[E]) tooLong(bytes int) error {
	return &LengthError{int64(bytes), f.largest, f.s.options.memory, f.needFor(bytes)}
}

// needFor returns the limit that has room for an element of some bytes.
func (f *coded[E]) needFor(bytes int) int64 {
	o := &f.s.options // of which AddDir changes others meanwhile
	same := options{memory: o.memory, workers: o.workers, unique: o.unique, engine: o.engine, compress: o.compress, packs: o.packs}
	g := &coded[E]{s: &Sorter[E]{options: same, order: f.s.order}, codec: f.codec, lender: f.lender}
	return leastWhere(f.s.options.memory, func(limit int64) bool { return g.layOut(limit) && g.largest >= int64(bytes) })
}

// leastWhere returns a limit from which on enough is true, where it is false: math.MaxInt64 if there is none.
func leastWhere(limit int64, enough func(limit int64) bool) int64 {
	const most = min(math.MaxInt, 1<<48)
	need := limit
	for !enough(need) {
		if need >= most {
			return math.MaxInt64
		}
		need = min(2*need, most)
	}
	return need - int64(sort.Search(int(need-limit), func(less int) bool { return !enough(need - int64(less)) })) + 1
}

// mostBlock returns the bytes of the largest block of several elements. With little memory it is shorter: two
// of them have to fit a part beside the longest element.
func (f *coded[E]) mostBlock() int {
	total := f.memory.total
	return max(f.least, int(total/256), int((total-64<<10)/32))
}

// mostIn returns the most elements of a block of up to some bytes. Those of the largest blocks are as long as
// eight short ones: more would make parts too uncertain, which have at least a fourth of an element's own
// memory for each.
func (f *coded[E]) mostIn(block int) int {
	each := max(leastEach, int(f.elementBytes()/4))
	return max(min(block, int(f.memory.total/256))/each, 1)
}

// chunkBytes returns a power of two of at least 512 and at most some bytes, about a share of
// memory: blocks of that size are pooled as they are.
func chunkBytes(share, most int64) int {
	return 1 << (bits.Len64(uint64(min(max(share, 512), most))) - 1)
}

// elementBytes returns the memory of a decoded element, with its place and its number.
func (f *coded[E]) elementBytes() int64 { return int64(unsafe.Sizeof(*new(E))) + indexBytes }

const indexBytes = 8 + 4

// copies returns how often the bytes of an element are in memory while it is sorted.
func (f *coded[E]) copies() int64 {
	if f.lender != nil {
		return 1
	}
	return 2
}

func (f *coded[E]) Input() rows[E] { return &pack[E]{f: f} }

// Next lets the next run have as much memory as this one: one is written while the other is
// filled and sorted.
func (f *coded[E]) Next(full rows[E]) rows[E] {
	p := full.(*pack[E])
	f.memory.begin(p.taken, p.n)
	p.forgetDecoded()
	return f.Input()
}

func (f *coded[E]) Written(r rows[E]) {
	f.memory.out = 0
	r.Release()
}

func (f *coded[E]) Waits(r rows[E]) bool {
	p := r.(*pack[E])
	return f.memory.waits(p.taken, p.n)
}

func (f *coded[E]) Share(fill rows[E]) (rows[E], error) {
	f.sharing = true
	return fill, nil
}

func (f *coded[E]) Join(all []*Appender[E]) rows[E] {
	first := all[0].rows.(*pack[E]) // some chunks are its own
	chunks, n, size, taken := slices.Clip(first.chunks), first.n, first.size, first.taken
	for _, a := range all[1:] {
		p := a.rows.(*pack[E])
		chunks, n, size, taken = append(chunks, p.chunks...), n+p.n, size+p.size, taken+p.taken
	}
	used, every := len(chunks), func(int) bool { return true }
	if !f.memory.fits(taken, n) {
		used = moveUp(chunks, false, every)
		if !f.memory.fits(memoryOf(chunks[:used]), n) {
			return nil
		}
		moveUp(chunks, true, every)
	}
	first.chunks, first.n, first.size, first.taken = chunks, n, size, taken
	first.keep(used)
	return first
}

// PieceLen returns a number of elements that most pieces do not reach, and of which the memory has
// room for many.
func (f *coded[E]) PieceLen(need int, bytes, n int64) (size, most int) {
	if size = f.pieceBytes(); need > size {
		return need, 1
	}
	each := int64(32) // bytes of an element, as long as none are known
	if n > 0 {
		each = max(bytes/n, 1)
	}
	all := f.memory.many.mostWhere(func(n int) bool { return f.memory.fits(f.PieceBytes(size), n) })
	return size, max(min(16+int(int64(size)/each), all/8), 1)
}

// pieceBytes is the size of pieces that have several elements.
func (f *coded[E]) pieceBytes() int { return chunkBytes(f.memory.total/pieceShare, pieceMost) }

func (f *coded[E]) PieceBytes(size int) int64 { return scratch.Size(size, 1) }

func (f *coded[E]) NewPiece(size, most int) piece[E] {
	return piece[E]{code: scratch.Take[byte](&f.pieces, size)[:0], size: size, most: most}
}

func (f *coded[E]) Account() *account { return &f.memory }

func (f *coded[E]) Count(bytes int64) { f.most = max(f.most, bytes) }

// leastEach is the number of bytes that an element of a block or a part counts as at least. A part
// takes memory for each of its elements: of short ones it would have too many, and blocks of them
// would make it too uncertain.
const leastEach = 32

// Block returns a number of bytes. Blocks are as long as the share of indices demands if these have all first
// elements, up to a 256th of the memory, and if they have only short ones, up to a 32nd.
func (f *coded[E]) Block(n, bytes int64) int {
	index, least := f.s.layout.index, 2*f.blockBytes()
	length := bytes / max(n, 1)
	first := length + int64(unsafe.Sizeof(*new(E))) + f.blockBytes()
	if length <= alwaysHeld {
		least = first
	}
	all := f.s.store.Totals().Bytes + bytes
	block := max(int64(f.least), max(all, f.s.stats.Elements*leastEach)/max(index/(4*first), 1))
	most := max(f.memory.total/256, all/max(index/least, 1))
	return int(min(block, most, int64(f.mostBlock())))
}

func (f *coded[E]) NewWriter(n, bytes int64, block int, number uint64) (*runWriter[E], error) {
	w, err := f.s.openRun(bytes, 0, number)
	if err != nil {
		return nil, err
	}
	w.run.n, w.run.least, w.most, w.mostIn = n, leastEach, block, f.mostIn(block)
	w.run.target, w.run.room = block, f.room(n, bytes, block)
	return w, nil
}

// room returns the memory for first elements of a run that has some bytes in blocks of up to a number: the part
// of the share of indices that those of other runs, and the rest of its own, leave.
func (f *coded[E]) room(n, bytes int64, block int) int64 {
	blocks := max(bytes, n*leastEach)/int64(block) + 1
	return f.s.layout.index - f.s.indexBytes() - blocks*f.blockBytes()
}

// blockBytes is the memory of the index for a block, without its first element: where it starts and
// ends, and its checksum.
func (f *coded[E]) blockBytes() int64 { return 8 + 8 + f.s.store.IndexBytes() }

// alwaysHeld is the number of bytes up to which first elements are in memory.
const alwaysHeld = 128

// holds reports whether an index has a first element of some bytes in memory. Those of up to 128 bytes, or a
// 256th of a block, always are. Others are where the indices have room, unless they are longer than a 256th of
// that: then few would be.
func (f *coded[E]) holds(r *run[E], bytes int) bool {
	const share = 256
	return bytes <= max(alwaysHeld, r.target/share) || int64(bytes) <= min(f.s.layout.index/share, r.room)
}

// allocated is the memory of some bytes: that of the size classes of Go's allocator, about.
func allocated(bytes int) int64 { return int64(bytes+bytes/16+15) &^ 15 }

// index adds a block to the index of a run. It starts with an element at a place.
func (f *coded[E]) index(r *run[E], first []byte, place int64) error {
	block, bytes := len(r.starts), allocated(len(first))+int64(unsafe.Sizeof(*new(E)))
	r.starts = append(r.starts, place)
	if !f.holds(r, len(first)) {
		if r.held == nil {
			r.held = make([]int, block)
			for i := range r.held {
				r.held[i] = i
			}
		}
		return nil
	}
	e, err := f.decodeCopy(first)
	if err != nil {
		return err
	}
	r.firsts, r.room, r.indexed = append(r.firsts, e), r.room-bytes, r.indexed+bytes
	if r.held != nil {
		r.held = append(r.held, block)
	}
	return nil
}

// checkBlocks returns ErrMemoryLimit, with the limit that is enough, if kept runs have blocks that do not fit the
// memory. A block may be one element.
func (f *coded[E]) checkBlocks(runs []*spill.Run) error {
	block := 0
	for _, r := range runs {
		block = max(block, r.Block())
	}
	if longest := block - lengthBytes(block); int64(longest) > f.largest {
		return fmt.Errorf("%w, for kept runs with blocks of %d", tooLittle(f.s.options.memory, f.needFor(longest)), block)
	}
	return nil
}

// Restore reads all elements of a run, of which it decodes the first of each block.
func (f *coded[E]) Restore(bytes *spill.Run, _ bool, n int64) (*run[E], error) {
	block := max(int(bytes.Size()/int64(max(bytes.Blocks(), 1))), f.least)
	r := &run[E]{bytes: bytes, least: leastEach, target: block, room: f.room(n, bytes.Size(), block)}
	reader := min(spill.BytesFor(bytes), max(bytes.Block(), int(f.memory.total/8))+4*spill.Align)
	from := spill.NewReader(scratch.Pages(reader), f.s.layout.packing)
	var last *E // the first element of the block before
	err := from.Read(bytes, 0, bytes.Blocks(), func(block, to int, p []byte) error {
		at := bytes.Offset(block)
		for ; block < to; block++ {
			if err := f.restoreBlock(r, p[bytes.Offset(block)-at:bytes.Offset(block+1)-at], &last); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && r.n != n {
		err = fmt.Errorf("%w: a run of %d elements has %d", ErrCorrupt, n, r.n)
	}
	return r, err
}

// restoreBlock adds a block to the index of a run.
func (f *coded[E]) restoreBlock(r *run[E], p []byte, last **E) error {
	size, in := len(p), 0
	for ; len(p) > 0; in++ {
		length, k := binary.Uvarint(p)
		if k <= 0 || length > uint64(len(p)-k) {
			return fmt.Errorf("%w: an element of %d bytes in a block of %d", ErrCorrupt, length, size)
		}
		if in == 0 {
			first, err := f.decodeCopy(p[k : k+int(length)])
			if err == nil {
				err = f.s.inOrder(*last, &first)
			}
			if err == nil {
				err = f.index(r, p[k:k+int(length)], r.n)
			}
			if *last = &first; err != nil {
				return err
			}
		}
		p = p[k+int(length):]
	}
	r.n += int64(in)
	r.counts(in, size)
	return nil
}

func (f *coded[E]) IndexBytes(r *run[E]) int64 {
	return 8*int64(cap(r.starts)) + r.indexed + int64(cap(r.firsts)-len(r.firsts))*int64(unsafe.Sizeof(*new(E))) + 8*int64(cap(r.held))
}

// decode returns the element of an encoding. It is valid as long as the bytes are, unless the
// codec has copied them.
func (f *coded[E]) decode(src []byte) (E, error) {
	if f.lender != nil {
		return f.lender.Lend(src), nil
	}
	return f.copied(src)
}

// copied returns the element of an encoding as the codec makes it.
func (f *coded[E]) copied(src []byte) (E, error) {
	e, err := f.codec.Decode(src)
	if err != nil {
		err = &CodecError{"decode", int64(len(src)), err}
	}
	return e, err
}

// decodeCopy returns the element of an encoding, which does not refer to src.
func (f *coded[E]) decodeCopy(src []byte) (e E, err error) {
	n := len(src)
	err = decodeAll(&n, func() error {
		e, err = f.copied(src)
		return err
	})
	return e, err
}

// split returns the first encoding in p, and the number of bytes that it takes with its length.
func split(p []byte) (e []byte, n int) {
	if len(p) > 0 && p[0] < 0x80 { // most lengths
		n = 1 + int(p[0])
		return p[1:n], n
	}
	size, k := binary.Uvarint(p)
	n = k + int(size)
	return p[k:n], n
}

func (f *coded[E]) Find(d *loader, p []byte, e *E, ties bool) (int, error) {
	d.offsets = d.offsets[:0]
	for at := 0; at < len(p); {
		d.offsets = append(d.offsets, at)
		_, n := split(p[at:])
		at += n
	}
	var failed error
	place := sort.Search(len(d.offsets), func(i int) bool {
		if failed != nil {
			return true
		}
		src, _ := split(p[d.offsets[i]:])
		x, err := f.probe(src)
		failed = err
		return err != nil || after(f.s.order, x, e, ties)
	})
	return place, failed
}

// probe is decode of one element.
func (f *coded[E]) probe(src []byte) (e E, err error) {
	if f.lender != nil {
		return f.lender.Lend(src), nil
	}
	return f.decodeCopy(src)
}

// Plan takes fewer goroutines, and of two runs or those with long elements one buffer, if blocks are so large
// that each needs much memory. If that is not enough, elements count for more bytes than they have on average: a part of fewer
// elements has room for longer ones. The last try is the least bytes, for which short elements are least
// uncertain.
func (f *coded[E]) Plan(runs []*run[E], n int, together bool, less int64) plan {
	each := eachOf(runs)
	first := f.planOf(runs, n, each, together, less)
	for _, each := range [...]int64{each, leastEach} {
		for ; each <= max(f.memory.total/4, leastEach); each *= 2 {
			if p := f.planOf(runs, n, each, together, less); fits(runs, p, together) {
				return p
			}
		}
	}
	return first
}

// planOf is Plan of elements that count for at least each bytes.
func (f *coded[E]) planOf(runs []*run[E], n int, each int64, together bool, less int64) plan {
	l, block := &f.s.layout, longest(runs)
	if n > 0 {
		return f.divide(plan{readers: n, workers: n, handing: n, buffers: n, each: each, less: less}, block)
	}
	crew := []plan{{readers: l.readers, workers: l.workers}, {readers: 1, workers: l.workers}, {readers: 1, workers: 1}}
	if len(runs) <= 2 || block > f.mostBlock() { // which no merge before makes fewer, or shorter
		crew = append(crew, plan{readers: 1, workers: 1, buffers: 1})
	}
	var p plan
	for _, p = range crew {
		if p.handing, p.each, p.less = 1, each, less; p.buffers == 0 {
			p.buffers = p.readers + p.workers + 1
		}
		p = f.divide(p, block)
		if fits(runs, p, together) {
			break
		}
	}
	return p
}

// divide sets the largest parts of a plan, for runs whose longest block has some bytes.
func (f *coded[E]) divide(p plan, block int) plan {
	p.reader = max(block, min(64*block, int(f.memory.total/8)/p.readers, spill.MostRead)) + 4*spill.Align
	rest := f.memory.total - p.less - int64(p.readers)*f.s.layout.packing.ReaderBytes(p.reader)
	if f.s.unique {
		rest -= int64(block) // the last element of the part before
	}
	p.part = int64(sort.Search(int(max(rest, 0)), func(part int) bool {
		return f.partsBytes(p, int64(part)+1) > rest
	}))
	return p
}

// partsBytes bounds the memory of the buffers of a plan for parts of some bytes, and of those who sort and
// hand out.
func (f *coded[E]) partsBytes(p plan, part int64) int64 {
	n := int(part / p.each)
	buffer := f.copies()*part + int64(n)*f.elementBytes()
	batch := int64(min(n, batchLen)) * int64(unsafe.Sizeof(*new(E)))
	return int64(p.buffers)*buffer + int64(p.handing)*batch + int64(p.workers)*f.one.of(n)
}

func (f *coded[E]) Unused(p plan) int64 {
	readers := int64(p.readers) * f.s.layout.packing.ReaderBytes(p.reader)
	return f.memory.total - p.less - readers - f.partsBytes(p, p.part)
}

func (f *coded[E]) Buffers(p plan) []rows[E] {
	all := make([]rows[E], p.buffers)
	for i := range all {
		b := &pack[E]{f: f, most: p.elements(), fixed: true}
		b.chunks = [][]byte{scratch.TakeExact[byte](&b.own, int(p.part))[:0]}
		b.all = scratch.TakeExact[E](&b.decoded, b.most)
		b.starts = scratch.TakeExact[uint64](&b.decoded, b.most)
		b.numbers = scratch.TakeExact[uint32](&b.decoded, b.most)
		all[i] = b
	}
	f.most = max(f.most, f.s.options.memory)
	return all
}

func (f *coded[E]) Held() int64 { return f.most }

func (f *coded[E]) Own(batch []E) {
	if f.lender != nil {
		f.lender.Own(batch)
	}
}

func (f *coded[E]) Release() { f.pieces.Release(f.s.layout.workers) }

package extsort

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/fetch"
	"example.com/sorter/internal/scratch"
)

// batchLen is the number of decoded elements that are handed out at a time.
const batchLen = 512

func (p *pack[E]) Len() int { return p.n }

func (p *pack[E]) Bytes() int64 { return p.size }

func (p *pack[E]) Memory() int64 { return p.taken }

func (p *pack[E]) Adopt(from piece[E]) {
	p.Reopen()
	if from.n == 0 {
		scratch.Give(&p.f.pieces, from.code, 1)
		return
	}
	p.chunks = append(p.chunks, from.code)
	p.taken += scratch.Size(cap(from.code), 1)
	p.n, p.size = p.n+from.n, p.size+int64(len(from.code))
}

// append encodes elements to the chunks.
func (p *pack[E]) append(e []E) (int, error) {
	p.Reopen()
	for i := range e {
		src, err := p.f.encode(&p.buf, e[i])
		if err != nil {
			return i, err
		}
		if !p.add(src) {
			return i, nil
		}
	}
	return len(e), nil
}

// encode returns the encoding of e, valid until the next in buf.
func (f *coded[E]) encode(buf *[]byte, e E) ([]byte, error) {
	src := []byte(nil)
	if f.lender != nil {
		src = f.lender.Bytes(e)
	} else {
		whole, err := f.codec.Append(append((*buf)[:0], given...), e)
		if err == nil && (len(whole) < len(given) || string(whole[:len(given)]) != given) {
			err = errGiven
		}
		if err != nil {
			return nil, &CodecError{Op: "append", Err: err}
		}
		if src = whole[len(given):]; cap(src) <= f.chunk {
			*buf = whole
		}
	}
	if int64(len(src)) > f.largest {
		return nil, f.tooLong(len(src))
	}
	return src, nil
}

// given is handed to a codec, which has to append to it: so one that does not is found.
const given = "extsort:"

var errGiven = errors.New("the result does not begin with the bytes that were given")

// appendCode appends an encoding, after its length.
func appendCode(dst, src []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(src))), src...)
}

// add appends an encoding, if there is room.
func (p *pack[E]) add(src []byte) bool {
	c := len(p.chunks) - 1
	need := lengthBytes(len(src)) + len(src)
	if p.n >= p.most || c < 0 || cap(p.chunks[c])-len(p.chunks[c]) < need {
		if !p.makeRoom(need) {
			return false
		}
		c = len(p.chunks) - 1
	}
	p.chunks[c] = appendCode(p.chunks[c], src)
	p.n++
	p.size += int64(need)
	return true
}

// lengthBytes returns the number of bytes of a length before an encoding.
func lengthBytes(n int) int {
	k := 1
	for ; n >= 0x80; n >>= 7 {
		k++
	}
	return k
}

// makeRoom makes room for an encoding of a number of bytes, within the memory of the sort.
func (p *pack[E]) makeRoom(need int) bool {
	f := p.f
	taken, c := p.taken, len(p.chunks)-1
	full := c < 0 || cap(p.chunks[c])-len(p.chunks[c]) < need
	size := f.chunk
	if need > size {
		size = scratch.Fit[byte](need)
	}
	if full {
		taken += scratch.Size(size, 1)
	}
	most := f.memory.many.mostWhere(func(n int) bool { return f.memory.fits(taken, n) })
	if most <= p.n {
		return false
	}
	if p.most = most; full {
		p.addChunk(size)
	}
	return true
}

func (p *pack[E]) addChunk(size int) {
	p.chunks = append(p.chunks, scratch.Take[byte](&p.own, size)[:0])
	p.taken += scratch.Size(size, 1)
}

func (p *pack[E]) HalfFree() bool {
	a := &p.f.memory
	return p.n == 0 || a.sorting(p.size, p.n)+a.writing(p.size, p.n) <= a.total/2
}

// load copies elements with their lengths, from a run to the buffer of a part.
func (p *pack[E]) Load(r *run[E], from, to int, src []byte, begin, end int64) error {
	lo, hi := r.offset(from, src, begin), r.offset(from, src, end)
	c := &p.chunks[0]
	if hi-lo > cap(*c)-len(*c) || end-begin > int64(p.most-p.n) {
		return errKeys
	}
	*c = append(*c, src[lo:hi]...)
	p.n += int(end - begin)
	p.size += int64(hi - lo)
	return nil
}

// offset returns where an element begins in the bytes of blocks from a number on.
func (r *run[E]) offset(from int, src []byte, place int64) int {
	block := min(r.blockAt(place), r.bytes.Blocks()-1)
	at := int(r.bytes.Offset(block) - r.bytes.Offset(from))
	if at >= len(src) {
		return len(src)
	}
	for left := place - r.start(block); left > 0; left-- {
		_, n := split(src[at:])
		at += n
	}
	return at
}

func (p *pack[E]) Reset() {
	if p.f.lender == nil {
		clear(p.all[:p.n])
	}
	p.chunks[0] = p.chunks[0][:0]
	p.n, p.size, p.order = 0, 0, nil
}

// takeDecoded takes memory for n decoded elements.
func (p *pack[E]) takeDecoded(n int) {
	p.all = scratch.Take[E](&p.decoded, n)
	p.starts = scratch.Take[uint64](&p.decoded, n)
	p.numbers = scratch.Take[uint32](&p.decoded, n)
}

// forgetDecoded frees the decoded elements of rows that are in order, except their places.
func (p *pack[E]) forgetDecoded() {
	scratch.Give(&p.decoded, p.all, p.f.s.layout.workers)
	p.all = nil
}

func (p *pack[E]) Sorted() bool { return p.n == 0 || p.order != nil }

func (p *pack[E]) Sort(inOrder bool, opts []sorter.Option) error {
	if p.Sorted() {
		return nil
	}
	if !p.fixed {
		p.takeDecoded(roundUp(p.n))
		p.f.Count(p.f.memory.sorting(p.taken, p.n))
		defer func() {
			if p.order == nil {
				p.decoded.Release(1)
			}
		}()
	}
	if err := p.decode(); err != nil {
		return err
	}
	if inOrder {
		for i := range p.n {
			p.numbers[i] = uint32(i)
		}
		p.order = p.numbers[:p.n]
		return nil
	}
	opts = append(opts[:len(opts):len(opts)], sorter.Into(p.numbers))
	order, err := p.f.s.order.Order(p.all[:p.n], opts...)
	if err == nil {
		p.order = order
	}
	return err
}

// roundUp rounds a number of elements up by less than an eighth: the next run, which has about
// as many, then takes the same memory.
func roundUp(n int) int {
	step := 1 << max(bits.Len(uint(n))-4, 0)
	return (n + step - 1) / step * step
}

// decode decodes all elements.
func (p *pack[E]) decode() error {
	size, i := 0, 0
	return decodeAll(&size, func() error {
		for c, chunk := range p.chunks {
			for at := 0; at < len(chunk); i++ {
				src, n := split(chunk[at:])
				size = len(src)
				e, err := p.f.decode(src)
				if err != nil {
					return err
				}
				p.all[i], p.starts[i] = e, uint64(c)<<placeBits|uint64(at)
				at += n
			}
		}
		return nil
	})
}

// placeBits is the width of a place in a chunk. An element at another place than the first is
// in a chunk that is shorter than 1<<placeBits.
const placeBits = 32

// dropped marks the start of an element that Unique or Limit has dropped.
const dropped = 1 << 63

// encoded returns the encoding of an element, and the same with its length.
func (p *pack[E]) encoded(start uint64) (src, whole []byte) {
	chunk := p.chunks[start>>placeBits][uint32(start):]
	src, n := split(chunk)
	return src, chunk[:n]
}

// drop drops an element that is not in the order any more.
func (p *pack[E]) drop(x uint32) {
	_, whole := p.encoded(p.starts[x])
	p.size -= int64(len(whole))
	p.starts[x] |= dropped
	p.n--
}

func (p *pack[E]) Compact(before *E) {
	unique := p.order[:0]
	for _, x := range p.order {
		if before == nil || p.f.s.order.Compare(*before, p.all[x]) != 0 {
			unique = append(unique, x)
			before = &p.all[x]
		} else {
			p.drop(x)
		}
	}
	p.order = unique
}

func (p *pack[E]) Truncate(n int) {
	for _, x := range p.order[n:] {
		p.drop(x)
	}
	p.order = p.order[:n]
}

func (p *pack[E]) Last() (E, error) {
	src, _ := p.encoded(p.starts[p.order[p.n-1]])
	return p.f.decodeCopy(src)
}

func (p *pack[E]) LastBytes() int64 {
	src, _ := p.encoded(p.starts[p.order[p.n-1]])
	return int64(len(src))
}

// Reopen lets elements be appended to those that are in order. Dropped ones make room: the
// others move to the front, as they came.
func (p *pack[E]) Reopen() {
	if p.order == nil {
		return
	}
	p.keep(moveUp(p.chunks, true, func(i int) bool { return p.starts[i]&dropped == 0 }))
	p.decoded.Release(p.f.s.layout.workers)
	p.all, p.starts, p.numbers, p.order, p.most = nil, nil, nil, nil, 0
}

// memoryOf returns the bytes of memory of chunks.
func memoryOf(chunks [][]byte) int64 {
	bytes := int64(0)
	for _, c := range chunks {
		bytes += scratch.Size(cap(c), 1)
	}
	return bytes
}

// keep frees all but the first n chunks.
func (p *pack[E]) keep(n int) {
	p.taken -= memoryOf(p.chunks[n:])
	for _, c := range p.chunks[n:] {
		scratch.Give(&p.own, c, 1)
		scratch.Give(&p.f.pieces, c, 1) // which it may have been
	}
	p.chunks = p.chunks[:n]
}

// moveUp moves the elements that stay to the front of the chunks, in their order, or only counts. It
// returns how many chunks, 1 at least, they are in then. No element moves to a later place, since it
// would fit where it was.
func moveUp(chunks [][]byte, move bool, stays func(i int) bool) int {
	to, filled, i := 0, 0, 0
	for _, from := range chunks {
		for ; len(from) > 0; i++ {
			_, n := split(from)
			if stays(i) {
				for cap(chunks[to])-filled < n {
					if move {
						chunks[to] = chunks[to][:filled]
					}
					to, filled = to+1, 0
				}
				if move {
					copy(chunks[to][filled:filled+n], from)
				}
				filled += n
			}
			from = from[n:]
		}
	}
	if move {
		chunks[to] = chunks[to][:filled]
	}
	return to + 1
}

func (p *pack[E]) Hand(lo, hi int, yield func([]E) bool) bool {
	batch := make([]E, min(batchLen, hi-lo))
	for ; lo < hi; lo += len(batch) {
		batch = batch[:min(len(batch), hi-lo)]
		for i, x := range p.order[lo : lo+len(batch)] {
			batch[i] = p.all[x]
		}
		if !yield(batch) {
			return false
		}
	}
	return true
}

// group is the number of encodings that are prefetched while those of another group are copied:
// sorted elements are anywhere in the chunks. Their places are, too, and are read for all of the
// group before the first prefetch waits for one.
const group = 32

// fetch reads the places of elements, at most a group, and prefetches encodings of about size
// bytes there.
func (p *pack[E]) fetch(places *[group]uint64, of []uint32, size int) []uint64 {
	of = of[:min(group, len(of))]
	for i, x := range of {
		places[i] = p.starts[x]
	}
	for _, start := range places[:len(of)] {
		rest := p.chunks[start>>placeBits][uint32(start):]
		fetch.Element(unsafe.Pointer(&rest[0]), uintptr(min(size, len(rest))))
	}
	return places[:len(of)]
}

func (p *pack[E]) Write(w *runWriter[E]) error {
	const most = 4 * 64 // bytes: the processor detects the lines that follow
	r, size := w.run, int(min(p.size/int64(max(p.n, 1))+1, most))
	var memory [2][group]uint64
	next := p.fetch(&memory[0], p.order, size)
	for lo := 0; lo < len(p.order); lo += group {
		places := next
		next = p.fetch(&memory[lo/group%2^1], p.order[min(lo+group, len(p.order)):], size)
		for _, start := range places {
			src, whole := p.encoded(start)
			if len(w.block)+len(whole) > w.most || w.in == w.mostIn {
				if err := w.endBlock(w.block); err != nil {
					return err
				}
			}
			if w.in == 0 {
				w.beginBlock()
				if err := p.f.index(r, src, w.n); err != nil {
					return err
				}
			}
			w.n, w.in = w.n+1, w.in+1
			if len(whole) <= w.most {
				w.block = append(w.block, whole...)
			} else if err := w.endBlock(whole); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *pack[E]) Release() {
	if p.f.sharing {
		for _, c := range p.chunks {
			scratch.Give(&p.f.pieces, c, 1)
		}
	}
	p.own.Release(p.f.s.layout.workers)
	p.decoded.Release(p.f.s.layout.workers)
	*p = pack[E]{f: p.f}
}

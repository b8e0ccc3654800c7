package spill

import (
	"io"
	"sort"

	"github.com/cespare/xxhash/v2"
)

// Reader reads blocks of runs through its own memory. It is for one goroutine.
type Reader struct {
	buf    []byte // aligned, for bytes on disk
	most   int    // bytes of plain
	plain  []byte // for decompressed blocks; nil until there are any
	decode decoder
	ahead  *ahead // nil: nothing is read ahead
}

// NewReader returns a reader with a buffer, which begins with a page. It is faster on huge pages.
func NewReader(buf []byte, p Packing) *Reader {
	return &Reader{buf: Aligned(buf), most: p.plainBytes(len(buf))}
}

// BytesFor returns the size of the buffer of a reader of one run.
func BytesFor(r *Run) int { return ReaderBytes(int(min(int64(r.block), r.size))) }

// ReaderBytes returns the size of the buffer of a reader that reads blocks of the given size,
// several at a time.
func ReaderBytes(block int) int { return max(block, min(64*block, MostRead)) + 4*Align }

// MostRead is the number of bytes of shorter blocks that are read at a time. It is half as much again
// as the slices of parts have on average, so that most slices take one read: EPYC, 2 cores, 2026-11-25,
// see bench/results/constants.md.
const MostRead = 3 << 19

// Read reads blocks [from, to) of r and calls take for each batch of successive whole blocks,
// once they are verified. The bytes are valid during the call. It ends with the first error of
// take.
func (d *Reader) Read(r *Run, from, to int, take func(from, to int, p []byte) error) error {
	for from < to {
		n, p := d.batch(r, from, to)
		var err error
		if p == nil {
			p, err = d.stored(r, from, n)
		}
		if err == nil {
			p, err = d.blocks(r, from, n, p)
		}
		if err == nil {
			err = take(from, from+n, p)
		}
		if err != nil {
			return err
		}
		from += n
	}
	return nil
}

// batch returns the number of the blocks [from, to) that fit the memory or were read ahead, at least
// one, and their bytes on disk if they were.
func (d *Reader) batch(r *Run, from, to int) (n int, p []byte) {
	ready, p := d.ahead.find(r, from)
	if ready > 0 {
		to = min(to, from+ready)
	}
	if n = to - from; ready == 0 || r.methods != nil {
		n = d.fit(r, from, to)
	}
	if ready > 0 {
		p = p[:r.place(from+n)-r.place(from)]
	}
	return n, p
}

// fit returns the number of the blocks [from, to) that fit the memory, at least one. Compressed blocks
// are not longer than they were.
func (d *Reader) fit(r *Run, from, to int) int {
	space := len(d.buf) - 2*Align
	if r.methods != nil {
		space = min(space, d.most)
	}
	if r.ends == nil {
		return max(min(space/r.block, to-from), 1)
	}
	end := r.Offset(from) + int64(space)
	return 1 + sort.Search(to-from-1, func(i int) bool { return r.ends[from+1+i] > end })
}

// stored reads the bytes on disk of n blocks.
func (d *Reader) stored(r *Run, from, n int) ([]byte, error) {
	lo, hi := r.place(from), r.place(from+n)
	skip := (r.off + lo) % Align
	p := d.buf[:roundUp(skip+hi-lo)]
	got, err := r.volume.file.ReadAt(p, r.off+lo-skip)
	r.store.read.Add(hi - lo)
	if int64(got) < skip+hi-lo {
		if err == nil || err == io.EOF { // all of it was written
			block := from
			for r.place(block+1)-lo <= int64(got)-skip { // ends: some bytes are missing
				block++
			}
			err = r.damaged(block, io.ErrUnexpectedEOF)
		}
		return nil, r.volume.failed("read", hi-lo, err)
	}
	return p[skip : skip+hi-lo], nil
}

// blocks returns n blocks, of which p are the bytes on disk, once they are verified.
func (d *Reader) blocks(r *Run, from, n int, p []byte) ([]byte, error) {
	lo, packed := r.place(from), false
	var sum xxhash.Digest
	for block := from; block < from+n; block++ {
		m, part := r.method(block), p[r.place(block)-lo:r.place(block+1)-lo]
		r.begin(&sum, block, m)
		if sum.Write(part); sum.Sum64() != r.sums[block] {
			return nil, r.volume.failed("read", int64(len(part)), r.damaged(block, errSum))
		}
		packed = packed || m != Raw
	}
	if packed {
		return d.unpack(r, from, n, p)
	}
	return p, nil
}

// unpack decompresses n verified blocks, of which p are the bytes on disk. Their checksums are
// right, so an error is one of this package or the memory of the machine.
func (d *Reader) unpack(r *Run, from, n int, p []byte) ([]byte, error) {
	if d.plain == nil {
		d.plain = make([]byte, d.most)
	}
	begin, lo := r.Offset(from), r.place(from)
	for block := from; block < from+n; block++ {
		src := p[r.place(block)-lo : r.place(block+1)-lo]
		dst := d.plain[r.Offset(block)-begin : r.Offset(block+1)-begin : r.Offset(block+1)-begin]
		if err := d.decode.block(dst, src, r.method(block)); err != nil {
			return nil, r.volume.failed("read", int64(len(src)), r.damaged(block, err))
		}
	}
	return d.plain[:r.Offset(from+n)-begin], nil
}

package spill

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// Run is a sequence of bytes on disk, in blocks: of one size, of which the last may be shorter,
// or of any. Once written it may be read concurrently.
type Run struct {
	store  *Store
	volume *volume
	off    int64 // in the file
	space  int64 // reserved
	freed  int64 // bytes at the front given back, a multiple of Align
	size   int64
	block  int      // bytes of the largest block
	number uint64   // of the sort and the run: seed of the checksums
	sums   []uint64 // by block
	ends   []int64  // by block; nil if all have one size
}

// Size returns the number of bytes.
func (r *Run) Size() int64 { return r.size }

// Blocks returns the number of blocks.
func (r *Run) Blocks() int { return len(r.sums) }

// Block returns the number of bytes of the largest block.
func (r *Run) Block() int { return r.block }

// Offset returns the number of bytes before a block, or of all blocks.
func (r *Run) Offset(block int) int64 {
	switch {
	case r.ends == nil:
		return min(int64(block)*int64(r.block), r.size)
	case block == 0:
		return 0
	}
	return r.ends[block-1]
}

// Dir returns the directory that the run is in.
func (r *Run) Dir() string { return r.volume.dir }

// begin begins the checksum of a block: of its run, its number and its bytes. So a block of
// another run, or at another place, is found out.
func (r *Run) begin(d *xxhash.Digest, block int) {
	var head [8]byte
	binary.LittleEndian.PutUint64(head[:], uint64(block))
	d.ResetWithSeed(r.number)
	d.Write(head[:])
}

// Reader reads blocks of runs through its own memory. It is for one goroutine.
type Reader struct{ buf []byte } // aligned

// NewReader returns a reader in aligned memory.
func NewReader(buf []byte) *Reader { return &Reader{buf} }

// ReaderBytes returns the size of the memory of a reader, to be aligned, which reads blocks of
// the given size, several at a time.
func ReaderBytes(block int) int { return max(block, min(64*block, readBytes)) + 3*Align }

const readBytes = 1 << 20

const leastHole = 1 << 20

// Read reads blocks [from, to) of r and calls take for each batch of successive whole blocks,
// once they are verified. The bytes are valid during the call. It ends with the first error of
// take.
func (d *Reader) Read(r *Run, from, to int, take func(from, to int, p []byte) error) error {
	for from < to {
		n := d.batch(r, from, to)
		p, err := d.blocks(r, from, n)
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

// batch returns how many of blocks [from, to) the memory has room for, at least one.
func (d *Reader) batch(r *Run, from, to int) int {
	room := len(d.buf) - 2*Align
	if r.ends == nil {
		return max(min(room/r.block, to-from), 1)
	}
	end := r.Offset(from) + int64(room)
	return 1 + sort.Search(to-from-1, func(i int) bool { return r.ends[from+1+i] > end })
}

// blocks reads n blocks.
func (d *Reader) blocks(r *Run, from, n int) ([]byte, error) {
	lo, hi := r.Offset(from), r.Offset(from+n)
	skip := (r.off + lo) % Align
	p := d.buf[:roundUp(skip+hi-lo)]
	got, err := r.volume.file.ReadAt(p, r.off+lo-skip)
	if int64(got) < skip+hi-lo {
		if err == nil || err == io.EOF { // all of it was written
			block := from
			for block < from+n-1 && r.Offset(block+1)-lo <= int64(got)-skip {
				block++
			}
			err = r.damaged(block, io.ErrUnexpectedEOF)
		}
		return nil, r.volume.failed("read", hi-lo, err)
	}
	p = p[skip : skip+hi-lo]
	var sum xxhash.Digest
	for block := from; block < from+n; block++ {
		part := p[r.Offset(block)-lo : r.Offset(block+1)-lo]
		r.begin(&sum, block)
		if sum.Write(part); sum.Sum64() != r.sums[block] {
			return nil, r.volume.failed("read", int64(len(part)), r.damaged(block, errSum))
		}
	}
	return p, nil
}

// errSum reports a block whose bytes have another checksum than those that were written.
var errSum = errors.New("wrong checksum")

// damaged returns ErrCorrupt with the place of a block, and why.
func (r *Run) damaged(block int, why error) error {
	return fmt.Errorf("%w: block %d of %d, at byte %d of the file: %w",
		ErrCorrupt, block, len(r.sums), r.off+r.Offset(block), why)
}

// Free gives the space of the first n bytes back, or all of it if n is at least the size. They
// may not be read again. It waits until an eighth of the run is free, since a hole takes as
// long as the write of a megabyte. Calls for one run may not be concurrent.
func (r *Run) Free(n int64) {
	to := n / Align * Align
	if n >= r.size {
		to = r.space
	}
	if to <= r.freed || to < r.space && to-r.freed < max(r.space/8, leastHole) {
		return
	}
	from := r.freed
	r.freed = to
	r.store.free(r.volume, r.off+from, to-from)
}

// Writer writes a run. It collects bytes in a buffer, from which it writes; memory that is
// aligned, and much, is written without a copy.
type Writer struct {
	run  *Run
	buf  []byte        // aligned
	held int           // bytes in buf
	done int64         // bytes written, a multiple of Align until the end
	sum  xxhash.Digest // of the block that is not complete
	left int           // bytes that it lacks
}

// BufferBytes returns the size of a writer's buffer for runs of size bytes.
func BufferBytes(size int64) int { return int(min(roundUp(size), bufferBytes)) }

const bufferBytes = 1 << 20

func roundUp(n int64) int64 { return (n + Align - 1) / Align * Align }

// NewWriter reserves space for a run of size bytes, in blocks of one size if that is not 0. The
// number, of the sort and the run, goes into the checksums. buf is aligned memory of at least
// Align bytes, a multiple of it.
func (s *Store) NewWriter(size int64, block int, number uint64, buf []byte) (*Writer, error) {
	space := roundUp(size)
	v, off, err := s.place(space)
	if err != nil {
		return nil, err
	}
	r := &Run{store: s, volume: v, off: off, space: space, size: size, block: block, number: number}
	if block > 0 {
		r.sums = make([]uint64, 0, (size+int64(block)-1)/int64(block))
	}
	return &Writer{run: r, buf: buf}, nil
}

// Append writes p, to blocks of one size.
func (w *Writer) Append(p []byte) error {
	w.check(p)
	return w.put(p)
}

// AppendBlock writes a block of any size, which has bytes.
func (w *Writer) AppendBlock(p []byte) error {
	r := w.run
	r.begin(&w.sum, len(r.sums))
	w.sum.Write(p)
	r.sums = append(r.sums, w.sum.Sum64())
	r.ends = append(r.ends, r.Offset(len(r.ends))+int64(len(p)))
	r.block = max(r.block, len(p))
	return w.put(p)
}

// put writes p through the buffer, or past it.
func (w *Writer) put(p []byte) error {
	for len(p) > 0 {
		if w.held == 0 && len(p) >= len(w.buf) && aligned(p) {
			n := min(len(p)/Align*Align, 4*bufferBytes)
			if err := w.write(p[:n]); err != nil {
				return err
			}
			p = p[n:]
			continue
		}
		n := copy(w.buf[w.held:], p)
		w.held += n
		p = p[n:]
		if w.held == len(w.buf) {
			if err := w.write(w.buf); err != nil {
				return err
			}
			w.held = 0
		}
	}
	return nil
}

// check adds p to the checksums of its blocks.
func (w *Writer) check(p []byte) {
	r := w.run
	for len(p) > 0 {
		if w.left == 0 {
			r.begin(&w.sum, len(r.sums))
			w.left = r.block
		}
		n := min(w.left, len(p))
		w.sum.Write(p[:n])
		p, w.left = p[n:], w.left-n
		if w.left == 0 {
			r.sums = append(r.sums, w.sum.Sum64())
		}
	}
}

func aligned(p []byte) bool { return uintptr(unsafe.Pointer(unsafe.SliceData(p)))%Align == 0 }

// Aligned returns the longest part of p that begins at an aligned address and has a multiple
// of Align bytes.
func Aligned(p []byte) []byte {
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(p))) % Align)
	p = p[min(skip, len(p)):]
	return p[:len(p)/Align*Align]
}

func (w *Writer) write(p []byte) error {
	n, err := w.run.volume.file.WriteAt(p, w.run.off+w.done)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	w.done += int64(len(p))
	return w.run.volume.failed("write", int64(len(p)), err)
}

// Close writes the rest and returns the run, which has as many bytes as were announced.
func (w *Writer) Close() (*Run, error) {
	if w.held > 0 {
		n := int(roundUp(int64(w.held)))
		clear(w.buf[w.held:n])
		size := w.done + int64(w.held)
		if err := w.write(w.buf[:n]); err != nil {
			return nil, err
		}
		w.done = size
	}
	if w.done != w.run.size {
		return nil, fmt.Errorf("spill: a run of %d bytes got %d", w.run.size, w.done)
	}
	if w.left > 0 {
		w.run.sums = append(w.run.sums, w.sum.Sum64())
	}
	return w.run, nil
}

// Discard gives the space of a run back that was not written to its end.
func (w *Writer) Discard() {
	w.run.size = 0
	w.run.Free(0)
}

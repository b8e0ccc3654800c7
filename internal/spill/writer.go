package spill

import (
	"fmt"
	"io"
	"time"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// Writer writes a run. It collects bytes in a buffer, of which one half is filled while the other
// is written; memory that is aligned, and much, is written without a copy, unless it is compressed.
type Writer struct {
	run   *Run
	pack  *packer       // nil: nothing is compressed
	buf   []byte        // aligned: the half that is filled
	other []byte        // the other half; nil: a short buffer is not divided
	on    chan error    // of a write on a goroutine; nil: there is none
	held  int           // bytes in buf
	done  int64         // bytes written, a multiple of Align
	taken int64         // bytes that were appended
	sum   xxhash.Digest // of the block that is not complete
	left  int           // bytes that it lacks
}

// BufferBytes returns the size of a writer's buffer for runs of size bytes.
func BufferBytes(size int64) int { return int(min(roundUp(size), bufferBytes)) }

const bufferBytes = 1 << 20

// CodedBufferBytes returns the size of a writer's buffer for runs of blocks of any size in a sort
// with a limit of memory. All of their bytes pass through it, so it is longer, and its halves are as
// long as what is written at a time.
func CodedBufferBytes(limit int64) int64 { return max(bufferBytes, min(limit/64, 2*mostWritten)) }

func roundUp(n int64) int64 { return (n + Align - 1) / Align * Align }

// NewWriter begins a run of size bytes, in blocks of one size if that is not 0. It reserves space
// for all of it. Where there is none, and blocks may be compressed, space is reserved as it is
// needed. The number, of the sort and the run, goes into the checksums. buf is aligned memory of
// at least Align bytes, a multiple of it. A store has one writer at a time.
func (s *Store) NewWriter(size int64, block int, number uint64, buf []byte) (*Writer, error) {
	space := roundUp(size)
	v, off, err := s.place(space)
	if err != nil && s.packer != nil && space > leastSpace {
		space = leastSpace
		if v, off, _ = s.place(space); v != nil {
			err = nil
		}
	}
	if err != nil {
		return nil, err
	}
	r := &Run{store: s, volume: v, off: off, space: space, size: size, block: block, number: number}
	if block > 0 {
		r.sums = make([]uint64, 0, (size+int64(block)-1)/int64(block))
	}
	if s.packer != nil {
		s.packer.begin()
	}
	w := &Writer{run: r, pack: s.packer, buf: buf}
	if half := len(buf) / 2 / Align * Align; half >= leastHalf {
		w.buf, w.other = buf[:half], buf[half:2*half]
	}
	return w, nil
}

// leastHalf is the number of bytes of a write from which on it has a goroutine.
const leastHalf = 16 << 10

// leastSpace is the number of bytes that are reserved at a time, where there is no space for a
// run as long as it is without compression.
const leastSpace = 64 << 10

// Append writes p, to blocks of one size.
func (w *Writer) Append(p []byte) error {
	w.taken += int64(len(p))
	err := w.append(p)
	if failed := w.wait(); err == nil { // p is the caller's
		err = failed
	}
	return err
}

// append writes p, which may be read until wait.
func (w *Writer) append(p []byte) error {
	k, block := w.pack, w.run.block
	if k == nil || k.alone(block) {
		return w.appendWhole(p)
	}
	raw := p[:0] // bytes before p that are stored as they are, and not written yet
	for len(p) > 0 {
		if k.left <= 0 { // a segment has whole blocks
			k.choose(w.run.volume, block, p)
			k.left = k.left / block * block
		}
		n, err := min(len(p), k.left), error(nil)
		if k.method == Raw {
			raw, err = w.appendRaw(raw[:len(raw)+n], n)
		} else if err = w.putAside(raw); err == nil {
			n, err = w.collect(p[:n])
			raw = p[n:n]
		}
		if err != nil {
			return err
		}
		p = p[n:]
		k.left -= n
	}
	return w.putAside(raw)
}

// appendWhole writes p as it is. Checksums of bytes are made while those before are written.
func (w *Writer) appendWhole(p []byte) error {
	for len(p) > 0 {
		n := min(len(p), mostWritten)
		w.check(p[:n])
		if err := w.putAside(p[:n]); err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// appendRaw writes p as it is, after all that waits. The last n bytes are new. It returns those
// that it has not written: less than a page, so that the following bytes are written without a copy.
func (w *Writer) appendRaw(p []byte, n int) ([]byte, error) {
	if err := w.drain(); err != nil {
		return nil, err
	}
	w.check(p[len(p)-n:])
	whole := len(p)
	if w.held == 0 {
		whole = len(p) / Align * Align
	}
	return p[whole:], w.putAside(p[:whole])
}

// collect appends the front of p to the batch, which has whole blocks unless the run ends with it.
func (w *Writer) collect(p []byte) (int, error) {
	k, block := w.pack, w.run.block
	if len(k.plain) == k.batch/block*block {
		if err := w.endBatch(); err != nil {
			return 0, err
		}
	}
	n := min(len(p), k.batch/block*block-len(k.plain))
	k.collect(p[:n])
	return n, nil
}

// Reserve returns memory for a block of up to n bytes that AppendBlock then takes without a copy, or nil if there
// is none. It is valid until the next call.
func (w *Writer) Reserve(n int) []byte {
	if w.pack != nil || len(w.buf)-w.held < n {
		return nil
	}
	return w.buf[w.held:][:0:n]
}

// AppendBlock writes a block of any size, which has bytes.
func (w *Writer) AppendBlock(p []byte) error {
	r, k := w.run, w.pack
	w.taken += int64(len(p))
	r.ends = append(r.ends, r.Offset(len(r.ends))+int64(len(p)))
	r.block = max(r.block, len(p))
	if k != nil && !k.alone(len(p)) {
		if k.left <= 0 {
			k.choose(r.volume, len(p), p)
		}
		k.left -= len(p)
		if k.method != Raw {
			return w.collectBlock(p)
		}
	}
	if err := w.drain(); err != nil {
		return err
	}
	r.begin(&w.sum, len(r.sums), Raw)
	w.sum.Write(p)
	r.add(w.sum.Sum64(), len(p), Raw)
	return w.put(p)
}

// collectBlock appends a block to the batch.
func (w *Writer) collectBlock(p []byte) error {
	k := w.pack
	if len(k.plain)+len(p) > k.batch {
		if err := w.endBatch(); err != nil {
			return err
		}
	}
	k.collect(p)
	k.ends = append(k.ends, len(k.plain))
	return nil
}

// endBatch compresses the batch.
func (w *Writer) endBatch() error {
	k, r := w.pack, w.run
	if len(k.plain) == 0 {
		return nil
	}
	if r.ends == nil {
		for end := 0; end < len(k.plain); {
			end = min(end+r.block, len(k.plain))
			k.ends = append(k.ends, end)
		}
	}
	out, blocks := k.pack(r)
	for _, b := range blocks {
		r.add(b.sum, len(b.bytes), b.method)
	}
	return w.put(out)
}

// drain compresses all that waits for it.
func (w *Writer) drain() error {
	if w.pack == nil {
		return nil
	}
	return w.endBatch()
}

// mostWritten is the number of bytes that are written at a time.
const mostWritten = 4 * bufferBytes

// putAside writes p, which may be read until wait, through the buffer, or past it.
func (w *Writer) putAside(p []byte) error {
	for w.held == 0 && len(p) >= len(w.buf) && aligned(p) {
		n := min(len(p)/Align*Align, mostWritten)
		if err := w.start(p[:n]); err != nil {
			return err
		}
		p = p[n:]
	}
	return w.put(p)
}

// put writes p through the buffer.
func (w *Writer) put(p []byte) error {
	for len(p) > 0 {
		n := copy(w.buf[w.held:], p) // copies nothing where p is that memory, of Reserve
		w.held += n
		p = p[n:]
		if w.held == len(w.buf) {
			if err := w.writeBuffer(); err != nil {
				return err
			}
		}
	}
	return nil
}

// check adds p to the checksums of its blocks.
func (w *Writer) check(p []byte) {
	r := w.run
	for len(p) > 0 {
		if w.left == 0 {
			r.begin(&w.sum, len(r.sums), Raw)
			w.left = r.block
		}
		n := min(w.left, len(p))
		w.sum.Write(p[:n])
		p, w.left = p[n:], w.left-n
		if w.left == 0 {
			r.add(w.sum.Sum64(), r.block, Raw)
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

// writeBuffer writes the buffer, which is full. Another may be filled meanwhile.
func (w *Writer) writeBuffer() error {
	w.held = 0
	if err := w.start(w.buf); err != nil {
		return err
	}
	if w.other == nil {
		return w.wait()
	}
	w.buf, w.other = w.other, w.buf
	return nil
}

// start writes p, of a multiple of Align bytes, once the write before has ended: on a goroutine,
// until wait.
func (w *Writer) start(p []byte) error {
	if err := w.wait(); err != nil {
		return err
	}
	r, off := w.run, w.done
	w.done += int64(len(p))
	if err := r.store.extend(r, w.done); err != nil {
		return err
	}
	if len(p) < leastHalf {
		return r.write(p, off)
	}
	on := make(chan error, 1)
	w.on = on
	go func() { on <- r.write(p, off) }()
	return nil
}

// wait waits until the last write has ended, and returns its error.
func (w *Writer) wait() (err error) {
	if w.on != nil {
		err = <-w.on
		w.on = nil
	}
	return err
}

// write writes p at a place and notes the time.
func (r *Run) write(p []byte, off int64) error {
	start := time.Now()
	n, err := r.volume.file.WriteAt(p, r.off+off)
	r.volume.rate.add(len(p), time.Since(start))
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return r.volume.failed("write", int64(len(p)), err)
}

// Shorten says that no more will be appended: the run has fewer bytes than were announced.
func (w *Writer) Shorten() { w.run.size = w.taken }

// Close writes the rest and returns the run, which has as many bytes as were announced.
func (w *Writer) Close() (*Run, error) {
	r := w.run
	if err := w.drain(); err != nil {
		return nil, err
	}
	if w.left > 0 {
		r.add(w.sum.Sum64(), r.block-w.left, Raw)
	}
	r.stored = w.done + int64(w.held)
	if w.held > 0 {
		if err := w.writeRest(); err != nil {
			return nil, err
		}
	}
	if r.store.name != "" {
		if err := w.keep(); err != nil {
			return nil, err
		}
	}
	if err := w.wait(); err != nil {
		return nil, err
	}
	if w.taken != r.size || r.place(len(r.sums)) != r.stored {
		return nil, fmt.Errorf("spill: a run of %d bytes got %d, of which %d are on disk", r.size, w.taken, r.stored)
	}
	r.trim()
	r.store.complete(r)
	return r, nil
}

// writeRest writes the buffer, whose end is not used.
func (w *Writer) writeRest() error {
	n := int(roundUp(int64(w.held)))
	clear(w.buf[w.held:n])
	w.held = 0
	if err := w.start(w.buf[:n]); err != nil {
		return err
	}
	return w.wait()
}

// keep writes the index after the blocks, and makes all of the run durable.
func (w *Writer) keep() error {
	r := w.run
	index := r.appendIndex(nil)
	r.index, r.indexSum = int64(len(index)), r.sumOf(index)
	if err := w.put(index); err != nil {
		return err
	}
	if w.held > 0 {
		if err := w.writeRest(); err != nil {
			return err
		}
	}
	if err := w.wait(); err != nil {
		return err
	}
	return r.volume.failed("sync", r.stored, r.volume.file.Sync())
}

// Discard gives the space of a run back that was not written to its end.
func (w *Writer) Discard() {
	_ = w.wait() // the run is not wanted
	w.run.sums = nil
	w.run.Free(0)
}

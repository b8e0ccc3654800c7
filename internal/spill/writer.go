package spill

import (
	"fmt"
	"io"
	"time"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// Writer writes a run. It collects bytes in a buffer, from which it writes; memory that is
// aligned, and much, is written without a copy, unless it is compressed.
type Writer struct {
	run   *Run
	pack  *packer       // nil: nothing is compressed
	buf   []byte        // aligned
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
// with a limit of memory. All of their bytes pass through it, so it is longer: with 4 MiB for 1 the
// runs of 1.5 GB of lines were made in 2.4 s for 2.8.
func CodedBufferBytes(limit int64) int64 { return max(bufferBytes, min(limit/128, 4*bufferBytes)) }

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
		buf = s.packer.begin(buf)
	}
	return &Writer{run: r, pack: s.packer, buf: buf}, nil
}

// leastSpace is the number of bytes that are reserved at a time, where there is no space for a
// run as long as it is without compression.
const leastSpace = 64 << 10

// Append writes p, to blocks of one size. p does not change until Close.
func (w *Writer) Append(p []byte) error {
	w.taken += int64(len(p))
	k, block := w.pack, w.run.block
	if k == nil || k.alone(block) {
		w.check(p)
		return w.put(p)
	}
	raw := p[:0] // bytes before p that are stored as they are, and not written yet
	for len(p) > 0 {
		if k.left <= 0 { // a segment has whole blocks
			k.choose(w.run.volume, block, p)
			k.left = max(k.left/block, 1) * block
		}
		n, err := min(len(p), k.left), error(nil)
		if k.method == Raw {
			raw, err = w.appendRaw(raw[:len(raw)+n], n)
		} else if err = w.put(raw); err == nil {
			n, err = w.collect(p[:n])
			raw = p[n:n]
		}
		if err != nil {
			return err
		}
		p = p[n:]
		k.left -= n
	}
	return w.put(raw)
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
	return p[whole:], w.put(p[:whole])
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

// write writes p, of a multiple of Align bytes, after the block begun.
func (w *Writer) write(p []byte) error {
	if err := w.pack.wait(); err != nil {
		return err
	}
	off := w.done
	if err := w.advance(len(p)); err != nil {
		return err
	}
	return w.run.write(p, off)
}

// writeBuffer writes the buffer, which is full: where blocks may be compressed, on a goroutine.
func (w *Writer) writeBuffer() error {
	w.held = 0
	if w.pack == nil {
		return w.write(w.buf)
	}
	err := w.pack.wait()
	off := w.done
	if err == nil {
		err = w.advance(len(w.buf))
	}
	if err == nil {
		r, buf := w.run, w.buf
		w.buf = w.pack.start(buf, func() error { return r.write(buf, off) })
	}
	return err
}

// advance counts n bytes as written, for which there is space.
func (w *Writer) advance(n int) error {
	w.done += int64(n)
	return w.run.store.extend(w.run, w.done)
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
	if err := w.pack.wait(); err != nil {
		return nil, err
	}
	if w.taken != r.size || r.place(len(r.sums)) != r.stored {
		return nil, fmt.Errorf("spill: a run of %d bytes got %d, of which %d are on disk", r.size, w.taken, r.stored)
	}
	r.store.complete(r)
	return r, nil
}

// writeRest writes the buffer, whose end is not used.
func (w *Writer) writeRest() error {
	n := int(roundUp(int64(w.held)))
	clear(w.buf[w.held:n])
	w.held = 0
	return w.write(w.buf[:n])
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
	if err := w.pack.wait(); err != nil {
		return err
	}
	return r.volume.failed("sync", r.stored, r.volume.file.Sync())
}

// Discard gives the space of a run back that was not written to its end.
func (w *Writer) Discard() {
	_ = w.pack.wait() // the run is not wanted
	w.run.sums = nil
	w.run.Free(0)
}

package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"
)

// chunks cuts files into chunks of whole lines.
type chunks struct {
	files  *files
	shape  shape
	size   int   // bytes of a chunk, unless a line is longer
	most   int64 // bytes of a line; 0: any number
	m      *meter
	in     *input       // being read; nil: the next one is to be opened
	fresh  bool         // nothing of it has been read
	lines  *lineNumbers // of the file that was opened last
	rest   []byte       // the begin of a line, at the end of the chunk before
	unread []byte       // a chunk that was given back
	slab   []byte       // memory of chunks to come
}

// next returns the next chunk, or nil after the last. It lies in memory, if that is large enough.
// A chunk does not reach into another file. The last line of a file may lack its eol.
func (c *chunks) next(memory []byte) ([]byte, error) {
	if chunk := c.unread; chunk != nil {
		c.unread = nil
		return chunk, nil
	}
	for {
		if err := c.open(); c.in == nil || err != nil {
			return nil, err
		}
		chunk, err := c.read(memory)
		if len(chunk) > 0 || err != nil {
			return chunk, err
		}
	}
}

// open opens the next file, unless one is open or there is none.
func (c *chunks) open() (err error) {
	if c.in == nil {
		if c.in, err = c.files.open(); c.in != nil {
			c.lines = c.in.lines
		}
		c.fresh = true
	}
	return err
}

// read returns a chunk of the open file, or nothing at its end.
func (c *chunks) read(memory []byte) ([]byte, error) {
	want := c.size
	switch {
	case c.in.size > 0: // one more than the file has, so that its end is seen
		want = max(min(want, int(min(c.in.size, int64(want)))+1), len(c.rest)+1)
	case c.fresh: // a stream may be short
		want = min(want, firstChunk)
	}
	if cap(memory) < want {
		memory = c.take(want)
	}
	buf := begin(memory, c.rest)
	c.rest = nil
	c.fresh = false
	for {
		if len(buf) == cap(buf) {
			if c.most > 0 && int64(len(buf)) > c.most {
				return nil, c.in.failed(fmt.Errorf("a line of more than %d bytes, which -S allows", c.most))
			}
			size := 2*cap(buf) + pageSize
			if c.most > 0 {
				size = int(min(int64(size), c.most+2*pageSize))
			}
			buf = begin(make([]byte, size), buf)
		}
		n, err := c.in.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		c.m.add(n)
		switch {
		case err == io.EOF:
			return buf, c.end(buf)
		case err != nil:
			return nil, c.in.failed(err)
		case len(buf) < cap(buf):
			continue
		}
		if whole := c.shape.whole(buf); whole > 0 {
			c.rest = buf[whole:]
			return buf[:whole], nil
		}
	}
}

const (
	// pageSize is the alignment of memory, places and lengths where a file is read or written past
	// the page cache.
	pageSize = 4 << 10
	hugePage = 2 << 20
)

// pastBuffersOf returns n buffers for reads and writes past the page cache, which lie side by side, on huge
// pages if there are any. These are contiguous for the disk, which is up to twice as fast then.
func pastBuffersOf(n, size int) [][]byte {
	all := make([]byte, n*size+hugePage)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(all))) % hugePage)
	all = all[skip : skip+n*size]
	freshPages(all[:len(all)/hugePage*hugePage])
	return slices.Collect(slices.Chunk(all, size))
}

// pageOffset returns the place of the first byte of p in its page.
func pageOffset(p []byte) int { return int(uintptr(unsafe.Pointer(unsafe.SliceData(p))) % pageSize) }

// begin returns a buffer in memory that begins with rest. What is read after that has whole pages,
// from the begin of one on, unless memory is too short.
func begin(memory, rest []byte) []byte {
	skip := (2*pageSize - pageOffset(memory) - len(rest)%pageSize) % pageSize
	if cap(memory) < skip+len(rest)+pageSize {
		return append(memory[:0], rest...)
	}
	buf := append(memory[skip:skip], rest...)
	return buf[: len(buf) : len(buf)+(cap(buf)-len(buf))/pageSize*pageSize]
}

// whole returns memory for all of the next file, if it is one that several workers can read and
// has at most that many bytes.
func (c *chunks) whole(most int64) ([]byte, error) {
	if c.unread != nil || c.in != nil && !c.fresh {
		return nil, nil
	}
	if err := c.open(); c.in == nil || err != nil {
		return nil, err
	}
	if size := c.in.size; c.in.file != nil && size >= pieceSize && size <= min(most, math.MaxInt) {
		text := make([]byte, size)
		adviseHuge(text)
		return text, nil
	}
	return nil, nil
}

// firstChunk is the size of the first chunk of a file whose size is not known.
const firstChunk = 256 << 10

// take returns memory for a chunk. That of large chunks is contiguous, for huge pages.
func (c *chunks) take(size int) []byte {
	const together = 4
	if size != c.size || c.in.size > 0 && c.in.size < int64(together*size) {
		return make([]byte, 0, size)
	}
	if len(c.slab) < size {
		c.slab = make([]byte, together*size)
		adviseHuge(c.slab)
	}
	memory := c.slab[:0:size]
	c.slab = c.slab[size:]
	return memory
}

// endWhole ends a file of which text was read. If the file goes on, what follows the whole lines of text is read
// with the rest. It returns the bytes of these lines.
func (c *chunks) endWhole(text []byte) (int, error) {
	more, err := c.in.goesOn(int64(len(text)))
	switch {
	case err != nil:
		return 0, c.in.failed(err)
	case !more:
		return len(text), c.end(text)
	}
	whole := c.shape.whole(text)
	c.rest, c.fresh = text[whole:], false
	return whole, nil
}

// end closes a file whose last chunk is buf.
func (c *chunks) end(buf []byte) error {
	in := c.in
	c.in = nil
	if err := in.Close(); err != nil {
		return in.failed(err)
	}
	if c.shape.record > 0 && len(buf)%c.shape.record != 0 {
		return fmt.Errorf("%s: the last record has %d of %d bytes", in.name, len(buf)%c.shape.record, c.shape.record)
	}
	return nil
}

// close ends the input early.
func (c *chunks) close() {
	if c.in != nil {
		c.in.Close()
	}
}

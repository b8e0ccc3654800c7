package main

import (
	"context"
	"io"
)

// copier copies rows from where they lie to where they are written.
type copier struct {
	size   func(i int) int                     // bytes of row i
	append func(dst []byte, lo, hi int) []byte // appends rows
	row    func(i int) (text, end string)      // row i, and its line end if that is no part of it
}

const writeBuffer = 1 << 20

// pastBuffers is the number of buffers in which a file is written past the page cache.
const pastBuffers = 4

// pastBuffer returns the bytes of one of them.
func pastBuffer(memory int64) int {
	const least, most = 256 << 10, 4 << 20
	return int(min(max(memory/128, least), most)) / pageSize * pageSize
}

// batch is rows [lo, hi), which one worker copies into one buffer.
type batch struct {
	lo, hi int
	text   []byte // empty if long
	long   bool   // one row, for which a buffer is too short
}

// writeMemory bounds the buffers of many workers together.
const writeMemory = 32 << 20

// writeRows writes n rows in order. Workers copy them into large buffers, which are written
// while the next ones are filled.
func writeRows(ctx context.Context, w io.Writer, n, workers int, c copier, m *meter) error {
	buffers := 2*workers + 2 // as many as there are batches at a time
	size := min(writeBuffer, writeMemory/buffers)
	free := make(chan []byte, buffers)
	lo := 0
	produce := func() (b batch, more bool, err error) {
		if lo == n {
			return b, false, nil
		}
		b = batch{lo: lo, hi: c.end(lo, n, size)}
		lo = b.hi
		if b.text = receive(free); b.text == nil {
			b.text = make([]byte, 0, size)
		}
		return b, true, ctx.Err()
	}
	work := func(b batch) (batch, error) {
		if b.long = c.size(b.lo) > size; !b.long {
			b.text = c.append(b.text, b.lo, b.hi)
		}
		return b, nil
	}
	return pipeline(workers, produce, work, func(b batch) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := c.write(w, b)
		m.add(b.hi - b.lo)
		offer(free, b.text[:0])
		return err
	})
}

// write writes a batch. A long row goes through its buffer in pieces.
func (c copier) write(w io.Writer, b batch) error {
	if !b.long {
		_, err := w.Write(b.text)
		return err
	}
	text, end := c.row(b.lo)
	for text != "" {
		n := min(len(text), cap(b.text))
		if _, err := w.Write(append(b.text, text[:n]...)); err != nil {
			return err
		}
		text = text[n:]
	}
	_, err := w.Write([]byte(end))
	return err
}

// end returns where the batch that begins with row lo ends: it has at least one row, and others up to
// some bytes.
func (c copier) end(lo, n, most int) int {
	size := c.size(lo)
	hi := lo + 1
	for hi < n {
		if size += c.size(hi); size > most {
			break
		}
		hi++
	}
	return hi
}

// touched is the number of rows whose first bytes are read before any of them is copied, so
// that memory serves them at the same time: rows lie in it at random.
const touched = 32

// touch reads the first bytes of rows. Their sum goes to the memory after dst, or a compiler
// would not read them.
func touch[E any](dst []byte, rows []E, first func(E) byte) []byte {
	sum := byte(0)
	for _, r := range rows {
		sum ^= first(r)
	}
	return append(dst, sum)[:len(dst)]
}

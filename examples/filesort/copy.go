package main

import (
	"context"
	"io"
)

// copier copies rows from where they lie to where they are written.
type copier struct {
	size   func(i int) int                     // bytes of row i
	append func(dst []byte, lo, hi int) []byte // appends rows
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
	text   []byte
}

// writeRows writes n rows in order. Workers copy them into large buffers, which are written
// while the next ones are filled.
func writeRows(ctx context.Context, w io.Writer, n, workers int, c copier, m *meter) error {
	free := make(chan []byte, 2*workers+2) // as many as there are batches at a time
	lo := 0
	produce := func() (b batch, more bool, err error) {
		if lo == n {
			return b, false, nil
		}
		b = batch{lo: lo, hi: c.end(lo, n)}
		lo = b.hi
		select {
		case b.text = <-free:
		default:
			b.text = make([]byte, 0, writeBuffer)
		}
		return b, true, ctx.Err()
	}
	work := func(b batch) (batch, error) {
		b.text = c.append(b.text, b.lo, b.hi)
		return b, nil
	}
	return pipeline(workers, produce, work, func(b batch) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := w.Write(b.text)
		m.add(b.hi - b.lo)
		select {
		case free <- b.text[:0]:
		default:
		}
		return err
	})
}

// end returns where the batch that begins with row lo ends: it has at least one row.
func (c copier) end(lo, n int) int {
	size := c.size(lo)
	hi := lo + 1
	for hi < n {
		if size += c.size(hi); size > writeBuffer {
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

package main

import (
	"context"
	"io"
	"sync"
)

// copier copies rows from where they lie to where they are written.
type copier struct {
	size   func(i int) int                     // bytes of row i
	append func(dst []byte, lo, hi int) []byte // appends rows
}

const writeBuffer = 1 << 20

// batch is rows [lo, hi), which one worker copies into one buffer.
type batch struct {
	lo, hi int
	text   []byte
	done   chan struct{} // closed when text is complete
}

// writeRows writes n rows in order. Workers copy them into large buffers, which are written while
// the next ones are filled.
func writeRows(ctx context.Context, w io.Writer, n, workers int, c copier, m *meter) error {
	work := make(chan *batch)
	ordered := make(chan *batch, workers+1)
	free := make(chan []byte, 2*workers+2)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for b := range work {
				b.text = c.append(b.text, b.lo, b.hi)
				close(b.done)
			}
		})
	}
	wg.Go(func() {
		defer close(work)
		defer close(ordered)
		for lo := 0; lo < n; {
			hi := c.end(lo, n)
			b := &batch{lo: lo, hi: hi, done: make(chan struct{})}
			select {
			case b.text = <-free:
			default:
				b.text = make([]byte, 0, writeBuffer)
			}
			lo = hi
			select {
			case ordered <- b:
			case <-stop:
				return
			}
			work <- b
		}
	})
	err := writeBatches(ctx, w, ordered, free, m)
	close(stop)
	wg.Wait()
	return err
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

// writeBatches writes batches as they are completed.
func writeBatches(ctx context.Context, w io.Writer, ordered <-chan *batch, free chan<- []byte, m *meter) error {
	for b := range ordered {
		<-b.done
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := w.Write(b.text); err != nil {
			return err
		}
		m.add(b.hi - b.lo)
		free <- b.text[:0]
	}
	return nil
}

package main

import (
	"container/heap"
	"context"
	"io"
)

// mergeLines merges the files, which are sorted, line by line.
func (cmd *command) mergeLines(ctx context.Context, stdin io.Reader, w io.Writer, m *meter) error {
	by := orderLines(cmd.order, func(s string) string { return s })
	q := &mergeQueue{compare: by.Compare}
	defer q.close()
	for _, name := range distinct(cmd.files, stdin) {
		in := &chunks{files: &files{names: []string{name}, stdin: stdin, compress: cmd.compress}, shape: cmd.shape, size: mergeChunk, m: m}
		if err := q.add(&cursor{in: in, rank: len(q.all)}); err != nil {
			return err
		}
	}
	out := newLineWriter(w, cmd.shape)
	last, written := "", 0
	for len(q.heap) > 0 && (cmd.top == 0 || written < cmd.top) {
		text := q.heap[0].text
		if !cmd.unique || written == 0 || by.Compare(last, text) != 0 {
			if err := out.write(text); err != nil {
				return err
			}
			last = text
			if written++; written%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if err := q.advance(); err != nil {
			return err
		}
	}
	return out.flush()
}

const (
	mergeChunk = 256 << 10
	mostMerged = 256 // files; more are sorted, which gives the same
)

// lineWriter writes lines, each with its eol.
type lineWriter struct {
	w     io.Writer
	buf   []byte
	shape shape
}

func newLineWriter(w io.Writer, s shape) *lineWriter {
	return &lineWriter{w: w, buf: make([]byte, 0, writeBuffer), shape: s}
}

func (w *lineWriter) write(text string) error {
	if len(w.buf)+len(text) >= cap(w.buf) {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, text...)
	if w.shape.record == 0 {
		w.buf = append(w.buf, w.shape.eol)
	}
	return nil
}

func (w *lineWriter) flush() error {
	_, err := w.w.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

// cursor is a sorted file and its next line.
type cursor struct {
	in   *chunks
	rank int    // of the file: the first of equal lines is that of the first file
	rest string // of the chunk
	text string
}

// next moves to the next line; ok is false at the end of the file.
func (c *cursor) next() (ok bool, err error) {
	if c.rest == "" {
		chunk, err := c.in.next(nil)
		if chunk == nil || err != nil {
			return false, err
		}
		c.rest = stringOf(chunk)
	}
	c.text, c.rest = c.in.shape.cut(c.rest)
	return true, nil
}

// mergeQueue is a heap of files by their next lines, as package heap takes it.
type mergeQueue struct {
	compare func(a, b string) int
	heap    []*cursor
	all     []*cursor
}

func (q *mergeQueue) Len() int { return len(q.heap) }

func (q *mergeQueue) Less(i, j int) bool {
	a, b := q.heap[i], q.heap[j]
	c := q.compare(a.text, b.text)
	return c < 0 || c == 0 && a.rank < b.rank
}

func (q *mergeQueue) Swap(i, j int) { q.heap[i], q.heap[j] = q.heap[j], q.heap[i] }

func (q *mergeQueue) Push(c any) { q.heap = append(q.heap, c.(*cursor)) }

func (q *mergeQueue) Pop() any {
	last := len(q.heap) - 1
	c := q.heap[last]
	q.heap = q.heap[:last]
	return c
}

func (q *mergeQueue) add(c *cursor) error {
	q.all = append(q.all, c)
	ok, err := c.next()
	if ok && err == nil {
		heap.Push(q, c)
	}
	return err
}

// advance moves the first file to its next line.
func (q *mergeQueue) advance() error {
	ok, err := q.heap[0].next()
	switch {
	case err != nil:
		return err
	case ok:
		heap.Fix(q, 0)
	default:
		heap.Pop(q)
	}
	return nil
}

func (q *mergeQueue) close() {
	for _, c := range q.all {
		c.in.close()
	}
}

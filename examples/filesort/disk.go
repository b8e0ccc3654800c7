package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"example.com/sorter/extsort"
)

// sortOnDisk sorts what memory does not hold: the chunks of st, which it gives back, then those
// of in.
func (cmd *command) sortOnDisk(st *store, in *chunks, stdout io.Writer, m *meter) (*report, error) {
	r := &report{disk: new(extsort.Stats)}
	in.size = max(min(in.size, int(cmd.memory/64)), leastChunk)
	limit := cmd.memory - int64(readAhead*in.size) - writeBuffer
	if len(st.slots) > 0 {
		limit -= cmd.memory / 2
	}
	s, err := cmd.diskSorter(limit, r.disk)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := cmd.appendAll(s, st, in); err != nil {
		return nil, err
	}
	r.what = fmt.Sprintf("%d %s", s.Len(), cmd.unit())
	m.stage("merge", cmd.unit(), s.Len())
	ctx, stop := interrupts()
	defer stop()
	err = cmd.writeTo(stdout, func(w io.Writer) error { return cmd.writeBatches(ctx, s, w, m) })
	return r, errors.Join(err, s.Close())
}

const (
	leastChunk = 64 << 10
	readAhead  = 3 // chunks that are read, wait, and are appended
)

// diskSorter returns a sorter of lines that takes limit bytes of memory.
func (cmd *command) diskSorter(limit int64, stats *extsort.Stats) (*extsort.Sorter[string], error) {
	opts := []extsort.Option{extsort.Report(stats), extsort.Workers(cmd.workers)}
	if len(cmd.dirs) > 0 {
		opts = append(opts, extsort.TempDir(cmd.dirs...))
	}
	if cmd.unique {
		opts = append(opts, extsort.Unique())
	}
	if cmd.top > 0 {
		opts = append(opts, extsort.Limit(int64(cmd.top)))
	}
	by := orderLines(cmd.order, func(s string) string { return s })
	return extsort.NewCoded(by, extsort.Strings(), append(opts, extsort.MemoryLimit(max(limit, leastMemory/4)))...)
}

// appendAll appends the lines of st, then those of in, which is read meanwhile.
func (cmd *command) appendAll(s *extsort.Sorter[string], st *store, in *chunks) error {
	var lines []string
	add := func(chunk []byte) error {
		lines = lines[:0]
		for text := range cmd.shape.lines(chunk) {
			lines = append(lines, text)
		}
		return s.Append(lines...)
	}
	for i, chunk := range st.chunks {
		st.chunks[i] = nil
		if err := add(chunk); err != nil {
			return err
		}
	}
	*st = store{}
	free, read := make(chan []byte, readAhead), make(chan readChunk, readAhead-2)
	stop := make(chan struct{})
	defer func() {
		close(stop)
		for range read { // until the reader has ended
		}
	}()
	for range readAhead {
		free <- nil
	}
	go func() {
		defer close(read)
		for {
			select {
			case <-stop:
				return
			case buf := <-free:
				chunk, err := in.next(buf)
				if chunk == nil && err == nil {
					return
				}
				select {
				case read <- readChunk{chunk, err}:
				case <-stop:
					return
				}
			}
		}
	}()
	for c := range read {
		if c.err != nil {
			return c.err
		}
		if err := add(c.text); err != nil {
			return err
		}
		free <- c.text
	}
	return nil
}

// readChunk is a chunk, or why there is none.
type readChunk struct {
	text []byte
	err  error
}

// writeBatches writes the output.
func (cmd *command) writeBatches(ctx context.Context, s *extsort.Sorter[string], w io.Writer, m *meter) error {
	out := &lineWriter{w: w, buf: make([]byte, 0, writeBuffer), shape: cmd.shape}
	for batch, err := range s.Batches() {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		for _, text := range batch {
			if err := out.write(text); err != nil {
				return err
			}
		}
		m.add(len(batch))
	}
	return out.flush()
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"example.com/sorter"
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
	s, err := cmd.newDiskSorter(orderLines(cmd.order, func(s string) string { return s }), limit, r.disk)
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
	err = cmd.writeTo(stdout, true, func(w io.Writer) error {
		out := newLineWriter(w, cmd.shape)
		return writeBatches(ctx, s, out, out.write, m)
	})
	return r, errors.Join(err, s.Close())
}

const (
	leastChunk = 64 << 10
	readAhead  = 4 // chunks that are read, cut, wait, and are appended
)

// newDiskSorter returns a sorter of rows that takes limit bytes of memory.
func (cmd *command) newDiskSorter(by sorter.Ordering[string], limit int64, stats *extsort.Stats) (*extsort.Sorter[string], error) {
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
	return extsort.NewCoded(by, extsort.Strings(), append(opts, extsort.MemoryLimit(max(limit, leastMemory/4)))...)
}

// appendAll appends the lines of st, then those of in. Chunks are read, cut into lines, and
// appended at the same time.
func (cmd *command) appendAll(s *extsort.Sorter[string], st *store, in *chunks) error {
	old := st.chunks
	*st = store{}
	free := make(chan []byte, readAhead)
	next := func() (chunk []byte, more bool, err error) {
		if len(old) > 0 {
			chunk, old[0] = old[0], nil
			old = old[1:]
			return chunk, true, nil
		}
		select {
		case chunk = <-free:
		default:
		}
		chunk, err = in.next(chunk)
		return chunk, chunk != nil, err
	}
	cut := func(chunk []byte) (c cutChunk, err error) {
		c.text, c.lines = chunk, make([]string, 0, cmd.shape.count(chunk))
		for text := range cmd.shape.lines(chunk) {
			c.lines = append(c.lines, text)
		}
		return c, nil
	}
	return pipeline(1, next, cut, func(c cutChunk) error {
		err := s.Append(c.lines...)
		select {
		case free <- c.text:
		default:
		}
		return err
	})
}

// cutChunk is a chunk and its lines.
type cutChunk struct {
	text  []byte
	lines []string
}

// writeBatches has put write all elements to out.
func writeBatches(ctx context.Context, s *extsort.Sorter[string], out *lineWriter, put func(e string) error, m *meter) error {
	for batch, err := range s.Batches() {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		for _, e := range batch {
			if err := put(e); err != nil {
				return err
			}
		}
		m.add(len(batch))
	}
	return out.flush()
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"example.com/sorter"
	"example.com/sorter/extsort"
)

// sortOnDisk sorts what memory does not hold: the chunks of st, which it gives back, then those
// of in.
func (cmd *command) sortOnDisk(st *store, in *chunks, stdout io.Writer, m *meter) (*report, error) {
	defer moreProcessors()()
	r := &report{disk: new(extsort.Stats)}
	in.size, in.most = diskChunk(cmd.memory), cmd.memory
	waiting, stored := min(mostWaiting, int(cmd.memory/16)/in.size), len(st.slots) > 0
	limit := runMemory(cmd.memory, stored)
	f := cmd.onDisk()
	s, err := cmd.newDiskSorter(f.order, f.tying, limit, r.disk)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := cmd.appendAll(s, f, st, in, waiting); err != nil {
		return nil, cmd.explainLength(err, s.Len()+1, stored)
	}
	r.what = fmt.Sprintf("%d %s", s.Len(), cmd.unit())
	m.stage("merge", cmd.unit(), s.Sorter.Len())
	ctx, stop := cmd.interrupts()
	defer stop()
	err = cmd.writeLines(stdout, "", cmd.shape, func(out *lineWriter) error {
		key := f.splitKey(cmd)
		put := func(e string) error {
			key.note(out, e)
			return out.write(f.line(e))
		}
		if cmd.debug {
			put, out.shape = cmd.debugTo(f, out), shape{record: 1}
		}
		if !cmd.any() {
			return writeBatches(ctx, s.Sorter, out, put, nil, m)
		}
		var line []byte
		rows := cmd.selecting(f.tying, nil, func(e string, count int) error {
			if cmd.counts == "" {
				return put(e)
			}
			key.note(out, e)
			line = countedLine(line[:0], count, f.line(e))
			return out.write(stringOf(line))
		})
		return writeBatches(ctx, s.Sorter, out, rows.add, rows.end, m)
	})
	return r, errors.Join(err, s.Close())
}

// debugTo returns a function that shows a line with its keys.
func (cmd *command) debugTo(f *diskForm, out *lineWriter) func(e string) error {
	var text []byte
	return func(e string) error {
		text = cmd.order.debugLine(text[:0], f.line(e))
		return out.write(stringOf(text))
	}
}

// diskChunk returns the size of chunks of a sort on disk in some memory.
func diskChunk(memory int64) int { return max(int(min(slotSize, memory/256)), leastChunk) }

// runMemory returns the part of some memory that runs have, beside chunks, and stored ones if there are any.
func runMemory(memory int64, stored bool) int64 {
	size := diskChunk(memory)
	waiting := min(mostWaiting, int(memory/16)/size)
	limit := memory - int64((waiting+busyChunks)*size+writeBuffer+pastBuffers*pastBuffer(memory))
	if stored {
		limit -= memory / 2
	}
	return limit
}

// explainLength adds the number of a line that is too long for the memory, and a -S that has room for it.
func (cmd *command) explainLength(err error, number int64, stored bool) error {
	var long *extsort.LengthError
	if !errors.As(err, &long) {
		return err
	}
	room := func(memory int64) int64 {
		runs := runMemory(memory, stored)
		return runs - cmd.combinerMemory(runs)
	}
	need := enough(cmd.memory, long.Need, room)
	return fmt.Errorf("line %d of the input has %d bytes%s, and -S %dK has room for %d in the runs; -S %dK is enough: %w",
		number, long.Bytes, map[bool]string{true: " with its key"}[cmd.order.copies() > 0], cmd.memory>>10, long.Most, need>>10+1, err)
}

const (
	leastChunk = 64 << 10

	// Of chunks: those that are read, handed over, cut, wait to be appended, and are appended, and
	// the most that are read before. So the disk goes on while a run is sorted.
	busyChunks  = 5
	cutChunks   = 3 // of them, those that have lines
	mostWaiting = 28
)

// newDiskSorter returns a sorter of rows that takes limit bytes of memory, and combines rows if that is wanted. The caller
// flushes it after the last row.
func (cmd *command) newDiskSorter(by sorter.Ordering[string], t tying, limit int64, stats *extsort.Stats) (*combiner, error) {
	limit = max(limit, leastMemory/4)
	combining := cmd.combinerMemory(limit)
	opts := []extsort.Option{extsort.Report(stats), extsort.Workers(cmd.workers)}
	if len(cmd.dirs) > 0 {
		opts = append(opts, extsort.TempDir(cmd.dirs...))
	}
	if cmd.unique && !cmd.combines() {
		opts = append(opts, extsort.Unique())
	}
	if cmd.top > 0 && !cmd.any() {
		opts = append(opts, extsort.Limit(int64(cmd.top)))
	}
	s, err := extsort.NewCoded(by, extsort.Strings(), append(opts, extsort.MemoryLimit(limit-combining))...)
	if err != nil {
		return nil, err
	}
	return newCombiner(s, t, cmd.last, combining), nil
}

// writeBatches has put write all elements to out, and end what is left, if there is such a function. errEnough of either
// is none.
func writeBatches(ctx context.Context, s *extsort.Sorter[string], out *lineWriter, put func(e string) error, end func() error, m *meter) error {
	err := putBatches(ctx, s, put, m)
	if err == nil && end != nil {
		err = end()
	}
	if err != nil && err != errEnough {
		return err
	}
	return out.flush()
}

func putBatches(ctx context.Context, s *extsort.Sorter[string], put func(e string) error, m *meter) error {
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
	return nil
}

// moreProcessors lets more goroutines run than there are processors, until the function that it
// returns is called. One that waits in a call for the disk keeps its place for 20 µs up to 10 ms.
func moreProcessors() (end func()) {
	const waiting = 4
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(before + waiting)
	return func() { runtime.GOMAXPROCS(before) }
}

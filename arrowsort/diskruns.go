package arrowsort

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"example.com/sorter/extsort"
	pages "example.com/sorter/internal/scratch"
	"example.com/sorter/internal/spill"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// diskRun is a sorted run on disk.
type diskRun struct {
	bytes     *spill.Run
	blocks    []diskBlock
	rows      int64
	mostBytes int64 // of a block
	mostRows  int
}

// diskBlock is a block of a run: its frames, each of which has a checksum, and its bytes.
type diskBlock struct {
	first, frames int
	bytes         int64
}

// memory returns the bytes of the index.
func (r *diskRun) memory() int64 { return r.bytes.Memory() + 24*int64(cap(r.blocks)) }

// files are the runs of a sort.
type files struct {
	store  *spill.Store
	id     uint64 // of the sort, in all checksums
	number uint64 // of the next run
	buffer []byte // of the writer
	blocks *recycler
}

// openFiles prepares the runs of s. No file is made before the first.
func (s *streaming) openFiles() *files {
	return &files{
		store:  spill.NewStore(s.disk, s.dirs, s.diskLimit, s.budget.packing, ""),
		id:     rand.Uint64(),
		blocks: newRecycler(s.mem, s.budget.limit/8),
	}
}

// close frees all memory and all files.
func (f *files) close() error {
	f.blocks.close()
	f.buffer = nil
	return publicError(f.store.Close())
}

// runWriter writes a run.
type runWriter struct {
	s     *streaming
	out   *spill.Writer
	run   *diskRun
	frame []byte // that is filled
	own   []byte // memory for it where the writer has none
	size  int    // of a frame
	next  int    // number of the next frame
}

// newRun begins a run of about some bytes.
func (s *streaming) newRun(f *files, bytes int64) (*runWriter, error) {
	if f.buffer == nil {
		f.buffer = pages.Pages(int(s.budget.buffer))
	}
	f.number++
	out, err := f.store.NewWriter(bytes, 0, f.id+f.number*0x9e3779b97f4a7c15, spill.Aligned(f.buffer))
	if err != nil {
		return nil, publicError(err)
	}
	return &runWriter{s: s, out: out, run: &diskRun{}, size: int(s.budget.frame())}, nil
}

// write writes a block, and releases it.
func (w *runWriter) write(batch arrow.RecordBatch) error {
	defer batch.Release()
	start := time.Now()
	defer func() { w.s.stats.Write += time.Since(start) }()
	columns := make([]arrow.ArrayData, batch.NumCols())
	for i, a := range batch.Columns() {
		columns[i] = a.Data()
	}
	image := imageOf(columns, int(batch.NumRows()))
	if need := oneRowShare * int64(image.bytes); batch.NumRows() == 1 && need > w.s.budget.limit {
		return w.s.tooSmallFor(need, int64(image.bytes), 0)
	}
	block := diskBlock{first: w.next, bytes: int64(image.bytes)}
	err := image.writeTo(w.put)
	if err == nil {
		err = w.endFrame()
	}
	block.frames = w.next - block.first
	r := w.run
	r.blocks, r.rows = append(r.blocks, block), r.rows+batch.NumRows()
	r.mostBytes, r.mostRows = max(r.mostBytes, block.bytes), max(r.mostRows, int(batch.NumRows()))
	return publicError(err)
}

// oneRowShare is the number of rows, or blocks of one row, that memory holds at least: two runs are
// merged.
const oneRowShare = 12

// put appends bytes to the frame.
func (w *runWriter) put(p []byte) error {
	for len(p) > 0 {
		if w.frame == nil {
			w.beginFrame()
		}
		n := min(len(p), cap(w.frame)-len(w.frame))
		w.frame, p = append(w.frame, p[:n]...), p[n:]
		if len(w.frame) == cap(w.frame) {
			if err := w.endFrame(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *runWriter) beginFrame() {
	if w.frame = w.out.Reserve(w.size); w.frame != nil {
		return
	}
	if w.own == nil {
		w.own = make([]byte, 0, w.size)
	}
	w.frame = w.own
}

// endFrame writes the frame, unless it has no bytes.
func (w *runWriter) endFrame() error {
	frame := w.frame
	if w.frame = nil; len(frame) == 0 {
		return nil
	}
	w.next++
	return w.out.AppendBlock(frame)
}

// close ends the run.
func (w *runWriter) close() (*diskRun, error) {
	w.out.Shorten()
	bytes, err := w.out.Close()
	if err != nil {
		return nil, publicError(err)
	}
	w.run.bytes, w.run.blocks = bytes, spill.Trim(w.run.blocks)
	return w.run, nil
}

// discard gives the space of a run back that was not written to its end.
func (w *runWriter) discard() {
	if w.run.bytes == nil {
		w.out.Discard()
	}
}

// load returns the rows of a block.
func (f *files) load(d *spill.Reader, schema *arrow.Schema, r *diskRun, i int) (arrow.RecordBatch, error) {
	b := r.blocks[i]
	all := memory.NewBufferWithAllocator(f.blocks.Allocate(int(b.bytes)), f.blocks)
	defer all.Release()
	at := 0
	err := d.Read(r.bytes, b.first, b.first+b.frames, func(_, _ int, p []byte) error {
		at += copy(all.Bytes()[at:], p)
		return nil
	})
	if err != nil {
		return nil, publicError(err)
	}
	return batchIn(schema, all)
}

// publicError returns an error of files as one of package extsort.
func publicError(err error) error {
	var failed *spill.Error
	var limit *spill.LimitError
	switch {
	case errors.As(err, &failed):
		cause := failed.Err
		if errors.Is(cause, spill.ErrCorrupt) {
			cause = fmt.Errorf("%w: %w", extsort.ErrCorrupt, cause)
		}
		return &extsort.DiskError{Op: failed.Op, Path: failed.Dir, Bytes: failed.Bytes, Err: cause}
	case errors.As(err, &limit):
		return fmt.Errorf("%w: %w", extsort.ErrDiskLimit, limit)
	}
	return err
}

package arrowsort

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// SortReader returns a reader of the rows of in, in the order of keys: [SortTable] of more rows than
// memory holds. What fits in memory never touches a disk; otherwise sorted runs are on disk between them,
// by column, in blocks with checksums.
//
// The order is that of [SortIndices], and stable. Columns may have any type of arrow-go, and extension
// types stay; keys those of SortIndices. Rows of lists, maps, unions, views and dictionaries are copied;
// batches of dictionaries have dictionaries of their own where those of the input differ, or where runs were on disk.
//
// The input is read by the first call of Next, on its goroutine. Batches are made ahead on others. Memory is
// bounded by [MemoryLimit], and the context has the allocator, the number of goroutines and the options
// of package sorter, as for all functions of this package. A cancelled context ends the sort. Release
// frees all memory and all files, at any moment; it waits for a call of Next that is at work. in stays
// the caller's: the reader retains it until it is read.
//
// Errors of keys, schemas and types come at once: those of SortIndices. Errors of the input, of the disk
// (extsort.DiskError, extsort.ErrDiskLimit), of memory (*sorter.MemoryError) and of the context end the
// output, and Err has them. A panic of in or of a malformed array reaches the caller of Next. It panics if
// ctx, in or an option is nil. Functions of the reader are for one goroutine at a time, except Retain and Release.
//
// The Need of a MemoryError is the limit to call again with: at least twice the limit that failed. It counts the
// rows read so far. Later rows that are wider, larger dictionaries and the indices of more runs, which grow
// with the input, may end the next call with a larger Need.
func SortReader(ctx context.Context, in array.RecordReader, keys []SortKey, opts ...ReaderOption) (array.RecordReader, error) {
	checkContext(ctx)
	checkGiven(in)
	r := newReader(ctx, in.Schema())
	s, err := newStreaming(newCall(r.ctx), r.schema, keys, readerOptionsOf(opts))
	if err != nil {
		r.cancel()
		return nil, err
	}
	in.Retain()
	sort := &tableSort{streaming: s, in: in, files: s.openFiles()}
	r.read, r.produce, r.close, r.of = sort.read, sort.produce, sort.close, s
	return r, nil
}

// MergeReaders returns a reader of the rows of readers, each sorted by keys, in the order of keys. It
// is stable: rows that are equal come in the order of the readers. It is [MergeTables] of tables that
// need not be in memory.
//
// Each reader is read on a goroutine of its own, one batch ahead, and is retained until the end. Memory
// has some thousand rows of each reader, at least a batch, and the scratch memory of a sort of these; where
// that takes more than [MemoryLimit] the error is a *sorter.MemoryError. No disk is used: [TempDir],
// [DiskLimit] and [Compress] have no effect.
//
// The error wraps arrow.ErrInvalid for no readers and for different schemas; metadata is that of the
// first. A reader that is not sorted ends the output with [ErrOrder]: of each reader all rows are checked,
// those that [UniqueKeys] drops as well. With [Limit], a reader is checked up to its last row in the output
// at least; rows after it may not be read. Everything else is as said of [SortReader].
func MergeReaders(ctx context.Context, readers []array.RecordReader, keys []SortKey, opts ...ReaderOption) (array.RecordReader, error) {
	checkContext(ctx)
	if len(readers) == 0 {
		return nil, fmt.Errorf("%w: no readers to merge", arrow.ErrInvalid)
	}
	for i, in := range readers {
		checkGiven(in)
		if !in.Schema().Equal(readers[0].Schema()) {
			return nil, fmt.Errorf("%w: schema of reader %d differs from that of reader 0", arrow.ErrInvalid, i)
		}
	}
	r := newReader(ctx, readers[0].Schema())
	s, err := newStreaming(newCall(r.ctx), r.schema, keys, readerOptionsOf(opts))
	if err != nil {
		r.cancel()
		return nil, err
	}
	m := mergeOf(s, readers)
	r.read, r.produce, r.close, r.of = m.start, m.produce, m.close, s
	return r, nil
}

// reader is the result of SortReader and MergeReaders.
type reader struct {
	schema *arrow.Schema
	ctx    context.Context
	cancel context.CancelFunc
	refs   atomic.Int64
	of     *streaming

	read    func() error // on the goroutine of the first call of Next
	produce func(out func(batch arrow.RecordBatch) error) error
	close   func() error // frees everything

	mu      sync.Mutex // of all below; Next has it
	begun   bool
	ended   bool
	since   time.Time // of the first batch
	batches chan arrow.RecordBatch
	failed  error  // of produce
	end     ending // of its goroutine
	current arrow.RecordBatch
	err     error
}

func newReader(ctx context.Context, schema *arrow.Schema) *reader {
	r := &reader{schema: schema, batches: make(chan arrow.RecordBatch, 1)}
	r.ctx, r.cancel = context.WithCancel(ctx)
	r.refs.Store(1)
	return r
}

// Schema returns the schema of the input.
func (r *reader) Schema() *arrow.Schema { return r.schema }

// Err returns the error that ended the output.
func (r *reader) Err() error { return r.err }

// RecordBatch returns the current batch, which is valid until the next call of Next.
func (r *reader) RecordBatch() arrow.RecordBatch { return r.current }

// Record is RecordBatch under its former name.
func (r *reader) Record() arrow.RecordBatch { return r.current }

// Retain adds a reference.
func (r *reader) Retain() { r.refs.Add(1) }

// Release drops a reference. With the last one all memory and all files are freed.
func (r *reader) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	r.cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropCurrent()
	r.finish()
}

func (r *reader) dropCurrent() {
	if r.current != nil {
		r.current.Release()
		r.current = nil
	}
}

// Next reads the next batch.
func (r *reader) Next() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropCurrent()
	if r.ended {
		return false
	}
	if !r.begun && !r.begin() {
		return false
	}
	batch, ok := <-r.batches
	if !ok {
		r.finish()
		r.end.repeat()
		return false
	}
	r.current = batch
	return true
}

// begin reads the input and starts the goroutine that makes batches. Nothing is left if it fails or panics.
func (r *reader) begin() (ok bool) {
	r.begun = true
	defer func() {
		if !ok {
			close(r.batches)
			r.end.returned = true
			r.finish()
		}
	}()
	if r.failed = r.read(); r.failed != nil {
		return false
	}
	r.since = time.Now()
	go func() {
		defer close(r.batches)
		r.end.of(func() { r.failed = r.produce(r.hand) })
	}()
	return true
}

// hand hands out a batch.
func (r *reader) hand(batch arrow.RecordBatch) error {
	select {
	case r.batches <- batch:
		return nil
	case <-r.ctx.Done():
		batch.Release()
		return r.ctx.Err()
	}
}

// finish waits for the goroutine, and frees everything.
func (r *reader) finish() {
	if r.ended {
		return
	}
	r.ended = true
	if r.begun {
		for batch := range r.batches {
			batch.Release()
		}
	}
	if r.err = r.failed; !r.since.IsZero() {
		r.of.stats.Merge = time.Since(r.since)
	}
	if err := r.close(); r.err == nil {
		r.err = err
	}
	r.of.call.close()
	r.cancel()
	if r.of.report != nil {
		*r.of.report = r.of.stats
	}
}

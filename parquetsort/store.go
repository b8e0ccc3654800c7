package parquetsort

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"runtime"
	"slices"

	"example.com/sorter/internal/parallel"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"
)

// store is a buffer of the pool to which runs are written. A run is cut into blocks; where they
// are stays in memory.
type store struct {
	pool        parquet.BufferPool
	compression compress.Codec // nil: none
	buffer      io.ReadWriteSeeker
	size        int64
	encoders    []encoder
}

// encoder is the memory of blocks that are encoded at a time.
type encoder struct {
	raw, packed []byte
	block       block
	err         error
}

// run is rows in order, in a store.
type run struct {
	from   *store
	blocks []block
}

// block is where rows of a run are.
type block struct {
	at        int64
	size, raw int // bytes as stored, and as encoded
	rows      int
	sum       uint32
}

// compressionOf returns the codec that blocks are compressed by.
func compressionOf(config *parquet.WriterConfig) compress.Codec {
	if c := config.Compression; c != nil && c.CompressionCodec() != format.Uncompressed {
		return c
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged reports a block that differs from the block written.
var errDamaged = errors.New("parquetsort: a temporary buffer does not hold what was written to it")

// encode encodes rows as a block.
func (e *encoder) encode(compression compress.Codec, rows int, raw []byte) {
	e.raw, e.err = raw, nil
	e.block = block{raw: len(raw), rows: rows}
	if compression != nil {
		if e.packed, e.err = compression.Encode(e.packed[:0], raw); e.err != nil {
			e.err = fmt.Errorf("parquetsort: compressing rows: %w", e.err)
		}
	}
	out := e.bytes(compression)
	e.block.size, e.block.sum = len(out), crc32.Checksum(out, castagnoli)
}

// bytes returns the stored bytes.
func (e *encoder) bytes(compression compress.Codec) []byte {
	if compression != nil {
		return e.packed
	}
	return e.raw
}

// put writes the block of an encoder.
func (s *store) put(e *encoder) (block, error) {
	if e.err != nil {
		return block{}, e.err
	}
	if s.buffer == nil {
		s.buffer = s.pool.GetBuffer()
	}
	b, out := e.block, e.bytes(s.compression)
	b.at = s.size
	if n, err := s.buffer.Write(out); err != nil {
		return b, err
	} else if n < len(out) {
		return b, io.ErrShortWrite
	}
	s.size += int64(b.size)
	return b, nil
}

// get reads blocks that follow each other, and calls each with the encodings in one of them,
// which it may keep.
func (s *store) get(blocks []block, each func(b block, encoded []byte)) error {
	if len(blocks) == 0 {
		return nil
	}
	last := blocks[len(blocks)-1]
	all := make([]byte, last.at+int64(last.size)-blocks[0].at)
	if err := s.read(all, blocks[0].at); err != nil {
		return err
	}
	for _, b := range blocks {
		encoded := all[:b.size:b.size]
		all = all[b.size:]
		if crc32.Checksum(encoded, castagnoli) != b.sum {
			return errDamaged
		}
		if s.compression != nil {
			var err error
			if encoded, err = s.compression.Decode(make([]byte, 0, b.raw), encoded); err != nil {
				return fmt.Errorf("parquetsort: decompressing rows: %w", err)
			}
		}
		if len(encoded) != b.raw {
			return errDamaged
		}
		each(b, encoded)
	}
	return nil
}

// read fills p with the bytes at a place.
func (s *store) read(p []byte, at int64) error {
	var err error
	if r, ok := s.buffer.(io.ReaderAt); ok {
		var n int
		if n, err = r.ReadAt(p, at); n == len(p) {
			return nil
		}
	} else {
		if _, err = s.buffer.Seek(at, io.SeekStart); err == nil {
			_, err = io.ReadFull(s.buffer, p)
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errDamaged
	}
	return err
}

// release gives the buffer back to the pool.
func (s *store) release() {
	if s.buffer != nil {
		s.pool.PutBuffer(s.buffer)
		s.buffer = nil
	}
	s.size = 0
}

// runWriter writes rows in order as a run.
type runWriter struct {
	to   *store
	each int // rows of a block
	run  run
}

// newRun returns the writer of a run whose blocks have a number of rows each.
func (s *store) newRun(each int) *runWriter {
	return &runWriter{to: s, each: each, run: run{from: s}}
}

// write appends a number of rows to the run, of which encode appends rows lo to hi to dst. Blocks are encoded by several
// goroutines.
func (w *runWriter) write(rows int, encode func(dst []byte, lo, hi int) []byte) error {
	if w.to.encoders == nil {
		w.to.encoders = make([]encoder, runtime.GOMAXPROCS(0))
	}
	for at := 0; at < rows; {
		blocks := min((rows-at+w.each-1)/w.each, len(w.to.encoders))
		_ = (&parallel.Loop{Workers: blocks}).Run("", blocks, 1, func(_, i, _ int) { // it is never cancelled
			to, lo := &w.to.encoders[i], at+i*w.each
			hi := min(lo+w.each, rows)
			to.encode(w.to.compression, hi-lo, encode(to.raw[:0], lo, hi))
		})
		for i := range blocks {
			b, err := w.to.put(&w.to.encoders[i])
			if err != nil {
				return err
			}
			w.run.blocks = append(w.run.blocks, b)
			at += b.rows
		}
	}
	return nil
}

// end returns the run.
func (w *runWriter) end() run {
	w.run.blocks = slices.Clip(w.run.blocks)
	return w.run
}

// Blocks are small, so that many runs are merged at a time in the memory of one.
const (
	blockShare = 256  // of the rows in memory
	blockLeast = 32   // rows
	blockMost  = 1024 // rows
)

// blockRows returns the rows of a block, given the rows in memory.
func blockRows(limit int) int { return min(max(limit/blockShare, blockLeast), blockMost) }

// runSet is the runs that wait to be merged, in the order in which their rows were written.
type runSet struct {
	store *store
	runs  []run
	block int // rows of a block
	limit int // rows in memory
	least int // rows that a merge holds, whatever the limit
}

// newRunSet returns no runs.
func newRunSet(config *parquet.WriterConfig, limit int) runSet {
	return runSet{
		store: &store{pool: config.Sorting.SortingBuffers, compression: compressionOf(config)},
		block: blockRows(limit),
		limit: limit,
		least: leastMerged,
	}
}

// leastMerged is the number of rows that a merge holds, whatever the limit of rows in memory.
const leastMerged = 1 << 14

// mergedRows returns how many rows of runs a merge holds. There are as many merged ones, twice.
func (r *runSet) mergedRows() int { return max(r.limit/2, r.least) }

// mostRuns returns how many runs are merged at a time: each has two blocks in memory.
func (r *runSet) mostRuns() int { return max(r.mergedRows()/(2*r.block), 2) }

// share returns how many rows of each of some runs a merge holds.
func (r *runSet) share(runs int) int { return max(r.mergedRows()/runs, 2*r.block) }

// addRun writes a run.
func (r *runSet) addRun(rows int, encode func(dst []byte, lo, hi int) []byte) error {
	out := r.store.newRun(r.block)
	if err := out.write(rows, encode); err != nil {
		return err
	}
	r.runs = append(r.runs, out.end())
	return nil
}

// reduce merges runs to fewer, until those that are left can be merged at a time.
func (r *runSet) reduce(merge func(from []run, out *runWriter) error) error {
	for len(r.runs) > r.mostRuns() {
		next := &store{pool: r.store.pool, compression: r.store.compression}
		merged, err := r.mergeGroups(next, merge)
		if err != nil {
			next.release()
			return err
		}
		r.store.release()
		r.store, r.runs = next, merged
	}
	return nil
}

// mergeGroups merges each group of runs that follow each other to a run in next.
func (r *runSet) mergeGroups(next *store, merge func(from []run, out *runWriter) error) (merged []run, err error) {
	for group := range slices.Chunk(r.runs, r.mostRuns()) {
		out := next.newRun(r.block)
		if err := merge(group, out); err != nil {
			return nil, err
		}
		merged = append(merged, out.end())
	}
	return merged, nil
}

// dropRuns gives the buffer back.
func (r *runSet) dropRuns() {
	r.runs = nil
	r.store.release()
}

// nextBlocks decodes the first blocks, as many as a number of rows has room for, and returns those that are left.
func nextBlocks(from *store, left []block, room int, decode func(rows int, encoded []byte)) ([]block, error) {
	n := 0
	for n < len(left) && left[n].rows <= room {
		room -= left[n].rows
		n++
	}
	return left[n:], from.get(left[:n], func(b block, encoded []byte) { decode(b.rows, encoded) })
}

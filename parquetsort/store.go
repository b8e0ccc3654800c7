package parquetsort

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

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
	raw, packed []byte // of a block
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

// errDamaged reports a block that is not what was written.
var errDamaged = errors.New("parquetsort: a temporary buffer does not hold what was written to it")

// put writes a block of rows whose encodings are in s.raw.
func (s *store) put(rows int) (block, error) {
	if s.buffer == nil {
		s.buffer = s.pool.GetBuffer()
	}
	b := block{at: s.size, raw: len(s.raw), rows: rows}
	out := s.raw
	if s.compression != nil {
		var err error
		if s.packed, err = s.compression.Encode(s.packed[:0], s.raw); err != nil {
			return b, fmt.Errorf("parquetsort: compressing rows: %w", err)
		}
		out = s.packed
	}
	b.size, b.sum = len(out), crc32.Checksum(out, castagnoli)
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
type runWriter[E any] struct {
	codec   codec[E]
	to      *store
	each    int // rows of a block
	waiting int // rows of the block that is filled
	run     run
}

// newRun returns the writer of a run in s.
func (e *engine[E]) newRun(s *store) *runWriter[E] {
	return &runWriter[E]{codec: e.codec, to: s, each: e.blockRows(), run: run{from: s}}
}

// write appends rows to the run.
func (w *runWriter[E]) write(rows []E) error {
	for len(rows) > 0 {
		if w.waiting == 0 {
			w.to.raw = w.to.raw[:0]
		}
		n := min(len(rows), w.each-w.waiting, blockLeast)
		w.to.raw = w.codec.Append(w.to.raw, rows[:n])
		w.waiting += n
		rows = rows[n:]
		if w.waiting == w.each || len(w.to.raw) >= blockBytes {
			if err := w.put(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *runWriter[E]) put() error {
	b, err := w.to.put(w.waiting)
	if err != nil {
		return err
	}
	w.run.blocks = append(w.run.blocks, b)
	w.waiting = 0
	return nil
}

// end returns the run.
func (w *runWriter[E]) end() (run, error) {
	if w.waiting > 0 {
		if err := w.put(); err != nil {
			return run{}, err
		}
	}
	w.run.blocks = slices.Clip(w.run.blocks)
	return w.run, nil
}

// Blocks are small, so that many runs are merged at a time in the memory of one.
const (
	blockShare = 256     // of the rows in memory
	blockLeast = 32      // rows
	blockMost  = 1024    // rows
	blockBytes = 1 << 20 // as encoded; a block ends with the rows that reach it
)

// blockRows returns the most rows of a block.
func (e *engine[E]) blockRows() int {
	return min(max(e.limit/blockShare, blockLeast), blockMost)
}

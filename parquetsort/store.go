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
type runWriter[E any] struct {
	codec codec[E]
	to    *store
	each  int // rows of a block
	run   run
}

// newRun returns the writer of a run in s.
func (e *engine[E]) newRun(s *store) *runWriter[E] {
	return &runWriter[E]{codec: e.codec, to: s, each: e.block, run: run{from: s}}
}

// write appends rows to the run. Blocks are encoded by several goroutines.
func (w *runWriter[E]) write(rows []E) error {
	if w.to.encoders == nil {
		w.to.encoders = make([]encoder, workers())
	}
	for len(rows) > 0 {
		blocks := slices.Collect(slices.Chunk(rows[:min(len(rows), w.each*len(w.to.encoders))], w.each))
		inParallel(len(blocks), func(i int) {
			to := &w.to.encoders[i]
			to.encode(w.to.compression, len(blocks[i]), w.codec.Append(to.raw[:0], blocks[i]))
		})
		for i := range blocks {
			b, err := w.to.put(&w.to.encoders[i])
			if err != nil {
				return err
			}
			w.run.blocks = append(w.run.blocks, b)
			rows = rows[b.rows:]
		}
	}
	return nil
}

// end returns the run.
func (w *runWriter[E]) end() run {
	w.run.blocks = slices.Clip(w.run.blocks)
	return w.run
}

// Blocks are small, so that many runs are merged at a time in the memory of one.
const (
	blockShare = 256  // of the rows in memory
	blockLeast = 32   // rows
	blockMost  = 1024 // rows
)

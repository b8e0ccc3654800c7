package spill

// Compression says which methods the blocks of a store may have.
type Compression uint8

// The compressions. Adaptive takes the method that costs the least time, see pace.
const (
	Adaptive Compression = iota
	Never
	AlwaysS2
	AlwaysZstd
)

// Packing divides the memory of compression.
type Packing struct {
	mode  Compression
	zstd  bool // it may be used
	crew  int  // goroutines that compress
	batch int  // bytes that they compress at a time; 0: nothing is compressed
	block int  // bytes of the largest block that is compressed
	kept  int  // and of those that were, in kept runs
}

// PackingOf returns how a sort with a limit of memory compresses, on a number of goroutines.
// Adaptive compresses nothing where it would take too large a share of the memory. There may be
// runs with blocks of S2 and zstd already.
func PackingOf(mode Compression, limit int64, workers int, s2, zstd bool) Packing {
	p := Packing{mode: mode, zstd: zstd || mode == AlwaysZstd || mode == Adaptive && limit >= leastZstd}
	if !s2 && !zstd && (mode == Never || mode == Adaptive && limit < leastAdaptive) {
		return p
	}
	p.batch = batchOf(limit)
	p.block = min(p.batch, mostPacked)
	p.crew = int(min(int64(workers), mostCrew, max(limit/crewBytes, 1)))
	return p
}

const (
	leastAdaptive = 64 << 20  // bytes of memory from which on Adaptive compresses
	leastZstd     = 128 << 20 // and from which on it considers zstd
	crewBytes     = 64 << 20  // of memory for a goroutine that compresses, beyond the first
	mostCrew      = 4

	leastBatch = 8 << 10
	mostBatch  = 1 << 20
)

// Active reports whether blocks may be compressed.
func (p Packing) Active() bool { return p.batch > 0 }

// Most returns the number of bytes of the largest block that is compressed.
func (p Packing) Most() int { return p.block }

// WriterBytes returns the memory that writers take in addition to their buffer.
func (p Packing) WriterBytes() int64 {
	if !p.Active() {
		return 0
	}
	coder := scratchBytes(p.block) + s2Bytes
	if p.zstd {
		coder += zstdEncoderBytes
	}
	return int64(2*p.batch) + 2*Align + int64(p.crew)*int64(coder)
}

// plainBytes returns the size of a reader's memory for decompressed blocks.
func (p Packing) plainBytes(buffer int) int { return min(buffer, max(p.batch, p.kept)) }

// WithKept returns how a sort compresses that reads runs as well whose blocks have up to some bytes. They were
// written with limits of memory up to a number; 0: unknown.
func (p Packing) WithKept(block int, limit int64) Packing {
	if limit > 0 {
		block = min(block, batchOf(limit))
	}
	p.kept = min(block, mostPacked)
	return p
}

// batchOf returns the bytes of a batch of blocks that are compressed, with a limit of memory.
func batchOf(limit int64) int {
	return int(min(max(limit/256, leastBatch), mostBatch)) / Align * Align
}

// ReaderBytes returns the memory of a reader with a buffer of some bytes.
func (p Packing) ReaderBytes(buffer int) int64 {
	if !p.Active() {
		return int64(buffer)
	}
	all := int64(buffer + p.plainBytes(buffer))
	if p.zstd {
		all += zstdDecoderBytes
	}
	return all
}

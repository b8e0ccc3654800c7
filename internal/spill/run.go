package spill

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// Run is a sequence of bytes on disk, in blocks: of one size, of which the last may be shorter,
// or of any. Each block is stored as it is, or compressed. Once written a run may be read
// concurrently.
type Run struct {
	store  *Store
	volume *volume
	off    int64 // in the file
	space  int64 // reserved
	freed  int64 // bytes at the front given back, a multiple of Align
	passed int64 // bytes at the front that were to be given back, once there is little room
	size   int64
	stored int64    // bytes on disk
	block  int      // bytes of the largest block
	number uint64   // of the sort and the run: seed of the checksums
	sums   []uint64 // by block
	ends   []int64  // by block; nil if all have one size

	index    int64  // bytes of the index that follows the blocks of a kept run
	indexSum uint64 // of it

	methods []Method // by block; nil if all are Raw
	places  []int64  // by block, where it ends on disk; nil if all are Raw
}

// Size returns the number of bytes.
func (r *Run) Size() int64 { return r.size }

// Stored returns the number of bytes on disk.
func (r *Run) Stored() int64 { return r.stored }

// Blocks returns the number of blocks.
func (r *Run) Blocks() int { return len(r.sums) }

// Block returns the number of bytes of the largest block.
func (r *Run) Block() int { return r.block }

// Offset returns the number of bytes before a block, or of all blocks.
func (r *Run) Offset(block int) int64 {
	switch {
	case r.ends == nil:
		return min(int64(block)*int64(r.block), r.size)
	case block == 0:
		return 0
	}
	return r.ends[block-1]
}

// place returns the number of bytes on disk before a block, or of all blocks.
func (r *Run) place(block int) int64 {
	switch {
	case r.places == nil:
		return r.Offset(block)
	case block == 0:
		return 0
	}
	return r.places[block-1]
}

// method returns how a block is stored.
func (r *Run) method(block int) Method {
	if r.methods == nil {
		return Raw
	}
	return r.methods[block]
}

// add adds a block to the index: of its number of bytes on disk. Its end, if blocks have several
// sizes, is known.
func (r *Run) add(sum uint64, stored int, m Method) {
	block := len(r.sums)
	if m != Raw && r.places == nil {
		r.methods = make([]Method, block, max(cap(r.sums), block+1))
		r.places = make([]int64, block, max(cap(r.sums), block+1))
		for i := range r.places {
			r.places[i] = r.Offset(i + 1)
		}
	}
	if r.places != nil {
		r.places = append(r.places, r.place(block)+int64(stored))
		r.methods = append(r.methods, m)
	}
	r.sums = append(r.sums, sum)
}

// trim gives the memory back that the index does not need.
func (r *Run) trim() {
	r.sums, r.ends, r.places, r.methods = Trim(r.sums), Trim(r.ends), Trim(r.places), Trim(r.methods)
}

// Trim returns s in memory that is hardly longer.
func Trim[T any](s []T) []T {
	if len(s) == 0 || cap(s)-len(s) <= len(s)/16 {
		return s
	}
	return append([]T(nil), s...)
}

// Memory returns the bytes of memory of a run, most of which are for its index.
func (r *Run) Memory() int64 {
	return int64(unsafe.Sizeof(*r)) + 8*int64(cap(r.sums)+cap(r.ends)+cap(r.places)) + int64(cap(r.methods))
}

// Dir returns the directory that the run is in.
func (r *Run) Dir() string { return r.volume.dir }

// begin begins the checksum of a block: of its run, its number, its method and its bytes on disk.
// So a block of another run, or at another place, is found out, and no damaged bytes are
// decompressed.
func (r *Run) begin(d *xxhash.Digest, block int, m Method) {
	var head [8]byte
	binary.LittleEndian.PutUint64(head[:], uint64(block)|uint64(m)<<56)
	d.ResetWithSeed(r.number)
	d.Write(head[:])
}

// errSum reports a block whose bytes have another checksum than those that were written.
var errSum = errors.New("wrong checksum")

// damaged returns ErrCorrupt with the place of a block, and why.
func (r *Run) damaged(block int, why error) error {
	return fmt.Errorf("%w: block %d of %d, at byte %d of the file: %w",
		ErrCorrupt, block, len(r.sums), r.off+r.place(block), why)
}

const leastHole = 1 << 20

// Free gives the space of the blocks before one back, or of all. They may not be read again. It
// waits until an eighth of the run is free, and until the file system has little room, since a hole
// takes 2 ms, in which nothing of the file is read. Calls for one run may not be concurrent.
func (r *Run) Free(block int) {
	to := r.place(block) / Align * Align
	if block >= len(r.sums) {
		to = r.space
	}
	if to <= r.freed || to < r.space && to-max(r.freed, r.passed) < max(r.space/8, leastHole) {
		return
	}
	if r.passed = to; to < r.space && r.store.roomy(r.volume) {
		return
	}
	from := r.freed
	r.freed = to
	r.store.free(r.volume, r.off+from, to-from)
}

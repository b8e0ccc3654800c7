package arrowsort

import (
	"math/bits"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// recycler is an allocator that keeps memory for the next block of about the same size, so that the
// blocks of a sort are not garbage each. The memory is of another allocator.
type recycler struct {
	from memory.Allocator
	most int64 // bytes that are kept

	mu     sync.Mutex
	idle   map[int][][]byte // by length
	kept   int64
	closed bool
}

func newRecycler(from memory.Allocator, most int64) *recycler {
	return &recycler{from: from, most: most, idle: map[int][][]byte{}}
}

// recycledLen returns the length of memory for some bytes: at most an eighth more.
func recycledLen(bytes int) int {
	step := max(1<<max(bits.Len(uint(bytes))-4, 0), bufferAlign)
	return (bytes + step - 1) / step * step
}

// Allocate returns memory of unspecified contents.
func (r *recycler) Allocate(bytes int) []byte {
	length := recycledLen(bytes)
	r.mu.Lock()
	if all := r.idle[length]; len(all) > 0 {
		b := all[len(all)-1]
		r.idle[length] = all[:len(all)-1]
		r.kept -= int64(length)
		r.mu.Unlock()
		return b[:bytes:length]
	}
	r.mu.Unlock()
	return r.from.Allocate(length)[:bytes:length]
}

// Reallocate moves b unless its memory has the length.
func (r *recycler) Reallocate(bytes int, b []byte) []byte {
	if cap(b) > 0 && recycledLen(bytes) == cap(b) {
		return b[:bytes]
	}
	moved := r.Allocate(bytes)
	copy(moved, b)
	r.Free(b)
	return moved
}

// Free keeps b, or frees it if enough is kept.
func (r *recycler) Free(b []byte) {
	if cap(b) == 0 {
		return
	}
	b = b[:cap(b)]
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.kept+int64(len(b)) > r.most {
		r.from.Free(b)
		return
	}
	r.idle[len(b)] = append(r.idle[len(b)], b)
	r.kept += int64(len(b))
}

// close frees all that is kept, and whatever comes later at once.
func (r *recycler) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, all := range r.idle {
		for _, b := range all {
			r.from.Free(b)
		}
	}
	r.idle, r.kept = nil, 0
}

package scratch

import (
	"runtime"

	"example.com/sorter/internal/parallel"
)

// Reserve makes large blocks ready that have some bytes together: a region whose pages are there. No call takes longer
// for it than for memory that was used before. It is kept until Trim, or until more or nothing is reserved. It may be
// called concurrently with sorts.
//
// Blocks are up to a 32nd longer than their contents, and so is the region.
func Reserve(bytes int64) {
	words := int((bytes + 7) / 8)
	if words = classOf(max(words+words/32, exact)); isReserved(bytes, words) {
		return
	}
	b := newRegion(words)
	touch(b.words)
	forget(addReserved(b))
	runtime.GC() // which so much memory has begun, and would run beside the first calls
}

// isReserved reports whether nothing has to be done for a reservation, and ends the one before if that is of less.
func isReserved(bytes int64, words int) bool {
	idle.Lock()
	defer idle.Unlock()
	if r := idle.reserved; r != nil && bytes > 0 && len(r.words) >= words {
		return true
	}
	idle.reserved = nil
	return bytes == 0
}

// addReserved makes a new region the reserved one. All of it is an extent.
func addReserved(b *block) []*block {
	idle.Lock()
	defer idle.Unlock()
	idle.reserved = b.region
	idle.words += len(b.words)
	idle.extents = append(idle.extents, b)
	if !idle.armed {
		arm()
	}
	return dropExcess(max(idle.most, idle.before))
}

// touch writes to each page, by all processors.
func touch(words []uint64) {
	const page = 4 << 10 / 8
	loop := parallel.Loop{Workers: runtime.GOMAXPROCS(0)}
	_ = loop.Run("touch", len(words), 1<<20, func(_, lo, hi int) { // no context ends it
		for i := lo; i < hi; i += page {
			words[i] = 0
		}
	})
}

package extsort

import (
	"math"
	"sort"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/spill"
)

// layout divides the memory of a sort.
//
// While runs are made: two halves of fill elements, of which one is filled while the other is
// written, the scratch memory of a sort of one of them, and the writer's buffer. While they
// are merged: the same elements as buffers of parts, and the scratch memory of one sort a
// worker. A share is for the indices of the runs.
type layout struct {
	bytes   int64 // all of it
	workers int   // goroutines that sort
	fill    int   // elements of a run
	readers int   // goroutines that read parts
	parts   int   // buffers of parts: one for each reader, each worker, and the consumer
	part    int   // elements of a buffer
	buffer  int   // bytes of the writer's buffer
	writer  int64 // of it and of compression
	index   int64 // bytes of the indices of all runs
	limit   int64 // on all memory
	idle    int64 // bytes that nothing needs while runs are made
	block   int   // elements of a block of the first runs
	packing spill.Packing
}

const (
	indexShare = 16 // 1/16 of the memory is for indices, and what nothing else needs
	leastFill  = 64 // elements of a run at least
	leastPart  = 8  // elements of a part at least: two runs are merged whatever their blocks

	mostReaders = 4        // where nothing is read ahead
	manyReaders = 16 << 20 // bytes of memory from which on several readers pay
	workerBytes = 64 << 20 // bytes of memory for a worker beyond the second: with less, parts are too short
)

// packs are the compressed blocks of runs that are resumed.
type packs struct {
	s2, zstd bool
	block    int   // bytes of the longest, at most
	memory   int64 // the largest limit that they were written with; 0: unknown
}

// packingOf returns how runs are compressed.
func packingOf(c Compression, limit int64, workers int, k packs) spill.Packing {
	mode := [...]spill.Compression{Adaptive: spill.Adaptive, None: spill.Never, S2: spill.AlwaysS2, Zstd: spill.AlwaysZstd}[c]
	return spill.PackingOf(mode, limit, workers, k.s2, k.zstd).WithKept(k.block, k.memory)
}

// packedBlock is the number of bytes of a block from which on it compresses well: blocks are not
// shorter, unless parts are. Much longer ones save little more, and are read twice where a cut
// lies in them: trades take 0.51 of their space in blocks of 8 KiB, and 0.50 in those of 32 KiB.
const packedBlock = 1 << 10

// layOut returns the layout of a memory limit, with the longest runs that fit, for as many of
// the workers as have enough to do.
func layOut[E any](o sorter.Ordering[E], limit int64, workers int, c Compression, k packs) (layout, error) {
	size := int64(unsafe.Sizeof(*new(E)))
	of := func(fill int, limit int64) layout {
		workers := int(min(int64(workers), max(2, limit/workerBytes)))
		packing := packingOf(c, limit, workers, k)
		if size > int64(packing.Most()) {
			packing = packingOf(None, limit, workers, k)
		}
		l := layout{workers: workers, fill: fill, readers: 1, index: limit / indexShare, limit: limit, packing: packing}
		if limit >= manyReaders {
			l.readers = mostReaders
		}
		l.parts = workers + l.readers + 1
		l.buffer = spill.BufferBytes(int64(fill)*size) + spill.Align
		l.writer = int64(l.buffer) + packing.WriterBytes()
		l.part = max(1, 2*fill/l.parts)
		l.block = int(max(1, min(limit>>14, 64<<10)/size))
		if packing.Active() {
			l.block = max(l.block, min(packedBlock/int(size), l.part/32))
		}
		runs := scratchBytes(o, fill, workers, limit)
		merge := mergeBytes(&l, o, l.part, workers, l.readers, l.reader(l.part, int(size), l.readers))
		l.bytes = 2*int64(fill)*size + l.writer + max(runs, merge) + l.index
		l.idle = max(runs, merge) - runs
		return l
	}
	fewest := func(limit int64) layout { return of(max(leastFill, leastPart*of(leastFill, limit).parts/2+1), limit) }
	enough := func(limit int64) bool { return fewest(limit).bytes <= limit }
	if !enough(limit) {
		return layout{}, tooLittle(limit, leastWhere(limit, enough))
	}
	at := func(fill int) layout { return of(fill, limit) }
	most := int(min(1<<31, math.MaxInt/(4*size)))
	lo := fewest(limit).fill
	hi := lo + 1
	for hi < most && at(hi).bytes <= limit {
		lo, hi = hi, min(2*hi, most)
	}
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; at(mid).bytes <= limit {
			lo = mid
		} else {
			hi = mid
		}
	}
	// The second half begins at a page, too, and is written without a copy.
	if whole := int(spill.Align / min(spill.Align, size&-size)); lo >= 16*whole {
		lo -= lo % whole
	}
	l := at(lo)
	if lo < most-1 { // more elements take more memory than is left
		l.index, l.bytes = l.index+limit-l.bytes, limit
	}
	return l, nil
}

// forMerge returns the memory that a merge has in addition to the parts, of elements of a size.
func (l *layout) forMerge(size int64) int64 {
	return l.bytes - l.index - l.writer - 2*int64(l.fill)*size
}

// partFor returns the number of elements of a part of which n are sorted at a time, in the
// memory of l.
func partFor[E any](l *layout, o sorter.Ordering[E], n int) int {
	size := int64(unsafe.Sizeof(*new(E)))
	free := l.forMerge(size)
	return max(1, sort.Search(2*l.fill/n, func(part int) bool {
		part++
		return mergeBytes(l, o, part, n, n, l.reader(part, int(size), n)) > free
	}))
}

// reader returns the bytes of the buffer of each of some readers, for parts of some elements of a size.
func (l *layout) reader(part, size, readers int) int {
	return l.readerFor(max(l.block, part/8)*size, readers)
}

// readerFor returns the bytes of the buffer of each of some readers of blocks of up to some bytes: as many as are
// read at speed, up to an eighth of the memory for all, but a block at least.
func (l *layout) readerFor(block, readers int) int {
	return max(block+4*spill.Align, min(spill.ReaderBytes(block), int(l.limit/8)/readers))
}

// mergeBytes returns the memory of a merge beside parts: for workers, each of which sorts one of some
// elements, and for readers with a buffer of some bytes.
func mergeBytes[E any](l *layout, o sorter.Ordering[E], part, workers, readers, reader int) int64 {
	return int64(workers)*scratchBytes(o, part, 1, l.limit) + int64(readers)*l.packing.ReaderBytes(reader)
}

// scratchBytes bounds the scratch memory of a sort of n elements, where all memory has a limit. A short sort takes an
// element, a key and two indices each, and as much again that package sorter keeps for others: small
// limits, which have no room for that, do not count it, and others up to a 16th of the bytes beyond those.
func scratchBytes[E any](o sorter.Ordering[E], n, workers int, limit int64) int64 {
	size := int64(unsafe.Sizeof(*new(E)))
	if n > shortSort {
		return o.ScratchBytes(n, sorter.Workers(workers))
	}
	kept := min(64<<10+48*int64(n), (limit-countsKept)/16)
	return int64(n)*(size+32) + max(kept, 0)
}

const (
	shortSort  = 4096    // elements up to which package sorter takes far less than ScratchBytes says
	countsKept = 2 << 20 // bytes of a limit from which on memory that package sorter keeps is counted
)

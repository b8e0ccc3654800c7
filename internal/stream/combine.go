package stream

import (
	"math/bits"
	"unsafe"

	"example.com/sorter/internal/scratch"
)

// Combiner collects the elements that a stripe writes to each bucket until they fill whole
// cache lines, then stores these past the caches. A plain store to one of a thousand places
// first reads the line it writes to, and a core has only a few line buffers to hide that
// latency (Xeon 2023, 2026-11: 5.1 ns per 24-byte element instead of 10.4;
// bench/results/constants.md).
type Combiner struct {
	by    Copier
	dst   Raw
	start *Slots // the stripe's first position in each bucket
	ends  *Slots // the position after each buffer, see Enter

	// Exported for the loops that fill buffers.
	Buf Raw  // 1<<Log elements per bucket; position p of dst is at p mod 1<<Log
	Log uint // log2 of the elements of a buffer
}

// combinedBytes is the largest buffer of a bucket: a thousand of them fit the second-level
// cache.
const combinedBytes = 384

// CombineLog returns log2 of the number of elements that fill whole cache lines, and whether
// combining pays for elements of the given size.
func CombineLog(bytes uintptr) (log uint, ok bool) {
	size := uint(bytes)
	if !streams || size == 0 || size >= 128 {
		return 0, false
	}
	log = 6 - min(6, uint(bits.TrailingZeros(uint(size))))
	return log, size<<log <= combinedBytes
}

// CombineFrom is the size of a partition, in bytes, from which combining pays: less is still
// in the caches when it is read again (Xeon 2023, 2 cores, 2026-11: 2 million 8-byte codes 12
// instead of 15 ns, 900,000 15 instead of 11; bench/results/constants.md).
const CombineFrom = 8 << 20

// Combines reports whether elements are combined on the way to dst, in a partition of the
// given size. dst must begin at a cache line.
//
// Sound for elements with pointers, although lines are stored without write barriers. A
// partition writes each place of dst once, and dst was clear, so no pointer is overwritten.
// The source keeps its copy until typed stores overwrite or clear it. So the collector finds
// each pointer at its old place, or a write barrier reports its removal. Buffers are typed
// memory. Lines are stored in words of 16 bytes, as the runtime's own memmove does.
func Combines(bytes int, dst Plain) bool {
	_, ok := CombineLog(dst.by.Size())
	return ok && bytes >= CombineFrom && uintptr(dst.data)%64 == 0
}

// NewCombiner returns a combiner for nb buckets of dst, which begins at a cache line, with buffers of
// 1<<log elements: at least those of [CombineLog]. start has the stripe's first position in each
// bucket.
func NewCombiner(a *scratch.Arena, dst Plain, start *Slots, nb int, log uint) Combiner {
	size := dst.by.Size()
	return Combiner{by: dst.by, dst: dst.Raw(), start: start, Log: log, Buf: Raw{a.TakeAlignedOf(dst.by.Type(), nb<<log), size, nb << log}}
}

// To redirects the combiner to dst, which has the same type and length.
func (c *Combiner) To(dst Plain) { c.dst = dst.Raw() }

// AloneLog returns log2 of the elements of a buffer whose elements move alone: four lines of 32-bit or
// 64-bit codes (Xeon, 16 workers, 2026-11-25: 1.20 instead of 1.28 ns per 64-bit code;
// bench/results/constants.md).
func AloneLog(bytes uintptr) uint {
	log, _ := CombineLog(bytes)
	return log + 2
}

// IndicesLog is log2 of the indices, and of their codes, of a buffer: two lines of indices (Xeon, 16 workers,
// 2026-11-25, an order by 32-bit codes: 1.56 instead of 1.68 ns; bench/results/constants.md).
const IndicesLog = 5

// CombinersBytes bounds the scratch memory, in bytes, of the combiners of one stripe: for
// elements of two sizes, or of one size and 0, n of each.
func CombinersBytes(n, buckets int, size, other uintptr) int64 {
	log, ok := CombineLog(size)
	otherLog, both := CombineLog(other)
	widest := max(log, otherLog)
	switch {
	case int64(n)*int64(size+other) < CombineFrom || !ok || !both && other > 0:
		return 0
	case other == 0:
		widest = AloneLog(size)
	case other == 4: // or indices
		widest = max(widest, IndicesLog)
	}
	return 2*SlotsBytes(1) + // start and ends
		scratch.AlignedSize(buckets<<widest, size) + scratch.AlignedSize(buckets<<widest, other)
}

// Flush stores the buffer of bucket k, which is filled up to position end, a multiple of
// 1<<log.
func (c *Combiner) Flush(k, end uint32) {
	each := uint32(1) << c.Log
	from := c.start[k]
	if end-from < each { // another stripe also writes to the bucket's first line
		c.store(k, from, end)
		return
	}
	// Sound: the elements [end-each, end) of dst are 1<<log elements: whole lines that begin
	// at a line. The buffer has the same length. For pointers see Combines.
	Lines(c.dst.Part(int(end-each), int(end)).data, c.Buf.At(int(k<<c.Log)), int(c.dst.size<<c.Log/64))
}

// store copies the places [from, end) of bucket k, from < end, which lie in one buffer.
func (c *Combiner) store(k, from, end uint32) {
	c.by.Copy(c.dst.Part(int(from), int(end)).data, c.Buf.At(int(k<<c.Log+from&(1<<c.Log-1))), int(end-from))
}

// Enter turns the next positions of nb buckets into places of Buf. A loop that counts in these is
// shorter. When a buffer is full, [Combiner.Full] has the position to flush to.
func (c *Combiner) Enter(a *scratch.Arena, next *Slots, nb int) {
	c.ends = &scratch.Take[Slots](a, 1)[0]
	for k, mask := uint32(0), uint32(1)<<c.Log-1; k < uint32(nb); k++ {
		at := next[k]
		c.ends[k], next[k] = at|mask+1, k<<c.Log+at&mask
	}
}

// Full empties the full buffer of bucket k, and returns the position after it.
func (c *Combiner) Full(next *Slots, k uint32) (end uint32) {
	end = c.ends[k]
	c.ends[k], next[k] = end+1<<c.Log, k<<c.Log
	return end
}

// Leave turns places of Buf into positions again.
func (c *Combiner) Leave(next *Slots, nb int) {
	for k := range uint32(nb) {
		next[k] += c.ends[k] - (k+1)<<c.Log
	}
}

// Finish stores the rest of every buffer. next has the stripe's next position in each bucket.
func (c *Combiner) Finish(next *Slots, nb int) {
	mask := uint32(1)<<c.Log - 1
	for k := range uint32(nb) {
		if from := max(next[k]&^mask, c.start[k]); from < next[k] {
			c.store(k, from, next[k])
		}
	}
	Fence()
}

// MostBuckets bounds the number of buckets of one partition.
const MostBuckets = 1 << 13

// Slots holds a position per bucket, at most 1<<32 - 1, the greatest number of elements.
type Slots [MostBuckets]uint32

// Copy returns a copy in scratch memory.
func (s *Slots) Copy(a *scratch.Arena) *Slots {
	own := &scratch.Take[Slots](a, 1)[0]
	*own = *s
	return own
}

// SlotsBytes bounds the scratch memory, in bytes, of the positions of the given number
// of stripes.
func SlotsBytes(stripes int) int64 { return scratch.Size(stripes, unsafe.Sizeof(Slots{})) }

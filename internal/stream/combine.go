package stream

import (
	"math/bits"
	"unsafe"

	"example.com/sorter/internal/scratch"
)

// Combiner collects what a stripe writes to each bucket until whole cache
// lines are full, and then stores them past the caches. A plain store to one of
// a thousand places first reads the line it writes to, and the few line buffers
// of a core are all there is to hide the wait: measured at n = 10^7 on a Xeon of
// 2023, moving 24-byte elements takes 10.4 ns a core in place, 5.1 combined.
// Copying full buffers with plain stores takes 14.
type Combiner struct {
	by    Copier
	dst   Raw
	start *Slots // first position of each bucket that belongs to the stripe

	// The loops that fill buffers read these.
	Buf Raw  // 1<<Log elements for each bucket, in the places of dst modulo 1<<Log
	Log uint // log2 of the elements of a buffer
}

// combinedBytes is the most that one bucket's buffer may take: more than that
// for a thousand buckets would not stay in the second-level cache.
const combinedBytes = 384

// CombineLog returns log2 of the number of elements that fill whole cache
// lines, and whether combining pays for elements of the given size.
func CombineLog(bytes uintptr) (log uint, ok bool) {
	size := uint(bytes)
	if !streams || size == 0 || size >= 128 {
		return 0, false
	}
	log = 6 - min(6, uint(bits.TrailingZeros(uint(size))))
	return log, size<<log <= combinedBytes
}

// CombineFrom is the number of bytes in a partition from which combining pays:
// less is still in the caches when it is read again. Measured on 2 cores of a Xeon of 2023 with
// 2 MiB of second-level cache each, per element and worker: 200,000 codes of 8
// bytes take 17 ns combined and 12 in place with their numbers, 12 and 8 alone;
// 900,000 of them 15 and 11 alone; 2 million 12 and 15.
const CombineFrom = 8 << 20

// Combines reports whether elements are to be combined on their way to dst, in a
// partition of so many bytes. The first element of dst must be at the start of a
// cache line.
//
// Sound for elements with pointers, although lines are stored without write
// barriers: a partition writes each place of dst once, and dst was clear, so no
// pointer is overwritten; and what is stored stays where it was copied from
// until that is overwritten, or cleared, by typed stores. So whatever the
// collector has seen of dst, it finds the pointer at its old place, or is told
// when it goes. Buffers are typed memory. Lines are stored in words of 16
// bytes, as the runtime's own memmove does.
func Combines(bytes int, dst Plain) bool {
	_, ok := CombineLog(dst.by.Size())
	return ok && bytes >= CombineFrom && uintptr(dst.data)%64 == 0
}

// NewCombiner returns a combiner for nb buckets of dst, whose first element is
// at the start of a cache line.
func NewCombiner(a *scratch.Arena, dst Plain, start *Slots, nb int) Combiner {
	log, _ := CombineLog(dst.by.Size())
	return Combiner{by: dst.by, dst: dst.Raw(), start: start}.Wider(a, nb, log)
}

// To makes dst, which is of the same type and length, what the combiner writes to.
func (c *Combiner) To(dst Plain) { c.dst = dst.Raw() }

// Wider returns the combiner with room for 1<<log elements of each bucket.
func (c Combiner) Wider(a *scratch.Arena, nb int, log uint) Combiner {
	if log > c.Log || c.Buf.data == nil {
		size, t := c.by.Size(), c.by.Type()
		c.Log, c.Buf = log, Raw{a.TakeAlignedOf(t, nb<<log), size, nb << log}
	}
	return c
}

// CombinersBytes bounds the scratch memory, in bytes, of the combiners of one stripe for
// elements of two sizes, or of one and 0, in a partition of n of each.
func CombinersBytes(n, buckets int, size, other uintptr) int64 {
	log, ok := CombineLog(size)
	otherLog, both := CombineLog(other)
	widest := max(log, otherLog)
	switch {
	case int64(n)*int64(size+other) < CombineFrom || !ok || !both && other > 0:
		return 0
	case other == 0:
		widest = log + 1 // codes that move alone take a wider one
	}
	bytes := func(log uint, size uintptr) int64 {
		return scratch.AlignedSize(buckets<<log, size) + scratch.AlignedSize(buckets<<widest, size)
	}
	return bytes(log, size) + bytes(otherLog, other)
}

// Flush stores the buffer of bucket k, which is filled up to the position end,
// a multiple of 1<<log.
func (c *Combiner) Flush(k, end uint32) {
	each := uint32(1) << c.Log
	from := c.start[k]
	if end-from < each { // the bucket's first line is another stripe's, too
		c.store(k, from, end)
		return
	}
	// Sound: the elements [end-each, end) of dst are 1<<log elements, which are
	// whole lines, and begin at one; the buffer is as long. For pointers see
	// Combines.
	Lines(c.dst.At(int(end-each)), c.Buf.At(int(k<<c.Log)), int(c.dst.size<<c.Log/64))
}

// store copies the places [from, end) of bucket k, which are in one line, and at least
// one.
func (c *Combiner) store(k, from, end uint32) {
	c.by.Copy(c.dst.At(int(from)), c.Buf.At(int(k<<c.Log+from&(1<<c.Log-1))), int(end-from))
}

// Finish stores what is left of every bucket, given the positions reached.
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

// Slots holds a position per bucket. That after the last element is at most
// 1<<32 - 1, as many as there are elements.
type Slots [MostBuckets]uint32

// SlotsBytes bounds the scratch memory, in bytes, of the positions of the given number
// of stripes.
func SlotsBytes(stripes int) int64 { return scratch.Size(stripes, unsafe.Sizeof(Slots{})) }

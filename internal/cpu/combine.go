package cpu

import (
	"math/bits"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// combiner collects what a stripe writes to each bucket until whole cache
// lines are full, and then stores them past the caches. A plain store to one of
// a thousand places first reads the line it writes to, and the few line buffers
// of a core are all there is to hide the wait: measured at n = 10^7 on a Xeon of
// 2023, moving 24-byte elements takes 10.4 ns a core in place, 5.1 combined.
// Copying full buffers with plain stores takes 14.
type combiner struct {
	by    copier
	dst   Raw
	start *slots // first position of each bucket that belongs to the stripe
	buf   Raw    // 1<<log elements for each bucket, in the places of dst modulo 1<<log
	log   uint
}

// plainPlaces is the number of places up to which plain stores are faster: the
// lines that they write to stay in a first-level cache, which has 512 or more.
// Measured on 2 cores of an EPYC of 2022, 10^7 elements in 256, 512 and 1024
// buckets, ns an element on 2 workers: 32-bit codes and numbers 1.6, 4.1 and 3.3,
// combined 2.7 to 4.2; 24-byte elements and 32-bit codes 3.7, 7.2 and 7.9, combined
// 4.7 to 7.1; 32-bit codes alone on 1 worker 1.4, 1.5 and 3.4, combined 3.3.
const plainPlaces = 512

// few reports whether a partition into b that writes to so many places of each
// bucket does so by plain stores.
func (b *buckets[C]) few(places int) bool { return b.len()*places <= plainPlaces }

// combinedBytes is the most that one bucket's buffer may take: more than that
// for a thousand buckets would not stay in the second-level cache.
const combinedBytes = 384

// combineLog returns log2 of the number of elements that fill whole cache
// lines, and whether combining pays for elements of the given size.
func combineLog(bytes uintptr) (log uint, ok bool) {
	size := uint(bytes)
	if !streams || size == 0 || size >= 128 {
		return 0, false
	}
	log = 6 - min(6, uint(bits.TrailingZeros(uint(size))))
	return log, size<<log <= combinedBytes
}

// combineFrom is the number of bytes in a partition from which combining pays:
// less is still in the caches when it is read again. Measured on 2 cores of a Xeon of 2023 with
// 2 MiB of second-level cache each, per element and worker: 200,000 codes of 8
// bytes take 17 ns combined and 12 in place with their numbers, 12 and 8 alone;
// 900,000 of them 15 and 11 alone; 2 million 12 and 15.
const combineFrom = 8 << 20

// combines reports whether elements are to be combined on their way to dst, in a
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
func combines(bytes int, dst plain) bool {
	_, ok := combineLog(dst.by.size())
	return ok && bytes >= combineFrom && uintptr(dst.data)%64 == 0
}

// newCombiner returns a combiner for nb buckets of dst, whose first element is
// at the start of a cache line.
func newCombiner(env *engine.Env, dst plain, nb int) combiner {
	log, _ := combineLog(dst.by.size())
	return combiner{by: dst.by, dst: dst.Raw()}.wider(env, nb, log)
}

// wider returns the combiner with room for 1<<log elements of each bucket.
func (c combiner) wider(env *engine.Env, nb int, log uint) combiner {
	if log > c.log || c.buf.data == nil {
		size, t := c.by.size(), c.by.typeOf()
		c.log, c.buf = log, Raw{env.Arena.TakeAlignedOf(t, nb<<log), size, nb << log}
	}
	return c
}

// combinersBytes bounds the scratch memory, in bytes, of the combiners of one stripe for
// elements of two sizes, or of one and 0, in a partition of n of each.
func combinersBytes(n, buckets int, size, other uintptr) int64 {
	log, ok := combineLog(size)
	otherLog, both := combineLog(other)
	widest := max(log, otherLog)
	switch {
	case int64(n)*int64(size+other) < combineFrom || !ok || !both && other > 0:
		return 0
	case other == 0:
		widest = log + 1 // see partitionCodes
	}
	bytes := func(log uint, size uintptr) int64 {
		return scratch.AlignedSize(buckets<<log, size) + scratch.AlignedSize(buckets<<widest, size)
	}
	return bytes(log, size) + bytes(otherLog, other)
}

// flush stores the buffer of bucket k, which is filled up to the position end,
// a multiple of 1<<log.
func (c *combiner) flush(k, end uint32) {
	each := uint32(1) << c.log
	from := c.start[k]
	if end-from < each { // the bucket's first line is another stripe's, too
		c.store(k, from, end)
		return
	}
	// Sound: the elements [end-each, end) of dst are 1<<log elements, which are
	// whole lines, and begin at one; the buffer is as long. For pointers see
	// combines.
	streamLines(c.dst.At(int(end-each)), c.buf.At(int(k<<c.log)), int(c.dst.size<<c.log/64))
}

// store copies the places [from, end) of bucket k, which are in one line, and at least
// one.
func (c *combiner) store(k, from, end uint32) {
	c.by.copy(c.dst.At(int(from)), c.buf.At(int(k<<c.log+from&(1<<c.log-1))), int(end-from))
}

// finish stores what is left of every bucket, given the positions reached.
func (c *combiner) finish(next *slots, nb int) {
	mask := uint32(1)<<c.log - 1
	for k := range uint32(nb) {
		if from := max(next[k]&^mask, c.start[k]); from < next[k] {
			c.store(k, from, next[k])
		}
	}
	streamFence()
}

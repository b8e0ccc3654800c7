package cpu

import (
	"unsafe"

	"example.com/sorter/internal/processor"
	"example.com/sorter/internal/stream"
)

// fusesFloats reports that floats are counted and moved as they are, and become codes meanwhile: not
// on Intel's processors, where loops like these, of codes, took up to 1.6 times as long as Go's
// (bench/results/constants.md).
var fusesFloats = processor.AMD && processor.AVX2

// turnsOf returns how many vectors n floats fill.
func turnsOf[C Code](n int) int { return n / (32 / int(unsafe.Sizeof(C(0)))) }

// tallyFloats counts the codes of the first n floats, and returns n.
func (b *buckets[C]) tallyFloats(count []uint32, words []C) (n int) {
	turns := turnsOf[C](len(words))
	if turns == 0 {
		return 0
	}
	// Sound, here and below: turns vectors of words are read. Cells are below b.used, which counters and
	// the table have at least. The conversions are to the types that the size of C says it has.
	to, from, f, last := &count[:b.used][0], unsafe.Pointer(unsafe.SliceData(words)), unsafe.Pointer(b.float), uint64(b.used-1)
	if unsafe.Sizeof(b.min) == 4 {
		tallyFloats32((*uint32)(from), turns, uint64(b.min), uint64(b.shift), last, f, to)
		return turns * 8
	}
	tallyFloats64((*uint64)(from), turns, uint64(b.min), uint64(b.shift), last, f, to)
	return turns * 4
}

// moveFloats moves the codes of the first n floats to dst, and returns n.
func (b *buckets[C]) moveFloats(next *stream.Slots, dst, words []C) (n int) {
	turns := turnsOf[C](len(words))
	if turns == 0 {
		return 0
	}
	// Sound: a bucket of the table has a next position. Positions are compared with the length of dst.
	to, from, f, last := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(words)), unsafe.Pointer(b.float), uint64(b.used-1)
	ok := false
	if unsafe.Sizeof(b.min) == 4 {
		n, ok = turns*8, moveFloats32((*uint32)(from), turns, uint64(b.min), uint64(b.shift), last, f, &next[0], &b.table[0], (*uint32)(to), len(dst))
	} else {
		n, ok = turns*4, moveFloats64((*uint64)(from), turns, uint64(b.min), uint64(b.shift), last, f, &next[0], &b.table[0], (*uint64)(to), len(dst))
	}
	if !ok {
		panic("sorter: keys changed during the sort")
	}
	return n
}

// The functions below handle turns > 0 vectors of floats, whose mapping float is.

//go:noescape
func tallyFloats32(floats *uint32, turns int, least, shift, last uint64, float unsafe.Pointer, next *uint32)

//go:noescape
func tallyFloats64(floats *uint64, turns int, least, shift, last uint64, float unsafe.Pointer, next *uint32)

//go:noescape
func moveFloats32(floats *uint32, turns int, least, shift, last uint64, float unsafe.Pointer, next *uint32, table *uint16, to *uint32, n int) (ok bool)

//go:noescape
func moveFloats64(floats *uint64, turns int, least, shift, last uint64, float unsafe.Pointer, next *uint32, table *uint16, to *uint64, n int) (ok bool)

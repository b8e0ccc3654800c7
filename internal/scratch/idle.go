package scratch

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// idleTime is how long an unused large block is kept. The pools of package sync would drop it
// at the second garbage collection, which a busy program reaches within a second. Touching
// fresh memory can take longer than sorting: up to 75 ns per 24-byte element on a virtual
// machine, against 13 for the sort.
const idleTime = time.Minute

// idle holds the unused large blocks, the most recent last.
var idle struct {
	sync.Mutex
	blocks []idleBlock
	words  int         // of blocks
	used   int         // words of large blocks in use
	most   int         // largest value of used so far
	timer  *time.Timer // drops blocks that were idle too long; nil if there are none
}

type idleBlock struct {
	*block
	since time.Time
}

// takeLarge returns a large block of size to size + size/7 words.
func takeLarge(size int) *block {
	words := classOf(size)
	b, dropped := takeIdle(size, words)
	for _, d := range dropped {
		d.forget()
	}
	if b == nil {
		b = &block{make([]uint64, words)}
		adviseHuge(unsafe.Pointer(unsafe.SliceData(b.words)), uintptr(words)*8)
	}
	return b
}

// classOf returns the words of a new block for size words, at most a 32nd more. Sorts of about
// equal lengths take blocks of one class, and each finds those of the one before.
func classOf(size int) int {
	step := 1 << bits.Len(uint(size)) >> 6
	return (size + step - 1) &^ (step - 1)
}

// takeIdle takes an idle block for takeLarge. If there is none it counts a new one of some words, and
// drops what would be too much beside it.
func takeIdle(size, words int) (b *block, dropped []idleBlock) {
	idle.Lock()
	defer idle.Unlock()
	for i := len(idle.blocks) - 1; i >= 0; i-- {
		if b = idle.blocks[i].block; len(b.words) >= size && len(b.words)-len(b.words)/8 <= size {
			idle.blocks = slices.Delete(idle.blocks, i, i+1)
			idle.words -= len(b.words)
			idle.used += len(b.words)
			idle.most = max(idle.most, idle.used)
			return b, nil
		}
	}
	idle.used += words
	idle.most = max(idle.most, idle.used)
	return nil, dropExcess()
}

// dropExcess drops the oldest blocks of which there are more than were in use at a time.
func dropExcess() (dropped []idleBlock) {
	n, left := 0, idle.words
	for ; left+idle.used > idle.most; n++ {
		left -= len(idle.blocks[n].words)
	}
	return dropOldest(n)
}

// dropOldest drops the n oldest blocks.
func dropOldest(n int) []idleBlock {
	dropped := slices.Clone(idle.blocks[:n])
	for _, b := range dropped {
		idle.words -= len(b.words)
	}
	idle.blocks = slices.Delete(idle.blocks, 0, n)
	return dropped
}

// forget gives the memory of a block that is dropped back to the system, if it is much or there is a
// limit. The garbage collector would find it when the heap has grown to twice its size.
func (b *block) forget() {
	if len(b.words) >= leastForgotten || limits.Load() > 0 {
		forgetPages(unsafe.Pointer(unsafe.SliceData(b.words)), uintptr(len(b.words))*8)
	}
}

// leastForgotten is the number of words from which on new pages cost less than what is gained. Sorts of
// random lengths up to 1 million keys took 11.7 instead of 9.5 ns a key with 1 MiB, and up to 8
// million 8.8 instead of 11.2 with half of the memory (EPYC, 2 cores, 2026-11-26).
const leastForgotten = 1 << 20

var limits atomic.Int64 // callers of Limit

// Limit gives all large blocks that are dropped back to the system, until the function that it returns
// is called. It is for sorts with a limit of memory.
func Limit() (end func()) {
	limits.Add(1)
	return sync.OnceFunc(func() { limits.Add(-1) })
}

// giveIdle keeps a block for later sorts. The total kept is limited to the most words used at
// a time, since sorts of ever new sizes would pile up blocks; the oldest go first.
func giveIdle(b *block) {
	for _, d := range keepIdle(b) {
		d.forget()
	}
}

func keepIdle(b *block) (dropped []idleBlock) {
	idle.Lock()
	defer idle.Unlock()
	idle.used -= len(b.words)
	idle.words += len(b.words)
	idle.blocks = append(idle.blocks, idleBlock{b, time.Now()})
	dropped = dropExcess()
	if idle.timer == nil && len(idle.blocks) > 0 {
		idle.timer = time.AfterFunc(idleTime, func() { dropIdle(time.Now()) })
	}
	return dropped
}

// dropIdle drops the blocks that at time now have been idle for idleTime.
func dropIdle(now time.Time) {
	for _, d := range takeOld(now) {
		d.forget()
	}
}

func takeOld(now time.Time) (dropped []idleBlock) {
	idle.Lock()
	defer idle.Unlock()
	n := 0
	for n < len(idle.blocks) && now.Sub(idle.blocks[n].since) >= idleTime {
		n++
	}
	dropped = dropOldest(n)
	if len(idle.blocks) == 0 {
		idle.most = idle.used // forget earlier peaks
	}
	idle.timer = nil
	if len(idle.blocks) > 0 {
		wait := idleTime - now.Sub(idle.blocks[0].since)
		idle.timer = time.AfterFunc(wait, func() { dropIdle(time.Now()) })
	}
	return dropped
}

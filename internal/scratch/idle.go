package scratch

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Large blocks are extents of regions. A block is the start of the shortest idle extent that has
// room, and unites with idle neighbours when it is given back. So calls of unlike sizes use the same
// memory in turns. The first touch of fresh memory can take longer than the sort: up to 75 ns per
// 24-byte element on a virtual machine, against 13.
//
// Only if no idle extent is long enough is a region allocated. Idle regions, all of them shorter, are
// dropped before, the longest unused first, while there is more memory than was in use at a time. At
// the end of each idlePeriod no more stays than was in use at a time in it or in the one before. If
// that takes more than idle regions, regions that are partly in use become old. No block is taken
// from them any more: what of them is idle goes back to the system at once, the rest as soon as it is
// given back. The pools of package sync would drop all at the second garbage collection, which a busy
// program reaches within a second.

// idlePeriod is half of the time that idle memory is kept at least, and a third of the most.
const idlePeriod = 30 * time.Second

// region is memory that large blocks are parts of.
type region struct {
	words []uint64
	old   bool // has no extents, and never again; changed under the lock of idle
}

// idle holds the unused extents of regions, the most recent last.
var idle struct {
	sync.Mutex
	extents  []*block
	words    int         // of extents and of blocks in use
	used     int         // of them, those of blocks
	most     int         // largest value of used in this period
	before   int         // and in the one before
	reserved *region     // which is not dropped, see Reserve; nil if there is none
	timer    *time.Timer // ends the period; one for all, so that Trim can't leave another one running
	armed    bool        // it runs: there are extents
}

// takeLarge returns a large block of size to size + size/7 words.
func takeLarge(size int) *block {
	b, dropped := takeIdle(size, limits.Load() > 0)
	forget(dropped)
	if b == nil {
		b = newRegion(classOf(size))
	}
	return b
}

// newRegion returns all of a new region.
func newRegion(words int) *block {
	all := make([]uint64, words)
	adviseHuge(unsafe.Pointer(unsafe.SliceData(all)), uintptr(words)*8)
	return &block{words: all, region: &region{words: all}}
}

// classOf returns the words of a new block for size words, at most a 32nd more. Sorts of about
// equal lengths take blocks of one class, and each finds those of the one before.
func classOf(size int) int {
	step := 1 << bits.Len(uint(size)) >> 6
	return (size + step - 1) &^ (step - 1)
}

// takeIdle takes idle memory for takeLarge: all of an extent or, unless whole is demanded, its start.
// If there is none it counts a new region, and drops what would be too much beside it.
func takeIdle(size int, whole bool) (b *block, dropped []*block) {
	idle.Lock()
	defer idle.Unlock()
	best, words := -1, classOf(size)
	for i, e := range idle.extents {
		if n := len(e.words); n >= size && (!whole || n-n/8 <= size) && (best < 0 || n <= len(idle.extents[best].words)) {
			best = i
		}
	}
	if best < 0 {
		idle.words += words
		use(words)
		return nil, dropExcess(max(idle.most, idle.before))
	}
	b = idle.extents[best]
	if n := len(b.words); n-n/8 <= size {
		idle.extents = slices.Delete(idle.extents, best, best+1)
	} else {
		idle.extents[best] = &block{b.words[words:], b.region, b.at + words}
		b.words = b.words[:words]
	}
	use(len(b.words))
	return b, nil
}

// use counts words that are taken.
func use(words int) {
	idle.used += words
	idle.most = max(idle.most, idle.used)
}

// dropExcess drops idle regions, the longest unused first, while there are more words than keep.
func dropExcess(keep int) []*block {
	return drop(func(e *block) bool {
		return idle.words > keep && len(e.words) == len(e.region.words) && e.region != idle.reserved
	})
}

// dropAll is dropExcess, and makes regions in use old if there is still too much.
func dropAll(keep int) []*block {
	dropped := dropExcess(keep)
	for idle.words > keep {
		i := slices.IndexFunc(idle.extents, func(e *block) bool { return e.region != idle.reserved })
		if i < 0 {
			break
		}
		r := idle.extents[i].region
		r.old = true
		dropped = append(dropped, drop(func(e *block) bool { return e.region == r })...)
	}
	return dropped
}

// drop removes extents, which the caller forgets once it has unlocked idle.
func drop(which func(*block) bool) (dropped []*block) {
	idle.extents = slices.DeleteFunc(idle.extents, func(e *block) bool {
		if !which(e) {
			return false
		}
		idle.words -= len(e.words)
		dropped = append(dropped, e)
		return true
	})
	return dropped
}

// forget gives the memory of dropped blocks back to the system, of each if it is much, or part of an
// old region, or if there is a limit. The garbage collector would find regions when the heap has grown
// to twice its size, and an old one only when none of it is in use.
//
// It takes a while, 40 ms for 256 MiB of small pages, so idle is not locked. That is sound: dropped
// blocks are no extents, nobody can take them, and they keep their regions from the collector.
func forget(dropped []*block) {
	for _, b := range dropped {
		if len(b.words) >= leastForgotten || b.region.old || limits.Load() > 0 {
			forgetPages(unsafe.Pointer(unsafe.SliceData(b.words)), uintptr(len(b.words))*8)
		}
	}
}

// leastForgotten is the number of words from which on new pages cost less than what is gained. Sorts of
// random lengths up to 1 million keys took 11.7 instead of 9.5 ns a key with 1 MiB, and up to 8
// million 8.8 instead of 11.2 with half of the memory (EPYC, 2 cores, 2026-11-26).
const leastForgotten = 1 << 20

var limits atomic.Int64 // callers of Limit

// Limit gives all large blocks that are dropped back to the system, and takes no part of an extent,
// until the function that it returns is called. It is for sorts with a limit of memory: idle memory
// between blocks could add up to more than the limit.
func Limit() (end func()) {
	limits.Add(1)
	return sync.OnceFunc(func() { limits.Add(-1) })
}

// giveIdle keeps a block for later calls, or forgets it if its region is old.
func giveIdle(b *block) {
	if !keepIdle(b) {
		forget([]*block{b})
	}
}

// keepIdle makes a block an extent, united with those beside it, unless its region is old.
func keepIdle(b *block) bool {
	idle.Lock()
	defer idle.Unlock()
	idle.used -= len(b.words)
	if b.region.old {
		idle.words -= len(b.words)
		return false
	}
	lo, hi := b.at, b.at+len(b.words)
	idle.extents = slices.DeleteFunc(idle.extents, func(e *block) bool {
		if e.region != b.region || e.at+len(e.words) != lo && e.at != hi {
			return false
		}
		lo, hi = min(lo, e.at), max(hi, e.at+len(e.words))
		return true
	})
	b.words, b.at = b.region.words[lo:hi], lo
	idle.extents = append(idle.extents, b)
	if !idle.armed {
		arm()
	}
	return true
}

// arm begins a period.
func arm() {
	idle.armed = true
	if idle.timer == nil {
		idle.timer = time.AfterFunc(idlePeriod, endPeriod)
	} else {
		idle.timer.Reset(idlePeriod)
	}
}

// endPeriod drops what is more than the peaks of this period and the one before.
func endPeriod() { forget(nextPeriod()) }

func nextPeriod() []*block {
	idle.Lock()
	defer idle.Unlock()
	dropped := dropAll(max(idle.most, idle.before))
	idle.most, idle.before = idle.used, idle.most
	idle.armed = false
	if len(idle.extents) > 0 {
		arm()
	}
	return dropped
}

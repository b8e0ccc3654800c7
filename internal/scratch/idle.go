package scratch

import (
	"slices"
	"sync"
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

// takeLarge returns a large block of size to size + size/8 words.
func takeLarge(size int) *block {
	b := takeIdle(size)
	if b == nil {
		b = &block{make([]uint64, size)}
		adviseHuge(unsafe.Pointer(unsafe.SliceData(b.words)), uintptr(size)*8)
	}
	idle.Lock()
	defer idle.Unlock()
	idle.used += len(b.words)
	idle.most = max(idle.most, idle.used)
	return b
}

// takeIdle returns an idle block for takeLarge, nil if there is none.
func takeIdle(size int) *block {
	idle.Lock()
	defer idle.Unlock()
	for i := len(idle.blocks) - 1; i >= 0; i-- {
		if b := idle.blocks[i].block; len(b.words) >= size && len(b.words)-len(b.words)/8 <= size {
			idle.blocks = slices.Delete(idle.blocks, i, i+1)
			idle.words -= len(b.words)
			return b
		}
	}
	return nil
}

// giveIdle keeps a block for later sorts. The total kept is limited to the most words used at
// a time, since sorts of ever new sizes would pile up blocks; the oldest go first.
func giveIdle(b *block) {
	idle.Lock()
	defer idle.Unlock()
	idle.used -= len(b.words)
	idle.words += len(b.words)
	idle.blocks = append(idle.blocks, idleBlock{b, time.Now()})
	for idle.words+idle.used > idle.most {
		idle.words -= len(idle.blocks[0].words)
		idle.blocks = slices.Delete(idle.blocks, 0, 1)
	}
	if idle.timer == nil && len(idle.blocks) > 0 {
		idle.timer = time.AfterFunc(idleTime, func() { dropIdle(time.Now()) })
	}
}

// dropIdle drops the blocks that at time now have been idle for idleTime.
func dropIdle(now time.Time) {
	idle.Lock()
	defer idle.Unlock()
	for len(idle.blocks) > 0 && now.Sub(idle.blocks[0].since) >= idleTime {
		idle.words -= len(idle.blocks[0].words)
		idle.blocks = slices.Delete(idle.blocks, 0, 1)
	}
	if len(idle.blocks) == 0 {
		idle.most = idle.used // forget earlier peaks
	}
	idle.timer = nil
	if len(idle.blocks) > 0 {
		wait := idleTime - now.Sub(idle.blocks[0].since)
		idle.timer = time.AfterFunc(wait, func() { dropIdle(time.Now()) })
	}
}

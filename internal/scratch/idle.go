package scratch

import (
	"slices"
	"sync"
	"time"
)

// idleTime is how long a large block that nobody uses is kept. The pools of
// package sync would drop it at the second garbage collection, which a busy
// program reaches within a second, and touching fresh memory then takes longer
// than sorting: up to 75 ns per 24-byte element on a virtual machine, against
// 13 for the sort.
const idleTime = time.Minute

// idle holds the large blocks that nobody uses, the latest last.
var idle struct {
	sync.Mutex
	blocks []idleBlock
	timer  *time.Timer // drops what has been idle too long; nil if nothing is
}

type idleBlock struct {
	*block
	since time.Time
}

// takeIdle returns an idle block of size words, or at most an eighth more; nil
// if there is none.
func takeIdle(size int) *block {
	idle.Lock()
	defer idle.Unlock()
	for i := len(idle.blocks) - 1; i >= 0; i-- {
		if b := idle.blocks[i].block; len(b.words) >= size && len(b.words)-len(b.words)/8 <= size {
			idle.blocks = slices.Delete(idle.blocks, i, i+1)
			return b
		}
	}
	return nil
}

// giveIdle keeps a block for the next sort.
func giveIdle(b *block) {
	idle.Lock()
	defer idle.Unlock()
	idle.blocks = append(idle.blocks, idleBlock{b, time.Now()})
	if idle.timer == nil {
		idle.timer = time.AfterFunc(idleTime, func() { dropIdle(time.Now()) })
	}
}

// dropIdle leaves to the garbage collector what was idle for idleTime at now.
func dropIdle(now time.Time) {
	idle.Lock()
	defer idle.Unlock()
	idle.blocks = slices.DeleteFunc(idle.blocks, func(b idleBlock) bool { return now.Sub(b.since) >= idleTime })
	idle.timer = nil
	if len(idle.blocks) > 0 {
		wait := idleTime - now.Sub(idle.blocks[0].since)
		idle.timer = time.AfterFunc(wait, func() { dropIdle(time.Now()) })
	}
}

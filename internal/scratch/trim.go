package scratch

import (
	"runtime/debug"
	"sync"
)

// Trim drops every buffer that no arena holds and returns their memory to the
// system. It runs a garbage collection.
func Trim() {
	dropAllIdle()
	for i := range pools {
		drain(&pools[i])
	}
	typedPools.Range(func(_, pool any) bool {
		drain(pool.(*sync.Pool))
		return true
	})
	debug.FreeOSMemory()
}

// drain takes everything out of a pool. What other goroutines put meanwhile may stay.
func drain(pool *sync.Pool) {
	for pool.Get() != nil {
	}
}

// dropAllIdle leaves every idle block to the garbage collector.
func dropAllIdle() {
	idle.Lock()
	defer idle.Unlock()
	clear(idle.blocks)
	idle.blocks, idle.words, idle.most = nil, 0, idle.used
	if idle.timer != nil {
		idle.timer.Stop()
		idle.timer = nil
	}
}

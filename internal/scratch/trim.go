package scratch

import (
	"runtime/debug"
	"sync"
)

// Trim drops every buffer that no arena holds and returns the memory to the system. It runs a
// garbage collection. It may be called concurrently with sorts.
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

// drain empties a pool. Memory that other goroutines put back meanwhile may stay.
func drain(pool *sync.Pool) {
	for pool.Get() != nil {
	}
}

// dropAllIdle drops every idle block.
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

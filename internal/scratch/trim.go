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

// dropAllIdle drops all idle memory of large blocks.
func dropAllIdle() {
	idle.Lock()
	defer idle.Unlock()
	dropAll(0)
	idle.most, idle.before = idle.used, 0
	if idle.timer != nil && len(idle.extents) == 0 {
		idle.timer.Stop()
		idle.timer = nil
	}
}

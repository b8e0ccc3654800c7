package scratch

import (
	"runtime/debug"
	"sync"
)

// Trim drops every buffer that no arena holds and returns the memory to the system. It runs a
// garbage collection. It may be called concurrently with sorts.
func Trim() {
	forget(dropAllIdle())
	for i := range pools {
		drain(&pools[i])
	}
	typedPools.Range(func(_, pool any) bool {
		drain(pool.(*sync.Pool))
		return true
	})
	debug.FreeOSMemory()
}

// DropIdle drops the regions of which nothing is in use, except for that of Reserve. It is for calls with a limit
// of memory that go on without a sort.
func DropIdle() {
	idle.Lock()
	dropped := dropExcess(0)
	idle.Unlock()
	forget(dropped)
}

// drain empties a pool. Memory that other goroutines put back meanwhile may stay.
func drain(pool *sync.Pool) {
	for pool.Get() != nil {
	}
}

// dropAllIdle drops all extents. Regions in use become old.
func dropAllIdle() []*block {
	idle.Lock()
	defer idle.Unlock()
	idle.reserved = nil
	dropped := dropAll(0)
	idle.most, idle.before = idle.used, 0
	if idle.armed {
		idle.timer.Stop()
		idle.armed = false
	}
	return dropped
}

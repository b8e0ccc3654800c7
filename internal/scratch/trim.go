package scratch

import (
	"runtime/debug"
	"sync"
	"unsafe"
)

// Trim drops every buffer that no arena holds, that of Reserve included, and returns the memory to the system. It runs a
// garbage collection. It may be called concurrently with sorts.
func Trim() {
	forget(dropAllIdle())
	drainAll()
	debug.FreeOSMemory()
}

// DropIdle drops every buffer that no arena holds, except for that of Reserve, and gives the pages of large ones back. It
// runs no garbage collection, which takes longer the larger the heap of the program is. It is for calls with a limit of
// memory that go on without what they, or calls before them, have given back.
func DropIdle() {
	idle.Lock()
	dropped := dropAll(0)
	idle.Unlock()
	forget(dropped)
	drainAll()
}

// drainAll empties the pools, and gives the pages of what was in them back.
func drainAll() {
	for i := range pools {
		drain(&pools[i], func(b *block) { forgetPages(unsafe.Pointer(unsafe.SliceData(b.words)), uintptr(len(b.words))*8) })
	}
	typedPools.Range(func(_, pool any) bool {
		// Sound for pointers: Release has cleared them, and pages that are given back are zero.
		drain(pool.(*sync.Pool), func(s *typed) { forgetPages(s.start, uintptr(s.bytes)) })
		return true
	})
}

// drain empties a pool of a type of pointers. Memory that other goroutines put back meanwhile may stay.
func drain[T any](pool *sync.Pool, drop func(b *T)) {
	for b := pool.Get(); b != nil; b = pool.Get() {
		drop(b.(*T))
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

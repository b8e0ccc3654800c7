// Package pins has the memory of the program that devices copy from and to without the host.
package pins

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/device"
)

// Set is pinned memory. The zero value has none. All methods may be called concurrently.
type Set struct {
	mu      sync.Mutex
	idle    sync.Cond // a region is no longer in use; its L is mu
	regions []*region
}

// region is memory [lo, hi) of the program.
type region struct {
	lo, hi  uintptr
	context cuda.Context   // in which it is registered: retained
	keeper  runtime.Pinner // keeps memory of Go alive and in its place
	ready   bool           // registered, and not being removed
	users   int
}

// Add pins bytes at p until [Set.Remove]. It keeps memory of Go alive. Memory of which a byte is
// pinned already is refused.
func (s *Set) Add(p unsafe.Pointer, bytes int) error {
	r := &region{lo: uintptr(p), hi: uintptr(p) + uintptr(bytes)}
	if err := s.reserve(r); err != nil {
		return err
	}
	r.keeper.Pin(p)
	if err := r.register(p); err != nil {
		r.keeper.Unpin()
		s.drop(r)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.ready = true
	return nil
}

// reserve enters a region that is not ready.
func (s *Set) reserve(r *region) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.regions {
		if r.lo < other.hi && other.lo < r.hi {
			return fmt.Errorf("sorter: gpu: of %d bytes, some are pinned already", r.hi-r.lo)
		}
	}
	s.regions = append(s.regions, r)
	return nil
}

// register locks the pages of a region, for every device. The first device's context has to live
// as long.
func (r *region) register(p unsafe.Pointer) error {
	driver, infos, err := device.List()
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		return engine.ErrNoDevice
	}
	if r.context, err = driver.Retain(infos[0].Ordinal); err != nil {
		return err
	}
	if err := r.context.HostRegister(p, int(r.hi-r.lo)); err != nil {
		return device.FirstError(err, r.context.Release())
	}
	return nil
}

// Remove undoes Add at p. It waits for the users of the memory.
func (s *Set) Remove(p unsafe.Pointer) error {
	r := s.retire(uintptr(p))
	if r == nil {
		return fmt.Errorf("sorter: gpu: the memory is not pinned, or was not pinned as one slice")
	}
	err := device.FirstError(r.context.HostUnregister(p), r.context.Release())
	r.keeper.Unpin()
	s.drop(r)
	return err
}

// retire returns the region at lo once it is out of use, nil if there is none.
func (s *Set) retire(lo uintptr) *region {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.regions, func(r *region) bool { return r.lo == lo && r.ready })
	if i < 0 {
		return nil
	}
	r := s.regions[i]
	r.ready = false // for new users
	s.idle.L = &s.mu
	for r.users > 0 {
		s.idle.Wait()
	}
	return r
}

func (s *Set) drop(r *region) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.regions = slices.DeleteFunc(s.regions, func(other *region) bool { return other == r })
}

// Use keeps bytes at p pinned until done is called, once. If they do not all lie in one pinned
// region that is not being removed, ok is false and done does nothing.
func (s *Set) Use(p unsafe.Pointer, bytes int) (done func(), ok bool) {
	lo, hi := uintptr(p), uintptr(p)+uintptr(bytes)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.regions {
		if r.ready && bytes > 0 && r.lo <= lo && hi <= r.hi {
			r.users++
			return func() { s.leave(r) }, true
		}
	}
	return func() {}, false
}

func (s *Set) leave(r *region) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.users--; r.users == 0 {
		s.idle.Broadcast()
	}
}

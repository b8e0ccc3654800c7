package device

import (
	"sync/atomic"
	"time"
	"unsafe"

	"example.com/sorter/internal/cuda"
)

// Pinned returns the workspace's pinned memory for a value of type T, the target of small
// copies and of writes by kernels. It is zero at the first call and stays until the workspace
// is freed. T belongs to one algorithm and has no Go pointers.
func Pinned[T any](w *Workspace) (*T, error) {
	key := any((*T)(nil))
	if p, ok := w.notes[key]; ok {
		return (*T)(p), nil
	}
	size := int(unsafe.Sizeof(*new(T)))
	p, err := w.HostAlloc(size)
	if err != nil {
		return nil, err
	}
	// Sound: p is size bytes of memory that the collector does not know, and T has no
	// Go pointer that it would have to see.
	clear(unsafe.Slice((*byte)(p), size))
	if w.notes == nil {
		w.notes = map[any]unsafe.Pointer{}
	}
	w.notes[key] = p
	return (*T)(p), nil
}

// Keep returns new device memory that stays until the workspace is freed. It is not counted as
// memory of a sort.
func (w *Workspace) Keep(bytes int) (cuda.Ptr, error) {
	p, err := w.Alloc(bytes)
	if err == nil {
		w.permanent = append(w.permanent, p)
	}
	return p, err
}

// Mapped returns the address by which kernels access pinned memory.
func Mapped[T any](pinned *T) uint64 { return uint64(uintptr(unsafe.Pointer(pinned))) }

// Await polls until end for a kernel to write any of the words, in pinned memory, and reports
// whether one did. If the device is idle otherwise, that takes a few µs.
func Await(end time.Time, words ...*atomic.Uint32) bool {
	for {
		for _, w := range words {
			if w.Load() != 0 {
				return true
			}
		}
		if time.Now().After(end) {
			return false
		}
	}
}

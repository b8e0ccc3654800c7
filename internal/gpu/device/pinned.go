package device

import (
	"sync/atomic"
	"time"
	"unsafe"

	"example.com/sorter/internal/cuda"
)

// Pinned returns the pinned memory that a workspace has for values of type T, which small
// copies come from and go to, and kernels write to. It is zero at the first call, and stays
// until the workspace is freed. T belongs to one algorithm and holds no Go pointer.
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

// Keep returns new device memory until the workspace is freed. It does not count as that
// of a sort.
func (w *Workspace) Keep(bytes int) (cuda.Ptr, error) {
	p, err := w.Alloc(bytes)
	if err == nil {
		w.kept = append(w.kept, p)
	}
	return p, err
}

// Mapped is the address by which kernels reach pinned memory.
func Mapped[T any](pinned *T) uint64 { return uint64(uintptr(unsafe.Pointer(pinned))) }

// Await waits until a time for a kernel to write any of the words, in pinned memory, and
// reports whether one did: where the device has no other work, that takes a few µs.
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

// Package device is an opened GPU: its kernels, and workspaces with streams, device memory and
// pinned memory that sorts use one at a time. It knows no algorithm: each brings its kernels
// ([Device.Load]) and has pinned memory of its own ([Pinned]).
package device

import (
	"context"
	"sync"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cuda"
)

// Device is an opened device. All methods except [Device.Close] may be called concurrently.
type Device struct {
	cuda.Context
	Info  cuda.Info
	Limit int // bytes of device memory that a workspace may take; 0: all that is free

	broken atomic.Pointer[error] // the error that broke the device; nil: none
	turns  chan struct{}         // semaphore: one entry per workspace in use
	peers  []*Device             // whose memory its kernels access

	mu      sync.Mutex
	spare   []*Workspace // unused workspaces
	modules map[*Module]cuda.Module
	funcs   map[string]cuda.Func
}

// Workspace is the memory and the streams of one sort at a time. Memory that was put back may
// be taken again at once: the stream orders its uses.
type Workspace struct {
	*Device
	Stream cuda.Stream
	Side   cuda.Stream // work concurrent with Stream, at higher priority
	Up     cuda.Stream // uploads, concurrent with both
	Split  cuda.Event  // where streams part and meet

	ctx   context.Context // of the sort
	quiet bool            // no work is under way
	tiles int             // tiles that may be enqueued before the next wait

	idle      []Block
	held      []Block    // blocks taken and not put back
	permanent []cuda.Ptr // see Keep
	tight     bool       // short of memory

	sleepers []cuda.Event // see Sleepers

	slots  []*Slot
	pinned []unsafe.Pointer       // of slots
	notes  map[any]unsafe.Pointer // see Pinned
}

// Block is device memory.
type Block struct {
	At    cuda.Ptr
	bytes int
}

// Slot is pinned memory for copies to or from the device.
type Slot struct {
	Number int
	Memory unsafe.Pointer // SlotBytes
	passed cuda.Event     // follows the last copy from or to Memory
	busy   bool           // passed was recorded and not waited for
}

// Module is a file of kernels, with the shared memory that each needs.
type Module struct {
	Image   []byte
	Kernels map[string]int
}

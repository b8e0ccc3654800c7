// Package device is an opened GPU: its kernels, and the workspaces that sorts take in
// turns, each with streams, device memory and pinned memory. It knows no algorithm: each
// brings its kernels ([Device.Load]) and keeps pinned memory of its own ([Pinned]).
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

	broken atomic.Pointer[error] // after which nothing works any more, nil: none
	turns  chan struct{}         // holds one for each workspace in use

	mu      sync.Mutex
	spare   []*Workspace // workspaces nobody uses
	modules map[*Module]cuda.Module
	funcs   map[string]cuda.Func
}

// Workspace is the memory and the streams of one sort at a time. Nobody else uses them, so
// that memory put back may be taken again at once: the stream keeps the order.
type Workspace struct {
	*Device
	Stream cuda.Stream
	Side   cuda.Stream // for work beside that of Stream, which goes first
	Up     cuda.Stream // for uploads beside both
	Split  cuda.Event  // where streams part and meet

	ctx   context.Context // of the sort
	quiet bool            // nothing is under way
	tiles int             // that the device may be given before it is waited for

	idle  []Block
	held  []Block    // taken and not put back
	kept  []cuda.Ptr // see Keep
	tight bool       // little memory may be wasted

	slots  []*Slot
	pinned []unsafe.Pointer       // of slots
	notes  map[any]unsafe.Pointer // see Pinned
}

// Block is device memory.
type Block struct {
	At    cuda.Ptr
	bytes int
}

// Slot is a piece of pinned memory on its way to or from the device.
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

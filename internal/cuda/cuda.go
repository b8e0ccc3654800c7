// Package cuda is the narrow driver interface under the GPU engine: devices,
// primary contexts, memory, modules, streams, events, copies and launches.
// Three implementations, called bindings:
//
//   - libcuda.so.1, loaded at run time on first use, without cgo: the default;
//   - package gpu/cu, a module of its own: gorgonia.org/cu, linked through cgo. Its import
//     registers it with [Register];
//   - with -tags cudacpu the kernels run on the CPU, for tests.
//
// [Open] returns the driver of one. Nothing is loaded before that, nothing prints, nothing
// panics: every failure is an *[engine.DeviceError], whose cause is a [Result],
// and states in which there is no usable device wrap [engine.ErrNoDevice].
//
// All methods may be called from any goroutine. Each of them makes its context
// current on the OS thread it runs on, for the time of the call; after it the
// previous one is current again.
package cuda

import (
	"sync"
	"time"
	"unsafe"
)

// Ptr is an address in device memory. Arithmetic on it is in bytes.
type Ptr uint64

// Handles of the driver. They belong to the context that made them, and the
// zero value of each is none, except that the zero Stream is the device's
// default stream, which waits for no other stream that NewStream made.
type (
	Module uintptr
	Func   uintptr
	Stream uintptr
	Event  uintptr
)

// Driver is the driver of this process.
type Driver interface {
	// Devices describes the devices in the order of their ordinals. No device
	// is an error that wraps engine.ErrNoDevice, never an empty slice.
	Devices() ([]Info, error)
	// Retain returns the primary context of a device, 0 <= ordinal <
	// len(devices), which it shares with everything else in the process that
	// uses the device. Every Retain has its Release.
	Retain(ordinal int) (Context, error)
}

// Info describes a device.
type Info struct {
	Ordinal        int
	Name           string // as the vendor writes it, for example "NVIDIA H200"
	UUID           string // "GPU-" and 32 hexadecimal digits in five groups
	Memory         uint64 // bytes
	Major, Minor   int    // compute capability
	SMs            int    // streaming multiprocessors
	SharedPerBlock int    // bytes of shared memory per block, with opt-in
	L2             int    // bytes of second-level cache
	Clock          int    // of the multiprocessors, in kHz
	MemoryClock    int    // in kHz; memory moves two words a cycle
	MemoryBus      int    // width of the memory's words, in bits
	Driver         int    // newest CUDA version of the driver, 1000 × major + 10 × minor
}

// Context is a retained primary context.
//
// Work is asynchronous where a method takes a Stream: it begins when all work
// given to that stream before has ended, and a nil error says only that it was
// accepted. Work that fails later shows at a later call of the same context.
type Context interface {
	// Release gives the context back. What was allocated in it must have been
	// freed before; the Context must not be used again.
	Release() error

	// EnablePeer lets kernels access memory of peer, a context of another device of the
	// same driver, and copies from there take the direct way, for as long as both contexts
	// live. It reports whether there is such a way. Without one, copies go through the host's
	// memory: that is no error.
	EnablePeer(peer Context) (direct bool, err error)

	// MemInfo returns the free and the total bytes of device memory.
	MemInfo() (free, total uint64, err error)
	// Alloc returns bytes of device memory with undefined contents, aligned
	// to 256 bytes; bytes > 0.
	Alloc(bytes int) (Ptr, error)
	// Free frees memory of Alloc. It waits for the device. Free(0) is nothing.
	Free(p Ptr) error
	// HostAlloc returns bytes of page-locked host memory, page-aligned, with
	// undefined contents, that every context of the process may copy from and
	// to at full speed and kernels reach by the same address; bytes > 0. What a
	// kernel writes is there after a synchronisation with its stream. An aligned
	// word that it writes reaches the host soon after, for loads of package
	// sync/atomic. It is not Go memory: the collector neither frees nor scans it,
	// so it may hold no Go pointer.
	HostAlloc(bytes int) (unsafe.Pointer, error)
	// HostFree frees memory of HostAlloc, which no copy may be using.
	// HostFree(nil) is nothing.
	HostFree(p unsafe.Pointer) error

	// HostRegister locks the pages of bytes of host memory at p, so that every context of the
	// process copies from and to it as with memory of HostAlloc; bytes > 0. The caller keeps
	// the memory alive until HostUnregister. Memory of which a page is registered already
	// fails with [AlreadyRegistered].
	HostRegister(p unsafe.Pointer, bytes int) error
	// HostUnregister undoes HostRegister at p. No copy may be using the memory.
	HostUnregister(p unsafe.Pointer) error

	// LoadModule loads PTX, a cubin or a fatbin. The image may be reused on
	// return.
	LoadModule(image []byte) (Module, error)
	// Unload unloads a module. Its functions are gone.
	Unload(m Module) error
	// Function returns the kernel of that name in m.
	Function(m Module, name string) (Func, error)
	// SetSharedLimit allows f up to bytes of dynamic shared memory per block,
	// bytes <= Info.SharedPerBlock. Without it the limit is 48 KiB.
	SetSharedLimit(f Func, bytes int) error
	// Occupancy returns how many blocks of f with the given number of threads
	// and bytes of dynamic shared memory one SM runs at the same time.
	Occupancy(f Func, threads, shared int) (blocksPerSM int, err error)

	// NewStream returns a stream that runs independently of all others.
	NewStream() (Stream, error)
	// NewUrgentStream is NewStream whose blocks go before those of other streams that
	// wait for a place on the device.
	NewUrgentStream() (Stream, error)
	// DestroyStream frees s once the work given to it has ended.
	DestroyStream(s Stream) error
	// SyncStream waits until everything given to s has ended.
	SyncStream(s Stream) error

	// NewEvent returns an event. Only a timed one measures [Context.Elapsed];
	// the others cost less.
	NewEvent(timed bool) (Event, error)
	// NewSleepEvent is NewEvent of an event for which SyncEvent sleeps. It wakes about 50 µs
	// late, and takes no processor meanwhile. For others, SyncEvent polls.
	NewSleepEvent() (Event, error)
	// DestroyEvent frees e; work that waits for it still does.
	DestroyEvent(e Event) error
	// Record marks the end of everything given to s so far with e.
	Record(e Event, s Stream) error
	// WaitEvent makes all work given to s from now on wait for the latest
	// Record of e. The caller does not wait.
	WaitEvent(s Stream, e Event) error
	// SyncEvent waits for the latest Record of e.
	SyncEvent(e Event) error
	// QueryEvent reports without waiting whether the latest Record of e was
	// reached.
	QueryEvent(e Event) (done bool, err error)
	// Elapsed returns the time on the device between two timed events that
	// were both reached. Its resolution is about half a microsecond.
	Elapsed(from, to Event) (time.Duration, error)

	// CopyToDevice copies bytes from host to device memory. From the call to
	// the end of the copy (SyncStream, or SyncEvent of an event recorded
	// after it) src is the driver's: the caller keeps it alive and unchanged.
	// Memory of HostAlloc is copied asynchronously and alive by itself. Other
	// memory is much slower and may make the call wait; Go memory must be on
	// the heap, whose addresses never change, and be held by runtime.KeepAlive
	// until after the synchronisation.
	CopyToDevice(dst Ptr, src unsafe.Pointer, bytes int, s Stream) error
	// CopyToHost copies bytes from device to host memory. From the call to the
	// end of the copy dst is the driver's: the caller keeps it alive and
	// neither reads nor writes it. Otherwise like CopyToDevice.
	CopyToHost(dst unsafe.Pointer, src Ptr, bytes int, s Stream) error
	// CopyOnDevice copies bytes between device buffers that do not overlap.
	CopyOnDevice(dst, src Ptr, bytes int, s Stream) error
	// CopyFromPeer copies bytes from memory of peer, a context of another device,
	// to memory of this one. It follows the work given to s, but nothing that was
	// given to streams of peer: the caller waits for those before, and keeps the
	// source unchanged to the end of the copy.
	CopyFromPeer(dst Ptr, peer Context, src Ptr, bytes int, s Stream) error
	// Memset32 fills words 32-bit words at dst, which is aligned to 4.
	Memset32(dst Ptr, value uint32, words int, s Stream) error

	// Launch runs f on grid blocks of block threads, with shared bytes of
	// dynamic shared memory each. Every parameter of the kernel is 8 bytes
	// wide, a pointer or a 64-bit integer, and len(args) <= MaxArgs must be
	// their number, which the driver cannot check. args is copied. The call
	// allocates nothing; a caller that wants none for the slice either keeps it.
	Launch(f Func, grid, block, shared int, s Stream, args ...uint64) error
}

// MaxArgs is the largest number of parameters of a kernel.
const MaxArgs = 32

// Open returns the driver of the binding that was registered, or of the one that is built in.
// The first call loads and initializes it; later calls return the result of the first, an error
// included: a driver that is missing does not appear while a process runs.
func Open() (Driver, error) { return opened() }

// Register has Open call another binding's open. It is for the init of that binding's package: Open
// must not have been called.
func Register(open func() (Driver, error)) { binding = open }

var (
	binding = open // of the files that the build tags choose
	opened  = sync.OnceValues(func() (Driver, error) { return binding() })
)

//go:build linux && (amd64 || arm64)

package cuda

import (
	"runtime"
	"sync"
	"time"
	"unsafe"
)

// Flags of streams and events.
const (
	streamNonBlocking = 1           // it does not wait for the default stream
	urgent            = ^uintptr(0) // priority -1: one step above the others
	eventUntimed      = 2           // CU_EVENT_DISABLE_TIMING
	eventSleeps       = 1           // CU_EVENT_BLOCKING_SYNC
)

// context is a retained primary context.
type context struct {
	*functions
	device uintptr
	handle [1]uintptr // the argument list that makes it current
	name   string     // of the device, for errors
}

// do calls op with c current. The driver keeps the current context per OS
// thread, so the goroutine stays on one meanwhile.
//
//go:uintptrescapes
func (c *context) do(op call, args ...uintptr) error {
	return Failure(c.name, symbols[op], c.result(op, args))
}

// noContext is the argument list of a call that is to forget which context was
// current.
var noContext [1]uintptr

// result is do without the error value. Where the context cannot be made
// current, op would fail for the same reason, which result returns. A program
// may rely on the context that it made current on this thread, if it locked it; so
// that is current again after the call.
func (c *context) result(op call, args []uintptr) Result {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if r := Result(uint32(invoke(c.functions[contextPush], c.handle[:]))); r != Success {
		return r
	}
	defer invoke(c.functions[contextPop], noContext[:]) // it fails only where nothing was pushed
	return Result(uint32(invoke(c.functions[op], args)))
}

func (c *context) Release() error {
	return Failure(c.name, symbols[contextRelease], c.functions.do(contextRelease, c.device))
}

func (c *context) EnablePeer(peer Context) (direct bool, err error) {
	p := peer.(*context)
	var can int32
	r := c.functions.do(devicePeer, uintptr(unsafe.Pointer(&can)), c.device, p.device)
	if r != Success || can == 0 {
		return false, Failure(c.name, symbols[devicePeer], r)
	}
	direct, r = Reached(c.result(contextPeer, []uintptr{p.handle[0], 0}))
	return direct, Failure(c.name, symbols[contextPeer], r)
}

func (c *context) MemInfo() (free, total uint64, err error) {
	err = c.do(memInfo, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total)))
	return free, total, err
}

func (c *context) Alloc(bytes int) (p Ptr, err error) {
	err = c.do(memAlloc, uintptr(unsafe.Pointer(&p)), uintptr(bytes))
	return p, err
}

func (c *context) Free(p Ptr) error {
	if p == 0 {
		return nil
	}
	return c.do(memFree, uintptr(p))
}

func (c *context) HostAlloc(bytes int) (p unsafe.Pointer, err error) {
	err = c.do(hostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(bytes), HostPortable|HostMapped)
	return p, err
}

func (c *context) HostFree(p unsafe.Pointer) error {
	if p == nil {
		return nil
	}
	return c.do(hostFree, uintptr(p))
}

func (c *context) HostRegister(p unsafe.Pointer, bytes int) error {
	return c.do(hostRegister, uintptr(p), uintptr(bytes), RegisterPortable)
}

func (c *context) HostUnregister(p unsafe.Pointer) error { return c.do(hostUnregister, uintptr(p)) }

func (c *context) LoadModule(image []byte) (m Module, err error) {
	// The driver finds the end of PTX by a zero byte, and gets no length.
	ended := append(append(make([]byte, 0, len(image)+1), image...), 0)
	err = c.do(moduleLoad, uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&ended[0])))
	return m, err
}

func (c *context) Unload(m Module) error { return c.do(moduleUnload, uintptr(m)) }

func (c *context) Function(m Module, name string) (f Func, err error) {
	ended := append([]byte(name), 0)
	err = c.do(moduleFunction, uintptr(unsafe.Pointer(&f)), uintptr(m), uintptr(unsafe.Pointer(&ended[0])))
	return f, Named(err, name)
}

func (c *context) SetSharedLimit(f Func, bytes int) error {
	return c.do(functionSet, uintptr(f), FunctionMaxShared, uintptr(bytes))
}

func (c *context) Occupancy(f Func, threads, shared int) (blocksPerSM int, err error) {
	var n int32
	err = c.do(functionOccupancy, uintptr(unsafe.Pointer(&n)), uintptr(f), uintptr(threads), uintptr(shared))
	return int(n), err
}

func (c *context) NewStream() (s Stream, err error) {
	err = c.do(streamCreate, uintptr(unsafe.Pointer(&s)), streamNonBlocking)
	return s, err
}

func (c *context) NewUrgentStream() (s Stream, err error) {
	err = c.do(streamUrgent, uintptr(unsafe.Pointer(&s)), streamNonBlocking, urgent)
	return s, err
}

func (c *context) DestroyStream(s Stream) error { return c.do(streamDestroy, uintptr(s)) }

func (c *context) SyncStream(s Stream) error { return c.do(streamSync, uintptr(s)) }

func (c *context) WaitEvent(s Stream, e Event) error {
	return c.do(streamWait, uintptr(s), uintptr(e), 0)
}

func (c *context) NewEvent(timed bool) (e Event, err error) {
	flags := uintptr(eventUntimed)
	if timed {
		flags = 0
	}
	err = c.do(eventCreate, uintptr(unsafe.Pointer(&e)), flags)
	return e, err
}

func (c *context) NewSleepEvent() (e Event, err error) {
	err = c.do(eventCreate, uintptr(unsafe.Pointer(&e)), eventSleeps|eventUntimed)
	return e, err
}

func (c *context) DestroyEvent(e Event) error { return c.do(eventDestroy, uintptr(e)) }

func (c *context) Record(e Event, s Stream) error {
	return c.do(eventRecord, uintptr(e), uintptr(s))
}

func (c *context) SyncEvent(e Event) error { return c.do(eventSync, uintptr(e)) }

func (c *context) QueryEvent(e Event) (done bool, err error) {
	switch r := c.result(eventQuery, []uintptr{uintptr(e)}); r {
	case NotReady:
		return false, nil
	default:
		return r == Success, Failure(c.name, symbols[eventQuery], r)
	}
}

func (c *context) Elapsed(from, to Event) (time.Duration, error) {
	var ms float32
	err := c.do(eventElapsed, uintptr(unsafe.Pointer(&ms)), uintptr(from), uintptr(to))
	return time.Duration(float64(ms) * float64(time.Millisecond)), err
}

func (c *context) CopyToDevice(dst Ptr, src unsafe.Pointer, bytes int, s Stream) error {
	return c.do(copyToDevice, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

func (c *context) CopyToHost(dst unsafe.Pointer, src Ptr, bytes int, s Stream) error {
	return c.do(copyToHost, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

func (c *context) CopyOnDevice(dst, src Ptr, bytes int, s Stream) error {
	return c.do(copyOnDevice, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

func (c *context) CopyFromPeer(dst Ptr, peer Context, src Ptr, bytes int, s Stream) error {
	p := peer.(*context)
	return c.do(copyPeer, uintptr(dst), c.handle[0], uintptr(src), p.handle[0], uintptr(bytes), uintptr(s))
}

func (c *context) Memset32(dst Ptr, value uint32, words int, s Stream) error {
	return c.do(memset32, uintptr(dst), uintptr(value), uintptr(words), uintptr(s))
}

// launching holds the arguments of one launch. cuLaunchKernel reads a list of
// addresses, one per kernel parameter. The object lives on the heap, where
// nothing moves, so the addresses in at stay true for its life; the collector
// need not know them, because they point into the object itself, which Launch
// holds.
type launching struct {
	call   [11]uintptr
	at     [MaxArgs + 1]uintptr
	values [MaxArgs]uint64
}

var launchings = sync.Pool{New: func() any {
	l := new(launching)
	for i := range l.values {
		l.at[i] = uintptr(unsafe.Pointer(&l.values[i]))
	}
	return l
}}

func (c *context) Launch(f Func, grid, block, shared int, s Stream, args ...uint64) error {
	if len(args) > MaxArgs || int(uint32(grid)) != grid {
		return Failure(c.name, symbols[launch], InvalidValue)
	}
	l := launchings.Get().(*launching)
	defer launchings.Put(l)
	n := copy(l.values[:], args)
	l.call = [...]uintptr{uintptr(f), uintptr(grid), 1, 1, uintptr(block), 1, 1, uintptr(shared), uintptr(s),
		uintptr(unsafe.Pointer(&l.at)), 0}
	// A zero after the last address lets the driver of the tests check the
	// count; the others know it from the kernel.
	end := l.at[n]
	l.at[n] = 0
	r := c.result(launch, l.call[:])
	l.at[n] = end
	return Failure(c.name, symbols[launch], r)
}

//go:build cgo && linux && (amd64 || arm64)

package cu

// #include "cu.h"
import "C"

import (
	"runtime"
	"time"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"gorgonia.org/cu"
)

// cuContext is a retained primary context.
type cuContext struct {
	device cu.Device
	handle cu.CUContext
	name   string // of the device, for errors
}

// The library wraps each handle of the driver, a pointer into its memory, in a
// struct of its own. Both are one word wide with the same bits.

func cuModule(m cuda.Module) cu.Module   { return *(*cu.Module)(unsafe.Pointer(&m)) }
func cuFunction(f cuda.Func) cu.Function { return *(*cu.Function)(unsafe.Pointer(&f)) }
func cuStream(s cuda.Stream) cu.Stream   { return *(*cu.Stream)(unsafe.Pointer(&s)) }
func cuEvent(e cuda.Event) cu.Event      { return *(*cu.Event)(unsafe.Pointer(&e)) }

// do makes a call with c current, and then restores the current context. The driver keeps the
// current context per OS thread, so the goroutine stays on one meanwhile.
func (c *cuContext) do(op string, call func() error) error {
	return cuda.Failure(c.name, op, c.result(call))
}

func (c *cuContext) result(call func() error) cuda.Result {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cu.PushCurrentCtx(c.handle); err != nil {
		return code(err)
	}
	defer cu.PopCurrentCtx() // it fails only where nothing was pushed
	return code(call())
}

func (c *cuContext) Release() error {
	return cuda.Failure(c.name, "cuDevicePrimaryCtxRelease_v2", code(c.device.ReleasePrimaryCtx()))
}

func (c *cuContext) EnablePeer(peer cuda.Context) (direct bool, err error) {
	p := peer.(*cuContext)
	can, err := c.device.CanAccessPeer(p.device)
	if err != nil || can == 0 {
		return false, cuda.Failure(c.name, "cuDeviceCanAccessPeer", code(err))
	}
	direct, r := cuda.Reached(c.result(func() error { return p.handle.EnablePeerAccess(0) }))
	return direct, cuda.Failure(c.name, "cuCtxEnablePeerAccess", r)
}

func (c *cuContext) MemInfo() (free, total uint64, err error) {
	err = c.do("cuMemGetInfo_v2", func() error {
		f, t, err := cu.MemInfo()
		free, total = uint64(f), uint64(t)
		return err
	})
	return free, total, err
}

func (c *cuContext) Alloc(bytes int) (p cuda.Ptr, err error) {
	err = c.do("cuMemAlloc_v2", func() error {
		q, err := cu.MemAlloc(int64(bytes))
		p = cuda.Ptr(q)
		return err
	})
	return p, err
}

func (c *cuContext) Free(p cuda.Ptr) error {
	if p == 0 {
		return nil
	}
	return c.do("cuMemFree_v2", func() error { return cu.MemFree(cu.DevicePtr(p)) })
}

func (c *cuContext) HostAlloc(bytes int) (unsafe.Pointer, error) {
	var p unsafe.Pointer
	err := c.do("cuMemHostAlloc", func() error {
		return asError(C.sorter_host_alloc(&p, C.size_t(bytes), cuda.HostPortable|cuda.HostMapped))
	})
	return p, err
}

// asError returns a result of the driver the way the library would.
func asError(r C.int) error {
	if r == 0 {
		return nil
	}
	return cuda.Result(r)
}

func (c *cuContext) HostFree(p unsafe.Pointer) error {
	if p == nil {
		return nil
	}
	return c.do("cuMemFreeHost", func() error { return cu.MemFreeHost(p) })
}

func (c *cuContext) HostRegister(p unsafe.Pointer, bytes int) error {
	return c.do("cuMemHostRegister_v2", func() error {
		return asError(C.sorter_host_register(p, C.size_t(bytes), cuda.RegisterPortable))
	})
}

func (c *cuContext) HostUnregister(p unsafe.Pointer) error {
	return c.do("cuMemHostUnregister", func() error { return asError(C.sorter_host_unregister(p)) })
}

func (c *cuContext) LoadModule(image []byte) (m cuda.Module, err error) {
	err = c.do("cuModuleLoadData", func() error {
		loaded, err := cu.LoadData(string(image))
		m = *(*cuda.Module)(unsafe.Pointer(&loaded))
		return err
	})
	return m, err
}

func (c *cuContext) Unload(m cuda.Module) error {
	return c.do("cuModuleUnload", func() error { return cuModule(m).Unload() })
}

func (c *cuContext) Function(m cuda.Module, name string) (f cuda.Func, err error) {
	err = c.do("cuModuleGetFunction", func() error {
		found, err := cuModule(m).Function(name)
		f = *(*cuda.Func)(unsafe.Pointer(&found))
		return err
	})
	return f, cuda.Named(err, name)
}

func (c *cuContext) SetSharedLimit(f cuda.Func, bytes int) error {
	return c.do("cuFuncSetAttribute", func() error {
		fn := cuFunction(f)
		return asError(C.sorter_function_set(*(*unsafe.Pointer)(unsafe.Pointer(&fn)), cuda.FunctionMaxShared, C.int(bytes)))
	})
}

func (c *cuContext) Occupancy(f cuda.Func, threads, shared int) (blocksPerSM int, err error) {
	err = c.do("cuOccupancyMaxActiveBlocksPerMultiprocessor", func() (err error) {
		blocksPerSM, err = cuFunction(f).MaxActiveBlocksPerMultiProcessor(threads, int64(shared))
		return err
	})
	return blocksPerSM, err
}

func (c *cuContext) NewStream() (s cuda.Stream, err error) {
	err = c.do("cuStreamCreate", func() error {
		made, err := cu.MakeStream(cu.NonBlocking)
		s = cuda.Stream(StreamOf(made))
		return err
	})
	return s, err
}

func (c *cuContext) NewUrgentStream() (s cuda.Stream, err error) {
	err = c.do("cuStreamCreateWithPriority", func() error {
		made, err := cu.MakeStreamWithPriority(-1, cu.NonBlocking)
		s = cuda.Stream(StreamOf(made))
		return err
	})
	return s, err
}

func (c *cuContext) DestroyStream(s cuda.Stream) error {
	return c.do("cuStreamDestroy_v2", func() error { made := cuStream(s); return made.Destroy() })
}

func (c *cuContext) SyncStream(s cuda.Stream) error {
	return c.do("cuStreamSynchronize", func() error { return cuStream(s).Synchronize() })
}

func (c *cuContext) WaitEvent(s cuda.Stream, e cuda.Event) error {
	return c.do("cuStreamWaitEvent", func() error { return cuStream(s).Wait(cuEvent(e), 0) })
}

func (c *cuContext) NewEvent(timed bool) (e cuda.Event, err error) {
	flags := cu.DisableTiming
	if timed {
		flags = cu.DefaultEvent
	}
	err = c.do("cuEventCreate", func() error {
		made, err := cu.MakeEvent(flags)
		e = *(*cuda.Event)(unsafe.Pointer(&made))
		return err
	})
	return e, err
}

func (c *cuContext) NewSleepEvent() (e cuda.Event, err error) {
	err = c.do("cuEventCreate", func() error {
		made, err := cu.MakeEvent(cu.BlockingSyncEvent | cu.DisableTiming)
		e = *(*cuda.Event)(unsafe.Pointer(&made))
		return err
	})
	return e, err
}

func (c *cuContext) DestroyEvent(e cuda.Event) error {
	return c.do("cuEventDestroy_v2", func() error { made := cuEvent(e); return cu.DestroyEvent(&made) })
}

func (c *cuContext) Record(e cuda.Event, s cuda.Stream) error {
	return c.do("cuEventRecord", func() error { return cuEvent(e).Record(cuStream(s)) })
}

func (c *cuContext) SyncEvent(e cuda.Event) error {
	return c.do("cuEventSynchronize", func() error { return cuEvent(e).Synchronize() })
}

func (c *cuContext) QueryEvent(e cuda.Event) (done bool, err error) {
	r := c.result(func() error { return cuEvent(e).Query() })
	if r == cuda.NotReady {
		return false, nil
	}
	return r == cuda.Success, cuda.Failure(c.name, "cuEventQuery", r)
}

func (c *cuContext) Elapsed(from, to cuda.Event) (d time.Duration, err error) {
	err = c.do("cuEventElapsedTime", func() error {
		ms, err := cuEvent(from).Elapsed(cuEvent(to))
		d = time.Duration(ms * float64(time.Millisecond))
		return err
	})
	return d, err
}

func (c *cuContext) CopyToDevice(dst cuda.Ptr, src unsafe.Pointer, bytes int, s cuda.Stream) error {
	return c.do("cuMemcpyHtoDAsync_v2", func() error {
		return cu.MemcpyHtoDAsync(cu.DevicePtr(dst), src, int64(bytes), cuStream(s))
	})
}

func (c *cuContext) CopyToHost(dst unsafe.Pointer, src cuda.Ptr, bytes int, s cuda.Stream) error {
	return c.do("cuMemcpyDtoHAsync_v2", func() error {
		return cu.MemcpyDtoHAsync(dst, cu.DevicePtr(src), int64(bytes), cuStream(s))
	})
}

func (c *cuContext) CopyOnDevice(dst, src cuda.Ptr, bytes int, s cuda.Stream) error {
	return c.do("cuMemcpyDtoDAsync_v2", func() error {
		return cu.MemcpyDtoDAsync(cu.DevicePtr(dst), cu.DevicePtr(src), int64(bytes), cuStream(s))
	})
}

func (c *cuContext) CopyFromPeer(dst cuda.Ptr, peer cuda.Context, src cuda.Ptr, bytes int, s cuda.Stream) error {
	p := peer.(*cuContext)
	return c.do("cuMemcpyPeerAsync", func() error {
		return cu.MemcpyPeerAsync(cu.DevicePtr(dst), c.handle, cu.DevicePtr(src), p.handle, int64(bytes), cuStream(s))
	})
}

func (c *cuContext) Memset32(dst cuda.Ptr, value uint32, words int, s cuda.Stream) error {
	return c.do("cuMemsetD32Async", func() error {
		return cu.MemsetD32Async(cu.DevicePtr(dst), uint(value), int64(words), cuStream(s))
	})
}

func (c *cuContext) Launch(f cuda.Func, grid, block, shared int, s cuda.Stream, args ...uint64) error {
	if len(args) > cuda.MaxArgs || int(uint32(grid)) != grid {
		return cuda.Failure(c.name, "cuLaunchKernel", cuda.InvalidValue)
	}
	var params [cuda.MaxArgs]unsafe.Pointer
	for i := range args {
		params[i] = unsafe.Pointer(&args[i])
	}
	return c.do("cuLaunchKernel", func() error {
		return cuFunction(f).Launch(grid, 1, 1, block, 1, 1, shared, cuStream(s), params[:len(args)])
	})
}

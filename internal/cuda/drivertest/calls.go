//go:build linux && (amd64 || arm64)

package drivertest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
)

// Calls tests every call of a binding on the fake driver at a path, which load opens.
func Calls(t *testing.T, path string, load func(path string) (cuda.Driver, error)) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *fixture)
	}{
		{"NoDevices", noDevices},
		{"Devices", devices},
		{"Retain", retain},
		{"Arguments", arguments},
		{"Threads", threads},
		{"EnablePeer", enablePeer},
		{"NothingToFree", nothingToFree},
		{"QueryNotReady", queryNotReady},
		{"KernelNamed", kernelNamed},
		{"LaunchLimits", launchLimits},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.test(t, &fixture{NewFake(t, path), func() (cuda.Driver, error) { return load(path) }})
		})
	}
}

// fixture is a fake and the binding under test.
type fixture struct {
	*Fake
	load func() (cuda.Driver, error)
}

// open loads the fake and retains its second device.
func (f *fixture) open(t testing.TB) (cuda.Driver, cuda.Context) {
	d, err := f.load()
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Retain(1)
	if err != nil {
		t.Fatal(err)
	}
	f.Log()
	return d, c
}

func noDevices(t *testing.T, f *fixture) {
	d, _ := f.open(t)
	f.Devices(0)
	_, err := d.Devices()
	WantNoDevice(t, err, "cuDeviceGetCount", cuda.NoDevice)
	f.Fail("cuDeviceGetCount", 3)
	_, err = d.Devices()
	WantNoDevice(t, err, "cuDeviceGetCount", cuda.NotInitialized)
}

func devices(t *testing.T, f *fixture) {
	d, _ := f.open(t)
	infos, err := d.Devices()
	if err != nil {
		t.Fatal(err)
	}
	want := cuda.Info{
		Ordinal: 1, Name: "Fake 71", UUID: "GPU-00112233-4455-6677-8899-aabbccddeeff", Memory: 0x2300000000,
		Major: 1075, Minor: 1076, SMs: 1016, SharedPerBlock: 1097, L2: 1038, Clock: 1013, MemoryClock: 1036, MemoryBus: 1037,
		Driver: 12040,
	}
	if len(infos) != 2 || infos[1] != want {
		t.Errorf("got  %+v\nwant %+v second", infos, want)
	}
	for _, name := range []string{"cuDeviceGet", "cuDeviceGetName", "cuDeviceGetUuid", "cuDeviceTotalMem_v2", "cuDeviceGetAttribute"} {
		f.Fail(name, 101)
		_, err := d.Devices()
		if wantError(t, err, name, cuda.InvalidDevice); errors.Is(err, engine.ErrNoDevice) {
			t.Errorf("%v: there are devices", err)
		}
	}
}

func retain(t *testing.T, f *fixture) {
	d, c := f.open(t)
	_, err := d.Retain(2)
	wantError(t, err, "cuDeviceGet", cuda.InvalidDevice)
	f.Fail("cuDevicePrimaryCtxRetain", 2)
	_, err = d.Retain(0)
	wantError(t, err, "cuDevicePrimaryCtxRetain", cuda.OutOfMemory)
	f.Log()
	if err := c.Release(); err != nil {
		t.Error(err)
	}
	if got := f.Log(); got != "cuDevicePrimaryCtxRelease_v2 71\n" {
		t.Errorf("Release called %q", got)
	}
}

// arguments makes every call with values that differ in every byte that
// matters, and compares what arrives in C and what comes back.
func arguments(t *testing.T, f *fixture) {
	d, c := f.open(t)
	peer, _ := d.Retain(0)
	host, _ := c.HostAlloc(1)
	f.Log()
	const (
		p = cuda.Ptr(0xabcdef0123456789)
		q = cuda.Ptr(0x123456789abcdef0)
		m = cuda.Module(0x4d4d4d4d00000001)
		k = cuda.Func(0x4646464600000002)
		s = cuda.Stream(0x5353535300000003)
		e = cuda.Event(0x4545454500000004)
	)
	for _, test := range []struct {
		call func() (got any, err error)
		log  string
		want any
	}{
		{func() (any, error) { free, total, err := c.MemInfo(); return [2]uint64{free, total}, err },
			"cuMemGetInfo_v2", [2]uint64{0x1111111111, 0x2222222222}},
		{func() (any, error) { return c.Alloc(0x123456789a) }, "cuMemAlloc_v2 123456789a", cuda.Ptr(0x7f0011223344aa00)},
		{func() (any, error) { return nil, c.Free(p) }, "cuMemFree_v2 abcdef0123456789", nil},
		{func() (any, error) { return c.HostAlloc(0x123456789a) }, "cuMemHostAlloc 123456789a 3", host},
		{func() (any, error) { return nil, c.HostFree(host) }, "cuMemFreeHost 1", nil},
		{func() (any, error) { return nil, c.HostRegister(host, 0x123456789a) }, "cuMemHostRegister_v2 1 123456789a 1", nil},
		{func() (any, error) { return nil, c.HostUnregister(host) }, "cuMemHostUnregister 1", nil},
		{func() (any, error) { return c.LoadModule([]byte("ptx")) }, "cuModuleLoadData [ptx]", cuda.Module(0x4d00000000000001)},
		{func() (any, error) { return nil, c.Unload(m) }, "cuModuleUnload 4d4d4d4d00000001", nil},
		{func() (any, error) { return c.Function(m, "sort") }, "cuModuleGetFunction 4d4d4d4d00000001 [sort]", cuda.Func(0x4600000000000002)},
		{func() (any, error) { return nil, c.SetSharedLimit(k, 0x38c00) }, "cuFuncSetAttribute 4646464600000002 8 38c00", nil},
		{func() (any, error) { return c.Occupancy(k, 384, 0x8000) },
			"cuOccupancyMaxActiveBlocksPerMultiprocessor 4646464600000002 180 8000", 7},
		{func() (any, error) { return c.NewStream() }, "cuStreamCreate 1", cuda.Stream(0x5300000000000003)},
		{func() (any, error) { return c.NewUrgentStream() }, "cuStreamCreateWithPriority 1 -1", cuda.Stream(0x5300000000000003)},
		{func() (any, error) { return nil, c.DestroyStream(s) }, "cuStreamDestroy_v2 5353535300000003", nil},
		{func() (any, error) { return nil, c.SyncStream(s) }, "cuStreamSynchronize 5353535300000003", nil},
		{func() (any, error) { return nil, c.WaitEvent(s, e) }, "cuStreamWaitEvent 5353535300000003 4545454500000004 0", nil},
		{func() (any, error) { return c.NewEvent(true) }, "cuEventCreate 0", cuda.Event(0x4500000000000004)},
		{func() (any, error) { return c.NewEvent(false) }, "cuEventCreate 2", cuda.Event(0x4500000000000004)},
		{func() (any, error) { return c.NewSleepEvent() }, "cuEventCreate 3", cuda.Event(0x4500000000000004)},
		{func() (any, error) { return nil, c.DestroyEvent(e) }, "cuEventDestroy_v2 4545454500000004", nil},
		{func() (any, error) { return nil, c.Record(e, s) }, "cuEventRecord 4545454500000004 5353535300000003", nil},
		{func() (any, error) { return nil, c.SyncEvent(e) }, "cuEventSynchronize 4545454500000004", nil},
		{func() (any, error) { return c.QueryEvent(e) }, "cuEventQuery 4545454500000004", true},
		{func() (any, error) { return c.Elapsed(e, e+1) }, "cuEventElapsedTime 4545454500000004 4545454500000005", 1500 * time.Microsecond},
		{func() (any, error) { return nil, c.CopyToDevice(p, host, 0x123456789a, s) },
			"cuMemcpyHtoDAsync_v2 abcdef0123456789 1 123456789a 5353535300000003", nil},
		{func() (any, error) { return nil, c.CopyToHost(host, p, 0x123456789a, s) },
			"cuMemcpyDtoHAsync_v2 1 abcdef0123456789 123456789a 5353535300000003", nil},
		{func() (any, error) { return nil, c.CopyOnDevice(p, q, 0x123456789a, s) },
			"cuMemcpyDtoDAsync_v2 abcdef0123456789 123456789abcdef0 123456789a 5353535300000003", nil},
		{func() (any, error) { return nil, c.CopyFromPeer(p, peer, q, 0x123456789a, s) },
			"cuMemcpyPeerAsync abcdef0123456789 c0ffee00c0ffee71 123456789abcdef0 c0ffee00c0ffee70 123456789a 5353535300000003", nil},
		{func() (any, error) { return nil, c.Memset32(p, 0xfedcba98, 0x123456789a, s) },
			"cuMemsetD32Async abcdef0123456789 fedcba98 123456789a 5353535300000003", nil},
		{func() (any, error) { f.Parameters(0); return nil, c.Launch(k, 0xfffffffe, 384, 0x38c00, s) },
			"cuLaunchKernel 4646464600000002 fffffffe 1 1 180 1 1 38c00 5353535300000003 ( ) 1", nil},
		{func() (any, error) {
			f.Parameters(8)
			return nil, c.Launch(k, 1, 1, 0, 0, uint64(p), 1<<63, 3, 4, 5, 6, 7, 8)
		},
			"cuLaunchKernel 4646464600000002 1 1 1 1 1 1 0 0 ( abcdef0123456789 8000000000000000 3 4 5 6 7 8 ) 1", nil},
	} {
		f.Fail("", 0)
		name, _, _ := strings.Cut(test.log, " ")
		got, err := test.call()
		if err != nil || got != test.want {
			t.Errorf("%s returned %v, %v; want %v", name, got, err, test.want)
		}
		called := fmt.Sprintf("cuCtxPushCurrent_v2 c0ffee00c0ffee71\n%s\ncuCtxPopCurrent_v2\n", test.log)
		if log := f.Log(); log != called {
			t.Errorf("called\n%swant\n%s", log, called)
		}
		f.Fail(name, 719)
		_, err = test.call()
		wantError(t, err, name, cuda.LaunchFailed)
		if log := f.Log(); log != called {
			t.Errorf("where it failed, called\n%swant\n%s", log, called)
		}
		f.Fail("cuCtxPushCurrent_v2", 201)
		_, err = test.call()
		wantError(t, err, name, cuda.InvalidContext)
		if log := f.Log(); log != "cuCtxPushCurrent_v2 c0ffee00c0ffee71\n" {
			t.Errorf("%s, or more, was called without a current context:\n%s", name, log)
		}
	}
}

// threads calls from many goroutines, which the scheduler moves between threads
// where a call takes long: each finds its context current on the thread that it is
// made on.
func threads(t *testing.T, f *fixture) {
	_, c := f.open(t)
	f.Linger(100)
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			for range 50 {
				if _, _, err := c.MemInfo(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	f.Log()
}

// enablePeer asks first, and takes no for an answer.
func enablePeer(t *testing.T, f *fixture) {
	d, c := f.open(t)
	peer, _ := d.Retain(0)
	f.Log()
	const asks, enables = "cuDeviceCanAccessPeer 71 70\n", "cuCtxPushCurrent_v2 c0ffee00c0ffee71\ncuCtxEnablePeerAccess c0ffee00c0ffee70 0\ncuCtxPopCurrent_v2\n"
	for _, code := range []cuda.Result{cuda.Success, cuda.PeerAlreadyEnabled, cuda.TooManyPeers} {
		f.Fail("cuCtxEnablePeerAccess", int32(code))
		if direct, err := c.EnablePeer(peer); err != nil || direct != (code != cuda.TooManyPeers) {
			t.Errorf("%v: direct %v, error %v", code, direct, err)
		}
		if log := f.Log(); log != asks+enables {
			t.Errorf("called\n%swant\n%s", log, asks+enables)
		}
	}
	for _, name := range []string{"cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess"} {
		f.Fail(name, 719)
		direct, err := c.EnablePeer(peer)
		if wantError(t, err, name, cuda.LaunchFailed); direct {
			t.Error("direct in spite of the error")
		}
		f.Log()
	}
	f.Lonely(1)
	if direct, err := c.EnablePeer(peer); direct || err != nil || f.Log() != asks {
		t.Errorf("devices that cannot reach each other: direct %v, error %v", direct, err)
	}
}

func nothingToFree(t *testing.T, f *fixture) {
	_, c := f.open(t)
	if err := errors.Join(c.Free(0), c.HostFree(nil)); err != nil || f.Log() != "" {
		t.Errorf("freeing nothing: %v, calls %q", err, f.Log())
	}
}

func queryNotReady(t *testing.T, f *fixture) {
	_, c := f.open(t)
	f.Fail("cuEventQuery", 600)
	if done, err := c.QueryEvent(1); done || err != nil {
		t.Errorf("got %v, %v", done, err)
	}
}

func kernelNamed(t *testing.T, f *fixture) {
	_, c := f.open(t)
	f.Fail("cuModuleGetFunction", 500)
	_, err := c.Function(1, "scatter_u32")
	wantError(t, err, "cuModuleGetFunction", cuda.NotFound)
	if !strings.Contains(err.Error(), "scatter_u32") {
		t.Errorf("%v: which one?", err)
	}
}

func launchLimits(t *testing.T, f *fixture) {
	_, c := f.open(t)
	wantError(t, c.Launch(1, 1<<32, 32, 0, 0), "cuLaunchKernel", cuda.InvalidValue)
	wantError(t, c.Launch(1, -1, 32, 0, 0), "cuLaunchKernel", cuda.InvalidValue)
	wantError(t, c.Launch(1, 1, 32, 0, 0, make([]uint64, cuda.MaxArgs+1)...), "cuLaunchKernel", cuda.InvalidValue)
	if log := f.Log(); log != "" {
		t.Errorf("the driver was called:\n%s", log)
	}
	f.Parameters(cuda.MaxArgs)
	many := make([]uint64, cuda.MaxArgs)
	many[cuda.MaxArgs-1] = 0xdddd
	if err := c.Launch(1, 1, 32, 0, 0, many...); err != nil || !strings.Contains(f.Log(), " dddd ) 1\n") {
		t.Errorf("%d parameters: %v, %s", cuda.MaxArgs, err, f.Log())
	}
}

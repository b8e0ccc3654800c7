//go:build linux && ((amd64 && !cudacpu) || arm64)

package cuda

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/sorter/internal/engine"
	"github.com/ebitengine/purego"
)

// compile builds a shared library from a C file.
func compile(t testing.TB, source string, flags ...string) string {
	t.Helper()
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no C compiler for the fake driver: ", err)
	}
	path := filepath.Join(t.TempDir(), "libcuda.so.1")
	args := append([]string{"-shared", "-fPIC", "-O1", "-o", path, source}, flags...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// fake is the fake driver of testdata and its controls. fakePath says where it
// is, and load opens it.
type fake struct {
	path    string
	log     func() string
	fail    func(name string, code int32)
	devices func(n int32)
	version func(v int32)
	linger  func(us int32)  // how long it takes to make a context current
	lonely  func(yes int32) // no device reaches another one's memory
	// parameters sets the number of parameters of the launched kernel.
	parameters func(n int32)
}

func newFake(t testing.TB) *fake {
	f := &fake{path: fakePath(t)}
	library, err := purego.Dlopen(f.path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	var reset func() // another test of the process may have used it
	purego.RegisterLibFunc(&reset, library, "fake_reset")
	reset()
	purego.RegisterLibFunc(&f.log, library, "fake_log")
	purego.RegisterLibFunc(&f.fail, library, "fake_fail")
	purego.RegisterLibFunc(&f.devices, library, "fake_devices")
	purego.RegisterLibFunc(&f.version, library, "fake_version")
	purego.RegisterLibFunc(&f.linger, library, "fake_linger")
	purego.RegisterLibFunc(&f.lonely, library, "fake_lonely")
	purego.RegisterLibFunc(&f.parameters, library, "fake_parameters")
	return f
}

// open loads the fake and retains its second device.
func (f *fake) open(t testing.TB) (Driver, Context) {
	d, err := load(f.path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Retain(1)
	if err != nil {
		t.Fatal(err)
	}
	f.log()
	return d, c
}

// wantNoDevice checks that err says where it failed and that there is no device.
func wantNoDevice(t *testing.T, err error, op string, code Result) {
	t.Helper()
	if !errors.Is(err, engine.ErrNoDevice) {
		t.Fatalf("%v: not ErrNoDevice", err)
	}
	var device *engine.DeviceError
	if !errors.As(err, &device) || !strings.HasPrefix(device.Op, op) || device.Code != int(code) {
		t.Fatalf("%v: want a DeviceError of %s, code %d", err, op, code)
	}
}

func TestNoDevices(t *testing.T) {
	f := newFake(t)
	d, _ := f.open(t)
	f.devices(0)
	_, err := d.Devices()
	wantNoDevice(t, err, "cuDeviceGetCount", NoDevice)
	f.fail("cuDeviceGetCount", 3)
	_, err = d.Devices()
	wantNoDevice(t, err, "cuDeviceGetCount", NotInitialized)
}

func TestDevices(t *testing.T) {
	f := newFake(t)
	d, _ := f.open(t)
	infos, err := d.Devices()
	if err != nil {
		t.Fatal(err)
	}
	want := Info{1, "Fake 71", "GPU-00112233-4455-6677-8899-aabbccddeeff", 0x2300000000, 1075, 1076, 1016, 1097, 1038, 1013, 1036, 1037, 12040}
	if len(infos) != 2 || infos[1] != want {
		t.Errorf("got  %+v\nwant %+v second", infos, want)
	}
	for _, name := range []string{"cuDeviceGet", "cuDeviceGetName", "cuDeviceGetUuid", "cuDeviceTotalMem_v2", "cuDeviceGetAttribute"} {
		f.fail(name, 101)
		_, err := d.Devices()
		if wantError(t, err, name, InvalidDevice); errors.Is(err, engine.ErrNoDevice) {
			t.Errorf("%v: there are devices", err)
		}
	}
}

func TestRetain(t *testing.T) {
	f := newFake(t)
	d, c := f.open(t)
	_, err := d.Retain(2)
	wantError(t, err, "cuDeviceGet", InvalidDevice)
	f.fail("cuDevicePrimaryCtxRetain", 2)
	_, err = d.Retain(0)
	wantError(t, err, "cuDevicePrimaryCtxRetain", OutOfMemory)
	f.log()
	if err := c.Release(); err != nil {
		t.Error(err)
	}
	if got := f.log(); got != "cuDevicePrimaryCtxRelease_v2 71\n" {
		t.Errorf("Release called %q", got)
	}
}

// TestArguments makes every call with values that differ in every byte that
// matters, and compares what arrives in C and what comes back.
func TestArguments(t *testing.T) {
	f := newFake(t)
	d, c := f.open(t)
	peer, _ := d.Retain(0)
	host, _ := c.HostAlloc(1)
	f.log()
	const (
		p = Ptr(0xabcdef0123456789)
		q = Ptr(0x123456789abcdef0)
		m = Module(0x4d4d4d4d00000001)
		k = Func(0x4646464600000002)
		s = Stream(0x5353535300000003)
		e = Event(0x4545454500000004)
	)
	for _, test := range []struct {
		call func() (got any, err error)
		log  string
		want any
	}{
		{func() (any, error) { free, total, err := c.MemInfo(); return [2]uint64{free, total}, err },
			"cuMemGetInfo_v2", [2]uint64{0x1111111111, 0x2222222222}},
		{func() (any, error) { return c.Alloc(0x123456789a) }, "cuMemAlloc_v2 123456789a", Ptr(0x7f0011223344aa00)},
		{func() (any, error) { return nil, c.Free(p) }, "cuMemFree_v2 abcdef0123456789", nil},
		{func() (any, error) { return c.HostAlloc(0x123456789a) }, "cuMemHostAlloc 123456789a 3", host},
		{func() (any, error) { return nil, c.HostFree(host) }, "cuMemFreeHost 1", nil},
		{func() (any, error) { return nil, c.HostRegister(host, 0x123456789a) }, "cuMemHostRegister_v2 1 123456789a 1", nil},
		{func() (any, error) { return nil, c.HostUnregister(host) }, "cuMemHostUnregister 1", nil},
		{func() (any, error) { return c.LoadModule([]byte("ptx")) }, "cuModuleLoadData [ptx]", Module(0x4d00000000000001)},
		{func() (any, error) { return nil, c.Unload(m) }, "cuModuleUnload 4d4d4d4d00000001", nil},
		{func() (any, error) { return c.Function(m, "sort") }, "cuModuleGetFunction 4d4d4d4d00000001 [sort]", Func(0x4600000000000002)},
		{func() (any, error) { return nil, c.SetSharedLimit(k, 0x38c00) }, "cuFuncSetAttribute 4646464600000002 8 38c00", nil},
		{func() (any, error) { return c.Occupancy(k, 384, 0x8000) },
			"cuOccupancyMaxActiveBlocksPerMultiprocessor 4646464600000002 180 8000", 7},
		{func() (any, error) { return c.NewStream() }, "cuStreamCreate 1", Stream(0x5300000000000003)},
		{func() (any, error) { return c.NewUrgentStream() }, "cuStreamCreateWithPriority 1 -1", Stream(0x5300000000000003)},
		{func() (any, error) { return nil, c.DestroyStream(s) }, "cuStreamDestroy_v2 5353535300000003", nil},
		{func() (any, error) { return nil, c.SyncStream(s) }, "cuStreamSynchronize 5353535300000003", nil},
		{func() (any, error) { return nil, c.WaitEvent(s, e) }, "cuStreamWaitEvent 5353535300000003 4545454500000004 0", nil},
		{func() (any, error) { return c.NewEvent(true) }, "cuEventCreate 0", Event(0x4500000000000004)},
		{func() (any, error) { return c.NewEvent(false) }, "cuEventCreate 2", Event(0x4500000000000004)},
		{func() (any, error) { return c.NewSleepEvent() }, "cuEventCreate 3", Event(0x4500000000000004)},
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
		{func() (any, error) { f.parameters(0); return nil, c.Launch(k, 0xfffffffe, 384, 0x38c00, s) },
			"cuLaunchKernel 4646464600000002 fffffffe 1 1 180 1 1 38c00 5353535300000003 ( ) 1", nil},
		{func() (any, error) {
			f.parameters(8)
			return nil, c.Launch(k, 1, 1, 0, 0, uint64(p), 1<<63, 3, 4, 5, 6, 7, 8)
		},
			"cuLaunchKernel 4646464600000002 1 1 1 1 1 1 0 0 ( abcdef0123456789 8000000000000000 3 4 5 6 7 8 ) 1", nil},
	} {
		f.fail("", 0)
		name, _, _ := strings.Cut(test.log, " ")
		got, err := test.call()
		if err != nil || got != test.want {
			t.Errorf("%s returned %v, %v; want %v", name, got, err, test.want)
		}
		called := fmt.Sprintf("cuCtxPushCurrent_v2 c0ffee00c0ffee71\n%s\ncuCtxPopCurrent_v2\n", test.log)
		if log := f.log(); log != called {
			t.Errorf("called\n%swant\n%s", log, called)
		}
		f.fail(name, 719)
		_, err = test.call()
		wantError(t, err, name, LaunchFailed)
		if log := f.log(); log != called {
			t.Errorf("where it failed, called\n%swant\n%s", log, called)
		}
		f.fail("cuCtxPushCurrent_v2", 201)
		_, err = test.call()
		wantError(t, err, name, InvalidContext)
		if log := f.log(); log != "cuCtxPushCurrent_v2 c0ffee00c0ffee71\n" {
			t.Errorf("%s, or more, was called without a current context:\n%s", name, log)
		}
	}
}

// TestThreads calls from many goroutines, which the scheduler moves between threads
// where a call takes long: each finds its context current on the thread that it is
// made on.
func TestThreads(t *testing.T) {
	f := newFake(t)
	_, c := f.open(t)
	f.linger(100)
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
	f.log()
}

// TestEnablePeer asks first, and takes no for an answer.
func TestEnablePeer(t *testing.T) {
	f := newFake(t)
	d, c := f.open(t)
	peer, _ := d.Retain(0)
	f.log()
	const asks, enables = "cuDeviceCanAccessPeer 71 70\n", "cuCtxPushCurrent_v2 c0ffee00c0ffee71\ncuCtxEnablePeerAccess c0ffee00c0ffee70 0\ncuCtxPopCurrent_v2\n"
	for _, code := range []Result{Success, PeerAlreadyEnabled, TooManyPeers} {
		f.fail("cuCtxEnablePeerAccess", int32(code))
		if direct, err := c.EnablePeer(peer); err != nil || direct != (code != TooManyPeers) {
			t.Errorf("%v: direct %v, error %v", code, direct, err)
		}
		if log := f.log(); log != asks+enables {
			t.Errorf("called\n%swant\n%s", log, asks+enables)
		}
	}
	for _, name := range []string{"cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess"} {
		f.fail(name, 719)
		direct, err := c.EnablePeer(peer)
		if wantError(t, err, name, LaunchFailed); direct {
			t.Error("direct in spite of the error")
		}
		f.log()
	}
	f.lonely(1)
	if direct, err := c.EnablePeer(peer); direct || err != nil || f.log() != asks {
		t.Errorf("devices that cannot reach each other: direct %v, error %v", direct, err)
	}
}

func TestNothingToFree(t *testing.T) {
	f := newFake(t)
	_, c := f.open(t)
	if err := errors.Join(c.Free(0), c.HostFree(nil)); err != nil || f.log() != "" {
		t.Errorf("freeing nothing: %v, calls %q", err, f.log())
	}
}

func TestQueryNotReady(t *testing.T) {
	f := newFake(t)
	_, c := f.open(t)
	f.fail("cuEventQuery", 600)
	if done, err := c.QueryEvent(1); done || err != nil {
		t.Errorf("got %v, %v", done, err)
	}
}

func TestKernelNamed(t *testing.T) {
	f := newFake(t)
	_, c := f.open(t)
	f.fail("cuModuleGetFunction", 500)
	_, err := c.Function(1, "scatter_u32")
	wantError(t, err, "cuModuleGetFunction", NotFound)
	if !strings.Contains(err.Error(), "scatter_u32") {
		t.Errorf("%v: which one?", err)
	}
}

func TestLaunchLimits(t *testing.T) {
	f := newFake(t)
	_, c := f.open(t)
	wantError(t, c.Launch(1, 1<<32, 32, 0, 0), "cuLaunchKernel", InvalidValue)
	wantError(t, c.Launch(1, -1, 32, 0, 0), "cuLaunchKernel", InvalidValue)
	wantError(t, c.Launch(1, 1, 32, 0, 0, make([]uint64, MaxArgs+1)...), "cuLaunchKernel", InvalidValue)
	if log := f.log(); log != "" {
		t.Errorf("the driver was called:\n%s", log)
	}
	f.parameters(MaxArgs)
	many := make([]uint64, MaxArgs)
	many[MaxArgs-1] = 0xdddd
	if err := c.Launch(1, 1, 32, 0, 0, many...); err != nil || !strings.Contains(f.log(), " dddd ) 1\n") {
		t.Errorf("%d parameters: %v, %s", MaxArgs, err, f.log())
	}
}

// TestOpen asks for the driver of this machine, whatever it is.
func TestOpen(t *testing.T) {
	d, err := Open()
	again, errAgain := Open()
	if d != again || err != errAgain {
		t.Error("Open found something else the second time")
	}
	if err != nil {
		if !errors.Is(err, engine.ErrNoDevice) {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	infos, err := d.Devices()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", infos)
}

//go:build cudacpu && linux && amd64

package selftest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/engine"
)

// wantError checks the operation and the code of a failure.
func wantError(t *testing.T, err error, op string, code cuda.Result) {
	t.Helper()
	var device *engine.DeviceError
	if !errors.As(err, &device) || device.Op != op || !errors.Is(err, code) {
		t.Errorf("%v: want %s and %v", err, op, code)
	}
}

func TestInfo(t *testing.T) {
	driver := must(cuda.Open())(t)
	infos := must(driver.Devices())(t)
	i, def := infos[0], cudacpu.DefaultDevice
	if len(infos) != 1 || i.Name != "cudacpu" || i.SMs != def.SMs || i.Memory != def.Memory || i.SharedPerBlock != def.SharedPerBlock {
		t.Errorf("%+v", infos)
	}
	_, err := driver.Retain(1)
	wantError(t, err, "cuDeviceGet", cuda.InvalidDevice)
}

func TestOutOfMemory(t *testing.T) {
	defer cudacpu.Configure(cudacpu.DefaultDevice)
	small := cudacpu.DefaultDevice
	small.Memory = 1 << 20
	cudacpu.Configure(small)
	d := open(t)
	buffer[byte](d, 1<<20-100)
	free, total, err := d.MemInfo()
	if free != 100 || total != 1<<20 || err != nil {
		t.Errorf("%d of %d bytes free, %v", free, total, err)
	}
	_, err = d.Alloc(101)
	wantError(t, err, "cuMemAlloc_v2", cuda.OutOfMemory)
	_, err = d.Alloc(0)
	wantError(t, err, "cuMemAlloc_v2", cuda.InvalidValue)
}

func TestModules(t *testing.T) {
	d := open(t)
	for _, image := range []string{"", "garbage", "\x00\x00\x00\x00\x00"} {
		_, err := d.LoadModule([]byte(image))
		wantError(t, err, "cuModuleLoadData", cuda.InvalidImage)
	}
	_, err := d.LoadModule([]byte(".version 7.8\n.entry add_f32()\n{"))
	wantError(t, err, "cuModuleLoadData", cuda.InvalidPTX)
	_, err = d.Function(d.module, "forgotten")
	wantError(t, err, "cuModuleGetFunction", cuda.NotFound)
	if !strings.Contains(err.Error(), "forgotten") {
		t.Errorf("%v: which one?", err)
	}
	ptx := must(d.LoadModule([]byte(".version 7.8\n.visible .entry add_f32(\n")))(t)
	must(d.Function(ptx, "add_f32"))(t)
	_, err = d.Function(ptx, "sum_u32") // compiled for the CPU, but not in this module
	wantError(t, err, "cuModuleGetFunction", cuda.NotFound)
	d.ok(d.Unload(ptx))
	ptx = must(d.LoadModule([]byte(".version 7.8\n.visible .entry add_f32(\n)\n.maxntid 256, 1, 1\n{}\n")))(t)
	f := must(d.Function(ptx, "add_f32"))(t)
	wantError(t, d.Launch(f, 1, 257, 0, 0, 0, 0, 0, 0), "cuLaunchKernel", cuda.InvalidValue)
	d.ok(d.Launch(f, 1, 256, 0, 0, 0, 0, 0, 0))
	d.ok(d.Unload(ptx))
	wantError(t, d.Unload(ptx), "cuModuleUnload", 400)
}

func TestLaunchChecks(t *testing.T) {
	d := open(t)
	f := must(d.Function(d.module, "bitonic_u32"))(t)
	keys := upload(d, random(4096))
	const over = 48<<10 + 1
	for _, err := range []error{
		d.Launch(f, 0, 256, 16384, 0, uint64(keys)),    // no block
		d.Launch(f, 1, 0, 16384, 0, uint64(keys)),      // no thread
		d.Launch(f, 1, 1025, 16384, 0, uint64(keys)),   // too many of them
		d.Launch(f, 1, 256, over, 0, uint64(keys)),     // too much shared memory
		d.Launch(f, 1, 256, 16384, 0),                  // too few parameters
		d.Launch(f, 1, 256, 16384, 0, uint64(keys), 1), // too many
	} {
		wantError(t, err, "cuLaunchKernel", cuda.InvalidValue)
	}
	wantError(t, d.SetSharedLimit(f, cudacpu.DefaultDevice.SharedPerBlock+1), "cuFuncSetAttribute", cuda.InvalidValue)
	d.ok(d.SetSharedLimit(f, over))
	d.ok(d.Launch(f, 1, 256, over, 0, uint64(keys)))
	if n := must(d.Occupancy(f, 256, over))(t); n != 1 && n != 2 {
		t.Errorf("%d blocks per SM", n)
	}
	wantError(t, d.Memset32(keys+4, 0, 4096, 0), "cuMemsetD32Async", cuda.InvalidValue)
	wantError(t, d.CopyOnDevice(keys, keys+4, 8, 0), "cuMemcpyDtoDAsync_v2", cuda.InvalidValue)
}

// pinned returns n words of page-locked memory.
func pinned(d *device, n int) []uint32 {
	p := must(d.HostAlloc(4 * n))(d.t)
	d.t.Cleanup(func() { d.ok(d.HostFree(p)) })
	return unsafe.Slice((*uint32)(p), n)
}

// TestOverlap adds numbers on two streams that wait for each other's events, in
// every mode.
func TestOverlap(t *testing.T) {
	for _, mode := range []cudacpu.Mode{cudacpu.Eager, cudacpu.Lazy, cudacpu.Mixed} {
		seeds(t, 4, func(t *testing.T, d *device) {
			cudacpu.SetMode(mode)
			overlap(t, d)
		})
	}
}

func overlap(t *testing.T, d *device) {
	const n = 1000
	in := random(n)
	sum, want := pinned(d, 1), uint32(0)
	for _, v := range in {
		want += v
	}
	up, work := must(d.NewStream())(t), must(d.NewStream())(t)
	uploaded, done := must(d.NewEvent(true))(t), must(d.NewEvent(true))(t)
	from := pinned(d, n)
	copy(from, in)
	keys, total := buffer[uint32](d, n), buffer[uint32](d, 1)
	f := must(d.Function(d.module, "sum_u32"))(t)

	d.ok(d.CopyToDevice(keys, unsafe.Pointer(&from[0]), 4*n, up))
	d.ok(d.Record(uploaded, up))
	d.ok(d.WaitEvent(work, uploaded))
	d.ok(d.Memset32(total, 0, 1, work))
	d.ok(d.Launch(f, 2, 64, 128, work, uint64(keys), uint64(total), n))
	d.ok(d.CopyToHost(unsafe.Pointer(&sum[0]), total, 4, work))
	d.ok(d.Record(done, work))
	for !must(d.QueryEvent(done))(t) {
	}
	if sum[0] != want {
		t.Errorf("sum %d, want %d", sum[0], want)
	}
	if ms := must(d.Elapsed(uploaded, done))(t); ms <= 0 || ms > time.Minute {
		t.Errorf("took %v", ms)
	}
	d.ok(errors.Join(d.SyncEvent(done), d.DestroyEvent(uploaded), d.DestroyEvent(done), d.DestroyStream(up), d.DestroyStream(work)))
}

// TestForgottenWait shows that the lazy mode makes a missing WaitEvent and a
// missing SyncStream visible.
func TestForgottenWait(t *testing.T) {
	d := open(t)
	cudacpu.SetMode(cudacpu.Lazy)
	in, out := pinned(d, 1), pinned(d, 1)
	in[0], out[0] = 7, 8
	a, b := must(d.NewStream())(t), must(d.NewStream())(t)
	p := buffer[uint32](d, 1)
	d.ok(d.CopyToDevice(p, unsafe.Pointer(&in[0]), 4, a))
	d.ok(d.CopyToHost(unsafe.Pointer(&out[0]), p, 4, b))
	if out[0] != 8 {
		t.Error("copied before anybody waited")
	}
	d.ok(d.SyncStream(b))
	if out[0] == 7 {
		t.Error("a stream waited for another one unasked")
	}
	d.ok(errors.Join(d.DestroyStream(a), d.DestroyStream(b)))
}

// TestOwnership runs programs that touch memory which is not theirs.
func TestOwnership(t *testing.T) {
	misuse := map[string]func(d *device){
		"the source changed": func(d *device) {
			in := pinned(d, 100)
			d.ok(d.CopyToDevice(buffer[uint32](d, 100), unsafe.Pointer(&in[0]), 400, 0))
			in[99]++
			d.ok(d.SyncStream(0))
		},
		"a copy that was not waited for": func(d *device) {
			p := must(d.HostAlloc(400))(d.t)
			d.ok(d.CopyToHost(p, buffer[uint32](d, 100), 400, 0))
			d.ok(d.HostFree(p))
		},
		"a copy of another device that was not waited for": func(d *device) {
			other := second(d.t, true)
			p := must(other.Alloc(400))(d.t)
			d.ok(d.CopyFromPeer(buffer[uint32](d, 100), other, p, 400, 0))
			d.ok(other.Free(p))
		},
	}
	if f := misuse[os.Getenv(faultVariable)]; f != nil {
		d := open(t)
		cudacpu.SetMode(cudacpu.Lazy)
		f(d)
		return
	}
	for says := range misuse {
		if out, died := child(t, "TestOwnership", says); !died || !strings.Contains(out, says) {
			t.Errorf("not found (died: %v): %s\n%s", died, says, out)
		}
	}
}

// second opens another device for the rest of the test.
func second(t testing.TB, direct bool) cuda.Context {
	cudacpu.SetDevices(2, direct)
	driver := must(cuda.Open())(t)
	c := must(driver.Retain(1))(t)
	t.Cleanup(func() {
		if err := c.Release(); err != nil {
			t.Error(err)
		}
		cudacpu.SetDevices(1, true)
	})
	return c
}

// TestPeers copies from one device to another, which reach each other or do not,
// in every mode.
func TestPeers(t *testing.T) {
	for _, direct := range []bool{true, false} {
		for _, mode := range []cudacpu.Mode{cudacpu.Eager, cudacpu.Lazy, cudacpu.Mixed} {
			t.Run(fmt.Sprint("direct ", direct, ", mode ", mode), func(t *testing.T) {
				d := open(t)
				cudacpu.SetMode(mode)
				copyFromPeer(t, d, second(t, direct), direct)
			})
		}
	}
}

func copyFromPeer(t *testing.T, d *device, other cuda.Context, direct bool) {
	for _, pair := range [][2]cuda.Context{{d.Context, other}, {d.Context, other}, {other, d.Context}} {
		if got, err := pair[0].EnablePeer(pair[1]); got != direct || err != nil {
			t.Errorf("direct %v, error %v", got, err)
		}
	}
	in, out := pinned(d, 100), pinned(d, 100)
	for i := range in {
		in[i] = uint32(i)
	}
	from, to := must(other.Alloc(400))(t), buffer[uint32](d, 100)
	d.ok(other.CopyToDevice(from, unsafe.Pointer(&in[0]), 400, 0))
	d.ok(other.SyncStream(0))
	d.ok(d.CopyFromPeer(to, other, from, 400, 0))
	d.ok(d.CopyToHost(unsafe.Pointer(&out[0]), to, 400, 0))
	d.ok(d.SyncStream(0))
	if !slices.Equal(in, out) {
		t.Errorf("%v arrived", out)
	}
	d.ok(other.Free(from))
}

// TestTwoDevices uses what belongs to one device under the context of the other.
func TestTwoDevices(t *testing.T) {
	d := open(t)
	other := second(t, true)
	driver := must(cuda.Open())(t)
	if infos := must(driver.Devices())(t); len(infos) != 2 || infos[0].UUID == infos[1].UUID {
		t.Errorf("%+v", infos)
	}
	p, s, e := buffer[uint32](d, 100), must(d.NewStream())(t), must(d.NewEvent(false))(t)
	f := must(d.Function(d.module, "sum_u32"))(t)
	own := must(other.Alloc(400))(t)
	const invalidHandle = 400
	for _, misuse := range []struct {
		op   string
		code cuda.Result
		err  error
	}{
		{"cuStreamSynchronize", invalidHandle, other.SyncStream(s)},
		{"cuStreamDestroy_v2", invalidHandle, other.DestroyStream(s)},
		{"cuEventRecord", invalidHandle, other.Record(e, 0)},
		{"cuStreamWaitEvent", invalidHandle, other.WaitEvent(0, e)},
		{"cuLaunchKernel", invalidHandle, other.Launch(f, 1, 32, 128, 0, uint64(own), uint64(own), 1)},
		{"cuModuleUnload", invalidHandle, other.Unload(d.module)},
		{"cuMemsetD32Async", cuda.InvalidValue, other.Memset32(p, 0, 1, 0)},
		{"cuMemcpyDtoDAsync_v2", cuda.InvalidValue, other.CopyOnDevice(own, p, 4, 0)},
		{"cuMemcpyPeerAsync", cuda.InvalidValue, other.CopyFromPeer(p, d.Context, own, 4, 0)},
		{"cuMemFree_v2", cuda.InvalidValue, other.Free(p)},
	} {
		wantError(t, misuse.err, misuse.op, misuse.code)
	}
	total := cudacpu.DefaultDevice.Memory
	free, _, err := d.MemInfo()
	freeThere, _, errThere := other.MemInfo()
	if free != total-400 || freeThere != total-400 || err != nil || errThere != nil {
		t.Errorf("%d and %d bytes are free: %v, %v", free, freeThere, err, errThere)
	}
	d.ok(errors.Join(other.Free(own), d.DestroyEvent(e), d.DestroyStream(s)))
}

// program is a small host program that takes everything once. It returns the
// first error, having given everything back.
func program() (err error) {
	driver, err := cuda.Open()
	if err != nil {
		return err
	}
	c, err := driver.Retain(0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Release()) }()
	m, err := c.LoadModule([]byte("cudacpu"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Unload(m)) }()
	f, err := c.Function(m, "sum_u32")
	if err != nil {
		return err
	}
	p, err := c.Alloc(400)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Free(p)) }()
	h, err := c.HostAlloc(400)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.HostFree(h)) }()
	s, err := c.NewStream()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.DestroyStream(s)) }()
	if err := c.Memset32(p, 1, 100, s); err != nil {
		return err
	}
	if err := c.Launch(f, 1, 32, 128, s, uint64(p), uint64(p), 100); err != nil {
		return err
	}
	if err := c.CopyToHost(h, p, 400, s); err != nil {
		return err
	}
	return c.SyncStream(s)
}

// TestFailEveryCall fails each call of a program in turn, and it and all that
// follow: every failure is reported with its own error, and nothing stays allocated.
func TestFailEveryCall(t *testing.T) {
	defer cudacpu.Fail(0, 0, false)
	for _, lasting := range []bool{false, true} {
		var failed []string
		for k := 1; ; k++ {
			cudacpu.Fail(k, 999, lasting)
			err := program()
			if cudacpu.Failed() == "" {
				if err != nil {
					t.Fatal(err)
				}
				break
			}
			wantError(t, err, cudacpu.Failed(), 999)
			failed = append(failed, cudacpu.Failed())
			if h := cudacpu.Holding(); h != (cudacpu.Held{}) {
				t.Errorf("after %s failed, still held: %+v", cudacpu.Failed(), h)
			}
		}
		want := strings.Fields(`cuDeviceGet cuDevicePrimaryCtxRetain cuModuleLoadData cuModuleGetFunction cuMemAlloc_v2
			cuMemHostAlloc cuStreamCreate cuMemsetD32Async cuLaunchKernel cuMemcpyDtoHAsync_v2 cuStreamSynchronize
			cuStreamDestroy_v2 cuMemFreeHost cuMemFree_v2 cuModuleUnload cuDevicePrimaryCtxRelease_v2`)
		if !slices.Equal(failed, want) {
			t.Errorf("calls failed:\n%v\nwant\n%v", failed, want)
		}
	}
}

// TestConcurrent calls the driver from many goroutines.
func TestConcurrent(t *testing.T) {
	d := open(t)
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for range 20 {
				errs[i] = errors.Join(errs[i], program())
			}
		})
	}
	wg.Wait()
	d.ok(errors.Join(errs...))
}

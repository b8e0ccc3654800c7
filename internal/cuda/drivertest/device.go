//go:build linux && (amd64 || arm64)

package drivertest

import (
	_ "embed"
	"errors"
	"sync"
	"testing"
	"time"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
)

// Device tests the driver that [cuda.Open] returns on the first device of this machine. It skips what needs one
// where there is none.
func Device(t *testing.T) {
	t.Run("Open", opens)
	t.Run("EveryCall", everyCall)
	t.Run("Mistakes", mistakes)
}

// onDevice opens the first device of this machine, and skips the test if there
// is none.
func onDevice(t *testing.T) (cuda.Context, cuda.Info) {
	d, err := cuda.Open()
	if err != nil {
		t.Skip(err)
	}
	infos, err := d.Devices()
	check(t, err)
	c, err := d.Retain(0)
	check(t, err)
	t.Cleanup(func() { check(t, c.Release()) })
	t.Logf("%+v", infos[0])
	return c, infos[0]
}

func check(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// wantError checks that err is the failure of op with the given code.
func wantError(t *testing.T, err error, op string, code cuda.Result) {
	t.Helper()
	var device *engine.DeviceError
	if !errors.As(err, &device) || device.Op != op || device.Code != int(code) || !errors.Is(err, code) {
		t.Errorf("%v: want a DeviceError of %s, code %d", err, op, code)
	}
}

// addPTX is in the test's binary, which then runs alone on a machine with a GPU.
//
//go:embed testdata/add.ptx
var addPTX []byte

// adder loads the kernel of testdata.
func adder(t *testing.T, c cuda.Context, shared int) (cuda.Module, cuda.Func) {
	m, err := c.LoadModule(addPTX)
	check(t, err)
	f, err := c.Function(m, "add_u64")
	check(t, err)
	check(t, c.SetSharedLimit(f, shared))
	return m, f
}

// add adds term to n numbers on the device, through pinned memory, in two
// streams of which the second waits for the first.
func add(c cuda.Context, f cuda.Func, n int, term uint64, shared int) (err error) {
	do := func(e error) { err = errors.Join(err, e) }
	bytes := 8 * n
	host, e := c.HostAlloc(bytes)
	do(e)
	in, e := c.Alloc(bytes)
	do(e)
	out, e := c.Alloc(bytes)
	do(e)
	up, e := c.NewStream()
	do(e)
	down, e := c.NewStream()
	do(e)
	begin, e := c.NewEvent(true)
	do(e)
	end, e := c.NewEvent(true)
	do(e)
	if err != nil {
		return err
	}
	values := unsafe.Slice((*uint64)(host), n)
	for i := range values {
		values[i] = uint64(i) << 20
	}
	do(c.Record(begin, up))
	do(c.Memset32(out, 0xffffffff, 2*n, up))
	do(c.CopyToDevice(in, host, bytes, up))
	do(c.Launch(f, (n+255)/256, 256, shared, up, uint64(in), uint64(out), uint64(n), term))
	do(c.CopyOnDevice(in, out, bytes, up))
	do(c.Record(end, up))
	do(c.WaitEvent(down, end))
	do(c.CopyToHost(host, in, bytes, down))
	do(c.SyncStream(down))
	for i, v := range values {
		if err == nil && v != uint64(i)<<20+term {
			do(errors.New("wrong sum"))
		}
	}
	done, e := c.QueryEvent(end)
	do(e)
	took, e := c.Elapsed(begin, end)
	do(e)
	if err == nil && (!done || took <= 0 || took > time.Minute) {
		do(errors.New("events do not work: " + took.String()))
	}
	do(errors.Join(c.SyncEvent(end), c.DestroyEvent(begin), c.DestroyEvent(end), c.DestroyStream(up), c.DestroyStream(down)))
	do(errors.Join(c.Free(in), c.Free(out), c.HostFree(host)))
	return err
}

// everyCall makes every call on a device, with all the shared memory that
// a block may have, and gives everything back.
func everyCall(t *testing.T) {
	c, info := onDevice(t)
	if info.Major < 3 || info.SMs < 1 || info.SharedPerBlock < 48<<10 || info.Memory < 1<<28 || info.L2 == 0 || len(info.UUID) != 40 {
		t.Errorf("strange device: %+v", info)
	}
	m, f := adder(t, c, info.SharedPerBlock)
	blocks, err := c.Occupancy(f, 256, info.SharedPerBlock)
	if check(t, err); blocks != 1 {
		t.Errorf("%d blocks with all the shared memory of an SM fit into it", blocks)
	}
	check(t, add(c, f, 1000, 1, info.SharedPerBlock)) // whatever the driver keeps, it has now
	before, total, err := c.MemInfo()
	check(t, err, add(c, f, 1<<20, 1<<40, 2048))
	if after, _, err := c.MemInfo(); err != nil || after != before || total == 0 {
		t.Errorf("free memory: %d before, %d after, of %d; %v", before, after, total, err)
	}
	var errs [8]error
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = add(c, f, 10_000+i, uint64(i), 2048) })
	}
	wg.Wait()
	check(t, errs[:]...)
	check(t, c.Unload(m))
}

// mistakes checks the driver's errors for mistakes.
func mistakes(t *testing.T) {
	c, info := onDevice(t)
	_, err := c.LoadModule([]byte("no PTX"))
	if !errors.Is(err, cuda.InvalidPTX) && !errors.Is(err, cuda.InvalidImage) {
		t.Errorf("a corrupt module: %v", err)
	}
	m, f := adder(t, c, 48<<10)
	_, err = c.Function(m, "forgotten")
	wantError(t, err, "cuModuleGetFunction", cuda.NotFound)
	_, err = c.Alloc(int(info.Memory) * 2)
	wantError(t, err, "cuMemAlloc_v2", cuda.OutOfMemory)
	wantError(t, c.Launch(f, 0, 32, 2048, 0, 0, 0, 0, 0), "cuLaunchKernel", cuda.InvalidValue)
	check(t, c.Launch(f, 1, 32, 2048, 0, 0, 0, 0, 0), c.SyncStream(0), c.Unload(m))
}

// opens asks for the driver of this machine, whatever it is.
func opens(t *testing.T) {
	d, err := cuda.Open()
	again, errAgain := cuda.Open()
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

//go:build cudacpu && linux && amd64

package selftest

import (
	"fmt"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/cudacpu"
)

// device is a context with the test's kernels loaded, which must end a test
// with nothing held.
type device struct {
	cuda.Context
	t      testing.TB
	module cuda.Module
	bufs   []cuda.Ptr
}

func open(t testing.TB) *device {
	driver, err := cuda.Open()
	if err != nil {
		t.Fatal(err)
	}
	d := &device{t: t}
	d.Context = must(driver.Retain(0))(t)
	d.module = must(d.LoadModule([]byte("cudacpu")))(t)
	t.Cleanup(d.close)
	return d
}

func (d *device) close() {
	for _, p := range d.bufs {
		d.ok(d.Free(p))
	}
	d.ok(d.Unload(d.module))
	d.ok(d.Release())
	if h := cudacpu.Holding(); h != (cudacpu.Held{}) {
		d.t.Errorf("still held: %+v", h)
	}
	cudacpu.SetMode(cudacpu.Eager)
	cudacpu.Seed(0)
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (d *device) ok(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// buffer returns n words on the device with undefined contents.
func buffer[T any](d *device, n int) cuda.Ptr {
	d.t.Helper()
	var zero T
	p := must(d.Alloc(n * int(unsafe.Sizeof(zero))))(d.t)
	d.bufs = append(d.bufs, p)
	return p
}

// upload returns a copy of s on the device.
func upload[T any](d *device, s []T) cuda.Ptr {
	d.t.Helper()
	p := buffer[T](d, len(s))
	d.ok(d.CopyToDevice(p, unsafe.Pointer(&s[0]), size(s), 0))
	d.ok(d.SyncStream(0))
	return p
}

// download returns n words from the device.
func download[T any](d *device, p cuda.Ptr, n int) []T {
	d.t.Helper()
	s := make([]T, n)
	d.ok(d.CopyToHost(unsafe.Pointer(&s[0]), p, size(s), 0))
	d.ok(d.SyncStream(0))
	return s
}

func size[T any](s []T) int { return len(s) * int(unsafe.Sizeof(s[0])) }

// run launches a kernel and waits for it.
func (d *device) run(name string, grid, block, shared int, args ...uint64) {
	d.t.Helper()
	f := must(d.Function(d.module, name))(d.t)
	d.ok(d.Launch(f, grid, block, shared, 0, args...))
	d.ok(d.SyncStream(0))
}

func args(ps ...cuda.Ptr) []uint64 {
	a := make([]uint64, len(ps))
	for i, p := range ps {
		a[i] = uint64(p)
	}
	return a
}

// seeds runs a test under several orders of everything.
func seeds(t *testing.T, n int, test func(t *testing.T, d *device)) {
	for seed := range n {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			cudacpu.Seed(uint64(seed))
			test(t, open(t))
		})
	}
}

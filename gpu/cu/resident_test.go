//go:build cgo && linux && (amd64 || arm64)

package cu_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/gpu"
	sortercu "example.com/sorter/gpu/cu"
	"gorgonia.org/cu"
)

// TestResident orders and sorts codes that the library allocated and copies in a stream of its own, in the
// primary context, which stays current on this thread. It skips without a device.
func TestResident(t *testing.T) {
	e, err := gpu.Open()
	if errors.Is(err, sorter.ErrNoDevice) {
		t.Skip(err)
	}
	check(t, err)
	defer e.Close()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	device, err := cu.GetDevice(0)
	check(t, err)
	primary, err := device.RetainPrimaryCtx()
	check(t, err)
	defer device.ReleasePrimaryCtx()
	check(t, cu.PushCurrentCtx(primary))
	defer cu.PopCurrentCtx()
	stream, err := cu.MakeStream(cu.NonBlocking)
	check(t, err)
	defer stream.Destroy()

	const n = 1_000_000
	codes := make([]uint32, n)
	for i := range codes {
		codes[i] = rand.Uint32N(n / 4)
	}
	const bytes = 4 * n
	from, err := cu.AllocAndCopy(unsafe.Pointer(&codes[0]), bytes)
	check(t, err)
	defer cu.MemFree(from)
	on, err := cu.MemAlloc(bytes)
	check(t, err)
	defer cu.MemFree(on)
	result, err := cu.MemAlloc(bytes)
	check(t, err)
	defer cu.MemFree(result)

	// The engine has to wait for the stream.
	check(t, cu.MemcpyDtoDAsync(on, from, bytes, stream))
	check(t, e.OrderDevice(sorter.Auto, gpu.Ptr(on), 32, n, gpu.Ptr(result), sortercu.StreamOf(stream)))
	order := make([]uint32, n)
	check(t, cu.MemcpyDtoH(unsafe.Pointer(&order[0]), result, bytes))
	want := make([]uint32, n)
	for i := range want {
		want[i] = uint32(i)
	}
	slices.SortStableFunc(want, func(a, b uint32) int { return int(codes[a]) - int(codes[b]) })
	if !slices.Equal(order, want) {
		t.Error("not the stable order")
	}
	check(t, e.SortDevice(sorter.Auto, gpu.Ptr(on), 32, n, gpu.Ptr(result)))
	check(t, cu.MemcpyDtoH(unsafe.Pointer(&order[0]), result, bytes))
	slices.Sort(codes)
	if !slices.Equal(order, codes) {
		t.Error("not the sorted codes")
	}
	if current, err := cu.CurrentContext(); err != nil || current != primary {
		t.Errorf("another context is current: %v, error %v", current, err)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

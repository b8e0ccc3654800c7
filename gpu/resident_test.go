//go:build linux && (amd64 || arm64)

package gpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/gputest"
)

// TestMostResident refuses codes that are too many for an algorithm's positions and
// counters, before there is a device.
func TestMostResident(t *testing.T) {
	for _, a := range algorithms {
		most, ok := dispatch.MaxN(a, input{})
		if !ok || most >= 1<<32 {
			t.Errorf("%v takes %d codes, which 32 bits do not count", a, most)
		}
		for _, sort := range []func(engine.Algorithm, Ptr, int, int, Ptr, ...Stream) error{(&Engine{}).OrderDevice, (&Engine{}).SortDevice} {
			func() {
				defer func() {
					if text, _ := recover().(string); !strings.Contains(text, "at most") {
						t.Errorf("%v of %d codes: panic %q", a, most+1, text)
					}
				}()
				sort(a, 0, 32, most+1, 0)
			}()
		}
	}
}

func TestAfter(t *testing.T) {
	testAfter(t, open(t), append([]int{3000}, gputest.Large...)[len(gputest.Large)])
}

// testAfter sorts codes that streams of the caller's, its own and the default one,
// are still to bring, and has the same streams fetch the results.
func testAfter(t *testing.T, e *Engine, n int) {
	c := e.devs[0].Context // the primary one, as a program has it that works there itself
	own, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(41, 42))
	list := gputest.Fill(n, func(int) uint64 { return r.Uint64N(1 << 16) }) // two passes: kernels on the CPU are slow
	order, sorted := gputest.Stable(list), slices.Sorted(slices.Values(list))
	from, to := residentMemory(t, c, n), residentMemory(t, c, n)
	for _, s := range []Stream{Stream(own), 0} {
		bring := func() error {
			copy(words[uint64](from.host, n), list)
			clear(words[uint64](to.host, n))
			return steps(
				func() error { return c.Memset32(cuda.Ptr(from.device), 7, 2*n, cuda.Stream(s)) },
				func() error { return c.SyncStream(cuda.Stream(s)) },
				func() error { return c.CopyToDevice(cuda.Ptr(from.device), from.host, 8*n, cuda.Stream(s)) },
			)
		}
		fetch := func() error {
			return steps(
				func() error { return c.CopyToHost(to.host, cuda.Ptr(to.device), 8*n, cuda.Stream(s)) },
				func() error { return c.SyncStream(cuda.Stream(s)) },
			)
		}
		sort := func() error { return e.OrderDevice(engine.Auto, from.device, 64, n, to.device, s) }
		if err := steps(bring, sort, fetch); err != nil || !slices.Equal(words[uint32](to.host, n), order) {
			t.Errorf("stream %#x: error %v, or wrong order", s, err)
		}
		sort = func() error { return e.SortDevice(engine.Auto, from.device, 64, n, to.device, Stream(own), s) }
		if err := steps(bring, sort, fetch); err != nil || !slices.Equal(words[uint64](to.host, n), sorted) {
			t.Errorf("stream %#x: error %v, or wrong keys", s, err)
		}
	}
	if err := errors.Join(c.DestroyStream(own), from.free(c), to.free(c)); err != nil {
		t.Error(err)
	}
}

// resident is memory of the device beside pinned memory.
type resident struct {
	device Ptr
	host   unsafe.Pointer
}

func residentMemory(t *testing.T, c cuda.Context, words int) (r resident) {
	t.Helper()
	var failed [2]error
	r.device, failed[0] = allocated(c.Alloc(8 * words))
	r.host, failed[1] = c.HostAlloc(8 * words)
	if err := errors.Join(failed[:]...); err != nil {
		t.Fatal(err)
	}
	return r
}

// allocated returns memory as callers have it.
func allocated(p cuda.Ptr, err error) (Ptr, error) { return Ptr(p), err }

func (r resident) free(c cuda.Context) error {
	return errors.Join(c.Free(cuda.Ptr(r.device)), c.HostFree(r.host))
}

// TestSwitchedOff opens engines on a machine whose operator wants none.
func TestSwitchedOff(t *testing.T) {
	t.Setenv("SORTER_BACKEND", "cpu")
	_, err := Open()
	if !errors.Is(err, engine.ErrNoDevice) || !strings.Contains(err.Error(), "SORTER_BACKEND") {
		t.Errorf("Open: error %v", err)
	}
	if infos, err := Devices(); len(infos) > 0 || err != nil {
		t.Errorf("Devices: %+v, error %v", infos, err)
	}
}

// TestGatherDevice sorts pairs of codes and values that are on the device.
func TestGatherDevice(t *testing.T) {
	e := open(t)
	c := e.devs[0].Context
	const n = 3000
	r := rand.New(rand.NewPCG(43, 44))
	list := gputest.Fill(n, func(int) uint64 { return r.Uint64N(1 << 16) })
	values := gputest.Fill(n, func(i int) uint64 { return uint64(i) << 32 })
	from, order, to := residentMemory(t, c, 2*n), residentMemory(t, c, n), residentMemory(t, c, n)
	copy(words[uint64](from.host, n), list)
	copy(words[uint64](from.host, 2*n)[n:], values)
	err := steps(
		func() error { return c.CopyToDevice(cuda.Ptr(from.device), from.host, 16*n, 0) },
		func() error { return c.Memset32(cuda.Ptr(to.device), 7, 2*n, 0) },
		func() error { return e.OrderDevice(engine.Auto, from.device, 64, n, order.device, 0) },
		func() error { return e.GatherDevice(order.device, n, from.device+8*n, 8, to.device, 0) },
		func() error { return c.CopyToHost(to.host, cuda.Ptr(to.device), 8*n, 0) },
		func() error { return c.SyncStream(0) },
	)
	for i, p := range gputest.Stable(list) {
		if got := words[uint64](to.host, n)[i]; err == nil && got != values[p] {
			err = fmt.Errorf("place %d holds %#x, want %#x", i, got, values[p])
		}
	}
	if err := errors.Join(err, e.GatherDevice(order.device, 0, from.device, 8, to.device)); err != nil {
		t.Error(err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("elements of 6 bytes: no panic")
			}
		}()
		e.GatherDevice(order.device, n, from.device, 6, to.device)
	}()
	if err := errors.Join(from.free(c), order.free(c), to.free(c)); err != nil {
		t.Error(err)
	}
}

// TestWithinDevice sorts segments of codes that are on the device: of a length for each kernel.
func TestWithinDevice(t *testing.T) {
	e := open(t)
	c := e.devs[0].Context
	offsets := []uint32{2, 2, 40, 500, 1800, 10_300, 19_000}
	const n = 19_100
	r := rand.New(rand.NewPCG(45, 46))
	list := gputest.Fill(n, func(int) uint64 { return r.Uint64N(1 << 16) })
	from, bounds, to := residentMemory(t, c, n), residentMemory(t, c, len(offsets)), residentMemory(t, c, n)
	copy(words[uint64](from.host, n), list)
	copy(words[uint32](bounds.host, len(offsets)), offsets)
	within := func(sort func() error) error {
		return steps(
			func() error { return c.CopyToDevice(cuda.Ptr(from.device), from.host, 8*n, 0) },
			func() error { return c.CopyToDevice(cuda.Ptr(bounds.device), bounds.host, 4*len(offsets), 0) },
			func() error { return c.Memset32(cuda.Ptr(to.device), 7, 2*n, 0) },
			sort,
			func() error { return c.CopyToHost(to.host, cuda.Ptr(to.device), 8*n, 0) },
			func() error { return c.SyncStream(0) },
		)
	}
	order := slices.Repeat([]uint32{7}, n)
	sorted := slices.Repeat([]uint64{7<<32 | 7}, n)
	for s, begin := range offsets[:len(offsets)-1] {
		for i, at := range gputest.Stable(list[begin:offsets[s+1]]) {
			order[int(begin)+i], sorted[int(begin)+i] = begin+at, list[begin+at]
		}
	}
	err := within(func() error {
		return e.OrderWithinDevice(from.device, 64, n, bounds.device, len(offsets)-1, to.device, 0)
	})
	if err != nil || !slices.Equal(words[uint32](to.host, n), order) {
		t.Errorf("error %v, or wrong order", err)
	}
	err = within(func() error {
		return e.SortWithinDevice(from.device, 64, n, bounds.device, len(offsets)-1, to.device, 0)
	})
	if err != nil || !slices.Equal(words[uint64](to.host, n), sorted) {
		t.Errorf("error %v, or wrong codes", err)
	}
	for _, k := range []int{1, 100, 1500} {
		lowest := slices.Repeat([]uint32{7}, 2*n)[:k*(len(offsets)-1)]
		for s, begin := range offsets[:len(offsets)-1] {
			copy(lowest[s*k:(s+1)*k], order[begin:offsets[s+1]])
		}
		err = within(func() error {
			return e.TopWithinDevice(from.device, 64, n, bounds.device, len(offsets)-1, k, to.device, 0, 0)
		})
		if err != nil || !slices.Equal(words[uint32](to.host, len(lowest)), lowest) {
			t.Errorf("the lowest %d: error %v, or wrong positions", k, err)
		}
	}
	var failed error
	err = within(func() error {
		failed = e.TopWithinDevice(from.device, 64, 18_999, bounds.device, len(offsets)-1, 3, to.device, 0)
		return nil
	})
	if failed == nil || !strings.Contains(failed.Error(), "segment 5 of 6") || err != nil || words[uint64](to.host, n)[0] != 7<<32|7 {
		t.Errorf("offsets above n: errors %v, %v, or results", failed, err)
	}
	err = within(func() error {
		failed = e.SortWithinDevice(from.device, 64, 18_999, bounds.device, len(offsets)-1, to.device, 0)
		return nil
	})
	if failed == nil || !strings.Contains(failed.Error(), "segment 5 of 6") || err != nil || words[uint64](to.host, n)[2] != 7<<32|7 {
		t.Errorf("offsets above n: errors %v, %v, or results", failed, err)
	}
	for _, wrong := range []func() error{
		func() error { return e.OrderWithinDevice(0, 16, 1, 0, 1, 0) },
		func() error { return e.OrderWithinDevice(0, 32, -1, 0, 1, 0) },
		func() error { return e.OrderWithinDevice(0, 32, dispatch.MaxNByBuckets+1, 0, 1, 0) },
		func() error { return e.SortWithinDevice(0, 32, 1, 0, -1, 0) },
		func() error { return e.TopWithinDevice(0, 16, 1, 0, 1, 1, 0, 0) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, "segments: at most") {
					t.Errorf("panic %q", text)
				}
			}()
			wrong()
		}()
	}
	if err := errors.Join(from.free(c), bounds.free(c), to.free(c)); err != nil {
		t.Error(err)
	}
}

// steps runs steps up to the first that fails.
func steps(all ...func() error) error {
	for _, step := range all {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

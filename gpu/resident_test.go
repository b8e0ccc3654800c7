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
)

// TestMostResident refuses codes that are too many for an algorithm's positions and
// counters, before there is a device.
func TestMostResident(t *testing.T) {
	for a, way := range algorithms {
		if way.most >= 1<<32 {
			t.Errorf("%v takes %d codes, which 32 bits do not count", a, way.most)
		}
		for _, sort := range []func(engine.Algorithm, Ptr, int, int, Ptr, ...Stream) error{(&Engine{}).OrderDevice, (&Engine{}).SortDevice} {
			func() {
				defer func() {
					if text, _ := recover().(string); !strings.Contains(text, "at most") {
						t.Errorf("%v of %d codes: panic %q", a, way.most+1, text)
					}
				}()
				sort(a, 0, 32, way.most+1, 0)
			}()
		}
	}
}

func TestAfter(t *testing.T) { testAfter(t, open(t), append([]int{3000}, large...)[len(large)]) }

// testAfter sorts codes that streams of the caller's, its own and the default one,
// are still to bring, and has the same streams fetch the results.
func testAfter(t *testing.T, e *Engine, n int) {
	c := e.dev.Context // the primary one, as a program has it that works there itself
	own, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(41, 42))
	codes := fill(n, func(int) uint64 { return r.Uint64N(1 << 16) }) // two passes: kernels on the CPU are slow
	order, sorted := want(codes), slices.Sorted(slices.Values(codes))
	from, to := residentMemory(t, c, n), residentMemory(t, c, n)
	for _, s := range []Stream{own, 0} {
		bring := func() error {
			copy(at[uint64](from.host, n), codes)
			clear(at[uint64](to.host, n))
			return first(
				func() error { return c.Memset32(from.device, 7, 2*n, s) },
				func() error { return c.SyncStream(s) },
				func() error { return c.CopyToDevice(from.device, from.host, 8*n, s) },
			)
		}
		fetch := func() error {
			return first(
				func() error { return c.CopyToHost(to.host, to.device, 8*n, s) },
				func() error { return c.SyncStream(s) },
			)
		}
		sort := func() error { return e.OrderDevice(engine.Auto, from.device, 64, n, to.device, s) }
		if err := first(bring, sort, fetch); err != nil || !slices.Equal(at[uint32](to.host, n), order) {
			t.Errorf("stream %#x: error %v, or wrong order", s, err)
		}
		sort = func() error { return e.SortDevice(engine.Auto, from.device, 64, n, to.device, own, s) }
		if err := first(bring, sort, fetch); err != nil || !slices.Equal(at[uint64](to.host, n), sorted) {
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
	r.device, failed[0] = c.Alloc(8 * words)
	r.host, failed[1] = c.HostAlloc(8 * words)
	if err := errors.Join(failed[:]...); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r resident) free(c cuda.Context) error {
	return errors.Join(c.Free(r.device), c.HostFree(r.host))
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
	c := e.dev.Context
	const n = 3000
	r := rand.New(rand.NewPCG(43, 44))
	codes := fill(n, func(int) uint64 { return r.Uint64N(1 << 16) })
	values := fill(n, func(i int) uint64 { return uint64(i) << 32 })
	from, order, to := residentMemory(t, c, 2*n), residentMemory(t, c, n), residentMemory(t, c, n)
	copy(at[uint64](from.host, n), codes)
	copy(at[uint64](from.host, 2*n)[n:], values)
	err := first(
		func() error { return c.CopyToDevice(from.device, from.host, 16*n, 0) },
		func() error { return c.Memset32(to.device, 7, 2*n, 0) },
		func() error { return e.OrderDevice(engine.Auto, from.device, 64, n, order.device, 0) },
		func() error { return e.GatherDevice(order.device, n, from.device+8*n, 8, to.device, 0) },
		func() error { return c.CopyToHost(to.host, to.device, 8*n, 0) },
		func() error { return c.SyncStream(0) },
	)
	for i, p := range want(codes) {
		if got := at[uint64](to.host, n)[i]; err == nil && got != values[p] {
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

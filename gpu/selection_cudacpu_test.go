//go:build cudacpu && linux && amd64

package gpu

import (
	"slices"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/gpu/gputest"
)

// TestFaultsOfSelections has every call of the driver fail that selections make: they return an error or the right
// result, and leave nothing allocated.
func TestFaultsOfSelections(t *testing.T) {
	const n, k = 9000, 20
	list := gputest.Fill32(gputest.Fill(n, func(i int) uint64 { return uint64(i*7919%4096) << 32 }))
	stable := gputest.Stable(list)
	ranks := []int{n / 2, 9, 7, 5, 3, 1, 0} // more than are found one after the other
	lowest := make([]int, k)
	for i := range lowest {
		lowest[i] = i
	}
	walk(t, func(t *testing.T, w *injected) {
		e := newEngine(t)
		c := e.devs[0].Context
		from, to := residentMemory(t, c, n), residentMemory(t, c, 2*k)
		copy(words[uint32](from.host, n), list)
		upload := func() error { return c.CopyToDevice(cuda.Ptr(from.device), from.host, 4*n, 0) }
		sync := func() error { return c.SyncStream(0) }
		if err := steps(upload, sync); err != nil {
			t.Fatal(err)
		}
		second := to.device + 8*k
		err := w.during(func() error {
			return steps(
				func() error { return e.TopDevice(from.device, 32, n, k, to.device, to.device+4*k) },
				func() error { return e.NthDevice(from.device, 32, n, ranks, second, 0) },
			)
		})
		if err != nil && (w.hit == "" || !isDeviceError(err)) {
			t.Errorf("%s, call %d: error %v", w.hit, w.k, err)
		}
		download := func() error { return c.CopyToHost(to.host, cuda.Ptr(to.device), 16*k, 0) }
		if err == nil && steps(download, sync) == nil {
			got := words[uint32](to.host, 4*k)
			for i, rank := range slices.Concat(lowest, ranks) {
				at := i
				if i >= k {
					at += k
				}
				if got[at] != stable[rank] {
					t.Fatalf("%s, call %d: rank %d is at %d, want %d", w.hit, w.k, rank, got[at], stable[rank])
				}
			}
		}
		if err := steps(func() error { return from.free(c) }, func() error { return to.free(c) }, e.Close); err != nil {
			t.Log(err)
		}
	})
	cudacpu.Seed(1)
}

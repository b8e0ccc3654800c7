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
	const cut = 4000 // between two segments
	within := slices.Clone(gputest.Stable(list[:cut])[:k])
	for _, at := range gputest.Stable(list[cut:])[:k] {
		within = append(within, cut+at)
	}
	ranks := []int{n / 2, 9, 7, 5, 3, 1, 0} // more than are found one after the other
	lowest := make([]int, k)
	for i := range lowest {
		lowest[i] = i
	}
	walk(t, func(t *testing.T, w *injected) {
		e := newEngine(t)
		c := e.devs[0].Context
		from, to, bySegment := residentMemory(t, c, n+3), residentMemory(t, c, 2*k), residentMemory(t, c, k)
		copy(words[uint32](from.host, n+3), append(slices.Clip(list), 0, cut, n))
		offsets := from.device + 4*n
		upload := func() error { return c.CopyToDevice(cuda.Ptr(from.device), from.host, 4*(n+3), 0) }
		sync := func() error { return c.SyncStream(0) }
		if err := steps(upload, sync); err != nil {
			t.Fatal(err)
		}
		second := to.device + 8*k
		err := w.during(func() error {
			return steps(
				func() error { return e.TopDevice(from.device, 32, n, k, to.device, to.device+4*k) },
				func() error { return e.NthDevice(from.device, 32, n, ranks, second, 0) },
				func() error { return e.TopWithinDevice(from.device, 32, n, offsets, 2, k, bySegment.device, 0) },
				func() error { return e.NthWithinDevice(from.device, 32, n, offsets, 2, lowest, bySegment.device, 0) }, // the same
			)
		})
		if err != nil && (w.hit == "" || !isDeviceError(err)) {
			t.Errorf("%s, call %d: error %v", w.hit, w.k, err)
		}
		download := func() error { return c.CopyToHost(to.host, cuda.Ptr(to.device), 16*k, 0) }
		downloadSegments := func() error { return c.CopyToHost(bySegment.host, cuda.Ptr(bySegment.device), 8*k, 0) }
		if err == nil && steps(download, downloadSegments, sync) == nil {
			if got := words[uint32](bySegment.host, 2*k); !slices.Equal(got, within) {
				t.Fatalf("%s, call %d: within segments %d, want %d", w.hit, w.k, got, within)
			}
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
		if err := steps(func() error { return from.free(c) }, func() error { return to.free(c) }, func() error { return bySegment.free(c) }, e.Close); err != nil {
			t.Log(err)
		}
	})
	cudacpu.Seed(1)
}

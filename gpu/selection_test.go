//go:build linux && (amd64 || arm64)

package gpu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
)

// TestSelectDevice holds selections to the order of all: of codes of a stream that is still to bring them.
func TestSelectDevice(t *testing.T) {
	e := open(t)
	c := e.devs[0].Context
	r := rand.New(rand.NewPCG(61, 62))
	sizes := []int{1, 3000, 20_000}
	if !testkit.ThreadSanitizer() {
		sizes = append(sizes, gputest.Large...)
	}
	for _, n := range sizes {
		list := gputest.Fill(n, func(int) uint64 { return r.Uint64N(1 << 12) })
		stable := gputest.Stable(list)
		room := max(n, 3) // for results
		from, to := residentMemory(t, c, n), residentMemory(t, c, 2*room)
		copy(words[uint64](from.host, n), list)
		check := func(what string, ranks []int, call func(order, sorted Ptr) error) {
			t.Helper()
			err := steps(
				func() error { return c.CopyToDevice(cuda.Ptr(from.device), from.host, 8*n, 0) },
				func() error { return call(to.device, to.device+Ptr(8*room)) },
				func() error { return c.CopyToHost(to.host, cuda.Ptr(to.device), 16*room, 0) },
				func() error { return c.SyncStream(0) },
			)
			if err != nil {
				t.Fatalf("%s of %d codes: %v", what, n, err)
			}
			order, sorted := words[uint32](to.host, room), words[uint64](to.host, 2*room)[room:]
			for i, rank := range ranks {
				if order[i] != stable[rank] || sorted[i] != list[stable[rank]] {
					t.Fatalf("%s of %d codes: wrong at %d", what, n, i)
				}
			}
		}
		first := func(k int) []int {
			ranks := make([]int, k)
			for i := range ranks {
				ranks[i] = i
			}
			return ranks
		}
		for _, k := range []int{0, 1, min(n, 40), n / 8, n} {
			check("TopDevice", first(k), func(order, sorted Ptr) error { return e.TopDevice(from.device, 64, n, k, order, sorted, 0) })
		}
		ranks := []int{n / 2, n - 1, 0}
		check("NthDevice", ranks, func(order, sorted Ptr) error { return e.NthDevice(from.device, 64, n, ranks, order, sorted, 0) })
		check("QuantilesDevice", ranks, func(order, sorted Ptr) error {
			half := (float64(n/2) + 0.5) / float64(n) // the rank by ceil is n/2
			return e.QuantilesDevice(from.device, 64, n, []float64{half, 1, 0}, order, sorted, 0)
		})
		if err := steps(func() error { return from.free(c) }, func() error { return to.free(c) }); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSelectMisuse has calls that panic before there is a device.
func TestSelectMisuse(t *testing.T) {
	e := &Engine{}
	for text, call := range map[string]func() error{
		"sorter: gpu: the lowest 4 of 3 codes":                   func() error { return e.TopDevice(0, 32, 3, 4, 0, 0) },
		"sorter: gpu: the lowest -1 of 3 codes":                  func() error { return e.TopDevice(0, 32, 3, -1, 0, 0) },
		"sorter: gpu: rank 3 of 3 codes":                         func() error { return e.NthDevice(0, 32, 3, []int{0, 3}, 0, 0) },
		"sorter: gpu: rank -1 of 3 codes":                        func() error { return e.NthDevice(0, 32, 3, []int{-1}, 0, 0) },
		"sorter: gpu: quantile 1.5, which is not in [0, 1]":      func() error { return e.QuantilesDevice(0, 32, 3, []float64{1.5}, 0, 0) },
		"sorter: gpu: the lowest -1 codes of each of 2 segments": func() error { return e.TopWithinDevice(0, 32, 3, 0, 2, -1, 0, 0) },
		"sorter: gpu: rank -1":                                   func() error { return e.NthWithinDevice(0, 32, 3, 0, 2, []int{0, -1}, 0, 0) },
		"sorter: gpu: quantile -0.5, which is not in [0, 1]":     func() error { return e.QuantilesWithinDevice(0, 32, 3, 0, 2, []float64{0.5, -0.5}, 0, 0) },
		"sorter: gpu: the lowest 1099511627776 codes of each":    func() error { return e.TopWithinDevice(0, 32, 3, 0, 1, 1<<40, 0, 0) },
		"sorter: gpu: 3 codes of 16 bits: at most":               func() error { return e.TopDevice(0, 16, 3, 1, 0, 0) },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, text) {
					t.Errorf("panic %q, want %q", got, text)
				}
			}()
			call()
		}()
	}

}

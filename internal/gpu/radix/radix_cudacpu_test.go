//go:build cudacpu && linux && amd64

package radix

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// TestCalls counts what radix sorts ask of the driver: a launch for the counts,
// one for each pass that is needed, and a wait; where the device does not say in time
// what is needed, a pass for each place.
func TestCalls(t *testing.T) {
	defer cudacpu.SetMode(cudacpu.Eager)
	const places = 4
	n := 2*kernels.RadixTile + 7
	if !testkit.Long() {
		n = 700
	}
	r := rand.New(rand.NewPCG(9, 10))
	cases := []struct {
		name   string
		list   []uint32
		shape  string
		passes int
	}{
		{"flat", make([]uint32, n), "flat", 0},
		{"sorted", gputest.Fill32(gputest.CodesOf["sorted"](r, n)), "sorted", 0},
		{"reversed", gputest.Fill32(gputest.CodesOf["reversed"](r, n)), "reversed", 0},
		{"sorted parts", gputest.Fill32(gputest.Fill(n, func(i int) uint64 { return uint64(i%512) << 32 })), "", 2},
		{"one place", gputest.Fill32(gputest.Fill(n, func(int) uint64 { return r.Uint64N(256) << 48 })), "", 1},
		{"all places", gputest.Fill32(gputest.CodesOf["uniform"](r, n)), "", places},
	}
	w := gputest.Workspace(t, Large.Modules()...)
	gputest.OrderBy(t, w, Large.Sort, cases[0].list) // takes memory
	for turn, mode := range []cudacpu.Mode{cudacpu.Eager, cudacpu.Mixed, cudacpu.Lazy} {
		cudacpu.SetMode(mode)
		for i, c := range cases {
			if testkit.ThreadSanitizer() && (i+turn)%3 != 0 {
				continue
			}
			cudacpu.Seed(uint64(i))
			least, most := 2+c.passes, 2+places
			if mode == cudacpu.Eager {
				most = least
			}
			for _, keys := range []bool{false, true} {
				calls := 0
				got, f := gputest.OnDevice[uint32](t, w, func(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
					before := cudacpu.Calls()
					f, err := Large.Sort(w, in, to)
					calls = cudacpu.Calls() - before
					return f, err
				}, keys, c.list)
				right := gputest.Stable(c.list)
				if keys {
					right = slices.Sorted(slices.Values(c.list))
				}
				if !slices.Equal(got, right) || string(f.Shape) != c.shape || f.Levels != c.passes {
					t.Errorf("mode %d, %s, keys alone %v: %+v, or wrong order", mode, c.name, keys, f)
				}
				if calls < least || calls > most {
					t.Errorf("mode %d, %s, keys alone %v: %d calls, %d to %d are needed", mode, c.name, keys, calls, least, most)
				}
			}
		}
	}
}

// TestAfterFailure fails each call of a radix sort: the next finds its state
// clear all the same.
func TestAfterFailure(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	defer cudacpu.Fail(0, 0, false)
	r := rand.New(rand.NewPCG(11, 12))
	list := gputest.Fill32(gputest.CodesOf["uniform"](r, 3000))
	w := gputest.Workspace(t, Large.Modules()...)
	gputest.OrderBy(t, w, Large.Sort, list)
	for k := 1; k <= 6; k++ {
		gputest.OrderBy(t, w, func(w *device.Workspace, in codes.Input, order cuda.Ptr) (codes.Outcome, error) {
			cudacpu.Fail(k, int(cuda.LaunchFailed), false)
			_, err := Large.Sort(w, in, order)
			cudacpu.Fail(0, 0, false)
			if err == nil {
				t.Errorf("call %d: no error", k)
			}
			return Large.Sort(w, in, order)
		}, list)
		for range 2 {
			if got := gputest.OrderBy(t, w, Large.Sort, list); !slices.Equal(got, gputest.Stable(list)) {
				t.Errorf("after a failure of call %d: wrong order", k)
			}
		}
	}
}

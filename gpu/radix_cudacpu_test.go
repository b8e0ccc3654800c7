//go:build cudacpu && linux && amd64

package gpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/kernels"
)

// TestRadixCalls counts what radix sorts ask of the driver: a launch for the counts,
// one for each pass that is needed, and a wait; where the device does not say in time
// what is needed, a pass for each place.
func TestRadixCalls(t *testing.T) {
	defer cudacpu.SetMode(cudacpu.Eager)
	const places = 4
	n := 2*kernels.RadixTile + 7
	if testing.Short() {
		n = 700
	}
	r := rand.New(rand.NewPCG(9, 10))
	cases := []struct {
		name   string
		codes  []uint32
		shape  string
		passes int
	}{
		{"flat", make([]uint32, n), "flat", 0},
		{"sorted", fill32(codesOf["sorted"](r, n)), "sorted", 0},
		{"reversed", fill32(codesOf["reversed"](r, n)), "reversed", 0},
		{"sorted parts", fill32(fill(n, func(i int) uint64 { return uint64(i%512) << 32 })), "", 2},
		{"one place", fill32(fill(n, func(int) uint64 { return r.Uint64N(256) << 48 })), "", 1},
		{"all places", fill32(codesOf["uniform"](r, n)), "", places},
	}
	w := workspaceOf(t)
	argsort(t, w, engine.Radix, cases[0].codes) // loads the kernels, takes memory
	for _, mode := range []cudacpu.Mode{cudacpu.Eager, cudacpu.Mixed, cudacpu.Lazy} {
		cudacpu.SetMode(mode)
		for i, c := range cases {
			cudacpu.Seed(uint64(i))
			least, most := 2+c.passes, 2+places
			if mode == cudacpu.Eager {
				most = least
			}
			for _, keys := range []bool{false, true} {
				calls := 0
				got, f := onDevice[uint32](t, w, func(w *workspace, in input, to cuda.Ptr) (finding, error) {
					before := cudacpu.Calls()
					f, err := w.sortBy(engine.Radix, in, to)
					calls = cudacpu.Calls() - before
					return f, err
				}, keys, c.codes)
				right := want(c.codes)
				if keys {
					right = slices.Sorted(slices.Values(c.codes))
				}
				if !slices.Equal(got, right) || string(f.shape) != c.shape || f.levels != c.passes {
					t.Errorf("mode %d, %s, keys alone %v: %+v, or wrong order", mode, c.name, keys, f)
				}
				if calls < least || calls > most {
					t.Errorf("mode %d, %s, keys alone %v: %d calls, %d to %d are needed", mode, c.name, keys, calls, least, most)
				}
			}
		}
	}
}

// TestRadixAfterFailure fails each call of a radix sort: the next finds its state
// clear all the same.
func TestRadixAfterFailure(t *testing.T) {
	defer cudacpu.Fail(0, 0, false)
	r := rand.New(rand.NewPCG(11, 12))
	codes := fill32(codesOf["uniform"](r, 3000))
	w := workspaceOf(t)
	argsort(t, w, engine.Radix, codes)
	for k := 1; k <= 6; k++ {
		orderBy(t, w, func(w *workspace, in input, order cuda.Ptr) (finding, error) {
			cudacpu.Fail(k, int(cuda.LaunchFailed), false)
			_, err := w.sortBy(engine.Radix, in, order)
			cudacpu.Fail(0, 0, false)
			if err == nil {
				t.Errorf("call %d: no error", k)
			}
			return w.sortBy(engine.Radix, in, order)
		}, codes)
		for range 2 {
			if got := argsort(t, w, engine.Radix, codes); !slices.Equal(got, want(codes)) {
				t.Errorf("behind a failure of call %d: wrong order", k)
			}
		}
	}
}

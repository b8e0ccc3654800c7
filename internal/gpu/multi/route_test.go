//go:build linux && (amd64 || arm64)

package multi

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/gpu/transfer"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// plainRoute is the plain twin of the route kernels: codes and positions of each
// destination, one after the other.
func plainRoute[W codes.Word](list []W, base int, splitters []codes.Key) (routed []W, positions []uint32, totals []int) {
	for d := range len(splitters) + 1 {
		before := len(routed)
		for i, c := range list {
			k := codes.Key{Code: uint64(c), Position: uint32(base + i)}
			if (d == 0 || codes.CompareKeys(splitters[d-1], k) <= 0) && (d == len(splitters) || codes.CompareKeys(k, splitters[d]) < 0) {
				routed, positions = append(routed, c), append(positions, k.Position)
			}
		}
		totals = append(totals, len(routed)-before)
	}
	return routed, positions, totals
}

// TestRoute divides parts among as many devices as there may be, at splitters that
// elements have and that they do not have.
func TestRoute(t *testing.T) {
	w := gputest.Workspace(t, routeModules...)
	r := rand.New(rand.NewPCG(15, 16))
	for i, n := range []int{1, 31, kernels.RouteTile - 1, kernels.RouteTile, kernels.RouteTile + 1, 5*kernels.RouteTile + 7} {
		for j, devices := range []int{2, 3, 4, 7, 8, 15, kernels.MaxDestinations} {
			if !testkit.Long() && (i+j)%7 > 0 || testkit.ThreadSanitizer() && i != 4 {
				continue
			}
			name := []string{"uniform", "16 values", "flat", "sorted"}[(i+j)%4]
			t.Run(fmt.Sprint(name, " ", n, " ", devices), func(t *testing.T) {
				list := gputest.CodesOf[name](r, n)
				testRoute(t, w, list, 1<<31, drawSplitters(r, list, 1<<31, devices))
				narrow := gputest.Fill32(list)
				testRoute(t, w, narrow, 2048, drawSplitters(r, narrow, 2048, devices))
			})
		}
	}
}

// drawSplitters draws splitters among the elements, and some beside them.
func drawSplitters[W codes.Word](r *rand.Rand, list []W, base, devices int) (splitters []codes.Key) {
	for range devices - 1 {
		i := r.IntN(len(list))
		k := codes.Key{Code: uint64(list[i]), Position: uint32(base + i)}
		if r.IntN(4) == 0 {
			k.Position = r.Uint32()
		}
		splitters = append(splitters, k)
	}
	slices.SortFunc(splitters, codes.CompareKeys)
	return splitters
}

func testRoute[W codes.Word](t *testing.T, w *device.Workspace, list []W, base int, splitters []codes.Key) {
	t.Helper()
	n, wide := len(list), gputest.IsWide[W]()
	for _, keys := range []bool{false, true} {
		p := &sharing{job: &engine.Job{}, wide: wide, capacity: n, list: make([]*part, len(splitters)+1)}
		if keys {
			p.job.EmitCodes64 = func(int, []uint64) {}
		}
		note, err := device.Pinned[note](w)
		if err != nil {
			t.Fatal(err)
		}
		q := &part{Session: &transfer.Session{Workspace: w}, note: note, lo: base, hi: base + n, codes: device.Block{At: gputest.Up(t, w, list)}}
		if err := p.route(q, splitters); err != nil {
			t.Fatal(err)
		}
		routed, positions, totals := plainRoute(list, base, splitters)
		for d, want := range totals {
			if got, _ := q.goesTo(d); got != want {
				t.Errorf("%d elements for device %d, want %d", got, d, want)
			}
		}
		if !slices.Equal(gputest.Down[W](t, w, q.routed.Codes, n), routed) || !keys && !slices.Equal(gputest.Down[uint32](t, w, q.routed.Positions, n), positions) {
			t.Errorf("wide %v, keys %v: wrong elements", wide, keys)
		}
		w.Put(q.sends)
	}
}

// TestModules holds the kernels to the shared memory of devices of compute capability 7.5.
func TestModules(t *testing.T) {
	if most := device.Shared(routeModules); most > 64<<10 {
		t.Errorf("%d bytes", most)
	}
}

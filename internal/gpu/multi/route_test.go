//go:build linux && (amd64 || arm64)

package multi

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/gpu/runs"
	"example.com/sorter/internal/gpu/transfer"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// plainRoute is the plain twin of the route kernels: codes and positions of each
// destination, one after the other.
func plainRoute[W codes.Word](list []W, base int, splitters []mark) (routed []W, positions []uint32, totals []int) {
	for d := range len(splitters) + 1 {
		before := len(routed)
		for i, c := range list {
			k := mark{uint64(c), 1, uint32(base + i)}
			if (d == 0 || compareMarks(splitters[d-1], k) <= 0) && (d == len(splitters) || compareMarks(k, splitters[d]) < 0) {
				routed, positions = append(routed, c), append(positions, k.position)
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
func drawSplitters[W codes.Word](r *rand.Rand, list []W, base, devices int) (splitters []mark) {
	for range devices - 1 {
		i := r.IntN(len(list))
		k := mark{uint64(list[i]), 1, uint32(base + i)}
		switch r.IntN(8) {
		case 0, 1:
			k.position = r.Uint32()
		case 2, 3:
			k.part = 2 * r.IntN(2) // before this part, or after it
		}
		splitters = append(splitters, k)
	}
	slices.SortFunc(splitters, compareMarks)
	return splitters
}

// testRoute routes the second of some parts. Its own elements are received at once, and those
// for other devices are where these fetch them.
func testRoute[W codes.Word](t *testing.T, w *device.Workspace, list []W, base int, splitters []mark) {
	t.Helper()
	n, wide := len(list), gputest.IsWide[W]()
	routed, positions, totals := plainRoute(list, base, splitters)
	for _, keys := range []bool{false, true} {
		p := &sharing{wide: wide, keys: keys, splitters: splitters}
		for d := range totals {
			p.list = append(p.list, &part{Session: &transfer.Session{Workspace: w, Staged: true}, index: d, note: new(note)})
		}
		note, err := device.Pinned[note](w)
		if err != nil {
			t.Fatal(err)
		}
		q := p.list[1]
		q.note, q.lo, q.hi, q.codes = note, base, base+n, gputest.Up(t, w, list)
		q.routed = layOutRouted(&device.Area{At: gputest.Up(t, w, make([]uint64, routedBytes(n)/8))}, n)
		q.staged = runs.Runs{Codes: gputest.Up(t, w, make([]W, n)), Positions: gputest.Up(t, w, make([]uint32, n))}
		q.received = runs.Runs{Codes: gputest.Up(t, w, make([]W, n)), Positions: gputest.Up(t, w, make([]uint32, n))}
		for _, step := range []func() error{func() error { return p.countPart(q) }, func() error { return p.routePart(q) }} {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		for d, want := range totals {
			if got, _ := q.goesTo(d); got != want {
				t.Errorf("%d elements for device %d, want %d", got, d, want)
			}
		}
		own, before := q.goesTo(q.index)
		codes, at := gputest.Down[W](t, w, q.staged.Codes, n), gputest.Down[uint32](t, w, q.staged.Positions, n)
		copy(codes[before:], gputest.Down[W](t, w, q.received.Codes, own))
		copy(at[before:], gputest.Down[uint32](t, w, q.received.Positions, own))
		if !slices.Equal(codes, routed) || !keys && !slices.Equal(at, positions) {
			t.Errorf("wide %v, keys %v: wrong elements", wide, keys)
		}
	}
}

// TestModules holds the kernels to the shared memory of devices of compute capability 7.5.
func TestModules(t *testing.T) {
	if most := device.Shared(routeModules); most > 64<<10 {
		t.Errorf("%d bytes", most)
	}
}

//go:build linux && (amd64 || arm64)

package gpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/kernels"
)

// plainRoute is the plain twin of the route kernels: codes and positions of each
// destination, one after the other.
func plainRoute[W word](codes []W, base int, splitters []key) (routed []W, positions []uint32, totals []int) {
	for d := range len(splitters) + 1 {
		before := len(routed)
		for i, c := range codes {
			k := key{uint64(c), uint32(base + i)}
			if (d == 0 || compareKeys(splitters[d-1], k) <= 0) && (d == len(splitters) || compareKeys(k, splitters[d]) < 0) {
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
	e := open(t)
	w, err := e.dev.workspace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.done()
	if err := w.load(routeModules); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(15, 16))
	for i, n := range []int{1, 31, kernels.RouteTile - 1, kernels.RouteTile, kernels.RouteTile + 1, 5*kernels.RouteTile + 7} {
		for j, devices := range []int{2, 3, 4, 7, 8, 15, kernels.MostDestinations} {
			if testing.Short() && (i+j)%7 > 0 {
				continue
			}
			name := []string{"uniform", "16 values", "flat", "sorted"}[(i+j)%4]
			t.Run(fmt.Sprint(name, " ", n, " ", devices), func(t *testing.T) {
				codes := codesOf[name](r, n)
				testRoute(t, w, codes, 1<<31, drawSplitters(r, codes, 1<<31, devices))
				narrow := fill32(codes)
				testRoute(t, w, narrow, 2048, drawSplitters(r, narrow, 2048, devices))
			})
		}
	}
}

// drawSplitters draws splitters among the elements, and some beside them.
func drawSplitters[W word](r *rand.Rand, codes []W, base, devices int) (splitters []key) {
	for range devices - 1 {
		i := r.IntN(len(codes))
		k := key{uint64(codes[i]), uint32(base + i)}
		if r.IntN(4) == 0 {
			k.position = r.Uint32()
		}
		splitters = append(splitters, k)
	}
	slices.SortFunc(splitters, compareKeys)
	return splitters
}

func testRoute[W word](t *testing.T, w *workspace, codes []W, base int, splitters []key) {
	t.Helper()
	n, wide := len(codes), isWide[W]()
	for _, keys := range []bool{false, true} {
		p := &sharing{job: &engine.Job{}, wide: wide, room: n, list: make([]*part, len(splitters)+1)}
		if keys {
			p.job.EmitCodes64 = func(int, []uint64) {}
		}
		q := &part{workspace: w, lo: base, hi: base + n, codes: block{up(t, w, codes), 0}}
		if err := p.route(q, splitters); err != nil {
			t.Fatal(err)
		}
		routed, positions, totals := plainRoute(codes, base, splitters)
		for d, want := range totals {
			if got, _ := q.goesTo(d); got != want {
				t.Errorf("%d elements for device %d, want %d", got, d, want)
			}
		}
		if !slices.Equal(down[W](t, w, q.routed.codes, n), routed) || !keys && !slices.Equal(down[uint32](t, w, q.routed.positions, n), positions) {
			t.Errorf("wide %v, keys %v: wrong elements", wide, keys)
		}
		w.put(q.sends)
	}
}

// TestDeviceOption has lists of devices that are none.
func TestDeviceOption(t *testing.T) {
	many := make([]int, kernels.MostDestinations+1)
	for i := range many {
		many[i] = i
	}
	for _, ordinals := range [][]int{{}, {-1}, {0, 0}, {2, 1, 2}, many} {
		if err := Device(ordinals...)(&Engine{}); err == nil {
			t.Errorf("devices %v", ordinals)
		}
	}
	for name, ordinals := range map[string][]int{"cuda:0": nil, "cuda:3": {3}, "cuda:2,0,11": {2, 0, 11}} {
		e := &Engine{}
		if ordinals != nil {
			if err := Device(ordinals...)(e); err != nil {
				t.Error(err)
			}
		}
		if e.Name() != name {
			t.Errorf("devices %v are called %s", ordinals, e.Name())
		}
	}
}

//go:build cudacpu && linux && amd64

package gpu

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// division is how codes lie on the devices, and how their results are to.
type division struct{ parts, results []int }

// divisions are parts of a tile, and about one; of unequal length; none; and all to one device.
var divisions = []division{
	{[]int{kernels.RouteTile, kernels.RouteTile}, []int{kernels.RouteTile, kernels.RouteTile}},
	{[]int{kernels.RouteTile - 1, kernels.RouteTile + 1, 2 * kernels.RouteTile}, []int{kernels.RouteTile - 1, kernels.RouteTile + 1, 2 * kernels.RouteTile}},
	{[]int{1, 9000, 0, 31}, []int{2258, 2258, 2258, 2258}},
	{[]int{0, 0, 12_000}, []int{4000, 4000, 4000}},
	{[]int{3000, 3000, 3000, 3000}, []int{0, 12_000, 0, 0}},
	{[]int{3000, 5000}, []int{0, 8000}},
	{[]int{1, 0, 1}, []int{0, 2, 0}},
	{[]int{0, 0}, []int{0, 0}},
	{[]int{5000}, []int{5000}},
	{[]int{20_000, 100, 7}, []int{7, 100, 20_000}},
}

func (d division) cut(list []uint64) [][]uint64 {
	var ends []int
	for _, n := range d.parts {
		ends = append(ends, n)
		if i := len(ends) - 1; i > 0 {
			ends[i] += ends[i-1]
		}
	}
	return cutAt(list, ends...)
}

func (d division) size() (n int) {
	for _, part := range d.parts {
		n += part
	}
	return n
}

// TestPartsOfAllKinds sorts parts by each algorithm, on devices that reach each other or do not,
// in every mode.
func TestPartsOfAllKinds(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	names := slices.Sorted(maps.Keys(gputest.CodesOf))
	share := 3
	if !testkit.Long() {
		share = 11
	}
	by := append(slices.Sorted(slices.Values(algorithms)), engine.Auto)
	for _, direct := range []bool{true, false} {
		gputest.Machine(t, 4, direct)
		e := newEngine(t, Device(2, 0, 3, 1), Verify())
		for i, d := range divisions {
			for j, name := range names {
				if (i+j)%share > 0 {
					continue
				}
				cudacpu.SetMode([]cudacpu.Mode{cudacpu.Eager, cudacpu.Lazy, cudacpu.Mixed}[(i+j)%3])
				a := by[(2*i+j)%len(by)]
				t.Run(fmt.Sprint(name, " ", d, " ", a, " ", direct), func(t *testing.T) {
					list := gputest.CodesOf[name](rand.New(rand.NewPCG(55, uint64(i))), max(4, d.size()))
					parts := d.cut(list)
					if testkit.Long() || j%2 == 0 {
						checkParts(t, e, a, parts, d.results)
					}
					if testkit.Long() || j%2 == 1 {
						var narrow [][]uint32
						for _, p := range parts {
							narrow = append(narrow, gputest.Fill32(p))
						}
						checkParts(t, e, a, narrow, d.results)
					}
				})
			}
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestFaultsOfParts fails every call of sorts of parts: each succeeds or says which call failed,
// and the one after it succeeds, or the engine is broken and says so.
func TestFaultsOfParts(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	d := division{[]int{400, 200}, []int{150, 450}}
	r := rand.New(rand.NewPCG(57, 58))
	few, many := d.cut(gputest.CodesOf["16 values"](r, d.size())), d.cut(gputest.CodesOf["uniform"](r, d.size()))
	narrow := [][]uint32{gputest.Fill32(many[0]), gputest.Fill32(many[1])}
	for _, direct := range []bool{true, false} {
		gputest.Machine(t, 2, direct)
		cudacpu.SetMode(cudacpu.Lazy)
		t.Run(fmt.Sprint("keys, direct ", direct), func(t *testing.T) {
			walkParts(t, (*Engine).SortParts, few, d.results, slices.Sorted(slices.Values(slices.Concat(few...))))
		})
		t.Run(fmt.Sprint("order by a gather, direct ", direct), func(t *testing.T) {
			walkParts(t, (*Engine).OrderParts, few, d.results, placesOf(few))
		})
		t.Run(fmt.Sprint("order by words, direct ", direct), func(t *testing.T) {
			walkParts(t, (*Engine).OrderParts, narrow, d.results, placesOf(narrow))
		})
	}
}

func walkParts[W codes.Word](t *testing.T, sort func(*Engine, engine.Algorithm, int, []Part) error, parts [][]W, results []int, want []uint64) {
	bits := 8 * int(unsafe.Sizeof(*new(W)))
	walkThirds(t, func(t *testing.T, w *injected) {
		e := newEngine(t, Device(1, 0))
		p := place(t, e, parts, results, 8)
		err := w.during(func() error { return sort(e, engine.Auto, bits, p.parts) })
		told := w.hit == "" || w.hit == "cuStreamSynchronize" || w.hit == "cuMemAlloc_v2"
		switch {
		case err == nil && !told:
			t.Fatalf("%s, call %d: nobody was told", w.hit, w.k)
		case err == nil && !slices.Equal(resultsOf[uint64](t, p), want):
			t.Fatalf("%s, call %d: wrong results", w.hit, w.k)
		case err != nil && !isDeviceError(err):
			t.Fatalf("%s, call %d: error %v", w.hit, w.k, err)
		}
		if err = sort(e, engine.Auto, bits, p.parts); err == nil && !slices.Equal(resultsOf[uint64](t, p), want) || err != nil && (w.hit != "cuStreamSynchronize" && !w.lasting || !isDeviceError(err)) {
			t.Fatalf("%s, call %d: error %v, or wrong results, of the sort after it", w.hit, w.k, err)
		}
		p.free(t)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestPartsTogether sorts parts from many goroutines, and others end when the engine is closed.
func TestPartsTogether(t *testing.T) {
	gputest.Machine(t, 3, true)
	cudacpu.SetMode(cudacpu.Mixed)
	e := newEngine(t, Device(0, 1, 2))
	var wait sync.WaitGroup
	for i := range 6 {
		wait.Go(func() {
			d := division{[]int{1000 + i, 500 * i, 77}[:1+i%3], []int{0, 0, 0}[:1+i%3]}
			d.results[i%3] = d.size()
			checkParts(t, e, engine.Auto, d.cut(gputest.CodesOf["uniform"](rand.New(rand.NewPCG(59, uint64(i))), d.size())), d.results)
		})
	}
	wait.Wait()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := e.SortParts(engine.Auto, 32, make([]Part, 2)); !errors.Is(err, sorter.ErrNoDevice) {
		t.Errorf("of a closed engine: %v", err)
	}
}

//go:build cudacpu && linux && amd64

package gpu

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// openSharing opens an engine of the first devices, which share sorts of any size.
func openSharing(t *testing.T, devices int, opts ...Option) *Engine {
	t.Helper()
	var ordinals []int
	for i := range devices {
		ordinals = append(ordinals, i)
	}
	e := open(t, append(opts, Device(ordinals...))...)
	e.settings.ShareN = 1
	return e
}

// aroundParts are sizes at which the parts of devices change.
func aroundParts(devices int) []int {
	return []int{
		(devices-1)*engine.Block + 1, devices*engine.Block - 1, devices * engine.Block, devices*engine.Block + 1,
		3*devices*engine.Block - 5, 5 * kernels.RouteTile, 30_000,
	}
}

// TestSharing sorts lists on several devices, by each algorithm, in every mode.
func TestSharing(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	names := slices.Sorted(maps.Keys(gputest.CodesOf))
	share := 3
	if !testkit.Long() {
		share = 17
	}
	for devices := 2; devices <= 4; devices++ {
		t.Run(fmt.Sprint(devices), func(t *testing.T) {
			gputest.Machine(t, devices, devices != 3)
			e := openSharing(t, devices, Verify())
			by := append(slices.Sorted(slices.Values(algorithms)), engine.Auto)
			for i, n := range aroundParts(devices) {
				for j, name := range names {
					if (i+j+devices)%share > 0 {
						continue
					}
					cudacpu.SetMode([]cudacpu.Mode{cudacpu.Eager, cudacpu.Lazy, cudacpu.Mixed}[(i+j)%3])
					a := by[(2*i+j)%len(by)]
					t.Run(fmt.Sprint(name, " ", n, " ", a), func(t *testing.T) {
						list := gputest.CodesOf[name](rand.New(rand.NewPCG(17, uint64(n))), n)
						if testkit.Long() || i%2 == 0 {
							testSharing(t, e, a, list)
						}
						if testkit.Long() || i%2 == 1 {
							testSharing(t, e, a, gputest.Fill32(list))
						}
					})
				}
			}
		})
	}
}

func testSharing[W codes.Word](t *testing.T, e *Engine, a engine.Algorithm, list []W) {
	t.Helper()
	job, order := newJob(t.Context(), a, list)
	defer job.Arena.Release(1)
	shared := e.devicesFor(job) > 1
	if err := e.Order(t.Context(), job); err != nil || !slices.Equal(order, gputest.Stable(list)) {
		t.Fatalf("%d codes of %d bits: error %v, or wrong order", len(list), job.Bits, err)
	}
	devices := strings.Count(job.Trace.Device, "cudacpu")
	if stages := stagesOf(job); shared && stages != "extract exchange sort download" || !shared && stages != "extract sort download" || shared != (devices > 1) || job.Trace.Algorithm == "" {
		t.Errorf("shared %v: %+v", shared, job.Trace)
	}
	if !shared {
		return // codes in order are not handed back
	}
	job, sorted := keysJob(t.Context(), a, list)
	defer job.Arena.Release(1)
	if err := e.Order(t.Context(), job); err != nil || !slices.Equal(sorted, slices.Sorted(slices.Values(list))) {
		t.Errorf("keys of %d bits: error %v, or wrong order", job.Bits, err)
	}
}

func stagesOf(job *engine.Job) string {
	var names []string
	for _, s := range job.Trace.Stages {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}

// TestCrowded has lists that fit no device's part: the first sorts them in chunks.
func TestCrowded(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	gputest.Machine(t, 2, true)
	e := openSharing(t, 2, Verify())
	const length = 3 * engine.Block
	c := cut{engine.Auto, 5, false}
	list := gputest.CodesOf["gauss"](rand.New(rand.NewPCG(21, 22)), c.n(length))
	for _, d := range e.devs {
		d.Limit = c.limit(e, true, false, length)
	}
	job, order := newJob(t.Context(), c.algorithm, list)
	defer job.Arena.Release(1)
	if err := e.Order(t.Context(), job); err != nil || !slices.Equal(order, gputest.Stable(list)) {
		t.Errorf("error %v, or wrong order", err)
	}
	if stages := stagesOf(job); stages != "chunks merge" || job.Trace.Device != "cudacpu" {
		t.Errorf("%+v", job.Trace)
	}
}

// TestFaultsOfDevices fails every call that opening several devices makes.
func TestFaultsOfDevices(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	gputest.Machine(t, 3, true)
	walkOpening(t, Device(2, 0, 1))
}

// TestFaultsOfSharing fails every call of sorts that two devices share: each succeeds
// or says which call failed, the slice is as it was, and the sort after it
// succeeds, or the engine is broken and says so.
func TestFaultsOfSharing(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	gputest.Machine(t, 2, true)
	cudacpu.SetMode(cudacpu.Lazy) // work that nobody waits for is done too late
	in, sorted := readings(2*engine.Block + 100)
	t.Run("elements", func(t *testing.T) {
		walkSharing(t, in, sorted, func(s []reading, e *Engine) error {
			return sorter.Sort(s, value, sorter.On(e), sorter.Stable(), sorter.Workers(3))
		})
	})
	keys := make([]int64, len(in))
	for i := range keys {
		keys[i] = int64(i) * -7046029254386353131
	}
	t.Run("keys", func(t *testing.T) {
		walkSharing(t, keys, slices.Sorted(slices.Values(keys)), func(s []int64, e *Engine) error {
			return sorter.SortKeys(s, sorter.On(e), sorter.Workers(3))
		})
	})
}

func walkSharing[E comparable](t *testing.T, in, sorted []E, sort func([]E, *Engine) error) {
	walk(t, func(t *testing.T, w *injected) {
		e := newEngine(t, Device(0, 1))
		e.settings.ShareN = 1
		s := slices.Clone(in)
		err := w.during(func() error { return sort(s, e) })
		told := w.hit == "" || w.hit == "cuStreamSynchronize" || w.hit == "cuMemAlloc_v2" && w.result == cuda.OutOfMemory
		switch {
		case err == nil && !told:
			t.Fatalf("%s, call %d: nobody was told", w.hit, w.k)
		case err == nil && !slices.Equal(s, sorted):
			t.Fatalf("%s, call %d: wrong order", w.hit, w.k)
		case err != nil && (!isDeviceError(err) || !slices.Equal(s, in)):
			t.Fatalf("%s, call %d: error %v, or a changed slice", w.hit, w.k, err)
		}
		copy(s, in)
		if err := sort(s, e); err == nil && !slices.Equal(s, sorted) || err != nil && (w.hit != "cuStreamSynchronize" && !w.lasting || !isDeviceError(err)) {
			t.Fatalf("%s, call %d: error %v, or wrong order, of the sort after it", w.hit, w.k, err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSharingStops has key functions panic and contexts end in every part, while
// other devices are at work.
func TestSharingStops(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	for _, mode := range []cudacpu.Mode{cudacpu.Lazy, cudacpu.Mixed} {
		gputest.Machine(t, 3, false)
		cudacpu.SetMode(mode)
		crew := testkit.NewCrew()
		e := newEngine(t, Device(0, 1, 2))
		e.settings.ShareN = 1
		in, sorted := readings(9 * engine.Block)
		for at := engine.Block / 2; at < len(in); at += engine.Block {
			stopAt(t, e, engine.Auto, in, at, true)
			stopAt(t, e, engine.Auto, in, at, false)
		}
		if err := sorter.Sort(in, value, sorter.On(e), sorter.Stable()); err != nil || !slices.Equal(in, sorted) {
			t.Errorf("error %v, or wrong order, of the sort after them", err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		crew.CheckAlone(t, "sorts that stopped")
	}
}

// TestSharingStopsLate ends the context at each stage, the order coming down included.
func TestSharingStopsLate(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	gputest.Machine(t, 2, true)
	e := openSharing(t, 2)
	list := gputest.CodesOf["uniform"](rand.New(rand.NewPCG(23, 24)), 40*engine.Block)
	for _, stage := range []string{"extract", "exchange", "sort", "download"} {
		ctx, cancel := context.WithCancel(t.Context())
		job, _ := newJob(ctx, engine.Auto, list)
		job.Loop.Progress = func(name string, _, _ int) {
			if name == stage {
				cancel()
			}
		}
		err := e.Order(ctx, job)
		if last := job.Trace.Stages[len(job.Trace.Stages)-1].Name; !errors.Is(err, context.Canceled) && stage != "download" || last != stage && last != after[stage] {
			t.Errorf("cancelled in %s: error %v, stages %q", stage, err, stagesOf(job))
		}
		job.Arena.Release(1)
		cancel()
	}
}

// after are the stages that may begin after another one in which a sort is cancelled.
var after = map[string]string{"extract": "exchange", "exchange": "sort", "sort": "download", "download": "download"}

// TestSharingTogether sorts on one engine from many goroutines: lists that devices
// share, and shorter ones that only the first takes.
func TestSharingTogether(t *testing.T) {
	gputest.Machine(t, 3, true)
	cudacpu.SetMode(cudacpu.Mixed)
	e := openSharing(t, 3)
	e.settings.ShareN = 3 * engine.Block
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			in, sorted := readings(2*engine.Block + i*1000)
			if err := sorter.Sort(in, value, sorter.On(e), sorter.Stable(), sorter.Workers(2)); err != nil || !slices.Equal(in, sorted) {
				t.Errorf("%d elements: error %v, or wrong order", len(in), err)
			}
		})
	}
	wait.Wait()
}

// TestReportOfDevices checks a report.
func TestReportOfDevices(t *testing.T) {
	gputest.Machine(t, 2, true)
	e := openSharing(t, 2)
	in, sorted := readings(3 * engine.Block)
	var st sorter.Stats
	done := map[string]int{}
	progress := func(p sorter.Progress) { done[p.Stage] = p.Done }
	if err := sorter.Sort(in, value, sorter.On(e), sorter.Stable(), sorter.Report(&st), sorter.OnProgress(progress)); err != nil || !slices.Equal(in, sorted) {
		t.Errorf("error %v, or wrong order", err)
	}
	if st.Engine != "cuda:0,1" || st.Device != "cudacpu, cudacpu" || st.Rounds < 1 || done["extract"] != len(in) || done["download"] != len(in) {
		t.Errorf("%+v, progress %v", st, done)
	}
}

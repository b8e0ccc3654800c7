//go:build cudacpu && linux && amd64

package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/costmodel"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/bitonic"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/gpu/settings"
	"example.com/sorter/internal/gpu/transfer"
	"example.com/sorter/internal/testkit"
)

// eager stands for the engine under test in automatic choice, for sorts of any
// size, while there is one.
type eager struct{ *Engine }

func (e *eager) Worth(engine.Work) bool { return e.Engine != nil }

func (e *eager) Calibration() string { return "" }

func (e *eager) Observe(engine.Work, bool, time.Duration) {}

func (e *eager) Name() string { return e.engine().Name() }

func (e *eager) Runs(a engine.Algorithm) bool { return e.engine().Runs(a) }

func (e *eager) Trim() error { return e.engine().Trim() }

// engine returns the engine under test, or one that nobody uses.
func (e *eager) engine() *Engine {
	if e.Engine == nil {
		return new(Engine)
	}
	return e.Engine
}

var automatic eager

func TestMain(m *testing.M) {
	engine.Register(&automatic)
	if _, err := cuda.Open(); err != nil { // the result of the first call is kept: no test may make it fail
		panic(err)
	}
	os.Exit(m.Run())
}

// fault is a result that a call of the driver is made to return.
type fault struct {
	name    string
	code    cuda.Result
	lasting bool // as after the loss of a device
}

var faults = []fault{
	{"out of memory", cuda.OutOfMemory, false},
	{"failed launch", cuda.LaunchFailed, false},
	{"lost device", cuda.LaunchFailed, true},
}

// injected makes one call of the driver fail, at some place of its walk.
type injected struct {
	result  cuda.Result
	lasting bool
	k       int
	hit     string // the call that failed, "" if the walk is over
}

// during runs f with the fault.
func (w *injected) during(f func() error) error {
	cudacpu.Fail(w.k, int(w.result), w.lasting)
	defer cudacpu.Fail(0, 0, false)
	err := f()
	w.hit = cudacpu.Failed()
	return err
}

// walk runs f with every call of the driver that it makes failing in turn, and
// checks that it leaves nothing allocated. In a short run each fault has other calls.
func walk(t *testing.T, f func(t *testing.T, w *injected)) {
	for i, kind := range faults {
		t.Run(kind.name, func(t *testing.T) { walkBy(t, kind, 1+i*step()/len(faults), step(), f) })
	}
}

// walkThirds is walk of a long f, with a fault of one kind at each call.
func walkThirds(t *testing.T, f func(t *testing.T, w *injected)) {
	for i, kind := range faults {
		t.Run(kind.name, func(t *testing.T) { walkBy(t, kind, 1+i*step(), step()*len(faults), f) })
	}
}

// walkBy runs f with the calls from first on failing in turn, step by step.
func walkBy(t *testing.T, kind fault, first, step int, f func(t *testing.T, w *injected)) {
	before, crew := cudacpu.Holding(), testkit.NewCrew()
	w := &injected{kind.code, kind.lasting, first, "first"}
	for ; w.hit != ""; w.k += step {
		cudacpu.Seed(uint64(w.k))
		f(t, w)
		if held := cudacpu.Holding(); held != before {
			t.Fatalf("%s, call %d: %+v are held, %+v were before", w.hit, w.k, held, before)
		}
	}
	if w.k < 20 {
		t.Errorf("the walk ended at call %d", w.k)
	}
	crew.CheckAlone(t, kind.name)
}

// step is 1, or more in a short run, which is for the sanitizers.
func step() int {
	switch {
	case testkit.Long():
		return 1
	case cudacpu.Sanitizer() != "": // slow
		return 31
	}
	return 13
}

// reading has a key with ties and something to move.
type reading struct {
	value float64
	at    int
}

func readings(n int) (in, sorted []reading) {
	in = make([]reading, n)
	for i := range in {
		in[i] = reading{float64(i*7919%n/2) - 500, i} // 7919 is a prime
	}
	return in, slices.SortedStableFunc(slices.Values(in), func(a, b reading) int { return cmp.Compare(a.value, b.value) })
}

func value(r reading) float64 { return r.value }

// isDeviceError reports whether err names a call of the driver and its result.
func isDeviceError(err error) bool {
	var d *sorter.DeviceError
	return errors.As(err, &d) && d.Op != "" && d.Code != 0
}

// TestFaultsOfOpening fails every call that opening an engine and closing it makes.
func TestFaultsOfOpening(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	walkOpening(t)
}

// walkOpening fails every call that opening an engine and closing it makes.
func walkOpening(t *testing.T, opts ...Option) {
	walk(t, func(t *testing.T, w *injected) {
		err := w.during(func() error {
			e, err := Open(opts...)
			if err != nil {
				return err
			}
			return e.Close()
		})
		full := err == nil && w.result == cuda.OutOfMemory // memory to measure the link with
		if w.hit != "" && !isDeviceError(err) && !full || w.hit == "" && err != nil {
			t.Fatalf("%s, call %d: error %v", w.hit, w.k, err)
		}
	})
}

// TestFaultsOfSorts fails every call of a sort that insists on the engine: it
// succeeds or says which call failed, and the slice is as it was. The sort
// after it succeeds, or the engine is broken and says so.
func TestFaultsOfSorts(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	in, sorted := readings(2500)
	for _, a := range algorithms {
		in, sorted := in, sorted
		if a == engine.SampleSort {
			in, sorted = readings(bitonic.Tile + 1) // fewer are not split
		}
		t.Run(a.String(), func(t *testing.T) { walkSorts(t, a, in, sorted) })
	}
	t.Run("last resort", func(t *testing.T) {
		in, sorted := uneven()
		e := newEngine(t)
		var st sorter.Stats
		err := sorter.Sort(slices.Clone(in), value, sorter.On(e), sorter.Use(sorter.BucketBitonic), sorter.Report(&st))
		if err := errors.Join(err, e.Close()); err != nil || st.Algorithm != "Radix" {
			t.Fatalf("error %v, or the codes are not uneven: %+v", err, st)
		}
		walkThirds(t, faultySorts(sorter.BucketBitonic, in, sorted))
	})
}

// uneven are readings that defeat every plan of the bucket sort: its samples see others.
func uneven() (in, sorted []reading) {
	codes := gputest.Unseen(14_000, (*rand.Rand).Uint64, func(int) uint64 { return 1 << 63 })
	in = make([]reading, len(codes))
	for i, c := range codes {
		in[i] = reading{math.Ldexp(float64(c), -64), i}
	}
	return in, slices.SortedStableFunc(slices.Values(in), func(a, b reading) int { return cmp.Compare(a.value, b.value) })
}

func walkSorts(t *testing.T, a sorter.Algorithm, in, sorted []reading) {
	walk(t, faultySorts(a, in, sorted))
}

// faultySorts sorts with a fault, and once more without.
func faultySorts(a sorter.Algorithm, in, sorted []reading) func(t *testing.T, w *injected) {
	return func(t *testing.T, w *injected) {
		e := newEngine(t)
		e.settings.MoveBytes = int(a) % 2 // elements are sent in every other walk
		s := slices.Clone(in)
		sort := func() error {
			return sorter.Sort(s, value, sorter.On(e), sorter.Use(a), sorter.Stable(), sorter.Workers(3))
		}
		faulty := func() error { return w.during(sort) }
		for i, sort := range []func() error{faulty, sort} {
			err := sort()
			switch {
			case err == nil && !slices.Equal(s, sorted):
				t.Fatalf("%s, call %d, sort %d: wrong order", w.hit, w.k, i)
			case err == nil:
				copy(s, in)
			case !isDeviceError(err):
				t.Fatalf("%s, call %d, sort %d: %v", w.hit, w.k, i, err)
			case !slices.Equal(s, in):
				t.Fatalf("%s, call %d, sort %d: the slice has changed", w.hit, w.k, i)
			case i == 1 && w.hit != "cuStreamSynchronize" && !w.lasting:
				t.Fatalf("%s, call %d: the engine does not recover: %v", w.hit, w.k, err)
			}
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFaultsOfChunks fails every call of a sort in chunks, whose runs stay on the
// device or go to the host.
func TestFaultsOfChunks(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	for _, c := range []cut{{engine.BucketBitonic, 2, true}, {engine.MergeSort, 5, false}} {
		in, sorted := readings(c.n(engine.Block))
		walk(t, func(t *testing.T, w *injected) {
			e := newEngine(t)
			e.devs[0].Limit = c.limit(e, true, false, engine.Block)
			s := slices.Clone(in)
			sort := func() error {
				return sorter.Sort(s, value, sorter.On(e), sorter.Use(c.algorithm), sorter.Stable(), sorter.Workers(2))
			}
			err := w.during(sort)
			switch {
			case err == nil && !slices.Equal(s, sorted):
				t.Fatalf("%s, call %d: wrong order", w.hit, w.k)
			case err != nil && (!isDeviceError(err) || !slices.Equal(s, in)):
				t.Fatalf("%s, call %d: error %v, or a changed slice", w.hit, w.k, err)
			case err == nil && w.hit != "" && w.hit != "cuStreamSynchronize" && (w.hit != "cuMemAlloc_v2" || w.result != cuda.OutOfMemory):
				t.Fatalf("%s, call %d: nobody was told", w.hit, w.k)
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestFaultsOfTies fails every call of a sort whose ties the device marks: in one
// pass, and in chunks, whose runs stay on the device or go to the host.
func TestFaultsOfTies(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	for _, c := range []cut{{engine.BucketBitonic, 1, false}, {engine.BucketBitonic, 2, true}, {engine.MergeSort, 5, false}} {
		in, _ := readings(c.n(engine.Block))
		key := func(r reading) [3]float32 { return [3]float32{float32(r.at % 90), 1, float32(r.value)} }
		sorted := slices.SortedStableFunc(slices.Values(in), func(a, b reading) int {
			ka, kb := key(a), key(b)
			return slices.Compare(ka[:], kb[:])
		})
		walk(t, func(t *testing.T, w *injected) {
			e := newEngine(t)
			if c.chunks > 1 {
				e.devs[0].Limit = c.limit(e, true, false, engine.Block)
			}
			s := slices.Clone(in)
			var st sorter.Stats
			err := w.during(func() error {
				return sorter.Sort(s, key, sorter.On(e), sorter.Use(c.algorithm), sorter.Stable(), sorter.Workers(2), sorter.Report(&st))
			})
			switch {
			case err == nil && (!slices.Equal(s, sorted) || st.Ties != len(in)):
				t.Fatalf("%s, call %d: %d ties, or wrong order", w.hit, w.k, st.Ties)
			case err != nil && (!isDeviceError(err) || !slices.Equal(s, in)):
				t.Fatalf("%s, call %d: error %v, or a changed slice", w.hit, w.k, err)
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestChunksStop has key functions panic and contexts end in each of several
// chunks, while others are on their way: the slice is untouched, and what is
// held after Close was before.
func TestChunksStop(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	modes := []cudacpu.Mode{cudacpu.Eager, cudacpu.Lazy, cudacpu.Mixed}
	if !testkit.Long() {
		modes = modes[2:]
	}
	for _, mode := range modes {
		cudacpu.SetMode(mode)
		defer cudacpu.SetMode(cudacpu.Eager)
		before, crew := cudacpu.Holding(), testkit.NewCrew()
		for _, c := range []cut{{engine.BucketBitonic, 3, true}, {engine.Hybrid, 6, false}} {
			e := newEngine(t)
			e.devs[0].Limit = c.limit(e, true, false, engine.Block)
			in, sorted := readings(c.n(engine.Block))
			for at := engine.Block / 2; at < len(in); at += engine.Block {
				stopAt(t, e, c.algorithm, in, at, true)
				stopAt(t, e, c.algorithm, in, at, false)
			}
			if err := sorter.Sort(in, value, sorter.On(e), sorter.Use(c.algorithm), sorter.Stable()); err != nil || !slices.Equal(in, sorted) {
				t.Errorf("%v: error %v, or wrong order, of the next sort", c, err)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
		crew.CheckAlone(t, "sorts that stopped")
		if held := cudacpu.Holding(); held != before {
			t.Errorf("%+v are held, %+v were before", held, before)
		}
	}
}

// stopAt ends a sort by a panic or a context when it comes to one element.
func stopAt(t *testing.T, e *Engine, a sorter.Algorithm, in []reading, at int, panics bool) {
	t.Helper()
	s := slices.Clone(in)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	key := func(r reading) float64 {
		if r.at == at && panics {
			panic("key")
		}
		if r.at == at {
			cancel()
		}
		return r.value
	}
	var err error
	value := func() (value any) {
		defer func() { value = recover() }()
		err = sorter.Sort(s, key, sorter.On(e), sorter.Use(a), sorter.WithContext(ctx), sorter.Workers(3))
		return nil
	}()
	if panics && value != "key" || !panics && !errors.Is(err, context.Canceled) || !slices.Equal(s, in) {
		t.Errorf("%v, element %d: error %v, panic %v, or a changed slice", a, at, err, value)
	}
}

// TestCancelMerge ends the context when a merge has handed the first piece over.
func TestCancelMerge(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := newEngine(t)
	defer e.Close()
	c := cut{engine.Hybrid, 40, false}
	e.devs[0].Limit = c.limit(e, true, false, 4*engine.Block)
	codes := make([]uint64, c.n(4*engine.Block))
	ctx, cancel := context.WithCancel(t.Context())
	job, _ := newJob(ctx, c.algorithm, codes)
	defer job.Arena.Release(1)
	var emitted atomic.Int64
	job.Emit = func(_ int, order []uint32) { emitted.Add(int64(len(order))); cancel() }
	if err := e.Order(ctx, job); !errors.Is(err, context.Canceled) || int(emitted.Load()) >= len(codes) {
		t.Errorf("error %v after %d of %d elements", err, emitted.Load(), len(codes))
	}
}

// TestCancelLastMerge does so when no piece is left but the one under way: the rest
// of its windows is missing, although every piece was begun.
func TestCancelLastMerge(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := newEngine(t)
	defer e.Close()
	c := cut{engine.Hybrid, 12, false}
	e.devs[0].Limit = c.limit(e, true, false, 4*engine.Block)
	codes := make([]uint64, c.n(4*engine.Block))
	if len(codes) <= transfer.MergeWindow || len(codes) > transfer.MergePiece {
		t.Fatalf("%d elements are not several windows of one piece", len(codes))
	}
	ctx, cancel := context.WithCancel(t.Context())
	job, _ := newJob(ctx, c.algorithm, codes)
	job.Loop.Workers = 1
	defer job.Arena.Release(1)
	emitted := 0
	job.Emit = func(_ int, order []uint32) { emitted += len(order); cancel() }
	if err := e.Order(ctx, job); !errors.Is(err, context.Canceled) || emitted != transfer.MergeWindow {
		t.Errorf("error %v after %d of %d elements", err, emitted, len(codes))
	}
}

// TestFaultsWithFallback fails every call of a sort that the planner gave to the
// engine: the CPU finishes the sort that the device could not, the key function is called
// once for each element all the same, and the report says why.
func TestFaultsWithFallback(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	in, sorted := readings(2500)
	walk(t, func(t *testing.T, w *injected) {
		automatic.Engine = newEngine(t)
		automatic.Engine.settings.MoveBytes = 1 // elements are sent
		defer func() { automatic.Engine = nil }()
		var st sorter.Stats
		var calls atomic.Int32
		s := slices.Clone(in)
		err := w.during(func() error {
			key := func(r reading) float64 { calls.Add(1); return r.value }
			return sorter.Sort(s, key, sorter.Stable(), sorter.Workers(3), sorter.Report(&st), sorter.Use(sorter.IndexGather))
		})
		switch {
		case err != nil || !slices.Equal(s, sorted):
			t.Fatalf("%s, call %d: error %v, or wrong order", w.hit, w.k, err)
		case int(calls.Load()) != len(in):
			t.Fatalf("%s, call %d: %d key calls", w.hit, w.k, calls.Load())
		case st.Fallback == nil && (st.Engine != "cuda:0" || st.Device == "" || st.Algorithm != "MergeSort"):
			t.Fatalf("%s, call %d: %+v", w.hit, w.k, st)
		case st.Fallback != nil && (!isDeviceError(st.Fallback) || st.Engine != "cpu" || st.Device != "" || st.Algorithm != "IndexGather"):
			t.Fatalf("%s, call %d: %+v", w.hit, w.k, st)
		case st.Fallback == nil && w.hit != "" && w.hit != "cuStreamSynchronize" && (w.hit != "cuMemAlloc_v2" || w.result != cuda.OutOfMemory):
			t.Fatalf("%s, call %d: nobody was told", w.hit, w.k)
		}
		if err := automatic.Engine.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestFaultsOfKeys fails every call of a sort of keys alone, which the device
// hands back in order and which are written as they arrive: the slice is sorted or
// as it was. Where the planner gave the sort to the engine, the CPU finishes.
func TestFaultsOfKeys(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	walkKeys(t, 20_000, sorter.Auto, func(e *Engine) {})
}

// TestFaultsOfKeysBy has an algorithm that sorts keys by buckets, one that sorts them
// through their order, and chunks whose runs stay on the device or go to the host.
func TestFaultsOfKeysBy(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	all := func(*Engine) {}
	for _, a := range []sorter.Algorithm{sorter.BucketBitonic, sorter.Bitonic, sorter.MergeSort} {
		t.Run(a.String(), func(t *testing.T) { walkKeys(t, 2500, a, all) })
	}
	for _, c := range []cut{{engine.BucketBitonic, 2, true}, {engine.MergeSort, 5, false}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			walkKeys(t, c.n(engine.Block), c.algorithm, func(e *Engine) { e.devs[0].Limit = c.limit(e, true, true, engine.Block) })
		})
	}
}

func walkKeys(t *testing.T, n int, a sorter.Algorithm, limit func(e *Engine)) {
	in := make([]int64, n)
	for i := range in {
		in[i] = int64(i) * -7046029254386353131
	}
	sorted := slices.Sorted(slices.Values(in))
	walk(t, func(t *testing.T, w *injected) {
		for _, insisting := range []bool{true, false} {
			if !insisting && a != sorter.Auto {
				continue // the CPU has no such algorithm, or another of that name
			}
			e := newEngine(t)
			limit(e)
			automatic.Engine = e
			var st sorter.Stats
			opts := []sorter.Option{sorter.Workers(3), sorter.Report(&st), sorter.Use(a)}
			if insisting {
				opts = append(opts, sorter.On(e))
			}
			s := slices.Clone(in)
			err := w.during(func() error { return sorter.SortKeys(s, opts...) })
			automatic.Engine = nil
			switch {
			case err == nil && !slices.Equal(s, sorted):
				t.Fatalf("%s, call %d: wrong order", w.hit, w.k)
			case err != nil && (!insisting || !isDeviceError(err)):
				t.Fatalf("%s, call %d: error %v", w.hit, w.k, err)
			case err != nil && !slices.Equal(s, in):
				t.Fatalf("%s, call %d: the keys have changed", w.hit, w.k)
			case err == nil && w.hit != "" && !insisting && st.Fallback == nil && st.Engine == "cpu":
				t.Fatalf("%s, call %d: nobody was told: %+v", w.hit, w.k, st)
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// newEngine opens an engine that the test closes itself.
func newEngine(t *testing.T, opts ...Option) *Engine {
	t.Helper()
	e, err := Open(append([]Option{settings.Unsalted()}, opts...)...) // gputest.Unseen has the same samples
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestLostDevice loses the device for good: every later sort says so at once,
// the planner does not ask again, and closing gives everything back.
func TestLostDevice(t *testing.T) {
	before := cudacpu.Holding()
	e := newEngine(t)
	in, _ := readings(2500)
	sort := func() error { return sorter.Sort(slices.Clone(in), value, sorter.On(e)) }
	cudacpu.Fail(10, int(cuda.LaunchFailed), true)
	first := sort()
	if !isDeviceError(first) {
		t.Fatalf("error %v", first)
	}
	calls := cudacpu.Calls()
	if err := sort(); !isDeviceError(err) || cudacpu.Calls() != calls {
		t.Errorf("error %v after %d more calls of a lost device", err, cudacpu.Calls()-calls)
	}
	if e.Worth(engine.Work{N: 1 << 24, Bits: 32}) {
		t.Error("a lost device is worth a sort")
	}
	if err := e.Close(); !isDeviceError(err) {
		t.Errorf("closing a lost device: %v", err)
	}
	cudacpu.Fail(0, 0, false)
	if held := cudacpu.Holding(); held != before {
		t.Errorf("%+v are held, %+v were before", held, before)
	}
}

// TestFullDevice sorts on a device that has room for no list, and on one that has
// for chunks.
func TestFullDevice(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	defer cudacpu.Configure(cudacpu.DefaultDevice)
	small := cudacpu.DefaultDevice
	small.Memory = 256 << 10
	cudacpu.Configure(small)
	e := newEngine(t)
	in, sorted := readings(100_000)
	s := slices.Clone(in)
	if err := sorter.Sort(s, value, sorter.On(e)); !isDeviceError(err) || !errors.Is(err, cuda.OutOfMemory) || !slices.Equal(s, in) {
		t.Errorf("error %v, or a changed slice", err)
	}
	automatic.Engine = e
	var st sorter.Stats
	err := sorter.Sort(s, value, sorter.Report(&st), sorter.Use(sorter.IndexGather))
	if err != nil || !slices.Equal(s, sorted) || !isDeviceError(st.Fallback) || !errors.Is(st.Fallback, cuda.OutOfMemory) {
		t.Errorf("error %v, fallback %v, or wrong order", err, st.Fallback)
	}
	automatic.Engine = nil
	if err := e.Close(); err != nil {
		t.Error(err)
	}

	small.Memory = 2 << 20
	cudacpu.Configure(small)
	e = newEngine(t)
	defer e.Close()
	for range 2 { // the second finds memory of the first
		copy(s, in)
		err := sorter.Sort(s, value, sorter.On(e), sorter.Report(&st), sorter.Stable())
		if merged := slices.ContainsFunc(st.Stages, func(s sorter.Stage) bool { return s.Name == "merge" }); err != nil || !slices.Equal(s, sorted) || !merged {
			t.Errorf("error %v, %+v, or wrong order", err, st)
		}
	}
}

// TestSpareWorkspacesGiveUpMemory takes memory that the device has only if a workspace
// that nobody uses lets go of its own.
func TestSpareWorkspacesGiveUpMemory(t *testing.T) {
	small := cudacpu.DefaultDevice
	small.Memory = 1 << 20
	cudacpu.Configure(small)
	defer cudacpu.Configure(cudacpu.DefaultDevice)
	e := newEngine(t)
	defer e.Close()
	one, two := workspacesOf(t, e)
	for _, w := range []*device.Workspace{one, two} {
		if _, err := w.Take(400 << 10); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := one.Take(400 << 10); !errors.Is(err, cuda.OutOfMemory) {
		t.Errorf("the memory of a workspace in use was taken: %v", err)
	}
	two.Limit = 500 << 10
	if _, err := two.Take(400 << 10); !isDeviceError(public(err)) || !errors.Is(err, cuda.OutOfMemory) {
		t.Errorf("more than the limit of a sort was taken: %v", err)
	}
	two.Limit = 0
	two.Done()
	if _, err := one.Take(400 << 10); err != nil {
		t.Error(err)
	}
	one.Done()
}

// workspacesOf returns all workspaces of an engine.
func workspacesOf(t *testing.T, e *Engine) (one, two *device.Workspace) {
	t.Helper()
	one, err := e.devs[0].Workspace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if two, err = e.devs[0].Workspace(t.Context()); err != nil {
		t.Fatal(err)
	}
	return one, two
}

// TestWorkspacesAreBounded finds all workspaces taken: a sort waits for one, and not
// beyond its context.
func TestWorkspacesAreBounded(t *testing.T) {
	e := newEngine(t)
	defer e.Close()
	one, two := workspacesOf(t, e)
	in, sorted := readings(300)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := sorter.Sort(slices.Clone(in), value, sorter.On(e), sorter.WithContext(ctx)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v with all workspaces in use", err)
	}
	waited := make(chan error)
	go func() { waited <- sorter.Sort(in, value, sorter.On(e)) }()
	two.Done()
	if err := <-waited; err != nil || !slices.Equal(in, sorted) {
		t.Errorf("error %v, or wrong order", err)
	}
	one.Done()
}

// TestCorruptedModule opens an engine whose kernels do not load.
func TestCorruptedModule(t *testing.T) {
	before, image := cudacpu.Holding(), bucket.Modules[1].Image
	defer func() { bucket.Modules[1].Image = image }()
	bucket.Modules[1].Image = []byte("no module\x00")
	if _, err := Open(); !isDeviceError(err) {
		t.Errorf("error %v", err)
	}
	if held := cudacpu.Holding(); held != before {
		t.Errorf("%+v are held, %+v were before", held, before)
	}
}

// TestStops has key functions panic and contexts end while other workers have
// copies under way, and sorts at the same time.
func TestStops(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	for _, mode := range []cudacpu.Mode{cudacpu.Lazy, cudacpu.Mixed} {
		cudacpu.SetMode(mode)
		defer cudacpu.SetMode(cudacpu.Eager)
		before, crew := cudacpu.Holding(), testkit.NewCrew()
		e := newEngine(t)
		var wait sync.WaitGroup
		for i := range 4 {
			wait.Go(func() { stopOnce(t, e, i) })
		}
		wait.Wait()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		crew.CheckAlone(t, "sorts that stopped")
		if held := cudacpu.Holding(); held != before {
			t.Errorf("%+v are held, %+v were before", held, before)
		}
	}
}

// stopOnce sorts with an end that turn chooses, and once more to the end.
func stopOnce(t *testing.T, e *Engine, turn int) {
	in, sorted := readings(30_000)
	s := slices.Clone(in)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	key := func(r reading) float64 {
		if r.at == 20_000 {
			if turn%2 == 0 {
				panic("key")
			}
			cancel()
		}
		return r.value
	}
	var err error
	value := func() (value any) {
		defer func() { value = recover() }()
		err = sorter.Sort(s, key, sorter.On(e), sorter.WithContext(ctx), sorter.Workers(3))
		return nil
	}()
	if turn%2 == 0 && value != "key" || turn%2 == 1 && !errors.Is(err, context.Canceled) {
		t.Errorf("turn %d: error %v, panic %v", turn, err, value)
	}
	if !slices.Equal(s, in) {
		t.Errorf("turn %d: the slice has changed", turn)
	}
	if err := sorter.Sort(s, func(r reading) float64 { return r.value }, sorter.On(e), sorter.Workers(2)); err != nil || !slices.Equal(s, sorted) {
		t.Errorf("turn %d: error %v, or wrong order, of the next sort", turn, err)
	}
}

// TestClose closes an engine while it sorts: the sorts end well, or not at all.
func TestClose(t *testing.T) {
	before := cudacpu.Holding()
	e := newEngine(t)
	var wait sync.WaitGroup
	started := make(chan struct{}, 8)
	for range cap(started) {
		wait.Go(func() {
			in, sorted := readings(5000)
			started <- struct{}{}
			err := sorter.Sort(in, value, sorter.On(e))
			if err == nil && !slices.Equal(in, sorted) || err != nil && !errors.Is(err, sorter.ErrNoDevice) {
				t.Errorf("error %v, or wrong order", err)
			}
		})
	}
	<-started
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if held := cudacpu.Holding(); held != before {
		t.Errorf("%+v are held after Close, %+v were before", held, before)
	}
	wait.Wait()
	if err := sorter.SortKeys([]int{2, 1}, sorter.On(e)); !errors.Is(err, sorter.ErrNoDevice) {
		t.Errorf("a sort on a closed engine: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

// TestWorth asks an engine that nobody has used for sorts of all sizes.
func TestWorth(t *testing.T) {
	testkit.SkipThreadSanitizer(t) // copies are measured, and slow there
	e := &Engine{}
	calls := cudacpu.Calls()
	for _, n := range []int{0, 1, costmodel.OpenN - 1} {
		if e.Worth(engine.Work{N: n, Bits: 32}) {
			t.Errorf("worth it for %d elements", n)
		}
	}
	if e.Worth(engine.Work{N: costmodel.OpenN - 1, Bits: 32, Payload: 24}) || e.Calibration() != "" {
		t.Error("worth it, or measured, on a device that is not open")
	}
	if cudacpu.Calls() != calls || e.opened != nil {
		t.Error("the device was opened for sorts that are not worth it")
	}
	if !testkit.Eventually(func() bool { return e.Worth(engine.Work{N: costmodel.OpenN, Bits: 32}) }) {
		t.Fatal("not worth it for a large sort")
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	missing := &Engine{settings: settings.Settings{Ordinals: []int{7}}}
	for range 2 {
		<-missing.open()
		if missing.Worth(engine.Work{N: costmodel.OpenN, Bits: 32}) {
			t.Error("worth it on a device that is not there")
		}
	}
}

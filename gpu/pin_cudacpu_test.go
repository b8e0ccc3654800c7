//go:build cudacpu && linux && amd64

package gpu

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// TestPinnedLate has copies from and to pinned memory done as late as possible.
func TestPinnedLate(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := open(t)
	e.settings.DirectBytes = 4 << 10
	defer cudacpu.SetMode(cudacpu.Eager)
	for _, mode := range []cudacpu.Mode{cudacpu.Lazy, cudacpu.Mixed} {
		cudacpu.SetMode(mode)
		list := gputest.CodesOf["uniform"](rand.New(rand.NewPCG(34, 35)), 7000)
		testPinnedJobs(t, e, list)
		testPinnedJobs(t, e, gputest.Fill32(list))
	}
}

// TestPinnedShared sorts pinned keys on several devices.
func TestPinnedShared(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	for devices := 2; devices <= 4; devices++ {
		gputest.Machine(t, devices, devices != 3)
		e := openSharing(t, devices, Verify())
		e.settings.DirectBytes = 8 << 10
		for i, n := range aroundParts(devices) {
			if i%3 != devices%3 || !testkit.Long() && n > 10_000 {
				continue
			}
			cudacpu.SetMode([]cudacpu.Mode{cudacpu.Eager, cudacpu.Lazy, cudacpu.Mixed}[i%3])
			list := gputest.CodesOf["gauss"](rand.New(rand.NewPCG(36, uint64(n))), n)
			testPinnedJobs(t, e, list)
			testPinnedJobs(t, e, gputest.Fill32(list))
			testPinnedKeysShared(t, e, n)
		}
		cudacpu.SetMode(cudacpu.Eager)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// testPinnedKeysShared sorts pinned floats, which the devices encode and decode.
func testPinnedKeysShared(t *testing.T, e *Engine, n int) {
	t.Helper()
	s := make([]float64, n)
	r := rand.New(rand.NewPCG(37, uint64(n)))
	for i := range s {
		s[i] = r.NormFloat64()
	}
	want := slices.Sorted(slices.Values(s))
	if err := sorter.SortKeys(pin(t, s), sorter.On(e)); err != nil || !slices.Equal(s, want) {
		t.Errorf("%d floats: error %v, or wrong keys", n, err)
	}
}

// TestPinnedChunks sorts pinned keys that do not fit the device: their codes are pulled.
func TestPinnedChunks(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := open(t)
	for _, c := range []cut{{engine.BucketBitonic, 3, true}, {engine.MergeSort, 5, false}} {
		list := gputest.CodesOf["gauss"](rand.New(rand.NewPCG(38, 39)), c.n(engine.Block))
		keys := make([]float64, len(list))
		for i, v := range list {
			keys[i] = float64(int64(v))
		}
		index := pin(t, make(perm.Perm, len(keys)))
		wantOrder, _ := sorter.OrderKeys(keys, sorter.On(sorter.CPU()), sorter.Stable())
		want := slices.Sorted(slices.Values(keys))
		pin(t, keys)
		e.devs[0].Limit = c.limit(e, true, false, engine.Block)
		order, err := sorter.OrderKeys(keys, sorter.On(e), sorter.Use(c.algorithm), sorter.Stable(), sorter.Into(index))
		if err != nil || !slices.Equal(order, wantOrder) {
			t.Errorf("%+v: error %v, or wrong order", c, err)
		}
		e.devs[0].Limit = c.limit(e, true, true, engine.Block)
		if err := sorter.SortKeys(keys, sorter.On(e), sorter.Use(c.algorithm)); err != nil || !slices.Equal(keys, want) {
			t.Errorf("%+v: error %v, or wrong keys", c, err)
		}
		e.devs[0].Limit = 0
	}
}

// pinnedKeys are floats for walks over faults, and their sorted list.
func pinnedKeys(n int) (in, sorted []float64) {
	in = make([]float64, n)
	for i := range in {
		in[i] = float64(i*7919%n) - 1000
	}
	return in, slices.SortedFunc(slices.Values(in), cmp.Compare[float64])
}

// TestFaultsOfPinned fails every call that pinning, a sort of pinned keys and unpinning make: keys
// are sorted, or as they were; and everything is given back.
func TestFaultsOfPinned(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	in, sorted := pinnedKeys(3000)
	walk(t, func(t *testing.T, w *injected) {
		e := newEngine(t)
		e.settings.DirectBytes = 4 << 10
		s := slices.Clone(in)
		pinnedToo := false
		err := w.during(func() error {
			err := Pin(s)
			pinnedToo = err == nil
			return errors.Join(err, sorter.SortKeys(s, sorter.On(e), sorter.Workers(3)))
		})
		if err != nil && w.hit == "" || err == nil && !slices.Equal(s, sorted) {
			t.Fatalf("%s, call %d: error %v, or wrong keys", w.hit, w.k, err)
		}
		if !slices.Equal(s, sorted) && !slices.Equal(s, in) {
			t.Fatalf("%s, call %d: keys are lost; error %v", w.hit, w.k, err)
		}
		if err := Unpin(s); (err == nil) != pinnedToo {
			t.Fatalf("%s, call %d: Unpin says %v", w.hit, w.k, err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestFaultsOfPinnedChunks fails calls of sorts of pinned keys in chunks, which are not sent as they
// are: keys are sorted, or as they were.
func TestFaultsOfPinnedChunks(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	c := cut{engine.BucketBitonic, 3, true}
	in, sorted := pinnedKeys(c.n(engine.Block))
	s := pin(t, slices.Clone(in))
	walkBy(t, faults[1], 1, 3*step(), func(t *testing.T, w *injected) {
		e := newEngine(t)
		e.settings.DirectBytes = 4 << 10
		e.devs[0].Limit = c.limit(e, true, true, engine.Block)
		copy(s, in)
		var st sorter.Stats
		err := w.during(func() error {
			return sorter.SortKeys(s, sorter.On(e), sorter.Use(c.algorithm), sorter.Workers(2), sorter.Report(&st))
		})
		if err == nil && !slices.Equal(s, sorted) || err != nil && !slices.Equal(s, in) {
			t.Fatalf("%s, call %d: error %v, or keys are lost", w.hit, w.k, err)
		}
		if err == nil && st.Stages[0].Name != "chunks" {
			t.Fatalf("stages %v", st.Stages)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestFaultsOfUnpin fails every call of Unpin: the memory is unpinned all the same.
func TestFaultsOfUnpin(t *testing.T) {
	s := make([]int64, 100)
	before := cudacpu.Holding()
	for k := 1; k <= 2; k++ {
		if err := Pin(s); err != nil {
			t.Fatal(err)
		}
		cudacpu.Fail(k, 719, false)
		err := Unpin(s)
		cudacpu.Fail(0, 0, false)
		if !isDeviceError(err) {
			t.Errorf("call %d: error %v", k, err)
		}
		if held := cudacpu.Holding(); held != before {
			t.Errorf("call %d: %+v are held", k, held)
		}
	}
}

// TestFaultsOfPinnedFallBack fails calls of a sort that the planner gives to the device: the CPU
// sorts what was restored.
func TestFaultsOfPinnedFallBack(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	in, sorted := pinnedKeys(9000)
	s := pin(t, slices.Clone(in))
	fell := 0
	walkBy(t, faults[2], 1, (step()+1)/2, func(t *testing.T, w *injected) {
		automatic.Engine = newEngine(t)
		automatic.settings.DirectBytes = 4 << 10
		defer func() { automatic.Engine = nil }()
		copy(s, in)
		var st sorter.Stats
		if err := w.during(func() error { return sorter.SortKeys(s, sorter.Report(&st)) }); err != nil || !slices.Equal(s, sorted) {
			t.Fatalf("%s, call %d: error %v, or wrong keys", w.hit, w.k, err)
		}
		if st.Fallback != nil {
			fell++
		}
		if err := automatic.Close(); err != nil {
			t.Fatal(err)
		}
	})
	if fell < 5 {
		t.Errorf("the CPU finished %d sorts", fell)
	}
}

// TestPinnedCancelled cancels sorts of pinned keys: they are as they were.
func TestPinnedCancelled(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := open(t)
	in, sorted := pinnedKeys(9000)
	s := pin(t, slices.Clone(in))
	for _, stage := range []string{"extract", "sort", "download"} {
		copy(s, in)
		ctx, cancel := context.WithCancel(t.Context())
		err := sorter.SortKeys(s, sorter.On(e), sorter.WithContext(ctx), sorter.OnProgress(func(p sorter.Progress) {
			if p.Stage == stage {
				cancel()
			}
		}))
		cancel()
		if stage != "download" && (!errors.Is(err, context.Canceled) || !slices.Equal(s, in)) {
			t.Errorf("%s: error %v, or changed keys", stage, err)
		}
		if stage == "download" && (err != nil || !slices.Equal(s, sorted)) { // from there on it is finished
			t.Errorf("%s: error %v, or wrong keys", stage, err)
		}
	}
}

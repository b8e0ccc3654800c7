//go:build cudacpu && linux && amd64

package gpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
)

// TestNearlyFull sorts on a device of which others hold nearly all memory: in chunks, as far as one fits.
func TestNearlyFull(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	list := gputest.CodesOf["uniform"](rand.New(rand.NewPCG(6, 7)), 150_000)
	want := gputest.Stable(list)
	for _, left := range []uint64{3 << 20, 2 << 20, 1 << 20} {
		e := open(t)
		free, _, err := e.devs[0].MemInfo()
		if err != nil {
			t.Fatal(err)
		}
		others, err := e.devs[0].Alloc(int(free - left))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second finds idle memory
			job, order := newJob(t.Context(), engine.Auto, list)
			if err := e.Order(t.Context(), job); err != nil || !slices.Equal(order, want) {
				t.Errorf("%d bytes left: error %v, or wrong order", left, err)
			}
			job.Arena.Release(1)
		}
		if err := e.devs[0].Free(others); err != nil {
			t.Error(err)
		}
	}
}

// TestTrim sorts, and has nothing but its kernels afterwards.
func TestTrim(t *testing.T) {
	list := gputest.CodesOf["uniform"](rand.New(rand.NewPCG(8, 9)), 5000)
	e := open(t)
	if err := e.Trim(); err != nil { // there is nothing
		t.Error(err)
	}
	for range 2 {
		job, _ := newJob(t.Context(), engine.Auto, list)
		if err := e.Order(t.Context(), job); err != nil {
			t.Fatal(err)
		}
		job.Arena.Release(1)
		if held := cudacpu.Holding(); held.Memory == 0 || held.Pinned == 0 || held.Streams == 0 {
			t.Fatalf("a sort leaves %+v", held)
		}
		if err := e.Trim(); err != nil {
			t.Error(err)
		}
		if held := cudacpu.Holding(); held.Memory+held.Pinned != 0 || held.Streams+held.Events != 0 || held.Modules == 0 {
			t.Errorf("after Trim there is %+v", held)
		}
	}
}

// TestTrimOfRegistered trims the engine of automatic choice, and opens no other.
func TestTrimOfRegistered(t *testing.T) {
	sorter.Trim()
	if held := cudacpu.Holding(); held.Contexts != 0 {
		t.Errorf("Trim opened a device: %+v", held)
	}
	automatic.Engine = open(t)
	defer func() { automatic.Engine = nil }()
	keys := gputest.CodesOf["uniform"](rand.New(rand.NewPCG(8, 9)), 20_000)
	if _, err := sorter.OrderKeys(keys, sorter.On(automatic.Engine)); err != nil {
		t.Fatal(err)
	}
	sorter.Trim()
	if held := cudacpu.Holding(); held.Memory+held.Pinned != 0 || held.Contexts == 0 {
		t.Errorf("after Trim there is %+v", held)
	}
}

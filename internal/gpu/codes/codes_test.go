//go:build linux && (amd64 || arm64)

package codes_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// TestCheckKeys has sorted keys that are wrong in one place.
func TestCheckKeys(t *testing.T) {
	w := gputest.Workspace(t)
	list := gputest.CodesOf["uniform"](rand.New(rand.NewPCG(17, 18)), 5000)
	testCheckKeys(t, w, list)
	testCheckKeys(t, w, gputest.Fill32(list))
}

func testCheckKeys[W codes.Word](t *testing.T, w *device.Workspace, list []W) {
	t.Helper()
	in := codes.Input{Codes: gputest.Up(t, w, list), Wide: gputest.IsWide[W](), N: len(list), Keys: true}
	sorted := slices.Sorted(slices.Values(list))
	if err := codes.Check(w, in, gputest.Up(t, w, sorted)); err != nil {
		t.Errorf("keys in order: %v", err)
	}
	for what, spoil := range map[string]func(s []W){
		"swapped": func(s []W) { s[1000], s[1001] = s[1001], s[1000] },
		"doubled": func(s []W) { s[1000] = s[1001] },
		"changed": func(s []W) { s[len(s)-1]++ },
		"moved":   func(s []W) { s[1000]--; s[2000]++ },
	} {
		s := slices.Clone(sorted)
		spoil(s)
		if err := codes.Check(w, in, gputest.Up(t, w, s)); err == nil {
			t.Errorf("wide %v, %s: nobody was told", in.Wide, what)
		}
	}
}

// tiedSizes are around a word and the elements of a grid.
var tiedSizes = []int{1, 2, 31, 32, 33, 63, 64, 65, kernels.SampleThreads - 1, kernels.SampleThreads, kernels.SampleThreads + 1, 10_007, 70_000}

// TestMarkTies marks ties in memory that holds something else, through an order
// and of codes that are in order.
func TestMarkTies(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w := gputest.Workspace(t)
	names := slices.Sorted(maps.Keys(gputest.CodesOf))
	if !testkit.Long() {
		names = []string{"flat", "16 values", "low half"}
	}
	for _, name := range names {
		for _, n := range tiedSizes {
			list := gputest.CodesOf[name](rand.New(rand.NewPCG(31, uint64(n))), n)
			t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) {
				testMarkTies(t, w, list)
				testMarkTies(t, w, gputest.Fill32(list))
			})
		}
	}
}

func testMarkTies[W codes.Word](t *testing.T, w *device.Workspace, list []W) {
	t.Helper()
	sorted, order := gputest.SortedRuns(list, len(list))
	for _, c := range []struct {
		codes []W
		order cuda.Ptr
	}{{list, gputest.Up(t, w, order)}, {sorted, 0}} {
		const after = 0x5a5a5a5a
		words := engine.TieWords(len(list))
		poison := slices.Repeat([]uint32{after}, words+1)
		ties := gputest.Up(t, w, poison)
		if err := codes.MarkTies(w, codes.Input{Codes: gputest.Up(t, w, c.codes), Wide: gputest.IsWide[W](), N: len(list)}, c.order, ties); err != nil {
			t.Fatal(err)
		}
		got := gputest.Down[uint32](t, w, ties, words+1)
		gputest.CheckMarked(t, got[:words], list, order)
		if got[words] != after {
			t.Errorf("wide %v: the word after the ties is %#x", gputest.IsWide[W](), got[words])
		}
	}
}

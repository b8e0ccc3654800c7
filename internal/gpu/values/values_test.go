//go:build linux && (amd64 || arm64)

package values

import (
	"errors"
	"fmt"
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

// by is the sort of codes of which a sample suggests count values.
func by(count int) gputest.Way {
	return func(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
		return Sort(w, in, count, to)
	}
}

// draw returns n codes of count values with both extremes among them, each at least once if
// n allows.
func draw(r *rand.Rand, n, count int) []uint64 {
	values := gputest.Fill(count, func(i int) uint64 { return uint64(i)<<52 | r.Uint64()>>12 }) // distinct in 32 bits, too
	values[0] = 0
	values[count-1] = 1<<64 - 1
	list := gputest.Fill(n, func(i int) uint64 { return values[r.IntN(count)] })
	for i, at := range r.Perm(n)[:min(n, count)] {
		list[at] = values[i]
	}
	return list
}

// TestSort sorts codes of as many values as bits of a digit, a pass and the table end at, and
// of as many elements as tiles do.
func TestSort(t *testing.T) {
	w, r := gputest.Workspace(t, Modules...), gputest.Drawing(t)
	sizes := []int{1, 2, 33, 5000, kernels.RadixTile, 3*kernels.RadixTile + 77}
	counts := []int{1, 2, 3, 4, 5, 8, 9, 16, 17, 100, 128, 129, 255, 256, 257, 511, 512, 513, 1024, 1025, 2048, 2049, MaxValues - 1, MaxValues}
	if !testkit.Long() {
		// Two passes are in TestLevels, full tables in TestMissed and TestMany.
		sizes, counts = []int{33, kernels.RadixTile + 7}, []int{1, 256, 5, 17}
	}
	for i, count := range counts {
		for j, n := range sizes {
			if !testkit.Long() && i%2 != j || testkit.ThreadSanitizer() && i < 2 {
				continue
			}
			t.Run(fmt.Sprint(count, " of ", n), func(t *testing.T) {
				gputest.CheckSort(t, w, draw(r, n, count), by(count))
			})
		}
	}
}

// TestMissed sorts codes of which no sample shows some values, or most.
func TestMissed(t *testing.T) {
	w, r := gputest.Workspace(t, Modules...), gputest.Drawing(t)
	n := 9 * kernels.RadixTile
	if !testkit.Long() {
		n = kernels.RadixTile + 999
	}
	for name, rare := range map[string]func(i int) uint64{
		"one a tile":              func(i int) uint64 { return uint64(i/kernels.RadixTile) << 40 },
		"more than a small table": func(i int) uint64 { return uint64(i%(1<<leastBits)) << 33 },
		"the extremes":            func(i int) uint64 { return -uint64(i % 2) },
	} {
		t.Run(name, func(t *testing.T) {
			if name != "more than a small table" {
				testkit.SkipThreadSanitizer(t)
			}
			list := gputest.Fill(n, func(i int) uint64 {
				if i%(kernels.RadixTile/100) == 77 {
					return rare(i)
				}
				return r.Uint64N(3) << 60
			})
			gputest.CheckSort(t, w, list, by(1))
			if testkit.ThreadSanitizer() {
				return
			}
			gputest.CheckSort(t, w, gputest.Unseen(n, func(r *rand.Rand) uint64 { return r.Uint64N(3) << 60 }, rare), by(3))
		})
	}
}

// TestMany has codes with too many values, by one and by far, and values that all have the same
// place in the table: the sort gives up, and the next one finds nothing of it.
func TestMany(t *testing.T) {
	w, r := gputest.Workspace(t, Modules...), gputest.Drawing(t)
	n := 20_000
	if testkit.ThreadSanitizer() {
		n = 2 * MaxValues
	}
	for _, c := range []struct {
		name  string
		count int
		u64   []uint64
		u32   []uint32
	}{
		{name: "one too many", count: MaxValues, u64: draw(r, n, MaxValues+1)},
		{name: "one too many, for a small table, too", count: 1, u64: draw(r, n, MaxValues+1)},
		{name: "one in 4 unique", count: 16, u64: gputest.Fill(n, func(i int) uint64 {
			if i%4 == 0 {
				return uint64(i) << 33
			}
			return uint64(i%16) << 60
		})},
		{name: "all unique", count: 2, u64: gputest.Fill(n, func(i int) uint64 { return uint64(i) << 33 })},
		{name: "one place", count: MaxValues, u64: gputest.Fill(n, crowd64), u32: gputest.Fill32(gputest.Fill(n, func(i int) uint64 { return crowd32(i) << 32 }))},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.count != MaxValues {
				testkit.SkipThreadSanitizer(t)
			}
			if c.u32 == nil {
				c.u32 = gputest.Fill32(c.u64)
			}
			testMany(t, w, c.count, c.u64)
			testMany(t, w, c.count, c.u32)
			gputest.CheckSort(t, w, draw(r, 500, 7), by(7))
		})
	}
}

// crowd64 and crowd32 make codes of 300 values, which all have one home in the largest table: see
// Values::home of values.cuh.
func crowd64(i int) uint64 {
	return inverse(0x9e3779b97f4a7c15) * (77<<(64-kernels.ValuesBits) + uint64(i%300))
}

func crowd32(i int) uint64 {
	return inverse(0x9e3779b1) * (77<<(32-kernels.ValuesBits) + uint64(i%300)) & (1<<32 - 1)
}

// inverse returns the inverse of an odd number modulo 1 << 64: each step doubles the bits that are
// right.
func inverse(odd uint64) uint64 {
	x := odd
	for range 5 {
		x *= 2 - odd*x
	}
	return x
}

func testMany[W codes.Word](t *testing.T, w *device.Workspace, count int, list []W) {
	t.Helper()
	at := gputest.Up(t, w, list)
	to := gputest.Up(t, w, make([]W, len(list)))
	for _, keys := range []bool{false, true} {
		in := codes.Input{Codes: at, Wide: gputest.IsWide[W](), N: len(list), Keys: keys}
		if f, err := Sort(w, in, count, to); !errors.Is(err, ErrMany) {
			t.Errorf("wide %v, keys alone %v: %+v, %v", in.Wide, keys, f, err)
		}
	}
}

// TestLevels has a second pass where ranks do not fit one digit.
func TestLevels(t *testing.T) {
	w, r := gputest.Workspace(t, Modules...), gputest.Drawing(t)
	for count, levels := range map[int]int{kernels.RadixDigits: 1, kernels.RadixDigits + 1: 2} {
		list := draw(r, 3000, count)
		order, f := gputest.OnDevice[uint32](t, w, by(count), false, list)
		if !slices.Equal(order, gputest.Stable(list)) || f.Levels != levels || f.Shape != engine.FewValues {
			t.Errorf("%d values: %+v, or wrong order", count, f)
		}
	}
}

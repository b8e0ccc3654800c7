//go:build linux && (amd64 || arm64)

package selection

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/gpu/runs"
	"example.com/sorter/internal/gpu/segments"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// lowestWithin is the plain twin of Within: rows of positions, with poison after the elements of shorter segments.
func lowestWithin[W codes.Word](list []W, offsets []uint32, k int) []uint32 {
	rows := slices.Repeat([]uint32{poison}, k*(len(offsets)-1))
	for s, begin := range offsets[:len(offsets)-1] {
		own := make([]uint32, offsets[s+1]-begin)
		for i := range own {
			own[i] = begin + uint32(i)
		}
		slices.SortStableFunc(own, func(a, b uint32) int { return cmp.Compare(list[a], list[b]) })
		copy(rows[s*k:(s+1)*k], own)
	}
	return rows
}

// withinOnDevice selects into rows that are full of poison, a row longer at each end.
func withinOnDevice[W codes.Word](t *testing.T, w *device.Workspace, list []W, offsets []uint32, k int, order, sorted bool) (positions []uint32, found []W, err error) {
	t.Helper()
	count := len(offsets) - 1
	positions, found = slices.Repeat([]uint32{poison}, k*(count+2)), slices.Repeat([]W{poison}, k*(count+2))
	at, codesAt := gputest.Up(t, w, positions), gputest.Up(t, w, found)
	in := WithinInput{
		Input: segments.Input{Input: codes.Input{Codes: gputest.Up(t, w, list), Wide: gputest.IsWide[W](), N: len(list)}, Offsets: gputest.Up(t, w, offsets), Count: count},
		K:     k,
	}
	var to Result
	if order {
		to.Order = at + cuda.Ptr(4*k)
	}
	if sorted {
		to.Sorted = codesAt + cuda.Ptr(int(unsafe.Sizeof(*new(W)))*k)
	}
	whole := func(w *device.Workspace, in codes.Input, to cuda.Ptr) error {
		_, err := runs.Sort(w, in, to)
		return err
	}
	err = Within(w, in, whole, to)
	return gputest.Down[uint32](t, w, at, len(positions)), gputest.Down[W](t, w, codesAt, len(found)), err
}

// checkWithin compares a selection with its twin.
func checkWithin[W codes.Word](t *testing.T, w *device.Workspace, name string, list []W, offsets []uint32, k int, order, sorted bool) {
	t.Helper()
	positions, found, err := withinOnDevice(t, w, list, offsets, k, order, sorted)
	if err != nil {
		t.Fatalf("%s, k = %d: %v", name, k, err)
	}
	margin := slices.Repeat([]uint32{poison}, k)
	want := slices.Concat(margin, lowestWithin(list, offsets, k), margin)
	for i, at := range want {
		position, code := at, W(poison)
		if at != poison {
			code = list[at]
		}
		if !order {
			position = poison
		}
		if !sorted {
			code = poison
		}
		if positions[i] != position || found[i] != code {
			t.Fatalf("%s, %d codes, wide %v, k = %d: row %d, place %d: position %d and code %#x, want %d and %#x",
				name, len(list), gputest.IsWide[W](), k, i/k-1, i%k, positions[i], found[i], position, code)
		}
	}
}

// offsetsOf returns the offsets of segments of the given lengths after some codes outside of all segments, and their end.
func offsetsOf(lengths ...int) (offsets []uint32, n int) {
	n = 3
	for _, length := range lengths {
		offsets = append(offsets, uint32(n))
		n += length
	}
	return append(offsets, uint32(n)), n + 2
}

// shapesWithin are codes as a function of their positions: even, of one value, of few, in order, falling, by magnitude, with
// an outlier at each end, and all but alike.
func shapesWithin(r *rand.Rand, n int) map[string][]uint64 {
	fill := func(f func(i int) uint64) []uint64 { return gputest.Fill(n, f) }
	return map[string][]uint64{
		"even":      fill(func(int) uint64 { return r.Uint64() }),
		"equal":     fill(func(int) uint64 { return math.MaxUint64 }),
		"zeros":     fill(func(int) uint64 { return 0 }),
		"few":       fill(func(int) uint64 { return r.Uint64N(5) << 61 }),
		"rising":    fill(func(i int) uint64 { return uint64(i/2) << 33 }),
		"falling":   fill(func(i int) uint64 { return uint64(n-i) << 33 }),
		"fallen":    fill(func(i int) uint64 { return uint64((n-i)/3) << 33 }),
		"magnitude": fill(func(int) uint64 { return r.Uint64() >> r.IntN(64) }),
		"outliers": fill(func(i int) uint64 {
			return []uint64{1 << 63, 1<<63 + r.Uint64N(1<<20), 0, math.MaxUint64}[max(0, r.IntN(1000)-996)]
		}),
		"alike": fill(func(int) uint64 { return 1<<63 + r.Uint64N(1<<40) }),
	}
}

// TestWithin compares rows of segments of lengths around whatever cuts them with those of the twin.
func TestWithin(t *testing.T) {
	w := gputest.Workspace(t, slices.Concat(WithinModules, runs.Modules)...)
	r := rand.New(rand.NewPCG(71, 72))
	const tile = 4096
	lengths := []int{0, 1, 2, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025, tile - 1, tile, tile + 1, 0, 3*tile + 17, 2000}
	if !testkit.ThreadSanitizer() {
		lengths = append(lengths, 9*tile+5)
	}
	offsets, n := offsetsOf(lengths...)
	for name, list := range shapesWithin(r, n) {
		for i, k := range []int{1, 64, 128, 129, 1000, kernels.TopMost, kernels.TopMost + 1} {
			checkWithin(t, w, name, list, offsets, k, i%3 != 1, i%3 != 2)
			checkWithin(t, w, name, gputest.Fill32(list), offsets, k, i%3 != 2, i%3 != 1)
		}
	}
}

// TestWithinLong has segments of several pieces between short ones.
func TestWithinLong(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w := gputest.Workspace(t, slices.Concat(WithinModules, runs.Modules)...)
	r := rand.New(rand.NewPCG(73, 74))
	offsets, n := offsetsOf(5, kernels.TopPiece, kernels.TopPiece+1, 0, 2*kernels.TopPiece+4100, 700)
	shapes := shapesWithin(r, n)
	for _, name := range []string{"even", "few", "falling"} {
		for _, k := range []int{3, 300, kernels.TopMost} {
			checkWithin(t, w, name, shapes[name], offsets, k, true, true)
			checkWithin(t, w, name, gputest.Fill32(shapes[name]), offsets, k, true, false)
		}
	}
}

// TestWithinShort has many short segments, which are sorted whole.
func TestWithinShort(t *testing.T) {
	w := gputest.Workspace(t, slices.Concat(WithinModules, runs.Modules)...)
	r := rand.New(rand.NewPCG(75, 76))
	var lengths []int
	for range 300 {
		lengths = append(lengths, r.IntN(40))
	}
	offsets, n := offsetsOf(lengths...)
	for _, k := range []int{1, 7, 200} {
		checkWithin(t, w, "even", shapesWithin(r, n)["few"], offsets, k, true, true)
	}
}

// TestWithinOffsets has offsets that descend or exceed the codes: an error that names the segment, and nothing is written.
func TestWithinOffsets(t *testing.T) {
	w := gputest.Workspace(t, slices.Concat(WithinModules, runs.Modules)...)
	list := gputest.Fill(5000, func(i int) uint64 { return uint64(i * 77 % 5000) })
	for text, offsets := range map[string][]uint32{
		"segment 1 of 3: offsets[2] is below":       {0, 1000, 900, 5000},
		"segment 2 of 3: offsets[3] is below":       {0, 1000, 2000, 5001},
		"segment 0 of 2: offsets[1] is below":       {6000, 100, 5000},
		"segment 1 of 2: offsets[2] is below offse": {0, 10, math.MaxUint32},
	} {
		for _, k := range []int{3, 500, kernels.TopMost + 5} {
			positions, found, err := withinOnDevice(t, w, list, offsets, k, true, true)
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("k = %d, offsets %v: %v, want %q", k, offsets, err, text)
			}
			if slices.ContainsFunc(positions, func(v uint32) bool { return v != poison }) || slices.ContainsFunc(found, func(v uint64) bool { return v != poison }) {
				t.Errorf("k = %d, offsets %v: places were written", k, offsets)
			}
		}
	}
	for _, k := range []int{0, 3} { // of no segments, and no places
		if _, _, err := withinOnDevice(t, w, list, []uint32{7}, k, true, true); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := withinOnDevice(t, w, list, []uint32{0, 5000}, 0, true, true); err != nil {
		t.Error(err)
	}
}

// TestRanksWithin takes some ranks and quantiles of each segment, empty ones among them.
func TestRanksWithin(t *testing.T) {
	r, w := gputest.Drawing(t), gputest.Workspace(t, codes.Modules...)
	for range testkit.Pick(10, 60) {
		offsets := []uint32{uint32(r.IntN(3))}
		for range r.IntN(40) {
			offsets = append(offsets, offsets[len(offsets)-1]+uint32(r.IntN(2)*r.IntN(120)))
		}
		list := make([]uint64, int(offsets[len(offsets)-1])+r.IntN(5)+1)
		for i := range list {
			list[i] = r.Uint64() >> r.IntN(2) >> r.IntN(62)
		}
		checkRanksWithin(t, w, r, list, offsets)
		checkRanksWithin(t, w, r, gputest.Fill32(list), offsets)
	}
}

func checkRanksWithin[W codes.Word](t *testing.T, w *device.Workspace, r *rand.Rand, list []W, offsets []uint32) {
	quantiles := r.IntN(2) == 0
	ranks, at := make([]uint64, r.IntN(5)), make([]func(size int) int, 5)
	for i := range ranks {
		q, rank := []float64{0, 1, 0.5, r.Float64()}[r.IntN(4)], r.IntN(100)
		if quantiles {
			ranks[i], at[i] = math.Float64bits(q), func(size int) int { return engine.QuantileRank(q, size) }
		} else {
			ranks[i], at[i] = uint64(rank), func(int) int { return rank }
		}
	}
	count := len(offsets) - 1
	want, codesWanted := slices.Repeat([]uint32{poison}, len(ranks)*count), slices.Repeat([]W{poison}, len(ranks)*count)
	for s := range count {
		size := int(offsets[s+1] - offsets[s])
		if size == 0 {
			continue
		}
		sorted := lowestWithin(list, offsets[s:s+2], size)
		for i := range ranks {
			if rank := at[i](size); rank < size {
				want[s*len(ranks)+i], codesWanted[s*len(ranks)+i] = sorted[rank], list[sorted[rank]]
			}
		}
	}
	in := segments.Input{Input: codes.Input{Codes: gputest.Up(t, w, list), Wide: gputest.IsWide[W](), N: len(list)}, Offsets: gputest.Up(t, w, offsets), Count: count}
	to := Result{Order: gputest.Up(t, w, slices.Repeat([]uint32{poison}, len(want))), Sorted: gputest.Up(t, w, slices.Repeat([]W{poison}, len(want)))}
	whole := func(w *device.Workspace, in codes.Input, to cuda.Ptr) error {
		_, err := runs.Sort(w, in, to)
		return err
	}
	if err := RanksWithin(w, in, ranks, quantiles, whole, to); err != nil {
		t.Fatal(err)
	}
	if got := gputest.Down[uint32](t, w, to.Order, len(want)); !slices.Equal(got, want) {
		t.Errorf("%d segments of %d codes, ranks %d, quantiles %t: %d, want %d", count, len(list), ranks, quantiles, got, want)
	}
	if got := gputest.Down[W](t, w, to.Sorted, len(want)); !slices.Equal(got, codesWanted) {
		t.Errorf("%d segments of %d codes, ranks %d, quantiles %t: codes %d, want %d", count, len(list), ranks, quantiles, got, codesWanted)
	}
}

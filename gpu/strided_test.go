//go:build linux && (amd64 || arm64)

package gpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/kernels"
)

// shuffledBy is sorted codes, shuffled within windows of so many.
func shuffledBy(r *rand.Rand, n, window int) []uint64 {
	s := codesOf["sorted"](r, n)
	for lo := 0; lo < n; lo += window {
		w := s[lo:min(lo+window, n)]
		r.Shuffle(len(w), func(i, j int) { w[i], w[j] = w[j], w[i] })
	}
	return s
}

// TestStrided reads all codes as those of nearly sorted lists are, at sizes around
// tiles, into memory that holds no order, and no codes that are in order.
func TestStrided(t *testing.T) {
	_, w := partsOf(t, NearlySorted(math.Inf(1)), Spread(Linear), Presorted(false))
	strided := func(w *workspace, in input, to cuda.Ptr) (finding, error) {
		if err := w.Memset32(to, 0xdbdbdbdb, in.resultSize()*in.n/4, w.stream); err != nil {
			return finding{}, err
		}
		f, err := bucketWay(w, in, to)
		if err != nil || f.algorithm != engine.BucketBitonic || f.shape != "nearly sorted" {
			t.Errorf("%d codes: %+v", in.n, f)
		}
		return f, err
	}
	r := rand.New(rand.NewPCG(33, 34))
	const tile, keyTile = kernels.Tile, kernels.KeyTile
	sizes := []int{700, tile - 1, tile, tile + 1, keyTile - 1, keyTile, keyTile + 1, 2*tile - 1, 2 * tile, 2*tile + 31, 2*keyTile + 1, 70_000}
	sizes = append(sizes, large...)
	kinds := map[string]func(r *rand.Rand, n int) []uint64{"nearly sorted": codesOf["nearly sorted"], "reversed": codesOf["reversed"], "uniform": codesOf["uniform"], "outside": outside}
	if testing.Short() {
		sizes, kinds = []int{2*tile + 31}, map[string]func(r *rand.Rand, n int) []uint64{"outside": outside}
	}
	for kind, make := range kinds {
		for _, n := range sizes {
			t.Run(fmt.Sprint(kind, " ", n), func(t *testing.T) {
				wide := make(r, n)
				testWay(t, w, strided, wide)
				testWay(t, w, strided, fill32(wide))
			})
		}
	}
}

// outside has codes on both sides of the range of the first sample, fewer than there is
// place for.
func outside(r *rand.Rand, n int) []uint64 {
	codes := fill(n, func(int) uint64 { return 1<<62 + r.Uint64()>>2 })
	seen := map[uint64]bool{}
	for k := range uint64(kernels.RangeSamples) {
		seen[drawn(k, uint64(n))] = true
	}
	step := max(16, n/3000)
	for i := range codes {
		if side := i % step; side < 2 && !seen[uint64(i)] {
			codes[i] = uint64(side)*3<<62 + uint64(i)<<33
		}
	}
	return codes
}

// TestStridedTwice has buckets so small that elements are partitioned twice.
func TestStridedTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("sizes that are too large for the sanitizers")
	}
	_, w := partsOf(t, NearlySorted(math.Inf(1)), Spread(Linear), Fill(leastFill))
	twice := func(w *workspace, in input, to cuda.Ptr) (finding, error) {
		f, err := bucketWay(w, in, to)
		if f.levels != 2 || f.shape != "nearly sorted" {
			t.Errorf("%+v", f)
		}
		return f, err
	}
	codes := codesOf["nearly sorted"](rand.New(rand.NewPCG(39, 40)), 140_000)
	testWay(t, w, twice, codes)
	testWay(t, w, twice, fill32(codes))
}

// testWay orders codes, and sorts them as keys alone.
func testWay[W word](t *testing.T, w *workspace, by way, codes []W) {
	t.Helper()
	if !slices.Equal(orderBy(t, w, by, codes), want(codes)) {
		t.Errorf("%d codes, wide %v: wrong order", len(codes), isWide[W]())
	}
	if sorted, _ := onDevice[W](t, w, by, true, codes); !slices.Equal(sorted, slices.Sorted(slices.Values(codes))) {
		t.Errorf("%d keys, wide %v: wrong order", len(codes), isWide[W]())
	}
}

// TestStridedTiles looks at the buckets that a partition of sorted codes fills: each
// tile has put a run of pieces of its own into each of them. Adjacent codes would fill
// each from one tile or two.
func TestStridedTiles(t *testing.T) {
	if testing.Short() {
		t.Skip("the plain run has it")
	}
	codes := codesOf["sorted"](nil, 4*kernels.Tile)
	testStridedTiles(t, codes)
	testStridedTiles(t, fill32(codes))
}

func testStridedTiles[W word](t *testing.T, codes []W) {
	t.Helper()
	_, w := partsOf(t, NearlySorted(2), Spread(Linear))
	in, m := looked(t, w, codes)
	elements, cursors, p := filled(t, w, in, m)
	piece := 32 / in.size()
	all := 0
	for b := range p.buckets {
		bucket := elements[b*kernels.LocalSize : cursors[b*kernels.CursorPitch]]
		all += len(bucket)
		var runs []int // whose tile each piece is
		for _, e := range bucket {
			tile := int(e>>p.at&(1<<p.indexBits-1)) / piece % 4
			if len(runs) == 0 || runs[len(runs)-1] != tile {
				runs = append(runs, tile)
			}
		}
		slices.Sort(runs)
		if len(bucket) > 0 && !slices.Equal(runs, []int{0, 1, 2, 3}) {
			t.Errorf("wide %v, bucket %d of %d: runs of tiles %v", in.wide, b, p.buckets, runs)
		}
	}
	if all != in.n {
		t.Errorf("wide %v: %d of %d codes", in.wide, all, in.n)
	}
}

// looked has the device look at codes.
func looked[W word](t *testing.T, w *workspace, codes []W) (input, memory) {
	t.Helper()
	in := input{codes: up(t, w, codes), wide: isWide[W](), n: len(codes)}
	m := head(&area{up(t, w, make([]uint32, headBytes/4))})
	if err := firstError(w.load(bucketModules), w.look(m, in, false)); err != nil {
		t.Fatal(err)
	}
	return in, m
}

// filled has codes partitioned once, and returns the buckets and where each ends.
func filled(t *testing.T, w *workspace, in input, m memory) (elements []uint64, cursors []uint32, p *plan) {
	t.Helper()
	p, err := w.plan(Linear, m, in)
	if err != nil {
		t.Fatal(err)
	}
	p.strided = w.strides(in, Linear)
	var size area
	new(memory).body(&size, p)
	m.body(&area{up(t, w, make([]uint32, size.at/4))}, p)
	elements, cursors = make([]uint64, p.buckets*kernels.LocalSize), make([]uint32, p.rooms*kernels.CursorPitch)
	err = first(
		func() error { return w.load(stridedModules) },
		func() error { return w.openRooms(m, p) },
		func() error { return w.splitCodes(m, p, in.codes) },
		func() error {
			return w.CopyToHost(unsafe.Pointer(&elements[0]), m.bucket, 8*len(elements), w.stream)
		},
		func() error {
			return w.CopyToHost(unsafe.Pointer(&cursors[0]), m.cursors, 4*len(cursors), w.stream)
		},
		func() error { return w.SyncStream(w.stream) },
	)
	if err != nil {
		t.Fatal(err)
	}
	return elements, cursors, p
}

// TestNearlySorted has codes of some degree of disorder read by the strategy for nearly
// sorted lists where that degree is below the threshold, and no others.
func TestNearlySorted(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 9000
	}
	r := rand.New(rand.NewPCG(35, 36))
	lists := map[string][]uint64{
		"in windows":    shuffledBy(r, n, 16),           // about 6
		"nearly sorted": codesOf["nearly sorted"](r, n), // about n/75
		"uniform":       codesOf["uniform"](r, n),       // about n/3
	}
	for _, c := range []struct {
		below float64
		taken []string
	}{
		{0, nil},
		{10, []string{"in windows"}},
		{float64(n) / 20, []string{"in windows", "nearly sorted"}},
		{math.Inf(1), []string{"in windows", "nearly sorted", "uniform"}},
	} {
		_, w := partsOf(t, NearlySorted(c.below), Spread(Linear))
		for name, codes := range lists {
			if testing.Short() && (c.below != 10 || name == "uniform") {
				continue
			}
			testNearly(t, w, fill32(codes), name, slices.Contains(c.taken, name))
			if !testing.Short() {
				testNearly(t, w, codes, name, slices.Contains(c.taken, name))
			}
		}
	}
}

func testNearly[W word](t *testing.T, w *workspace, codes []W, name string, taken bool) {
	t.Helper()
	order, f := onDevice[uint32](t, w, bucketWay, false, codes)
	if !slices.Equal(order, want(codes)) {
		t.Errorf("%s, wide %v, below %v: wrong order", name, isWide[W](), w.parts.nearly)
	}
	if got := f.shape == "nearly sorted"; got != taken {
		t.Errorf("%s, wide %v, below %v: %+v", name, isWide[W](), w.parts.nearly, f)
	}
}

// TestDegree holds the degree of disorder to the one of the same sample in plain Go, and
// where that is of enough codes to the one of all.
func TestDegree(t *testing.T) {
	w := workspaceOf(t)
	r := rand.New(rand.NewPCG(37, 38))
	sizes := []int{2, 700, kernels.RangeSamples, 70_000}
	if testing.Short() {
		sizes = sizes[1:2]
	}
	for _, n := range sizes {
		lists := map[string][]uint64{"in windows": shuffledBy(r, n, 16)}
		for _, name := range []string{"sorted", "reversed", "flat", "uniform", "nearly sorted", "low half"} {
			lists[name] = codesOf[name](r, n)
		}
		for name, codes := range lists {
			if testing.Short() && name != "in windows" {
				continue
			}
			testDegree(t, w, name, codes)
			testDegree(t, w, name, fill32(codes))
		}
	}
}

func testDegree[W word](t *testing.T, w *workspace, name string, codes []W) {
	t.Helper()
	n := uint64(len(codes))
	looked(t, w, codes)
	got := w.note.sample.degree(int(n))
	pairs, seen := 0.0, []W{}
	for k := range uint64(kernels.RangeSamples) {
		i := drawn(k, n)
		pairs += apart(codes[i], codes[min(i+1, n-1)])
		seen = append(seen, codes[i])
	}
	over := max(1, float64(slices.Max(seen)-slices.Min(seen)))
	if twin := pairs / kernels.RangeSamples * float64(n) / over; !(math.Abs(got-twin) <= 1e-9*twin) { // nor is NaN
		t.Errorf("%d codes, %s, wide %v: degree %v, expected %v", n, name, isWide[W](), got, twin)
	}
	all := 0.0
	for i := range n - 1 {
		all += apart(codes[i], codes[i+1])
	}
	all /= max(1, float64(slices.Max(codes)-slices.Min(codes)))
	if math.Abs(got-all) > 0.15*all && n > kernels.RangeSamples {
		t.Errorf("%d codes, %s, wide %v: degree %v, of all codes %v", n, name, isWide[W](), got, all)
	}
}

// apart is the distance between two codes.
func apart[W word](a, b W) float64 { return float64(max(a, b) - min(a, b)) }

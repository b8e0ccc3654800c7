//go:build linux && (amd64 || arm64)

package bucket

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/gpu/radix"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// TestStridedTiles reads the buckets that a split of sorted codes fills: each
// tile has put a run of pieces of its own into each of them. Adjacent codes would fill
// each from one tile or two.
func TestStridedTiles(t *testing.T) {
	if !testkit.Long() {
		t.Skip("the plain run has it")
	}
	list := gputest.CodesOf["sorted"](nil, 4*kernels.Tile)
	testStridedTiles(t, list)
	testStridedTiles(t, gputest.Fill32(list))
}

func testStridedTiles[W codes.Word](t *testing.T, list []W) {
	t.Helper()
	nearly := 2.0
	c := looked(t, gputest.Workspace(t, Modules...), &Sorter{Options{Spread: Linear, Nearly: &nearly}}, list)
	in := c.in
	elements, cursors, p := filled(t, c)
	piece := 32 / in.Size()
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
			t.Errorf("wide %v, bucket %d of %d: runs of tiles %v", in.Wide, b, p.buckets, runs)
		}
	}
	if all != in.N {
		t.Errorf("wide %v: %d of %d codes", in.Wide, all, in.N)
	}
}

// looked returns a sort after the device has taken the samples of codes.
func looked[W codes.Word](t *testing.T, w *device.Workspace, s *Sorter, list []W) *call {
	t.Helper()
	note, err := device.Pinned[note](w)
	if err != nil {
		t.Fatal(err)
	}
	c := &call{Sorter: s, w: w, note: note, in: codes.Input{Codes: gputest.Up(t, w, list), Wide: gputest.IsWide[W](), N: len(list)}, to: gputest.Up(t, w, make([]uint32, len(list)))}
	c.memory = head(&device.Area{At: gputest.Up(t, w, make([]uint32, headBytes(c.in)/4))}, c.in)
	if _, err := c.takeSamples(Policy{}); err != nil {
		t.Fatal(err)
	}
	return c
}

// filled has codes split once, and returns the buckets and where each ends.
func filled(t *testing.T, c *call) (elements []uint64, cursors []uint32, p *plan) {
	t.Helper()
	a, err := c.planned(Linear)
	if err != nil {
		t.Fatal(err)
	}
	p, err = c.plan(a)
	if err != nil {
		t.Fatal(err)
	}
	p.strided = c.strides(Linear)
	c.body(&device.Area{At: gputest.Up(t, c.w, make([]uint32, bodyBytes(p)/4))}, p)
	elements, cursors = make([]uint64, p.buckets*kernels.LocalSize), make([]uint32, p.partitions*kernels.CursorPitch)
	q := c.w.Queue()
	q.Load(stridedModules)
	c.openPartitions(&q, p)
	c.splitCodes(&q, p)
	q.ToHost(unsafe.Pointer(&elements[0]), c.bucket, 8*len(elements))
	q.ToHost(unsafe.Pointer(&cursors[0]), c.cursors, 4*len(cursors))
	if err := q.Sync(); err != nil {
		t.Fatal(err)
	}
	return elements, cursors, p
}

// TestDegree holds the degree of disorder to the one of the same sample in plain Go, and
// where that is of enough codes to the one of all.
func TestDegree(t *testing.T) {
	w := gputest.Workspace(t, Modules...)
	r := rand.New(rand.NewPCG(37, 38))
	sizes := []int{2, 700, kernels.RangeSamples, 70_000}
	if !testkit.Long() {
		sizes = sizes[1:2]
	}
	for _, n := range sizes {
		lists := map[string][]uint64{"in windows": gputest.ShuffledBy(r, n, 16)}
		for _, name := range []string{"sorted", "reversed", "flat", "uniform", "nearly sorted", "low half"} {
			lists[name] = gputest.CodesOf[name](r, n)
		}
		for name, list := range lists {
			if !testkit.Long() && name != "in windows" {
				continue
			}
			testDegree(t, w, name, list)
			testDegree(t, w, name, gputest.Fill32(list))
		}
	}
}

func testDegree[W codes.Word](t *testing.T, w *device.Workspace, name string, list []W) {
	t.Helper()
	n := uint64(len(list))
	got := looked(t, w, &Sorter{}, list).note.sample.Degree(int(n))
	pairs, seen := 0.0, []W{}
	for k := range uint64(kernels.RangeSamples) {
		i := gputest.Drawn(k, n)
		pairs += apart(list[i], list[min(i+1, n-1)])
		seen = append(seen, list[i])
	}
	over := max(1, float64(slices.Max(seen)-slices.Min(seen)))
	if twin := pairs / kernels.RangeSamples * float64(n) / over; !(math.Abs(got-twin) <= 1e-9*twin) { // nor is NaN
		t.Errorf("%d codes, %s, wide %v: degree %v, expected %v", n, name, gputest.IsWide[W](), got, twin)
	}
	all := 0.0
	for i := range n - 1 {
		all += apart(list[i], list[i+1])
	}
	all /= max(1, float64(slices.Max(list)-slices.Min(list)))
	if math.Abs(got-all) > 0.15*all && n > kernels.RangeSamples {
		t.Errorf("%d codes, %s, wide %v: degree %v, of all codes %v", n, name, gputest.IsWide[W](), got, all)
	}
}

// apart is the distance between two codes.
func apart[W codes.Word](a, b W) float64 { return float64(max(a, b) - min(a, b)) }

// TestFew has the first sample find codes of few values, if they are in no order, and
// the bucket sort leave them at once where it is to; and no others.
func TestFew(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w, s := gputest.Workspace(t, append(slices.Clone(Modules), radix.Large.Modules()...)...), &Sorter{}
	r := rand.New(rand.NewPCG(31, 32))
	atOnce := map[string]bool{"16 values": true, "few values and outliers": true, "60 values": true}
	all := map[string]bool{"16 values": true, "few values and outliers": true, "60 values": true}
	upTo100 := func(_ codes.Input, values int, _ uint64) bool { return values <= 100 }
	lists := maps.Clone(gputest.CodesOf)
	lists["60 values"] = func(r *rand.Rand, n int) []uint64 {
		return gputest.Fill(n, func(int) uint64 { return r.Uint64N(60) * 0x9e3779b97f4a7c15 })
	}
	for name, make := range lists {
		list := make(r, 20_000)
		by := func(few Few) gputest.Way {
			return func(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
				f, err := s.SortIf(w, Policy{Worth: always, Few: few}, in, to)
				note, _ := device.Pinned[note](w)
				left := errors.As(err, &FewValues{})
				if found := note.sample.Few.Load(); (found > 0 && found < kernels.SeemsFlat) != (few != nil && atOnce[name]) || left != (few != nil && all[name]) {
					t.Errorf("%s, wide %v: few values at once %d, %v", name, in.Wide, found, err)
				}
				if left || errors.Is(err, ErrUneven) {
					return radix.Large.Sort(w, in, to)
				}
				return f, err
			}
		}
		for _, few := range []Few{upTo100, nil} { // of the first sort nothing is left for the second
			if !slices.Equal(gputest.OrderBy(t, w, by(few), list), gputest.Stable(list)) {
				t.Errorf("%s: wrong order", name)
			}
		}
	}
}

func always(codes.Input, Attempt, *sample.Note) bool { return true }

package bucket

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/floats"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/vecsort"
)

// floatKeys are hostile and friendly distributions of floats; ways are how vectors spread the codes of
// a thousand in ascending and descending order, byCode where any way will do. Descending codes of
// positive floats are about those of negative floats in ascending order.
var floatKeys = map[string]struct {
	value func(r *rand.Rand) float64
	ways  [2]spread
}{
	"0 to 1":     {func(r *rand.Rand) float64 { return r.Float64() }, [2]spread{ascending, ascending}},
	"both signs": {func(r *rand.Rand) float64 { return r.Float64() - 0.5 }, [2]spread{ascending, descending}},
	"binades":    {func(r *rand.Rand) float64 { return math.Ldexp(1+r.Float64(), -r.IntN(100)) }, anyWays},
	"Gauss":      {func(r *rand.Rand) float64 { return r.NormFloat64() }, anyWays},
	"clusters":   {func(r *rand.Rand) float64 { return []float64{1e-30, 1e30}[r.IntN(2)] * (1 + r.Float64()) }, anyWays},
	"outlier":    {func(r *rand.Rand) float64 { return r.Float64() * []float64{1, 1e30}[r.IntN(500)/499] }, anyWays},
	"infinities": {func(r *rand.Rand) float64 {
		return []float64{math.Inf(1), math.Inf(-1), math.NaN(), -math.NaN(), r.Float64()}[r.IntN(5)]
	}, anyWays},
	"some NaNs": {func(r *rand.Rand) float64 { return []float64{r.Float64(), math.NaN()}[r.IntN(100)/99] }, anyWays},
	"zeros":     {func(r *rand.Rand) float64 { return []float64{0, math.Copysign(0, -1), 5e-324, -1e-45}[r.IntN(4)] }, anyWays},
	"denormals": {func(r *rand.Rand) float64 { return r.Float64() * 1e-40 }, anyWays},
	"equal":     {func(*rand.Rand) float64 { return 0.7 }, anyWays},
	"greatest":  {func(r *rand.Rand) float64 { return []float64{math.MaxFloat64, -math.MaxFloat64, 1}[r.IntN(3)] }, anyWays},
}

var anyWays [2]spread

// TestFloatKeys sorts codes of floats, and orders them, by every set of instructions and both
// directions of codes.
func TestFloatKeys(t *testing.T) {
	for _, bound := range []string{"", "avx2", "none"} {
		undo := vecsort.Restrict(bound)
		t.Run("vectors="+bound, func(t *testing.T) {
			testFloatKeys[uint32](t)
			testFloatKeys[uint64](t)
		})
		undo()
	}
}

func testFloatKeys[C Code](t *testing.T) {
	t.Helper()
	r, turn := rand.New(rand.NewPCG(9, 10)), 0
	for name, keys := range floatKeys {
		for _, desc := range []bool{false, true} {
			for _, n := range []int{25, 100, 1000, 20_000} {
				if turn++; n > 1000 && testkit.ThinnedByRace(turn/4) {
					continue
				}
				codes := make([]C, n)
				f := floats.Exact[C](desc, desc)
				for i := range codes {
					x := keys.value(r)
					if unsafe.Sizeof(codes[0]) == 4 {
						codes[i] = f.Of(C(math.Float32bits(float32(x))))
					} else {
						codes[i] = f.Of(C(math.Float64bits(x)))
					}
				}
				way := keys.ways[0]
				if desc {
					way = keys.ways[1]
				}
				checkFloatKeys(t, name, codes, desc, way)
			}
		}
	}
}

func checkFloatKeys[C Code](t *testing.T, name string, codes []C, desc bool, way spread) {
	t.Helper()
	n, v := len(codes), presorted.SummaryOf(codes)
	w := Worker[C]{Env: newEnv()}
	want := make([]uint32, n)
	presorted.Forward(want, 0)
	testkit.SortStable(want, func(i, j uint32) int {
		if codes[i] == codes[j] {
			return 0
		} else if codes[i] < codes[j] {
			return -1
		}
		return 1
	})
	if got := w.Order(codes, v.Min, v.Span()); !slices.Equal(got, want) {
		t.Fatalf("%s, %d codes of %T, descending %t: wrong order", name, n, codes[0], desc)
	}
	if vecsort.Enabled() && way != byCode && n == 1000 && w.way != way {
		t.Errorf("%s, %d codes of %T, descending %t: spread in way %d, want %d", name, n, codes[0], desc, w.way, way)
	}
	if vecsort.Enabled() && name == "Gauss" && n == 20_000 && unsafe.Sizeof(codes[0]) == 8 && w.way < bentAscending {
		t.Errorf("%s, %d codes of %T, descending %t: spread in way %d", name, n, codes[0], desc, w.way)
	}
	w = Worker[C]{Env: newEnv()}
	for range 3 { // the second time in the way of the first
		got := w.Sort(slices.Clone(codes), v.Min, v.Span())
		if !slices.IsSorted(got) || got[0] != v.Min || got[n-1] != v.Max || len(got) != n {
			t.Fatalf("%s, %d codes of %T, descending %t: not sorted", name, n, codes[0], desc)
		}
		for i, x := range want {
			if got[i] != codes[x] {
				t.Fatalf("%s, %d codes of %T: code %d is %#x, want %#x", name, n, codes[0], i, got[i], codes[x])
			}
		}
	}
}

// TestPieces spreads floats in narrow clusters by more pieces than those of a smooth distribution have.
func TestPieces(t *testing.T) {
	if !vecsort.Enabled() {
		t.Skip("without vector instructions")
	}
	r, f := rand.New(rand.NewPCG(11, 12)), floats.Exact[uint64](false, false)
	codes := make([]uint64, 2740)
	for i := range codes {
		codes[i] = f.Of(math.Float64bits(float64(r.IntN(50)) + r.NormFloat64()/100))
	}
	v, w := presorted.SummaryOf(codes), Worker[uint64]{Env: newEnv()}
	order := w.Order(codes, v.Min, v.Span())
	if !slices.IsSortedFunc(order, func(i, j uint32) int { return cmp.Or(cmp.Compare(codes[i], codes[j]), cmp.Compare(i, j)) }) {
		t.Error("wrong order")
	}
	if w.way != fineAscending {
		t.Errorf("spread in way %d, want %d", w.way, fineAscending)
	}
}

// TestByVectors reports sorts by vectors.
func TestByVectors(t *testing.T) {
	if !vecsort.Enabled() {
		t.Skip("there are no vectors")
	}
	r := rand.New(rand.NewPCG(21, 22))
	for _, n := range []int{3000, 30_000} {
		testByVectors[uint32](t, r, n)
		testByVectors[uint64](t, r, n)
	}
}

func testByVectors[C Code](t *testing.T, r *rand.Rand, n int) {
	for name, sort := range map[string]func(w *Worker[C], codes []C){
		"sort": func(w *Worker[C], codes []C) { w.Sort(codes, 0, ^C(0)) }, "order": func(w *Worker[C], codes []C) { w.Order(codes, 0, ^C(0)) },
	} {
		w := Worker[C]{Env: new(engine.Env)}
		w.Env.Trace.Vectors = new(atomic.Bool)
		codes := make([]C, n)
		for i := range codes {
			codes[i] = C(r.Uint64())
		}
		if sort(&w, codes); !w.Env.Trace.Vectors.Load() {
			t.Errorf("%s of %d codes of %d bytes: without vectors", name, n, unsafe.Sizeof(C(0)))
		}
	}
}

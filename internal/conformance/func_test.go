package conformance_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// funcRow is an element of 24 bytes that is sorted by a comparison; its number shows stability.
type funcRow struct {
	key    float64
	number int
	_      uint64
}

// wideFuncRow is ordered by its number first.
type wideFuncRow struct {
	funcRow
	more [20]uint64
}

func (r funcRow) compare(o funcRow) int          { return cmp.Compare(r.key, o.key) }
func compareFuncRows(a, b funcRow) int           { return a.compare(b) }
func compareWideRows(a, b wideFuncRow) int       { return a.compare(b.funcRow) }
func compareTexts(a, b funcText) int             { return strings.Compare(a.text, b.text) }
func untouched[E comparable](s, before []E) bool { return slices.Equal(s, before) }
func wideOf(r funcRow) wideFuncRow               { return wideFuncRow{r, [20]uint64{uint64(r.number)}} }
func textOf(r funcRow) funcText                  { return funcText{fmt.Sprintf("%09.0f", r.key), r.number} }

// funcText is an element with a pointer.
type funcText struct {
	text   string
	number int
}

// funcShapes are inputs of a sort by a comparison.
var funcShapes = []struct {
	name string
	key  func(r *rand.Rand, i, n int) float64
}{
	{"uniform", func(r *rand.Rand, i, n int) float64 { return r.Float64() * 1e9 }},
	{"pairs", func(r *rand.Rand, i, n int) float64 { return float64(r.IntN(n/2 + 1)) }},
	{"three values", func(r *rand.Rand, i, n int) float64 { return float64(r.IntN(3)) }},
	{"100 values", func(r *rand.Rand, i, n int) float64 { return float64(r.IntN(100)) }},
	{"one value", func(r *rand.Rand, i, n int) float64 { return 1 }},
	{"sorted", func(r *rand.Rand, i, n int) float64 { return float64(i / 2) }},
	{"falling", func(r *rand.Rand, i, n int) float64 { return float64(-i) }},
	{"falling pairs", func(r *rand.Rand, i, n int) float64 { return float64(-i / 2) }},
	{"nearly sorted", func(r *rand.Rand, i, n int) float64 {
		if r.IntN(60) == 0 {
			i = r.IntN(n)
		}
		return float64(i / 3)
	}},
	{"high strays in a row", func(r *rand.Rand, i, n int) float64 {
		if i/3%50 == 7 {
			return 1e8 + float64(i)
		}
		return float64(i)
	}},
	{"first is highest", func(r *rand.Rand, i, n int) float64 { return float64((i + n - 1) % n) }},
	{"nearly falling", func(r *rand.Rand, i, n int) float64 {
		if r.IntN(60) == 0 {
			i = r.IntN(n)
		}
		return float64(-i)
	}},
	{"appended", func(r *rand.Rand, i, n int) float64 {
		if i >= n-n/50 {
			i = r.IntN(n)
		}
		return float64(i)
	}},
	{"short saw", func(r *rand.Rand, i, n int) float64 { return float64(i % 30) }},
	{"long saw", func(r *rand.Rand, i, n int) float64 { return float64(i % (n/5 + 1)) }},
	{"rotated", func(r *rand.Rand, i, n int) float64 { return float64((i + n/3) % n) }},
	{"organ pipe", func(r *rand.Rand, i, n int) float64 { return float64(min(i, n-i)) }},
	{"half in order", func(r *rand.Rand, i, n int) float64 {
		if i < n/2 {
			return float64(i)
		}
		return float64(r.IntN(n))
	}},
}

func drawFuncRows(shape, n int) []funcRow {
	r := rand.New(rand.NewPCG(uint64(shape), uint64(n)))
	s := make([]funcRow, n)
	for i := range s {
		s[i] = funcRow{key: funcShapes[shape].key(r, i, n), number: i}
	}
	return s
}

// funcSizes are numbers of elements on both sides of all thresholds: insertion, samples, the small path,
// the check of few, and blocks.
var funcSizes = []int{0, 1, 2, 3, 10, 20, 21, 41, 63, 64, 65, 300, 1000, 4096, 4097, 8191, 8192, 20_000, 1<<15 + 1}

// funcModes are options of a sort by a comparison, for n elements of a size.
func funcModes(n int) []mode {
	limited := func(each, more int) []sorter.Option {
		return []sorter.Option{sorter.MemoryLimit(int64(each*n + more))}
	}
	return []mode{
		{name: "no options"},
		{name: "1 worker", opts: []sorter.Option{sorter.Workers(1)}},
		{name: "2 workers", opts: []sorter.Option{sorter.Workers(2), sorter.Report(new(sorter.Stats))}},
		{name: "7 workers, stable", opts: []sorter.Option{sorter.Workers(7), sorter.Stable()}},
		{name: "under a context", opts: []sorter.Option{sorter.WithContext(neverCancelled), sorter.Workers(3)}},
		{name: "progress", opts: []sorter.Option{sorter.OnProgress(func(sorter.Progress) {}), sorter.Workers(1)}},
		{name: "in place", opts: limited(20, 60_000)},
		{name: "other keys' options", opts: []sorter.Option{sorter.NaNsLast(), sorter.Use(sorter.IndexGather), sorter.On(sorter.CPU())}},
	}
}

// TestFunc compares SortFunc and OrderFunc with a stable sort, for all shapes, sizes and options.
func TestFunc(t *testing.T) {
	for shape := range funcShapes {
		for at, n := range funcSizes {
			if testkit.ThinnedTo(8, shape+at) || n > 9000 && (shape+at)%testkit.Pick(18, 3) != 0 {
				continue
			}
			rows := drawFuncRows(shape, n)
			name := fmt.Sprintf("%s, n=%d", funcShapes[shape].name, n)
			checkFunc(t, name, rows, compareFuncRows)
			if shape%3 == at%3 {
				checkFunc(t, name+", texts", mapped(rows, textOf), compareTexts)
			}
			if shape%3 == (at+1)%3 && n <= 9000 {
				checkFunc(t, name+", wide", mapped(rows, wideOf), compareWideRows)
			}
		}
	}
}

func checkFunc[E comparable](t *testing.T, name string, in []E, compare func(a, b E) int) {
	t.Helper()
	for _, falling := range []bool{false, true} {
		order := compare
		if falling {
			order = func(a, b E) int { return compare(b, a) }
		}
		want := slices.Clone(in)
		slices.SortStableFunc(want, order)
		for _, m := range funcModes(len(in)) {
			opts := m.opts
			if falling {
				opts = append(slices.Clone(opts), sorter.Descending())
			}
			got := slices.Clone(in)
			if err := sorter.SortFunc(got, compare, opts...); err != nil || !slices.Equal(got, want) {
				t.Fatalf("SortFunc, %s, %s, descending %v: %v, or another order", name, m.name, falling, err)
			}
			var runs, one perm.Runs
			p, err := sorter.OrderFunc(in, compare, append(slices.Clone(opts), sorter.MarkRuns(&runs), sorter.MarkRunsBy(0, &one))...)
			if err != nil || !slices.Equal(gathered(in, p), want) {
				t.Fatalf("OrderFunc, %s, %s, descending %v: %v, or another order", name, m.name, falling, err)
			}
			if one.Rows() != len(in) || one.Len() != min(1, len(in)) || runs.Rows() != len(in) {
				t.Fatalf("%s, %s: runs by no column %v", name, m.name, one)
			}
			for i := range want {
				if runs.Begins(i) != (i == 0 || order(want[i-1], want[i]) != 0) {
					t.Fatalf("%s, %s: wrong runs at %d", name, m.name, i)
				}
			}
			into := make(perm.Perm, len(in))
			if p, err := sorter.OrderFunc(in, compare, append(slices.Clone(opts), sorter.Into(into))...); err != nil ||
				!slices.Equal(gathered(in, p), want) || len(in) > 0 && &p[0] != &into[0] {
				t.Fatalf("OrderFunc into memory, %s, %s: %v, or another order, or other memory", name, m.name, err)
			}
		}
	}
}

func gathered[E any](s []E, p perm.Perm) []E {
	out := make([]E, len(p))
	for i, at := range p {
		out[i] = s[at]
	}
	return out
}

// TestFuncComparisons counts comparisons: inputs in order take one per step, few elements out of place cost
// little, and few values take few.
func TestFuncComparisons(t *testing.T) {
	const n = 10_000
	for shape, each := range map[string]float64{"sorted": 1, "falling": 1, "one value": 1, "nearly sorted": 1.5,
		"high strays in a row": 1.8, "three values": 3.5, "100 values": 9.5, "uniform": 15, "long saw": 5, "rotated": 3.5} {
		rows := drawFuncRows(slices.IndexFunc(funcShapes, func(s struct {
			name string
			key  func(r *rand.Rand, i, n int) float64
		}) bool {
			return s.name == shape
		}), n)
		calls := 0
		if err := sorter.SortFunc(rows, func(a, b funcRow) int { calls++; return a.compare(b) }, sorter.Workers(1)); err != nil {
			t.Fatal(err)
		}
		if float64(calls) > each*n {
			t.Errorf("%s: %.2f comparisons per element, want at most %.2f", shape, float64(calls)/n, each)
		}
	}
}

// TestFuncContradicts sorts by comparisons that contradict themselves: every element stays.
func TestFuncContradicts(t *testing.T) {
	for at, n := range funcSizes {
		if testkit.ThinnedTo(4, at) {
			continue
		}
		for name, compare := range map[string]func() func(a, b funcRow) int{
			"random": func() func(a, b funcRow) int {
				var state atomic.Uint64
				return func(a, b funcRow) int { return int(state.Add(0x9e3779b97f4a7c15)>>33)%3 - 1 }
			},
			"cyclic": func() func(a, b funcRow) int { return func(a, b funcRow) int { return (a.number-b.number)%3 - 1 } },
			"alternating": func() func(a, b funcRow) int {
				var n atomic.Int64
				return func(a, b funcRow) int { return int(n.Add(1)&1)*2 - 1 }
			},
			"always less": func() func(a, b funcRow) int { return func(a, b funcRow) int { return -1 << 63 >> (64 - 32) } },
			"always more": func() func(a, b funcRow) int { return func(a, b funcRow) int { return 1 } },
			"itself less": func() func(a, b funcRow) int {
				return func(a, b funcRow) int { return cmp.Or(cmp.Compare(a.key, b.key), -1) }
			},
		} {
			for _, workers := range []int{1, 4} {
				for _, shape := range []int{0, 2, 8} {
					rows := drawFuncRows(shape, n)
					if err := sorter.SortFunc(rows, compare(), sorter.Workers(workers)); err != nil {
						t.Fatal(err)
					}
					p, err := sorter.OrderFunc(rows, compare(), sorter.Workers(workers))
					if err != nil || p.Valid() != nil {
						t.Fatalf("%s, n=%d: %v, %v", name, n, err, p.Valid())
					}
					slices.SortFunc(rows, func(a, b funcRow) int { return a.number - b.number })
					if !slices.Equal(rows, drawFuncRows(shape, n)) {
						t.Fatalf("%s, n=%d, %d: an element is lost", name, n, at)
					}
				}
			}
		}
	}
}

// TestFuncAdversary sorts by a comparison that decides as late as it can, so that pivots are extreme
// (McIlroy, "A killer adversary for quicksort", 1999), and by those that contradict themselves: none takes
// many times n log n comparisons.
func TestFuncAdversary(t *testing.T) {
	const n = 20_000
	check := func(name string, compare func(a, b int) int) {
		calls := 0
		numbers := ascending(n)
		err := sorter.SortFunc(numbers, func(a, b int) int { calls++; return compare(a, b) }, sorter.Workers(1))
		if err != nil || calls > 32*n {
			t.Errorf("%s: %v, %d comparisons per element", name, err, calls/n)
		}
	}
	const gas = 2 * n
	values, solid, candidate := make([]int, n), 0, 0
	for i := range values {
		if values[i] = gas; i%4 == 1 { // or the input is found in order
			values[i] = -i
		}
	}
	check("adversary", func(a, b int) int {
		if values[a] == gas && values[b] == gas {
			if a == candidate {
				values[a] = solid
			} else {
				values[b] = solid
			}
			solid++
		}
		if values[a] == gas {
			candidate = a
		} else if values[b] == gas {
			candidate = b
		}
		return values[a] - values[b]
	})
	r := dist.Rand(1)
	check("mostly less", func(a, b int) int { return -min(1, r.IntN(1000)) })
	check("less, then more", func(a, b int) int { return r.IntN(3) - 1 })
}

// TestFuncPanics has comparisons panic, or end the goroutine: the slice is untouched.
func TestFuncPanics(t *testing.T) {
	for _, n := range []int{10, 100, 5000, 40_000} {
		for _, workers := range []int{1, 3} {
			for _, at := range []int64{1, int64(n) / 2, int64(n) * 3} {
				for _, exits := range []bool{false, true} {
					rows := drawFuncRows(0, n)
					before := slices.Clone(rows)
					var calls atomic.Int64
					compare := func(a, b funcRow) int {
						if calls.Add(1) == at {
							if exits {
								runtime.Goexit()
							}
							panic("own value")
						}
						return a.compare(b)
					}
					for _, opts := range [][]sorter.Option{{sorter.Workers(workers)}, {sorter.Workers(workers), sorter.WithContext(neverCancelled)}} {
						calls.Store(0)
						var value any
						returned := false
						done := make(chan bool)
						go func() {
							defer close(done)
							defer func() { value = recover() }()
							_ = sorter.SortFunc(rows, compare, opts...)
							returned = true
						}()
						<-done
						if returned != (calls.Load() < at) || !returned && exits != (value == nil) || value != nil && value != "own value" {
							t.Fatalf("n=%d, workers=%d, at=%d, exits=%v: returned %v, value %v", n, workers, at, exits, returned, value)
						}
						if !returned && !untouched(rows, before) {
							t.Fatalf("n=%d, workers=%d, at=%d: the slice changed", n, workers, at)
						}
						copy(rows, before)
					}
				}
			}
		}
	}
}

// TestFuncCancelled cancels sorts in a comparison: quick ones end within a turn per worker, slow ones
// within a call.
func TestFuncCancelled(t *testing.T) {
	crew := testkit.NewCrew()
	for _, n := range []int{100, 30_000} {
		for _, workers := range []int{1, 3} {
			for _, shape := range []int{0, 8, 14} {
				for _, at := range []int64{1, int64(n) / 3, int64(n) + int64(n)/9} {
					rows := drawFuncRows(shape, n)
					before := slices.Clone(rows)
					ctx, cancel := context.WithCancel(context.Background())
					a := &alarm{at: at, cancel: cancel}
					err := sorter.SortFunc(rows, func(x, y funcRow) int { a.call(); return x.compare(y) }, sorter.WithContext(ctx), sorter.Workers(workers))
					switch {
					case !a.rung.Load() && err == nil:
					case err == nil: // it had nothing left to compare
					case !errors.Is(err, context.Canceled), !untouched(rows, before):
						t.Fatalf("n=%d, workers=%d, shape %d, at %d: %v, or the slice changed", n, workers, shape, at, err)
					}
					if most := int64(workers * turnOfCalls); a.further.Load() > most {
						t.Errorf("n=%d, workers=%d, shape %d, at %d: %d calls after the cancellation", n, workers, shape, at, a.further.Load())
					}
					cancel()
				}
			}
		}
	}
	crew.CheckAlone(t, "cancelled sorts")
}

// TestFuncCancelledSlow cancels sorts with slow comparisons.
func TestFuncCancelledSlow(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a := &alarm{at: 40, each: 2 * time.Millisecond, cancel: cancel}
	rows := drawFuncRows(0, 1000)
	err := sorter.SortFunc(rows, func(x, y funcRow) int { a.call(); return x.compare(y) }, sorter.WithContext(ctx), sorter.Workers(1))
	if !errors.Is(err, context.Canceled) || a.further.Load() > 1 {
		t.Fatalf("%v after %d calls", err, a.further.Load())
	}
	done, cancelled := context.WithCancel(context.Background())
	cancelled()
	if err := sorter.SortFunc(rows, func(x, y funcRow) int { t.Error("called"); return 0 }, sorter.WithContext(done)); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// TestFuncLimits sorts under limits: scratch stays below, and an error leaves the slice as it was.
func TestFuncLimits(t *testing.T) {
	defer pipeline.OnPlanned(func(movement string, took, planned int64) {
		if took > planned {
			t.Errorf("%s took %d bytes, planned %d", movement, took, planned)
		}
	})()
	r := dist.Rand(5)
	failed := 0
	for i := range testkit.Pick(300, 3000) {
		n, shape := 2+r.IntN(12_000), r.IntN(len(funcShapes))
		limit := 1 + r.Int64N(int64(n)*60+70_000)
		rows := drawFuncRows(shape, n)
		before := slices.Clone(rows)
		var st sorter.Stats
		opts := []sorter.Option{sorter.MemoryLimit(limit), sorter.Workers(1 + r.IntN(4)), sorter.Report(&st)}
		switch err := sorter.SortFunc(rows, compareFuncRows, opts...); {
		case err == nil && st.Scratch <= limit && slices.IsSortedFunc(rows, compareFuncRows):
		case errors.Is(err, sorter.ErrMemoryLimit) && untouched(rows, before):
			failed++
		default:
			t.Fatalf("case %d: n=%d, limit %d: %v, scratch %d", i, n, limit, err, st.Scratch)
		}
		p, err := sorter.OrderFunc(before, compareFuncRows, opts...)
		if err != nil && !errors.Is(err, sorter.ErrMemoryLimit) || err == nil && (st.Scratch > limit || !slices.IsSortedFunc(gathered(before, p), compareFuncRows)) {
			t.Fatalf("case %d: order, n=%d, limit %d: %v, scratch %d", i, n, limit, err, st.Scratch)
		}
	}
	if failed == 0 {
		t.Error("no limit was too small")
	}
}

// TestFuncTooLong sorts more elements than numbers of 32 bits count, as tests have it.
func TestFuncTooLong(t *testing.T) {
	defer pipeline.LowerLimit(1000)()
	rows := mapped(drawFuncRows(0, 1001), wideOf)
	if _, err := sorter.OrderFunc(rows, compareWideRows); !errors.Is(err, sorter.ErrTooLong) {
		t.Fatal(err)
	}
	if err := sorter.SortFunc(rows, compareWideRows); err != nil || !slices.IsSortedFunc(rows, compareWideRows) {
		t.Fatal(err)
	}
	if err := sorter.SortFunc(mapped(drawFuncRows(0, 1001), wideOf), compareWideRows, sorter.MemoryLimit(100_000)); !errors.Is(err, sorter.ErrMemoryLimit) {
		t.Fatal(err)
	}
}

// TestFuncMisuse panics with the package's own texts.
func TestFuncMisuse(t *testing.T) {
	rows := drawFuncRows(0, 10)
	var runs perm.Runs
	for want, f := range map[string]func(){
		"sorter: nil comparison":                     func() { _ = sorter.SortFunc(rows, nil) },
		"sorter: nil comparison ":                    func() { _, _ = sorter.OrderFunc(rows, nil) },
		"sorter: runs by 2 columns of an order by 1": func() { _, _ = sorter.OrderFunc(rows, compareFuncRows, sorter.MarkRunsBy(2, &runs)) },
	} {
		func() {
			defer func() {
				if got := recover(); got != strings.TrimSpace(want) {
					t.Errorf("got %v, want %q", got, want)
				}
			}()
			f()
		}()
	}
}

// TestFuncStartsNone sorts up to 4096 elements on the calling goroutine.
func TestFuncStartsNone(t *testing.T) {
	for _, n := range []int{10, 100, 4096} {
		rows := drawFuncRows(0, n)
		testkit.CheckStartsNone(t, fmt.Sprintf("n=%d", n), func() {
			_ = sorter.SortFunc(rows, compareFuncRows)
		})
	}
}

// TestFuncAllocates sorts few elements without memory of their own, and more with pooled memory.
func TestFuncAllocates(t *testing.T) {
	testkit.SkipRace(t)
	for n, most := range map[int]float64{10: 0, 32: 0, 33: 1, 63: 1, 1000: 6} {
		in, rows := drawFuncRows(0, n), make([]funcRow, n)
		allocs := testing.AllocsPerRun(100, func() {
			copy(rows, in)
			_ = sorter.SortFunc(rows, compareFuncRows)
		})
		if allocs > most {
			t.Errorf("n=%d: %v allocations, want at most %v", n, allocs, most)
		}
	}
}

// TestFuncReport reports what ran.
func TestFuncReport(t *testing.T) {
	var st sorter.Stats
	for shape, want := range map[int]string{0: "", 5: "sorted", 6: "reversed"} {
		if err := sorter.SortFunc(drawFuncRows(shape, 10_000), compareFuncRows, sorter.Report(&st)); err != nil {
			t.Fatal(err)
		}
		if st.Algorithm != "Comparison" || st.Engine != "cpu" || st.Shape != want || st.Elements != 10_000 || (st.Scratch > 0) != (want == "") || len(st.Stages) == 0 {
			t.Errorf("shape %d: %+v", shape, st)
		}
	}
}

package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
)

// Engines are registered for the life of a process, so each of these tests runs
// in a process of its own: this binary, told by a variable what to do.

const childVariable = "SORTER_TEST_CHILD"

var errLost = errors.New("the plain engine is lost")

// observing is an engine that is told how long sorts take, on it or not.
type observing struct {
	*plainEngine
	places []bool
}

func (e *observing) Observe(w engine.Work, onEngine bool, took time.Duration) {
	if w.N > 0 && took > 0 {
		e.places = append(e.places, onEngine)
	}
}

// children register an engine and hold automatic choice to the contract.
var children = map[string]func(t *testing.T){
	"chosen where it is worth it": func(t *testing.T) {
		e := &plainEngine{worth: true}
		engine.Register(e)
		st := checkSortedBy(t, "plain")
		if st.Fallback != nil || e.calls.Load() != 1 {
			t.Errorf("%d calls of the engine, fallback %v", e.calls.Load(), st.Fallback)
		}
		if st = checkSortedBy(t, "plain"); st.Calibration != "1 sorts" || !strings.Contains(st.String(), st.Calibration) {
			t.Errorf("calibration %q, in words\n%v", st.Calibration, st)
		}
		reportSame(t, "Backends", nil, backendNames(), []string{sorter.CPU().Name(), "plain"})
	},
	"left alone where it is not": func(t *testing.T) {
		e := &plainEngine{}
		engine.Register(e)
		st := checkSortedBy(t, sorter.CPU().Name())
		if e.calls.Load() != 0 || st.Calibration == "" {
			t.Errorf("%d calls of the engine", e.calls.Load())
		}
	},
	"lost: the CPU finishes": func(t *testing.T) {
		engine.Register(&plainEngine{worth: true, failAt: 1000, err: errLost})
		if st := checkSortedBy(t, sorter.CPU().Name()); !errors.Is(st.Fallback, errLost) || !strings.Contains(st.String(), errLost.Error()) {
			t.Errorf("fallback %v, in words\n%v", st.Fallback, st)
		}
	},
	"told how long sorts take that say something of others": func(t *testing.T) {
		e := &observing{plainEngine: &plainEngine{worth: true}}
		engine.Register(e)
		checkSortedBy(t, "plain")
		e.worth = false
		checkSortedBy(t, sorter.CPU().Name())
		e.worth, e.err = true, errLost
		checkSortedBy(t, sorter.CPU().Name()) // the engine fails
		inOrder := make([]int64, 20_000)
		for i := range inOrder {
			inOrder[i] = int64(i)
		}
		for _, e.worth = range []bool{true, false} {
			if err := sorter.SortKeys(inOrder); err != nil {
				t.Error(err)
			}
		}
		if !slices.Equal(e.places, []bool{true, false}) {
			t.Errorf("sorts on the engine: %v", e.places)
		}
	},
	"pairs are for the engine, and lost, for the CPU, and in order, for the CPU": func(t *testing.T) {
		e := &plainEngine{worth: true}
		engine.Register(e)
		place := func(row int) int { return row }
		for _, c := range []struct {
			input  string
			err    error
			engine string
			by     string
		}{
			{"zipf", nil, "plain", "IndexGather"},
			{"zipf", errLost, sorter.CPU().Name(), "IndexGather"},
			{"sorted", nil, sorter.CPU().Name(), "BucketRadix"},
		} {
			e.err, e.failAt = c.err, 9000
			keys := dist.Named(c.input).Draw(20_000, dist.Rand(3))
			var st sorter.Stats
			checkStablePairs(t, c.input, keys, ascending(len(keys)), false, place, []sorter.Option{sorter.Stable(), sorter.Report(&st)})
			checkReport(t, fmt.Sprintf("%s, %v", c.input, c.err), nil, st, sorter.Stats{Engine: c.engine, Algorithm: c.by, Elements: len(keys), CodeBits: 64, Fallback: c.err}, "Shape")
		}
	},
	"lost while it writes an order: the CPU finishes in the same memory": func(t *testing.T) {
		engine.Register(&plainEngine{worth: true, failAt: 9000, err: errLost})
		in := prices(20_000)
		want, _ := sorter.OrderKeys(in, sorter.On(sorter.CPU()))
		var st sorter.Stats
		m := newMemory(0, len(in))
		got, err := sorter.OrderKeys(in, sorter.Into(m.p), sorter.Report(&st))
		checkSame(t, "OrderKeys", err, got, want)
		if unsafe.SliceData(got) != unsafe.SliceData(m.p) || !errors.Is(st.Fallback, errLost) {
			t.Errorf("in other memory, or fallback %v", st.Fallback)
		}
	},
	"lost while it writes an order: the CPU reads columns again, and calls no function again": func(t *testing.T) {
		in := prices(20_000)
		text := mapped(in, func(p float32) string { return fmt.Sprintf("%012.3f dollars", p) })
		calls := make([]atomic.Int32, len(in))
		called := sorter.Asc(func(row int) bool { calls[row].Add(1); return in[row] > 0 })
		e := &plainEngine{worth: true, failAt: 9000, err: errLost}
		engine.Register(e)
		for i, cols := range [][]sorter.Column[int]{{sorter.AscOf(text)}, {sorter.AscOf(in), sorter.AscOf(text)}, {called, sorter.AscOf(text)}} {
			want, _ := sorter.RowsBy(len(in), cols...).Order(sorter.On(sorter.CPU()))
			clear(calls)
			var st sorter.Stats
			got, err := sorter.RowsBy(len(in), cols...).Order(sorter.Report(&st))
			checkSame(t, "Rows.Order", err, got, want)
			if !errors.Is(st.Fallback, errLost) {
				t.Errorf("columns %d: fallback %v", i, st.Fallback)
			}
		}
		for row := range calls {
			if c := calls[row].Load(); c != 1 {
				t.Fatalf("%d calls for row %d", c, row)
			}
		}
	},
	"lost while it writes keys: the CPU finishes": func(t *testing.T) {
		engine.Register(&plainEngine{worth: true, failAt: 9000, err: errLost})
		in := mapped(fills(20_000), func(f fill) float32 { return f.Price })
		for _, ctx := range []context.Context{context.Background(), t.Context()} {
			s := slices.Clone(in)
			var st sorter.Stats
			err := sorter.SortKeys(s, sorter.Report(&st), sorter.WithContext(ctx))
			checkSame(t, "SortKeys", err, s, slices.Sorted(slices.Values(in)))
			checkReport(t, "SortKeys", nil, st, sorter.Stats{Engine: sorter.CPU().Name(), Algorithm: "BucketRadix", Elements: len(in), CodeBits: 32, Fallback: errLost}, "Shape")
		}
	},
	"lost with an algorithm that the CPU has: it finishes by that": func(t *testing.T) {
		engine.Register(&plainEngine{worth: true, failAt: 1000, err: errLost})
		keys := prices(20_000)
		for _, limit := range []int64{1 << 40, 32 << 20} {
			var st sorter.Stats
			_, err := sorter.OrderKeys(keys, sorter.Use(sorter.Bitonic), sorter.MemoryLimit(limit), sorter.Workers(2), sorter.Report(&st))
			want := sorter.Stats{Engine: sorter.CPU().Name(), Algorithm: "Bitonic", Elements: len(keys), CodeBits: 32, Fallback: errLost}
			checkReport(t, fmt.Sprintf("OrderKeys under %d bytes", limit), err, st, want, "Shape")
			s := slices.Clone(keys)
			err = sorter.SortKeys(s, sorter.Use(sorter.Bitonic), sorter.MemoryLimit(limit), sorter.Workers(2), sorter.Report(&st))
			checkSame(t, "SortKeys", err, s, slices.Sorted(slices.Values(keys)))
			checkReport(t, fmt.Sprintf("SortKeys under %d bytes", limit), nil, st, want, "Shape")
		}
	},
	"no device for an algorithm that the CPU lacks": func(t *testing.T) {
		e := &plainEngine{err: fmt.Errorf("%w: nothing plugged in", sorter.ErrNoDevice)}
		engine.Register(e)
		in := fills(20_000)
		for _, v := range verbs {
			if strings.Contains(v.name, "Merge") || v.name == "Sort by IndexGather" {
				continue // merges, or asks for another algorithm
			}
			in := v.input(20_000)
			for _, limit := range []int64{1 << 40, 44*int64(len(in)) + 1<<18} {
				s := slices.Clone(in)
				err := v.run(s, price, sorter.MemoryLimit(limit), sorter.Use(sorter.BucketBitonic), sorter.Workers(2))
				if !errors.Is(err, sorter.ErrNoDevice) && !errors.Is(err, sorter.ErrMemoryLimit) || limit == 1<<40 && v.name != "Sort in place" && !errors.Is(err, sorter.ErrNoDevice) {
					t.Errorf("%s under %d bytes: %v, want ErrNoDevice", v.name, limit, err)
				}
				checkSame(t, v.name+": the slice", nil, s, in)
			}
		}
		keys := mapped(in, price)
		s := slices.Clone(keys)
		if err := sorter.SortKeys(s, sorter.Use(sorter.Hybrid)); !errors.Is(err, sorter.ErrNoDevice) {
			t.Errorf("SortKeys: %v, want ErrNoDevice", err)
		}
		checkSame(t, "SortKeys: the slice", nil, s, keys)
	},
	"asked once for its algorithms, since its device may report others meanwhile": func(t *testing.T) {
		e := new(learningEngine)
		engine.Register(e)
		for _, v := range verbs {
			if strings.Contains(v.name, "Merge") || v.name == "Sort by IndexGather" || v.name == "Sort in place" {
				continue // merges, asks for another algorithm, or is many sorts
			}
			e.asked.Store(0)
			e.calls.Store(0)
			s := v.input(20_000)
			if err := v.run(s, price, sorter.Use(sorter.BucketBitonic)); err != nil || e.asked.Load() != 1 || e.calls.Load() == 0 {
				t.Errorf("%s: asked %d times, called %d times, error %v", v.name, e.asked.Load(), e.calls.Load(), err)
			}
		}
	},
	"left alone where rows look as if they were in order": func(t *testing.T) {
		e := &plainEngine{worth: true}
		engine.Register(e)
		for i, n := range []int{2*engine.Block - 1, 2 * engine.Block, 20_000, 100_001} {
			for j, in := range sampledInOrder(n) {
				if testkit.Thinned(i + j) {
					continue
				}
				name := fmt.Sprintf("%s, n=%d", in.name, n)
				engines := map[string]string{}
				var st sorter.Stats
				// Few elements ask no engine, unless an option takes them off the small path.
				opts := []sorter.Option{sorter.Report(&st), sorter.OnProgress(func(sorter.Progress) {})}

				calls := make([]atomic.Int32, n)
				s := slices.Clone(in.fills)
				err := sorter.Sort(s, func(f fill) float32 { calls[f.Pos].Add(1); return f.Price }, append(opts, sorter.Stable())...)
				checkSame(t, name+", Sort", err, s, byPrice(in.fills))
				engines["Sort"] = st.Engine
				for i := range calls {
					if c := calls[i].Load(); c != 1 {
						t.Fatalf("%s: %d calls for element %d", name, c, i)
					}
				}

				text := func(f fill) string { return fmt.Sprintf("%08.0f", f.Price) }
				s = slices.Clone(in.fills)
				err = sorter.By(sorter.Asc(text), sorter.Asc(func(f fill) uint64 { return f.Pos })).Sort(s, opts...)
				checkSame(t, name+", By", err, s, byPrice(in.fills))
				engines["By"] = st.Engine

				keys := mapped(in.fills, price)
				want := slices.Sorted(slices.Values(keys))
				order, err := sorter.OrderKeys(keys, opts...)
				checkSame(t, name+", OrderKeys", err, mapped(order, func(i uint32) float32 { return keys[i] }), want)
				engines["OrderKeys"] = st.Engine
				err = sorter.SortKeys(keys, opts...)
				checkSame(t, name+", SortKeys", err, keys, want)
				engines["SortKeys"] = st.Engine

				for verb, by := range engines {
					if want := in.inOrder && n >= 2*engine.Block; want != (by == sorter.CPU().Name()) {
						t.Errorf("%s, %s: by %q", name, verb, by)
					}
				}
			}
		}
	},
	"overruled by On": func(t *testing.T) {
		e := &plainEngine{worth: true}
		engine.Register(e)
		st := checkSortedBy(t, sorter.CPU().Name(), sorter.On(sorter.CPU()))
		if e.calls.Load() != 0 || st.Calibration != "" {
			t.Errorf("%d calls of the engine", e.calls.Load())
		}
	},
	"switched off": func(t *testing.T) {
		t.Setenv("SORTER_BACKEND", "cpu")
		e := &plainEngine{worth: true}
		engine.Register(e)
		checkSortedBy(t, sorter.CPU().Name())
		if e.calls.Load() != 0 {
			t.Errorf("%d calls of the engine", e.calls.Load())
		}
		reportSame(t, "Backends", nil, backendNames(), []string{sorter.CPU().Name()})
	},
}

// learningEngine has algorithms at the first question only.
type learningEngine struct {
	plainEngine
	asked atomic.Int32
}

func (e *learningEngine) Runs(sorter.Algorithm) bool { return e.asked.Add(1) == 1 }

// sampledInOrder are elements with whole numbers for prices, whose sample is in order,
// and others.
func sampledInOrder(n int) (all []struct {
	name    string
	fills   []fill
	inOrder bool
}) {
	for _, c := range []struct {
		name    string
		price   func(i int) int
		inOrder bool
	}{
		{"sorted", func(i int) int { return i / 3 }, true},
		{"falling", func(i int) int { return n - i }, true},
		{"flat", func(int) int { return 7 }, true},
		{"sorted where sampled", func(i int) int {
			if i == 1000 { // no sampled piece has it
				return n
			}
			return i
		}, true},
		{"falling with ties", func(i int) int { return (n - i) / 3 }, false},
		{"sorted except the end", func(i int) int {
			if i > n-50 {
				return i * 7919 % n
			}
			return i
		}, false},
		{"uniform", func(i int) int { return i * 7919 % 100_003 }, false},
	} {
		s := make([]fill, n)
		for i := range s {
			s[i] = fill{Price: float32(c.price(i)), Pos: uint64(i)}
		}
		all = append(all, struct {
			name    string
			fills   []fill
			inOrder bool
		}{c.name, s, c.inOrder})
	}
	return all
}

// checkSortedBy sorts, stably, and holds the report to the engine's name.
func checkSortedBy(t *testing.T, name string, opts ...sorter.Option) *sorter.Stats {
	t.Helper()
	in := fills(20_000)
	s := slices.Clone(in)
	var st sorter.Stats
	err := sorter.Sort(s, price, append(opts, sorter.Stable(), sorter.Report(&st))...)
	checkSame(t, "Sort", err, s, byPrice(in))
	if st.Engine != name {
		t.Errorf("sorted by %q, want %q", st.Engine, name)
	}
	return &st
}

func backendNames() []string { return mapped(sorter.Backends(), sorter.Backend.Name) }

func TestRegisteredEngines(t *testing.T) {
	if name := os.Getenv(childVariable); name != "" {
		t.Run(name, children[name])
		return
	}
	for name := range children {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestRegisteredEngines$", "-test.v", fmt.Sprintf("-test.short=%v", testing.Short()))
			cmd.Env = append(os.Environ(), childVariable+"="+name, "GORACE=atexit_sleep_ms=0")
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "--- PASS: TestRegisteredEngines/") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

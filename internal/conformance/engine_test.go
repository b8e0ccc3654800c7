package conformance_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// plainEngine is the slow, obvious twin of every engine: it pulls all codes,
// sorts indices by code and position and emits them, or the codes where it
// may, in ranges of odd sizes out of sequence. It holds the library to its side
// of the contract.
type plainEngine struct {
	worth     bool // asked for by the planner
	positions bool // emits positions where it might emit codes
	calls     atomic.Int32
	failAt    int    // emit this many, then fail with err
	err       error  // nil: do not fail
	emitting  func() // called before anything is emitted
	problem   atomic.Value
}

func (e *plainEngine) Name() string           { return "plain" }
func (e *plainEngine) Worth(engine.Work) bool { return e.worth }

// Calibration says how many sorts the engine judged its work by.
func (e *plainEngine) Calibration() string { return fmt.Sprintf("%d sorts", e.calls.Load()) }

func (e *plainEngine) Runs(a sorter.Algorithm) bool { return a != sorter.BucketRadix }

func (e *plainEngine) Order(ctx context.Context, job *engine.Job) error {
	e.calls.Add(1)
	codes := make([]uint64, job.N)
	err := job.Loop.Run("pull", job.N, engine.Block, func(_, lo, hi int) { pullBlock(job, codes, lo, hi) })
	if err != nil {
		return err
	}
	for i, c := range codes {
		if job.Bits < 64 && c>>job.Bits != 0 {
			e.problem.Store(fmt.Sprintf("code %#x of element %d has more than %d bits", c, i, job.Bits))
		}
	}
	order := orderOf(job, codes)
	if e.emitting != nil {
		e.emitting()
	}
	switch takesCodes := job.EmitCodes32 != nil || job.EmitCodes64 != nil; {
	case !takesCodes || e.positions:
		return emit(e, order, job.Emit)
	case job.Bits > 32:
		return emit(e, codesBy(order, codes), job.EmitCodes64)
	}
	narrow := mapped(codesBy(order, codes), func(c uint64) uint32 { return uint32(c) })
	return emit(e, narrow, job.EmitCodes32)
}

// orderOf returns the stable order of the codes of a job, and marks its ties.
func orderOf(job *engine.Job, codes []uint64) []uint32 {
	order := make([]uint32, job.N)
	for i := range order {
		order[i] = uint32(i)
	}
	testkit.SortStable(order, func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
	if job.Ties != nil {
		engine.MarkTies(job.Ties, 0, false, codesBy(order, codes))
	}
	return order
}

func codesBy(order []uint32, codes []uint64) []uint64 {
	return mapped(order, func(at uint32) uint64 { return codes[at] })
}

func pullBlock(job *engine.Job, codes []uint64, lo, hi int) {
	if job.Bits > 32 {
		job.Codes64(codes[lo:hi], lo)
		return
	}
	narrow := make([]uint32, hi-lo)
	job.Codes32(narrow, lo)
	for i, c := range narrow {
		codes[lo+i] = uint64(c)
	}
}

// emit sends the second half first, each in ranges of 777 that are overwritten
// once they are handed over.
func emit[W uint32 | uint64](e *plainEngine, words []W, sink func(lo int, words []W)) error {
	half, sent := len(words)/2, 0
	for _, part := range [][2]int{{half, len(words)}, {0, half}} {
		for lo := part[0]; lo < part[1]; lo += 777 {
			if e.err != nil && sent >= e.failAt {
				return e.err
			}
			hi := min(lo+777, part[1])
			sink(lo, words[lo:hi])
			for i := lo; i < hi; i++ {
				words[i] = ^W(0)
			}
			sent += hi - lo
		}
	}
	return e.err
}

// engineSizes are the sizes at which an engine meets every kind of key.
var engineSizes = []int{0, 1, 2, 40, 3000, 9001}

// thinnedOnEngine is [testkit.Thinned], for the i-th of four inputs at the j-th of engineSizes. Every
// kind has one of the inputs at the largest size, which another kind has less of.
func thinnedOnEngine(k keyCase, i, j int) bool {
	if engineSizes[j] > alone && i == len(k.Name())%4 {
		return false
	}
	return testkit.Thinned(i + 4*j + len(k.Name()))
}

func TestEngine(t *testing.T) {
	eachKind(t, func(k keyCase, t *testing.T) {
		for i, input := range []string{"uniform", "sprinkled", "16 values", "edge values"} {
			for j, n := range engineSizes {
				if thinnedOnEngine(k, i, j) {
					continue
				}
				ref := drawn(k, input, n, uint64(n))
				e := &plainEngine{positions: n%2 == 0}
				m := directions[i]
				m.name += " on the plain engine"
				m.opts = append(slices.Clone(m.opts), sorter.On(e))
				ref.checkSort(t, m)
				ref.checkSortKeys(t, m)
				ref.checkSortKeysDefault(t, m)
				ref.checkSortPairs(t, m)
				ref.checkOrder(t, m)
				if p := e.problem.Load(); p != nil {
					t.Fatalf("%s: %v", ref.name, p)
				}
				if n > 1 && e.calls.Load() == 0 {
					t.Fatalf("%s: On was asked for, but the engine not", ref.name)
				}
			}
		}
	})
}

// TestEngineKeyCalls counts key calls and reads the report of another engine.
func TestEngineKeyCalls(t *testing.T) {
	in := fills(20_000)
	calls := make([]atomic.Int32, len(in))
	var st sorter.Stats
	s := slices.Clone(in)
	err := sorter.Sort(s, func(f fill) float32 { calls[f.Pos].Add(1); return f.Price }, sorter.On(&plainEngine{}), sorter.Stable(), sorter.Report(&st))
	checkSame(t, "Sort on the plain engine", err, s, byPrice(in))
	for i := range calls {
		if c := calls[i].Load(); c != 1 {
			t.Fatalf("%d key calls for element %d", c, i)
		}
	}
	checkReport(t, "Sort", nil, st, sorter.Stats{Engine: "plain", Elements: len(in)}, "Algorithm", "Shape", "CodeBits")
}

// TestEngineFails loses the engine at several moments: the call fails with its
// error and everything is as it was.
func TestEngineFails(t *testing.T) {
	lost := &sorter.DeviceError{Device: "plain", Op: "emit", Code: 719}
	for _, v := range verbs {
		if v.name == "Sort in place" || strings.Contains(v.name, "Merge") {
			continue // see TestEngineInLittleMemory and TestEngineNotAsked
		}
		for _, n := range []int{10, 5000, scaled(60_000)} {
			for _, failAt := range []int{0, n / 3, n} {
				name := fmt.Sprintf("%s, n=%d, lost after %d", v.name, n, failAt)
				in, crew := v.input(n), testkit.NewCrew()
				s := slices.Clone(in)
				err := v.run(s, price, sorter.Workers(3), sorter.On(&plainEngine{failAt: failAt, err: fmt.Errorf("lost: %w", lost)}))
				var device *sorter.DeviceError
				if !errors.As(err, &device) || device != lost {
					t.Errorf("%s: error %v, want that of the engine", name, err)
				}
				checkSame(t, name+": the slice", nil, s, in)
				crew.CheckAlone(t, name)
			}
		}
	}
}

// TestEngineFailsWhileKeysAreWritten loses the engine, or the context, after some
// keys were written over others: the slice is restored, bit for bit.
func TestEngineFailsWhileKeysAreWritten(t *testing.T) {
	n := testkit.Pick(10_000, 30_000) // more than one worker sorts
	checkKeysRestored(t, mapped(fills(n), func(f fill) uint32 { return uint32(f.Pos) * 2654435761 }), func(k uint32) uint64 { return uint64(k) })
	checkKeysRestored(t, mapped(fills(n), func(f fill) int64 { return int64(f.Pos) * -7046029254386353131 }), func(k int64) uint64 { return uint64(k) })
	odd := [6]float64{math.NaN(), math.Copysign(0, -1), 0, math.Inf(-1), -math.NaN(), 7}
	checkKeysRestored(t, mapped(fills(n), func(f fill) float64 { return odd[f.Pos%6] * float64(f.Pos/1000) }), math.Float64bits)
	checkKeysRestored(t, mapped(fills(3), func(f fill) uint8 { return uint8(-f.Pos) }), func(k uint8) uint64 { return uint64(k) })
}

func checkKeysRestored[K sorter.Key](t *testing.T, in []K, bits func(K) uint64) {
	t.Helper()
	lost := errors.New("lost")
	for _, failAt := range []int{0, 1, len(in) / 2, len(in)} {
		for _, positions := range []bool{false, true} {
			s := slices.Clone(in)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			for _, c := range []struct {
				name     string
				emitting func()
				opts     []sorter.Option
				want     error
			}{
				{"lost", nil, nil, lost},
				{"lost under a context", nil, []sorter.Option{sorter.WithContext(ctx), sorter.Descending()}, lost},
				{"lost and cancelled", cancel, []sorter.Option{sorter.WithContext(ctx)}, context.Canceled},
			} {
				e := &plainEngine{positions: positions, failAt: failAt, err: lost, emitting: c.emitting}
				err := sorter.SortKeys(s, append(c.opts, sorter.On(e), sorter.Workers(3))...)
				name := fmt.Sprintf("%T, %s after %d, positions %v", in, c.name, failAt, positions)
				if !errors.Is(err, c.want) {
					t.Errorf("%s: error %v", name, err)
				}
				checkSame(t, name, nil, mapped(s, bits), mapped(in, bits))
			}
		}
	}
}

// TestEngineKeysInOrder sorts keys of which the engine says that they are in
// order and pushes nothing.
func TestEngineKeysInOrder(t *testing.T) {
	in := mapped(fills(1000), func(f fill) int32 { return int32(f.Pos) - 500 })
	s := slices.Clone(in)
	err := sorter.SortKeys(s, sorter.On(&silentEngine{}))
	checkSame(t, "keys in order", err, s, in)
}

// silentEngine finds every input in order.
type silentEngine struct{ plainEngine }

func (*silentEngine) Order(_ context.Context, job *engine.Job) error {
	job.Found("sorted")
	return nil
}

// TestEngineInLittleMemory limits the memory of sorts on another engine: its
// need is enough, with less the call fails, and at no limit does the CPU sort
// instead.
func TestEngineInLittleMemory(t *testing.T) {
	const n = 300_000
	in := mapped(fills(n), func(f fill) uint32 { return uint32(f.Pos) * 2654435761 })
	key := func(v uint32) uint32 { return v }
	sorted := slices.Sorted(slices.Values(in))
	text := func(v uint32) string { return decimal(uint64(v)) } // all begin with ten zeros
	slab := make([]uint32, n)
	for i, c := range []struct {
		name   string
		enough int64 // bytes per element; a quarter of it is too little
		want   []uint32
		sort   func(s []uint32, opts ...sorter.Option) error
	}{
		{"SortKeys", 5, sorted, func(s []uint32, opts ...sorter.Option) error { return sorter.SortKeys(s, opts...) }},
		{"Sort", 4 + 4 + 2, sorted, func(s []uint32, opts ...sorter.Option) error { return sorter.Sort(s, key, opts...) }},
		{"Sort by string", 110, sorted, func(s []uint32, opts ...sorter.Option) error { return sorter.Sort(s, text, opts...) }},
		{"SortPairs", 4 + 4 + 4 + 2, sorted, func(s []uint32, opts ...sorter.Option) error { return sorter.SortPairs(s, slab, opts...) }},
		{"TopK", 4 + 1, sorted[:n/2], func(s []uint32, opts ...sorter.Option) error { return sorter.TopK(s, n/2, key, opts...) }},
		{"Order by string", 110, in, func(s []uint32, opts ...sorter.Option) error {
			p, err := sorter.Order(s, text, opts...)
			if err == nil {
				got := make([]uint32, n)
				perm.Gather(got, s, p, 2)
				checkSame(t, "Order", nil, got, sorted)
			}
			return err
		}},
	} {
		for j, limit := range []int64{c.enough * n / 4, c.enough * n / 2, c.enough * n, c.enough*n + 2*tablesAllowance(2)} {
			if testkit.Thinned(i + j) {
				continue
			}
			name := fmt.Sprintf("%s, limit %d", c.name, limit)
			s := slices.Clone(in)
			var st sorter.Stats
			err := c.sort(s, sorter.On(&plainEngine{}), sorter.MemoryLimit(limit), sorter.Report(&st), sorter.Workers(2))
			if st.Scratch > limit {
				t.Errorf("%s: Stats.Scratch is %d", name, st.Scratch)
			}
			switch {
			case errors.Is(err, sorter.ErrMemoryLimit) && limit < c.enough*n:
				checkSame(t, name+": the slice after ErrMemoryLimit", nil, s, in)
			case err == nil && st.Engine == "plain" && limit > c.enough*n/4:
				checkSame(t, name, nil, s[:len(c.want)], c.want)
			case limit != c.enough*n:
				t.Errorf("%s: %v, engine %q", name, err, st.Engine)
			}
		}
	}
}

// TestEngineNotAsked calls what runs on the CPU whatever On says.
func TestEngineNotAsked(t *testing.T) {
	in := sortedHalves(10_000)
	on := sorter.On(&plainEngine{err: errLost})
	var st sorter.Stats
	dst := make([]fill, len(in))
	err := sorter.Merge(dst, [][]fill{in[:5000], in[5000:]}, price, on, sorter.Report(&st))
	checkSame(t, "Merge", err, dst, byPrice(in))
	if st.Engine != sorter.CPU().Name() {
		t.Errorf("merged by %q", st.Engine)
	}
	k := len(in) / 32
	err = sorter.TopK(in, k, price, on, sorter.Report(&st))
	checkSame(t, "TopK", err, in[:k], dst[:k])
	if st.Engine != sorter.CPU().Name() {
		t.Errorf("selected by %q", st.Engine)
	}
	if err = sorter.TopK(in, k+1, price, on); !errors.Is(err, errLost) {
		t.Errorf("TopK of more: %v, want the engine's error", err)
	}
}

// TestEnginePanicsAndCancels has key functions panic and contexts end while
// another engine pulls.
func TestEnginePanicsAndCancels(t *testing.T) {
	in := fills(50_000)
	s, crew := slices.Clone(in), testkit.NewCrew()
	got := panicValue(func() {
		_ = sorter.Sort(s, func(f fill) float32 {
			if f.Pos == 30_000 {
				panic("key")
			}
			return f.Price
		}, sorter.On(&plainEngine{}))
	})
	if got != "key" {
		t.Errorf("recovered %v", got)
	}
	checkSame(t, "the slice after the panic", nil, s, in)

	ctx, cancel := context.WithCancel(context.Background())
	err := sorter.Sort(s, func(f fill) float32 {
		if f.Pos == 30_000 {
			cancel()
		}
		return f.Price
	}, sorter.On(&plainEngine{}), sorter.WithContext(ctx))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while pulling: %v", err)
	}
	checkSame(t, "the slice after the cancellation", nil, s, in)
	crew.CheckAlone(t, "another engine")
}

// TestEngineColumns orders by several columns on another engine.
func TestEngineColumns(t *testing.T) {
	t.Parallel()
	r := dist.Rand(44)
	for i := range 60 {
		spec, m := randomSpec(r), directions[i%len(directions)]
		if testkit.ThinnedTo(4, i) {
			continue
		}
		m.opts = append(slices.Clone(m.opts), sorter.On(&plainEngine{}))
		m.name += " on the plain engine"
		in := newRecords(i*37, uint64(i))
		want := slices.Clone(in)
		testkit.SortStable(want, spec.compare(m.order))
		name := fmt.Sprintf("%v, n=%d, %s", spec, len(in), m.name)
		checkOrderingSort(t, name, spec, in, want, m)
		checkOrderingOrder(t, name, spec, in, want, m)
	}
}

//go:build linux && (amd64 || arm64)

package gpu

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// newJob is a job over codes, and the order that it emits.
func newJob[W word](ctx context.Context, a engine.Algorithm, codes []W) (job *engine.Job, order []uint32) {
	order = make([]uint32, len(codes))
	job = &engine.Job{N: len(codes), Bits: 32, Algorithm: a, Env: &engine.Env{Loop: parallel.Loop{Ctx: ctx, Workers: 3}}}
	job.Emit = func(lo int, positions []uint32) { copy(order[lo:], positions) }
	switch codes := any(codes).(type) {
	case []uint32:
		job.Codes32 = func(dst []uint32, lo int) { copy(dst, codes[lo:]) }
	case []uint64:
		job.Bits, job.Codes64 = 64, func(dst []uint64, lo int) { copy(dst, codes[lo:]) }
	}
	return job, order
}

// cut is a way for a list to come to the device.
type cut struct {
	algorithm engine.Algorithm
	chunks    int
	onDevice  bool
}

var cuts = []cut{
	{engine.BucketBitonic, 2, true}, {engine.BucketBitonic, 3, true}, {engine.BucketBitonic, 7, true}, {engine.Auto, 4, true},
	{engine.Auto, 7, false}, {engine.MergeSort, 7, false}, {engine.Radix, 20, false}, {engine.SampleSort, 7, false},
	{engine.Hybrid, 1, false}, {engine.Hybrid, 2, false}, {engine.Hybrid, 3, false}, {engine.Hybrid, 7, false},
}

// n is the length of a list of so many chunks of that length, the last one shorter.
func (c cut) n(length int) int { return c.chunks*length - length/3 }

// limit is the device memory with which a list is cut so.
func (c cut) limit(e *Engine, wide, keys bool, length int) int {
	way := chunking{device: e.dev, algorithm: c.algorithm, wide: wide, keys: keys, onDevice: c.onDevice}
	if c.algorithm == engine.Hybrid {
		way.algorithm = engine.Auto
	}
	limit := way.bytes(length)
	if c.onDevice {
		limit += runsBytes(way.input(c.n(length)))
	}
	return limit
}

// TestChunks sorts lists that need several chunks, whose runs stay on the device
// or go to the host. The workspace refuses what would be beyond the limit.
func TestChunks(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := open(t, Verify())
	const length = 5 * engine.Block
	share := 5
	if testing.Short() {
		share = 13
	}
	for i, c := range cuts {
		for j, name := range slices.Sorted(maps.Keys(codesOf)) {
			if (i+j)%share > 0 || testing.Short() && c.chunks > 7 {
				continue
			}
			t.Run(fmt.Sprint(name, " ", c), func(t *testing.T) {
				codes := codesOf[name](rand.New(rand.NewPCG(1, uint64(i))), c.n(length))
				testChunks(t, e, c, length, codes)
				testChunks(t, e, c, length, fill32(codes))
			})
		}
	}
}

func testChunks[W word](t *testing.T, e *Engine, c cut, length int, codes []W) {
	t.Helper()
	e.dev.limit = c.limit(e, isWide[W](), false, length)
	job, order := markedJob(t.Context(), c.algorithm, codes)
	defer job.Arena.Release(1)
	if err := e.Order(t.Context(), job); err != nil || !slices.Equal(order, want(codes)) {
		t.Fatalf("%d codes of %d bits: error %v, or wrong order", len(codes), job.Bits, err)
	}
	checkMarked(t, job.Ties, codes, order)
	checkCut(t, e, c, job)
	e.dev.limit = c.limit(e, isWide[W](), true, length)
	job, sorted := keysJob(t.Context(), c.algorithm, codes)
	defer job.Arena.Release(1)
	if err := e.Order(t.Context(), job); err != nil || !slices.Equal(sorted, slices.Sorted(slices.Values(codes))) {
		t.Fatalf("%d keys of %d bits: error %v, or wrong order", len(codes), job.Bits, err)
	}
	checkCut(t, e, c, job)
}

// checkCut checks that a job was cut as it should be, within the memory it may take.
func checkCut(t *testing.T, e *Engine, c cut, job *engine.Job) {
	t.Helper()
	var stages []string
	for _, s := range job.Trace.Stages {
		stages = append(stages, s.Name)
	}
	stay := slices.Equal(stages, []string{"chunks", "merge", "download"})
	if leave := slices.Equal(stages, []string{"chunks", "merge"}); stay != c.onDevice || leave == c.onDevice {
		t.Errorf("stages %q", stages)
	}
	if merges := bits.Len(uint(c.chunks - 1)); job.Trace.Rounds < merges || job.Trace.Algorithm == "" || (job.Trace.Algorithm == "Hybrid") != (c.algorithm == engine.Hybrid) {
		t.Errorf("%d chunks: %+v", c.chunks, job.Trace)
	}
	err := e.with(t.Context(), engine.Auto, func(w *workspace) error {
		way, err := w.chunking(job)
		if way.chunks() != c.chunks || way.onDevice != c.onDevice {
			t.Errorf("%+v, %d chunks", way, way.chunks())
		}
		if held := sum(w.held) + sum(w.idle); held > e.dev.limit {
			t.Errorf("%d bytes are held, %d are allowed", held, e.dev.limit)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// keysJob is a job over keys that are their codes, and what it makes of them.
func keysJob[W word](ctx context.Context, a engine.Algorithm, codes []W) (job *engine.Job, sorted []W) {
	job, _ = newJob(ctx, a, codes)
	sorted = slices.Clone(codes) // which need not be emitted where they are in order
	switch sorted := any(sorted).(type) {
	case []uint32:
		job.EmitCodes32 = func(lo int, codes []uint32) { copy(sorted[lo:], codes) }
	case []uint64:
		job.EmitCodes64 = func(lo int, codes []uint64) { copy(sorted[lo:], codes) }
	}
	return job, sorted
}

// TestChunksOfNothing has lists that leave little to cut.
func TestChunksOfNothing(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := open(t, Verify())
	for _, n := range []int{0, 1, 2, engine.Block, engine.Block + 1} {
		for _, a := range []engine.Algorithm{engine.Auto, engine.MergeSort, engine.Hybrid} {
			codes := codesOf["16 values"](rand.New(rand.NewPCG(2, 3)), n)
			job, order := markedJob(t.Context(), a, codes)
			if err := e.Order(t.Context(), job); err != nil || !slices.Equal(order, want(codes)) {
				t.Errorf("%v of %d codes: error %v, or wrong order", a, n, err)
			}
			checkMarked(t, job.Ties, codes, order)
			job.Arena.Release(1)
		}
	}
}

// TestMemory has limits too small for any sort, and sorts without one.
func TestMemory(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	if _, err := Open(Memory(leastMemory - 1)); err == nil || errors.Is(err, engine.ErrNoDevice) {
		t.Errorf("too little memory: error %v", err)
	}
	e := open(t, Memory(leastMemory))
	codes := codesOf["uniform"](rand.New(rand.NewPCG(4, 5)), 20_000)
	for _, a := range []engine.Algorithm{engine.Auto, engine.MergeSort, engine.Hybrid} {
		e.dev.limit = leastMemory
		job, order := newJob(t.Context(), a, codes)
		if err := e.Order(t.Context(), job); err != nil || !slices.Equal(order, want(codes)) {
			t.Errorf("%v: error %v, or wrong order", a, err)
		}
		job.Arena.Release(1)
		e.dev.limit = 1 << 17
		var short *sorter.DeviceError
		if err := e.Order(t.Context(), job); !errors.As(err, &short) || !errors.Is(err, cuda.OutOfMemory) {
			t.Errorf("%v in no memory: error %v", a, err)
		}
	}
}

// TestChunking looks at decisions about lists of any length.
func TestChunking(t *testing.T) {
	e := open(t)
	workspace, err := e.dev.workspace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer workspace.done()
	const g = 1 << 30
	for _, c := range []struct {
		a      engine.Algorithm
		n      int
		bits   int
		limit  int
		chunks int
		stays  bool
	}{
		{engine.Auto, 1 << 24, 32, 4 * g, 1, false},
		{engine.Auto, maxN, 32, 100 * g, 1, false},
		{engine.Auto, maxN + 1, 32, 100 * g, 2, true},
		{engine.Auto, 1<<32 - 1, 32, 130 * g, 8, true},
		{engine.Auto, 1<<32 - 1, 64, 130 * g, 8, true},
		{engine.Auto, 1<<32 - 1, 64, 4 * g, 55, false},
		{engine.Auto, 1 << 27, 32, 4 * g, 2, true},
		{engine.Auto, 1 << 28, 32, 5 * g, 3, true},
		{engine.Auto, 1 << 29, 32, 4 * g, 6, false},
		{engine.MergeSort, 1<<32 - 1, 32, 130 * g, 1, false},
		{engine.Hybrid, 1 << 20, 32, 4 * g, 1, false},
		{engine.Hybrid, 1 << 28, 32, 4 * g, 16, false},
	} {
		workspace.limit = c.limit
		way, err := workspace.chunking(&engine.Job{N: c.n, Bits: c.bits, Algorithm: c.a})
		if err != nil || way.chunks() != c.chunks || way.onDevice != c.stays {
			t.Errorf("%+v: error %v, %d chunks, %+v", c, err, way.chunks(), way)
		}
	}
	workspace.limit = 0
}

// TestBucketBytes holds plans of all kinds to the bound.
func TestBucketBytes(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	r := rand.New(rand.NewPCG(6, 7))
	for i := range 2000 {
		d := &device{algorithms: algorithms}
		if i%2 == 0 {
			d.parts.fill = leastFill + r.IntN(mostFill-leastFill)
		}
		wide := r.IntN(2) == 0
		in := input{wide: wide, keys: r.IntN(2) == 0, n: 2 + int(uint64(1)<<r.IntN(29)*uint64(1+r.IntN(1000))/1000)}
		lowest, span := r.Uint64()>>r.IntN(64)&top(wide), r.Uint64()>>r.IntN(64)&top(wide)
		highest := lowest + min(span, top(wide)-lowest)
		lay := layoutFor(in.n, wide, lowest, highest, unevenMargin)
		tab := &table{wide: wide, low: make([]key, 1+r.IntN(kernels.Segments))}
		count := make([]uint32, len(tab.low))
		for range in.samples() {
			count[r.IntN(1+r.IntN(len(count)))]++
		}
		plans := []*plan{evenPlan(wide, layoutFor(in.n, wide, lowest, highest, evenMargin), d.parts.mean(in.n, evenSlice)), mappedPlan(lay, tab, count, in.samples(), d.parts.mean(in.n, fullSlice))}
		parts := slices.Concat(count, make([]uint32, kernels.Segments-len(count)))
		if p, err := sectionsPlan(wide, lay, parts, in.samples(), d.parts.mean(in.n, sectionSlice), new(bounds)); err == nil {
			plans = append(plans, p)
		}
		for _, p := range plans {
			s := &sample{low: lowest, high: highest, differ: lowest ^ highest, parts: [kernels.Segments]uint32(parts)}
			if p.keys = in.keys; p.keys && (p.table != nil || in.crowded(s)) {
				continue // keys alone have no such plan
			}
			var size area
			new(memory).body(&size, p)
			if bound := bucketBytes(d, in); headBytes+int(size.at) > bound {
				t.Fatalf("n = %d: the plan takes %d bytes, the bound is %d: %+v", in.n, headBytes+size.at, bound, p)
			}
		}
	}
}

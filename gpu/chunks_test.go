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
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/gpu/settings"
	"example.com/sorter/internal/gpu/transfer"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/testkit"
)

// open opens the engine, or skips the test where there is no device.
func open(t *testing.T, opts ...Option) *Engine {
	t.Helper()
	e, err := Open(append([]Option{settings.Unsalted()}, opts...)...)
	if errors.Is(err, engine.ErrNoDevice) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// algorithms are those that devices with enough shared memory run.
var algorithms = []engine.Algorithm{engine.BucketBitonic, engine.Bitonic, engine.SampleSort, engine.Radix, engine.MergeSort}

// words returns n words of pinned memory.
func words[W any](p unsafe.Pointer, n int) []W { return unsafe.Slice((*W)(p), n) }

// newJob is a job over codes, and the order that it emits.
func newJob[W codes.Word](ctx context.Context, a engine.Algorithm, list []W) (job *engine.Job, order []uint32) {
	order = make([]uint32, len(list))
	job = &engine.Job{N: len(list), Bits: 32, Algorithm: a, Env: &engine.Env{Loop: parallel.Loop{Ctx: ctx, Workers: 3}}}
	job.Emit = func(lo int, positions []uint32) { copy(order[lo:], positions) }
	switch list := any(list).(type) {
	case []uint32:
		job.Codes32 = func(dst []uint32, lo int) { copy(dst, list[lo:]) }
	case []uint64:
		job.Bits, job.Codes64 = 64, func(dst []uint64, lo int) { copy(dst, list[lo:]) }
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

// n is the length of a list of chunks of that length, the last one shorter.
func (c cut) n(length int) int { return c.chunks*length - length/3 }

// limit is the device memory with which a list is cut so.
func (c cut) limit(e *Engine, wide, keys bool, length int) int {
	return transfer.LimitFor(e.devs[0], c.algorithm, wide, keys, c.onDevice, c.n(length), length)
}

// TestChunks sorts lists that need several chunks, whose runs stay on the device
// or go to the host. The workspace refuses memory beyond the limit.
func TestChunks(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := open(t, Verify())
	const length = 5 * engine.Block
	share := 5
	if !testkit.Long() {
		share = 13
	}
	for i, c := range cuts {
		for j, name := range slices.Sorted(maps.Keys(gputest.CodesOf)) {
			if (i+j)%share > 0 || !testkit.Long() && c.chunks > 7 {
				continue
			}
			t.Run(fmt.Sprint(name, " ", c), func(t *testing.T) {
				list := gputest.CodesOf[name](rand.New(rand.NewPCG(1, uint64(i))), c.n(length))
				if testkit.Long() || i%2 == 0 {
					testChunks(t, e, c, length, list)
				}
				if testkit.Long() || i%2 == 1 {
					testChunks(t, e, c, length, gputest.Fill32(list))
				}
			})
		}
	}
}

func testChunks[W codes.Word](t *testing.T, e *Engine, c cut, length int, list []W) {
	t.Helper()
	e.devs[0].Limit = c.limit(e, gputest.IsWide[W](), false, length)
	job, order := markedJob(t.Context(), c.algorithm, list)
	defer job.Arena.Release(1)
	if err := e.Order(t.Context(), job); err != nil || !slices.Equal(order, gputest.Stable(list)) {
		t.Fatalf("%d codes of %d bits: error %v, or wrong order", len(list), job.Bits, err)
	}
	gputest.CheckMarked(t, job.Ties, list, order)
	checkCut(t, e, c, job)
	e.devs[0].Limit = c.limit(e, gputest.IsWide[W](), true, length)
	job, sorted := keysJob(t.Context(), c.algorithm, list)
	defer job.Arena.Release(1)
	if err := e.Order(t.Context(), job); err != nil || !slices.Equal(sorted, slices.Sorted(slices.Values(list))) {
		t.Fatalf("%d keys of %d bits: error %v, or wrong order", len(list), job.Bits, err)
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
	err := e.with(t.Context(), engine.Auto, func(s *transfer.Session) error {
		chunks, onDevice, err := s.Chunks(job)
		if chunks != c.chunks || onDevice != c.onDevice {
			t.Errorf("%d chunks, on the device %v: %+v", chunks, onDevice, c)
		}
		if held := s.Held(); held > e.devs[0].Limit {
			t.Errorf("%d bytes are held, %d are allowed", held, e.devs[0].Limit)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// keysJob is a job over keys that are their codes, and its result.
func keysJob[W codes.Word](ctx context.Context, a engine.Algorithm, list []W) (job *engine.Job, sorted []W) {
	job, _ = newJob(ctx, a, list)
	sorted = slices.Clone(list) // which need not be emitted where they are in order
	switch sorted := any(sorted).(type) {
	case []uint32:
		job.EmitCodes32 = func(lo int, list []uint32) { copy(sorted[lo:], list) }
	case []uint64:
		job.EmitCodes64 = func(lo int, list []uint64) { copy(sorted[lo:], list) }
	}
	return job, sorted
}

// TestChunksOfNothing has lists that leave little to cut.
func TestChunksOfNothing(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := open(t, Verify())
	for _, n := range []int{0, 1, 2, engine.Block, engine.Block + 1} {
		for _, a := range []engine.Algorithm{engine.Auto, engine.MergeSort, engine.Hybrid} {
			list := gputest.CodesOf["16 values"](rand.New(rand.NewPCG(2, 3)), n)
			job, order := markedJob(t.Context(), a, list)
			if err := e.Order(t.Context(), job); err != nil || !slices.Equal(order, gputest.Stable(list)) {
				t.Errorf("%v of %d codes: error %v, or wrong order", a, n, err)
			}
			gputest.CheckMarked(t, job.Ties, list, order)
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
	list := gputest.CodesOf["uniform"](rand.New(rand.NewPCG(4, 5)), 20_000)
	for _, a := range []engine.Algorithm{engine.Auto, engine.MergeSort, engine.Hybrid} {
		e.devs[0].Limit = leastMemory
		job, order := newJob(t.Context(), a, list)
		if err := e.Order(t.Context(), job); err != nil || !slices.Equal(order, gputest.Stable(list)) {
			t.Errorf("%v: error %v, or wrong order", a, err)
		}
		job.Arena.Release(1)
		e.devs[0].Limit = 1 << 17
		var short *sorter.DeviceError
		if err := e.Order(t.Context(), job); !errors.As(err, &short) || !errors.Is(err, cuda.OutOfMemory) {
			t.Errorf("%v in no memory: error %v", a, err)
		}
	}
}

package conformance_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/engine"
	"example.com/sorter/perm"
)

// overwriting is an engine that reads keys where they lie and writes results there, as a device does
// with pinned memory. It may fail after a number of results.
type overwriting struct {
	failAt int // -1: it does not
	plain  int // jobs with keys in memory
}

var errOverwriting = errors.New("lost")

func (e *overwriting) Name() string                 { return "overwriting" }
func (e *overwriting) Worth(engine.Work) bool       { return true }
func (e *overwriting) Runs(a engine.Algorithm) bool { return a == engine.Auto }

func (e *overwriting) Order(_ context.Context, job *engine.Job) error {
	p := job.Plain
	if p == nil {
		return errors.New("no plain keys")
	}
	e.plain++
	if job.Bits > 32 {
		return overwrite(e, job, unsafe.Slice((*uint64)(p.At), job.N))
	}
	return overwrite(e, job, unsafe.Slice((*uint32)(p.At), job.N))
}

// overwrite sorts keys by the codes that the job's mapping makes of them.
func overwrite[W uint32 | uint64](e *overwriting, job *engine.Job, keys []W) error {
	codes := make([]uint64, job.N)
	for i, k := range keys {
		codes[i] = job.Plain.Code.Of(uint64(k), 8*int(unsafe.Sizeof(k)))
	}
	for lo := 0; lo < job.N; lo += engine.Block {
		job.Plain.Pass(lo, min(lo+engine.Block, job.N))
	}
	order := orderOf(job, codes)
	if job.EmitCodes32 == nil && job.EmitCodes64 == nil {
		for i, at := range order {
			if i == e.failAt {
				return errOverwriting
			}
			job.Index[i] = at
		}
		return nil
	}
	sorted := make([]W, job.N)
	for i, at := range order {
		sorted[i] = keys[at]
	}
	job.Commit()
	job.Plain.Overwrite()
	for i, k := range sorted {
		if i == e.failAt {
			return errOverwriting
		}
		keys[i] = k
	}
	return nil
}

// TestPlainKeys has an engine read keys in memory and write results there. It fails before any of
// them, in their midst, or not at all: the result is right, or the CPU's.
func TestPlainKeys(t *testing.T) {
	testPlainKeys(t, func(i int) float32 { return math.Float32frombits(uint32(i) * 0x9e3779b9) })
	testPlainKeys(t, func(i int) float64 { return float64(i*7919%5000) - 2500 })
	testPlainKeys(t, func(i int) int32 { return int32(uint32(i) * 0x9e3779b9) })
	testPlainKeys(t, func(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 })
}

func testPlainKeys[K sorter.Key](t *testing.T, of func(i int) K) {
	t.Helper()
	const n = 5000
	in := make([]K, n)
	for i := range in {
		in[i] = of(i)
	}
	for _, opts := range [][]sorter.Option{nil, {sorter.Descending()}, {sorter.NaNsLast()}} {
		sorted := slices.Clone(in)
		if err := sorter.SortKeys(sorted, append(opts, sorter.On(sorter.CPU()))...); err != nil {
			t.Fatal(err)
		}
		order, _ := sorter.OrderKeys(in, append(opts, sorter.On(sorter.CPU()), sorter.Stable())...)
		for _, failAt := range []int{-1, 0, 1, n / 2, n - 1} {
			e := &overwriting{failAt: failAt}
			s := slices.Clone(in)
			err := sorter.SortKeys(s, append(opts, sorter.On(e))...)
			want := sorted
			if failAt >= 0 {
				want = in
			}
			if (failAt < 0) != (err == nil) || !slices.Equal(raw(s), raw(want)) || e.plain != 1 {
				t.Errorf("%T that fails at %d: error %v, %d jobs with plain keys, or wrong keys", s, failAt, err, e.plain)
			}
			var index perm.Perm
			index, err = sorter.OrderKeys(in, append(opts, sorter.On(e), sorter.Stable())...)
			if (failAt < 0) != (err == nil) || err == nil && !slices.Equal(index, order) || e.plain != 2 {
				t.Errorf("order of %T that fails at %d: error %v, %d jobs with plain keys, or wrong order", s, failAt, err, e.plain)
			}
		}
	}
}

// raw returns the memory of keys.
func raw[K any](keys []K) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(keys))), len(keys)*int(unsafe.Sizeof(*new(K))))
}

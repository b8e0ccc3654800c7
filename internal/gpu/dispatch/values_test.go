//go:build linux && (amd64 || arm64)

package dispatch

import (
	"math/rand/v2"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/gpu/radix"
	"example.com/sorter/internal/gpu/values"
	"example.com/sorter/internal/testkit"
)

// TestValues has codes of few values sorted as such, and in another way where they have more
// than a sample shows or where the device has too little shared memory. It draws the same codes in every run, since it
// tests a choice by samples.
func TestValues(t *testing.T) {
	s, r := workspace(t, bucket.Options{}), rand.New(rand.NewPCG(5, 6))
	if err := s.Load(radix.Large.Modules()); err != nil {
		t.Fatal(err)
	}
	const n = 12_000
	for _, c := range []struct {
		name string
		runs bool
		list []uint64
		by   engine.Algorithm
	}{
		{"few", true, gputest.CodesOf["16 values"](r, n), engine.Radix},
		{"few, too little memory", false, gputest.CodesOf["16 values"](r, n), engine.Radix},
		{"many", true, gputest.CodesOf["uniform"](r, n), engine.Auto},                     // by width: the bucket sort or the radix sort
		{"many, in crowds", true, gputest.CodesOf["mostly one value"](r, n), engine.Auto}, // or any other,
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name != "few" {
				testkit.SkipThreadSanitizer(t)
			}
			s.values = c.runs
			way := func(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
				if err := w.Memset32(to, 0xdbdbdbdb, in.ResultSize()*in.N/4, w.Stream); err != nil {
					return codes.Outcome{}, err
				}
				f, err := s.sortValues(w, 16, in, to)
				f, err = s.resort(w, in, to, f, err)
				if c.by != engine.Auto && f.Algorithm != c.by {
					t.Errorf("by %v", f.Algorithm)
				}
				return f, err
			}
			gputest.CheckSort(t, s.w, c.list, way)
		})
	}
}

// TestValuesMemory has no sort of few values take more memory than the sort that it stands for
// announces.
func TestValuesMemory(t *testing.T) {
	b := &bucket.Sorter{}
	for _, n := range []int{2, 1000, 1 << 20, 1 << 28, MaxNByBuckets} {
		for _, in := range []codes.Input{{N: n}, {N: n, Wide: true}, {N: n, Keys: true}, {N: n, Wide: true, Keys: true}} {
			if got, most := values.Bytes(in), all(b, Options{})[engine.BucketBitonic].bytes(in); got > most {
				t.Errorf("%+v: %d bytes of %d", in, got, most)
			}
		}
	}
}

// TestFew compares the choice of the sort of few values with measurements: it and the sort that
// codes had without it, the radix sort or the bucket sort, in one run each on an H100, 2026-11-23,
// in ms.
func TestFew(t *testing.T) {
	for _, c := range []struct {
		wide          bool
		lg, count     int
		values, other float64
	}{
		{false, 24, 16, 0.161, 0.476},
		{false, 24, 256, 0.285, 0.476},
		{false, 24, values.MaxValues, 0.468, 0.476},
		{false, 28, 16, 1.637, 7.157},
		{false, 28, 256, 2.584, 7.157},
		{false, 28, values.MaxValues, 4.935, 7.157},
		{true, 24, 16, 0.185, 1.314},
		{true, 24, values.MaxValues, 0.504, 1.314},
		{true, 28, 16, 2.004, 9.387},
		{true, 28, values.MaxValues, 5.363, 9.387},
	} {
		in := codes.Input{Wide: c.wide, N: 1 << c.lg}
		if got := few(in, c.count, codes.Top(c.wide)); got != (c.values < c.other) {
			t.Errorf("%+v: chosen %v", c, got)
		}
		if few(in, values.MaxValues+1, codes.Top(c.wide)) || few(in, 1<<30, codes.Top(c.wide)) {
			t.Errorf("%+v: chosen for more values than it takes", c)
		}
	}
	for lg, want := range map[int]bool{20: false, 28: true} { // one digit differs, and the radix sort has one pass, too
		if got := few(codes.Input{N: 1 << lg}, 200, 0xff); got != want {
			t.Errorf("2^%d codes that differ in one digit: %v", lg, got)
		}
	}
}

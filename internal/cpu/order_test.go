package cpu

import (
	"slices"
	"testing"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
)

// TestOrderParts delivers the order of codes of which long runs tie, in order or nearly, or crowded at one place, in parts that end
// between different codes.
func TestOrderParts(t *testing.T) {
	const n = bucket.MaxLen + 9000
	for name, f := range map[string]func(i int) uint64{
		"in order": func(i int) uint64 { return uint64(i / 1000) },
		"nearly": func(i int) uint64 {
			if i%5000 == 7 {
				return uint64((n - i) / 1000)
			}
			return uint64(i / 1000)
		},
		"falling":           func(i int) uint64 { return uint64((n - i) / 1000) },
		"in order of a few": func(i int) uint64 { return uint64(i / 40_000) },
		"a crowd in order": func(i int) uint64 {
			if i%8 == 0 {
				return uint64(i) * 0x9e3779b97f4a7c15
			}
			return 1<<63 + uint64(i)
		},
	} {
		for _, workers := range []int{2} {
			codes := make([]uint64, n)
			for i := range codes {
				codes[i] = f(i)
			}
			env, order := newEnv(workers), make([]uint32, n)
			before := slices.Clone(codes)
			err := Order(env, n, sourceOf(codes), true, func(_, lo int, part []uint32, sorted []uint64) {
				checkPart(t, before, lo, n, part, sorted, true)
				copy(order[lo:], part)
			})
			if err != nil || !slices.Equal(order, stableOrder(before)) {
				t.Errorf("%s, %d workers: wrong order, %v", name, workers, err)
			}
			env.Arena.Release(1)
		}
	}
}

// TestSectionNumbers returns numbers of elements, from the base of a section on.
func TestSectionNumbers(t *testing.T) {
	for _, base := range []int{0, 7} {
		if got := (section{base: base, lo: 2, hi: 5, order: []uint32{2, 0, 1}}).numbers(); !slices.Equal(got, []uint32{uint32(base + 2), uint32(base), uint32(base + 1)}) {
			t.Errorf("from %d on: %d", base, got)
		}
	}
}

// TestSortedBuckets sorts keys of which many lie close together and ascend already, so that a bucket is in order.
func TestSortedBuckets(t *testing.T) {
	const n = 2 * bucket.MaxLen
	codes := make([]uint64, n)
	for i := range codes {
		if codes[i] = 1<<60 + uint64(i); i%4 == 0 {
			codes[i] = uint64(i) * 0x9e3779b97f4a7c15
		}
	}
	want := slices.Sorted(slices.Values(codes))
	env := newEnv(1)
	if err := drawnKeys(codes).Sort(env); err != nil || !slices.Equal(codes, want) {
		t.Errorf("wrong order, %v", err)
	}
	env.Arena.Release(1)
}

// TestFinalOrder orders elements that whole keys find in order: their order is final, and no ties are asked for.
func TestFinalOrder(t *testing.T) {
	codes := make([]uint64, 50_000)
	for i := range codes {
		codes[i] = uint64(i / 3)
	}
	env, at := newEnv(1), 0
	_, err := OrderByKeys[uint64](env, len(codes), sourceOf(codes), newUntied(t, codes, 0), func(_, lo int, order []uint32, codes []uint64) {
		if codes != nil {
			t.Errorf("%d codes at place %d", len(codes), lo)
		}
		at += len(order)
	})
	if err != nil || at != len(codes) {
		t.Errorf("%d elements of %d, %v", at, len(codes), err)
	}
	env.Arena.Release(1)
}

// TestInPlaceReports orders codes that are sorted, in place: the shape is that.
func TestInPlaceReports(t *testing.T) {
	for shape, code := range map[engine.Shape]uint64{engine.Sorted: 1, engine.Flat: 0} {
		codes := make([]uint64, 1000)
		for i := range codes {
			codes[i] = uint64(i) * code
		}
		env := newEnv(1)
		if _, err := OrderInPlace(env, make([]uint32, len(codes)), sourceOf(codes)); err != nil || env.Trace.Shape != shape {
			t.Errorf("shape %q, want %q, %v", env.Trace.Shape, shape, err)
		}
	}
}

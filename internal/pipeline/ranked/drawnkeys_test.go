package ranked

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
)

// TestDrawnKeys sorts keys and pairs, and takes keys of some ranks.
func TestDrawnKeys(t *testing.T) {
	defer registered.reset()
	r := dist.Rand(65)
	odd := []float64{math.NaN(), math.Copysign(0, -1), 0, math.Inf(1), -1, 1}
	for i := range testkit.Pick(40, 200) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := []int{1, 2, 100, 4096, 4097, 5000, 9000}[r.IntN(7)]
		few := 1 + r.IntN(1+r.IntN(n))
		draw := func() uint64 { return r.Uint64() }
		if r.IntN(2) == 0 {
			draw = func() uint64 { return uint64(r.IntN(few)) }
		}
		drawKeys(t, r, n, func() int16 { return int16(draw()) }, func(k int16) uint64 { return uint64(k) })
		drawKeys(t, r, n, func() int32 { return int32(draw()) }, func(k int32) uint64 { return uint64(k) })
		drawKeys(t, r, n, draw, func(k uint64) uint64 { return k })
		drawKeys(t, r, n, func() float32 { return float32(odd[r.IntN(6)]) + float32(draw()) }, func(k float32) uint64 { return uint64(math.Float32bits(k)) })
		drawKeys(t, r, n, func() float64 { return odd[draw()%6] }, math.Float64bits)
		drawKeys(t, r, n, func() string { return fmt.Sprintf("key %05d", draw()%99_999) }, func(k string) uint64 { return uint64(len(k)) })
	}
}

func drawKeys[K sortkey.Key](t *testing.T, r *rand.Rand, n int, draw func() K, bits func(K) uint64) {
	keys, values := make([]K, n), make([]uint32, n)
	for i := range keys {
		keys[i], values[i] = draw(), uint32(i)
	}
	if r.IntN(3) == 0 {
		slices.SortFunc(keys, sortkey.Comparator[K](sortkey.Order{}))
		for range r.IntN(3) * r.IntN(1+n/100) { // nearly in order
			i, j := r.IntN(n), r.IntN(n)
			keys[i], keys[j] = keys[j], keys[i]
		}
	}
	d := &drawnCall{}
	if d.drawOptions(r, n); d.o.Algorithm == engine.BucketRadix && d.o.Backend != nil {
		d.o.Backend = nil
	}
	d.o.Stable, d.o.Descending = r.IntN(2) == 0, r.IntN(2) == 0
	restore := func() {}
	if r.IntN(3) == 0 {
		restore = pipeline.LowerLimit(1 + r.IntN(n+10))
	}
	defer restore()
	compare := sortkey.Comparator[K](d.o.Order())
	want := make([]uint32, n)
	copy(want, values)
	testkit.SortStable(want, func(i, j uint32) int { return compare(keys[i], keys[j]) })
	got := slices.Clone(keys)
	what := fmt.Sprintf("%T, descending %t, stable %t, %s", keys, d.o.Descending, d.o.Stable, d.what)
	failed := func(err error) bool {
		known := errors.Is(err, engine.ErrMemoryLimit) && d.o.Limit > 0 || errors.Is(err, context.Canceled) && d.o.Ctx != nil || errors.Is(err, errLost) && d.o.Backend == registered
		if err != nil && !known {
			t.Fatalf("%s: %v", what, err)
		}
		return err != nil
	}
	switch r.IntN(4) {
	case 0:
		failed := failed(pipeline.SortKeys(got, &d.o))
		for i := range got {
			at := want[i]
			if failed {
				at = uint32(i)
			}
			if compare(got[i], keys[at]) != 0 || (failed || d.o.Stable) && bits(got[i]) != bits(keys[at]) {
				t.Fatalf("%s: key %d, failed %t", what, i, failed)
			}
		}
	case 1:
		d.o.Stable = true
		failed := failed(pipeline.SortPairs(got, values, &d.o))
		for i := range got {
			at := want[i]
			if failed {
				at = uint32(i)
			}
			if values[i] != at || bits(got[i]) != bits(keys[at]) {
				t.Fatalf("%s: pair %d, failed %t", what, i, failed)
			}
		}
	case 2:
		k := r.IntN(n + 2)
		if !failed(TopK(sortkey.KindOf[K](), cpu.PayloadOf(got), k, nil, &d.o, FrontOf(got))) {
			for i := range min(k, n) {
				if compare(got[i], keys[want[i]]) != 0 {
					t.Fatalf("%s: key %d of the first %d", what, i, k)
				}
			}
		}
	default:
		if d.o.Descending {
			return
		}
		ks := []int{r.IntN(n), 0, n - 1, r.IntN(n)}[:1+r.IntN(4)]
		at := slices.Clone(ks)
		held, err := KeysAt(got, at, &d.o)
		for i, k := range ks {
			if !failed(err) && len(held) == n && compare(held[at[i]], keys[want[k]]) != 0 {
				t.Fatalf("%s: key of rank %d", what, k)
			}
		}
	}
}

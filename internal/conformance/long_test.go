package conformance_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/testkit"
)

// Slices of more elements than 32-bit positions number, with a lower limit than that. The
// tests are not parallel: others would meet the limit, too.

// TestLong sorts, selects and merges keys of every kind in slices that are several times as
// long as the limit.
func TestLong(t *testing.T) {
	defer pipeline.LowerLimit(4500)()
	for i, k := range keyKinds {
		for l, input := range []string{"sprinkled", "16 values"} {
			if testkit.Thinned(i + l) {
				continue
			}
			ref := drawn(k, input, 14_000+i*7, uint64(i))
			for turn := range testkit.Pick(2, 3) {
				m := modes[(i+l+5*turn)%len(modes)]
				ref.checkSort(t, m)
				ref.checkSortKeys(t, m)
				ref.checkSortPairs(t, m)
				ref.checkMergeRuns(t, (i+4*turn+l)%len(cuts), m)
				ref.checkTopK(t, []int{77, 1, 3000, 400}[turn%4], m)
			}
			m := modes[(i+l)%len(modes)]
			ref.checkSortKeysDefault(t, m)
			ref.checkMerge(t, ref.len()/3, m)
			ref.checkOrder(t, m)
		}
	}
}

// TestLongElements sorts long slices of elements with pointers by several columns, by one
// worker and by more, and under a context.
func TestLongElements(t *testing.T) {
	defer pipeline.LowerLimit(5000)()
	for i, d := range dist.All {
		if testkit.Thinned(i) {
			continue
		}
		in := draw(d, scaled(100_000), newTrade)
		by := sorter.By(sorter.Asc(func(e trade) string { return e.name[:2] }), sorter.Desc(func(e trade) string { return e.venue }))
		want := slices.Clone(in)
		testkit.SortStable(want, by.Compare)
		for _, opts := range [][]sorter.Option{{sorter.Workers(1)}, {sorter.Workers(3)}, {sorter.WithContext(neverCancelled)}} {
			got, outside := guarded(in, len(opts))
			err := errors.Join(by.Sort(got, opts...), outside())
			checkSame(t, d.Name, err, got, want)
			copy(got, in)
			err = by.TopK(got, len(in)/40, opts...)
			checkSame(t, d.Name+", TopK", err, got[:len(in)/40], want[:len(in)/40])
		}
	}
}

func newTrade(v uint64, i int) trade {
	return trade{name: fmt.Sprintf("%03d", v>>55), venue: fmt.Sprint(v >> 60), at: uint32(i)}
}

// TestLongContract holds long slices to what is said of others: they are as they were after a
// panic of the key function, and after an error.
func TestLongContract(t *testing.T) {
	defer pipeline.LowerLimit(5000)()
	in := fills(30_000)
	for call := range 4 {
		s, calls := slices.Clone(in), 0
		value := panicValue(func() {
			_ = sorter.Sort(s, func(f fill) float32 {
				if calls++; calls == 1+call*18_000 {
					panic("key")
				}
				return f.Price
			}, sorter.Workers(1))
		})
		if value != "key" {
			t.Errorf("call %d: panicked with %v", call, value)
		}
		checkSame(t, "after a panic", nil, s, in)
	}
	s := slices.Clone(in)
	var st sorter.Stats
	for limit := int64(1000); ; limit += limit / 8 {
		err := sorter.Sort(s, price, sorter.MemoryLimit(limit), sorter.Report(&st))
		if st.Scratch > limit {
			t.Errorf("limit %d: Scratch is %d", limit, st.Scratch)
		}
		if err == nil {
			checkSame(t, fmt.Sprintf("limit %d", limit), err, s, byPrice(in))
			break
		}
		if !errors.Is(err, sorter.ErrMemoryLimit) {
			t.Fatalf("limit %d: %v", limit, err)
		}
		checkSame(t, fmt.Sprintf("limit %d", limit), nil, s, in)
	}
}

// TestLongFloats sorts long slices of floats that are equal and differ in their bits.
func TestLongFloats(t *testing.T) {
	defer pipeline.LowerLimit(5000)()
	zero := 0.0
	in := draw(dist.Named("16 values"), 40_000, func(v uint64, i int) float64 {
		if v>>61 < 6 {
			return []float64{zero, -zero, 1, -1, zero, -zero}[v>>61] * []float64{1, -1}[i%2]
		}
		return float64Of(v)
	})
	got, want := slices.Clone(in), slices.Clone(in)
	func() {
		defer pipeline.LowerLimit(0)()
		if err := sorter.SortKeys(want); err != nil {
			t.Fatal(err)
		}
	}()
	err := sorter.SortKeys(got)
	same := func(a, b float64) int { return cmp.Compare(math.Float64bits(a), math.Float64bits(b)) }
	if err != nil || slices.CompareFunc(got, want, same) != 0 {
		t.Errorf("SortKeys in chunks differs from SortKeys at once: %v", err)
	}
}

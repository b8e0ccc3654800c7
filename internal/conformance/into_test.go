package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// Orders written to memory that the caller keeps.

// orderVerbs are the calls that return the order of prices.
var orderVerbs = []struct {
	name string
	run  func(prices []float32, opts ...sorter.Option) (perm.Perm, error)
}{
	{"Order", func(s []float32, opts ...sorter.Option) (perm.Perm, error) {
		return sorter.Order(s, func(p float32) float32 { return p }, opts...)
	}},
	{"Order by string", func(s []float32, opts ...sorter.Option) (perm.Perm, error) {
		return sorter.Order(s, func(p float32) string { return fmt.Sprintf("costs %012.3f", p) }, opts...)
	}},
	{"OrderKeys", func(s []float32, opts ...sorter.Option) (perm.Perm, error) {
		return sorter.OrderKeys(s, opts...)
	}},
	{"Rows.Order", func(s []float32, opts ...sorter.Option) (perm.Perm, error) {
		return sorter.RowsBy(len(s), sorter.Asc(func(i int) float32 { return s[i] })).Order(opts...)
	}},
	{"Ordering.Order", func(s []float32, opts ...sorter.Option) (perm.Perm, error) {
		return pricesAndFractions.Order(s, opts...)
	}},
}

// pricesAndFractions do not fit one code together with what fmt makes of them.
var pricesAndFractions = sorter.By(
	sorter.Asc(func(p float32) float64 { return math.Floor(float64(p)) }),
	sorter.Asc(func(p float32) string { return fmt.Sprintf("%012.3f", p) }),
)

func prices(n int) []float32 { return mapped(fills(n), price) }

// memory is room for a result in the middle of a longer array.
type memory struct{ all, p perm.Perm }

const memoryMargin = 5

// newMemory returns memory of the given length and capacity, full of what is no
// position.
func newMemory(length, capacity int) memory {
	all := slices.Repeat(perm.Perm{math.MaxUint32}, capacity+2*memoryMargin)
	return memory{all, all[memoryMargin : memoryMargin+length : memoryMargin+capacity]}
}

// written names a write to other places than the first n.
func (m memory) written(n int) error {
	for i, x := range m.all {
		if at := i - memoryMargin; (at < 0 || at >= n) && x != math.MaxUint32 {
			return fmt.Errorf("place %d was written to, %d of %d are the result's", at, n, cap(m.p))
		}
	}
	return nil
}

// checkInto orders prices into memory of several sizes.
func checkInto(t *testing.T, n int, opts ...sorter.Option) {
	t.Helper()
	in := prices(n)
	for _, v := range orderVerbs {
		s := slices.Clone(in)
		want, err := v.run(s, append(opts, sorter.Stable())...)
		if err != nil {
			t.Fatalf("%s, n=%d: %v", v.name, n, err)
		}
		for _, c := range [][2]int{{0, n}, {n, n}, {n / 2, n + 7}, {n + 7, 2*n + 9}, {max(0, n-1), max(0, n-1)}, {0, 0}} {
			name := fmt.Sprintf("%s, n=%d, into %d of %d", v.name, n, c[0], c[1])
			m := newMemory(c[0], c[1])
			got, err := v.run(s, append(opts, sorter.Stable(), sorter.Into(m.p))...)
			checkSame(t, name, err, got, want)
			fits := cap(m.p) >= n
			if own := unsafe.SliceData(got) == unsafe.SliceData(m.p); n > 0 && own != fits {
				t.Errorf("%s: the result is in that memory: %v", name, own)
			}
			wrote := 0
			if fits {
				wrote = n
			}
			if err := m.written(wrote); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		checkSame(t, v.name+": the keys", nil, s, in)
	}
}

func TestInto(t *testing.T) {
	large := testkit.Pick(10_000, 40_000) // more than one worker sorts
	for i, n := range []int{0, 1, 2, 10, 100, 3000, large} {
		for j, opts := range [][]sorter.Option{
			nil, {sorter.On(sorter.CPU())}, {sorter.On(&plainEngine{})},
			{sorter.Descending(), sorter.Workers(3), sorter.WithContext(neverCancelled)},
		} {
			if !testkit.Thinned(i + j) {
				checkInto(t, n, opts...)
			}
		}
	}
	for i, a := range []sorter.Algorithm{sorter.Bitonic, sorter.MergeSort} {
		if !testkit.ThinnedTo(2, i+1) {
			checkInto(t, large, sorter.Use(a))
		}
	}
}

// TestIntoInPlace has too little memory for scratch.
func TestIntoInPlace(t *testing.T) {
	const n, limit = 100_000, 2 << 20
	s := prices(n)
	want, err := sorter.OrderKeys(s)
	if err != nil {
		t.Fatal(err)
	}
	m := newMemory(0, n)
	var st sorter.Stats
	got, err := sorter.OrderKeys(s, sorter.Into(m.p), sorter.MemoryLimit(limit), sorter.Report(&st))
	checkSame(t, "in place", err, got, want)
	if unsafe.SliceData(got) != unsafe.SliceData(m.p) || st.Scratch > limit {
		t.Errorf("not in that memory, or %d bytes of scratch", st.Scratch)
	}
}

// TestIntoAgain orders one list after the other into the same memory, whose
// contents are the order before.
func TestIntoAgain(t *testing.T) {
	var p perm.Perm
	for i, n := range []int{50_000, 50_000, 300, 49_999, 0, 12, 50_000, 60_000} {
		s := shuffled(prices(n), uint64(i))
		want, _ := sorter.OrderKeys(s)
		before := p
		var err error
		p, err = sorter.OrderKeys(s, sorter.Into(p))
		checkSame(t, fmt.Sprintf("list %d", i), err, p, want)
		if again := cap(before) >= n && before != nil; again && (cap(p) != cap(before) || n > 0 && &p[0] != &before[:1][0]) {
			t.Errorf("list %d of %d: new memory, although there was some for %d", i, n, cap(before))
		}
	}
}

// TestIntoFails ends calls early: there is no result, the keys are untouched, and
// nothing is written outside of the memory given.
func TestIntoFails(t *testing.T) {
	lost := errors.New("lost")
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, n := range []int{10, 5000, 60_000} {
		in := prices(n)
		for _, v := range orderVerbs {
			midway, stop := context.WithCancel(context.Background())
			defer stop()
			for _, c := range []struct {
				name string
				want error
				opts []sorter.Option
			}{
				{"cancelled before", context.Canceled, []sorter.Option{sorter.WithContext(cancelled)}},
				{"cancelled midway", context.Canceled, []sorter.Option{sorter.WithContext(midway), sorter.On(&plainEngine{emitting: stop, err: lost})}},
				{"lost", lost, []sorter.Option{sorter.On(&plainEngine{failAt: n / 2, err: lost})}},
				{"too little memory", sorter.ErrMemoryLimit, []sorter.Option{sorter.MemoryLimit(1)}},
			} {
				name := fmt.Sprintf("%s, n=%d, %s", v.name, n, c.name)
				s, m := slices.Clone(in), newMemory(n, n)
				got, err := v.run(s, append(c.opts, sorter.Into(m.p))...)
				if got != nil || !errors.Is(err, c.want) {
					t.Errorf("%s: %d positions, error %v", name, len(got), err)
				}
				if err := m.written(n); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				checkSame(t, name+": the keys", nil, s, in)
			}
		}
	}
}

// TestIntoKeys offers memory that the keys are in, wholly or in part.
func TestIntoKeys(t *testing.T) {
	for _, n := range []int{2, 100, 20_000} {
		all := mapped(ascending(2*n), func(i int) uint32 { return uint32(-i) })
		before := slices.Clone(all)
		for _, at := range []int{0, 1, n - 1} {
			got := panicValue(func() {
				_, _ = sorter.OrderKeys(all[:n], sorter.Into(all[at:at+n]))
			})
			if got != "sorter: Into memory that holds the elements to be ordered" {
				t.Errorf("n=%d, memory from %d on: recovered %v", n, at, got)
			}
			checkSame(t, "keys after the panic", nil, all, before)
		}
		if _, err := sorter.OrderKeys(all[:n], sorter.Into(all[n:])); err != nil {
			t.Error(err)
		}
		checkSame(t, "keys beside the result", nil, all[:n], before[:n])
	}
}

// TestIntoColumn offers memory that a column is in, wholly or in part.
func TestIntoColumn(t *testing.T) {
	for _, n := range []int{2, 100, 20_000} {
		all := mapped(ascending(2*n), func(i int) uint32 { return uint32(-i) })
		before, rows := slices.Clone(all), ascending(n)
		column, none := sorter.AscOf(all[:n]), func(int) bool { return false }
		other := sorter.Asc(func(row int) float64 { return float64(row) })
		for i, cols := range [][]sorter.Column[int]{
			{column}, {sorter.DescOf(all[:n]).NullsLast(none)}, {other, column}, {other, column.NullsFirst(none), other},
		} {
			for _, at := range []int{0, 1, n - 1} {
				into := sorter.Into(all[at : at+n])
				for name, order := range map[string]func(){
					"Rows.Order":     func() { _, _ = sorter.RowsBy(n, cols...).Order(into) },
					"Ordering.Order": func() { _, _ = sorter.By(cols...).Order(rows, into) },
				} {
					if got := panicValue(order); got != "sorter: Into memory that holds a column to order by" {
						t.Errorf("%s, n=%d, columns %d, memory from %d on: recovered %v", name, n, i, at, got)
					}
					checkSame(t, "the column after the panic", nil, all, before)
				}
			}
			if _, err := sorter.RowsBy(n, cols...).Order(sorter.Into(all[n:])); err != nil {
				t.Error(err)
			}
			checkSame(t, "the column beside the result", nil, all[:n], before[:n])
			copy(all, before)
		}
	}
}

// TestIntoIgnored gives the option to calls that return no permutation.
func TestIntoIgnored(t *testing.T) {
	for _, v := range verbs {
		if v.name == "Order" || v.name == "Rows.Order" {
			continue
		}
		for _, n := range []int{10, 5000} {
			m := newMemory(n, n)
			if err := v.run(v.input(n), price, sorter.Into(m.p)); err != nil {
				t.Errorf("%s: %v", v.name, err)
			}
			if err := m.written(0); err != nil {
				t.Errorf("%s: %v", v.name, err)
			}
		}
	}
}

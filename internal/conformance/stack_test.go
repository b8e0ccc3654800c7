package conformance_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/call"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// The stack of a goroutine moves when it grows. Options, keys and rows that lie on it must move
// with it, whichever function of the caller makes it grow.

// grow needs about kib KiB of stack.
//
//go:noinline
func grow(kib int) byte {
	var frame [1 << 10]byte
	if frame[kib] = byte(kib); kib > 1 {
		return frame[kib] + grow(kib-1)
	}
	return frame[kib]
}

// onNewStack runs f on a stack that is small.
func onNewStack(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

func TestStackGrowsInOption(t *testing.T) {
	for kib := 2; kib < 1<<10; kib *= 2 {
		onNewStack(func() {
			var st sorter.Stats
			growing := sorter.Option(func(*call.Options) { grow(kib) })
			p, err := sorter.OrderKeys([]int{2, 1, 3}, growing, sorter.Descending(), sorter.Report(&st))
			if err != nil || !slices.Equal(p, []uint32{2, 0, 1}) || st.Elements != 3 {
				t.Errorf("%d KiB: options after the one that grows the stack are lost: %v, %v, %d elements", kib, err, p, st.Elements)
			}
		})
	}
}

// TestStackGrowsInKeyFunction grows the stack in one call of a key or null function.
func TestStackGrowsInKeyFunction(t *testing.T) {
	type row struct {
		num  int64
		text string
		wide [16]byte
	}
	r := dist.Rand(11)
	for _, n := range []int{3, 20, 70, 700, 5000} {
		in := make([]row, n)
		for i := range in {
			x := r.Int64N(int64(n))
			in[i] = row{num: x, text: fmt.Sprintf("%06d", x)}
			copy(in[i].wide[:], fmt.Sprintf("%016d", x))
		}
		want := slices.SortedStableFunc(slices.Values(in), func(a, b row) int { return cmp.Compare(a.num, b.num) })
		for call := 0; call < n; call = 3*call + 1 {
			calls := 0
			at := func(e row) row {
				if calls++; calls == call+1 {
					grow(200)
				}
				return e
			}
			num := func(e row) int64 { return at(e).num }
			text := func(e row) string { return at(e).text }
			wide := func(e row) [16]byte { return at(e).wide }
			byNum, byText, byWide := sorter.By(sorter.Asc(num)), sorter.By(sorter.Asc(text)), sorter.By(sorter.Asc(wide))
			null := func(e row) bool { at(e); return false }
			byNull := sorter.By(sorter.Asc(num).NullsFirst(null), sorter.Desc(text))
			for name, sort := range map[string]func(s []row, opts ...sorter.Option) error{
				"Sort, number": func(s []row, opts ...sorter.Option) error { return sorter.Sort(s, num, opts...) },
				"Sort, text":   func(s []row, opts ...sorter.Option) error { return sorter.Sort(s, text, opts...) },
				"Sort, wide":   func(s []row, opts ...sorter.Option) error { return sorter.Sort(s, wide, opts...) },
				"By, number":   byNum.Sort,
				"By, text":     byText.Sort,
				"By, wide":     byWide.Sort,
				"By, nulls":    byNull.Sort,
				"TopK":         func(s []row, opts ...sorter.Option) error { return sorter.TopK(s, len(s), num, opts...) },
				"Order": func(s []row, opts ...sorter.Option) error {
					p, err := sorter.Order(s, num, opts...)
					copy(s, mapped(p, func(i uint32) row { return s[i] }))
					return err
				},
				"Order by columns": func(s []row, opts ...sorter.Option) error {
					p, err := byNull.Order(s, opts...)
					copy(s, mapped(p, func(i uint32) row { return s[i] }))
					return err
				},
				"Rows.Order": func(s []row, opts ...sorter.Option) error {
					cols := []sorter.Column[int]{sorter.Asc(func(i int) int64 { return num(s[i]) })}
					p, err := sorter.RowsBy(len(s), cols...).Order(opts...)
					copy(s, mapped(p, func(i uint32) row { return s[i] }))
					return err
				},
				"Merge": func(s []row, opts ...sorter.Option) error {
					a, b := slices.Clone(s[:len(s)/2]), slices.Clone(s[len(s)/2:])
					byNumber := func(x, y row) int { return cmp.Compare(x.num, y.num) }
					testkit.SortStable(a, byNumber)
					testkit.SortStable(b, byNumber)
					calls = 0
					return sorter.Merge(s, [][]row{a, b}, num, opts...)
				},
			} {
				onNewStack(func() {
					calls = 0
					got := slices.Clone(in)
					err := sort(got, sorter.Workers(1), sorter.Stable())
					checkSame(t, fmt.Sprintf("%s, n=%d, stack grows in call %d", name, n, call), err, got, want)
				})
			}
		}
	}
}

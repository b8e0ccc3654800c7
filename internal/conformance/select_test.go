package conformance_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// Rows that are selected are those of the whole stable order.

// topOrder and topRows are calls of a keySet's first rows.
func (s *keysOf[K]) topOrder(rows []int, k int, opts ...sorter.Option) ([]uint32, error) {
	return sorter.By(sorter.Asc(s.key)).TopOrder(rows, k, opts...)
}

func (s *keysOf[K]) topRows(k int, opts ...sorter.Option) ([]uint32, error) {
	return sorter.RowsBy(len(s.keys), sorter.AscOf(s.keys)).Top(k, opts...)
}

// selecting is a keySet that selects rows.
type selecting interface {
	topOrder(rows []int, k int, opts ...sorter.Option) ([]uint32, error)
	topRows(k int, opts ...sorter.Option) ([]uint32, error)
}

// checkFirst holds the first k rows to those of the whole stable sort.
func (r *reference) checkFirst(t *testing.T, k int, m mode) {
	t.Helper()
	name, want := fmt.Sprintf("k=%d, %s, %s", k, r.name, m.name), permOf(r.in(m.order))
	want = want[:min(k, len(want))]
	rows := slices.Clone(r.rows)
	got, err := r.keySet.(selecting).topOrder(rows, k, m.stable()...)
	checkSame(t, "TopOrder: "+name, err, got, want)
	checkSame(t, "TopOrder changed its input: "+name, nil, rows, r.rows)
	got, err = r.keySet.(selecting).topRows(k, m.opts...) // the CPU is stable without being asked
	checkSame(t, "Rows.Top: "+name, err, got, want)
}

func TestFirstRows(t *testing.T) {
	eachKind(t, func(k keyCase, t *testing.T) {
		turn := 0
		for _, input := range inputs {
			for _, n := range []int{0, 1, 2, 17, 100, 5000, 9001} {
				if turn++; n > 100 && !testkit.Long() && turn%8 != 0 || thinned(n, turn/8) {
					continue
				}
				ref := drawn(k, input, n, uint64(turn))
				for i, k := range []int{0, 1, n / 100, n / 32, n / 2, n, n + 5} {
					if i%3 == turn%3 {
						ref.checkFirst(t, k, modes[(turn+i)%len(modes)])
					}
				}
			}
		}
	})
}

func TestFirstRowsByColumns(t *testing.T) {
	t.Parallel()
	r := dist.Rand(46)
	for i, spec := range append(usualSpecs(), randomSpec(r), randomSpec(r), randomSpec(r)) {
		n := []int{0, 60, testkit.Pick(4500, 9000), testkit.Pick(5000, 100_000)}[i%4]
		in, m := newRecords(n, uint64(i)), modes[(i*5)%len(modes)]
		want := spec.inOrder(in, m.order)
		for j, k := range []int{0, 1, n / 33, n / 3, n + 1} {
			if testkit.ThinnedTo(2, i/4+j) {
				continue
			}
			name := fmt.Sprintf("TopOrder: k=%d, %v, n=%d, %s", k, spec, n, m.name)
			by, counters := spec.build()
			var first []uint32
			var err error
			checkCalls(t, name, counters, n, func() { first, err = by.TopOrder(in, k, m.stable()...) })
			got := make([]record, len(first))
			perm.Gather(got, in, first, 1)
			checkRecords(t, name, err, got, want[:min(k, n)])
		}
	}
}

// TestFirstRowsOfColumns has row numbers that no slice holds, with key functions, under limits.
func TestFirstRowsOfColumns(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 5000, scaled(50_000)} {
		in := withNaNs(n)
		cols := []sorter.Column[int]{
			sorter.Asc(func(row int) string { return longText(in[row]) }).NullsLast(func(row int) bool { return in[row].Venue%5 == 0 }),
			sorter.DescOf(mapped(in, price)),
		}
		want, err := sorter.RowsBy(n, cols...).Order(sorter.Stable())
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{0, 1, 7, n / 40, n / 2, n} {
			for name, opts := range map[string][]sorter.Option{
				"": nil, "on an engine": {sorter.On(&plainEngine{}), sorter.Stable()}, "reported": {sorter.Report(new(sorter.Stats))},
				"with marks": {sorter.MarkRuns(new(perm.Runs)), sorter.Into(make(perm.Perm, n))},
			} {
				got, err := sorter.RowsBy(n, cols...).Top(k, opts...)
				checkSame(t, fmt.Sprintf("Rows.Top, n=%d, k=%d, %s", n, k, name), err, got, want[:k])
			}
			var st sorter.Stats
			for limit, err := int64(1000), error(sorter.ErrMemoryLimit); err != nil; limit += limit / 8 {
				var got []uint32
				got, err = sorter.RowsBy(n, cols...).Top(k, sorter.MemoryLimit(limit), sorter.Report(&st))
				if err == nil {
					checkSame(t, "Rows.Top in the least memory", err, got, want[:k])
				}
				if err != nil && !errors.Is(err, sorter.ErrMemoryLimit) || st.Scratch > limit {
					t.Fatalf("Rows.Top, n=%d, k=%d: %d bytes of scratch under a limit of %d: %v", n, k, st.Scratch, limit, err)
				}
			}
		}
	}
}

func TestSelectMisuse(t *testing.T) {
	var noKey func(fill) float32
	s, cols := fills(10), []sorter.Column[int]{sorter.AscOf([]int{1, 2, 3})}
	for name, f := range map[string]func(){
		"TopOrder, nil key":                   func() { _, _ = sorter.By(sorter.Asc(noKey)).TopOrder(s, 1) },
		"TopOrder, negative k":                func() { _, _ = sorter.By(sorter.Asc(price)).TopOrder(s, -1) },
		"Ordering.TopOrder, negative k":       func() { _, _ = smallByText.TopOrder(s, -1) },
		"Rows.Top, negative k":                func() { _, _ = sorter.RowsBy(3, cols...).Top(-1) },
		"Rows.Top, negative n":                func() { _, _ = sorter.RowsBy(-1, cols...).Top(1) },
		"Rows.Top, too many rows":             func() { _, _ = sorter.RowsBy(4, cols...).Top(1) },
		"Rows.Top, a column without function": func() { _, _ = sorter.RowsBy(3, []sorter.Column[int]{{}}...).Top(1) },
	} {
		if text := fmt.Sprint(panicValue(f)); len(text) < 8 || text[:8] != "sorter: " {
			t.Errorf("%s: panicked with %q", name, text)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, n := range []int{0, 10, 10_000} {
		if got, err := sorter.By(sorter.Asc(price)).TopOrder(fills(n), 3, sorter.WithContext(ctx)); !errors.Is(err, context.Canceled) || got != nil {
			t.Errorf("n=%d: %v, error %v", n, got, err)
		}
		if got, err := smallByText.TopOrder(fills(n), 3, sorter.WithContext(ctx)); !errors.Is(err, context.Canceled) || got != nil {
			t.Errorf("n=%d: %v, error %v", n, got, err)
		}
	}
}

func (s *keysOf[K]) nth(rows, ks []int, opts ...sorter.Option) ([]uint32, error) {
	return sorter.By(sorter.Asc(s.key)).Nth(rows, ks, opts...)
}

func (s *keysOf[K]) nthOfRows(ks []int, opts ...sorter.Option) ([]uint32, error) {
	return sorter.RowsBy(len(s.keys), sorter.AscOf(s.keys)).Nth(ks, opts...)
}

// selectingAt is a keySet that selects rows at ranks.
type selectingAt interface {
	nth(rows, ks []int, opts ...sorter.Option) ([]uint32, error)
	nthOfRows(ks []int, opts ...sorter.Option) ([]uint32, error)
}

// checkNth holds the k-th row to that of the whole stable sort.
func (r *reference) checkNth(t *testing.T, k int, m mode) {
	t.Helper()
	name, want := fmt.Sprintf("k=%d, %s, %s", k, r.name, m.name), permOf(r.in(m.order)[k:k+1])
	rows := slices.Clone(r.rows)
	by := r.keySet.(selectingAt)
	got, err := by.nth(rows, []int{k}, m.stable()...)
	checkSame(t, "Ordering.Nth: "+name, err, got, want)
	checkSame(t, "Nth changed its input: "+name, nil, rows, r.rows)
	got, err = by.nthOfRows([]int{k}, m.opts...)
	checkSame(t, "Rows.Nth: "+name, err, got, want)
}

// checkNths holds the rows at places ks to those of the whole stable sort.
func (r *reference) checkNths(t *testing.T, ks []int, m mode) {
	t.Helper()
	name, want := fmt.Sprintf("ks=%v, %s, %s", ks, r.name, m.name), permOf(at(r.in(m.order), ks))
	asked, by := slices.Clone(ks), r.keySet.(selectingAt)
	got, err := by.nthOfRows(asked, m.opts...)
	checkSame(t, "Rows.Nth: "+name, err, got, want)
	checkSame(t, "Nth changed its ranks", nil, asked, ks)
	got, err = by.nth(r.rows, asked, m.stable()...)
	checkSame(t, "Ordering.Nth: "+name, err, got, want)
	checkSame(t, "Nth changed its ranks", nil, asked, ks)
}

// positionsOf are positions in an order of n rows.
func positionsOf(n int) []int { return []int{0, n - 1, n / 2, n / 100, n - 1 - n/50} }

func TestNth(t *testing.T) {
	eachKind(t, func(k keyCase, t *testing.T) {
		turn := 0
		for _, input := range inputs {
			for _, n := range []int{1, 2, 17, 100, 5000, 9001} {
				if turn++; n > 100 && !testkit.Long() && turn%7 != 0 || thinned(n, turn/7) {
					continue
				}
				ref := drawn(k, input, n, uint64(turn))
				for i, k := range positionsOf(n) {
					ref.checkNth(t, k, modes[(turn+i)%len(modes)])
				}
				ref.checkNths(t, positionsOf(n), modes[turn%len(modes)])
				ref.checkNths(t, nil, modes[turn%len(modes)])
			}
		}
	})
}

// percentiles are 101 positions in an order of n rows, the last first.
func percentiles(n int) (ks []int) {
	for p := 100; p >= 0; p-- {
		ks = append(ks, p*(n-1)/100)
	}
	return ks
}

// TestNthLarge counts digits.
func TestNthLarge(t *testing.T) {
	testkit.SkipRace(t)
	eachKind(t, func(k keyCase, t *testing.T) {
		for i, input := range []string{"sprinkled", "16 values", "uniform", "crowded"} {
			if !takesLarge(k, i) {
				continue
			}
			ref := drawn(k, input, testkit.Pick(100_000, 150_000), 9)
			for j, k := range positionsOf(ref.len()) {
				ref.checkNth(t, k, modes[(i+j*4)%4])
			}
			ref.checkNths(t, positionsOf(ref.len()), modes[i])
			ref.checkNths(t, percentiles(ref.len()), modes[i])
		}
	})
}

func TestNthByColumns(t *testing.T) {
	t.Parallel()
	r := dist.Rand(47)
	for i, spec := range append(usualSpecs(), randomSpec(r), randomSpec(r), randomSpec(r)) {
		n := []int{1, 60, testkit.Pick(4500, 9000), testkit.Pick(5000, 150_000)}[i%4]
		in, m := newRecords(n, uint64(i)), modes[(i*5)%len(modes)]
		want := spec.inOrder(in, m.order)
		for _, k := range positionsOf(n) {
			name := fmt.Sprintf("Nth: k=%d, %v, n=%d, %s", k, spec, n, m.name)
			by, counters := spec.build()
			var at []uint32
			var err error
			checkCalls(t, name, counters, n, func() { at, err = by.Nth(in, []int{k}, m.stable()...) })
			if err != nil || len(at) != 1 || in[at[0]].Idx != want[k].Idx {
				t.Fatalf("%s: rows %d, want %d, error %v", name, at, want[k].Idx, err)
			}
		}
	}
}

// TestNthOfTies has more rows that tie on their first code than one worker selects from.
func TestNthOfTies(t *testing.T) {
	testkit.SkipRace(t)
	n := testkit.Pick(100_000, 2_000_000)
	in := drawBelow(n, 1000, 3)
	cols := []sorter.Column[int]{sorter.Desc(func(row int) string { return "a long prefix" }), sorter.AscOf(in)}
	want, err := sorter.RowsBy(n, cols...).Order()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{0, n / 3, n - 1} {
		if got, err := sorter.RowsBy(n, cols...).Nth([]int{k}); err != nil || len(got) != 1 || got[0] != want[k] {
			t.Errorf("k=%d: rows %d, want %d, error %v", k, got, want[k], err)
		}
	}
	ks := percentiles(n)
	got, err := sorter.RowsBy(n, cols...).Nth(ks)
	checkSame(t, "Rows.Nth of ties", err, got, mapped(ks, func(k int) uint32 { return want[k] }))
}

// TestSelectionsIgnoreResultOptions holds calls that return no permutation to leaving the memory of Into and MarkRuns
// as it is.
func TestSelectionsIgnoreResultOptions(t *testing.T) {
	for _, n := range []int{10, 300, 9000} {
		s := mapped(drawBelow(n, 20, 4), func(v uint64) int { return int(v) })
		by, rows := sorter.By(sorter.Asc(func(i int) int { return i })), sorter.RowsBy(n, sorter.AscOf(s))
		for name, call := range map[string]func(opts ...sorter.Option) error{
			"Ordering.TopOrder": func(opts ...sorter.Option) error { return ignored(by.TopOrder(s, n/2, opts...)) },
			"Ordering.Nth":      func(opts ...sorter.Option) error { return ignored(by.Nth(s, []int{0, n / 2}, opts...)) },
			"Rows.Top":          func(opts ...sorter.Option) error { return ignored(rows.Top(n/2, opts...)) },
			"Rows.Top of all":   func(opts ...sorter.Option) error { return ignored(rows.Top(n, opts...)) },
			"Rows.Nth":          func(opts ...sorter.Option) error { return ignored(rows.Nth([]int{0, n / 2}, opts...)) },
			"Rows.Quantiles":    func(opts ...sorter.Option) error { return ignored(rows.Quantiles([]float64{0.5}, opts...)) },
			"Quantiles":         func(opts ...sorter.Option) error { return ignored(sorter.Quantiles(s, []float64{0.5}, opts...)) },
			"Partitions.Nth":    func(opts ...sorter.Option) error { return ignored(rows.Per(sorter.AscOf(s)).Nth([]int{0}, opts...)) },
			"Partitions.Top": func(opts ...sorter.Option) error {
				_, _, err := rows.Per(sorter.AscOf(s)).Top(1, opts...)
				return err
			},
			"Partitions.Top of one": func(opts ...sorter.Option) error {
				_, _, err := rows.Per().Top(n/2, opts...)
				return err
			},
		} {
			into, marks := make(perm.Perm, n), perm.RunsAt([]int{0, 7})
			for i := range into {
				into[i] = 9
			}
			want := slices.Clone(into)
			err := call(sorter.Into(into), sorter.MarkRuns(&marks), sorter.MarkRunsBy(1, &marks))
			checkSame(t, fmt.Sprintf("%s, n=%d, memory of Into", name, n), err, into, want)
			checkSame(t, fmt.Sprintf("%s, n=%d, runs", name, n), nil, marks.Offsets(), []int{0, 7})
		}
	}
}

// TestQuantiles compares with quantiles of sorted keys.
func TestQuantiles(t *testing.T) {
	t.Parallel()
	r := dist.Rand(48)
	qs := []float64{0.5, 0, 1, 0.25, 0.999, 1.0 / 3, 0.5, 0.01}
	for _, n := range []int{0, 1, 2, 3, 10, 101, 5000, testkit.Pick(70_000, 300_000)} {
		floats, ints := make([]float64, n), make([]int32, n)
		for i := range floats {
			floats[i], ints[i] = r.NormFloat64(), int32(r.Uint32())>>(i%2*28)
		}
		checkQuantiles(t, floats, qs)
		checkQuantiles(t, floats, qs, sorter.Descending())
		checkQuantiles(t, ints, qs, sorter.Workers(1))
		rows, err := sorter.RowsBy(max(n, 1), sorter.AscOf(append(ints, 7)), sorter.DescOf(append(floats, 1))).Quantiles(qs)
		order, _ := sorter.RowsBy(max(n, 1), sorter.AscOf(append(ints, 7)), sorter.DescOf(append(floats, 1))).Order()
		for i, q := range qs {
			at := 0 // the first place with a share q of rows up to it
			for float64(at+1) < q*float64(len(order)) {
				at++
			}
			if err != nil || rows[i] != order[at] {
				t.Errorf("Rows.Quantiles, n=%d, q=%v: row %d, want %d, error %v", n, q, rows[i], order[at], err)
			}
		}
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		keys []float64
		q    float64
		opts []sorter.Option
		want float64
	}{
		{[]float64{1, 2, 4}, 0.75, nil, 3}, {[]float64{inf, inf, 1}, 0.9, nil, inf}, {[]float64{-inf, inf}, 0.5, nil, nan},
		{[]float64{-inf, -1}, 0.5, nil, -inf}, {[]float64{-inf, 1}, 0.5, nil, -inf}, {[]float64{1, inf}, 0.5, []sorter.Option{sorter.Descending()}, inf}, {[]float64{1, inf}, 0.5, nil, inf}, {[]float64{-inf, -1}, 1, nil, -1},
		{[]float64{-inf, nan}, 0.5, []sorter.Option{sorter.NaNsLast()}, nan},
		{[]float64{math.MaxFloat64, -math.MaxFloat64}, 0.5, nil, 0}, {[]float64{nan, 1, 3}, 0.75, nil, 2}, {[]float64{nan, 1, 3}, 0.25, nil, nan},
		{[]float64{nan, 1, 3}, 0.25, []sorter.Option{sorter.NaNsLast()}, 2}, {[]float64{nan, 1, 3}, 0.75, []sorter.Option{sorter.NaNsLast()}, nan},
		{[]float64{0.1, 0.1}, 0.3, nil, 0.1}, {nil, 0.5, nil, nan},
	} {
		got, err := sorter.Quantiles(c.keys, []float64{c.q}, c.opts...)
		if err != nil || got[0] != c.want && !(math.IsNaN(got[0]) && math.IsNaN(c.want)) {
			t.Errorf("quantile %v of %v: %v, want %v, error %v", c.q, c.keys, got, c.want, err)
		}
	}
}

// TestFirstOfNone asks for no element, which takes no key.
func TestFirstOfNone(t *testing.T) {
	for _, n := range []int{0, 1, 100, 5000} {
		calls := 0
		key := func(i int) int64 { calls++; return int64(-i) }
		s := make([]int, n)
		first, err := sorter.By(sorter.Asc(key)).TopOrder(s, 0, sorter.Workers(1))
		if err != nil || len(first) != 0 || calls > 0 {
			t.Errorf("TopOrder of %d: %v, error %v, %d calls", n, first, err, calls)
		}
		first, err = sorter.RowsBy(n, sorter.Asc(key)).Top(0, sorter.Workers(1))
		if err != nil || len(first) != 0 || calls > 0 {
			t.Errorf("Rows.Top of %d: %v, error %v, %d calls", n, first, err, calls)
		}
	}
}

// checkQuantiles compares quantiles with those of sorted keys.
func checkQuantiles[K int32 | float64](t *testing.T, keys []K, qs []float64, opts ...sorter.Option) {
	t.Helper()
	left := slices.Clone(keys)
	got, err := sorter.Quantiles(left, qs, opts...)
	if err != nil || len(got) != len(qs) || !slices.Equal(left, keys) {
		t.Fatalf("Quantiles of %d keys: %d quantiles, error %v", len(keys), len(got), err)
	}
	sorted := slices.Clone(keys)
	_ = sorter.SortKeys(sorted, opts...)
	for i, q := range qs {
		if len(keys) == 0 {
			if !math.IsNaN(got[i]) {
				t.Errorf("quantile of nothing: %v", got[i])
			}
			continue
		}
		h := q * float64(len(keys)-1)
		a, b := float64(sorted[int(math.Floor(h))]), float64(sorted[int(math.Ceil(h))])
		want := a + (b-a)*(h-math.Floor(h))
		if math.Abs(got[i]-want) > 1e-9*max(math.Abs(want), 1) {
			t.Errorf("quantile %v of %d keys: %v, want %v", q, len(keys), got[i], want)
		}
	}
}

// TestNthLimits searches in the least memory, and under contexts that end.
func TestNthLimits(t *testing.T) {
	t.Parallel()
	for i, spec := range usualSpecs() {
		n := testkit.Pick(2000, 9000)
		in := newRecords(n, uint64(i))
		by, _ := spec.build()
		p, err := by.Order(in)
		if err != nil {
			t.Fatal(err)
		}
		var st sorter.Stats
		for limit, ways := int64(1000), map[string]bool{}; limit < int64(200*n) && len(spec) > 0; limit += limit / 8 {
			at, err := by.Nth(in, []int{n / 3}, sorter.MemoryLimit(limit), sorter.Report(&st))
			if err == nil {
				ways[st.Algorithm] = true
			}
			if err == nil && !slices.Equal(at, []uint32{p[n/3]}) || err != nil && !errors.Is(err, sorter.ErrMemoryLimit) || st.Scratch > limit {
				t.Fatalf("%v: rows %d, want %d, %d bytes of scratch under a limit of %d: %v", spec, at, p[n/3], st.Scratch, limit, err)
			}
			if limit > int64(190*n) && (!ways["InPlace"] || !ways["Select"]) {
				t.Errorf("%v: took %v", spec, ways)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := fills(300_000)
	calls := 0
	_, err := sorter.By(sorter.Asc(func(f fill) float32 {
		if calls++; calls == 100_000 {
			cancel()
		}
		return f.Price
	})).Nth(s, []int{5}, sorter.WithContext(ctx), sorter.Workers(1))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestNthMisuse(t *testing.T) {
	var noKey func(fill) float32
	s, cols := fills(10), []sorter.Column[int]{sorter.AscOf([]int{1, 2, 3})}
	for name, f := range map[string]func(){
		"Nth, nil key":                         func() { _, _ = sorter.By(sorter.Asc(noKey)).Nth(s, []int{1}) },
		"Nth, negative k":                      func() { _, _ = sorter.By(sorter.Asc(price)).Nth(s, []int{-1}) },
		"Nth after the last":                   func() { _, _ = sorter.By(sorter.Asc(price)).Nth(s, []int{10}) },
		"Nth of nothing":                       func() { _, _ = sorter.By(sorter.Asc(price)).Nth(nil, []int{0}) },
		"Rows.Nth of one after the last":       func() { _, _ = sorter.RowsBy(3, cols...).Nth([]int{3}) },
		"Rows.Nth of one, too many rows":       func() { _, _ = sorter.RowsBy(4, cols...).Nth([]int{3}) },
		"Ordering.Nth, negative k":             func() { _, _ = smallByText.Nth(s, []int{-1}) },
		"Ordering.Nth of too few":              func() { _, _ = smallByText.Nth(s[:3], []int{3}) },
		"Rows.Nth of one of a negative number": func() { _, _ = sorter.RowsBy(-1, cols...).Nth([]int{0}) },
		"Rows.Nth after the last":              func() { _, _ = sorter.RowsBy(3, cols...).Nth([]int{0, 3}) },
		"Rows.Nth, too many rows":              func() { _, _ = sorter.RowsBy(4, cols...).Nth([]int{1}) },
		"Rows.Nth of a negative number":        func() { _, _ = sorter.RowsBy(-1, cols...).Nth(nil) },
		"Rows.Quantiles of no rows":            func() { _, _ = sorter.RowsBy(0, cols...).Quantiles([]float64{0.5}) },
		"Rows.Quantiles above 1":               func() { _, _ = sorter.RowsBy(3, cols...).Quantiles([]float64{1.01}) },
		"Quantiles below 0":                    func() { _, _ = sorter.Quantiles([]int{1}, []float64{-0.1}) },
		"Quantiles at NaN":                     func() { _, _ = sorter.Quantiles([]int{}, []float64{math.NaN()}) },
	} {
		if text := fmt.Sprint(panicValue(f)); len(text) < 8 || text[:8] != "sorter: " {
			t.Errorf("%s: panicked with %q", name, text)
		}
	}
}

func (s *keysOf[K]) searchRange(rows []int, targets keySet, i int) (lo, hi int) {
	by := sorter.By(sorter.Asc(func(row int) K {
		if row < 0 { // the target
			return targets.(*keysOf[K]).keys[i]
		}
		return s.key(row)
	}))
	return by.SearchRange(rows, -1)
}

// TestSearchRange compares bounds with a count of all rows.
func TestSearchRange(t *testing.T) {
	eachKind(t, func(k keyCase, t *testing.T) {
		for turn, input := range []string{"uniform", "16 values", "edge values", "sprinkled"} {
			for _, n := range []int{0, 1, 2, 40, 300} {
				ref, targets := drawn(k, input, n, uint64(n)), drawn(k, input, 20, uint64(turn+1))
				rows := slices.Clone(ref.in(oracle.Order{}))
				for i := range targets.len() {
					lo, hi := ref.keySet.(interface {
						searchRange(rows []int, targets keySet, i int) (lo, hi int)
					}).searchRange(rows, targets.keySet, i)
					first, found := ref.wantSearch(rows, targets.keySet, i)
					last := first
					for compare := ref.compare(oracle.Order{}); found && last < n && compare(rows[first], rows[last]) == 0; {
						last++
					}
					if lo != first || hi != last {
						t.Fatalf("%s: [%d, %d), want [%d, %d)", ref.name, lo, hi, first, last)
					}
				}
			}
		}
	})
}

func TestSearchRangeByColumns(t *testing.T) {
	for i, spec := range usualSpecs() {
		for _, n := range []int{0, 1, 60, 300} {
			all := newRecords(n+10, uint64(i))
			in, compare := all[:n], spec.compare(oracle.Order{})
			testkit.SortStable(in, compare)
			by, _ := spec.build()
			cols := []sorter.Column[int]{sorter.Asc(func(row int) string { return all[row].Text }), sorter.Desc(func(row int) int8 { return all[row].I8 })}
			for _, target := range all[max(0, n-10):] {
				lo, hi := by.SearchRange(in, target)
				for at, e := range in {
					want := min(1, max(-1, compare(e, target)))
					if got := between(at, lo, hi); got != want {
						t.Fatalf("%v, n=%d: element %d is at %d of [%d, %d), want %d", spec, n, at, got, lo, hi, want)
					}
				}
			}
			testkit.SortStable(in, func(a, b record) int { return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(b.I8, a.I8)) })
			for row := range all {
				lo, hi := sorter.RowsBy(n, cols...).SearchRange(row)
				for at := range n {
					want := cmp.Or(cmp.Compare(all[at].Text, all[row].Text), cmp.Compare(all[row].I8, all[at].I8))
					if got := between(at, lo, hi); got != want {
						t.Fatalf("n=%d: row %d is at %d of [%d, %d), want %d", n, at, got, lo, hi, want)
					}
				}
			}
		}
	}
	var noKey func(fill) float32
	for name, f := range map[string]func(){
		"SearchRange, nil key":         func() { _, _ = sorter.By(sorter.Asc(noKey)).SearchRange(fills(3), fill{}) },
		"Rows.SearchRange of negative": func() { _, _ = sorter.RowsBy(-1).SearchRange(0) },
	} {
		if text := fmt.Sprint(panicValue(f)); len(text) < 8 || text[:8] != "sorter: " {
			t.Errorf("%s: panicked with %q", name, text)
		}
	}
}

// between reports whether a position is before, in or after [lo, hi): -1, 0 or 1.
func between(at, lo, hi int) int {
	switch {
	case at < lo:
		return -1
	case at < hi:
		return 0
	}
	return 1
}

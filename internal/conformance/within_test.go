package conformance_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// listed is an element of a list.
type listed struct {
	small int16
	num   int64
	real  float32
	text  string
	wide  [16]byte
	null  bool
	at    int
}

func listedRows(n int, r *rand.Rand) []listed {
	rows := make([]listed, n)
	for i := range rows {
		x := r.Int64N(int64(n)/3 + 2)
		rows[i] = listed{small: int16(r.IntN(40)), num: x - 5, real: float32(x) / 8, text: fmt.Sprintf("a common prefix %04d", x%500), null: r.IntN(5) == 0, at: i}
		copy(rows[i].wide[6:], fmt.Sprint(x))
		if r.IntN(50) == 0 {
			rows[i].real = float32(math.NaN())
		}
	}
	return rows
}

// listOrders are orders of lists, with key functions where one key is enough.
var listOrders = []struct {
	name string
	by   sorter.Ordering[listed]
	sort func(s []listed, offsets []int, opts ...sorter.Option) error
}{
	{"int16", sorter.By(sorter.Asc(func(e listed) int16 { return e.small })), func(s []listed, offsets []int, opts ...sorter.Option) error {
		return sorter.By(sorter.Asc(func(e listed) int16 { return e.small })).SortWithin(s, offsets, opts...)
	}},
	{"int64", sorter.By(sorter.Asc(func(e listed) int64 { return e.num })), func(s []listed, offsets []int, opts ...sorter.Option) error {
		return sorter.By(sorter.Asc(func(e listed) int64 { return e.num })).SortWithin(s, offsets, opts...)
	}},
	{"float32", sorter.By(sorter.Asc(func(e listed) float32 { return e.real })), func(s []listed, offsets []int, opts ...sorter.Option) error {
		return sorter.By(sorter.Asc(func(e listed) float32 { return e.real })).SortWithin(s, offsets, opts...)
	}},
	{"string", sorter.By(sorter.Asc(func(e listed) string { return e.text })), func(s []listed, offsets []int, opts ...sorter.Option) error {
		return sorter.By(sorter.Asc(func(e listed) string { return e.text })).SortWithin(s, offsets, opts...)
	}},
	{"[16]byte", sorter.By(sorter.Asc(func(e listed) [16]byte { return e.wide })), func(s []listed, offsets []int, opts ...sorter.Option) error {
		return sorter.By(sorter.Asc(func(e listed) [16]byte { return e.wide })).SortWithin(s, offsets, opts...)
	}},
	{"nulls", sorter.By(sorter.Desc(func(e listed) int64 { return e.num }).NullsFirst(func(e listed) bool { return e.null })), nil},
	{"three columns", sorter.By(sorter.Desc(func(e listed) string { return e.text }),
		sorter.Asc(func(e listed) float32 { return e.real }).NaNsLast(), sorter.Asc(func(e listed) int64 { return e.num })), nil},
	{"packed columns", sorter.By(sorter.Desc(func(e listed) int16 { return e.small }), sorter.Asc(func(e listed) bool { return e.null })), nil},
	{"no columns", sorter.Ordering[listed]{}, nil},
}

// rowColumns are the columns of listOrders by row number.
func rowColumns(rows []listed, name string) []sorter.Column[int] {
	num, text, real, null := mapped(rows, func(e listed) int64 { return e.num }), mapped(rows, func(e listed) string { return e.text }),
		mapped(rows, func(e listed) float32 { return e.real }), func(i int) bool { return rows[i].null }
	switch name {
	case "int16":
		return []sorter.Column[int]{sorter.Asc(func(i int) int16 { return rows[i].small })}
	case "int64":
		return []sorter.Column[int]{sorter.AscOf(num)}
	case "float32":
		return []sorter.Column[int]{sorter.AscOf(real)}
	case "string":
		return []sorter.Column[int]{sorter.AscOf(text)}
	case "[16]byte":
		return []sorter.Column[int]{sorter.Asc(func(i int) [16]byte { return rows[i].wide })}
	case "nulls":
		return []sorter.Column[int]{sorter.DescOf(num).NullsFirst(null)}
	case "three columns":
		return []sorter.Column[int]{sorter.DescOf(text), sorter.AscOf(real).NaNsLast(), sorter.AscOf(num)}
	case "packed columns":
		return []sorter.Column[int]{sorter.Desc(func(i int) int16 { return rows[i].small }), sorter.Asc(null)}
	}
	return nil
}

// segmentations return offsets within n elements.
var segmentations = []struct {
	name    string
	offsets func(n int, r *rand.Rand) []int
}{
	{"none", func(int, *rand.Rand) []int { return nil }},
	{"one offset", func(n int, _ *rand.Rand) []int { return []int{n / 2} }},
	{"one segment", func(n int, _ *rand.Rand) []int { return []int{0, n} }},
	{"one inside", func(n int, _ *rand.Rand) []int { return []int{n / 3, n - n/4} }},
	{"of one", func(n int, _ *rand.Rand) []int { return evenOffsets(n, 1) }},
	{"of two", func(n int, _ *rand.Rand) []int { return evenOffsets(n, 2) }},
	{"of 24", func(n int, _ *rand.Rand) []int { return evenOffsets(n, 24) }},
	{"of 25", func(n int, _ *rand.Rand) []int { return evenOffsets(n, 25) }},
	{"of 1000", func(n int, _ *rand.Rand) []int { return evenOffsets(n, 1000) }},
	{"of 3000", func(n int, _ *rand.Rand) []int { return evenOffsets(n, 3000) }},
	{"skewed", func(n int, r *rand.Rand) (offsets []int) {
		for at := r.IntN(3); at <= n; at += int(math.Exp(r.Float64() * 11)) {
			offsets = append(offsets, at)
		}
		return offsets
	}},
	{"many empty", func(n int, r *rand.Rand) (offsets []int) {
		for at := 0; at <= n; at += r.IntN(9) * r.IntN(3) {
			offsets = append(offsets, at)
		}
		return append(offsets, n, n)
	}},
}

func evenOffsets(n, each int) (offsets []int) {
	for at := 0; at < n; at += each {
		offsets = append(offsets, at)
	}
	return append(offsets, n)
}

func TestWithin(t *testing.T) {
	t.Parallel()
	for i, n := range testkit.Pick([]int{0, 1, 2, 50, 6000, 20_000}, []int{0, 1, 2, 50, 6000, 70_000}) {
		r := dist.Rand(uint64(n))
		rows := listedRows(n, r)
		for j, segments := range segmentations {
			offsets := segments.offsets(n, r)
			for k, order := range listOrders {
				if n > 6000 && (i+j+k)%7 > 0 || testkit.Thinned((j+k)/2) {
					continue
				}
				want := slices.Clone(rows)
				for s := 1; s < len(offsets); s++ {
					testkit.SortStable(want[offsets[s-1]:offsets[s]], order.by.Compare)
				}
				name := fmt.Sprintf("%s, segments %s, n=%d", order.name, segments.name, n)
				checkWithin(t, name, rows, want, offsets, k, sorter.Workers(1+(i+j+k)%3))
			}
		}
	}
}

func checkWithin(t *testing.T, name string, rows, want []listed, offsets []int, k int, workers sorter.Option) {
	t.Helper()
	place := func(e listed) int { return e.at }
	order := listOrders[k]
	var st sorter.Stats
	got := slices.Clone(rows)
	err := order.by.SortWithin(got, offsets, workers, sorter.Report(&st))
	checkSame(t, name, err, mapped(got, place), mapped(want, place))
	if last := len(offsets) - 1; last >= 0 && st.Elements != offsets[last] {
		t.Errorf("%s: the report has %d elements of %d", name, st.Elements, offsets[last])
	}
	if order.sort != nil {
		got := slices.Clone(rows)
		err := order.sort(got, offsets, workers)
		checkSame(t, name+", by key", err, mapped(got, place), mapped(want, place))
	}
	p, err := sorter.RowsBy(len(rows), rowColumns(rows, order.name)...).Within(offsets, workers)
	if len(p) != len(rows) {
		t.Errorf("%s: an order of %d rows, not %d", name, len(p), len(rows))
	}
	got = slices.Clone(rows)
	for i, at := range p {
		got[i] = rows[at]
	}
	checkSame(t, name+", of rows", err, mapped(got, place), mapped(want, place))

	err = sorter.ErrMemoryLimit
	for limit := int64(1000); errors.Is(err, sorter.ErrMemoryLimit); limit *= 2 {
		got = slices.Clone(rows)
		if err = order.by.SortWithin(got, offsets, workers, sorter.MemoryLimit(limit), sorter.Report(&st)); err != nil {
			checkSame(t, name+", too little memory", nil, mapped(got, place), mapped(rows, place))
		} else if st.Scratch > limit {
			t.Errorf("%s: %d bytes of scratch, may take %d", name, st.Scratch, limit)
		}
	}
	checkSame(t, name+", under a limit", err, mapped(got, place), mapped(want, place))
}

// TestWithinStops cancels, and panics in the key function, at random calls: the elements stay.
func TestWithinStops(t *testing.T) {
	testkit.SkipRace(t)
	const n = 90_000
	r := dist.Rand(4)
	rows := listedRows(n, r)
	place := func(e listed) int { return e.at }
	for turn := range testkit.Pick(10, 60) {
		offsets := segmentations[2+turn%(len(segmentations)-2)].offsets(n, r)
		stop, calls := r.IntN(n-n/4-n/3), 0
		ctx, cancel := context.WithCancel(context.Background())
		got := slices.Clone(rows)
		sort := func(f func()) error {
			calls = 0
			return sorter.By(sorter.Asc(func(e listed) string {
				if calls++; calls == stop+1 {
					f()
				}
				return e.text
			})).SortWithin(got, offsets, sorter.Workers(1), sorter.WithContext(ctx))
		}
		if err := sort(cancel); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled in call %d: error %v", stop, err)
		}
		checkSame(t, "cancelled", nil, mapped(got, place), mapped(rows, place))
		ctx = context.Background()
		func() {
			defer func() {
				if p := recover(); p != "stop" {
					t.Errorf("recovered %v", p)
				}
			}()
			_ = sort(func() { panic("stop") })
		}()
		checkSame(t, "after a panic", nil, mapped(got, place), mapped(rows, place))
	}
}

// TestWithinCancelledAnywhere cancels at every few questions to the context: either nothing or
// everything has happened. The longest segment is for all workers.
func TestWithinCancelledAnywhere(t *testing.T) {
	testkit.SkipRace(t) // one worker
	const n = 100_000
	r := dist.Rand(5)
	rows := listedRows(n, r)
	place := func(e listed) int { return e.at }
	offsets := append(evenOffsets(n/4, 30), n)
	want := slices.Clone(rows)
	for i := 1; i < len(offsets); i++ {
		testkit.SortStable(want[offsets[i-1]:offsets[i]], func(a, b listed) int { return cmp.Compare(a.num, b.num) })
	}
	cancellable, stop := context.WithCancel(context.Background())
	defer stop()
	// ask sorts with a context that is over after some questions, and returns how many were asked.
	ask := func(questions int64) (asked int64) {
		ctx := &testkit.Ending{Context: cancellable}
		ctx.Left.Store(questions)
		got := slices.Clone(rows)
		err := sorter.By(sorter.Asc(func(e listed) int64 { return e.num })).SortWithin(got, offsets, sorter.Workers(1), sorter.WithContext(ctx))
		name := fmt.Sprintf("over after %d questions", questions)
		if errors.Is(err, context.Canceled) {
			checkSame(t, name, nil, mapped(got, place), mapped(rows, place))
		} else {
			checkSame(t, name, err, mapped(got, place), mapped(want, place))
		}
		return questions - ctx.Left.Load()
	}
	all := ask(1 << 40)
	for questions := int64(1); questions < all; questions += max(1, min(questions/3, (all-questions)/testkit.Pick[int64](3, 20))) {
		ask(questions) // often at the end, where elements are moved
	}
}

func TestWithinMisuse(t *testing.T) {
	s := []int{3, 1, 2}
	key := func(x int) int { return x }
	for _, c := range []struct {
		says string
		call func()
	}{
		{"offsets[1] is 0, below 2", func() { _ = sorter.By(sorter.Asc(key)).SortWithin(s, []int{2, 0}) }},
		{"offsets[0] is -1", func() { _ = sorter.By(sorter.Asc(key)).SortWithin(s, []int{-1, 2}) }},
		{"end at 4 of 3", func() { _ = sorter.By(sorter.Asc(key)).SortWithin(s, []int{0, 4}) }},
		{"nil key function", func() { _ = sorter.By(sorter.Asc[int, int](nil)).SortWithin(s, []int{0, 3}) }},
		{"offsets[1] is 0, below 2", func() { _, _ = sorter.RowsBy(3).Within([]int{2, 0}) }},
		{"by a column of 3", func() { _, _ = sorter.RowsBy(4, sorter.AscOf(s)).Within([]int{0, 4}) }},
	} {
		func() {
			defer func() {
				if p := fmt.Sprint(recover()); !strings.HasPrefix(p, "sorter: ") || !strings.Contains(p, c.says) {
					t.Errorf("panic %q does not say %q", p, c.says)
				}
			}()
			c.call()
		}()
	}
	checkSame(t, "misused", nil, s, []int{3, 1, 2})
}

// BenchmarkWithin compares segments of several lengths with a stable sort of each, and with one
// sort by the number of the segment and the key.
func BenchmarkWithin(b *testing.B) {
	type pair struct {
		key int64
		at  uint32
		seg uint32
	}
	const n = 1 << 20
	r := dist.Rand(1)
	in, s := make([]pair, n), make([]pair, n)
	for _, each := range []int{2, 10, 100, 1000, 10_000} {
		offsets := evenOffsets(n, each)
		for i := range in {
			in[i] = pair{int64(r.Uint64()), uint32(i), uint32(i / each)}
		}
		by := sorter.By(sorter.Asc(func(e pair) uint32 { return e.seg }), sorter.Asc(func(e pair) int64 { return e.key }))
		for _, way := range []struct {
			name string
			sort func()
		}{
			{"SortWithin", func() { _ = sorter.By(sorter.Asc(func(e pair) int64 { return e.key })).SortWithin(s, offsets) }},
			{"SortWithin, 1 worker", func() {
				_ = sorter.By(sorter.Asc(func(e pair) int64 { return e.key })).SortWithin(s, offsets, sorter.Workers(1))
			}},
			{"slices", func() {
				for i := 1; i < len(offsets); i++ {
					testkit.SortStable(s[offsets[i-1]:offsets[i]], func(a, b pair) int { return cmp.Compare(a.key, b.key) })
				}
			}},
			{"Sort by segment and key", func() { _ = by.Sort(s) }},
		} {
			b.Run(fmt.Sprintf("%d/%s", each, way.name), func(b *testing.B) {
				for range b.N {
					b.StopTimer()
					copy(s, in)
					b.StartTimer()
					way.sort()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/element")
			})
		}
	}
}

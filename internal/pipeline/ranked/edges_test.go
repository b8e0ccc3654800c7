package ranked

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/ranges"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/ways"
	"example.com/sorter/perm"
)

// TestEndedCalls ends the context of calls after some of its questions: the error is that of the context and no element has
// moved, or the result is right.
func TestEndedCalls(t *testing.T) {
	testkit.SkipRace(t)
	const many = 1 << 40
	before := engine.NewMemoryError
	defer func() { engine.NewMemoryError = before }()
	engine.NewMemoryError = func(_, need int64, _ int) error { return needs(need) }
	for i, c := range slices.Concat(plannedCalls, plannedCalls, plannedCalls) {
		all := plannedRows([]int{100, 5000, 4999}[i/len(plannedCalls)])
		o := call.Options{Stable: true, Workers: int32(1 + i%2)}
		want, _ := c.do(slices.Clone(all), &o)
		if len(all) == 4999 { // with the least memory
			need := needs(0)
			o.Limit = 1
			for _, err := c.do(slices.Clone(all), &o); errors.As(err, &need); _, err = c.do(slices.Clone(all), &o) {
				o.Limit = int64(need)
			}
		}
		ended := 0
		ending := func(after int64) (questions int64) {
			ctx := &testkit.Ending{Context: context.Background()}
			ctx.Left.Store(after)
			own, s := o, slices.Clone(all)
			own.Ctx = ctx
			got, err := c.do(s, &own)
			switch {
			case err == nil && slices.Equal(got, want):
			case !errors.Is(err, context.Canceled):
				t.Errorf("%s ended after %d questions: wrong, %v", c.name, after, err)
			case !strings.HasPrefix(c.name, "merge") && (!slices.Equal(places(s), places(all)) || !slices.Equal(got, places(all)[:len(got)])):
				t.Errorf("%s ended after %d questions: elements were moved", c.name, after)
			default:
				ended++
			}
			return after - ctx.Left.Load()
		}
		questions := ending(many)
		for after := range questions {
			if after < 2 || after%(1+questions/testkit.Pick[int64](3, 100)) == 0 || after > questions-3 {
				ending(after)
			}
		}
		if ending(0); ended == 0 && !strings.HasPrefix(c.name, "comparison") {
			t.Errorf("%s: no call ended", c.name)
		}
	}
}

// servedFew are the calls that the small path serves, which allocates little but the result.
var servedFew = map[string]bool{
	"by a key": true, "by columns": true, "order by a key": true, "order by columns": true,
	"first by a key": true, "first by columns": true, "order of elements in order by the first": true, "order of rows in order by the first": true, "order where an engine fails": true, "selected by two": true, "the first, which are all": true, "numbers of the first": true,
	"rows of elements of ranks": true, "comparison that falls": true, "order by a comparison that falls": true,
	"order of wide": true, "order of few, text": true, "order of wide with nulls": true,
	"order of text with nulls, few": true, "order with runs": true, "selected": true, "pairs": true,
	"narrow pairs": true, "text pairs": true, "float pairs": true, "large pairs": true, "keys": true,
	"narrow keys": true, "text keys": true, "pairs where an engine is worth it": true,
	"keys where an engine is worth it": true, "merge": true, "merge of very many": true, "comparison": true,
	"comparison of large": true, "order by a comparison": true, "first few": true, "first half": true,
	"rows of ranks": true, "first of partitions": true, "ranks of partitions": true,
}

// TestFewRows serves calls on few rows by the small path, and by the general one, whose results are the same.
func TestFewRows(t *testing.T) {
	testkit.SkipInstrumented(t) // which allocates
	for _, n := range []int{0, 1, 2, 10, 100, 4096} {
		all := plannedRows(max(2, n))[:n]
		for _, c := range plannedCalls {
			if n < 20 && strings.Contains(c.name, "chunk") || n == 0 && strings.HasPrefix(c.name, "rows of") || n < 100 && strings.HasPrefix(c.name, "merge") {
				continue
			}
			got, err := c.do(slices.Clone(all), &call.Options{Stable: true, Workers: 1})
			want, failed := c.do(slices.Clone(all), &call.Options{Stable: true, Workers: 1, Limit: 1 << 40})
			if err != nil || failed != nil || !slices.Equal(got, want) {
				t.Errorf("%s of %d rows: %v, %v, another result than by the general path", c.name, n, err, failed)
			}
			if n != 100 {
				continue
			}
			allocations := func(limit int64) float64 {
				return testing.AllocsPerRun(3, func() {
					_, _ = c.do(slices.Clone(all), &call.Options{Stable: true, Workers: 1, Limit: limit})
				})
			}
			if few, many := allocations(0), allocations(1<<40); few < many*3/4 != servedFew[c.name] {
				t.Errorf("%s of few rows allocates %v times, %v by the general path", c.name, few, many)
			}
		}
	}
}

// TestInto offers memory for a result. Orders are written there; calls of which an order is no result leave it alone.
func TestInto(t *testing.T) {
	for _, n := range []int{100, 5000} {
		all := plannedRows(n)
		for _, c := range plannedCalls {
			into := make(perm.Perm, n)
			for i := range into {
				into[i] = 7
			}
			o := call.Options{Stable: true, Workers: 2}
			want, _ := c.do(slices.Clone(all), &o)
			o.Into = into[:0]
			got, err := c.do(slices.Clone(all), &o)
			written := slices.ContainsFunc(into, func(x uint32) bool { return x != 7 })
			if orders := strings.HasPrefix(c.name, "order") || c.name == "rows on an engine"; err != nil || !slices.Equal(got, want) || written != orders || orders && !slices.Equal(into, got[:n]) {
				t.Errorf("%s of %d rows: another result, or in other memory, %v", c.name, n, err)
			}
		}
	}
}

// TestTooFewKeys panics where a column has no key for a row.
func TestTooFewKeys(t *testing.T) {
	for _, n := range []int{4, 5000} {
		keys := make([]int64, n-1)
		for name, f := range map[string]func(cols []extract.Column, o *call.Options){
			"rows": func(cols []extract.Column, o *call.Options) { _, _ = pipeline.OrderRows(cols, n, o) },
			"selected": func(cols []extract.Column, o *call.Options) {
				_ = pipeline.OrderSelected(cols, []uint32{0, uint32(n - 1)}, n, o)
			},
			"segments":          func(cols []extract.Column, o *call.Options) { _, _ = pipeline.OrderWithin(cols, n, []int{0, 2}, o) },
			"ranks":             func(cols []extract.Column, o *call.Options) { _, _ = NthRows(cols, n, []int{0}, o) },
			"first":             func(cols []extract.Column, o *call.Options) { _, _ = FirstRows(cols, n, 1, o) },
			"partitions":        func(cols []extract.Column, o *call.Options) { _, _, _ = FirstOfPartitions(cols, nil, n, 1, o) },
			"within partitions": func(cols []extract.Column, o *call.Options) { _, _, _ = FirstOfPartitions(nil, cols, n, 1, o) },
			"ranks of partition": func(cols []extract.Column, o *call.Options) {
				_, _ = NthOfPartitions(cols, nil, n, 1, func(int, int) int { return 0 }, o)
			},
		} {
			testkit.ExpectPanic(t, name, "sorter: order of ", func() { f(cols([]column.Spec{columnAt(keys)}), &call.Options{}) })
		}
	}
}

// TestPartitionEdges asks for no row, of no partition, by no column, or of a call that has ended.
func TestPartitionEdges(t *testing.T) {
	for _, n := range []int{100, leastPartitioned, leastPartitioned + 1} {
		s := plannedRows(n)
		few, wide, text := sliceOf(s, fewOf), sliceOf(s, wideOf), sliceOf(s, textOf)
		one := func(c column.Spec) []extract.Column { return cols([]column.Spec{c}) }
		want, err := FirstRows(one(wide), n, 5, &call.Options{})
		rows, parts, failed := FirstOfPartitions(nil, one(wide), n, 5, &call.Options{})
		if err = cmp.Or(err, failed); err != nil || !slices.Equal(rows, want) || !slices.Equal(parts.Offsets(), []int{0, 5}) {
			t.Errorf("the first of one partition of %d rows: %d, %v", n, rows, err)
		}
		var none report
		if rows, parts, err := FirstOfPartitions(one(few), one(wide), n, 0, &call.Options{Report: &none}); len(rows) > 0 || parts.Len() > 0 || err != nil || none.Engine != cpu.Host.Name() || none.Elements != n {
			t.Errorf("none of each partition: %d, %v, reported are %+v", rows, err, none)
		}
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		for k := range 3 {
			for _, partition := range [][]extract.Column{nil, one(few), one(text)} {
				if rows, _, err := FirstOfPartitions(partition, one(wide), n, k, &call.Options{Ctx: ended}); len(rows) > 0 || !errors.Is(err, context.Canceled) {
					t.Errorf("%d rows of partitions of a call that has ended, %v", len(rows), err)
				}
			}
		}
		for _, c := range []struct {
			partition, cols []extract.Column
			limit           int64
			want            ways.Way
		}{
			{one(few), one(wide), 0, ways.PartitionTable}, {one(few), one(text), 0, ways.PartitionTable}, {one(text), one(wide), 0, ways.PartitionRuns},
			{one(few), nil, 0, ways.Ways}, {one(few), one(wide), 1 << 40, ways.Ways}, {cols([]column.Spec{few, wide}), one(wide), 0, ways.PartitionRuns},
		} {
			var st report
			taken := ways.Watch(func() {
				if _, _, err := FirstOfPartitions(c.partition, c.cols, n, 2, &call.Options{Workers: 1, Limit: c.limit, Report: &st}); err != nil {
					t.Error(err)
				}
			})
			if n < leastPartitioned {
				c.want = ways.Ways
			}
			if some := ways.Of(ways.PartitionTable, ways.PartitionRuns); taken&some != ways.Of(c.want)&some {
				t.Errorf("%d rows of %d and %d columns: ways %v, want %v", n, len(c.partition), len(c.cols), taken&some, ways.Of(c.want)&some)
			}
			if st.Elements != n || st.Total <= 0 || st.Engine != cpu.Host.Name() || st.Scratch == 0 {
				t.Errorf("%d rows, reported are %+v", n, st.Stats)
			}
		}
	}
}

// TestFirstOfNothing asks for none of some elements, or by no column.
func TestFirstOfNothing(t *testing.T) {
	for _, n := range []int{3, 5000} {
		s, none, o := plannedRows(n), new(small.Ordering), call.Options{Workers: 1}
		p, by := cpu.PayloadOf(s), orderingOf(byFunc(wideOf))
		front := func(order []uint32) { FrontOf(s)(order) }
		err := cmp.Or(TopK(sortkey.Int64, p, 0, column.Func[row, int64](wideOf), &o, front), TopKByColumns(by, p, 0, &o, front), TopKByColumns(none, p, 2, &o, front))
		first, failed := FirstByColumns(none, p, 2, &o)
		rows, of := FirstRows(nil, n, 2, &o)
		err = cmp.Or(err, failed, of)
		nth, failed := NthByColumns(none, p, []int{2, 0}, &o)
		ranks, of := NthRows(nil, n, []int{2, 0}, &o)
		if err = cmp.Or(err, failed, of); err != nil || !slices.Equal(places(s), places(plannedRows(n))) || !slices.Equal(first, []uint32{0, 1}) || !slices.Equal(rows, first) || !slices.Equal(nth, []uint32{2, 0}) || !slices.Equal(ranks, nth) {
			t.Errorf("of %d elements: %d, %d, %d, %d, %v", n, first, rows, nth, ranks, err)
		}
		for what, f := range map[string]func(){
			"by a key":   func() { _ = TopK(sortkey.Int64, p, -1, column.Func[row, int64](wideOf), &o, front) },
			"by columns": func() { _ = TopKByColumns(by, p, -1, &o, front) },
		} {
			testkit.ExpectPanic(t, what, "TopK of -1", f)
		}
	}
}

// TestTooManyRows refuses rows that 32-bit numbers do not number, unless the call has ended.
func TestTooManyRows(t *testing.T) {
	n := pipeline.MaxPositions
	if n++; bits.UintSize == 32 {
		t.Skip("there are no such rows")
	}
	one := func() []extract.Column {
		return cols([]column.Spec{column.SpecOf(sortkey.Int64, column.Func[int, int64](func(row int) int64 { return int64(row) }))})
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for name, f := range map[string]func(o *call.Options) error{
		"order":    func(o *call.Options) error { _, err := pipeline.OrderRows(one(), n, o); return err },
		"segments": func(o *call.Options) error { _, err := pipeline.OrderWithin(one(), n, []int{0, 5}, o); return err },
		"first":    func(o *call.Options) error { _, err := FirstRows(one(), n, 1, o); return err },
		"ranks":    func(o *call.Options) error { _, err := NthRows(one(), n, []int{0}, o); return err },
		"partitions": func(o *call.Options) error {
			_, _, err := FirstOfPartitions(one(), one(), n, 1, o)
			return err
		},
	} {
		if err := f(&call.Options{Workers: 1}); !errors.Is(err, engine.ErrTooLong) {
			t.Errorf("%s: %v", name, err)
		}
		if err := f(&call.Options{Workers: 1, Ctx: ended}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s of a call that has ended: %v", name, err)
		}
	}
}

// TestMarksOfSort asks a sort for runs, of which it delivers none.
func TestMarksOfSort(t *testing.T) {
	s, runs := plannedRows(5000), perm.Runs{}
	err := pipeline.SortRows(cols([]column.Spec{nullsOf(byFunc(textOf))}), cpu.PayloadOf(s), call.Options{Marks: &call.Marks{Columns: 1, Runs: &runs}})
	if err != nil || runs.Len() != 0 {
		t.Errorf("%d runs, %v", runs.Len(), err)
	}
}

// TestUnsortedRuns merges runs of which one may be out of order at a place, by a first code, by a whole key or by a later column.
func TestUnsortedRuns(t *testing.T) {
	r := dist.Rand(93)
	for i := range testkit.Pick(150, 750) {
		n := []int{2, 3, 40, 1025, 5000}[r.IntN(5)]
		all, d := plannedRows(max(n, 2)), &drawnCall{}
		specs := []column.Spec{byFunc(wideOf)}
		switch d.compare = byWide; r.IntN(4) {
		case 0:
			specs, d.compare = []column.Spec{byFunc(textOf)}, byText
		case 1:
			specs, d.compare = []column.Spec{byFunc(fewOf), byFunc(textOf)}, func(a, b row) int { return cmp.Or(cmp.Compare(a.few, b.few), byText(a, b)) }
		case 2:
			specs, d.compare = []column.Spec{byFunc(fewOf)}, func(a, b row) int { return cmp.Compare(a.few, b.few) }
		}
		var runs []cpu.Payload
		for lo := 0; lo < n; {
			hi := min(n, lo+1+r.IntN(n))
			testkit.SortStable(all[lo:hi], d.compare)
			runs, lo = append(runs, cpu.PayloadOf(all[lo:hi])), hi
		}
		for range r.IntN(3) {
			if at := r.IntN(n); at > 0 { // and between runs
				all[at-1], all[at] = all[at], all[at-1]
			}
		}
		want, dst, got := firstUnsorted(d, runs), make([]row, n), new(pipeline.Unsorted)
		err := pipeline.MergeChecked(cols(specs), cpu.PayloadOf(dst), slices.Clone(runs), ranges.TwoOf[row]{}, &call.Options{Workers: int32(1 + r.IntN(3)), Limit: int64(r.IntN(2)) << 40})
		if errors.As(err, &got); *got != want || (err == nil) != (want == pipeline.Unsorted{}) || err != nil && dst[0] != (row{}) {
			t.Fatalf("case %d, %d runs of %d elements: %v, want %v", i, len(runs), n, err, want)
		}
		order := slices.Clone(all)
		if testkit.SortStable(order, d.compare); err == nil && !slices.Equal(dst, order) {
			t.Fatalf("case %d, %d runs of %d elements: wrong order", i, len(runs), n)
		}
	}
}

// TestSegmentRuns marks the runs of rows that are equal within segments.
func TestSegmentRuns(t *testing.T) {
	s := plannedRows(5000)
	offsets := segmentsOf(len(s))
	for _, f := range []func(row) int64{wideOf, fewOf} {
		var runs perm.Runs
		p, err := pipeline.OrderWithin(rowColumns(s, []func(s []row) column.Spec{byRow(f)}), len(s), offsets, &call.Options{Workers: 2, Marks: &call.Marks{Columns: call.AllColumns, Runs: &runs}})
		if err != nil {
			t.Fatal(err)
		}
		var want []int
		for i := range p {
			if i == 0 || f(s[p[i]]) != f(s[p[i-1]]) || slices.Contains(offsets, i) {
				want = append(want, i)
			}
		}
		if want = append(want, len(s)); !slices.Equal(runs.Offsets(), want) {
			t.Errorf("%d runs, want %d", runs.Len(), len(want)-1)
		}
	}
}

// TestOrdersOfCalls holds orders, and the first of them, to a stable sort.
func TestOrdersOfCalls(t *testing.T) {
	byFew := func(a, b row) int { return cmp.Compare(a.few, b.few) }
	by := func(all ...func(a, b row) int) func(a, b row) int {
		return func(a, b row) int {
			for _, f := range all {
				if c := f(a, b); c != 0 {
					return c
				}
			}
			return 0
		}
	}
	falls := func(a, b row) int { return byText(b, a) }
	compare := map[string]func(a, b row) int{
		"by a key": byWide, "by columns": by(byWide, byText), "order by a key": byText, "order by columns": by(byFew, func(a, b row) int { return cmp.Compare(a.narrow, b.narrow) }),
		"first by a key": byWide, "first by columns": by(byFew, byText), "the first, which are all": byWide, "numbers of the first": by(byFew, byWide),
		"comparison that falls": falls, "order by a comparison that falls": falls, "comparison": byWide, "comparison of large": byWide, "large by text": byText,
		"selected": byWide, "first half": byText, "text pairs": byText, "chunks of pairs": byWide,
	}
	for _, n := range []int{40, 5000} {
		all := plannedRows(n)
		for _, c := range plannedCalls {
			if f := compare[c.name]; f != nil {
				got, err := c.do(slices.Clone(all), &call.Options{Stable: true, Workers: 2})
				if want := orderOfRows(all, f); err != nil || len(got) == 0 || !slices.Equal(got, want[:len(got)]) {
					t.Errorf("%s of %d rows: another order, %v", c.name, n, err)
				}
			}
		}
	}
}

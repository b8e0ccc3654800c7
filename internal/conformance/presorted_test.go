package conformance_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// Rows whose first columns are in order already are sorted within the runs of equal ones.

func TestLeadingColumnsInOrder(t *testing.T) {
	t.Parallel()
	r := dist.Rand(71)
	specs := usualSpecs()
	for range 8 {
		specs = append(specs, randomSpec(r))
	}
	for i, spec := range specs {
		for lead := 1; lead < len(spec); lead++ {
			m := modes[(i*3+lead)%len(modes)]
			if testkit.Thinned(i + lead) {
				continue
			}
			n := testkit.Pick([]int{5000, 9001}, []int{5000, 9001, 30_000})
			in := spec[:lead].inOrder(newRecords(n[(i+lead)%len(n)], uint64(i)), m.order)
			name := fmt.Sprintf("in order by %d columns: %v, n=%d, %s", lead, spec, len(in), m.name)
			want := spec.inOrder(in, m.order)
			checkOrderingSort(t, name, spec, in, want, m)
			checkOrderingOrder(t, name, spec, in, want, m)
		}
	}
}

// event is ordered by day, name and amount; its number is its place in the input.
type event struct {
	day    int64
	name   string
	amount int64
	at     int
}

// events returns n of them in order by day and, if names is set, by name. The days have lengths drawn
// up to longest.
func events(n, longest int, names bool, r *rand.Rand) []event {
	s, left := make([]event, n), 0
	for i := range s {
		if left--; left < 0 {
			left = r.IntN(longest)
		}
		s[i] = event{amount: int64(r.Uint64()), name: texts[r.IntN(len(texts))]}
		if i > 0 {
			s[i].day = s[i-1].day
		}
		if left == 0 {
			s[i].day++
		}
		if r.IntN(4) == 0 { // far from the others, which then share their leading bits
			s[i].amount = int64(r.IntN(99))
		}
	}
	if names {
		testkit.SortStable(s, func(a, b event) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.name, b.name)) })
	}
	for i := range s {
		s[i].at = i
	}
	return s
}

// eventOrders are orders of events, by key functions and by columns.
var eventOrders = []struct {
	name string
	by   sorter.Ordering[event]
	cols func(s []event) []sorter.Column[int]
}{
	{"day, amount", sorter.By(sorter.Asc(func(e event) int64 { return e.day }), sorter.Desc(func(e event) int64 { return e.amount })),
		func(s []event) []sorter.Column[int] {
			return []sorter.Column[int]{sorter.AscOf(mapped(s, func(e event) int64 { return e.day })), sorter.DescOf(mapped(s, func(e event) int64 { return e.amount }))}
		}},
	{"day, name, amount", sorter.By(sorter.Asc(func(e event) int64 { return e.day }), sorter.Asc(func(e event) string { return e.name }), sorter.Asc(func(e event) int64 { return e.amount })),
		func(s []event) []sorter.Column[int] {
			return []sorter.Column[int]{sorter.AscOf(mapped(s, func(e event) int64 { return e.day })),
				sorter.AscOf(mapped(s, func(e event) string { return e.name })), sorter.AscOf(mapped(s, func(e event) int64 { return e.amount }))}
		}},
	{"text of the day, amount", sorter.By(sorter.Asc(textOfDay), sorter.Asc(func(e event) int64 { return e.amount })),
		func(s []event) []sorter.Column[int] {
			return []sorter.Column[int]{sorter.AscOf(mapped(s, textOfDay)), sorter.AscOf(mapped(s, func(e event) int64 { return e.amount }))}
		}},
	{"day, 32 bits of the amount", sorter.By(sorter.Asc(func(e event) int32 { return int32(e.day) }), sorter.Asc(func(e event) float32 { return float32(e.amount) })),
		func(s []event) []sorter.Column[int] {
			return []sorter.Column[int]{sorter.AscOf(mapped(s, func(e event) int32 { return int32(e.day) })), sorter.AscOf(mapped(s, func(e event) float32 { return float32(e.amount) }))}
		}},
}

func textOfDay(e event) string { return fmt.Sprintf("day of %06d", e.day) }

// TestRunsOfDays has runs of all lengths, short ones that are ordered together and long ones that all
// workers order, and inputs in which a row is out of order.
func TestRunsOfDays(t *testing.T) {
	t.Parallel()
	r := dist.Rand(72)
	turn := 0
	for _, longest := range []int{1, 2, 3, 40, 300, 5000, 90_000} {
		for _, broken := range []bool{false, true} {
			n := max(testkit.Pick(5000, 20_000), 3*longest/2)
			in := events(n, longest, turn%3 == 2, r)
			if broken {
				in[n-1-r.IntN(n/8)].day = 0
			}
			for _, o := range eventOrders {
				if turn++; turn%3 > 0 && (!testkit.Long() || longest > 5000) || testkit.ThinnedTo(5, turn/3+3) { // all orders and options come, however it is thinned
					continue
				}
				name := fmt.Sprintf("%s, days of up to %d, broken %v", o.name, longest, broken)
				opts := [][]sorter.Option{nil, {sorter.Workers(1)}, {sorter.Workers(3), sorter.WithContext(neverCancelled)}}[turn/3%3]
				guess, _ := o.by.Order(in)
				want := sortedStably(in, guess, o.by.Compare)
				got := slices.Clone(in)
				err := o.by.Sort(got, append(opts, sorter.Stable())...)
				checkSame(t, "Sort: "+name, err, got, want)
				p, err := sorter.RowsBy(n, o.cols(in)...).Order(append(opts, sorter.Stable())...)
				rows := permOf(ascending(n))
				errRows := sorter.RowsBy(n, o.cols(in)...).Sort(rows, append(opts, sorter.Stable())...)
				checkSame(t, "Rows.Sort: "+name, errRows, rows, p)
				checkSame(t, "Rows.Order: "+name, err, p, perm.Perm(mapped(want, func(e event) uint32 { return uint32(e.at) })))
			}
		}
	}
}

// TestRunsOfDaysFound holds the statistics to the input: rows in order by day are segments, others not.
func TestRunsOfDaysFound(t *testing.T) {
	t.Parallel()
	in := events(20_000, 50, false, dist.Rand(73))
	for _, o := range eventOrders[:3] {
		var st sorter.Stats
		if err := o.by.Sort(slices.Clone(in), sorter.Report(&st)); err != nil || st.Shape != "segments" || st.Ties == 0 || st.Ties > len(in) {
			t.Errorf("%s: shape %q of %d ties, error %v", o.name, st.Shape, st.Ties, err)
		}
		mixed := slices.Clone(in)
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		if err := o.by.Sort(mixed, sorter.Report(&st)); err != nil || st.Shape == "segments" {
			t.Errorf("%s, shuffled: shape %q, error %v", o.name, st.Shape, err)
		}
	}
}

// TestPackedDays holds the statistics of columns that fit one code together to the lengths of days.
func TestPackedDays(t *testing.T) {
	t.Parallel()
	for _, longest := range []int{3, 900} {
		in := events(20_000, longest, false, dist.Rand(75))
		var st sorter.Stats
		_, err := sorter.RowsBy(len(in), eventOrders[3].cols(in)...).Order(sorter.Report(&st))
		if err != nil || (st.Shape == "segments") != (longest > 3) {
			t.Errorf("days of up to %d: shape %q, error %v", longest, st.Shape, err)
		}
	}
}

// TestRunsOfDaysCancelled cancels at every question: the events stay as they were, or are sorted.
func TestRunsOfDaysCancelled(t *testing.T) {
	t.Parallel()
	in := events(testkit.Pick(5000, 20_000), 30, false, dist.Rand(74))
	for _, o := range eventOrders {
		want := slices.Clone(in)
		testkit.SortStable(want, o.by.Compare)
		cancellable, stop := context.WithCancel(context.Background())
		ask := func(questions int64) int64 {
			ctx := &testkit.Ending{Context: cancellable}
			ctx.Left.Store(questions)
			got := slices.Clone(in)
			if err := o.by.Sort(got, sorter.Workers(2), sorter.WithContext(ctx)); err != nil {
				checkSame(t, fmt.Sprintf("%s, over after %d questions", o.name, questions), nil, got, in)
			} else {
				checkSame(t, o.name, nil, got, want)
			}
			return questions - ctx.Left.Load()
		}
		all := ask(1 << 40)
		for questions := int64(1); questions < all; questions += max(1, all/testkit.Pick[int64](10, 200)) {
			ask(questions)
		}
		stop()
	}
}

// leadingKinds are columns of the days of events, most of which tie with their neighbours, that lie in memory
// in each of the ways that a sort reads.
var leadingKinds = []struct {
	name string
	col  func(days []int64) sorter.Column[int]
}{
	{"int64", func(days []int64) sorter.Column[int] { return sorter.AscOf(days) }},
	{"int32", func(days []int64) sorter.Column[int] {
		return sorter.AscOf(mapped(days, func(d int64) int32 { return int32(d) }))
	}},
	{"falling float64", func(days []int64) sorter.Column[int] {
		return sorter.DescOf(mapped(days, func(d int64) float64 { return -float64(d) }))
	}},
	{"string", func(days []int64) sorter.Column[int] {
		return sorter.AscOf(mapped(days, func(d int64) string { return fmt.Sprintf("day of %06d", d) }))
	}},
	{"falling short string", func(days []int64) sorter.Column[int] {
		return sorter.DescOf(mapped(days, func(d int64) string { return fmt.Sprintf("%05d", 99_999-d) }))
	}},
	{"Time", func(days []int64) sorter.Column[int] {
		return sorter.AscOf(mapped(days, func(d int64) time.Time { return time.Unix(d, 5) }))
	}},
	{"Int128", func(days []int64) sorter.Column[int] {
		return sorter.AscOf(mapped(days, func(d int64) sorter.Int128 { return sorter.Int128{Hi: 7, Lo: uint64(d)} }))
	}},
	{"chunks", func(days []int64) sorter.Column[int] {
		return sorter.Chunks([][]int64{days[:1000], days[1000:1001], days[1001:]}).Asc()
	}},
}

// TestLeadingInMemory orders rows by a leading column that lies in memory: in order, out of order at one place, and
// in order together with the others. Codes of a column in order are not stored.
func TestLeadingInMemory(t *testing.T) {
	t.Parallel()
	r := dist.Rand(76)
	for i, kind := range leadingKinds {
		for turn, longest := range []int{40, 3000} {
			n := 12_000 + 31*i
			in := events(n, longest, false, r)
			for _, c := range []struct {
				name   string
				change func()
				shape  string
			}{
				{"in order", func() {}, "segments"},
				{"in order by all", func() {
					testkit.SortStable(in, func(a, b event) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.amount, b.amount)) })
				}, "sorted"},
				{"a day out of order", func() {
					for i, at := 0, n/2+r.IntN(n/3); i < n; i++ {
						in[i].amount = int64(r.Uint64())
						if i == at {
							in[i].day = 0
						}
					}
				}, ""},
			} {
				c.change()
				name := fmt.Sprintf("%s, days of up to %d, %s", kind.name, longest, c.name)
				guess := permOf(ascending(n))
				testkit.SortStable(guess, func(a, b uint32) int {
					return cmp.Or(cmp.Compare(in[a].day, in[b].day), cmp.Compare(in[a].amount, in[b].amount))
				})
				days := mapped(in, func(e event) int64 { return e.day })
				cols := []sorter.Column[int]{kind.col(days), sorter.AscOf(mapped(in, func(e event) int64 { return e.amount }))}
				var st sorter.Stats
				p, err := sorter.RowsBy(n, cols...).Order(sorter.Stable(), sorter.Workers(1+turn), sorter.Report(&st))
				checkSame(t, name, err, p, guess)
				if st.Shape != c.shape {
					t.Errorf("%s: shape %q, want %q", name, st.Shape, c.shape)
				}
				stored := slices.ContainsFunc(st.Stages, func(s sorter.Stage) bool { return s.Name == "extract" })
				if stored && c.shape == "segments" {
					t.Errorf("%s: codes are stored", name)
				}
			}
		}
	}
}

package pipeline

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"time"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/ways"
)

// TestWithin counts memory of a call within another in that.
func TestWithin(t *testing.T) {
	r, err := Begin(call.Options{Limit: 1 << 30, Report: new(stats)}, 5000)
	defer r.End()
	err = cmp.Or(err, r.Nest(100, func(own *Request) error {
		own.Trace.SortedByVectors()
		scratch.Take[byte](&own.Arena, 1<<20)
		own.Trace.Device, own.Trace.Rounds, own.Trace.Ties = "device", 3, 7
		return nil
	}), r.Nest(100, func(own *Request) error {
		own.Trace.Rounds, own.Trace.Ties = 2, 5
		return nil
	}))
	if err != nil || r.Arena.Peak() < 1<<20 || r.Trace.Rounds != 3 || r.Trace.Ties != 12 || !r.Trace.Vectors.Load() {
		t.Errorf("%d bytes, %d rounds, %d ties, %v", r.Arena.Peak(), r.Trace.Rounds, r.Trace.Ties, err)
	}
}

// observer counts the times that it gets.
type observer struct{ times *int }

func (o observer) Observe(engine.Work, bool, time.Duration) { *o.times++ }

// TestObserved reports the time of a call that had no error, was done where it was planned, and found no shape.
func TestObserved(t *testing.T) {
	for _, c := range []struct {
		name     string
		err      error
		fallback error
		shape    engine.Shape
		sample   engine.Sample
		want     int
	}{
		{"a call", nil, nil, "", engine.Mixed, 1},
		{"an error", errors.New("failed"), nil, "", engine.Mixed, 0},
		{"a device that failed", nil, errors.New("failed"), "", engine.Mixed, 0},
		{"a shape that no sample found", nil, nil, engine.Sorted, engine.Mixed, 0},
		{"a shape that a sample found", nil, nil, engine.Sorted, engine.Few, 1},
	} {
		times := 0
		r := &Request{Plan: plan{engine: cpu.Host, observer: observer{&times}, work: engine.Work{Sample: c.sample}}}
		r.used.Fallback = c.fallback
		if c.shape != "" {
			r.Found(c.shape)
		}
		if err := r.observed(c.err); err != c.err || times != c.want {
			t.Errorf("%s: %d times, %v", c.name, times, err)
		}
	}
	r, err := Begin(call.Options{Report: new(stats)}, 5000)
	defer r.End()
	var f Facts
	if r.complete(&f); err != nil || !f.reported {
		t.Errorf("statistics are asked for: %t, %v", f.reported, err)
	}
	if p, err := decided(&Facts{Verb: ToFilter, K: 3, Words: whole, Sizes: []uintptr{8}, Numbered: true}); err != nil || p.bytes != 0 {
		t.Errorf("rows that are dropped take %d bytes, %v", p.bytes, err)
	}
}

// stagesOf returns the names of the stages of a call.
func stagesOf(t *testing.T, o call.Options, do func(o *call.Options) error) (names []string, st stats) {
	t.Helper()
	if o.Report = &st; do(&o) != nil {
		t.Error("the call failed")
	}
	for _, s := range st.Stages {
		names = append(names, s.Name)
	}
	return names, st
}

// TestNoGather moves no element through an order that changes nothing.
func TestNoGather(t *testing.T) {
	const n = 5000
	for name, c := range map[string]struct {
		keys func(row int) int64
		want bool
	}{
		"in order": {func(row int) int64 { return int64(row) }, false}, "the first two exchanged": {func(row int) int64 { return int64(row ^ 1) }, true},
		"the last comes second": {func(row int) int64 { return int64(row*2) % (2*n - 3) }, true}, "two in the middle exchanged": {func(row int) int64 {
			if row/2 == n/4 {
				return int64(row ^ 1)
			}
			return int64(row)
		}, true},
	} {
		s := keysOf(n, c.keys)
		names, _ := stagesOf(t, call.Options{Algorithm: engine.IndexGather, Workers: 1}, func(o *call.Options) error {
			return SortRows([]extract.Column{extract.Self[int64]()}, cpu.PayloadOf(s), *o)
		})
		if slices.Contains(names, "gather") != c.want || !slices.IsSorted(s) {
			t.Errorf("%s: stages %v", name, names)
		}
	}
}

// TestConstantLead reports all elements as ties where their first codes are equal.
func TestConstantLead(t *testing.T) {
	const n = 9000
	type pair struct{ first, then int64 }
	first := column.SpecOf(sortkey.Int64, column.Func[pair, int64](func(e pair) int64 { return e.first }))
	then := column.SpecOf(sortkey.Int64, column.Func[pair, int64](func(e pair) int64 { return e.then }))
	s := make([]pair, n)
	for i := range s {
		s[i].then = apart(i)
	}
	cols := func() []extract.Column { return extract.AppendColumns(nil, []column.Spec{first, then}) }
	for name, do := range map[string]func(o *call.Options) error{
		"order": func(o *call.Options) error {
			_, err := orderOf(cols(), extract.InputOf(cpu.PayloadOf(s)), *o)
			return err
		},
		"sort": func(o *call.Options) error { return SortRows(cols(), cpu.PayloadOf(slices.Clone(s)), *o) },
	} {
		var st stats
		taken := ways.Watch(func() { _, st = stagesOf(t, call.Options{Workers: 1}, do) })
		if !taken.Has(ways.Constant) || st.Ties != n {
			t.Errorf("%s: ways %v, %d ties", name, taken, st.Ties)
		}
	}
}

// TestFuncCalls reports the progress of a sort of elements in order, and that an order has ended.
func TestFuncCalls(t *testing.T) {
	for _, n := range []int{fewChecked, 9000} {
		s := keysOf(n, func(row int) int64 { return int64(row) })
		calls := 0
		if err := SortFunc(s, cmp.Compare[int64], &call.Options{Progress: func(string, int, int) { calls++ }}); err != nil || calls == 0 {
			t.Errorf("%d elements: no progress, %v", n, err)
		}
		for falls := range 2 {
			if falls > 0 {
				slices.Reverse(s)
			}
			order := func(left int64) (asked int64) {
				ctx := &testkit.Ending{Context: context.Background()}
				ctx.Left.Store(left)
				p, err := OrderFunc(s, cmp.Compare[int64], &call.Options{Workers: 1, Ctx: ctx})
				if err != nil && (err != context.Canceled || p != nil) || err == nil && !isOrder(p, n, func(a, b uint32) int { return cmp.Compare(s[a], s[b]) }) {
					t.Errorf("%d elements, falling %t, after %d questions: %v", n, falls > 0, left, err)
				}
				return left - ctx.Left.Load()
			}
			questions := order(1 << 40)
			for left := range questions {
				if left < 2 || left > questions-6 {
					order(left)
				}
			}
		}
	}
}

// TestNearKeys sorts keys that are in order except for a few.
func TestNearKeys(t *testing.T) {
	testNearKeys(t, func(i int) float64 { return float64(i) / 3 })
	testNearKeys(t, func(i int) float32 { return float32(i) - 70 })
	testNearKeys(t, func(i int) int16 { return int16(i - 5000) })
	testNearKeys(t, func(i int) uint64 { return uint64(i) << 40 })
}

func testNearKeys[K float32 | float64 | int16 | uint64](t *testing.T, of func(i int) K) {
	t.Helper()
	const n = 30_000
	keys := make([]K, n)
	for i := range keys {
		keys[i] = of(i)
	}
	want := slices.Clone(keys)
	for i := 700; i+9000 < n; i += 777 {
		keys[i], keys[i+9000] = keys[i+9000], keys[i]
	}
	if err := SortKeys(keys, &call.Options{Workers: 2}); err != nil || !slices.Equal(keys, want) {
		t.Errorf("%T: wrong order, %v", keys, err)
	}
}

// TestPartsEnd ends a sort of elements that are too many for the cache, of which some are null, at some of its questions: it reports that
// and leaves elements where they are, or they are in order.
func TestPartsEnd(t *testing.T) {
	type large struct {
		text  string
		place int32
		_     [moveBytes - 24]byte
	}
	const n = cachedBytes/moveBytes + 10
	all := make([]large, n)
	for i := range all {
		if all[i].place = int32(i); !fifth(i) {
			all[i].text = string([]byte{'a' + byte(i*7919%26), byte(i * 31), byte(i >> 8)})
		}
	}
	isNull := column.NullFunc[large](func(e large) bool { return e.text == "" })
	text := column.SpecOf(sortkey.String, column.Func[large, string](func(e large) string { return e.text })).WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsFirst)
	sort := func(left int64) (s []large, asked int64, err error) {
		s = slices.Clone(all)
		ctx := &testkit.Ending{Context: context.Background()}
		ctx.Left.Store(left)
		err = SortRows(extract.AppendColumns(nil, []column.Spec{text}), cpu.PayloadOf(s), call.Options{Stable: true, Workers: 1, Ctx: ctx})
		return s, left - ctx.Left.Load(), err
	}
	compare := func(a, b large) int { return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.place, b.place)) }
	s, questions, err := sort(1 << 40)
	if err != nil || !slices.IsSortedFunc(s, compare) {
		t.Fatalf("wrong order, %v", err)
	}
	for _, left := range []int64{questions / 3, questions / 2, questions * 3 / 4, questions * 9 / 10, questions - 2} {
		s, _, err := sort(left)
		if err == nil && !slices.IsSortedFunc(s, compare) || err != nil && (err != context.Canceled || !slices.Equal(s, all)) {
			t.Errorf("after %d of %d questions: elements were moved, %v", left, questions, err)
		}
	}
}

// TestSelectedSegments orders picked rows that are in order by the first column by segments: the result has their numbers.
func TestSelectedSegments(t *testing.T) {
	const n = 20_000
	lead, then := keysOf(n, func(row int) int64 { return int64(row/400) << 20 }), keysOf(n, apart)
	var rows []uint32
	for i := 0; i < n; i += 2 {
		rows = append(rows, uint32(i))
	}
	want := slices.Clone(rows)
	slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Or(cmp.Compare(lead[a], lead[b]), cmp.Compare(then[a], then[b])) })
	var st stats
	taken := ways.Watch(func() {
		_, st = stagesOf(t, call.Options{Workers: 2}, func(o *call.Options) error {
			return OrderSelected(extract.AppendColumns(nil, []column.Spec{columnOf(lead), columnOf(then)}), rows, n, o)
		})
	})
	if !taken.Has(ways.Segments) || !slices.Equal(rows, want) || st.CodeBits != 64 {
		t.Errorf("wrong order, or ways %v, codes of %d bits", taken, st.CodeBits)
	}
}

// TestMarksOfFunc refuses runs by more than the one comparison, of few elements, too.
func TestMarksOfFunc(t *testing.T) {
	for _, n := range []int{2, 5000} {
		for _, marks := range []*call.Marks{{Columns: 2}, {Columns: 1, Next: &call.Marks{Columns: 3}}} {
			testkit.ExpectPanic(t, "runs", "sorter: runs by ", func() { _, _ = OrderFunc(make([]int, n), cmp.Compare[int], &call.Options{Marks: marks}) })
		}
	}
}

// TestMostSelected selects a share of the elements that falls with the workers, and is that of two for one.
func TestMostSelected(t *testing.T) {
	for _, c := range []struct{ workers, want int }{{1, 200}, {2, 200}, {4, 100}, {64, 6}} {
		if got := MostSelected(6400, c.workers); got != c.want {
			t.Errorf("%d workers: %d, want %d", c.workers, got, c.want)
		}
	}
}

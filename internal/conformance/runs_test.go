package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// Runs of equal rows are those that a comparison of neighbours in the order finds.

// checkRuns holds the runs of an order to a comparison of its rows.
func checkRuns(t *testing.T, name string, p perm.Perm, got perm.Runs, equal func(a, b uint32) bool) {
	t.Helper()
	if got.Rows() != len(p) {
		t.Fatalf("%s: runs of %d rows, want %d", name, got.Rows(), len(p))
	}
	count := 0
	for i := range p {
		begins := i == 0 || !equal(p[i-1], p[i])
		if begins {
			count++
		}
		if got.Begins(i) != begins {
			t.Fatalf("%s: a run begins at position %d of %d: %v, want %v", name, i, len(p), !begins, begins)
		}
	}
	if got.Len() != count {
		t.Fatalf("%s: %d runs, want %d", name, got.Len(), count)
	}
}

// checkRuns orders by every verb.
func (r *reference) checkRuns(t *testing.T, m mode) {
	t.Helper()
	name, want, compare := "runs of "+r.name+", "+m.name, permOf(r.in(m.order)), r.compare(m.order)
	equal := func(a, b uint32) bool { return compare(int(a), int(b)) == 0 }
	for verb, run := range map[string]func(opts ...sorter.Option) (perm.Perm, error){
		"Order":      func(opts ...sorter.Option) (perm.Perm, error) { return r.argsort(r.rows, opts...) },
		"OrderKeys":  func(opts ...sorter.Option) (perm.Perm, error) { _, p, err := r.orderKeys(opts...); return p, err },
		"Rows.Order": r.orderRows,
	} {
		var all, first, none perm.Runs
		p, err := run(append(m.stable(), sorter.MarkRuns(&all), sorter.MarkRunsBy(1, &first), sorter.MarkRunsBy(0, &none))...)
		checkSame(t, verb+", "+name, err, p, want)
		checkRuns(t, verb+", "+name, p, all, equal)
		checkRuns(t, verb+", by the column, "+name, p, first, equal)
		checkRuns(t, verb+", by no column, "+name, p, none, func(a, b uint32) bool { return true })
	}
}

func TestRunsOfKeys(t *testing.T) {
	eachKind(t, func(k keyCase, t *testing.T) {
		turn := 0
		for _, input := range inputs {
			for _, n := range []int{0, 1, 2, 3, 17, 100, 3000, 9001} {
				if turn++; n > 100 && !testkit.Long() && turn%7 != 0 || thinned(n, turn/7) {
					continue
				}
				drawn(k, input, n, uint64(turn)).checkRuns(t, modes[turn%len(modes)])
			}
		}
	})
}

// TestRunsOfKeysLarge has runs that all workers order together, and buckets of several rounds.
func TestRunsOfKeysLarge(t *testing.T) {
	testkit.SkipRace(t)
	eachKind(t, func(k keyCase, t *testing.T) {
		for i, input := range []string{"16 values", "sprinkled", "sorted", "uniform"} {
			if !takesLarge(k, i) {
				continue
			}
			drawn(k, input, testkit.Pick(80_000, 150_000), 5).checkRuns(t, modes[(3*len(k.Name())+i)%len(modes)])
		}
	})
}

// checkOrderingRuns holds the runs by every number of columns to the reference.
func checkOrderingRuns(t *testing.T, spec orderingSpec, in []record, m mode) {
	t.Helper()
	name := fmt.Sprintf("%v, n=%d, %s", spec, len(in), m.name)
	by, counters := spec.build()
	runs := make([]perm.Runs, len(spec)+2)
	opts := append(m.stable(), sorter.MarkRuns(&runs[len(spec)+1]))
	for k := range len(spec) + 1 {
		if k%2 == len(in)%2 || k == 1 { // others do not end a word
			opts = append(opts, sorter.MarkRunsBy(k, &runs[k]))
		} else {
			runs[k] = perm.RunsAt(nil)
		}
	}
	var p perm.Perm
	var err error
	checkCalls(t, name, counters, len(in), func() { p, err = by.Order(in, opts...) })
	want := spec.inOrder(in, m.order)
	got := make([]record, len(in))
	if err != nil || len(p) != len(in) {
		t.Fatalf("%s: %d indices, error %v", name, len(p), err)
	}
	perm.Gather(got, in, p, 1)
	checkRecords(t, name, err, got, want)
	for k, r := range runs {
		if asked := k > len(spec) || k%2 == len(in)%2 || k == 1; asked {
			compare := spec[:min(k, len(spec))].compare(m.order)
			checkRuns(t, fmt.Sprintf("runs by %d columns, %s", k, name), p, r, func(a, b uint32) bool { return compare(in[a], in[b]) == 0 })
		}
	}
}

func TestRunsOfColumns(t *testing.T) {
	t.Parallel()
	r := dist.Rand(77)
	for i, spec := range usualSpecs() {
		for j, n := range []int{0, 1, 2, 17, 60, 61, scaled(5000), scaled(5001)} {
			if !testkit.ThinnedTo(4, i+j) {
				checkOrderingRuns(t, spec, newRecords(n, uint64(n+i)), modes[(i+j*5)%len(modes)])
			}
		}
	}
	for i := range scaled(300) {
		spec := randomSpec(r)
		if testkit.ThinnedTo(4, i+i/4) {
			continue
		}
		checkOrderingRuns(t, spec, newRecords([]int{3, 60, 301, 2500}[i%4]+i%3, uint64(i)), modes[i%len(modes)])
	}
}

// TestRunsOfColumnsLarge has runs above the length that one worker sorts.
func TestRunsOfColumnsLarge(t *testing.T) {
	testkit.SkipRace(t)
	t.Parallel()
	for i, spec := range usualSpecs() {
		if i%testkit.Pick(6, 2) == 0 {
			checkOrderingRuns(t, spec, newRecords(testkit.Pick(80_000, 100_000)+i%2, uint64(i)), modes[(i*3)%len(modes)])
		}
	}
}

// TestRunsInPlace orders in the least memory.
func TestRunsInPlace(t *testing.T) {
	t.Parallel()
	for i, spec := range usualSpecs()[1:] {
		n := scaled(8000)
		if i == 0 { // codes that decide alone, in several pieces
			n = 70_000
		}
		in, m := newRecords(n, uint64(i)), directions[i%len(directions)]
		by, _ := spec.build()
		var st sorter.Stats
		var runs perm.Runs
		opts := []sorter.Option{sorter.Report(&st)}
		for k := range spec {
			opts = append(opts, sorter.MarkRunsBy(k, &runs))
		}
		limit := int64(n)
		for ; ; limit += limit / 16 {
			if _, err := by.Order(in, append(opts, sorter.MemoryLimit(limit))...); err == nil {
				break
			} else if !errors.Is(err, sorter.ErrMemoryLimit) {
				t.Fatal(err)
			}
		}
		if st.Algorithm != "InPlace" {
			t.Fatalf("%v: %s in %d bytes", spec, st.Algorithm, limit)
		}
		m.opts = append(slices.Clone(m.opts), sorter.MemoryLimit(limit), sorter.Report(&st))
		checkOrderingRuns(t, spec, in, m)
		if st.Scratch > limit {
			t.Errorf("%v: %d bytes of scratch, the limit was %d", spec, st.Scratch, limit)
		}
	}
}

// TestRunsOnEngine takes the ties that an engine marks, and those of the CPU when it fails.
func TestRunsOnEngine(t *testing.T) {
	eachKind(t, func(k keyCase, t *testing.T) {
		for i, input := range []string{"uniform", "sprinkled", "16 values", "edge values"} {
			for j, n := range engineSizes {
				if thinnedOnEngine(k, i, j) {
					continue
				}
				m := directions[i]
				m.opts = append(slices.Clone(m.opts), sorter.On(&plainEngine{}))
				drawn(k, input, n, uint64(n)).checkRuns(t, m)
			}
		}
	})
	for i, spec := range usualSpecs() {
		m := directions[i%len(directions)]
		m.opts = append(slices.Clone(m.opts), sorter.On(&plainEngine{}))
		checkOrderingRuns(t, spec, newRecords(3000+i%2, uint64(i)), m)
	}
}

// markingEngine marks ties everywhere before it does its work.
type markingEngine struct{ plainEngine }

func (e *markingEngine) Order(ctx context.Context, job *engine.Job) error {
	for i := range job.Ties {
		job.Ties[i] = 1<<32 - 1
	}
	return e.plainEngine.Order(ctx, job)
}

// The CPU finishes an order, and its runs, that a registered engine began.
func init() {
	children["lost: the CPU marks runs"] = func(t *testing.T) {
		engine.Register(&markingEngine{plainEngine{worth: true, failAt: 500, err: errLost}})
		for _, n := range []int{4100, 9000} {
			for i, spec := range usualSpecs()[1:] {
				var st sorter.Stats
				m := directions[i%len(directions)]
				m.opts = append(slices.Clone(m.opts), sorter.Report(&st))
				checkOrderingRuns(t, spec, newRecords(n+i%2, uint64(i)), m)
				if !errors.Is(st.Fallback, errLost) {
					t.Errorf("%v: fallback %v", spec, st.Fallback)
				}
			}
		}
	}
}

// TestRunsUntouched leaves runs as they were after errors and panics, and in calls that return
// no permutation.
func TestRunsUntouched(t *testing.T) {
	in := fills(10_000)
	before := perm.RunsAt([]int{0, 2, 5})
	r := before
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	same := func(name string) {
		t.Helper()
		if r.Rows() != 5 || !slices.Equal(r.Offsets(), before.Offsets()) {
			t.Errorf("%s: runs are %v now", name, r.Offsets())
		}
	}
	for _, n := range []int{0, 10, 10_000} {
		if _, err := sorter.Order(in[:n], price, sorter.MarkRuns(&r), sorter.WithContext(ctx)); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		same("cancelled")
		value := panicValue(func() {
			_, _ = sorter.Order(in[:n], func(f fill) float32 { panic("key") }, sorter.MarkRuns(&r))
		})
		if n > 0 {
			if value != "key" {
				t.Errorf("panicked with %v", value)
			}
			same("after a panic")
		}
		r = before
		s := slices.Clone(in[:n])
		_ = sorter.Sort(s, price, sorter.MarkRuns(&r))
		_ = sorter.TopK(s, 3, price, sorter.MarkRunsBy(1, &r))
		_ = sorter.SortKeys(prices(n), sorter.MarkRuns(&r))
		_ = smallByText.Sort(s, sorter.MarkRunsBy(2, &r))
		same("in calls that return no permutation")
	}
	if _, err := sorter.Order(in, price, sorter.MarkRuns(&r), sorter.MemoryLimit(1)); !errors.Is(err, sorter.ErrMemoryLimit) {
		t.Errorf("error %v", err)
	}
	same("too little memory")
}

func TestRunsMisuse(t *testing.T) {
	var r perm.Runs
	s := fills(3)
	for name, f := range map[string]func(){
		"MarkRuns(nil)":      func() { sorter.MarkRuns(nil) },
		"MarkRunsBy(1, nil)": func() { sorter.MarkRunsBy(1, nil) },
		"MarkRunsBy(-1, r)":  func() { sorter.MarkRunsBy(-1, &r) },
		"more columns":       func() { _, _ = sorter.Order(s, price, sorter.MarkRunsBy(2, &r)) },
		"more columns of an Ordering": func() {
			_, _ = smallByText.Order(s, sorter.MarkRunsBy(3, &r))
		},
	} {
		if text := fmt.Sprint(panicValue(f)); len(text) < 8 || text[:8] != "sorter: " {
			t.Errorf("%s: panicked with %q", name, text)
		}
	}
}

// TestRunsCancelled cancels orders with marks while they are made.
func TestRunsCancelled(t *testing.T) {
	testkit.SkipInstrumented(t)
	in := newRecords(100_000, 1)
	by, _ := usualSpecs()[12].build()
	for _, after := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		var r perm.Runs
		p, err := by.Order(in, sorter.WithContext(ctx), sorter.MarkRuns(&r))
		if err != nil && (p != nil || r.Rows() != 0 || !errors.Is(err, context.DeadlineExceeded)) {
			t.Errorf("after %v: error %v with %d rows", after, err, r.Rows())
		}
		cancel()
	}
}

// TestRunsWithin has runs that end with segments.
func TestRunsWithin(t *testing.T) {
	for i, n := range []int{0, 1, 10, 300, 20_000, testkit.Pick(70_000, 300_000)} {
		for j, longest := range []int{1, 5, 3000, n + 1} {
			if testkit.ThinnedTo(2, i+j) {
				continue
			}
			r := dist.Rand(uint64(n + longest))
			offsets := []int{min(n, i%3)}
			end := n - n/4*(j%2)
			for at := offsets[0]; at < end; offsets = append(offsets, at) {
				at = min(end, at+r.IntN(longest+1))
			}
			text := mapped(drawBelow(n, 3, 1), func(v uint64) string { return "a rather long prefix of " + decimal(v) })
			number, few := drawBelow(n, 4, 2), mapped(drawBelow(n, 9, 3), func(v uint64) float32 { return float32(v) })
			for name, cols := range map[string][]sorter.Column[int]{
				"text, number":      {sorter.AscOf(text), sorter.DescOf(number)},
				"float":             {sorter.AscOf(few)},
				"number and others": {sorter.AscOf(number), sorter.AscOf(few), sorter.AscOf(text)},
				"":                  nil,
			} {
				var all, first, none perm.Runs
				opts := []sorter.Option{sorter.MarkRuns(&all), sorter.MarkRunsBy(min(1, len(cols)), &first), sorter.MarkRunsBy(0, &none), sorter.Stable()}
				// Rows before and after the segments are runs of one.
				p, err := sorter.RowsBy(n, cols...).Within(offsets, opts...)
				if err != nil || len(p) != n {
					t.Fatalf("%d rows of %d, error %v", len(p), n, err)
				}
				segment := make([]int, len(p))
				for row := range segment {
					segment[row] = row - offsets[0]
					if row >= offsets[len(offsets)-1] {
						segment[row] = len(offsets) + row
					} else if row >= offsets[0] {
						at, found := slices.BinarySearch(offsets, row)
						for found && at+1 < len(offsets) && offsets[at+1] == row {
							at++
						}
						if !found {
							at--
						}
						segment[row] = at
					}
				}
				by := sorter.By(cols...)
				within := func(compare func(a, b int) int) func(a, b uint32) bool {
					return func(a, b uint32) bool { return segment[a] == segment[b] && compare(int(a), int(b)) == 0 }
				}
				name := fmt.Sprintf("%s, %d rows in %d segments", name, n, len(offsets)-1)
				checkRuns(t, name, p, all, within(by.Compare))
				checkRuns(t, "by 1 column: "+name, p, first, within(sorter.By(cols[:min(1, len(cols))]...).Compare))
				checkRuns(t, "by no column: "+name, p, none, within(func(a, b int) int { return 0 }))
			}
		}
	}
}

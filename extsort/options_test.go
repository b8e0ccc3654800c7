package extsort_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// filled returns a Sorter that rows were appended to.
func filled(t *testing.T, rows []row, opts ...extsort.Option) *extsort.Sorter[row] {
	t.Helper()
	opts = append([]extsort.Option{extsort.TempDir(t.TempDir()), extsort.MemoryLimit(256 << 10)}, opts...)
	s, err := extsort.New(byKey(), opts...)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	must(t, s.Append(rows...))
	if s.Len() != int64(len(rows)) {
		t.Fatalf("Len is %d after %d elements", s.Len(), len(rows))
	}
	return s
}

func TestLimitIsAPrefix(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, kind := range someKinds() {
		rows := rowsOf(keysOf(kind, 20_000, r))
		want := sorted(rows)
		for _, k := range []int64{1, 10, 1000, 5000, 19_999, 20_000, 30_000} {
			t.Run(fmt.Sprintf("%s/k=%d", kind, k), func(t *testing.T) {
				sameElements(t, collect(t, filled(t, rows, extsort.Limit(k))), want[:min(k, 20_000)])
			})
		}
	}
}

func TestSmallLimitStaysInMemory(t *testing.T) {
	var st extsort.Stats
	rows := rowsOf(keysOf("uniform", 50_000, rand.New(rand.NewPCG(3, 4))))
	s := filled(t, rows, extsort.Limit(20), extsort.Report(&st))
	sameElements(t, collect(t, s), sorted(rows)[:20])
	if st.Written != 0 || st.Dropped != 50_000-20 {
		t.Errorf("%+v", st)
	}
}

func TestUniqueKeepsTheFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, kind := range kinds {
		for _, k := range []int64{0, 3, 4000} {
			t.Run(fmt.Sprintf("%s/limit=%d", kind, k), func(t *testing.T) {
				rows := rowsOf(keysOf(kind, 20_000, r))
				want := slices.CompactFunc(sorted(rows), func(a, b row) bool { return a.Key == b.Key })
				opts := []extsort.Option{extsort.Unique()}
				if k > 0 {
					opts = append(opts, extsort.Limit(k))
					want = want[:min(int(k), len(want))]
				}
				sameElements(t, collect(t, filled(t, rows, opts...)), want)
			})
		}
	}
}

func TestPartsAreAll(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, kind := range someKinds() {
		for _, n := range []int{0, 10, 30_000} {
			for _, parts := range []int{1, 2, 5, 16} {
				for _, unique := range []bool{false, true} {
					for _, limit := range []int64{0, 7000} {
						t.Run(fmt.Sprintf("%s/n=%d/parts=%d/unique=%v/limit=%d", kind, n, parts, unique, limit), func(t *testing.T) {
							rows := rowsOf(keysOf(kind, n, r))
							testParts(t, rows, parts, unique, limit)
						})
					}
				}
			}
		}
	}
}

func testParts(t *testing.T, rows []row, n int, unique bool, limit int64) {
	want, opts := sorted(rows), []extsort.Option{extsort.MemoryLimit(1 << 20)}
	if unique {
		want = slices.CompactFunc(want, func(a, b row) bool { return a.Key == b.Key })
		opts = append(opts, extsort.Unique())
	}
	if limit > 0 {
		want = want[:min(int(limit), len(want))]
		opts = append(opts, extsort.Limit(limit))
	}
	s := filled(t, rows, opts...)
	parts, err := s.Parts(n)
	must(t, err)
	all, err := readParts(parts)
	must(t, err)
	var got []row
	for i, p := range parts {
		if !unique && (p.Start() != int64(len(got)) || p.Len() != int64(len(all[i]))) {
			t.Errorf("part %d has %d elements from %d on, says %d from %d on", i, len(all[i]), len(got), p.Len(), p.Start())
		}
		got = append(got, all[i]...)
	}
	sameElements(t, got, want)
}

func TestSortOfASequence(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 30_000, rand.New(rand.NewPCG(9, 10))))
	var got []row
	for e, err := range extsort.Sort(slices.Values(rows), func(r row) uint64 { return r.Key }, extsort.MemoryLimit(1<<20), extsort.TempDir(t.TempDir())) {
		must(t, err)
		got = append(got, e)
	}
	sameElements(t, got, sorted(rows))
}

func TestOtherOrders(t *testing.T) {
	rows := rowsOf(keysOf("few", 30_000, rand.New(rand.NewPCG(9, 11))))
	o := sorter.By(sorter.Desc(func(r row) uint64 { return r.Key }), sorter.Asc(func(r row) int8 { return int8(r.At) }))
	s, err := extsort.New(o, extsort.MemoryLimit(1<<20), extsort.TempDir(t.TempDir()))
	must(t, err)
	defer s.Close()
	must(t, s.AppendSeq(slices.Values(rows)))
	want := slices.Clone(rows)
	testkit.SortStable(want, o.Compare)
	sameElements(t, collect(t, s), want)
}

func TestElementsWithoutSize(t *testing.T) {
	s, err := extsort.New(sorter.By(sorter.Asc(func(struct{}) bool { return true })), extsort.MemoryLimit(1<<20))
	must(t, err)
	defer s.Close()
	must(t, s.Append(make([]struct{}, 1000)...))
	if got := collect(t, s); len(got) != 1000 {
		t.Fatalf("%d elements", len(got))
	}
}

// steps ends the loop over s in different ways, and expects that nothing is left.
func TestNothingIsLeft(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 40_000, rand.New(rand.NewPCG(11, 12))))
	for _, stop := range testkit.Pick([]int{0, 100, 39_999}, []int{0, 1, 100, 20_000, 39_999}) {
		t.Run(fmt.Sprint("break after ", stop), func(t *testing.T) {
			crew := testkit.NewCrew()
			defer crew.CheckAlone(t, t.Name())
			n := 0
			for _, err := range filled(t, rows).All() {
				must(t, err)
				if n == stop {
					break
				}
				n++
			}
		})
		t.Run(fmt.Sprint("panic after ", stop), func(t *testing.T) {
			crew := testkit.NewCrew()
			defer crew.CheckAlone(t, t.Name())
			defer func() {
				if v := recover(); v != "loop" {
					t.Errorf("panic %v", v)
				}
			}()
			n := 0
			for range filled(t, rows).All() {
				if n == stop {
					panic("loop")
				}
				n++
			}
		})
	}
}

func TestKeyFunctionsThatPanic(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 20_000, rand.New(rand.NewPCG(13, 14))))
	for _, at := range []int64{1, 500, 10_000, 19_999, 20_500, 30_000, 40_000} {
		t.Run(fmt.Sprint("call ", at), func(t *testing.T) {
			crew := testkit.NewCrew()
			defer crew.CheckAlone(t, t.Name())
			defer func() {
				if v := recover(); v != "key" {
					t.Errorf("panic %v", v)
				}
			}()
			var calls atomic.Int64 // readers and sorts call keys at a time
			s, err := extsort.New(sorter.By(sorter.Asc(func(r row) uint64 {
				if calls.Add(1) == at {
					panic("key")
				}
				return r.Key
			})), extsort.MemoryLimit(256<<10), extsort.Workers(1), extsort.TempDir(t.TempDir()))
			must(t, err)
			defer s.Close()
			must(t, s.Append(rows...))
			for _, err := range s.All() {
				must(t, err)
			}
			t.Errorf("no panic in %d calls", calls.Load())
		})
	}
}

func TestCancelledSorts(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 40_000, rand.New(rand.NewPCG(15, 16))))
	r := rand.New(rand.NewPCG(17, 18))
	for range 50 {
		crew := testkit.NewCrew()
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(10_000))*time.Microsecond)
		s, err := extsort.New(byKey(), extsort.MemoryLimit(256<<10), extsort.TempDir(t.TempDir()), extsort.WithContext(ctx))
		must(t, err)
		err = s.Append(rows...)
		var got []row
		if err == nil {
			for e, failed := range s.All() {
				if err = failed; err == nil {
					got = append(got, e)
				}
			}
		}
		if err == nil {
			sameElements(t, got, sorted(rows))
		} else if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		must(t, s.Close())
		crew.CheckAlone(t, "after a cancellation")
		cancel()
	}
}

func TestMisuse(t *testing.T) {
	s := filled(t, rowsOf(keysOf("uniform", 100, rand.New(rand.NewPCG(19, 20)))))
	collect(t, s)
	if err := s.Append(row{}); !errors.Is(err, extsort.ErrEnded) {
		t.Errorf("Append after All: %v", err)
	}
	for _, err := range s.All() {
		if !errors.Is(err, extsort.ErrEnded) {
			t.Errorf("All after All: %v", err)
		}
	}
	_, err := extsort.New(byKey(), extsort.MemoryLimit(100))
	need := wantMemoryError(t, "limit of 100 bytes", err, 100)
	if _, err = extsort.New(byKey(), extsort.MemoryLimit(need)); err != nil {
		t.Errorf("limit of %d bytes, which are needed: %v", need, err)
	}
	pointer := func(s *int) int { return *s }
	for _, c := range []struct {
		call, message string
		f             func()
	}{
		{"New of pointers", "extsort: elements of type *int hold pointers: use NewStruct for structs, or NewCoded", func() { _, _ = extsort.New(sorter.By(sorter.Asc(pointer))) }},
		{"New, nil option", "extsort: nil option", func() { _, _ = extsort.New(byKey(), nil) }},
		{"NewCoded, nil codec", "extsort: nil codec", func() { _, _ = extsort.NewCoded(byNote(), nil) }},
		{"NewCoded, nil option", "extsort: nil option", func() { _, _ = extsort.NewCoded(byText(), extsort.Strings(), nil) }},
		{"Resume, no directory", "extsort: Keep without a directory", func() { _, _ = extsort.Resume("", byKey()) }},
		{"Resume, nil option", "extsort: nil option", func() { _, _ = extsort.Resume(t.TempDir(), byKey(), nil) }},
		{"ResumeCoded, nil codec", "extsort: nil codec", func() { _, _ = extsort.ResumeCoded(t.TempDir(), byNote(), nil) }},
		{"Sort, nil sequence", "extsort: Sort of a nil sequence", func() { extsort.Sort(nil, func(r row) uint64 { return r.Key }) }},
		{"Sort, nil key", "extsort: nil key function", func() { extsort.Sort[row, int](slices.Values([]row(nil)), nil) }},
		{"Sort, nil option", "extsort: nil option", func() { extsort.Sort(slices.Values([]row(nil)), func(r row) uint64 { return r.Key }, nil) }},
		{"Sort of pointers", "extsort: elements of type *int hold pointers: use NewStruct for structs, or NewCoded", func() { extsort.Sort(slices.Values([]*int(nil)), pointer) }},
		{"AppendSeq(nil)", "extsort: AppendSeq(nil)", func() { _ = s.AppendSeq(nil) }},
		{"Parts(0)", "extsort: 0 parts", func() { _, _ = s.Parts(0) }},
		{"Parts(-1)", "extsort: -1 parts", func() { _, _ = s.Parts(-1) }},
		{"Limit(0)", "extsort: limit of 0 elements", func() { extsort.Limit(0) }},
		{"Workers(-1)", "extsort: Workers(-1): need at least 0", func() { extsort.Workers(-1) }},
		{"MemoryLimit(-1)", "extsort: memory limit of -1 bytes", func() { extsort.MemoryLimit(-1) }},
		{"DiskLimit(0)", "extsort: disk limit of 0 bytes", func() { extsort.DiskLimit(0) }},
		{"TempDir()", "extsort: TempDir without a directory", func() { extsort.TempDir() }},
		{"Keep", "extsort: Keep without a directory", func() { extsort.Keep("") }},
		{"Compress(4)", "extsort: compression 4", func() { extsort.Compress(extsort.Zstd + 1) }},
		{"WithContext(nil)", "extsort: WithContext(nil)", func() { extsort.WithContext(context.Context(nil)) }},
		{"Report(nil)", "extsort: Report(nil)", func() { extsort.Report(nil) }},
		{"OnProgress(nil)", "extsort: OnProgress(nil)", func() { extsort.OnProgress(nil) }},
		{"On(nil)", "extsort: On(nil)", func() { extsort.On(nil) }},
	} {
		func() {
			defer func() {
				if value := recover(); value != c.message {
					t.Errorf("%s: panicked with %v, want %q", c.call, value, c.message)
				}
			}()
			c.f()
		}()
	}
}

func TestDefaults(t *testing.T) {
	rows := rowsOf(keysOf("zipf", 5000, rand.New(rand.NewPCG(21, 22))))
	var st extsort.Stats
	told := 0
	s, err := extsort.New(byKey(), extsort.On(sorter.CPU()), extsort.Report(&st), extsort.OnProgress(func(extsort.Progress) { told++ }))
	must(t, err)
	must(t, s.Append(rows...))
	sameElements(t, collect(t, s), sorted(rows))
	must(t, s.Close())
	if st.Runs != 0 || st.Memory > 8<<20 || len(st.Dirs) != 1 || told != 0 {
		t.Errorf("5000 rows in memory: %+v, progress told %d times", st, told)
	}
}

func TestErrorsOfSort(t *testing.T) {
	key := func(r row) uint64 { return r.Key }
	ended, end := context.WithCancel(t.Context())
	end()
	for name, test := range map[string]struct {
		opts []extsort.Option
		want error
	}{
		"memory":  {[]extsort.Option{extsort.MemoryLimit(1000)}, extsort.ErrMemoryLimit},
		"disk":    {[]extsort.Option{extsort.MemoryLimit(128 << 10), extsort.DiskLimit(1000)}, extsort.ErrDiskLimit},
		"context": {[]extsort.Option{extsort.WithContext(ended)}, context.Canceled},
	} {
		n, failed := 0, error(nil)
		for r, err := range extsort.Sort(slices.Values(make([]row, 20_000)), key, append(test.opts, extsort.TempDir(t.TempDir()))...) {
			n++
			if failed = err; r != (row{}) {
				t.Errorf("%s: an element beside the error", name)
			}
		}
		if n != 1 || !errors.Is(failed, test.want) || failed.Error() == "" {
			t.Errorf("%s: %d pairs, error %v", name, n, failed)
		}
	}
}

// TestDiskLimitText expects that the error says once what happened.
func TestDiskLimitText(t *testing.T) {
	s, err := extsort.New(byKey(), extsort.MemoryLimit(128<<10), extsort.TempDir(t.TempDir()), extsort.DiskLimit(1000))
	must(t, err)
	defer s.Close()
	err = s.Append(make([]row, 20_000)...)
	if err == nil {
		err = s.Retry()
	}
	var used, more int
	const text = "extsort: disk limit reached: 1000 bytes, %d in use, %d more needed"
	if n, failed := fmt.Sscanf(fmt.Sprint(err), text, &used, &more); n != 2 || failed != nil || used != 0 || more <= 1000 {
		t.Errorf("error %q, want one like %q", err, text)
	}
}

// TestDropped: what was not handed out was dropped, in one output and in parts.
func TestDropped(t *testing.T) {
	rows := rowsOf(keysOf("few", 20_000, rand.New(rand.NewPCG(151, 152))))
	for i := range rows[:10_000] {
		rows[i].Key = uint64(i)
	}
	for how, opts := range map[string][]extsort.Option{
		"limit":            {extsort.Limit(9000)},
		"unique":           {extsort.Unique()},
		"unique and limit": {extsort.Unique(), extsort.Limit(3000)},
		"in memory":        {extsort.Unique(), extsort.MemoryLimit(64 << 20)},
	} {
		for _, n := range []int{0, 3} {
			var st extsort.Stats
			s := filled(t, rows, append([]extsort.Option{extsort.MemoryLimit(128 << 10), extsort.Report(&st)}, opts...)...)
			handed := 0
			if n == 0 {
				handed = len(collect(t, s))
			} else {
				parts, err := s.Parts(n)
				must(t, err)
				for _, p := range parts {
					for _, err := range p.All() {
						must(t, err)
						handed++
					}
				}
			}
			must(t, s.Close())
			if st.Dropped != int64(len(rows)-handed) || st.Runs > 0 && (st.Parts == 0 || st.Largest == 0) {
				t.Errorf("%s in %d parts: %d handed out, %+v", how, n, handed, st)
			}
		}
	}
}

// TestTimes has times of all that a sort and a merge of streams do.
func TestTimes(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 20_000, rand.New(rand.NewPCG(153, 154))))
	var st extsort.Stats
	s := filled(t, rows, extsort.MemoryLimit(128<<10), extsort.Report(&st))
	collect(t, s)
	must(t, s.Close())
	if st.Sort <= 0 || st.Write <= 0 || st.Merge <= 0 {
		t.Errorf("times of a sort: %v, %v, %v", st.Sort, st.Write, st.Merge)
	}
	st = extsort.Stats{}
	gather(t, extsort.Merge(byKey(), []iter.Seq2[[]row, error]{sourceOf(sorted(rows), 100, rand.New(rand.NewPCG(155, 156)))}, extsort.Report(&st)))
	if st.Merge <= 0 {
		t.Errorf("time of a merge: %v", st.Merge)
	}
}

// TestLimitedPartsReadNoMore expects that a part ends with the elements of Limit, and reads no others.
func TestLimitedPartsReadNoMore(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 1_000_000, rand.New(rand.NewPCG(157, 158))))
	const limit = 200_000 // more than memory holds
	for _, unique := range []bool{false, true} {
		var st extsort.Stats
		opts := []extsort.Option{extsort.MemoryLimit(15 << 20), extsort.Limit(limit), extsort.Report(&st)}
		if unique {
			opts = append(opts, extsort.Unique())
		}
		s := filled(t, rows, opts...)
		parts, err := s.Parts(1)
		must(t, err)
		got := elementsIn(t, parts[0].Batches())
		must(t, s.Close())
		if got != limit || st.Merges > 0 || st.Parts < 10 || st.Read > st.Written/2 {
			t.Errorf("%d elements in %d parts, %d merges: %d bytes of %d were read", got, st.Parts, st.Merges, st.Read, st.Written)
		}
	}
}

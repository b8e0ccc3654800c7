package conformance_test

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// MemoryLimit and the promise on scratch memory.

// allocated returns the bytes that f allocated. It empties all pools before: memory
// from them would not count.
func allocated(f func()) int64 {
	for range 3 { // a pool keeps its content over two collections
		runtime.GC()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// checkLimit sorts in under limit and holds the call to it: sorted within the
// limit, or refused and untouched. It reports whether the limit was enough.
func checkLimit[E comparable](t *testing.T, name string, in, want []E, limit int64, sort func(s []E, opts ...sorter.Option) error) bool {
	t.Helper()
	name = fmt.Sprintf("%s, n=%d, limit %d", name, len(in), limit)
	// Stats, closures and goroutines are not scratch memory.
	const other = 64 << 10
	var st sorter.Stats
	var err error
	s := slices.Clone(in)
	used := allocated(func() { err = sort(s, sorter.MemoryLimit(limit), sorter.Report(&st)) })
	if st.Scratch > limit {
		t.Errorf("%s: Stats.Scratch is %d", name, st.Scratch)
	}
	if used > limit+other {
		t.Errorf("%s: allocated %d bytes, Stats.Scratch says %d", name, used, st.Scratch)
	}
	if errors.Is(err, sorter.ErrMemoryLimit) {
		checkSame(t, name+": the slice after ErrMemoryLimit", nil, s, in)
		return false
	}
	checkSame(t, name, err, s, want)
	return true
}

func TestMemoryLimit(t *testing.T) {
	testkit.SkipRace(t)
	n := testkit.Pick(150_000, 400_000)
	in := fills(n)
	want := byPrice(in)
	sort := func(s []fill, opts ...sorter.Option) error {
		return sorter.Sort(s, price, append(opts, sorter.Stable())...)
	}
	checkLimits(t, "40 bytes by float32", in, want, 4, sort)

	byText := func(s []fill, opts ...sorter.Option) error {
		return sorter.Sort(s, func(f fill) string { return decimal(uint64(f.Price * 1000)) }, append(opts, sorter.Stable())...)
	}
	// Decimals of 20 digits order like the numbers that they write. The key
	// function allocates, which is not the sort's, so this is not measured.
	s := slices.Clone(in)
	if err := byText(s, sorter.MemoryLimit(1000)); !errors.Is(err, sorter.ErrMemoryLimit) {
		t.Errorf("strings under 1000 bytes: %v, want ErrMemoryLimit", err)
	}
	checkSame(t, "the slice after ErrMemoryLimit", nil, s, in)

	wide := draw(dist.Named("uniform"), n/4, func(v uint64, i int) [25]uint64 { return [25]uint64{v, uint64(i)} })
	first := func(e [25]uint64) uint64 { return e[0] }
	wantWide := slices.Clone(wide)
	testkit.SortStable(wantWide, func(a, b [25]uint64) int { return cmp.Compare(a[0], b[0]) })
	checkLimits(t, "200 bytes by uint64", wide, wantWide, 8, func(s [][25]uint64, opts ...sorter.Option) error {
		return sorter.Sort(s, first, append(opts, sorter.Stable())...)
	})
}

// TestMemoryLimitAlgorithms holds the algorithms that order codes to limits, by
// keys that are their codes and by keys whose codes are kept for ties.
func TestMemoryLimitAlgorithms(t *testing.T) {
	testkit.SkipRace(t)
	n := scaled(150_000)
	in := fills(n)
	want := byPrice(in)
	for a := sorter.Auto; a < engine.Algorithms; a++ {
		if !engine.OrdersCodes(a) || !sorter.CPU().Runs(a) {
			continue
		}
		checkLimits(t, fmt.Sprintf("40 bytes by float32, %v", a), in, want, 4, func(s []fill, opts ...sorter.Option) error {
			return sorter.Sort(s, price, append(opts, sorter.Use(a))...)
		})
		for limit := int64(n); limit < 1<<28; limit *= 2 {
			var st sorter.Stats
			s := slices.Clone(in)
			err := sorter.Sort(s, func(f fill) [3]float32 { return [3]float32{f.Price} }, sorter.Use(a), sorter.MemoryLimit(limit), sorter.Report(&st))
			if name := fmt.Sprintf("40 bytes by [3]float32, %v, limit %d", a, limit); st.Scratch > limit {
				t.Errorf("%s: Stats.Scratch is %d", name, st.Scratch)
			} else if !errors.Is(err, sorter.ErrMemoryLimit) {
				checkSame(t, name, err, s, want)
			}
		}
	}
}

// TestMemoryLimitTies holds sorts to limits whose first column, of narrow and of
// wide codes, leaves most elements to the second.
func TestMemoryLimitTies(t *testing.T) {
	testkit.SkipRace(t)
	checkLimitTies(t, testkit.Pick(50_000, 150_000), []int64{1, 16, 24, 32, 48, 64, 80, 96, 128, 256}, sorter.Workers(2))
	// Where limits are tight, and tables small beside what a run takes.
	if testkit.Long() {
		checkLimitTies(t, 300_000, []int64{24, 28}, sorter.Workers(1))
	}
}

func checkLimitTies(t *testing.T, n int, limits []int64, more ...sorter.Option) {
	t.Helper()
	type row struct{ a, b uint64 }
	r := dist.Rand(1)
	in := make([]row, n)
	for _, tied := range []uint64{90, 100} {
		for i := range in {
			in[i] = row{1 << 20, r.Uint64()}
			if r.Uint64N(100) >= tied {
				in[i].a = r.Uint64() >> 33
			}
		}
		want := slices.Clone(in)
		testkit.SortStable(want, func(x, y row) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) })
		second := sorter.Asc(func(x row) uint64 { return x.b })
		for name, by := range map[string]sorter.Ordering[row]{
			"32": sorter.By(sorter.Asc(func(x row) uint32 { return uint32(x.a) }), second),
			"64": sorter.By(sorter.Asc(func(x row) uint64 { return x.a << 20 }), second),
		} {
			name := fmt.Sprintf("%d of 100 tie by %s bits, n=%d", tied, name, n)
			p, ordered := make(perm.Perm, n), make([]row, n)
			for _, each := range limits {
				limit := each * int64(n)
				sorted := checkLimit(t, name+", Sort", in, want, limit, func(s []row, opts ...sorter.Option) error {
					return by.Sort(s, append(opts, more...)...)
				})
				found := checkLimit(t, name+", Order", in, want, limit, func(s []row, opts ...sorter.Option) error {
					if _, err := by.Order(s, append(append(opts, more...), sorter.Into(p))...); err != nil {
						return err
					}
					perm.Gather(ordered, s, p, 2)
					copy(s, ordered)
					return nil
				})
				if enough := each >= 96; enough && !(sorted && found) {
					t.Errorf("%s: ErrMemoryLimit under %d bytes per element", name, each)
				}
			}
		}
	}
}

// checkLimits tries limits from nothing to more than enough. The limit for two
// codes and indices per element without any room for a copy of the elements
// must be enough, tables apart.
func checkLimits[E comparable](t *testing.T, name string, in, want []E, code int64, sort func(s []E, opts ...sorter.Option) error) {
	t.Helper()
	var st sorter.Stats
	free := slices.Clone(in)
	err := sort(free, sorter.Report(&st))
	checkSame(t, name+", no limit", err, free, want)
	inPlace := int64(len(in))*2*(code+4) + tablesAllowance(runtime.GOMAXPROCS(0))
	enough := false
	for _, limit := range []int64{1, 1000, int64(len(in)), inPlace / 3, inPlace / 2, inPlace, st.Scratch / 2, st.Scratch - 1, st.Scratch, 2 * st.Scratch} {
		ok := checkLimit(t, name, in, want, limit, sort)
		if limit <= 1000 && ok {
			t.Errorf("%s, n=%d: sorted with %d bytes of scratch", name, len(in), limit)
		}
		if (limit == inPlace || limit == 2*st.Scratch) && !ok {
			t.Errorf("%s, n=%d: ErrMemoryLimit under %d bytes; without a limit it took %d", name, len(in), limit, st.Scratch)
		}
		enough = enough || ok
	}
	if !enough {
		t.Errorf("%s: no limit was enough", name)
	}
}

// tablesAllowance is what a bucket per worker and the tables may take beside
// what grows with the input.
func tablesAllowance(workers int) int64 { return int64(workers) * (4 << 20) }

// TestMemoryLimitVerbs has every other verb refuse a tiny limit or keep to it.
func TestMemoryLimitVerbs(t *testing.T) {
	testkit.SkipRace(t)
	const n = 100_000
	for _, v := range verbs {
		in := v.input(n)
		if v.name == "Sort in place" { // sets a limit of its own
			continue
		}
		for _, limit := range []int64{1, 5000, 1 << 20, 4 << 20, 16 << 20} {
			name := fmt.Sprintf("%s, limit %d", v.name, limit)
			s := slices.Clone(in)
			var st sorter.Stats
			err := v.run(s, price, sorter.MemoryLimit(limit), sorter.Report(&st))
			if st.Scratch > limit {
				t.Errorf("%s: Stats.Scratch is %d", name, st.Scratch)
			}
			switch {
			case errors.Is(err, sorter.ErrMemoryLimit):
				checkSame(t, name+": the slice after ErrMemoryLimit", nil, s, in)
			case err != nil:
				t.Errorf("%s: %v", name, err)
			case limit == 1 && v.name != "TopK":
				t.Errorf("%s: succeeded", name)
			}
		}
	}
}

// TestMemoryLimitKeys sorts plain keys under limits: sorted or untouched.
func TestMemoryLimitKeys(t *testing.T) {
	testkit.SkipRace(t)
	const n = 100_000
	in := dist.Named("zipf").Draw(n, dist.Rand(1))
	want := slices.Sorted(slices.Values(in))
	for _, limit := range []int64{1, 1000, n * 4, n * 8, n * 24, 1 << 26} {
		checkLimit(t, "SortKeys of uint64", in, want, limit, func(s []uint64, opts ...sorter.Option) error {
			return sorter.SortKeys(s, opts...)
		})
	}
	texts := mapped(in, prefixedString)
	wantTexts := slices.Sorted(slices.Values(texts))
	for _, limit := range []int64{1, n * 16, n * 32, n * 64, 1 << 27} {
		checkLimit(t, "SortKeys of strings", texts, wantTexts, limit, func(s []string, opts ...sorter.Option) error {
			return sorter.SortKeys(s, opts...)
		})
	}
}

// TestLeastMemory looks for the least memory that every kind of key can be
// sorted in: what runs there is the most frugal algorithm, and too little must
// leave everything as it was.
func TestLeastMemory(t *testing.T) {
	testkit.SkipUnlessLong(t)
	sizes := testkit.Pick(nil, []int{100, 3000, 12_000})
	eachKind(t, func(k keyCase, t *testing.T) {
		for i, input := range []string{"sprinkled", "16 values"} {
			for j, n := range sizes {
				ref := drawn(k, input, n, uint64(n))
				for l, m := range directions {
					if (i+j+l)%2 == 0 {
						ref.checkLeastMemory(t, m)
					}
				}
			}
		}
	})
}

func (r *reference) checkLeastMemory(t *testing.T, m mode) {
	t.Helper()
	want := r.in(m.order)
	least := func(verb string, call func(opts ...sorter.Option) error, failed func(name string)) (name string) {
		t.Helper()
		for limit := int64(len(r.rows)); ; limit += limit / 2 {
			name = fmt.Sprintf("%s: %s, %s, limit %d", verb, r.name, m.name, limit)
			var st sorter.Stats
			err := call(append(m.stable(), sorter.MemoryLimit(limit), sorter.Report(&st))...)
			if st.Scratch > limit {
				t.Fatalf("%s: Stats.Scratch is %d", name, st.Scratch)
			}
			if err == nil {
				return name
			}
			if !errors.Is(err, sorter.ErrMemoryLimit) || limit > 1<<30 {
				t.Fatalf("%s: %v", name, err)
			}
			failed(name)
		}
	}
	rows := slices.Clone(r.rows)
	name := least("Sort", func(opts ...sorter.Option) error { return r.sort(rows, opts...) },
		func(name string) { checkSame(t, name+": untouched", nil, rows, r.rows) })
	checkSame(t, name, nil, rows, want)

	rows = slices.Clone(r.rows)
	top := len(rows) / 3
	name = least("TopK", func(opts ...sorter.Option) error { return r.topK(rows, top, opts...) },
		func(name string) { checkSame(t, name+": untouched", nil, rows, r.rows) })
	checkSame(t, name, nil, rows[:top], want[:top])

	var p perm.Perm
	name = least("Order", func(opts ...sorter.Option) (err error) { p, err = r.argsort(r.rows, opts...); return err }, func(string) {})
	checkSame(t, name, nil, p, permOf(want))

	var keys keySet
	untouched := func(name string) {
		if d := r.diff(keys, r.rows); d != "" {
			t.Fatalf("%s: ErrMemoryLimit, but %s", name, d)
		}
	}
	name = least("SortKeys", func(opts ...sorter.Option) (err error) { keys, err = r.sortKeys(opts...); return err }, untouched)
	if d := r.diff(keys, want); d != "" {
		t.Fatalf("%s: %s", name, d)
	}
	var values []uint32
	name = least("SortPairs", func(opts ...sorter.Option) (err error) { keys, values, err = r.sortPairs(opts...); return err }, untouched)
	checkSame(t, name, nil, values, permOf(want))
	if d := r.diff(keys, want); d != "" {
		t.Fatalf("%s: %s", name, d)
	}
}

// TestScratchOfLargeElements orders elements whose copies would take more than the
// rest of the scratch: those that no later column needs are not made, and others
// are counted.
func TestScratchOfLargeElements(t *testing.T) {
	type slab [8 << 10]byte
	in := make([]slab, 500)
	for i := range in {
		in[i][0], in[i][1] = byte(i*7), byte(i*31)
	}
	first, second := func(s slab) uint64 { return uint64(s[0] & 3) }, func(s slab) uint64 { return uint64(s[1]) }
	const workers = 16
	for _, c := range []struct {
		name  string
		limit int64
		order func(opts ...sorter.Option) (perm.Perm, error)
	}{
		{"codes decide", 1 << 20, func(opts ...sorter.Option) (perm.Perm, error) { return sorter.Order(in, first, opts...) }},
		{"a second column", 16<<20 + 2*workers*256*8<<10, func(opts ...sorter.Option) (perm.Perm, error) {
			return sorter.By(sorter.Asc(first), sorter.Asc(second)).Order(in, opts...)
		}},
	} {
		var st sorter.Stats
		var err error
		used := allocated(func() {
			_, err = c.order(sorter.Workers(workers), sorter.MemoryLimit(c.limit), sorter.Report(&st))
		})
		if err != nil || st.Scratch > c.limit || used > st.Scratch+1<<20 {
			t.Errorf("%s: %v, Stats.Scratch %d, allocated %d, limit %d", c.name, err, st.Scratch, used, c.limit)
		}
	}
}

// TestMemoryLimitSmall sorts few elements under limits that suit them.
func TestMemoryLimitSmall(t *testing.T) {
	testkit.SkipRace(t)
	for _, n := range []int{2, 10, 100, 1000} {
		in := fills(n)
		if !checkLimit(t, "40 bytes by float32", in, byPrice(in), 1<<20, func(s []fill, opts ...sorter.Option) error {
			return sorter.Sort(s, price, append(opts, sorter.Stable())...)
		}) {
			t.Errorf("n=%d: ErrMemoryLimit under 1 MiB", n)
		}
	}
}

// TestScratch holds the sort to its documented cost: 2×(code + index) and one
// element per element, and what does not grow with the input.
func TestScratch(t *testing.T) {
	const n = 400_000
	var st sorter.Stats
	s := fills(n)
	limit := int64(n)*(2*(4+4)+40) + tablesAllowance(runtime.GOMAXPROCS(0))
	used := allocated(func() {
		if err := sorter.Sort(s, price, sorter.Report(&st)); err != nil {
			t.Fatal(err)
		}
	})
	if st.Scratch > limit || used > limit+64<<10 {
		t.Errorf("%d elements of 40 bytes by float32: Stats.Scratch %d, allocated %d, want at most %d", n, st.Scratch, used, limit)
	}
	if st.Scratch < int64(n)*4 {
		t.Errorf("%d elements: Stats.Scratch is %d, less than their codes take", n, st.Scratch)
	}
}

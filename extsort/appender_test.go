package extsort_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// appendAll appends inputs at a time, each through its own way in, in slices of different lengths.
func appendAll[E any](t *testing.T, ways []func(e ...E) error, inputs [][]E) {
	t.Helper()
	errs := make([]error, len(ways))
	var all sync.WaitGroup
	for i, put := range ways {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 111))
			for in := inputs[i]; len(in) > 0 && errs[i] == nil; {
				n := min(1+r.IntN(100), len(in))
				errs[i] = put(in[:n]...)
				in = in[n:]
			}
		})
	}
	all.Wait()
	must(t, errors.Join(errs...))
}

// appended returns keys cut for a number of appenders, of different lengths.
func appended[E any](all []E, appenders int) [][]E {
	inputs := make([][]E, appenders)
	for i := range inputs {
		n := len(all) / (appenders - i)
		if i+1 < appenders {
			n = n * (i + 1) / appenders
		}
		inputs[i], all = all[:n], all[n:]
	}
	return inputs
}

// testAppenders sorts elements that several goroutines append. Those that tie come out in the
// order of the elements, of which earlier appenders have earlier ones.
func testAppenders[E any](t *testing.T, all []E, o sorter.Ordering[E], appenders int, first bool, unique bool, limit int64, check func(got, want []E), open func(opts ...extsort.Option) (*extsort.Sorter[E], error)) {
	want := slices.Clone(all)
	testkit.SortStable(want, o.Compare)
	opts := []extsort.Option{extsort.TempDir(t.TempDir()), extsort.Workers(2)}
	if unique {
		opts = append(opts, extsort.Unique())
		want = slices.CompactFunc(want, func(a, b E) bool { return o.Compare(a, b) == 0 })
	}
	if limit > 0 {
		opts = append(opts, extsort.Limit(limit))
		want = want[:min(int(limit), len(want))]
	}
	crew := testkit.NewCrew()
	s, err := open(opts...)
	must(t, err)
	n := int64(len(all))
	if first { // some come before there is an appender
		must(t, s.Append(all[:len(all)/3]...))
		all = all[len(all)/3:]
	}
	ways := []func(e ...E) error{s.Append}
	for len(ways) < appenders {
		ways = append(ways, s.Appender().Append)
	}
	appendAll(t, ways, appended(all, appenders))
	if s.Len() != n {
		t.Errorf("Len is %d of %d", s.Len(), n)
	}
	got, err := drain(s)
	must(t, err)
	check(got, want)
	for _, put := range ways {
		if err := put(*new(E)); !errors.Is(err, extsort.ErrEnded) {
			t.Errorf("Append after All: %v", err)
		}
	}
	must(t, s.Close())
	crew.CheckAlone(t, t.Name())
}

func TestAppenders(t *testing.T) {
	r := rand.New(rand.NewPCG(113, 114))
	for i, limit := range testkit.Pick([]int64{256 << 10, 32 << 20}, []int64{256 << 10, 1 << 20, 32 << 20}) {
		for j, appenders := range testkit.Pick([]int{2, 8}, []int{2, 3, 5, 8, 9}) {
			for _, first := range []bool{false, true} {
				for k, how := range []string{"", "unique", "limit"} {
					unique, most, n := how == "unique", int64(0), testkit.Pick(8000, 20_000)
					if how == "limit" { // of the few each appender comes to have as many, and drops what comes after them
						most, n = []int64{100, 3000}[j%2], 20_000
					}
					keys := keysOf(kinds[r.IntN(len(kinds))], n, r)
					memory := extsort.MemoryLimit(limit)
					name := fmt.Sprintf("limit=%d/appenders=%d/first=%v/%s", limit, appenders, first, how)
					switch (i + j + k) % 3 { // each kind of elements with each limit, number and option
					case 0:
						t.Run("fixed/"+name, func(t *testing.T) {
							testAppenders(t, rowsOf(keys), byKey(), appenders, first, unique, most, func(got, want []row) { sameElements(t, got, want) },
								func(opts ...extsort.Option) (*extsort.Sorter[row], error) {
									return extsort.New(byKey(), append(opts, memory)...)
								})
						})
					case 1:
						t.Run("strings/"+name, func(t *testing.T) {
							testAppenders(t, textsOf(keys, r), byHead[string](), appenders, first, unique, most, func(got, want []string) { sameElements(t, got, want) },
								func(opts ...extsort.Option) (*extsort.Sorter[string], error) {
									return extsort.NewCoded(byHead[string](), extsort.Strings(), append(opts, memory)...)
								})
						})
					case 2:
						t.Run("binary/"+name, func(t *testing.T) {
							same := func(got, want []note) {
								if !slices.Equal(got, want) {
									t.Error("wrong order")
								}
							}
							testAppenders(t, notesOf(keys, r), byNote(), appenders, first, unique, most, same,
								func(opts ...extsort.Option) (*extsort.Sorter[note], error) {
									return extsort.NewCoded(byNote(), extsort.Binary[note](), append(opts, memory)...)
								})
						})
					}
				}
			}
		}
	}
}

// TestAppendersGoOnAfterAnError has the only directory missing: all appenders get the error,
// until another is added.
func TestAppendersGoOnAfterAnError(t *testing.T) {
	dir := t.TempDir()
	rows := rowsOf(keysOf("few", 20_000, rand.New(rand.NewPCG(115, 116))))
	s, err := extsort.New(byKey(), extsort.MemoryLimit(256<<10), extsort.TempDir(filepath.Join(dir, "missing")))
	must(t, err)
	defer s.Close()
	inputs := appended(rows, 4)
	var all sync.WaitGroup
	var once sync.Once
	for _, in := range inputs {
		a := s.Appender()
		all.Go(func() {
			for len(in) > 0 {
				err := a.Append(in[0])
				var failed *extsort.DiskError
				switch {
				case err == nil:
					in = in[1:]
				case !errors.As(err, &failed) || failed.Op != "create":
					t.Error(err)
					return
				default:
					once.Do(func() { must(t, s.AddDir(dir)) })
				}
			}
		})
	}
	all.Wait()
	sameElements(t, collect(t, s), sorted(rows))
}

// TestMoreAppendersThanMemory has appenders whose pieces take all of the memory.
func TestMoreAppendersThanMemory(t *testing.T) {
	s, err := extsort.New(byKey(), extsort.MemoryLimit(64<<10), extsort.TempDir(t.TempDir()))
	must(t, err)
	defer s.Close()
	n := 0
	for i := range 10_000 {
		err := s.Appender().Append(row{Key: uint64(i)})
		if err != nil {
			if need := wantMemoryError(t, "pieces", err, 64<<10); need != 0 {
				t.Errorf("%v: a need that is not known", err)
			}
			if want := fmt.Sprintf("for pieces of %d appenders", i+1); !strings.HasSuffix(err.Error(), want) {
				t.Errorf("error %q, want one that ends with %q", err, want)
			}
			break
		}
		must(t, err)
		n++
	}
	if got := collect(t, s); len(got) != n || n < 8 || n == 10_000 {
		t.Errorf("%d elements of %d appenders", len(got), n)
	}
}

// TestStatisticsOfUnwrittenAppenders counts elements that were accepted, whether they could be written
// or not.
func TestStatisticsOfUnwrittenAppenders(t *testing.T) {
	failed := 0
	for n := 500; n <= 3000; n += 100 {
		var st extsort.Stats
		s, err := extsort.New(byKey(), extsort.MemoryLimit(100<<10), extsort.DiskLimit(16<<10), extsort.TempDir(t.TempDir()), extsort.Report(&st))
		must(t, err)
		a := s.Appender()
		for i := 0; i < n && err == nil; i++ {
			err = a.Append(row{Key: uint64(i)})
		}
		if err == nil {
			for _, failure := range s.All() {
				err = failure
			}
		}
		if err != nil && !errors.Is(err, extsort.ErrDiskLimit) {
			t.Fatal(err)
		} else if err != nil {
			failed++
		}
		accepted := s.Len()
		must(t, s.Close())
		if st.Elements != accepted {
			t.Errorf("%d elements, %d were accepted, error %v", st.Elements, accepted, err)
		}
	}
	if failed == 0 {
		t.Error("no run was too long")
	}
}

// TestRunsOfAppenders expects runs of appenders that are about as long as those without: of each only one
// is sorted at a time, and the rest of the memory is for elements that wait.
func TestRunsOfAppenders(t *testing.T) {
	testkit.SkipRace(t)
	const n = 200_000
	runs := func(appenders int) int {
		var st extsort.Stats
		s, err := extsort.New(byKey(), extsort.MemoryLimit(1<<20), extsort.TempDir(t.TempDir()), extsort.Workers(2), extsort.Report(&st))
		must(t, err)
		defer s.Close()
		ways := []func(e ...row) error{s.Append}
		for len(ways) < appenders {
			ways = append(ways, s.Appender().Append)
		}
		rows := rowsOf(keysOf("uniform", n, rand.New(rand.NewPCG(1, 112))))
		for i := 0; i < n; i += 50 {
			must(t, ways[i/50%len(ways)](rows[i:i+50]...))
		}
		got, err := drain(s)
		must(t, err)
		if len(got) != n || !slices.IsSortedFunc(got, byKey().Compare) {
			t.Errorf("%d appenders: %d elements of %d, in order %t", appenders, len(got), n, slices.IsSortedFunc(got, byKey().Compare))
		}
		must(t, s.Close())
		return st.Runs
	}
	alone := runs(1)
	for _, appenders := range []int{2, 4, 8} {
		if many := runs(appenders); many > 2*alone {
			t.Errorf("%d appenders write %d runs, one %d", appenders, many, alone)
		}
	}
}

// TestManyAppendersWithFewElements writes nothing: the elements fit, although the pieces that they came in
// would not.
func TestManyAppendersWithFewElements(t *testing.T) {
	for _, limit := range []int64{64 << 10, 128 << 10, 256 << 10, 1 << 20} {
		for _, appenders := range []int{64, 200} {
			if limit < int64(appenders)<<11 {
				continue // less memory than for a piece of each
			}
			n := 3 * appenders
			r := rand.New(rand.NewPCG(uint64(limit), uint64(appenders)))
			keys := keysOf("few", n, r)
			t.Run(fmt.Sprintf("fixed/%d/%d", limit, appenders), func(t *testing.T) {
				testFewEach(t, rowsOf(keys), byKey(), appenders, func(opts ...extsort.Option) (*extsort.Sorter[row], error) {
					return extsort.New(byKey(), append(opts, extsort.MemoryLimit(limit))...)
				})
			})
			t.Run(fmt.Sprintf("strings/%d/%d", limit, appenders), func(t *testing.T) {
				testFewEach(t, textsOf(keys, r), byHead[string](), appenders, func(opts ...extsort.Option) (*extsort.Sorter[string], error) {
					return extsort.NewCoded(byHead[string](), extsort.Strings(), append(opts, extsort.MemoryLimit(limit))...)
				})
			})
			t.Run(fmt.Sprintf("binary/%d/%d", limit, appenders), func(t *testing.T) {
				testFewEach(t, notesOf(keys, r), byNote(), appenders, func(opts ...extsort.Option) (*extsort.Sorter[note], error) {
					return extsort.NewCoded(byNote(), extsort.Binary[note](), append(opts, extsort.MemoryLimit(limit))...)
				})
			})
		}
	}
}

func testFewEach[E comparable](t *testing.T, all []E, o sorter.Ordering[E], appenders int, open func(opts ...extsort.Option) (*extsort.Sorter[E], error)) {
	want := slices.Clone(all)
	testkit.SortStable(want, o.Compare)
	var st extsort.Stats
	s, err := open(extsort.TempDir(t.TempDir()), extsort.Workers(2), extsort.Report(&st))
	must(t, err)
	for range appenders {
		must(t, s.Appender().Append(all[:3]...))
		all = all[3:]
	}
	got, err := drain(s)
	must(t, err)
	if !slices.Equal(got, want) {
		t.Error("wrong order")
	}
	must(t, s.Close())
	if st.Written > 0 {
		t.Errorf("%d bytes were written in %d runs", st.Written, st.Runs)
	}
}

// TestAppendersGoOnAfterSyncFails has elements of an appender wait in order, since the run of another met a disk that
// fails: those that follow are sorted with them.
func TestAppendersGoOnAfterSyncFails(t *testing.T) {
	disk := func() (*faultDisk, []extsort.Option) {
		d := &faultDisk{}
		return d, []extsort.Option{extsort.MemoryLimit(1 << 20), extsort.Keep(t.TempDir()), extsort.OnDisk(d), extsort.Workers(2)}
	}
	keys := keysOf("few", 3000, rand.New(rand.NewPCG(117, 118)))
	d, opts := disk()
	s, err := extsort.New(byKey(), opts...)
	must(t, err)
	appendsAfterFailure(t, d, s, rowsOf(keys), byKey())
	d, opts = disk()
	lines, err := extsort.NewCoded(byHead[string](), extsort.Strings(), opts...)
	must(t, err)
	appendsAfterFailure(t, d, lines, textsOf(keys, rand.New(rand.NewPCG(121, 122))), byHead[string]())
}

func appendsAfterFailure[E comparable](t *testing.T, d *faultDisk, s *extsort.Sorter[E], all []E, o sorter.Ordering[E]) {
	t.Helper()
	first, other := s.Appender(), s.Appender()
	must(t, first.Append(all[:500]...))
	must(t, other.Append(all[500:1000]...))
	d.failed, d.sticky = "write", true
	if err := s.Sync(); !errors.Is(err, errInjected) {
		t.Fatalf("Sync on a disk that fails: %v", err)
	}
	d.mend()
	must(t, s.Retry())
	must(t, other.Append(all[1000:]...))
	want := slices.Clone(all)
	testkit.SortStable(want, o.Compare)
	sameElements(t, collect(t, s), want)
	must(t, s.Close())
}

// TestRunsOfShortElements expects runs of appenders that are about as long as those without: a piece is full of elements,
// however short they are.
func TestRunsOfShortElements(t *testing.T) {
	runs := func(shared bool) int {
		var st extsort.Stats
		s, err := extsort.NewCoded(byText(), extsort.Codec[string](copiedStrings{}), extsort.MemoryLimit(320<<10), extsort.TempDir(t.TempDir()), extsort.Workers(2), extsort.Report(&st))
		must(t, err)
		put := s.Append
		if shared {
			put = s.Appender().Append
		}
		for i := range 100_000 {
			must(t, put(string([]byte{byte(i), byte(i >> 8)})))
		}
		if got := elementsIn(t, s.Batches()); got != 100_000 {
			t.Errorf("%d elements", got)
		}
		must(t, s.Close())
		return st.Runs
	}
	alone, shared := runs(false), runs(true)
	if shared > alone+alone/4 {
		t.Errorf("%d runs of an appender, %d without", shared, alone)
	}
}

package extsort_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// heavy returns a line whose length is between 1 and most bytes, as often of one order of magnitude as of
// another. Its first two bytes are one of few keys, or it is shorter.
func heavy(r *rand.Rand, most int) string {
	n := int(math.Exp(r.Float64() * math.Log(float64(most))))
	line := fmt.Sprintf("%02d%d", r.IntN(40), r.IntN(100)) + strings.Repeat(string(rune('a'+r.IntN(26))), n)
	return line[:n]
}

// byFront orders lines by their first two bytes.
func byFront() sorter.Ordering[string] {
	return sorter.By(sorter.Asc(func(s string) string { return s[:min(2, len(s))] }))
}

// lineSort is a sort of lines with a heavy tail of lengths, and the lines in order.
type lineSort struct {
	order   sorter.Ordering[string]
	codec   extsort.Codec[string]
	limit   int64
	opts    []extsort.Option
	unique  bool
	first   int // 0: all
	lines   []string
	refused int
}

func (l *lineSort) want() []string {
	want := slices.Clone(l.lines)
	slices.SortStableFunc(want, l.order.Compare)
	if l.unique {
		want = slices.CompactFunc(want, func(x, y string) bool { return l.order.Compare(x, y) == 0 })
	}
	if l.first > 0 {
		want = want[:min(l.first, len(want))]
	}
	return want
}

// append appends a line. One that is too long for the limit has to fit the limit that the error names.
func (l *lineSort) append(t *testing.T, line string, to func(...string) error) {
	t.Helper()
	err := to(line)
	if err == nil {
		l.lines = append(l.lines, line)
		return
	}
	var limit, length, need int64
	var most int
	text := strings.TrimPrefix(err.Error(), extsort.ErrMemoryLimit.Error())
	if _, failed := fmt.Sscanf(text, ": %d bytes hold elements of up to %d, one of %d needs %d", &limit, &most, &length, &need); failed != nil || !errors.Is(err, extsort.ErrMemoryLimit) {
		t.Fatal(err)
	}
	if named := wantMemoryError(t, "a line that is too long", err, limit); named != need {
		t.Errorf("%v: its need is %d", err, named)
	}
	if limit != l.limit || length != int64(len(line)) || most >= len(line) || need <= limit {
		t.Fatalf("%d bytes, with a limit of %d: %v", len(line), l.limit, err)
	}
	if int64(most) < limit/7 {
		t.Fatalf("elements of up to %d bytes, with a limit of %d", most, limit)
	}
	if l.refused++; l.refused > 1 {
		return
	}
	s, err := extsort.NewCoded(l.order, l.codec, append(slices.Clip(l.opts), extsort.MemoryLimit(need))...)
	must(t, err)
	must(t, s.Append(line))
	must(t, s.Close())
}

// TestRandomLongLines has lines of 1 byte to 100 KB, at limits from 256 KiB to 8 MiB, with options at
// random.
func TestRandomLongLines(t *testing.T) {
	for seed := range uint64(testkit.Pick(16, 40)) {
		if testkit.ThinnedTo(4, int(seed)) {
			continue
		}
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { testRandomLines(t, rand.New(rand.NewPCG(seed, 131))) })
	}
}

func testRandomLines(t *testing.T, r *rand.Rand) {
	var st extsort.Stats
	l := &lineSort{order: byText(), codec: extsort.Strings(), limit: int64(256<<10) << r.IntN(6)}
	if r.IntN(2) == 0 {
		l.order = byFront()
	}
	if r.IntN(4) == 0 {
		l.codec = copiedStrings{}
	}
	l.opts = []extsort.Option{extsort.TempDir(t.TempDir()), extsort.Report(&st), extsort.Workers(1 + r.IntN(4))}
	if l.unique = r.IntN(4) == 0; l.unique {
		l.opts = append(l.opts, extsort.Unique())
	}
	if c := extsort.Compression(r.IntN(4)); c < extsort.S2 || l.limit >= int64(c)<<20 {
		l.opts = append(l.opts, extsort.Compress(c))
	}
	if r.IntN(4) == 0 {
		l.first = 1 + r.IntN(1000)
		l.opts = append(l.opts, extsort.Limit(int64(l.first)))
	}
	bytes, most := int(l.limit)*(1+r.IntN(8)), 100_000
	if r.IntN(3) == 0 {
		most = 4000
	}
	s, err := extsort.NewCoded(l.order, l.codec, append(slices.Clip(l.opts), extsort.MemoryLimit(l.limit))...)
	must(t, err)
	defer s.Close()
	for ; bytes > 0; bytes -= 64 {
		line := heavy(r, most)
		l.append(t, line, s.Append)
		bytes -= len(line)
	}
	var got []string
	if r.IntN(2) == 0 {
		got, err = drain(s)
	} else {
		var parts []extsort.Part[string]
		if parts, err = s.Parts(1 + r.IntN(5)); err == nil {
			var all [][]string
			all, err = readParts(parts)
			got = slices.Concat(all...)
		}
	}
	must(t, err)
	if l.first > 0 && l.unique && len(got) > l.first { // of Parts, see there
		got = got[:l.first]
	}
	sameElements(t, got, l.want())
	must(t, s.Close())
	if checkMemory(t, &st, l.limit); st.Elements != int64(len(l.lines)) {
		t.Errorf("limit %d, %d lines: %+v", l.limit, len(l.lines), st)
	}
}

// TestLongLinesResume keeps runs of long lines, and goes on with them at several limits.
func TestLongLinesResume(t *testing.T) {
	for seed := range uint64(testkit.Pick(10, 40)) {
		r := rand.New(rand.NewPCG(seed, 132))
		l := &lineSort{order: byFront(), codec: extsort.Strings(), limit: 512 << 10}
		dir := t.TempDir()
		at := func(limit int64) []extsort.Option {
			return []extsort.Option{extsort.MemoryLimit(limit), extsort.OnDisk(quickDisk{}), extsort.Keep(dir)}
		}
		s, err := extsort.NewCoded(l.order, l.codec, at(l.limit)...)
		must(t, err)
		for range 3 {
			for range 200 {
				must(t, l.accept(s.Append, heavy(r, 60_000)))
			}
			must(t, s.Sync())
			must(t, s.Close())
			_, err = extsort.ResumeCoded(dir, byText(), l.codec, at(l.limit)...)
			if !errors.Is(err, extsort.ErrMismatch) {
				t.Fatalf("in another order: %v", err)
			}
			limit := l.limit / 2 << r.IntN(3)
			s, err = extsort.ResumeCoded(dir, l.order, l.codec, at(limit)...)
			must(t, err)
			if s.Len() != int64(len(l.lines)) {
				t.Fatalf("%d lines, want %d", s.Len(), len(l.lines))
			}
		}
		sameElements(t, collect(t, s), l.want())
		must(t, s.Close())
		checkDirEmpty(t, dir)
	}
}

func (l *lineSort) accept(to func(...string) error, line string) error {
	l.lines = append(l.lines, line)
	return to(line)
}

// TestResumeWithTooLittleMemory expects the limit that has room for the runs, and no blame of an element:
// a block may have many.
func TestResumeWithTooLittleMemory(t *testing.T) {
	dir := t.TempDir()
	at := func(limit int64) []extsort.Option {
		return []extsort.Option{extsort.MemoryLimit(limit), extsort.OnDisk(quickDisk{}), extsort.Keep(dir)}
	}
	s, err := extsort.NewCoded(byText(), extsort.Strings(), at(1<<20)...)
	must(t, err)
	line, longer := strings.Repeat("x", 200_000), strings.Repeat("y", 210_000)
	must(t, s.Append("a", line, "b"))
	must(t, s.Sync())
	must(t, s.Append(longer))
	must(t, s.Sync())
	must(t, s.Close())
	_, err = extsort.ResumeCoded(dir, byText(), extsort.Strings(), at(256<<10)...)
	var long *extsort.LengthError
	need := wantMemoryError(t, "a block that is too long", err, 256<<10)
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, &long) {
		t.Fatal(err)
	}
	s, err = extsort.ResumeCoded(dir, byText(), extsort.Strings(), at(need)...)
	must(t, err)
	sameElements(t, collect(t, s), []string{"a", "b", line, longer})
	must(t, s.Close())
}

// TestNeedHolds expects that elements a few bytes below a power of two fit the limit that the error of
// another names, and every limit above it.
func TestNeedHolds(t *testing.T) {
	for _, length := range []int{1<<15 - 100, 1<<17 - 170, 1<<18 - 90, 1<<20 - 2000} {
		at := func(limit int64) error {
			s, err := extsort.NewCoded(byText(), extsort.Strings(), extsort.MemoryLimit(limit))
			must(t, err)
			defer s.Close()
			return s.Append(strings.Repeat("x", length))
		}
		var long *extsort.LengthError
		if err := at(int64(3 * length)); !errors.As(err, &long) {
			t.Fatal(err)
		}
		for above := range int64(64) {
			if err := at(long.Need + long.Need/256*above); err != nil {
				t.Errorf("%d bytes, need %d: %v", length, long.Need, err)
				break
			}
		}
	}
}

// TestLeastLimit expects that New takes the limit that its error names.
func TestLeastLimit(t *testing.T) {
	for _, c := range []extsort.Compression{extsort.Adaptive, extsort.S2, extsort.Zstd} {
		limit := int64(1000)
		for tries := 0; ; tries++ {
			s, err := extsort.New(byKey(), extsort.MemoryLimit(limit), extsort.Compress(c))
			if err == nil {
				must(t, s.Close())
				break
			}
			_, text, _ := strings.Cut(err.Error(), "need ")
			if _, failed := fmt.Sscan(text, &limit); failed != nil || tries > 0 {
				t.Fatalf("compression %d: %v", c, err)
			}
		}
	}
}

// TestAppendersOfLongLines has several appenders, each of lines up to the longest that fits.
func TestAppendersOfLongLines(t *testing.T) {
	for _, limit := range testkit.Pick([]int64{256 << 10, 1 << 20}, []int64{256 << 10, 1 << 20, 4 << 20}) {
		const appenders = 5
		s, err := extsort.NewCoded(byFront(), extsort.Strings(), extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir()))
		must(t, err)
		defer s.Close()
		var in [appenders]lineSort
		var all sync.WaitGroup
		for i := range in {
			a, r := s.Appender(), rand.New(rand.NewPCG(uint64(i), 133))
			all.Go(func() {
				for range 200 {
					line := heavy(r, int(limit/6))
					if err := in[i].accept(a.Append, line); err != nil {
						t.Errorf("%d bytes: %v", len(line), err)
						return
					}
				}
			})
		}
		all.Wait()
		joined := lineSort{order: byFront()}
		for i := range in {
			joined.lines = append(joined.lines, in[i].lines...)
		}
		sameElements(t, collect(t, s), joined.want())
	}
}

// liveHeap returns the bytes of the heap that are in use.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC() // pools keep memory for one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestHeapIsCounted measures the heap while elements are appended and merged. It stays under the Memory of
// Stats: the limit, and the bytes of indices and cuts beyond it where the input is many times a small limit.
func TestHeapIsCounted(t *testing.T) {
	testkit.SkipInstrumented(t)
	for i, c := range []struct {
		limit, bytes, length int // of lines; 0: rows
		holds                bool
	}{
		{256 << 10, 3 << 20, 4000, false}, {256 << 10, 3 << 20, 1000, false}, {1 << 20, 24 << 20, 20_000, false}, {4 << 20, 40 << 20, 300_000, true},
		{6 << 20, 48 << 20, 100, true}, {4 << 20, 40 << 20, 1000, true}, {4 << 20, 40 << 20, 0, true},
	} {
		for _, unique := range []bool{false, true} {
			if !testkit.Long() && (unique == (i%2 == 0) || i%3 == 2 || i == 4) {
				continue
			}
			t.Run(fmt.Sprint(c.limit, c.length, unique), func(t *testing.T) {
				var st extsort.Stats
				opts := []extsort.Option{extsort.MemoryLimit(int64(c.limit)), extsort.TempDir(t.TempDir()), extsort.Report(&st), extsort.Workers(2)}
				if unique {
					opts = append(opts, extsort.Unique())
				}
				r, most := rand.New(rand.NewPCG(135, 136)), int64(0)
				if c.length == 0 {
					most = heapOf(t, func() (*extsort.Sorter[row], error) { return extsort.New(byKey(), opts...) }, c.bytes/24,
						func() row { return row{Key: r.Uint64()} }, func(e row) uint64 { return e.Key })
				} else {
					line := strings.Repeat("z", c.length)
					most = heapOf(t, func() (*extsort.Sorter[string], error) { return extsort.NewCoded(byText(), extsort.Strings(), opts...) }, c.bytes/c.length,
						func() string { return fmt.Sprintf("%09d", r.IntN(1e9)) + line[:c.length-9-r.IntN(9)] },
						func(e string) uint64 { n, err := strconv.ParseUint(e[:9], 10, 64); must(t, err); return n })
				}
				// Goroutines, files and statistics are not counted, nor pages to which buffers are aligned, nor with
				// these limits all of the memory that package sorter keeps for short sorts.
				const slack, kept = 64 << 10, 48 << 10
				if bound := st.Memory + slack + kept; most > bound {
					t.Errorf("%d bytes, want at most %d", most, bound)
				}
				if c.holds && st.Memory > int64(c.limit) {
					t.Errorf("%d bytes with a limit of %d", st.Memory, c.limit)
				}
				checkMemory(t, &st, int64(c.limit))
			})
		}
	}
}

// heapOf returns by how many bytes the heap grows at most in a sort of n elements, whose output it checks. Few of
// them come twice.
func heapOf[E any](t *testing.T, open func() (*extsort.Sorter[E], error), n int, next func() E, key func(E) uint64) (most int64) {
	t.Helper()
	before := liveHeap()
	measure := func() { most = max(most, liveHeap()-before) }
	s, err := open()
	must(t, err)
	defer s.Close()
	for i := range n {
		must(t, s.Append(next()))
		if i%(n/testkit.Pick(10, 20)+1) == 0 {
			measure()
		}
	}
	got, last := 0, uint64(0)
	for batch, err := range s.Batches() {
		must(t, err)
		if times := testkit.Pick(16, 40); got*times/n != (got+len(batch))*times/n {
			measure()
		}
		for _, e := range batch {
			if key(e) < last {
				t.Fatalf("%d after %d", key(e), last)
			}
			last = key(e)
		}
		got += len(batch)
	}
	if got > n || got < n-n/10_000 {
		t.Errorf("%d elements of %d", got, n)
	}
	return most
}

// checkMemory expects that a sort has kept its limit of memory. Indices of many runs and blocks, and cuts, pass small
// limits.
func checkMemory(t *testing.T, st *extsort.Stats, limit int64) {
	t.Helper()
	most := limit
	if limit < 16<<20 {
		blocks := st.RawBlocks + st.S2Blocks + st.ZstdBlocks
		most += 512*int64(st.Runs) + 200*blocks + int64(st.Parts)*(128+9*int64(st.Runs))
	}
	if st.Memory > most {
		t.Errorf("%d bytes of memory with a limit of %d, want at most %d: %+v", st.Memory, limit, most, *st)
	}
}

// TestNoCollectionIsForced sorts more than memory holds: rows, lines, and lines of which some samples stay on disk. None of
// them demands a garbage collection, whose cost is that of the whole heap of the program.
func TestNoCollectionIsForced(t *testing.T) {
	const limit = 1 << 20
	opts := []extsort.Option{extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir())}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rows := rowsOf(keysOf("uniform", 4*limit/24, rand.New(rand.NewPCG(161, 162))))
	s, err := extsort.New(byKey(), opts...)
	must(t, err)
	must(t, s.Append(rows...))
	sameElements(t, collect(t, s), sorted(rows))
	for _, length := range []int{30, 20_000} {
		in := make([]string, 4*limit/length)
		for i := range in {
			in[i] = fmt.Sprintf("%09d%s", (i*7919)%100_003, strings.Repeat("y", length-9))
		}
		s, err := extsort.NewCoded(byText(), extsort.Strings(), opts...)
		must(t, err)
		must(t, s.Append(in...))
		slices.Sort(in)
		sameElements(t, collect(t, s), in)
	}
	if runtime.ReadMemStats(&after); after.NumForcedGC != before.NumForcedGC {
		t.Errorf("%d collections", after.NumForcedGC-before.NumForcedGC)
	}
}

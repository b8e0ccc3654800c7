package beamsort

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/sorter/internal/testkit"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// summary is of the values of one key.
type summary struct {
	Count       int64
	First, Last uint64
	IDs         uint64 // their sum
}

// summaries fails unless values are in order.
var summaries = RegisterForEach("summaries", byU64,
	func(_ context.Context, key uint8, rows iter.Seq2[row, error], emit func(summary)) error {
		var s summary
		for r, err := range rows {
			if err != nil {
				return err
			}
			if r.U64 < s.Last || r.U8 != key {
				return fmt.Errorf("%d of key %d comes after %d of key %d", r.U64, r.U8, s.Last, key)
			}
			if s.Count == 0 {
				s.First = r.U64
			}
			s.Count, s.Last, s.IDs = s.Count+1, r.U64, s.IDs+uint64(r.ID)
		}
		emit(s)
		return nil
	})

func keyedRow(r row) (uint8, row) { return r.U8, r }

// collected holds the results of collectFn, by name.
var collected sync.Map

// collectFn keeps results. Workers are in this process.
type collectFn[K comparable, R any] struct{ Name string }

func (f *collectFn[K, R]) ProcessElement(key K, r R) {
	results, _ := collected.LoadOrStore(f.Name, &sync.Map{})
	if _, twice := results.(*sync.Map).Swap(key, r); twice {
		panic(fmt.Sprintf("a second result of key %v", key))
	}
}

// collect returns the results of each key, after a pipeline has run.
func collect[K comparable, R any](t *testing.T, s beam.Scope, col beam.PCollection) func() map[K]R {
	name := t.Name()
	beam.ParDo0(s, &collectFn[K, R]{name}, col)
	return func() map[K]R {
		all := map[K]R{}
		if results, ok := collected.LoadAndDelete(name); ok {
			results.(*sync.Map).Range(func(key, r any) bool { all[key.(K)] = r.(R); return true })
		}
		return all
	}
}

func init() {
	beam.RegisterFunction(keyedRow)
	beam.RegisterType(reflect.TypeFor[collectFn[uint8, summary]]())
}

// TestForEachKey gives one key more values than the memory of the sort holds, and others few.
func TestForEachKey(t *testing.T) {
	rows := someRows(20000)
	want := map[uint8]summary{}
	for i := range rows {
		if i%20 > 0 {
			rows[i].U8 = 7
		}
		r := &rows[i]
		s, ok := want[r.U8]
		if !ok {
			s.First = r.U64
		}
		want[r.U8] = summary{s.Count + 1, min(s.First, r.U64), max(s.Last, r.U64), s.IDs + uint64(r.ID)}
	}
	p, s := beam.NewPipelineWithRoot()
	sums := ForEachKey(s, beam.ParDo(s, keyedRow, collection(t, s, rows)), summaries, Memory(1<<20), TempDir(t.TempDir()), Workers(1))
	results := collect[uint8, summary](t, s, sums)
	result := run(t, p)
	if got := results(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	heavy := want[7].Count * int64(byU64.layout.size)
	if n := counterOf(result, "spilled_bytes"); n < heavy {
		t.Errorf("%d bytes spilled, but one key has %d", n, heavy)
	}
	d := distributionOf(t, result, "values_per_key")
	if d.Count != int64(len(want)) || d.Sum != 20000 || d.Min < 1 || d.Max != want[7].Count {
		t.Errorf("values per key: %+v", d)
	}
}

// TestForEachKeyOfNone: no key, no call.
func TestForEachKeyOfNone(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	results := collect[uint8, summary](t, s, ForEachKey(s, beam.ParDo(s, keyedRow, collection(t, s, []row{})), summaries))
	run(t, p)
	if got := results(); len(got) > 0 {
		t.Error(got)
	}
}

// eachOf returns the DoFn of a ForEach as a worker has it.
func eachOf[K, T, R any](t *testing.T, each *ForEach[K, T, R], opts ...Option) *forEachFn[K, T, R] {
	t.Helper()
	return setUp(t, &forEachFn[K, T, R]{Config: newConfig(each.order.name, opts), Name: each.name})
}

// TestForEachKeyMemory reads far more values of one key than the memory of the sort holds, and measures the heap.
func TestForEachKeyMemory(t *testing.T) {
	const limit = 4 << 20
	n := testkit.Pick(1_000_000, 8_000_000) // of 16 bytes
	peak, base := int64(0), heap()
	seen := 0
	measure := func() {
		if seen++; seen%(n/8) == 0 {
			peak = max(peak, heap()-base) // of memory that tests before had, some may be free by now
		}
	}
	inHeap = func() { measure() }
	defer func() { inHeap = nil }()
	left := n
	values := func(to *pair) bool {
		if left == 0 {
			return false
		}
		left--
		measure()
		*to = pair{int64(uint64(left) * 0x9e3779b97f4a7c15 >> 1), int64(left)}
		return true
	}
	f := eachOf(t, measuring, Memory(limit), TempDir(t.TempDir()))
	var count int
	if err := f.ProcessElement(ctx, "one", values, func(_ string, n int) { count = n }); err != nil {
		t.Fatal(err)
	}
	if count != n {
		t.Errorf("%d values of %d", count, n)
	}
	t.Logf("%d bytes of values, %d of heap at most", n*16, peak)
	if seen < n || peak > 2*limit {
		t.Errorf("%d bytes of heap for %d of values, the limit is %d", peak, n*16, limit)
	}
}

// heap returns the bytes that are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// inHeap is called with each value of measuring.
var inHeap func()

var measuring = RegisterForEach("measuring", pairs,
	func(_ context.Context, _ string, values iter.Seq2[pair, error], emit func(int)) error {
		n, last := 0, int64(-1)
		for p, err := range values {
			if err != nil {
				return err
			}
			if p.Key < last {
				return fmt.Errorf("%d comes after %d", p.Key, last)
			}
			last = p.Key
			n++
			inHeap()
		}
		emit(n)
		return nil
	})

var errStop = errors.New("no more")

// stopping ends in the way that its key names, after an eighth of the values.
var stopping = RegisterForEach("stopping", byU64, func(_ context.Context, way string, rows iter.Seq2[row, error], emit func(int)) error {
	n := 0
	if way == "refuse" { // without a value
		return errStop
	}
	for _, err := range rows {
		if err != nil {
			if way == "drop" {
				continue
			}
			return err
		}
		if n++; n < 2500 {
			continue
		}
		switch way {
		case "break":
			emit(n)
			return nil
		case "error":
			return errStop
		case "panic":
			panic(way)
		case "cancel", "drop":
			stopContext()
		}
	}
	if way == "twice" {
		for _, err := range rows {
			return err
		}
	}
	emit(n)
	return nil
})

var stopContext func()

// TestForEachKeyStops ends the function in the middle of more values than memory holds. No file,
// descriptor or goroutine is left, and the same instance then does the whole.
func TestForEachKeyStops(t *testing.T) {
	rows := someRows(20000)
	dir := t.TempDir()
	for _, c := range []struct {
		way, want string
		emitted   int
	}{
		{"break", "", 2500},
		{"error", `beamsort: values by "row by u64": stopping: no more`, 0},
		{"refuse", `beamsort: values by "row by u64": stopping: no more`, 0},
		{"panic", "panic", 0},
		{"cancel", `beamsort: values by "row by u64": stopping: context canceled`, 0},
		{"drop", `beamsort: values by "row by u64": context canceled`, -1},
		{"twice", `beamsort: values by "row by u64": stopping: extsort: the input has ended`, 0},
	} {
		t.Run(c.way, func(t *testing.T) {
			crew, files := testkit.NewCrew(), descriptors(dir)
			f := eachOf(t, stopping, Memory(1<<20), TempDir(dir))
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			stopContext = cancel
			got := ""
			emitted := 0
			text := panicOf(func() {
				if err := f.ProcessElement(ctx, c.way, iterate(rows), func(_ string, n int) { emitted = n }); err != nil {
					got = err.Error()
				}
			})
			if text != "<nil>" {
				got = text
			}
			if got != c.want || c.emitted >= 0 && emitted != c.emitted {
				t.Errorf("%q after %d, not %q after %d", got, emitted, c.want, c.emitted)
			}
			crew.CheckAlone(t, c.way)
			if names := folder(t, dir); len(names) > 0 {
				t.Errorf("%v is left", names)
			}
			if now := descriptors(dir); now != files {
				t.Errorf("%d files are open, %d were", now, files)
			}
			if err := f.ProcessElement(context.Background(), "all", iterate(rows), func(_ string, n int) { emitted = n }); err != nil || emitted != 20000 {
				t.Errorf("%d of 20000 in a second run, %v", emitted, err)
			}
		})
	}
}

// descriptors returns how many files of a folder this process has open.
func descriptors(dir string) (open int) {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	for _, f := range files {
		if to, err := os.Readlink(filepath.Join("/proc/self/fd", f.Name())); err == nil && strings.HasPrefix(to, dir) {
			open++
		}
	}
	return open
}

// TestForEachKeyAgain: a bundle that is run again emits the same, by the same instance and by another.
func TestForEachKeyAgain(t *testing.T) {
	rows := someRows(3000)
	for i := range rows {
		rows[i].U8 = 7
	}
	f := eachOf(t, summaries, Memory(1<<20), TempDir(t.TempDir()))
	for range 2 {
		twice(t, "for each", func() (all []summary) {
			if err := f.ProcessElement(ctx, 7, iterate(rows), func(_ uint8, s summary) { all = append(all, s) }); err != nil {
				t.Fatal(err)
			}
			return all
		})
		f = eachOf(t, summaries, Memory(1<<20), TempDir(t.TempDir()))
	}
}

// inTexts emits the texts of notes in order, and fails at "stop".
var inTexts = RegisterForEach("texts in order", byText, func(_ context.Context, key string, notes iter.Seq2[note, error], emit func(string)) error {
	var all strings.Builder
	for n, err := range notes {
		if err != nil {
			return err
		}
		if n.Text == "stop" {
			return errStop
		}
		all.WriteString(n.Text + "\n")
	}
	emit(all.String())
	return nil
})

// TestForEachKeyCoded sorts coded values beyond memory.
func TestForEachKeyCoded(t *testing.T) {
	notes := someNotes(20000)
	var want strings.Builder
	for _, n := range slices.SortedFunc(slices.Values(notes), func(a, b note) int { return cmp.Compare(a.Text, b.Text) }) {
		want.WriteString(n.Text + "\n")
	}
	f := eachOf(t, inTexts, Memory(500_000), TempDir(t.TempDir()))
	if err := f.ProcessElement(ctx, "", iterate(notes), func(_, got string) {
		if got != want.String() {
			t.Error("not in order")
		}
	}); err != nil {
		t.Error(err)
	}
	err := f.ProcessElement(ctx, "", iterate([]note{{Text: "unspeakable"}}), func(string, string) {})
	if err == nil || !errors.Is(err, errUnspeakable) || !strings.HasPrefix(err.Error(), `beamsort: values by "note by text": `) {
		t.Error(err)
	}
}

// TestForEachKeyFails: an error of the function fails the job, and names order and function.
func TestForEachKeyFails(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	notes := append(someNotes(10), note{Text: "stop"})
	ForEachKey(s, beam.ParDo(s, keyedNote, collection(t, s, notes)), inTexts)
	_, err := beam.Run(context.Background(), "prism", p)
	if err == nil || !strings.Contains(err.Error(), `beamsort: values by "note by text": texts in order: no more`) {
		t.Error(err)
	}
}

func keyedNote(n note) (string, note) { return n.Text[:min(len(n.Text), 1)], n }

func init() { beam.RegisterFunction(keyedNote) }

func TestForEachPanics(t *testing.T) {
	want := []string{
		`beamsort: RegisterForEach("summaries") a second time, the first was at `,
		`beamsort: RegisterForEach("no function"): order or fn is nil`,
		`beamsort: RegisterForEach("no order"): order or fn is nil`,
	}
	for i, text := range earlyForEach {
		if !strings.HasPrefix(text, want[i]) {
			t.Errorf("%q, not %q", text, want[i])
		}
	}
	if !strings.Contains(earlyForEach[0], "foreach_test.go:") {
		t.Errorf("the place is not in %q", earlyForEach[0])
	}
	_, s := beam.NewPipelineWithRoot()
	rows := collection(t, s, someRows(1))
	for want, call := range map[string]func(){
		"ForEachKey of beamsort.row, which are no pairs":           func() { ForEachKey(s, rows, summaries) },
		`"stopping") of keys string, but keys are uint8`:           func() { ForEachKey(s, beam.ParDo(s, keyedRow, rows), stopping) },
		`"note by text" of beamsort.note, but elements are beamso`: func() { ForEachKey(s, beam.ParDo(s, keyedRow, rows), inTexts) },
		`RegisterForEach("late") after beam.Init`: func() {
			RegisterForEach("late", byU64, func(context.Context, int, iter.Seq2[row, error], func(int)) error { return nil })
		},
	} {
		if text := panicOf(call); !strings.Contains(text, want) {
			t.Errorf("%q, not %q", text, want)
		}
	}
	err := (&forEachFn[int, row, int]{Name: "unknown"}).Setup()
	if err == nil || !strings.Contains(err.Error(), `"unknown" is not registered on this worker`) {
		t.Error(err)
	}
	err = (&forEachFn[int, row, int]{Name: "summaries"}).Setup()
	if err == nil || !strings.Contains(err.Error(), `ForEach "summaries" is a *beamsort.ForEach[uint8,`) {
		t.Error(err)
	}
}

var earlyForEach []string

func init() {
	earlyForEach = []string{
		panicOf(func() { RegisterForEach("summaries", byU64, summaries.fn) }),
		panicOf(func() { RegisterForEach[int, row, int]("no function", byU64, nil) }),
		panicOf(func() { RegisterForEach("no order", nil, summaries.fn) }),
	}
}

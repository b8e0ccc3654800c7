package parquetsort

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
	"github.com/parquet-go/parquet-go"
)

// onDisk replaces the disk.
func onDisk(d disk) Option { return func(o *fileOptions) { o.disk = d } }

// faultyDisk fails one call, and knows how many files are open.
type faultyDisk struct {
	osDisk
	calls, fail atomic.Int64
	open        atomic.Int64
	err         error
	called      func() // before each call; nil: nothing
}

func (d *faultyDisk) next() error {
	if d.called != nil {
		d.called()
	}
	if d.calls.Add(1) == d.fail.Load() {
		return d.err
	}
	return nil
}

// opened counts a file.
func (d *faultyDisk) opened(f file, err error) (file, error) {
	if err != nil {
		return nil, err
	}
	d.open.Add(1)
	return &faultyFile{file: f, disk: d}, nil
}

func (d *faultyDisk) Open(path string) (file, int64, error) {
	if err := d.next(); err != nil {
		return nil, 0, err
	}
	f, size, err := d.osDisk.Open(path)
	f, err = d.opened(f, err)
	return f, size, err
}

func (d *faultyDisk) Temp(dir string) (file, error) {
	if err := d.next(); err != nil {
		return nil, err
	}
	return d.opened(d.osDisk.Temp(dir))
}

func (d *faultyDisk) Create(path string, mode os.FileMode) (file, error) {
	if err := d.next(); err != nil {
		return nil, err
	}
	return d.opened(d.osDisk.Create(path, mode))
}

func (d *faultyDisk) Rename(from, to string) error {
	if err := d.next(); err != nil {
		return err
	}
	return d.osDisk.Rename(from, to)
}

type faultyFile struct {
	file
	disk   *faultyDisk
	closed atomic.Bool
}

func (f *faultyFile) ReadAt(p []byte, at int64) (int, error) {
	if err := f.disk.next(); err != nil {
		return 0, err
	}
	return f.file.ReadAt(p, at)
}

func (f *faultyFile) WriteAt(p []byte, at int64) (int, error) {
	if err := f.disk.next(); err != nil {
		n, _ := f.file.WriteAt(p[:len(p)/2], at)
		return n, err
	}
	return f.file.WriteAt(p, at)
}

func (f *faultyFile) Sync() error { return f.disk.next() }

func (f *faultyFile) Close() error {
	err := f.file.Close()
	if f.closed.CompareAndSwap(false, true) {
		f.disk.open.Add(-1)
		if failed := f.disk.next(); err == nil {
			err = failed
		}
	}
	return err
}

// sample is a row of the tests of faults.
type sample struct {
	ID    int64    `parquet:"id"`
	Name  string   `parquet:"name,dict"`
	Note  *string  `parquet:"note,optional"`
	Items []string `parquet:"items,list"`
}

func sampleRows(n int) []sample {
	r := rand.New(rand.NewPCG(5, 6))
	rows := make([]sample, n)
	for i := range rows {
		note := strings.Repeat("n", r.IntN(40))
		rows[i] = sample{r.Int64(), fmt.Sprint("name", r.IntN(9)), &note, []string{fmt.Sprint(r.Int64()), note}}
	}
	return rows
}

func writeSamples(t testing.TB, path string, n int) {
	t.Helper()
	f, err := os.Create(path)
	must(t, err)
	w := parquet.NewGenericWriter[sample](f, parquet.MaxRowsPerRowGroup(500), parquet.Compression(&parquet.Snappy))
	_, err = w.Write(sampleRows(n))
	must(t, err)
	must(t, w.Close())
	must(t, f.Close())
}

var bySampleID = []parquet.SortingColumn{parquet.Ascending("id")}

// TestSortFileFaults fails each call of the disk in turn: the error comes out, the destination is as it was, and no file
// is left or open.
func TestSortFileFaults(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	writeSamples(t, in, 2000)
	before, err := os.ReadFile(in)
	must(t, err)
	for fail := int64(1); ; fail++ {
		if !testkit.Long() && fail > 40 && fail%7 != 0 { // the last calls come all the same
			fail += 6 - (fail-1)%7
		}
		d := &faultyDisk{err: syscall.ENOSPC}
		d.fail.Store(fail)
		err := SortFile(in, []string{in}, bySampleID, onDisk(d), MemoryLimit(100_000), Workers(2))
		if d.open.Load() != 0 {
			t.Fatalf("call %d: %d files are open", fail, d.open.Load())
		}
		checkEmptyBut(t, dir, []string{in})
		if d.calls.Load() < fail {
			must(t, err)
			t.Logf("%d calls", d.calls.Load())
			return
		}
		after, readErr := os.ReadFile(in)
		must(t, readErr)
		if err == nil { // a file that was only read was closed
			must(t, os.WriteFile(in, before, 0o600))
			continue
		}
		if !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "parquetsort: ") {
			t.Fatalf("call %d: %v", fail, err)
		}
		if !slices.Equal(after, before) {
			t.Fatalf("call %d: the destination has changed", fail)
		}
	}
}

// TestSortFileCancelled cancels at each call of the disk in turn. The cause comes out at once.
func TestSortFileCancelled(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	writeSamples(t, in, 2000)
	before, err := os.ReadFile(in)
	must(t, err)
	goroutines := runtime.NumGoroutine()
	cause := errors.New("enough")
	for at := int64(0); ; at += testkit.Pick(int64(11), 1) {
		ctx, cancel := context.WithCancelCause(t.Context())
		var once sync.Once
		d := &faultyDisk{}
		d.called = func() {
			if d.calls.Load() >= at {
				once.Do(func() { cancel(cause) })
			}
		}
		err := SortFile(in, []string{in}, bySampleID, WithContext(ctx), onDisk(d), MemoryLimit(100_000), Workers(3))
		cancel(nil)
		checkEmptyBut(t, dir, []string{in})
		if d.open.Load() != 0 {
			t.Fatalf("call %d: %d files are open", at, d.open.Load())
		}
		if err == nil {
			if at < d.calls.Load()-5 { // closes and a rename
				t.Fatalf("nobody has noticed at call %d of %d", at, d.calls.Load())
			}
			break
		}
		after, readErr := os.ReadFile(in)
		must(t, readErr)
		if !errors.Is(err, cause) || !slices.Equal(after, before) {
			t.Fatalf("call %d: %v, changed %v", at, err, !slices.Equal(after, before))
		}
	}
	if !testkit.Eventually(func() bool { return runtime.NumGoroutine() <= goroutines }) {
		t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
	}
}

// TestSortFilePanic has a panic of the disk reach the caller, or an error, with nothing left.
func TestSortFilePanic(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	writeSamples(t, in, 2000)
	for at := int64(10); at < 200; at += 30 {
		d := &faultyDisk{}
		var once sync.Once
		d.called = func() {
			if d.calls.Load() == at {
				once.Do(func() { panic("a disk") })
			}
		}
		func() {
			var err error
			defer func() { // one while a source is read is an error, as those of package parquet
				if p := recover(); p != "a disk" && err == nil && d.calls.Load() > at {
					t.Fatalf("call %d: panic %v", at, p)
				}
			}()
			err = SortFile(in, []string{in}, bySampleID, onDisk(d), MemoryLimit(100_000), Workers(2))
		}()
		checkEmptyBut(t, dir, []string{in})
	}
}

// TestSortFileDamaged changes bytes of a source in turn. There is an error, or the rows are as without the change,
// where the bytes do not matter; and the destination stays.
func TestSortFileDamaged(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	writeSamples(t, in, 300)
	must(t, SortFile(in, []string{in}, bySampleID)) // now it has checksums
	good, err := os.ReadFile(in)
	must(t, err)
	want, _ := readRows(t, in)
	r := rand.New(rand.NewPCG(7, 8))
	for range testkit.Pick(300, 5000) {
		bad := slices.Clone(good)
		at := r.IntN(len(bad))
		switch r.IntN(3) {
		case 0:
			bad = bad[:at]
		case 1:
			bad[at] ^= 1 << r.IntN(8)
		default:
			for i := range bad[at:min(at+20, len(bad))] {
				bad[at+i] = byte(r.IntN(256))
			}
		}
		must(t, os.WriteFile(in, bad, 0o600))
		if err := SortFile(out, []string{in}, bySampleID, MemoryLimit(1<<20)); err != nil {
			checkEmptyBut(t, dir, []string{in})
			continue
		}
		got, file := readRows(t, out)
		if file.Schema().String() == want0(t, good) {
			if err := sameRows(got, want); err != nil {
				t.Fatalf("byte %d of %d, silently: %v", at, len(good), err)
			}
		}
		must(t, os.Remove(out))
	}
}

// want0 returns the schema of a file in memory.
func want0(t *testing.T, data []byte) string {
	t.Helper()
	f, err := parquet.OpenFile(strings.NewReader(string(data)), int64(len(data)))
	must(t, err)
	return f.Schema().String()
}

// TestSortFileErrors has an error for each call that cannot be, which names what is wrong.
func TestSortFileErrors(t *testing.T) {
	dir := t.TempDir()
	in, other, empty := filepath.Join(dir, "in"), filepath.Join(dir, "other"), filepath.Join(dir, "empty")
	writeSamples(t, in, 10)
	must(t, os.WriteFile(empty, nil, 0o600))
	f, err := os.Create(other)
	must(t, err)
	w := parquet.NewGenericWriter[struct {
		ID    int32    `parquet:"id"`
		Name  string   `parquet:"name"`
		Note  *string  `parquet:"note,optional"`
		Items []string `parquet:"items,list"`
	}](f)
	must(t, w.Close())
	must(t, f.Close())
	one := []string{in}
	for _, c := range []struct {
		dst     string
		sources []string
		columns []parquet.SortingColumn
		opts    []Option
		want    string
	}{
		{"out", nil, bySampleID, nil, "no source"},
		{"", one, bySampleID, nil, "no destination"},
		{"out", []string{"missing"}, bySampleID, nil, "missing"},
		{"out", []string{dir}, bySampleID, nil, "regular file"},
		{"out", []string{empty}, bySampleID, nil, "too short"},
		{"out", []string{in, other}, bySampleID, nil, "other: column id is not as in"},
		{"out", one, []parquet.SortingColumn{parquet.Ascending("nothing")}, nil, in + ": no column nothing to sort by"},
		{".", one, bySampleID, nil, "is a directory"},
		{"out", one, bySampleID, []Option{Encoding(&parquet.DeltaBinaryPacked, "name")}, "column name of type"},
		{"out", one, bySampleID, []Option{Encoding(&parquet.Plain, "nothing")}, "no column nothing for an encoding"},
		{"out", one, bySampleID, []Option{BloomFilters(parquet.SplitBlockFilter(10, "nothing"))}, "no column nothing for a bloom filter"},
		{"out", one, bySampleID, []Option{SplitRows(3)}, "verb for their number"},
		{"out-%d-%d", one, bySampleID, []Option{SplitRows(3)}, "verb for their number"},
		{filepath.Join("no", "directory"), one, bySampleID, nil, "no such file"},
		{"out", one, bySampleID, []Option{MemoryLimit(1)}, sorter.ErrMemoryLimit.Error()},
	} {
		dst := c.dst
		if dst != "" {
			dst = filepath.Join(dir, dst)
		}
		err := SortFile(dst, c.sources, c.columns, c.opts...)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "parquetsort: ") {
			t.Errorf("%q: %v", c.want, err)
		}
		checkEmptyBut(t, dir, []string{in, other, empty})
	}
}

// TestSortFileOptions has a panic for each value that an option cannot have.
func TestSortFileOptions(t *testing.T) {
	var none context.Context
	for name, f := range map[string]func(){
		"Workers":       func() { Workers(-1) },
		"MemoryLimit":   func() { MemoryLimit(0) },
		"RowGroupRows":  func() { RowGroupRows(-1) },
		"RowGroupBytes": func() { RowGroupBytes(0) },
		"SplitRows":     func() { SplitRows(0) },
		"SplitBytes":    func() { SplitBytes(0) },
		"Limit":         func() { Limit(0) },
		"TempDir":       func() { TempDir("") },
		"context":       func() { WithContext(none) },
		"codec":         func() { Compression(nil) },
		"encoding":      func() { Encoding(nil, "a") },
		"bloom filter":  func() { BloomFilters(nil) },
		"statistics":    func() { Report(nil) },
		"option":        func() { SortFile("out", nil, nil, nil) },
		"column":        func() { SortFile("out", nil, []parquet.SortingColumn{nil}) },
	} {
		func() {
			defer func() {
				if p := recover(); p == nil || !strings.HasPrefix(fmt.Sprint(p), "parquetsort: ") {
					t.Errorf("%s: %v", name, p)
				}
			}()
			f()
		}()
	}
}

// TestSortFileSplit splits by rows and by bytes, and reads all files one after the other.
func TestSortFileSplit(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	writeSamples(t, in, 3000)
	want, _ := readRows(t, in)
	slices.SortStableFunc(want, rowOrder(leavesOf(parquet.SchemaOf(sample{}), bySampleID)).Compare)
	for _, c := range []struct {
		opts []Option
		rows func(i, n int) bool
		most int64
	}{
		{[]Option{SplitRows(700)}, func(i, n int) bool { return n == 700 || i == 4 && n == 200 }, 1 << 30},
		{[]Option{SplitRows(1000), RowGroupRows(64)}, func(i, n int) bool { return n == 1000 }, 1 << 30},
		{[]Option{SplitBytes(40_000), RowGroupRows(100)}, func(i, n int) bool { return n%100 == 0 }, 40_000},
		{[]Option{SplitBytes(40_000), SplitRows(450), RowGroupRows(100)}, func(i, n int) bool { return n <= 450 }, 40_000},
	} {
		var stats FileStats
		must(t, SortFile(filepath.Join(dir, "out-%03d.parquet"), []string{in}, bySampleID, append(c.opts, Report(&stats))...))
		var got []parquet.Row
		for i, path := range stats.Files {
			if want := filepath.Join(dir, fmt.Sprintf("out-%03d.parquet", i)); path != want {
				t.Fatalf("%s instead of %s", path, want)
			}
			rows, file := readRows(t, path)
			if !c.rows(i, len(rows)) || file.Size() > c.most {
				t.Fatalf("file %d has %d rows and %d bytes", i, len(rows), file.Size())
			}
			got = append(got, rows...)
			must(t, os.Remove(path))
		}
		must(t, sameRows(got, want))
		checkEmptyBut(t, dir, []string{in})
	}
}

// TestSortFileDestination keeps the permissions of a file and the target of a link.
func TestSortFileDestination(t *testing.T) {
	dir := t.TempDir()
	in, link := filepath.Join(dir, "in"), filepath.Join(dir, "link")
	writeSamples(t, in, 100)
	must(t, os.Chmod(in, 0o640))
	if err := os.Symlink(in, link); err != nil {
		t.Skip(err)
	}
	must(t, SortFile(link, []string{in}, bySampleID))
	info, err := os.Lstat(in)
	must(t, err)
	if info.Mode() != 0o640 {
		t.Errorf("permissions %v", info.Mode())
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
}

// TestSortFileMemory sorts with a limit a tenth of the values, and by more workers than there are columns. The heap stays
// near the limit.
func TestSortFileMemory(t *testing.T) {
	testkit.SkipInstrumented(t)
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	writeSamples(t, in, testkit.Pick(200_000, 1_000_000))
	sortInMemory(t, in, bySampleID, testkit.Pick[int64](12<<20, 60<<20), 2, 2)
	writeNumbered(t, in, 300_000)
	sortInMemory(t, in, []parquet.SortingColumn{parquet.Ascending("n")}, 8<<20, 1.5, 100)
}

type numbered struct {
	N    int64  `parquet:"n"`
	Text string `parquet:"text,delta"`
}

func writeNumbered(t *testing.T, path string, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(15, 16))
	rows := make([]numbered, n)
	for i := range rows {
		rows[i] = numbered{r.Int64(), strconv.Itoa(r.Int()) + "texts of forty bytes"}
	}
	f, err := os.Create(path)
	must(t, err)
	w := parquet.NewGenericWriter[numbered](f)
	_, err = w.Write(rows)
	must(t, err)
	must(t, w.Close())
	must(t, f.Close())
}

func sortInMemory(t *testing.T, in string, by []parquet.SortingColumn, limit int64, times float64, workers int) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	done, peak := make(chan struct{}), make(chan uint64)
	go func() {
		most := uint64(0)
		for {
			select {
			case <-done:
				peak <- most
				return
			case <-time.After(5 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
	}()
	var stats FileStats
	err := SortFile(in+".sorted", []string{in}, by, MemoryLimit(limit), Workers(workers), Report(&stats))
	close(done)
	most := int64(<-peak) - int64(before.HeapAlloc)
	must(t, err)
	t.Logf("%d workers: %d MiB at most, %v", workers, most>>20, &stats)
	if stats.Spilled == 0 {
		t.Error("nothing was spilled")
	}
	if float64(most) > times*float64(limit) { // garbage comes to it, and pages of the source are not counted
		t.Errorf("%d workers: %d bytes with a limit of %d", workers, most, limit)
	}
}

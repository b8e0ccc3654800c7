package extsort_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/spill"
	"example.com/sorter/internal/testkit"
)

// quickDisk is the disk of the system, on which files are not durable: to be so may take a second
// on a busy machine.
type quickDisk struct{ spill.System }

type quickFile struct{ spill.File }

func (d quickDisk) Open(path string, size int64) (spill.File, error) {
	if f, err := os.OpenFile(path, os.O_CREATE, 0o600); err == nil {
		_ = f.Close() // of nothing
	}
	f, err := d.System.Open(path, size)
	if err != nil {
		return nil, err
	}
	return quickFile{f}, nil
}

func (quickDisk) Replace(path string, data []byte) error { return replaceQuick(path, data) }

func (quickFile) Sync() error { return nil }

func replaceQuick(path string, data []byte) error {
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// keepRows begins a sort whose runs are kept, appends rows, and ends it without reading them.
func keepRows(t *testing.T, dir string, rows []row, opts ...extsort.Option) {
	t.Helper()
	s, err := extsort.New(byKey(), append(opts, extsort.Keep(dir))...)
	must(t, err)
	must(t, s.Append(rows...))
	must(t, s.Close())
}

// resumeRows resumes a sort, appends those of rows that it does not have, and expects all in order.
func resumeRows(t *testing.T, dir string, rows []row, opts ...extsort.Option) {
	t.Helper()
	s, err := extsort.Resume(dir, byKey(), opts...)
	must(t, err)
	n := s.Len()
	if n > int64(len(rows)) || s.Durable()[0] != n {
		t.Fatalf("%d elements of %d, durable %d", n, len(rows), s.Durable())
	}
	must(t, s.Append(rows[n:]...))
	sameElements(t, collect(t, s), sorted(rows))
	must(t, s.Close())
	checkDirEmpty(t, dir)
}

func TestResume(t *testing.T) {
	rows := alike(testkit.Pick(30_000, 100_000), rand.New(rand.NewPCG(111, 112)))
	for how, c := range compressions {
		for other, d := range compressions {
			if !testkit.Long() && how == other {
				continue
			}
			t.Run(how+" then "+other, func(t *testing.T) {
				quick := extsort.OnDisk(quickDisk{})
				limit := extsort.MemoryLimit(512 << 10)
				if c == extsort.Zstd || d == extsort.Zstd {
					limit = extsort.MemoryLimit(2 << 20)
				}
				dir := filepath.Join(t.TempDir(), "kept")
				keepRows(t, dir, rows[:len(rows)*2/3], limit, quick, extsort.Compress(c))
				for range 2 { // Close keeps the runs until all were read
					s, err := extsort.Resume(dir, byKey(), limit, quick, extsort.Compress(d))
					must(t, err)
					if s.Len() < int64(len(rows)/6) {
						t.Errorf("%d elements of %d are durable", s.Len(), len(rows)*2/3)
					}
					must(t, s.Append(rows[s.Len():len(rows)*2/3]...))
					for _, err := range s.All() {
						must(t, err)
						break
					}
					must(t, s.Close())
				}
				resumeRows(t, dir, rows, limit, quick, extsort.Compress(d))
			})
		}
	}
}

// TestBegunManifest: what a process has left that was killed while it replaced the manifest goes with
// the other files.
func TestBegunManifest(t *testing.T) {
	rows := rowsOf(keysOf("few", 5000, rand.New(rand.NewPCG(115, 116))))
	dir := t.TempDir()
	s, err := extsort.New(byKey(), extsort.MemoryLimit(256<<10), extsort.Keep(dir))
	must(t, err)
	must(t, s.Append(rows...))
	must(t, s.Sync())
	must(t, s.Close())
	must(t, os.WriteFile(filepath.Join(dir, "manifest.new"), []byte("{"), 0o600))
	resumeRows(t, dir, rows)
}

// TestRetiredManifest: files of a sort that had ended when its process was killed go when the directory is
// used again, in each directory that has some, and nothing is resumed from them.
func TestRetiredManifest(t *testing.T) {
	rows := rowsOf(keysOf("few", 20_000, rand.New(rand.NewPCG(131, 132))))
	dir, second, limit := t.TempDir(), t.TempDir(), extsort.MemoryLimit(256<<10)
	retire := func() {
		t.Helper()
		s, err := extsort.New(byKey(), limit, extsort.Keep(dir))
		must(t, err)
		must(t, s.Append(rows[:10_000]...))
		must(t, s.AddDir(second))
		must(t, s.Append(rows[10_000:]...))
		must(t, s.Close())
		for _, dir := range []string{dir, second} {
			if names, _ := filepath.Glob(filepath.Join(dir, "sorter-*.runs")); len(names) != 1 {
				t.Fatalf("%q in %s", names, dir)
			}
		}
		must(t, os.Rename(filepath.Join(dir, "manifest"), filepath.Join(dir, "manifest.retired")))
	}
	retire()
	must(t, os.WriteFile(filepath.Join(second, "sorter-of-another.runs"), nil, 0o600))
	_, err := extsort.Resume(dir, byKey(), limit)
	checkRefused(t, dir, err, fs.ErrNotExist)
	must(t, os.Remove(filepath.Join(second, "sorter-of-another.runs")))
	checkDirEmpty(t, second)
	retire()
	keepRows(t, dir, rows, limit)
	checkDirEmpty(t, second)
	resumeRows(t, dir, rows, limit) // and leaves nothing
}

// TestRunsFileIsMissing: a manifest names a file that is gone. That is damage, not a directory without runs, where a
// sort may begin.
func TestRunsFileIsMissing(t *testing.T) {
	dir := t.TempDir()
	keepRows(t, dir, rowsOf(keysOf("few", 20_000, rand.New(rand.NewPCG(133, 134)))), extsort.MemoryLimit(256<<10))
	names, err := filepath.Glob(filepath.Join(dir, "sorter-*.runs"))
	must(t, err)
	for _, name := range names {
		must(t, os.Remove(name))
	}
	if _, err := extsort.Resume(dir, byKey()); len(names) == 0 || !errors.Is(err, extsort.ErrCorrupt) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%d files: %v", len(names), err)
	}
}

func TestSyncMakesDurable(t *testing.T) {
	rows := rowsOf(keysOf("few", 5000, rand.New(rand.NewPCG(113, 114))))
	dir := diskDir(t)
	s, err := extsort.New(byKey(), extsort.MemoryLimit(256<<10), extsort.Keep(dir))
	must(t, err)
	for at := 0; at < len(rows); at += 1000 {
		must(t, s.Append(rows[at:at+1000]...))
		must(t, s.Sync())
		must(t, s.Sync())
		if d := s.Durable(); len(d) != 1 || d[0] != int64(at+1000) {
			t.Fatalf("%d elements, durable %v", at+1000, d)
		}
	}
	must(t, s.Close())
	if err := s.Sync(); !errors.Is(err, extsort.ErrEnded) {
		t.Errorf("Sync after Close: %v", err)
	}
	s, err = extsort.Resume(dir, byKey(), extsort.MemoryLimit(256<<10))
	must(t, err)
	if s.Len() != 5000 {
		t.Errorf("%d elements", s.Len())
	}
	parts, err := s.Parts(3)
	must(t, err)
	read, err := readParts(parts)
	must(t, err)
	sameElements(t, append(append(read[0], read[1]...), read[2]...), sorted(rows))
	must(t, s.Close())
	checkDirEmpty(t, dir)
	// Runs shorter than a block.
	s, err = extsort.New(byKey(), extsort.MemoryLimit(64<<20), extsort.Keep(dir))
	must(t, err)
	for i := range 10 {
		must(t, s.Append(rows[i]))
		must(t, s.Sync())
	}
	must(t, s.Close())
	resumeRows(t, dir, rows[:10], extsort.MemoryLimit(64<<20))
	plain := filled(t, rows[:10])
	if plain.Sync() == nil || plain.Durable() != nil {
		t.Error("Sync without Keep")
	}
	must(t, plain.Close())
}

func TestDiscardRemoves(t *testing.T) {
	dir := t.TempDir()
	s, err := extsort.New(byKey(), extsort.MemoryLimit(256<<10), extsort.Keep(dir), extsort.OnDisk(quickDisk{}))
	must(t, err)
	must(t, s.Append(alike(10_000, rand.New(rand.NewPCG(115, 116)))...))
	must(t, s.Discard())
	must(t, s.Discard())
	checkDirEmpty(t, dir)
}

// TestResumeCoded has strings, with a limit and without equal ones.
func TestResumeCoded(t *testing.T) {
	n := testkit.Pick(6000, 20_000)
	lines := wordy(n, rand.New(rand.NewPCG(117, 118)))
	o := sorter.By(sorter.Desc(func(s string) string { return s }))
	for name, opts := range map[string][]extsort.Option{
		"all": nil, "S2": {extsort.Compress(extsort.S2)}, "unique": {extsort.Unique()}, "limit": {extsort.Limit(int64(n * 3 / 5))},
	} {
		t.Run(name, func(t *testing.T) {
			opts := append(opts, extsort.OnDisk(quickDisk{}), extsort.MemoryLimit(testkit.Pick[int64](256<<10, 512<<10)))
			whole, err := extsort.NewCoded(o, extsort.Strings(), append(opts, extsort.TempDir(t.TempDir()))...)
			must(t, err)
			must(t, whole.Append(lines...))
			want := collect(t, whole)
			dir := t.TempDir()
			s, err := extsort.NewCoded(o, extsort.Strings(), append(opts, extsort.Keep(dir))...)
			must(t, err)
			must(t, s.Append(lines[:n*3/4]...))
			must(t, s.Close())
			s, err = extsort.ResumeCoded(dir, o, extsort.Strings(), opts...)
			must(t, err)
			if s.Len() == 0 {
				t.Error("nothing is durable")
			}
			must(t, s.Append(lines[s.Len():]...))
			sameElements(t, collect(t, s), want)
			must(t, s.Close())
			checkDirEmpty(t, dir)
		})
	}
}

// TestResumeWithLongElements goes on with other memory: indices do not have elements that are longer than
// blocks.
func TestResumeWithLongElements(t *testing.T) {
	const memory = 256 << 10
	var lines []string
	for i, e := range wordy(800, rand.New(rand.NewPCG(119, 120))) {
		lines = append(lines, e+strings.Repeat(" ", 4000)+strconv.Itoa(i))
	}
	dir := t.TempDir()
	s, err := extsort.NewCoded(byText(), extsort.Strings(), extsort.MemoryLimit(memory), extsort.Keep(dir), extsort.OnDisk(quickDisk{}))
	must(t, err)
	must(t, s.Append(lines...))
	must(t, s.Sync())
	for _, limit := range []int64{memory / 2, memory * 6 / 10, memory / 3, memory} {
		must(t, s.Close())
		s, err = extsort.ResumeCoded(dir, byText(), extsort.Strings(), extsort.MemoryLimit(limit))
		must(t, err)
		must(t, s.Append(lines[0]))
		lines = append(lines, lines[0])
		must(t, s.Sync())
	}
	slices.Sort(lines)
	sameElements(t, collect(t, s), lines)
	must(t, s.Close())
	checkDirEmpty(t, dir)
}

// TestResumeWithLessMemory has indices of more than a quarter of the memory that is left.
func TestResumeWithLessMemory(t *testing.T) {
	const memory = 16 << 20
	at := func(limit int64) []extsort.Option {
		return []extsort.Option{extsort.MemoryLimit(limit), extsort.OnDisk(quickDisk{})}
	}
	dir := t.TempDir()
	s, err := extsort.NewCoded(byText(), extsort.Strings(), append(at(memory), extsort.Keep(dir))...)
	must(t, err)
	var lines []string
	for i := range 200_000 {
		lines = append(lines, fmt.Sprintf("%020d", i*7919%200_000))
	}
	must(t, s.Append(lines...))
	must(t, s.Sync())
	must(t, s.Close())
	_, err = extsort.ResumeCoded(dir, byText(), extsort.Strings(), at(memory/64)...)
	need := wantMemoryError(t, "with a 64th of the memory", err, memory/64)
	_, err = extsort.ResumeCoded(dir, byText(), extsort.Strings(), at(need-1)...)
	if again := wantMemoryError(t, "one byte less than needed", err, need-1); again != need {
		t.Errorf("%d bytes are needed with a limit of %d, and %d with one byte less", need, memory/64, again)
	}
	s, err = extsort.ResumeCoded(dir, byText(), extsort.Strings(), at(need)...)
	must(t, err)
	must(t, s.Close())
	s, err = extsort.ResumeCoded(dir, byText(), extsort.Strings(), at(memory/8)...)
	must(t, err)
	slices.Sort(lines)
	sameElements(t, collect(t, s), lines)
	must(t, s.Close())
}

// TestDurableOfAppenders expects a number for each appender that was made, before and after they appended, and after a
// resume in the order in which they are made again.
func TestDurableOfAppenders(t *testing.T) {
	dir := t.TempDir()
	s, err := extsort.New(byKey(), extsort.OnDisk(quickDisk{}), extsort.Keep(dir))
	must(t, err)
	expect := func(want ...int64) {
		t.Helper()
		if got := s.Durable(); !slices.Equal(got, want) {
			t.Errorf("%d elements are durable, want %d", got, want)
		}
	}
	expect(0)
	a, b := s.Appender(), s.Appender()
	expect(0, 0, 0)
	must(t, b.Append(make([]row, 3)...))
	expect(0, 0, 0)
	must(t, s.Sync())
	expect(0, 0, 3)
	s.Appender()
	expect(0, 0, 3, 0)
	must(t, a.Append(make([]row, 2)...))
	must(t, s.Sync())
	expect(0, 2, 3, 0)
	must(t, s.Close())

	s, err = extsort.Resume(dir, byKey(), extsort.OnDisk(quickDisk{}))
	must(t, err)
	defer s.Close()
	a = s.Appender()
	must(t, a.Append(make([]row, 5)...))
	must(t, s.Sync())
	if got := s.Durable(); got[1] != 7 || got[2] != 3 {
		t.Errorf("after Resume %d", got)
	}
}

// TestAppendersResume goes on with each appender after its durable elements.
func TestAppendersResume(t *testing.T) {
	const appenders, each = 4, 6000
	r := rand.New(rand.NewPCG(119, 120))
	rows := make([][]row, appenders)
	var want []row
	for a := range rows {
		rows[a] = rowsOf(keysOf("few", each, r))
		for i := range rows[a] {
			rows[a][i].Pad = uint64(a)
		}
		want = append(want, rows[a]...)
	}
	want = sorted(want)
	dir := t.TempDir()
	limit, quick := extsort.MemoryLimit(512<<10), extsort.OnDisk(quickDisk{})
	s, err := extsort.New(byKey(), limit, quick, extsort.Keep(dir))
	must(t, err)
	for first := true; ; {
		durable := s.Durable()
		ways := []func(...row) error{s.Append}
		for range appenders - 1 {
			ways = append(ways, s.Appender().Append)
		}
		end := each
		if first {
			end, first = each*2/3, false
		}
		var all sync.WaitGroup
		for a := range ways {
			from := 0
			if a < len(durable) {
				from = int(durable[a])
			}
			all.Go(func() {
				for i := from; i < end; i += 100 {
					must(t, ways[a](rows[a][i:min(i+100, end)]...))
				}
			})
		}
		all.Wait()
		if end == each {
			break
		}
		must(t, s.Close())
		s, err = extsort.Resume(dir, byKey(), limit, quick)
		must(t, err)
		sum := int64(0)
		for _, n := range s.Durable() {
			sum += n
		}
		if sum == 0 || s.Len() != sum {
			t.Fatalf("%d elements, durable %v", s.Len(), s.Durable())
		}
	}
	sameElements(t, collect(t, s), want)
	must(t, s.Close())
	checkDirEmpty(t, dir)
}

// checkRefused expects a KeepError for a reason.
func checkRefused(t *testing.T, dir string, err, reason error) {
	t.Helper()
	var failed *extsort.KeepError
	if !errors.As(err, &failed) || failed.Dir != dir || !errors.Is(err, reason) || failed.Error() == "" {
		t.Errorf("error is %v, want %v", err, reason)
	}
}

func TestResumeRefuses(t *testing.T) {
	rows := alike(20_000, rand.New(rand.NewPCG(121, 122)))
	dir, empty := t.TempDir(), t.TempDir()
	limit := extsort.MemoryLimit(512 << 10)
	keepRows(t, dir, rows, limit, extsort.OnDisk(quickDisk{}))
	type other struct{ Key, At, Pad int64 }
	key := func(r row) uint64 { return r.Key }
	never := func(row) bool { return false }
	for name, resume := range map[string]func() error{
		"type": func() error {
			_, err := extsort.Resume(dir, sorter.By(sorter.Asc(func(r other) int64 { return r.Key })), limit)
			return err
		},
		"direction": func() error { _, err := extsort.Resume(dir, sorter.By(sorter.Desc(key)), limit); return err },
		"columns": func() error {
			_, err := extsort.Resume(dir, sorter.By(sorter.Asc(key), sorter.Asc(key)), limit)
			return err
		},
		"kind": func() error {
			_, err := extsort.Resume(dir, sorter.By(sorter.Asc(func(r row) uint32 { return uint32(r.Key) })), limit)
			return err
		},
		"nulls": func() error {
			_, err := extsort.Resume(dir, sorter.By(sorter.Asc(key).NullsFirst(never)), limit)
			return err
		},
		"key": func() error {
			_, err := extsort.Resume(dir, sorter.By(sorter.Asc(func(r row) uint64 { return r.At })), limit)
			return err
		},
		"unique": func() error { _, err := extsort.Resume(dir, byKey(), limit, extsort.Unique()); return err },
		"limit":  func() error { _, err := extsort.Resume(dir, byKey(), limit, extsort.Limit(7)); return err },
		"codec": func() error {
			_, err := extsort.ResumeCoded(dir, byHead[string](), extsort.Strings(), limit)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			checkSame(t, func() { checkRefused(t, dir, resume(), extsort.ErrMismatch) })
		})
	}
	_, err := extsort.New(byKey(), limit, extsort.Keep(dir))
	checkRefused(t, dir, err, fs.ErrExist)
	_, err = extsort.Resume(empty, byKey(), limit)
	checkRefused(t, empty, err, fs.ErrNotExist)
	_, err = extsort.Resume(filepath.Join(empty, "missing"), byKey(), limit)
	checkRefused(t, filepath.Join(empty, "missing"), err, fs.ErrNotExist)
	if _, err = extsort.Resume(dir, byKey(), extsort.MemoryLimit(100)); !errors.Is(err, extsort.ErrMemoryLimit) {
		t.Errorf("limit of 100 bytes: %v", err)
	}
	s, err := extsort.Resume(dir, byKey(), limit)
	must(t, err)
	for range 2 {
		_, err = extsort.Resume(dir, byKey(), limit)
		checkRefused(t, dir, err, extsort.ErrInUse)
		_, err = extsort.New(byKey(), limit, extsort.Keep(dir))
		checkRefused(t, dir, err, extsort.ErrInUse)
	}
	must(t, s.Close())
	text, err := os.ReadFile(filepath.Join(dir, "manifest"))
	must(t, err)
	must(t, os.Truncate(filepath.Join(dir, "manifest"), int64(len(text)/2)))
	_, err = extsort.Resume(dir, byKey(), limit)
	checkRefused(t, dir, err, extsort.ErrCorrupt)
	must(t, os.WriteFile(filepath.Join(dir, "manifest"), text, 0o600))
	resumeRows(t, dir, rows, limit, extsort.OnDisk(quickDisk{}))
}

// copyDamaged copies a directory, and changes a bit of a file.
func copyDamaged(t *testing.T, dir, file string, at int64, bit int) string {
	t.Helper()
	to := t.TempDir()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		must(t, err)
		if e.Name() == file {
			text[at] ^= 1 << bit
		}
		must(t, os.WriteFile(filepath.Join(to, e.Name()), text, 0o600))
	}
	return to
}

// TestKeptDamage flips bits in the manifest and the file of runs: Resume refuses, or the bit was in
// the padding of a run. The directory may be moved.
func TestKeptDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(123, 124))
	rows := alike(8000, r)
	for how, c := range map[string]extsort.Compression{"raw": extsort.None, "S2": extsort.S2} {
		t.Run(how, func(t *testing.T) {
			dir := t.TempDir()
			opts := []extsort.Option{extsort.MemoryLimit(320 << 10), extsort.Compress(c), extsort.OnDisk(quickDisk{})}
			keepRows(t, dir, rows, opts...)
			entries, err := os.ReadDir(dir)
			must(t, err)
			for _, e := range entries {
				info, err := e.Info()
				must(t, err)
				found, tried := 0, 0
				for ; tried < testkit.Pick(5, 200) && info.Size() > 0; tried++ {
					to := copyDamaged(t, dir, e.Name(), r.Int64N(info.Size()), r.IntN(8))
					s, err := extsort.Resume(to, byKey(), opts...)
					if err != nil {
						found++
						checkRefused(t, to, err, extsort.ErrCorrupt)
						continue
					}
					must(t, s.Append(rows[s.Len():]...))
					sameElements(t, collect(t, s), sorted(rows))
					must(t, s.Close())
				}
				if found < tried/4 || e.Name() == "manifest" && found < tried {
					t.Errorf("%d of %d bits of %s are found", found, tried, e.Name())
				}
			}
		})
	}
}

// TestKeptRunsInSeveralDirectories goes on in another directory when the disk is full.
func TestKeptRunsInSeveralDirectories(t *testing.T) {
	rows := alike(30_000, rand.New(rand.NewPCG(125, 126)))
	dir, second := t.TempDir(), t.TempDir()
	limit, quick := extsort.MemoryLimit(512<<10), extsort.OnDisk(quickDisk{})
	s, err := extsort.New(byKey(), limit, quick, extsort.Keep(dir))
	must(t, err)
	must(t, s.Append(rows[:15_000]...))
	must(t, s.AddDir(second))
	must(t, s.Append(rows[15_000:]...))
	must(t, s.Close())
	if names, _ := filepath.Glob(filepath.Join(second, "sorter-*.runs")); len(names) != 1 {
		t.Errorf("%q in the second directory", names)
	}
	resumeRows(t, dir, rows, limit, quick)
	checkDirEmpty(t, second)
}

// lossyDisk is quickDisk. When it loses its power, all that was written since the last Sync is
// something else.
type lossyDisk struct {
	quickDisk
	mu    sync.Mutex
	files []*lossyFile
}

type lossyFile struct {
	spill.File
	d    *lossyDisk
	lost [][2]int64 // places and ends of elements that are not durable
}

func (d *lossyDisk) Open(path string, size int64) (spill.File, error) {
	f, err := d.quickDisk.Open(path, size)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files = append(d.files, &lossyFile{File: f, d: d})
	return d.files[len(d.files)-1], err
}

func (f *lossyFile) WriteAt(p []byte, off int64) (int, error) {
	f.d.mu.Lock()
	f.lost = append(f.lost, [2]int64{off, off + int64(len(p))})
	f.d.mu.Unlock()
	return f.File.WriteAt(p, off)
}

func (f *lossyFile) Sync() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	f.lost = nil
	return nil
}

// cut takes the power away: later writes change nothing.
func (d *lossyDisk) cut(t *testing.T) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.files {
		for _, r := range f.lost {
			noise := spill.Aligned(make([]byte, r[1]-r[0]+spill.Align))[:r[1]-r[0]]
			_, err := f.File.WriteAt(noise, r[0])
			must(t, err)
		}
	}
}

// TestPowerIsLost takes the power away after any element. The elements that were durable are there.
func TestPowerIsLost(t *testing.T) {
	r := rand.New(rand.NewPCG(129, 130))
	rows := alike(6000, r)
	for range testkit.Pick(10, 200) {
		d, dir := &lossyDisk{}, t.TempDir()
		s, err := extsort.New(byKey(), extsort.MemoryLimit(256<<10), extsort.Keep(dir), extsort.OnDisk(d))
		must(t, err)
		for i := range r.IntN(len(rows)) {
			must(t, s.Append(rows[i]))
		}
		durable := int64(0)
		for _, n := range s.Durable() {
			durable += n
		}
		to := t.TempDir()
		d.cut(t) // a run may be written meanwhile, of which no element is durable
		must(t, os.CopyFS(filepath.Join(to, "kept"), os.DirFS(dir)))
		must(t, s.Discard())
		s, err = extsort.Resume(filepath.Join(to, "kept"), byKey(), extsort.MemoryLimit(256<<10), extsort.OnDisk(quickDisk{}))
		must(t, err)
		if s.Len() < durable {
			t.Errorf("%d elements, %d were durable", s.Len(), durable)
		}
		must(t, s.Append(rows[s.Len():]...))
		sameElements(t, collect(t, s), sorted(rows))
		must(t, s.Close())
	}
}

// TestEveryCallFailsOnceKept is TestEveryCallFailsOnce of runs that are kept. After an error of
// writing the sort goes on, or it is resumed.
func TestEveryCallFailsOnceKept(t *testing.T) {
	rows := alike(testkit.Pick(3000, 6000), rand.New(rand.NewPCG(127, 128)))
	want := sorted(rows)
	met := map[string]int{}
	step := testkit.Pick(7, 1)
	for n := 1; ; n += step {
		d := &faultDisk{fail: n}
		dir := t.TempDir()
		opts := []extsort.Option{extsort.MemoryLimit(256 << 10), extsort.OnDisk(d)}
		s, err := extsort.New(byKey(), append(opts, extsort.Keep(dir))...)
		if err != nil {
			if !errors.Is(err, errInjected) {
				t.Fatal(err)
			}
			s, err = extsort.New(byKey(), append(opts, extsort.Keep(dir))...)
			must(t, err)
		}
		for s.Len() < int64(len(rows)) {
			at := s.Len()
			if err := s.Append(rows[at:min(at+97, int64(len(rows)))]...); err != nil {
				checkDiskError(t, err, d.failedOp(), dir)
				if n%2 == 0 {
					must(t, s.Retry())
					continue
				}
				must(t, s.Close())
				s, err = extsort.Resume(dir, byKey(), opts...)
				must(t, err)
			}
		}
		got, err := drain(s)
		if err != nil {
			checkDiskError(t, err, d.failedOp(), dir)
			checkPrefix(t, got, want)
			must(t, s.Close())
			s, err = extsort.Resume(dir, byKey(), opts...)
			must(t, err)
			must(t, s.Append(rows[s.Len():]...))
			got, err = drain(s)
			must(t, err)
		}
		sameElements(t, got, want)
		err = s.Close()
		if op := d.failedOp(); op == "punch" || op == "close" {
			checkDiskError(t, err, op, dir)
		} else {
			must(t, err)
		}
		d.checkEmpty(t)
		checkDirEmpty(t, dir)
		if d.failed == "" {
			break
		}
		met[d.failed]++
		if t.Failed() {
			t.Fatalf("call %d, %s", n, d.failed)
		}
	}
	for _, op := range strings.Fields("create reserve write sync manifest read close") {
		if met[op] == 0 && step == 1 {
			t.Errorf("no failure of %s: %v", op, met)
		}
	}
}

// TestSyncOfDroppedElements: after Sync all elements are durable, also those that Limit has dropped
// since the last run.
func TestSyncOfDroppedElements(t *testing.T) {
	rows := rowsOf(keysOf("sorted", 2000, rand.New(rand.NewPCG(141, 142))))
	for _, appenders := range []int{0, 2} {
		dir, opts := t.TempDir(), []extsort.Option{extsort.MemoryLimit(64 << 10), extsort.Limit(10)}
		s, err := extsort.New(byKey(), append(opts, extsort.Keep(dir))...)
		must(t, err)
		all := []func(...row) error{s.Append}
		for range appenders {
			all = append(all, s.Appender().Append)
		}
		for round := range int64(2) { // all of the second are dropped at once
			for _, add := range all {
				must(t, add(rows[1000*round:][:1000]...))
			}
			must(t, s.Sync())
			for i, n := range s.Durable() {
				if n != 1000*(round+1) {
					t.Errorf("%d elements of appender %d are durable", n, i)
				}
			}
		}
		n := s.Len()
		must(t, s.Close())
		s, err = extsort.Resume(dir, byKey(), opts...)
		must(t, err)
		if s.Len() != n {
			t.Errorf("%d elements of %d after Resume", s.Len(), n)
		}
		must(t, s.Discard())
	}
}

// TestAddDirAgain: a directory that is added again, by whatever name, keeps the runs that are in it.
func TestAddDirAgain(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 6000, rand.New(rand.NewPCG(161, 162))))
	dir, second, link := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(second, link))
	var st extsort.Stats
	opts := []extsort.Option{extsort.MemoryLimit(256 << 10), extsort.OnDisk(quickDisk{}), extsort.Report(&st)}
	s, err := extsort.New(byKey(), append(opts, extsort.Keep(dir))...)
	must(t, err)
	for i, added := range []string{second, second, link, dir, second} {
		must(t, s.AddDir(added))
		must(t, s.Append(rows[1000*i:1000*(i+1)]...))
		must(t, s.Sync())
	}
	must(t, s.Close())
	if len(st.Dirs) != 2 {
		t.Errorf("%q", st.Dirs)
	}
	resumeRows(t, dir, rows, opts...)
	checkDirEmpty(t, second)
}

// TestAddDirWithoutManifest: a directory that could not be noted in the manifest gets no file.
func TestAddDirWithoutManifest(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 1000, rand.New(rand.NewPCG(165, 166))))
	dir, second, d := t.TempDir(), t.TempDir(), &faultDisk{}
	s, err := extsort.New(byKey(), extsort.MemoryLimit(256<<10), extsort.OnDisk(d), extsort.Keep(dir))
	must(t, err)
	defer s.Discard()
	must(t, s.Append(rows...))
	d.fail = d.calls + 3
	checkDiskError(t, s.Sync(), "write", dir)
	d.fail, d.failed, d.sticky = d.calls+1, "", true
	checkDiskError(t, s.AddDir(second), "manifest", dir)
	checkDiskError(t, s.Retry(), "manifest", dir)
	checkDirEmpty(t, second)
	d.mend()
	must(t, s.Retry())
	sameElements(t, collect(t, s), sorted(rows))
}

// TestAddedDirWithoutRuns: a file that was begun in an added directory, but has no run, goes with the
// others, also of a sort that was resumed.
func TestAddedDirWithoutRuns(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 2000, rand.New(rand.NewPCG(163, 164))))
	dir, second, d := t.TempDir(), t.TempDir(), &faultDisk{}
	opts := []extsort.Option{extsort.MemoryLimit(256 << 10), extsort.OnDisk(d)}
	s, err := extsort.New(byKey(), append(opts, extsort.Keep(dir))...)
	must(t, err)
	must(t, s.AddDir(second))
	must(t, s.Append(rows[:1000]...))
	d.fail = d.calls + 3
	checkDiskError(t, s.Sync(), "write", second)
	must(t, s.Retry())
	must(t, s.Close())
	if files, _ := os.ReadDir(second); len(files) != 1 {
		t.Fatalf("files of %s: %v", second, files)
	}
	resumeRows(t, dir, rows, opts...)
	checkDirEmpty(t, second)
}

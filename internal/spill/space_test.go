package spill

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// disks has a file in memory for each directory.
type disks map[string]*memory

func (d disks) Create(dir string) (File, error)     { return d[filepath.Base(dir)].Create(dir) }
func (d disks) Open(string, int64) (File, error)    { return nil, errInjected }
func (d disks) Replace(path string, _ []byte) error { return nil }
func (d disks) Room(dir string) int64               { return d[filepath.Base(dir)].room }

// zeros writes a run of n bytes in blocks of one size.
func zeros(s *Store, n, block int) (*Run, error) {
	w, err := s.NewWriter(int64(n), block, 1, Aligned(make([]byte, 3*Align)))
	if err != nil {
		return nil, err
	}
	if err := w.Append(make([]byte, n)); err != nil {
		return nil, err
	}
	return w.Close()
}

// TestLimit expects that the bytes of pages that are in use reach the limit, and do not pass it.
func TestLimit(t *testing.T) {
	s := NewStore(newMemory(), []string{"."}, 5*Align, Packing{}, "")
	var runs []*Run
	for i, c := range []struct {
		n    int
		want *LimitError
		peak int64
	}{
		{5*Align + 1, &LimitError{5 * Align, 0, 6 * Align}, 0},
		{Align + 1, nil, 2 * Align},
		{2 * Align, nil, 4 * Align},
		{Align + 1, &LimitError{5 * Align, 4 * Align, 2 * Align}, 4 * Align},
		{1, nil, 5 * Align},
		{1, &LimitError{5 * Align, 5 * Align, Align}, 5 * Align},
	} {
		run, err := zeros(s, c.n, 1000)
		var at *LimitError
		if errors.As(err, &at) != (c.want != nil) || at != nil && *at != *c.want || (err == nil) != (c.want == nil) || s.Peak() != c.peak {
			t.Errorf("%d: peak %d, %v", i, s.Peak(), err)
		}
		if err == nil {
			runs = append(runs, run)
		}
	}
	runs[1].Free(runs[1].Blocks())
	if run, err := zeros(s, 2*Align, 1000); err != nil || run.off != 5*Align || s.used != 5*Align || s.Peak() != 5*Align {
		t.Errorf("%d in use, peak %d: %v", s.used, s.Peak(), err)
	}
}

// TestUnusedEnd expects that the next run begins after a shorter one, in whole pages.
func TestUnusedEnd(t *testing.T) {
	m := newMemory()
	s := NewStore(m, []string{"."}, 0, Packing{}, "")
	for i, c := range []struct{ announced, n, off, end int64 }{{10 * Align, Align + 1, 0, 2 * Align}, {Align, Align, 2 * Align, 3 * Align}, {3 * Align, 1, 3 * Align, 4 * Align}} {
		w, err := s.NewWriter(c.announced, 0, 1, Aligned(make([]byte, 2*Align)))
		if err != nil || w.AppendBlock(make([]byte, c.n)) != nil {
			t.Fatal(err)
		}
		w.Shorten()
		r, err := w.Close()
		if err != nil || r.off != c.off || r.volume.end != c.end || s.used != c.end || r.space != c.end-c.off {
			t.Errorf("%d: at %d, ends at %d, %d in use: %v", i, r.off, r.volume.end, s.used, err)
		}
	}
	if want := [][2]int64{{2 * Align, 8 * Align}, {4 * Align, 2 * Align}}; !slices.Equal(m.holes, want) {
		t.Errorf("holes %v, want %v", m.holes, want)
	}
	// A run that ends before another is begun after: its unused end is given back, and not written again.
	a, _ := s.NewWriter(4*Align, 0, 1, Aligned(make([]byte, 2*Align)))
	b, _ := s.NewWriter(Align, 0, 1, Aligned(make([]byte, 2*Align)))
	for _, w := range []*Writer{a, b} {
		if err := w.AppendBlock(make([]byte, Align)); err != nil {
			t.Fatal(err)
		}
		w.Shorten()
		if _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if v := b.run.volume; v.end != 9*Align || s.used != 6*Align {
		t.Errorf("ends at %d, %d in use", v.end, s.used)
	}
}

// TestExtend writes more than there is space for at once, and expects the space that is reserved meanwhile.
func TestExtend(t *testing.T) {
	const k = 1 << 10
	p := Packing{AlwaysS2, false, 1, 16 * k, 16 * k, 0}
	text := packable(1<<20, 0, rand.New(rand.NewPCG(51, 52))) // is not shorter when it is compressed
	for _, c := range []struct {
		limit int64
		want  []int64 // each time
		fails bool
	}{
		{0, []int64{1 << 20, 64 * k, 64 * k, 64 * k, 64 * k, 64 * k, 80 * k, 100 * k, 128 * k, 160 * k, 200 * k, 248 * k}, false},
		{1<<20 - 4*k, []int64{64 * k, 64 * k, 64 * k, 64 * k, 64 * k, 80 * k, 100 * k, 128 * k, 160 * k, 200 * k, 8 * k, 8 * k, 8 * k}, true},
		{40 * k, nil, true},
	} {
		m := newMemory()
		m.fail = func(op string, _, n int64) error {
			if op == "reserve" && n == 1<<20 {
				return errInjected
			}
			return nil
		}
		s := NewStore(m, []string{"."}, c.limit, p, "")
		run, err := func() (*Run, error) {
			w, err := s.NewWriter(1<<20, 4*k, 1, Aligned(make([]byte, 3*Align)))
			if err != nil {
				return nil, err
			}
			if err := w.Append(text); err != nil {
				return nil, err
			}
			return w.Close()
		}()
		var got []int64
		end := int64(0)
		for _, r := range m.reserved {
			if got = append(got, r[1]); r[0] != end {
				t.Errorf("%d bytes at %d, want at %d", r[1], r[0], end)
			}
			if r[1] < 1<<20 {
				end += r[1]
			}
		}
		var at *LimitError
		if !slices.Equal(got, c.want) && !(c.fails && len(got) > 9) || errors.As(err, &at) != c.fails {
			t.Errorf("limit %d: %v, want %v: %v", c.limit, got, c.want, err)
		}
		if c.fails && c.want != nil && c.limit-s.used >= 2*Align {
			t.Errorf("limit %d: %d in use, although there was space", c.limit, s.used)
		}
		if err == nil && (run.space != 1<<20 || s.used != 1<<20 || run.volume.end != 1<<20 || s.Peak() != end) {
			t.Errorf("%d of space, %d in use, peak %d of %d", run.space, s.used, s.Peak(), end)
		}
	}
	var at *LimitError
	w, err := NewStore(newMemory(), []string{"."}, 1<<20-Align, Packing{}, "").NewWriter(1<<20, 4*k, 1, Aligned(make([]byte, 3*Align)))
	if w != nil || !errors.As(err, &at) || at.More != 1<<20 {
		t.Errorf("a run that is not compressed and has no space: %v", err)
	}
	// 64 KiB are not tried twice.
	m := newMemory()
	m.fail = func(string, int64, int64) error { return errInjected }
	for _, n := range []int64{leastSpace - Align, leastSpace, leastSpace + 1} {
		m.reserved = nil
		m.fail = func(op string, _, _ int64) error {
			if op == "reserve" {
				return errInjected
			}
			return nil
		}
		_, err := NewStore(m, []string{"."}, 0, p, "").NewWriter(n, 4*k, 1, Aligned(make([]byte, 3*Align)))
		var at *Error
		if tries := len(m.reserved); !errors.As(err, &at) || at.Bytes != roundUp(n) || (tries == 2) != (n > leastSpace) {
			t.Errorf("%d bytes: %d tries: %v", n, tries, err)
		}
	}
}

// TestDirectories expects runs in turn in all directories, and in the others where one has no space.
func TestDirectories(t *testing.T) {
	d := disks{"a": newMemory(), "b": newMemory(), "c": newMemory()}
	s := NewStore(d, []string{"a", "b"}, 0, Packing{}, "")
	next := func() string {
		t.Helper()
		run, err := zeros(s, 10, 10)
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Base(run.Dir())
	}
	full := map[string]bool{}
	for name, m := range d {
		m.fail = func(op string, _, _ int64) error {
			if op == "reserve" && full[name] {
				return errInjected
			}
			return nil
		}
	}
	order := func(want string) {
		t.Helper()
		got := ""
		for range want {
			got += next()
		}
		if got != want {
			t.Errorf("directories %s, want %s", got, want)
		}
	}
	whole, err := filepath.Abs("b")
	if dir, added := s.Add("b"); err != nil || dir != whole || added {
		t.Errorf("%s, added %v: %v", dir, added, err)
	}
	order("bab")
	if dir, added := s.Add("c"); filepath.Base(dir) != "c" || !filepath.IsAbs(dir) || !added {
		t.Error(dir, added)
	}
	order("cabcab")
	if _, added := s.Add("a"); added {
		t.Error("added twice")
	}
	order("ab")
	full["c"] = true
	order("abab")
	full["a"], full["b"] = true, true
	used := s.used
	var at *Error
	if _, err := zeros(s, 10, 10); !errors.As(err, &at) || at.Op != "reserve" || filepath.Base(at.Dir) != "c" || at.Bytes != Align || s.used != used {
		t.Errorf("all are full: %v", err)
	}
	full["c"] = false
	order("cc")
	// A directory by two names is one.
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "x"), filepath.Join(dir, "y")); err != nil {
		t.Skip(err)
	}
	s = NewStore(System{}, []string{dir, filepath.Join(dir, "x")}, 0, Packing{}, "")
	if got, added := s.Add(filepath.Join(dir, "y")); added || got != filepath.Join(dir, "x") {
		t.Error(got, added)
	}
}

// TestClosed closes a store twice: each file is closed once, and all errors are reported.
func TestClosed(t *testing.T) {
	d := disks{"a": newMemory(), "b": newMemory(), "c": newMemory()}
	s := NewStore(d, []string{"a", "b", "c"}, 0, Packing{}, "")
	for range 2 {
		if _, err := zeros(s, 10, 10); err != nil {
			t.Fatal(err)
		}
	}
	errs := []error{errors.New("a"), errors.New("b")}
	for i, m := range []*memory{d["c"], d["a"]} {
		m.fail = func(string, int64, int64) error { return errs[i] }
	}
	if err := s.Close(); !errors.Is(err, errs[0]) || !errors.Is(err, errs[1]) {
		t.Error(err)
	}
	if err := s.Close(); err != nil || d["a"].closed != 1 || d["b"].closed != 0 || d["c"].closed != 1 {
		t.Error(err)
	}
}

// TestFree frees the front of a run step by step, and expects the holes: an eighth of the run, or a megabyte, at a
// time, once there is little room.
func TestFree(t *testing.T) {
	const mb, block = 1 << 20, 1 << 16
	type step struct {
		block int
		room  int64 // 0: unknown
		want  [][2]int64
	}
	little := int64(2*16*mb - 2)
	for i, c := range []struct {
		size  int
		limit int64
		steps []step
	}{
		{16 * mb, 0, []step{{0, little, nil}, {31, little, nil}, {32, little, [][2]int64{{0, 2 * mb}}}, {32, little, nil}, {63, 0, nil}, {70, 0, [][2]int64{{2 * mb, 70*block - 2*mb}}}, {60, 0, nil}, {255, 0, [][2]int64{{70 * block, 185 * block}}}, {256, 0, [][2]int64{{255 * block, block}}}, {256, 0, nil}}},
		{4 * mb, 0, []step{{15, 0, nil}, {16, 0, [][2]int64{{0, mb}}}, {31, 0, nil}, {64, 0, [][2]int64{{mb, 3 * mb}}}, {65, 0, nil}}},
		{16 * mb, 0, []step{{40, 2 * 16 * mb, nil}, {71, little, nil}, {72, little, [][2]int64{{0, 72 * block}}}, {200, 1 << 40, nil}, {256, 1 << 40, [][2]int64{{72 * block, 184 * block}}}}},
		{16 * mb, 16 * mb, []step{{40, 1 << 40, [][2]int64{{0, 40 * block}}}}},
		{16*mb - 3, 0, []step{{256, 0, [][2]int64{{0, 16 * mb}}}}},
	} {
		m := newMemory()
		s := NewStore(m, []string{"."}, c.limit, Packing{}, "")
		run, err := zeros(s, c.size, block)
		if err != nil {
			t.Fatal(err)
		}
		for k, step := range c.steps {
			m.holes, m.room = nil, step.room
			run.Free(step.block)
			if !reflect.DeepEqual(m.holes, step.want) || s.used != int64(len(m.space))*Align {
				t.Errorf("%d: %d: holes %v, want %v; %d in use", i, k, m.holes, step.want, s.used)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	// Blocks that end within a page: it stays.
	m := newMemory()
	s := NewStore(m, []string{"."}, 0, Packing{}, "")
	run, err := zeros(s, 12*mb, 1000)
	if err != nil {
		t.Fatal(err)
	}
	run.Free(2000)
	if want := [][2]int64{{0, 2_000_000 / Align * Align}}; !slices.Equal(m.holes, want) {
		t.Errorf("holes %v, want %v", m.holes, want)
	}
	// A hole that cannot be punched counts, and the first error is that of Close.
	failures := []error{errors.New("first"), errors.New("second")}
	m.fail = func(op string, _, _ int64) error {
		if op != "punch" {
			return nil
		}
		err := failures[0]
		failures = failures[1:]
		return err
	}
	first, used := failures[0], s.used
	run.Free(5000)
	run.Free(run.Blocks())
	var at *Error
	if err := s.Close(); !errors.Is(err, first) || !errors.As(err, &at) || at.Bytes != 5_000_000/Align*Align-2_000_000/Align*Align || s.used != used {
		t.Errorf("%d in use, before %d: %v", s.used, used, err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("reported twice: %v", err)
	}
}

package spill

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// contents returns the names of the files of a folder, and their sizes.
func contents(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{}
	for _, e := range all {
		st, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		sizes[e.Name()] = st.Size()
	}
	return sizes
}

// TestOpen opens files that keep their names.
func TestOpen(t *testing.T) {
	for i, c := range []struct{ there, size, want int64 }{ // there: -1 for no file; want: of the file, -1 for none
		{-1, 0, 0}, {-1, 1, -1}, {0, 0, 0}, {10, 10, 10}, {10, 4, 4}, {10, 0, 0}, {10, 11, 10}, {0, 1, 0},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "runs")
		if c.there >= 0 {
			if err := os.WriteFile(path, make([]byte, c.there), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f, err := System{}.Open(path, c.size)
		want := error(nil)
		if c.there < 0 && c.size > 0 {
			want = os.ErrNotExist
		} else if c.there >= 0 && c.there < c.size {
			want = io.ErrUnexpectedEOF
		}
		if !errors.Is(err, want) || (f == nil) != (err != nil) {
			t.Errorf("%d: %v, want %v", i, err, want)
		}
		if got, ok := contents(t, dir)["runs"]; ok != (c.want >= 0) || ok && got != c.want {
			t.Errorf("%d: %d bytes, want %d", i, got, c.want)
		}
		if err == nil {
			if err := errors.Join(f.Sync(), f.Close()); err != nil {
				t.Error(err)
			}
		}
	}
	dir := t.TempDir()
	closed, err := os.Create(filepath.Join(dir, "closed"))
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil || cut(closed, 0) == nil {
		t.Error("a closed file is cut", err)
	}
	if err := os.WriteFile(closed.Name(), make([]byte, 10), 0o600); err != nil {
		t.Fatal(err)
	}
	readOnly, err := os.Open(closed.Name())
	if err != nil || cut(readOnly, 10) != nil || cut(readOnly, 4) == nil || readOnly.Close() != nil {
		t.Error("a file that is only read is cut", err)
	}
	if f, err := (System{}).Open(dir, 0); err == nil || f != nil {
		t.Error("a folder is opened")
	}
	if f, err := (System{}).Open(filepath.Join(dir, "none", "runs"), 0); !errors.Is(err, os.ErrNotExist) || f != nil {
		t.Errorf("in a folder that is not there: %v", err)
	}
}

// TestKeptFiles keeps runs in files of two directories, restores them with their ends cut, writes another after them,
// and removes the files.
func TestKeptFiles(t *testing.T) {
	dirs := []string{t.TempDir(), t.TempDir()}
	s := NewStore(System{}, dirs, 0, Packing{}, "runs")
	var saved []Saved
	for i, n := range []int{10_000, 20_000, 30_000} {
		run, err := zeros(s, n, 1000)
		if err != nil {
			t.Fatal(err)
		}
		k := run.Saved()
		if k.Dir != dirs[(i+1)%2] || k.Size != int64(n) || k.Stored != int64(n) || k.Block != 1000 || !k.Same || k.Number != 1 || k.Index != int64(n/1000*11) {
			t.Errorf("%+v", k)
		}
		saved = append(saved, k)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	saved = []Saved{saved[1], saved[0]} // the last is not complete
	again := NewStore(System{}, dirs[1:], 0, Packing{}, "runs")
	runs, err := again.Restore(saved)
	if err != nil || len(again.volumes) != 2 || len(runs) != 2 {
		t.Fatal(err)
	}
	used := saved[0].Space + saved[1].Space
	if again.used != used || again.Peak() != used || contents(t, dirs[1])["runs"] != saved[1].Space || contents(t, dirs[0])["runs"] != saved[0].Space {
		t.Errorf("%d in use, want %d; files %v, %v", again.used, used, contents(t, dirs[0]), contents(t, dirs[1]))
	}
	more, err := zeros(again, 5000, 5000)
	if err != nil || more.off != saved[1].Space || more.Dir() != dirs[1] {
		t.Errorf("at byte %d of %s: %v", more.off, more.Dir(), err)
	}
	for _, r := range append(runs, more) {
		if err := NewReader(make([]byte, ReaderBytes(r.Block())), Packing{}).Read(r, 0, r.Blocks(), func(int, int, []byte) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dirs[0], "other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := again.Remove(); err != nil || len(contents(t, dirs[0])) != 1 || len(contents(t, dirs[1])) != 0 {
		t.Error(contents(t, dirs[0]), contents(t, dirs[1]), err)
	}
	// There are runs, so that the files that are missing, or whose folder is, are damage.
	for _, dir := range []string{dirs[0], filepath.Join(dirs[0], "none")} {
		k := saved[0]
		k.Dir = dir
		var at *Error
		if runs, err := NewStore(System{}, nil, 0, Packing{}, "runs").Restore([]Saved{k}); !errors.Is(err, ErrCorrupt) || errors.Is(err, os.ErrNotExist) || !errors.As(err, &at) || at.Op != "open" || at.Dir != dir || at.Bytes != k.Space || runs != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dirs[0], "runs"), make([]byte, saved[0].Space-1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewStore(System{}, nil, 0, Packing{}, "runs").Restore(saved); !errors.Is(err, ErrCorrupt) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if err := again.Remove(); err != nil { // of one of two
		t.Error(err)
	}
	if err := os.MkdirAll(filepath.Join(dirs[0], "runs", "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	var at *Error
	if err := again.Remove(); !errors.As(err, &at) || at.Op != "remove" || at.Dir != dirs[0] || at.Bytes != 0 {
		t.Errorf("a folder that is not empty: %v", err)
	}
	if err := RemoveFrom(filepath.Join(dirs[1], "none"), "runs"); err != nil {
		t.Error(err)
	}
}

// TestReplace replaces a file, retires it, and expects nothing else in the folder.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, old := filepath.Join(dir, "list"), filepath.Join(dir, "old")
	for _, text := range []string{"one", "second"} {
		if err := (System{}).Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text || len(contents(t, dir)) != 1 {
			t.Errorf("%s, %v: %v", got, contents(t, dir), err)
		}
	}
	if err := os.WriteFile(path+".new", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := RetireReplaced(path, old); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(old); err != nil || string(got) != "second" || len(contents(t, dir)) != 1 {
		t.Errorf("%s, %v: %v", got, contents(t, dir), err)
	}
	if err := (System{}).Replace(filepath.Join(dir, "none", "list"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in a folder that is not there: %v", err)
	}
	if err := RetireReplaced(path, old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("retired twice: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(old+".new", "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := RetireReplaced(old, path); err == nil {
		t.Error("a folder that is not empty is removed")
	}
}

package extsort_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"example.com/sorter/extsort"
)

// TestUnusableDirectories names directories that are missing, are files, or may not be written.
// Elements stay, and another directory completes the sort.
func TestUnusableDirectories(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 10_000, rand.New(rand.NewPCG(81, 82))))
	dir := t.TempDir()
	for name, c := range map[string]struct {
		make func(path string) error
		want error // nil: any
	}{
		"missing":   {func(string) error { return nil }, fs.ErrNotExist},
		"a file":    {func(path string) error { return os.WriteFile(path, nil, 0o600) }, nil},
		"forbidden": {func(path string) error { return os.Mkdir(path, 0) }, fs.ErrPermission},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			must(t, c.make(path))
			if f, err := os.CreateTemp(path, ""); err == nil {
				must(t, errors.Join(f.Close(), os.Remove(f.Name())))
				t.Skip("this user may write everywhere")
			}
			s, err := extsort.New(byKey(), extsort.MemoryLimit(256<<10), extsort.TempDir(path))
			must(t, err)
			err = s.Append(rows...)
			var failed *extsort.DiskError
			if !errors.As(err, &failed) || failed.Op != "create" || failed.Path != path || c.want != nil && !errors.Is(err, c.want) {
				t.Fatalf("error is %v", err)
			}
			must(t, s.AddDir(t.TempDir()))
			must(t, s.Append(rows[s.Len():]...))
			sameElements(t, collect(t, s), sorted(rows))
			must(t, s.Close())
		})
	}
}

// TestUnusableDirectoryIsNotNeeded sorts what fits in memory.
func TestUnusableDirectoryIsNotNeeded(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 1000, rand.New(rand.NewPCG(83, 84))))
	s := filled(t, rows, extsort.TempDir(filepath.Join(t.TempDir(), "missing")))
	sameElements(t, collect(t, s), sorted(rows))
}

// TestDiskLimit reaches the limit with runs, or with the merge of adjacent runs: the error
// repeats, the elements stay counted, and nothing is left.
func TestDiskLimit(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 20_000, rand.New(rand.NewPCG(85, 86)))) // 480 KB
	for _, limit := range []int64{1, 4096, 100_000, 400_000, 500_000, 1 << 20, 2 << 20} {
		d := &faultDisk{}
		var st extsort.Stats
		s, err := extsort.New(byKey(), extsort.MemoryLimit(256<<10), extsort.DiskLimit(limit), extsort.TempDir(t.TempDir()), extsort.OnDisk(d), extsort.Report(&st))
		must(t, err)
		err = s.Append(rows...)
		n := s.Len()
		if err != nil {
			for _, again := range []error{err, s.Retry(), s.AddDir(t.TempDir()), s.Append(row{})} {
				if !errors.Is(again, extsort.ErrDiskLimit) || s.Len() != n {
					t.Fatalf("limit of %d: %v", limit, again)
				}
			}
		}
		got, err := drain(s)
		if err == nil {
			sameElements(t, got, sorted(rows))
		} else if !errors.Is(err, extsort.ErrDiskLimit) || len(got) > 0 || s.Len() != n {
			t.Errorf("limit of %d: %d elements, then %v", limit, len(got), err)
		}
		if limit >= 2<<20 && err != nil {
			t.Errorf("limit of %d: %v", limit, err)
		}
		must(t, s.Close())
		if st.Disk > limit {
			t.Errorf("limit of %d: %d bytes on disk", limit, st.Disk)
		}
		d.checkEmpty(t)
	}
}

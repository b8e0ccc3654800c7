//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package spill

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// TestLock takes a lock that another has, that was given back, and whose file is gone.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := TakeLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := TakeLock(path); !errors.Is(err, ErrLocked) || l != nil {
		t.Errorf("taken twice: %v", err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	second, err := TakeLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Remove(); err != nil || len(contents(t, filepath.Dir(path))) != 0 {
		t.Errorf("%v: %v", contents(t, filepath.Dir(path)), err)
	}
	third, err := TakeLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TakeLock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("taken twice: %v", err)
	}
	if err := third.Remove(); err != nil {
		t.Error(err)
	}
	if err := third.Remove(); !errors.Is(err, os.ErrNotExist) || !errors.Is(err, os.ErrClosed) {
		t.Errorf("removed twice: %v", err)
	}
	if err := third.Release(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("given back after it was removed: %v", err)
	}
	if _, err := TakeLock(filepath.Join(path, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in a folder that is not there: %v", err)
	}
}

// TestSameFile expects that a file whose name is gone, or is another's, is found out.
func TestSameFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if !sameFile(f, path) {
		t.Error("the same file")
	}
	if err := os.Remove(path); err != nil || sameFile(f, path) {
		t.Errorf("a name that is gone: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil || sameFile(f, path) {
		t.Errorf("another file: %v", err)
	}
	if err := f.Close(); err != nil || sameFile(f, path) {
		t.Errorf("a closed file: %v", err)
	}
}

// TestLockOfMany has goroutines take a lock and remove its file while others open it. One at a time has it.
func TestLockOfMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var holders atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for taken := 0; taken < 200; {
				l, err := TakeLock(path)
				if errors.Is(err, ErrLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if taken++; holders.Add(1) != 1 {
					t.Error("two have the lock")
				}
				holders.Add(-1)
				if err := l.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

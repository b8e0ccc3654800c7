//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package spill

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Lock is a file that one process at a time has created. It stays when that ends without removing
// it: then it has to be removed by hand.
type Lock struct{ path string }

// ErrLocked reports a lock that another Sorter has.
var ErrLocked = errors.New("locked")

// TakeLock takes the lock of a path. The error is ErrLocked if it is taken.
func TakeLock(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		owner, _ := os.ReadFile(path)
		return nil, fmt.Errorf("%w by process %s; if that has ended, remove %s", ErrLocked, strings.TrimSpace(string(owner)), path)
	}
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintln(f, os.Getpid())
	return &Lock{path}, errors.Join(err, f.Close())
}

// Release gives the lock back.
func (l *Lock) Release() error { return os.Remove(l.path) }

// Remove gives the lock back and removes its file.
func (l *Lock) Remove() error { return l.Release() }

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package spill

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Lock is a file that one process at a time has. The system gives it back when that ends.
type Lock struct{ file *os.File }

// ErrLocked reports a lock that another Sorter has.
var ErrLocked = errors.New("locked")

// TakeLock takes the lock of a path. The error is ErrLocked if it is taken.
func TakeLock(path string) (*Lock, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		err = control(f, func(fd int) error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = ErrLocked
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if sameFile(f, path) {
			return &Lock{f}, nil
		}
		if err := f.Close(); err != nil { // the owner before has removed it
			return nil, err
		}
	}
}

func sameFile(f *os.File, path string) bool {
	a, err := f.Stat()
	b, failed := os.Stat(path)
	return err == nil && failed == nil && os.SameFile(a, b)
}

// Release gives the lock back.
func (l *Lock) Release() error { return l.file.Close() }

// Remove gives the lock back and removes its file, before another can take it.
func (l *Lock) Remove() error { return errors.Join(os.Remove(l.file.Name()), l.file.Close()) }

// control calls do with the descriptor of f, again if a signal interrupts it.
func control(f *os.File, do func(fd int) error) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = c.Control(func(fd uintptr) {
		for {
			if failed = do(int(fd)); failed != unix.EINTR {
				return
			}
		}
	})
	return errors.Join(err, failed)
}

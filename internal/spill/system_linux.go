package spill

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// System is the file system of the machine.
type System struct{}

// file is read and written past the page cache where the file system allows it: a sort reads
// its runs once, and does not push out the pages of others.
type file struct {
	cached, direct *os.File // of the same inode; direct is cached where that is impossible
	descriptor     int      // of direct
}

// Create creates a file that never had a name: only this process can reach it, and its space
// is free when the process ends. On file systems that cannot, it removes the name at once.
func (System) Create(dir string) (File, error) {
	f, err := open(dir)
	if err != nil {
		return nil, err
	}
	return bothOf(f), nil
}

// Open opens a file that keeps its name.
func (System) Open(path string, size int64) (File, error) {
	f, err := openNamed(path, size)
	if err != nil {
		return nil, err
	}
	return bothOf(f), nil
}

// bothOf opens a file once more, past the page cache.
func bothOf(f *os.File) *file {
	// The same file, opened once more.
	direct, err := os.OpenFile("/proc/self/fd/"+strconv.Itoa(int(f.Fd())), os.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		direct = f
	}
	return &file{f, direct, int(direct.Fd())}
}

func (f *file) Sync() error { return f.cached.Sync() }

func open(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDWR|unix.O_TMPFILE, 0o600)
	if err == nil || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
		return f, err
	}
	return createRemoved(dir)
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.direct.ReadAt(p, off)
	if errors.Is(err, unix.EINVAL) && f.direct != f.cached { // other rules of alignment
		return f.cached.ReadAt(p, off)
	}
	return n, err
}

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.direct.WriteAt(p, off)
	if errors.Is(err, unix.EINVAL) && f.direct != f.cached {
		return f.cached.WriteAt(p, off)
	}
	return n, err
}

func (f *file) Reserve(off, n int64) error {
	return supported(control(f.cached, func(fd int) error {
		return inSteps(off, n, func(off, n int64) error { return unix.Fallocate(fd, 0, off, n) })
	}))
}

// inSteps allocates n bytes from off on. Before Linux 6.7 a signal undoes all that a call on
// tmpfs has allocated. So that regular ones, as those of a profiler, do not stop it for good,
// each halves the steps of the rest.
func inSteps(off, n int64, allocate func(off, n int64) error) error {
	for step := n; n > 0; {
		step = min(step, n)
		switch err := allocate(off, step); err {
		case nil:
			off, n = off+step, n-step
		case unix.EINTR:
			step = max(step/2, Align)
		default:
			return err
		}
	}
	return nil
}

func (f *file) Punch(off, n int64) error {
	return supported(control(f.cached, func(fd int) error {
		return unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, off, n)
	}))
}

// supported drops the error of an operation that the file system does not have.
func supported(err error) error {
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return err
}

func (f *file) Close() error {
	err := f.cached.Close()
	if f.direct != f.cached {
		err = errors.Join(err, f.direct.Close())
	}
	return err
}

// Room returns the bytes that the file system of a directory has free for this user.
func (System) Room(dir string) int64 {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0
	}
	return int64(st.Bavail) * int64(st.Bsize)
}

// InMemory reports whether a directory is kept in memory.
func InMemory(dir string) bool {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return false
	}
	kind := uint32(st.Type) // the field has 32 or 64 bits, and 32 that count
	return kind == unix.TMPFS_MAGIC || kind == unix.RAMFS_MAGIC
}

package extsort_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"example.com/sorter/extsort"
	"example.com/sorter/internal/spill"
)

// errInjected is in the error of each call that a test lets fail. The other part is one of
// those that systems return, by the number of the call.
var (
	errInjected = errors.New("injected")
	causes      = []error{syscall.EIO, syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE, syscall.EROFS, syscall.EINTR}
)

// faultDisk is the disk of the system, of which the n-th call fails.
type faultDisk struct {
	mu     sync.Mutex
	fail   int                                         // number of the call that fails, from 1; 0: none
	sticky bool                                        // later calls of the same operation fail as well
	short  bool                                        // the call does half of its work, without an error
	onRead func(f *faultFile, p []byte, off int64) int // changes the bytes read, returns their number
	room   int64                                       // bytes that are free; 0: unknown

	calls  int
	failed string // operation of the call that failed
	bytes  int64  // of that call
	open   int
	held   int64 // bytes reserved and neither punched nor closed
	holes  int64 // bytes punched
	files  []*faultFile
}

type faultFile struct {
	spill.File
	d    *faultDisk
	dir  string
	held int64
	runs []int64 // where reserved space begins
	most []int   // bytes of the largest write to each
}

// call counts a call and returns how it fails.
func (d *faultDisk) call(op string, bytes int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	if d.calls == d.fail || d.sticky && d.failed == op {
		d.failed, d.bytes = op, bytes
		return fmt.Errorf("%w: %w", errInjected, causes[d.fail%len(causes)])
	}
	return nil
}

// mend lets all later calls succeed.
func (d *faultDisk) mend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail, d.sticky = 0, false
}

// failedOp returns the operation that failed.
func (d *faultDisk) failedOp() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

// Open is Create of a file that keeps its name. What it has is held.
func (d *faultDisk) Open(path string, size int64) (spill.File, error) {
	if err := d.call("create", size); err != nil {
		return nil, err
	}
	f, err := spill.System{}.Open(path, size)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open++
	file := &faultFile{File: f, d: d, dir: filepath.Dir(path)}
	d.files = append(d.files, file)
	return file, nil
}

func (d *faultDisk) Replace(path string, data []byte) error {
	if err := d.call("manifest", int64(len(data))); err != nil {
		return err
	}
	return replaceQuick(path, data)
}

func (d *faultDisk) Room(string) int64 { return d.room }

func (f *faultFile) Sync() error { return f.d.call("sync", 1) }

func (f *faultFile) hold(n int64) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	f.held += n
	f.d.held += n
}

func (d *faultDisk) Create(dir string) (spill.File, error) {
	if err := d.call("create", 0); err != nil {
		return nil, err
	}
	f, err := spill.System{}.Create(dir)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open++
	file := &faultFile{File: f, d: d, dir: dir}
	d.files = append(d.files, file)
	return file, nil
}

func (f *faultFile) Reserve(off, n int64) error {
	f.hold(n)
	if err := f.d.call("reserve", n); err != nil {
		return err
	}
	f.d.mu.Lock()
	f.runs, f.most = append(f.runs, off), append(f.most, 0)
	f.d.mu.Unlock()
	return f.File.Reserve(off, n)
}

func (f *faultFile) WriteAt(p []byte, off int64) (int, error) {
	f.d.mu.Lock()
	if last := len(f.most) - 1; last >= 0 {
		f.most[last] = max(f.most[last], len(p))
	}
	f.d.mu.Unlock()
	if err := f.d.call("write", int64(len(p))); err != nil {
		if f.d.short {
			return f.File.WriteAt(p[:len(p)/2/spill.Align*spill.Align], off)
		}
		return 0, err
	}
	return f.File.WriteAt(p, off)
}

func (f *faultFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.d.call("read", int64(len(p))); err != nil {
		if f.d.short {
			n, err := f.File.ReadAt(p, off)
			return min(n/2, 16), err // less than any block
		}
		return 0, err
	}
	n, err := f.File.ReadAt(p, off)
	if f.d.onRead != nil {
		n = f.d.onRead(f, p[:n], off)
	}
	return n, err
}

func (f *faultFile) Punch(off, n int64) error {
	if err := f.d.call("punch", n); err != nil {
		return err
	}
	f.hold(-n)
	f.d.mu.Lock()
	f.d.holes += n
	f.d.mu.Unlock()
	return f.File.Punch(off, n)
}

func (f *faultFile) Close() error {
	f.hold(-f.held)
	f.d.mu.Lock()
	f.d.open--
	f.d.mu.Unlock()
	return errors.Join(f.d.call("close", 0), f.File.Close())
}

// checkEmpty expects that the disk has no files and no bytes.
func (d *faultDisk) checkEmpty(t *testing.T) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open != 0 || d.held != 0 {
		t.Errorf("%d files with %d bytes are left", d.open, d.held)
	}
}

// checkDirEmpty expects that a directory has no files.
func checkDirEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) > 0 {
		t.Errorf("%s has %d files, such as %s", dir, len(entries), entries[0].Name())
	}
}

// onDisk is the directory of temporary files that the environment chose, where TestMain chose another.
var onDisk string

// diskDir returns a directory like that of TempDir, which may be in memory, on the disk.
func diskDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(onDisk, "extsort")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	return dir
}

// checkSame runs f and expects that the process then has the open files it had before.
func checkSame(t *testing.T, f func()) {
	t.Helper()
	before := descriptors(t)
	f()
	if after := descriptors(t); !slices.Equal(after, before) {
		t.Errorf("open files were %q, are %q", before, after)
	}
}

// descriptors returns the targets of the process's open descriptors, where the system lists them.
func descriptors(t *testing.T) []string {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil
	}
	var open []string
	for _, e := range entries {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && to[0] == '/' {
			open = append(open, to)
		}
	}
	slices.Sort(open)
	return open
}

// drain returns the elements that s yields, and the error that ends them.
func drain[E any](s *extsort.Sorter[E]) (got []E, err error) {
	for e, failed := range s.All() {
		if failed != nil {
			return got, failed
		}
		got = append(got, e)
	}
	return got, nil
}

// checkPrefix expects that got are the first elements of want.
func checkPrefix(t *testing.T, got, want []row) {
	t.Helper()
	if len(got) > len(want) {
		t.Fatalf("%d elements of %d", len(got), len(want))
	}
	sameElements(t, got, want[:len(got)])
}

// checkDiskError expects an injected error of an operation in a directory.
func checkDiskError(t *testing.T, err error, op string, dirs ...string) {
	t.Helper()
	var failed *extsort.DiskError
	if !errors.As(err, &failed) {
		t.Fatalf("error %v of %s is no DiskError", err, op)
	}
	if failed.Op != op || !slices.Contains(dirs, failed.Path) || (failed.Bytes <= 0) != (op == "close") {
		t.Errorf("error of %s in %q is %+v", op, dirs, failed)
	}
}

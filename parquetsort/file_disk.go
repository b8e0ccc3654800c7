package parquetsort

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/sorter/internal/durable"
)

// disk has files. Tests replace the system's by one whose calls fail.
type disk interface {
	Open(path string) (f file, size int64, err error)
	Temp(dir string) (file, error)
	Create(path string, like os.FileMode) (file, error)
	Rename(from, to string) error
	Remove(path string) error
	SyncDir(dir string) error
}

// file is an open file. Its methods may be called concurrently.
type file interface {
	io.ReaderAt
	io.WriterAt
	Sync() error
	Close() error
}

type osDisk struct{}

func (osDisk) Open(path string) (file, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// Temp creates a file that loses its name at once. Where an open file keeps its name, Close removes it.
func (osDisk) Temp(dir string) (file, error) {
	f, err := os.CreateTemp(dir, ".parquetsort-*")
	if err != nil {
		return nil, err
	}
	if os.Remove(f.Name()) != nil {
		return named{f}, nil
	}
	return f, nil
}

// named is a file to be removed when it is closed.
type named struct{ *os.File }

func (f named) Close() error { return errors.Join(f.File.Close(), os.Remove(f.Name())) }

func (osDisk) Create(path string, mode os.FileMode) (file, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
}

func (osDisk) Rename(from, to string) error { return os.Rename(from, to) }
func (osDisk) Remove(path string) error     { return os.Remove(path) }
func (osDisk) SyncDir(dir string) error     { return durable.SyncDir(dir) }

// tempFile is a file to which parts are appended.
type tempFile struct {
	file
	size atomic.Int64
}

func newTemp(d disk, dir string) (*tempFile, error) {
	f, err := d.Temp(dir)
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	return &tempFile{file: f}, nil
}

// write appends p, and returns where it is. It may be called concurrently.
func (t *tempFile) write(p []byte) (at int64, err error) {
	at = t.size.Add(int64(len(p))) - int64(len(p))
	if _, err := t.WriteAt(p, at); err != nil {
		return 0, fmt.Errorf("temporary file: %w", err)
	}
	return at, nil
}

// read fills p.
func (t *tempFile) read(p []byte, at int64) error {
	n, err := t.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("temporary file: %w", err)
}

func (t *tempFile) close() { t.Close() }

// chunkStore has the encoded chunks until they are copied.
type chunkStore struct {
	disk    disk
	dir     string
	mu      sync.Mutex
	file    *tempFile
	spilled atomic.Int64
}

// put writes an encoded chunk.
func (s *chunkStore) put(chunk []byte) (at int64, err error) {
	s.mu.Lock()
	if s.file == nil {
		s.file, err = newTemp(s.disk, s.dir)
	}
	s.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return s.file.write(chunk)
}

func (s *chunkStore) close() {
	if s.file != nil {
		s.file.close()
	}
}

// target is where the result goes.
type target struct {
	pattern string
	split   bool
}

// targetOf checks a destination. A pattern gives different names to different files.
func targetOf(dst string, split bool) (target, error) {
	t := target{dst, split}
	if dst == "" {
		return t, errors.New("no destination")
	}
	if !split {
		if resolved, err := filepath.EvalSymlinks(dst); err == nil {
			t.pattern = resolved
		}
		if info, err := os.Stat(t.pattern); err == nil && info.IsDir() {
			return t, fmt.Errorf("%s is a directory", dst)
		}
		return t, nil
	}
	dir, name := filepath.Split(dst)
	first, second := fmt.Sprintf(name, 0), fmt.Sprintf(name, 1)
	if first == second || strings.Contains(first, "%!") {
		return t, fmt.Errorf("the name %q of several files needs one verb for their number, such as %%03d", name)
	}
	t.pattern = dir + name
	return t, nil
}

// path returns the path of a file.
func (t target) path(i int) string {
	if !t.split {
		return t.pattern
	}
	dir, name := filepath.Split(t.pattern)
	return dir + fmt.Sprintf(name, i)
}

// mode returns the permissions of a file that will replace the one of the same path.
func (t target) mode(path string) os.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o666
}

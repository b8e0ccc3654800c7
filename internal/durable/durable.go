// Package durable puts files in their places so that a loss of power leaves the old file or the new one: whole, and
// under its name. internal/powerloss has what a disk may do otherwise.
package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// File is a file that is written under another name than the one that it gets. It is for one goroutine.
type File struct {
	*os.File
	path, temporary string
	closed, named   bool
}

// TemporaryFor returns a random name for a file beside the one of a path, which is hidden. File systems take names of
// 255 bytes.
func TemporaryFor(path string) string {
	base := filepath.Base(path)
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.tmp", strings.ToValidUTF8(base[:min(len(base), 200)], ""), rand.Uint32()))
}

// Create creates a file that will have the name path, under a temporary name in the same folder, which no file has.
func Create(path, temporary string, perm fs.FileMode) (*File, error) {
	f, err := os.OpenFile(temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	return &File{File: f, path: path, temporary: temporary}, nil
}

// Complete makes the bytes durable and closes the file, which has no name yet. Publish does so, too.
func (f *File) Complete() error {
	f.closed = true
	return errors.Join(f.Sync(), f.Close())
}

// Publish makes the bytes durable, then gives the file its name, in place of a file that has it, and makes that
// durable. An error leaves the old file, unless it is that of the last step: then the new file has the name, but a
// loss of power may bring the old one back.
func (f *File) Publish() error {
	if !f.closed {
		if err := f.Complete(); err != nil {
			return err
		}
	}
	if err := os.Rename(f.temporary, f.path); err != nil {
		return err
	}
	f.named = true
	return SyncDir(filepath.Dir(f.path))
}

// Discard closes and removes the file, unless it has its name.
func (f *File) Discard() (err error) {
	if f.named {
		return nil
	}
	if !f.closed {
		f.closed, err = true, f.Close()
	}
	return errors.Join(err, os.Remove(f.temporary))
}

// Replace makes data the content of the file of a path. The temporary name may be that of an attempt before.
func Replace(path, temporary string, data []byte, perm fs.FileMode) error {
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := Create(path, temporary, perm)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Publish()
	}
	if err != nil {
		err = errors.Join(err, f.Discard())
	}
	return err
}

// Rename is [os.Rename] within a folder, and makes the new name durable.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(to))
}

// MkdirAll is [os.MkdirAll], and makes the names of the folders that it creates durable.
func MkdirAll(path string, perm fs.FileMode) error {
	parent := filepath.Dir(path)
	if _, err := os.Stat(parent); parent != path && errors.Is(err, fs.ErrNotExist) {
		if err := MkdirAll(parent, perm); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(path, perm); err != nil { // which may be there
		return err
	}
	return SyncDir(parent) // also of one that a process has made that was killed here
}

// SyncDir makes the names in a folder durable. It does nothing where the system does not open folders, where this
// user may not read the folder, and where the file system syncs none.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	} else if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EBADF) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

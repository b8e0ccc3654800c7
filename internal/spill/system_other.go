//go:build !linux

package spill

import (
	"errors"
	"os"
	"runtime"
)

// System is the file system of the machine.
type System struct{}

type file struct {
	*os.File
	kept bool
}

// Create creates a file and removes its name: at once, or on Windows when it is closed.
func (System) Create(dir string) (File, error) {
	f, err := createRemoved(dir)
	if err != nil {
		return nil, err
	}
	return &file{f, false}, nil
}

// Open opens a file that keeps its name.
func (System) Open(path string, size int64) (File, error) {
	f, err := openNamed(path, size)
	if err != nil {
		return nil, err
	}
	return &file{f, true}, nil
}

func (f *file) Reserve(off, n int64) error { return nil }

func (f *file) Punch(off, n int64) error { return nil }

func (f *file) Close() error {
	err := f.File.Close()
	if runtime.GOOS == "windows" && !f.kept {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// Room returns 0: nobody knows.
func (System) Room(string) int64 { return 0 }

// InMemory reports whether a directory is kept in memory. Here nobody knows.
func InMemory(dir string) bool { return false }

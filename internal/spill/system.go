package spill

import (
	"errors"
	"os"
	"runtime"
)

// createRemoved creates a file and removes its name. Windows keeps the names of open files.
func createRemoved(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "sorter-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil && runtime.GOOS != "windows" {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

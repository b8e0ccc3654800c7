package spill

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"example.com/sorter/internal/durable"
)

// openNamed opens a file that keeps its name, see Disk.
func openNamed(path string, size int64) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if size == 0 && errors.Is(err, os.ErrNotExist) {
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err != nil {
		return nil, err
	}
	if err = cut(f, size); err == nil && size == 0 { // also where a process was killed that had created it
		err = durable.SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// cut ends a file after size bytes.
func cut(f *os.File, size int64) error {
	st, err := f.Stat()
	switch {
	case err != nil:
		return err
	case st.Size() < size:
		return io.ErrUnexpectedEOF
	case st.Size() > size:
		return f.Truncate(size)
	}
	return nil
}

// Replace makes a file durable, in place of the one of the same name.
func (System) Replace(path string, data []byte) error {
	return durable.Replace(path, path+".new", data, 0o600)
}

// RetireReplaced gives a file of Replace another name, which is durable, and removes the file that a killed process
// may have left of the next.
func RetireReplaced(path, name string) error {
	err := durable.Rename(path, name)
	if failed := os.Remove(path + ".new"); !errors.Is(failed, os.ErrNotExist) {
		err = errors.Join(err, failed)
	}
	return err
}

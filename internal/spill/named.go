package spill

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// openNamed opens a file that keeps its name, see Disk.
func openNamed(path string, size int64) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0o600)
	created := size == 0 && errors.Is(err, os.ErrNotExist)
	if created {
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err != nil {
		return nil, err
	}
	if err = cut(f, size); err == nil && created {
		err = syncDir(filepath.Dir(path))
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

// Replace writes a file of another name, makes it durable, and renames it.
func (System) Replace(path string, data []byte) error {
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// RetireReplaced gives a file of Replace another name, and removes the file that a killed process may have left
// of the next.
func RetireReplaced(path, name string) error {
	err := os.Rename(path, name)
	if failed := os.Remove(path + ".new"); !errors.Is(failed, os.ErrNotExist) {
		err = errors.Join(err, failed)
	}
	return err
}

// syncDir makes the names in a directory durable. Windows does not open directories.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

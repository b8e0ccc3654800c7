// Package cgroup knows the memory that control groups of Linux leave to a process, and makes such groups for tests and
// benchmarks.
package cgroup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// versions are where groups of the two versions lie, and their files: the limit of memory, and that
// of swap with what to write there: the limit of both together, or of swap alone.
var versions = []struct {
	root, memory, swap string
	both               bool
}{
	{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes", true},
	{"/sys/fs/cgroup", "memory.max", "memory.swap.max", false},
}

// Make makes a control group with a limit of memory, and without swap where the system counts it. It
// returns its directory, which the caller removes when its processes have ended. A process that needs
// more is killed. It fails where this process may not make one.
func Make(bytes int64) (dir string, err error) {
	var all error
	for _, v := range versions {
		dir, err := os.MkdirTemp(v.root, "sorter-")
		if err != nil {
			all = errors.Join(all, err)
			continue
		}
		swap := int64(0)
		if v.both {
			swap = bytes
		}
		err = write(dir, v.memory, bytes)
		if failed := write(dir, v.swap, swap); !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
		if err == nil {
			return dir, nil
		}
		all = errors.Join(all, err, os.Remove(dir))
	}
	return "", all
}

// Enter moves this process, and those that it will start, into a group.
func Enter(dir string) error { return write(dir, "cgroup.procs", 0) }

func write(dir, name string, n int64) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strconv.FormatInt(n, 10))
	return errors.Join(err, f.Close())
}

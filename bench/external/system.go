package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

// groupVariable holds the directory of the control group that a child enters.
const groupVariable = "EXTERNAL_GROUP"

// memoryGroup makes a control group of a number of bytes without swap, of version 1 or 2.
func memoryGroup(bytes int64) (dir string, err error) {
	limit := []byte(strconv.FormatInt(bytes, 10))
	root, files := "/sys/fs/cgroup/memory", []string{"memory.limit_in_bytes", "memory.memsw.limit_in_bytes"}
	if _, err = os.Stat(root); err != nil {
		root, files = "/sys/fs/cgroup", []string{"memory.max", "memory.swap.max"}
	}
	if dir, err = os.MkdirTemp(root, "external-"); err != nil {
		return "", err
	}
	for _, name := range files {
		if name == "memory.swap.max" {
			limit = []byte("0")
		}
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), limit, 0))
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(dir))
	}
	return dir, nil
}

// enterGroup moves the process, and those that it will start, into its control group.
func enterGroup() error {
	dir := os.Getenv(groupVariable)
	if dir == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte("0"), 0)
}

// dropCaches has the system forget the content of files. It takes a superuser.
func dropCaches() error { return os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0) }

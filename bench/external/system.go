package main

import (
	"os"

	"example.com/sorter/internal/cgroup"
)

// groupVariable holds the directory of the control group that a child enters.
const groupVariable = "EXTERNAL_GROUP"

// enterGroup moves the process, and those that it will start, into its control group.
func enterGroup() error {
	dir := os.Getenv(groupVariable)
	if dir == "" {
		return nil
	}
	return cgroup.Enter(dir)
}

// dropCaches has the system forget the content of files. It takes a superuser.
func dropCaches() error { return os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0) }

//go:build unix

package main

import (
	"syscall"
	"time"
)

// processorTime returns the time that processors spent on this process. Other processes add less to it
// than to the clock's.
func processorTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

//go:build unix

package parquetsort_test

import (
	"syscall"
	"time"
)

// processorTime returns the time that all threads have used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

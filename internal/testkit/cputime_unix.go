//go:build unix

package testkit

import (
	"syscall"
	"time"
)

// CPUTime returns the time that the process has computed, on all processors together.
// On a machine that is busy with other things it goes on more slowly than the clock.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

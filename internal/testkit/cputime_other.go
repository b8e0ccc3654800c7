//go:build !unix

package testkit

import "time"

var start = time.Now()

// CPUTime returns the time that the process has run, which bounds the time that it
// has computed on one processor.
func CPUTime() time.Duration { return time.Since(start) }

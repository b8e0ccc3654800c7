//go:build !unix

package main

import "time"

// processorTime is the time of the clock: the system counts no other.
func processorTime() time.Duration { return time.Since(begin) }

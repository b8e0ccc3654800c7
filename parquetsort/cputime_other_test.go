//go:build !unix

package parquetsort_test

import "time"

// processorTime returns 0 where it is not measured.
func processorTime() time.Duration { return 0 }

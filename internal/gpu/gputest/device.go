//go:build !cudacpu && linux && (amd64 || arm64)

package gputest

import "testing"

// Large are further sizes for tests on a device: about where a second level of
// partition begins, and well after it.
var Large = []int{900_000, 950_000, 1 << 20, 3_000_000}

// Shrink leaves devices as they are.
func Shrink(*testing.T) {}

// SmallSizes are for a short run.
func SmallSizes(string) []int { return []int{2, 3, 1000, 9000} }

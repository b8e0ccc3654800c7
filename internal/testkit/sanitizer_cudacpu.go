//go:build cudacpu && linux && amd64

package testkit

import "example.com/sorter/internal/cudacpu"

// sanitizer returns the sanitizer that kernels on the CPU are compiled with.
func sanitizer() string { return cudacpu.Sanitizer() }

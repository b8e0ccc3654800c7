//go:build !linux

package extsort

// freeMemory returns a number of bytes that a machine of today has free.
func freeMemory() int64 { return 1 << 30 }

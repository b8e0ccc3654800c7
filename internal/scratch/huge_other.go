//go:build !linux

package scratch

import "unsafe"

// adviseHuge does nothing: huge pages on request are a Linux matter.
func adviseHuge(unsafe.Pointer, uintptr) {}

func forgetPages(unsafe.Pointer, uintptr) {}

func freshPages([]byte, int, int) {}

package testkit

import (
	"syscall"
	"testing"
	"unsafe"
)

// Guarded returns a string in memory of its own, text in the middle of pages that fault
// when they are read, some before it and some after it. Its length is that of whole pages.
func Guarded(t *testing.T, before int, text string, after int) string {
	t.Helper()
	page := syscall.Getpagesize()
	first, last := before*page, before*page+len(text)
	m, err := syscall.Mmap(-1, 0, last+after*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("no memory that can be guarded:", err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(m) })
	copy(m[first:], text)
	for _, part := range [][]byte{m[:first], m[last:]} {
		if err := syscall.Mprotect(part, syscall.PROT_NONE); len(part) > 0 && err != nil {
			t.Fatal(err)
		}
	}
	// Sound: the memory is written only before this, and unmapped after the test.
	return unsafe.String(unsafe.SliceData(m), len(m))
}

// FailOnFault, deferred where faults panic, makes one fail the test. A fault of another
// goroutine ends the process.
func FailOnFault(t *testing.T, doing string) {
	if r := recover(); r != nil {
		t.Errorf("%s: read what need not be read: %v", doing, r)
	}
}

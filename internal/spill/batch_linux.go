package spill

import (
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// batch reads several places of files with one wait, by Linux AIO: what is read past the page cache
// does not wait when it is submitted. It is for one goroutine.
type batch struct {
	context uintptr // of the kernel; 0: none
	refused bool    // the kernel has none for this process
	places  [MostRanges]place
	submit  [MostRanges]*place
	events  [MostRanges]event
	reading int // reads that have not ended
}

// place is a struct iocb: a read of n bytes at an offset. The fields without a name are 0.
type place struct {
	number uint64 // comes back in the event
	_      [2]uint32
	_      uint16 // the operation, 0: IOCB_CMD_PREAD
	_      int16
	fd     uint32
	memory uint64
	n      uint64
	off    int64
	_      uint64
	_      [2]uint32
}

// event is a struct io_event.
type event struct {
	number, _ uint64
	n, _      int64
}

// open makes the context, and reports whether there is one.
func (b *batch) open() bool {
	if b.context == 0 && !b.refused {
		_, _, failed := syscall.Syscall(unix.SYS_IO_SETUP, MostRanges, uintptr(unsafe.Pointer(&b.context)), 0)
		b.refused = failed != 0
	}
	return !b.refused
}

// begin begins the requests that it can, at most MostRanges. No others are being read.
func (b *batch) begin(all []request) {
	if !b.open() {
		return
	}
	n := 0
	for i := range all {
		f, ok := all[i].file.(*file)
		if !ok || f.direct == f.cached { // a read through the page cache would wait here
			continue
		}
		// Sound: the reader keeps the memory until wait or close, and nothing moves it.
		memory := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(all[i].p))))
		b.places[n] = place{number: uint64(i), fd: uint32(f.descriptor), memory: memory, n: uint64(len(all[i].p)), off: all[i].off}
		b.submit[n] = &b.places[n]
		n++
	}
	for b.reading < n {
		some, _, failed := syscall.Syscall(unix.SYS_IO_SUBMIT, b.context, uintptr(n-b.reading), uintptr(unsafe.Pointer(&b.submit[b.reading])))
		if failed != 0 || some == 0 {
			return
		}
		b.reading += int(some)
	}
}

// wait waits until the requests that were begun have ended, and marks those that are done.
func (b *batch) wait(all []request) {
	for b.reading > 0 {
		some, _, failed := syscall.Syscall6(unix.SYS_IO_GETEVENTS, b.context, uintptr(b.reading), uintptr(b.reading), uintptr(unsafe.Pointer(&b.events)), 0, 0)
		if failed == unix.EINTR {
			continue
		}
		if failed != 0 {
			b.close() // which waits: none is done
			return
		}
		for _, e := range b.events[:some] {
			all[e.number].done = e.n == int64(len(all[e.number].p))
		}
		b.reading -= int(some)
	}
	runtime.KeepAlive(all)
}

// close ends the requests that were begun, and gives the context back.
func (b *batch) close() {
	if b.context != 0 {
		_, _, _ = syscall.Syscall(unix.SYS_IO_DESTROY, b.context, 0, 0) // waits for them
	}
	b.context, b.reading = 0, 0
}

// readsAhead reports whether requests of a file can be begun.
func readsAhead(f File) bool {
	d, ok := f.(*file)
	return ok && d.direct != d.cached && hasContexts()
}

// hasContexts reports whether the kernel gives contexts to this process.
var hasContexts = sync.OnceValue(func() bool {
	b := new(batch)
	defer b.close()
	return b.open()
})

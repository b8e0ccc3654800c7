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

// contexts are those that no batch has. To destroy one takes 30 to 100 ms, in which the kernel waits for
// all processors (Linux 6.18, 2 cores).
var contexts struct {
	sync.Mutex
	idle []uintptr
}

// mostContexts is the number of contexts that are kept.
const mostContexts = 8

// open takes a context or makes one, and reports whether there is one.
func (b *batch) open() bool {
	if b.context != 0 || b.refused {
		return !b.refused
	}
	contexts.Lock()
	defer contexts.Unlock()
	if n := len(contexts.idle); n > 0 {
		b.context, contexts.idle = contexts.idle[n-1], contexts.idle[:n-1]
		return true
	}
	_, _, failed := syscall.Syscall(unix.SYS_IO_SETUP, MostRanges, uintptr(unsafe.Pointer(&b.context)), 0)
	b.refused = failed != 0
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
		for _, e := range b.ended() {
			all[e.number].done = e.n == int64(len(all[e.number].p))
		}
	}
	runtime.KeepAlive(all)
}

// ended waits for requests and returns their events. If that fails it ends all, of which none is done.
func (b *batch) ended() []event {
	some, _, failed := syscall.Syscall6(unix.SYS_IO_GETEVENTS, b.context, uintptr(b.reading), uintptr(b.reading), uintptr(unsafe.Pointer(&b.events)), 0, 0)
	switch {
	case failed == unix.EINTR:
		return nil
	case failed != 0:
		_, _, _ = syscall.Syscall(unix.SYS_IO_DESTROY, b.context, 0, 0) // waits for them
		b.context, b.reading = 0, 0
		return nil
	}
	b.reading -= int(some)
	return b.events[:some]
}

// close waits until the requests that were begun have ended, and gives the context back.
func (b *batch) close() {
	for b.reading > 0 {
		b.ended()
	}
	if b.context == 0 {
		return
	}
	contexts.Lock()
	defer contexts.Unlock()
	if len(contexts.idle) < mostContexts {
		contexts.idle = append(contexts.idle, b.context)
	} else {
		_, _, _ = syscall.Syscall(unix.SYS_IO_DESTROY, b.context, 0, 0)
	}
	b.context = 0
}

// readsAhead reports whether requests of a file can be begun.
func readsAhead(f File) bool {
	d, ok := f.(*file)
	return ok && d.direct != d.cached && hasContexts()
}

// hasContexts reports whether the kernel gave this process a context when it first asked for one.
var hasContexts = sync.OnceValue(func() bool {
	b := new(batch)
	defer b.close()
	return b.open()
})

//go:build cudacpu && linux && amd64

package cudacpu

/*
#cgo CXXFLAGS: -std=c++20 -O2 -g1 -fno-strict-aliasing -fno-omit-frame-pointer
#include <stdlib.h>
#include "driver.h"
*/
import "C"

import (
	"embed"
	"fmt"
	"unsafe"
)

// headers makes packages that compile kernels against them follow when they
// change: the go command knows no files of other folders.
//
//go:embed *.h
var headers embed.FS

// Symbol returns the address of the driver's function of that name, for Call.
func Symbol(name string) (uintptr, error) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	p := C.cudacpu_symbol(c)
	if p == nil {
		return 0, fmt.Errorf("cudacpu has no %s", name)
	}
	return uintptr(p), nil
}

// Call calls a function that Symbol returned, with at most 11 arguments.
func Call(symbol uintptr, args []uintptr) uintptr {
	// symbol is an address in the program's data, not on the Go heap.
	entry := *(*unsafe.Pointer)(unsafe.Pointer(&symbol))
	return uintptr(C.cudacpu_call(entry, (*C.uint64_t)(unsafe.Pointer(unsafe.SliceData(args))), C.int(len(args))))
}

// Fail makes the k-th call from now return code, k >= 1, or, if lasting, that
// one and every later one, as after the loss of a device. What a call gives
// back (memory, a stream, a module) is given back even if it fails. Making a
// context current, and undoing that, never fails and does not count. A code of 0 ends it.
func Fail(k int, code int, lasting bool) {
	var l C.int
	if lasting {
		l = 1
	}
	C.cudacpu_fail(C.int64_t(k), C.int(code), l)
}

// Calls returns the number of calls since the latest Fail.
func Calls() int { return int(C.cudacpu_calls()) }

// Failed returns the name of the first call since the latest Fail that was
// made to fail, or "".
func Failed() string {
	if name := C.cudacpu_failed(); name != nil {
		return C.GoString(name)
	}
	return ""
}

// Seed decides the order of blocks, warps and threads, the contents of new
// memory, and when streams go on in the mode Mixed.
func Seed(seed uint64) { C.cudacpu_seed(C.uint64_t(seed)) }

// Mode says when work given to a stream is done.
type Mode int

const (
	Eager Mode = iota // at once
	Lazy              // as late as possible: when the host waits for it
	Mixed             // at random calls in between, across streams
)

// SetMode sets the mode, which is Eager at first. Except in Eager a source of
// a copy that changes before it was copied ends the process.
func SetMode(m Mode) { C.cudacpu_mode(C.int(m)) }

// Device describes a device. The zero values of its fields are not useful;
// start from [DefaultDevice].
type Device struct {
	Memory         uint64 // bytes; an allocation beyond fails
	SharedPerBlock int    // bytes, with opt-in
	SMs            int    // each of which runs at most two blocks
	Major, Minor   int    // compute capability
}

// DefaultDevice is a small device with 1 GiB. SmallDevice has as little shared memory
// as those of compute capability 7.5.
var (
	DefaultDevice = Device{1 << 30, 99 << 10, 3, 8, 6}
	SmallDevice   = Device{1 << 30, 64 << 10, 3, 7, 5}
)

const mostDevices = 16

// SetDevices sets the number of devices, 1 to 16, and whether they reach each
// other's memory. At first there is one. No context may be retained meanwhile.
func SetDevices(n int, direct bool) {
	var d C.int
	if direct {
		d = 1
	}
	C.cudacpu_devices(C.int(n), d)
}

// Configure describes every device anew. No context may be retained meanwhile.
func Configure(d Device) {
	for i := range mostDevices {
		ConfigureOne(i, d)
	}
}

// ConfigureOne is Configure of one device.
func ConfigureOne(ordinal int, d Device) {
	C.cudacpu_configure(C.int(ordinal), C.struct_cudacpu_device{C.uint64_t(d.Memory), C.int(d.SharedPerBlock), C.int(d.SMs), C.int(d.Major), C.int(d.Minor)})
}

// Held are the objects taken from the driver and not given back.
type Held struct {
	Memory, Pinned                     uint64 // bytes
	Streams, Events, Modules, Contexts int
}

// Holding returns the objects held now, of all devices.
func Holding() Held {
	h := C.cudacpu_held()
	return Held{uint64(h.memory), uint64(h.pinned), int(h.streams), int(h.events), int(h.modules), int(h.contexts)}
}

// Sanitizer returns the sanitizer that kernels were compiled with: "address",
// "thread", or "".
func Sanitizer() string { return C.GoString(C.cudacpu_sanitizer()) }

var _ = headers
